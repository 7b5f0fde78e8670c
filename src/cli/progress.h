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

/* Erases the bar, so that what is printed next begins on a clean line. */
void sarrus_progress_erase(sarrus_progress_bar *bar);

/* The text of a plan's line, as below. */
void sarrus_progress_format_plan(const sarrus_plan_progress *progress, int width, char *line, size_t n_line);

/* The text of the bar, at most `width` columns of ASCII, into line[n_line]. */
void sarrus_progress_format(const sarrus_progress *progress, int width, char *line, size_t n_line);

#endif
