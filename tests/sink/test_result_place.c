/* Claim: a result is written beside its name and takes it at the end; what is no result is never written over, what stood there
 * before stays until then, two writers never have one name, and a file that somebody else has touched is no success. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "core/report.h"
#include "sarrus/run.h"
#include "sink_fixture.h"

static sarrus_context *context;
static fixture *f;

/* 60 times in blocks of ten of 100 instances. */
static int begin(void **state) {
    (void)state;
    f = fixture_create("place", 100, 60, 3, KIND_RANDOM);
    f->block_bytes = 100 * 8 * 8 * 10;
    return sarrus_context_create(&context) == SARRUS_OK ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    fixture_destroy(f);
    sarrus_context_destroy(context);
    return 0;
}

static sarrus_sink *sink_open(void) {
    const sarrus_sink_description description = fixture_description(f);
    sarrus_sink *sink = NULL;
    assert_int_equal(sarrus_sink_create(context, f->path, &description, &sink), SARRUS_OK);
    return sink;
}

static sarrus_status sink_end(sarrus_sink *sink, bool complete) {
    const sarrus_sink_outcome outcome = fixture_outcome(f, complete);
    const sarrus_status status = sarrus_sink_close(sink, context, &outcome);
    sarrus_sink_destroy(sink);
    return status;
}

static void result_put(uint64_t n_times) {
    sarrus_sink *sink = sink_open();
    assert_int_equal(fixture_write(f, sink, n_times), SARRUS_OK);
    assert_int_equal(sink_end(sink, true), SARRUS_OK);
}

static uint64_t times_in(const char *path) {
    sarrus_result_info info;
    assert_int_equal(sarrus_result_info_read(context, path, &info), SARRUS_OK);
    return info.n_times;
}

static bool is_there(const char *path) {
    struct stat about;
    return lstat(path, &about) == 0;
}

/* The name `before` + leaf + `after` beside the result. */
static const char *beside(const char *before, const char *after) {
    static char name[300];
    const char *leaf = strrchr(f->path, '/') + 1;
    snprintf(name, sizeof name, "%.*s%s%s%s", (int)(leaf - f->path), f->path, before, leaf, after);
    return name;
}

static void text_put(const char *path, const char *text) {
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

/* The sink refuses the name for a reason that holds `words`. */
static void assert_refused(sarrus_status wanted, bool keeps_complete, const char *words) {
    sarrus_sink_description description = fixture_description(f);
    description.keeps_complete = keeps_complete;
    sarrus_sink *sink = NULL;
    sarrus_context_clear(context);
    assert_int_equal(sarrus_sink_create(context, f->path, &description, &sink), wanted);
    assert_int_equal(sarrus_context_n_diagnostics(context), 1);
    assert_non_null(strstr(sarrus_context_diagnostic(context, 0)->message, words));
    sarrus_context_clear(context);
    assert_int_equal(sarrus_result_path_check(context, f->path, keeps_complete), wanted);
    assert_non_null(strstr(sarrus_context_diagnostic(context, 0)->message, words));
    assert_false(is_there(f->partial));
    assert_false(is_there(beside(".", ".new")));
}

static void what_is_no_result_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {{"sarrus: 1\nspace: planar\n", "this file is a scenario"},
                 {"# a note\nsarrus: 1\n", "this file is a scenario"},
                 {"sarrus_format\n", "not a result of Sarrus"},
                 {"\x89HDF\r\n\x1a\n of another program", "an HDF5 file, but not a result"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        struct stat about;
        text_put(f->path, cases[i].text);
        assert_refused(SARRUS_BAD_ARGUMENT, false, cases[i].words);
        assert_int_equal(stat(f->path, &about), 0);
        assert_int_equal(about.st_size, strlen(cases[i].text));
    }
    text_put(f->path, ""); /* as mktemp leaves it */
    result_put(60);
    assert_int_equal(times_in(f->path), 60);
}

/* Something of somebody else is not written over at any of the names that a run uses, whether or not it names a process. */
static void what_is_in_the_way_stays(void **state) {
    (void)state;
    static const char *const names[][2] = {{"", ".partial"}, {".", ".lock"}, {".", ".new"}, {"", ".partial~"}};
    static const char *const texts[] = {"precious", "sarrus: 1\nspace: planar\n", "12 elsewhere\nand more\n"};
    const sarrus_sink_description description = fixture_description(f);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; ++k) {
            sarrus_sink *sink = NULL;
            struct stat about;
            result_put(60);
            if (i == 3) {
                assert_int_equal(rename(f->path, f->partial), 0); /* what would be put aside */
            }
            text_put(beside(names[i][0], names[i][1]), texts[k]);
            sarrus_context_clear(context);
            assert_int_equal(sarrus_sink_create(context, f->path, &description, &sink), SARRUS_BAD_ARGUMENT);
            assert_non_null(strstr(sarrus_context_diagnostic(context, 0)->message, " is in the way"));
            assert_int_equal(stat(beside(names[i][0], names[i][1]), &about), 0);
            assert_int_equal(about.st_size, strlen(texts[k]));
            assert_int_equal(unlink(beside(names[i][0], names[i][1])), 0);
            assert_false(is_there(beside(".", ".new")) || is_there(beside(".", ".lock")));
        }
    }
}

