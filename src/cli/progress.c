#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/signals.h"

enum { WIDEST_BAR = 40, NARROWEST_BAR = 10, MAX_LINE = 512 };

bool sarrus_progress_is_wanted(void) {
    return isatty(STDERR_FILENO) != 0;
}

static int terminal_width(void) {
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

/* "0:07", "12:05", "3:02:11", "12 days". */
static void duration_format(double seconds, char *text, size_t n_text) {
    if (!(seconds < 1e9)) {
        snprintf(text, n_text, "-:--");
        return;
    }
    const long total = lround(seconds);
    if (total >= 2 * 86400L)
        snprintf(text, n_text, "%ld days", total / 86400);
    else if (total >= 3600)
        snprintf(text, n_text, "%ld:%02ld:%02ld", total / 3600, total / 60 % 60, total % 60);
    else
        snprintf(text, n_text, "%ld:%02ld", total / 60, total % 60);
}

/* A fixed step is done so many times a second; of steps that are chosen nobody knows how many are to come, but the time is known.
 */
static void pace_format(const sarrus_progress *progress, double rate, char *text, size_t n_text) {
    if (progress->is_adaptive)
        snprintf(text, n_text, "t = %.3g of %.3g s", progress->time, progress->t_end);
    else
        snprintf(text, n_text, "%.3g instance-steps/s", rate);
}

/* What stands on the line besides the bar. */
typedef struct bar_words {
    double share;        /* that is done, 0 … 1 */
    double seconds_left; /* not below 1e9: nobody knows */
    const char *pace;
    uint64_t n_failed;
} bar_words;

static void bar_format(const bar_words *shown, int width, char *line, size_t n_line) {
    char eta[32], words[160], failed[40] = "";
    duration_format(shown->seconds_left, eta, sizeof eta);
    if (shown->n_failed > 0)
        snprintf(failed, sizeof failed, "  %llu failed", (unsigned long long)shown->n_failed);
    const int percent = (int)(100.0 * shown->share);
    snprintf(words, sizeof words, " %3d %%  %s  ETA %s%s", percent, shown->pace, eta, failed);
    int n_bar = width - 3 - (int)strlen(words); /* the brackets, and the last column that some terminals wrap at */
    n_bar = n_bar < WIDEST_BAR ? n_bar : WIDEST_BAR;
    if (n_bar < NARROWEST_BAR) {
        snprintf(words, sizeof words, "%3d %%  ETA %s%s", percent, eta, failed);
        snprintf(line, n_line, "%.*s", width > 1 ? width - 1 : 0, words);
        return;
    }
    char bar[WIDEST_BAR + 1];
    const int n_full = (int)(shown->share * n_bar);
    for (int i = 0; i < n_bar; ++i)
        bar[i] = (char)(i < n_full ? '=' : i == n_full ? '>' : ' ');
    bar[n_bar] = '\0';
    snprintf(line, n_line, "[%s]%s", bar, words);
}

void sarrus_progress_format(const sarrus_progress *progress, int width, char *line, size_t n_line) {
    const double done =
        progress->n_instance_steps > 0 ? (double)progress->instance_steps / (double)progress->n_instance_steps : 1.0;
    const double n_own = (double)(progress->instance_steps - progress->n_resumed_steps);
    const double rate = progress->wall_seconds > 0.0 ? n_own / progress->wall_seconds : 0.0;
    char pace[64];
    pace_format(progress, rate, pace, sizeof pace);
    const bar_words shown = {done, (double)(progress->n_instance_steps - progress->instance_steps) / rate, pace,
                             progress->n_failed};
    bar_format(&shown, width, line, n_line);
}

void sarrus_progress_format_count(const sarrus_counted_work *work, int width, char *line, size_t n_line) {
    const double rate = work->seconds > 0.0 ? (double)work->n_done / work->seconds : 0.0;
    char pace[64];
    snprintf(pace, sizeof pace, "%.3g %s/s", rate, work->noun);
    const bar_words shown = {work->n_all > 0 ? (double)work->n_done / (double)work->n_all : 1.0,
                             (double)(work->n_all - work->n_done) / rate, pace, work->n_failed};
    bar_format(&shown, width, line, n_line);
}

void sarrus_progress_draw_count(sarrus_progress_bar *bar, const sarrus_counted_work *work) {
    char line[MAX_LINE];
    if (!bar->is_shown || work->seconds < 0.5)
        return;
    sarrus_progress_format_count(work, terminal_width(), line, sizeof line);
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
    bar->is_begun = true;
}

int sarrus_progress_draw(const sarrus_progress *progress, void *user) {
    sarrus_progress_bar *bar = user;
    char line[MAX_LINE];
    if (bar->is_shown) {
        sarrus_progress_format(progress, terminal_width(), line, sizeof line);
        fprintf(stderr, "\r%s\033[K", line);
        fflush(stderr);
        bar->is_begun = true;
    }
    return sarrus_signal_caught() != 0;
}

void sarrus_progress_format_plan(const sarrus_plan_progress *progress, int width, char *line, size_t n_line) {
    char words[160], spent[32], share[16] = "";
    duration_format(progress->wall_seconds, spent, sizeof spent);
    if (progress->share >= 0.0)
        snprintf(share, sizeof share, " %.0f %%", 100.0 * progress->share);
    snprintf(words, sizeof words, "planning: %s%s  %s", progress->phase, share, spent);
    snprintf(line, n_line, "%.*s", width > 1 ? width - 1 : 0, words);
}

int sarrus_progress_draw_plan(const sarrus_plan_progress *progress, void *user) {
    sarrus_progress_bar *bar = user;
    char line[MAX_LINE];
    if (bar->is_shown) {
        sarrus_progress_format_plan(progress, terminal_width(), line, sizeof line);
        fprintf(stderr, "\r%s\033[K", line);
        fflush(stderr);
        bar->is_begun = true;
    }
    return sarrus_signal_caught() != 0;
}

void sarrus_progress_erase(sarrus_progress_bar *bar) {
    if (bar->is_begun)
        fprintf(stderr, "\r\033[K");
    bar->is_begun = false;
}
