/* The progress bar: one line on stderr while a run lasts, only on a terminal. */
#ifndef SARRUS_CLI_PROGRESS_H
#define SARRUS_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "sarrus/plan.h"
#include "sarrus/run.h"

typedef struct sarrus_progress_bar {
    bool is_shown; /* stderr is a terminal and nobody asked for quiet */
    bool is_begun; /* something stands on the line */
} sarrus_progress_bar;

/* Whether stderr is a terminal. */
bool sarrus_progress_is_wanted(void);

/* sarrus_progress_function: draws the bar (`user` is a sarrus_progress_bar) and asks to stop once a signal has come. */
int sarrus_progress_draw(const sarrus_progress *progress, void *user);

/* sarrus_plan_progress_function: the same while a plan is made. */
int sarrus_progress_draw_plan(const sarrus_plan_progress *progress, void *user);

/* The bar of a piece of work that is counted: `n_done` of `n_all` things called `noun` in `seconds` so far. Nothing is drawn in the
 * first half second. */
typedef struct sarrus_counted_work {
    const char *noun;
    uint64_t n_done, n_all, n_failed;
    double seconds;
} sarrus_counted_work;
void sarrus_progress_draw_count(sarrus_progress_bar *bar, const sarrus_counted_work *work);
void sarrus_progress_format_count(const sarrus_counted_work *work, int width, char *line, size_t n_line);

/* Erases the bar, so that what is printed next begins on a clean line. */
void sarrus_progress_erase(sarrus_progress_bar *bar);

/* The text of a plan's line, as below. */
void sarrus_progress_format_plan(const sarrus_plan_progress *progress, int width, char *line, size_t n_line);

/* The text of the bar, at most `width` columns of ASCII, into line[n_line]. */
void sarrus_progress_format(const sarrus_progress *progress, int width, char *line, size_t n_line);

#endif