/* They are not to be had as names of results. */
static void the_names_of_unfinished_results_are_refused(void **state) {
    (void)state;
    sarrus_context_clear(context);
    assert_int_equal(sarrus_result_path_check(context, f->partial, 0), SARRUS_BAD_ARGUMENT);
    assert_non_null(strstr(sarrus_context_diagnostic(context, 0)->message, "unfinished results"));
    assert_int_equal(sarrus_result_path_check(context, beside("", ".partial~"), 0), SARRUS_BAD_ARGUMENT);
}

/* A complete result that came to the name while the run went on is one to be kept, too. */
static void a_complete_result_that_came_meanwhile_can_be_kept(void **state) {
    (void)state;
    const char *other = beside("other_", "");
    char moved[300];
    snprintf(moved, sizeof moved, "%s", other);
    result_put(60);
    assert_int_equal(rename(f->path, moved), 0);
    sarrus_sink_description description = fixture_description(f);
    description.keeps_complete = true;
    sarrus_sink *sink = NULL;
    assert_int_equal(sarrus_sink_create(context, f->path, &description, &sink), SARRUS_OK);
    assert_int_equal(fixture_write(f, sink, 20), SARRUS_OK);
    assert_int_equal(rename(moved, f->path), 0);
    assert_int_equal(sink_end(sink, true), SARRUS_SINK_FAILED);
    assert_int_equal(times_in(f->path), 60);
    assert_int_equal(times_in(f->partial), 20);
}

static void a_complete_result_can_be_kept(void **state) {
    (void)state;
    result_put(20); /* not complete */
    assert_int_equal(sarrus_result_path_check(context, f->path, 1), SARRUS_OK);
    result_put(60);
    assert_refused(SARRUS_BAD_ARGUMENT, true, "complete result");
    assert_int_equal(sarrus_result_path_check(context, f->path, 0), SARRUS_OK);
    assert_int_equal(truncate(f->path, 5000), 0); /* nobody can tell whether that was complete */
    assert_refused(SARRUS_BAD_ARGUMENT, true, "cannot be read");
    result_put(60);
    assert_int_equal(times_in(f->path), 60);
}

static void the_old_result_stays_until_the_end(void **state) {
    (void)state;
    result_put(60);
    assert_int_equal(chmod(f->path, 0640), 0);
    sarrus_sink *sink = sink_open();
    assert_int_equal(times_in(f->path), 60);
    assert_int_equal(times_in(f->partial), 0);
    assert_int_equal(fixture_write(f, sink, 20), SARRUS_OK);
    assert_int_equal(times_in(f->path), 60);
    assert_int_equal(sink_end(sink, false), SARRUS_OK);
    assert_int_equal(times_in(f->path), 20);
    struct stat about;
    assert_int_equal(stat(f->path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0640); /* who may read the old one may read the new one */
    assert_false(is_there(f->partial));
    assert_false(is_there(beside(".", ".lock")));
    assert_false(is_there(beside(".", ".new")));
}

static void a_run_that_fails_leaves_the_old_result(void **state) {
    (void)state;
    result_put(60);
    sarrus_sink *sink = sink_open();
    assert_int_equal(fixture_write(f, sink, 20), SARRUS_OK);
    assert_int_equal(sarrus_sink_close(sink, context, NULL), SARRUS_OK);
    assert_string_equal(sarrus_sink_left(sink), f->partial);
    sarrus_sink_destroy(sink);
    assert_int_equal(times_in(f->path), 60);
    assert_int_equal(times_in(f->partial), 20);
}

static void nothing_is_left_of_a_run_without_times(void **state) {
    (void)state;
    result_put(60);
    assert_int_equal(sink_end(sink_open(), false), SARRUS_OK);
    assert_int_equal(times_in(f->path), 60);
    assert_false(is_there(f->partial));
    sarrus_sink_destroy(sink_open());
    assert_false(is_there(f->partial));
}

static void what_an_earlier_run_has_left_is_put_aside(void **state) {
    (void)state;
    sarrus_sink *sink = sink_open();
    assert_int_equal(fixture_write(f, sink, 30), SARRUS_OK);
    sarrus_sink_destroy(sink);
    assert_int_equal(times_in(f->partial), 30);
    sarrus_context_clear(context);
    sink = sink_open();
    assert_int_equal(sarrus_context_n_diagnostics(context), 1);
    assert_int_equal(sarrus_context_diagnostic(context, 0)->severity, SARRUS_NOTE);
    assert_non_null(strstr(sarrus_context_diagnostic(context, 0)->message, ".partial~"));
    assert_int_equal(times_in(f->partial), 0);
    assert_int_equal(times_in(beside("", ".partial~")), 30);
    sarrus_sink_destroy(sink);
}

static void two_writers_never_have_one_name(void **state) {
    (void)state;
    char owner[40];
    sarrus_sink *sink = sink_open();
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char message[600] = "";
        const sarrus_sink_description description = fixture_description(f);
        sarrus_sink *second = NULL;
        snprintf(owner, sizeof owner, "process %ld is writing", (long)getppid());
        const sarrus_status status = sarrus_sink_create(context, f->path, &description, &second);
        const sarrus_diagnostic *first = sarrus_context_diagnostic(context, 0);
        snprintf(message, sizeof message, "%s", first != NULL ? first->message : "");
        const bool is_looked_at = sarrus_result_path_check(context, f->path, 0) == SARRUS_BAD_ARGUMENT;
        _exit(status == SARRUS_BAD_ARGUMENT && strstr(message, owner) != NULL && is_looked_at ? 0 : 1);
    }
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    /* the same from this process */
    const sarrus_sink_description description = fixture_description(f);
    sarrus_sink *second = NULL;
    assert_int_equal(sarrus_sink_create(context, f->path, &description, &second), SARRUS_BAD_ARGUMENT);
    assert_int_equal(fixture_write(f, sink, 60), SARRUS_OK);
    assert_int_equal(sink_end(sink, true), SARRUS_OK);
    assert_int_equal(times_in(f->path), 60);
}

/* What the dead leave blocks nobody: a lock file that names a process, a hidden file. */
static void a_stale_lock_blocks_nobody(void **state) {
    (void)state;
    text_put(beside(".", ".lock"), "1 elsewhere\n");
    text_put(beside(".", ".new"), "\x89HDF\r\n\x1a\n half a file");
    assert_int_equal(sarrus_result_path_check(context, f->path, 0), SARRUS_OK);
    result_put(60);
    assert_int_equal(times_in(f->path), 60);
    assert_false(is_there(beside(".", ".lock")));
    assert_false(is_there(beside(".", ".new")));
}

typedef enum harm { HARM_REMOVED, HARM_RENAMED, HARM_REPLACED, HARM_CUT, HARM_EMPTIED, HARM_LENGTHENED, N_HARMS } harm;

static void do_harm(harm what) {
    struct stat about;
    assert_int_equal(stat(f->partial, &about), 0);
    const bool is_removed = what == HARM_REMOVED || what == HARM_REPLACED;
    assert_int_equal(is_removed ? unlink(f->partial) : 0, 0);
    assert_int_equal(what == HARM_RENAMED ? rename(f->partial, beside("", ".partial~")) : 0, 0);
    if (what == HARM_REPLACED) {
        text_put(f->partial, "of somebody else");
    }
    if (what >= HARM_CUT) {
        const off_t size = what == HARM_CUT ? about.st_size - 3000 : what == HARM_EMPTIED ? 0 : about.st_size + 1000000;
        assert_int_equal(truncate(f->partial, size), 0);
    }
}

/* Before the second block, so that blocks follow which would hide what was done, or after the last. */
static void a_file_that_others_touch_is_no_success(void **state) {
    (void)state;
    for (int k = 0; k < 2 * N_HARMS; ++k) {
        if (k == 2 * HARM_LENGTHENED) {
            continue; /* what is written then goes over it: no harm */
        }
        const uint64_t n_before = k % 2 ? 60 : 10;
        result_put(20);
        sarrus_context_clear(context);
        sarrus_sink *sink = sink_open();
        assert_int_equal(fixture_write(f, sink, 10), SARRUS_OK);
        if (n_before == 60) {
            while (times_in(f->partial) < 10) { /* the block is on its way */
            }
        }
        do_harm((harm)(k / 2));
        sarrus_status status = SARRUS_OK;
        for (uint64_t t = 10; t < 60 && n_before == 10 && status == SARRUS_OK; t += 10) {
            sarrus_sink_block block;
            status = sarrus_sink_acquire(sink, 0, &block);
            if (status == SARRUS_OK) {
                fixture_fill(f, &block);
                status = sarrus_sink_submit(sink, 0, block.n_times, NULL);
            }
        }
        assert_true(status == SARRUS_OK || status == SARRUS_SINK_FAILED);
        assert_int_equal(sink_end(sink, true), SARRUS_SINK_FAILED);
        assert_int_equal(sarrus_context_n_errors(context), 1);
        assert_int_equal(times_in(f->path), 20);
        unlink(f->partial);
        unlink(beside("", ".partial~"));
    }
}

/* Something of somebody else that came to the name while the run went on stays, and so does the result. */
static void a_file_that_came_meanwhile_stays(void **state) {
    (void)state;
    sarrus_sink *sink = sink_open();
    assert_int_equal(fixture_write(f, sink, 60), SARRUS_OK);
    text_put(f->path, "sarrus: 1\n");
    assert_int_equal(sink_end(sink, true), SARRUS_SINK_FAILED);
    struct stat about;
    assert_int_equal(stat(f->path, &about), 0);
    assert_int_equal(about.st_size, 10);
    assert_int_equal(times_in(f->partial), 60);
}

/* A link stays one; what it names is replaced, and written beside itself. */
static void links_are_written_through(void **state) {
    (void)state;
    char folder[] = "/tmp/sarrus_links_XXXXXX", link[64], name[64], target[64];
    assert_non_null(mkdtemp(folder));
    snprintf(link, sizeof link, "%s/link.h5", folder);
    snprintf(name, sizeof name, "%s/to", folder);
    snprintf(target, sizeof target, "%s/to/real.h5", folder);
    assert_int_equal(mkdir(name, 0700), 0);
    assert_int_equal(symlink("to/real.h5", link), 0);
    for (uint64_t n_times = 60; n_times > 0; n_times -= 30) {
        snprintf(f->path, sizeof f->path, "%s", link);
        result_put(n_times);
        struct stat about;
        assert_true(lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
        assert_true(lstat(target, &about) == 0 && S_ISREG(about.st_mode));
        assert_int_equal(times_in(target), n_times);
    }
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink("link.h5", link), 0);
    assert_int_equal(sarrus_result_path_check(context, link, 0), SARRUS_IO);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(unlink(target), 0);
    assert_int_equal(rmdir(name), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_no_result_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(what_is_in_the_way_stays, begin, end),
        cmocka_unit_test_setup_teardown(the_names_of_unfinished_results_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_complete_result_can_be_kept, begin, end),
        cmocka_unit_test_setup_teardown(a_complete_result_that_came_meanwhile_can_be_kept, begin, end),
        cmocka_unit_test_setup_teardown(the_old_result_stays_until_the_end, begin, end),
        cmocka_unit_test_setup_teardown(a_run_that_fails_leaves_the_old_result, begin, end),
        cmocka_unit_test_setup_teardown(nothing_is_left_of_a_run_without_times, begin, end),
        cmocka_unit_test_setup_teardown(what_an_earlier_run_has_left_is_put_aside, begin, end),
        cmocka_unit_test_setup_teardown(two_writers_never_have_one_name, begin, end),
        cmocka_unit_test_setup_teardown(a_stale_lock_blocks_nobody, begin, end),
        cmocka_unit_test_setup_teardown(a_file_that_others_touch_is_no_success, begin, end),
        cmocka_unit_test_setup_teardown(a_file_that_came_meanwhile_stays, begin, end),
        cmocka_unit_test_setup_teardown(links_are_written_through, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
