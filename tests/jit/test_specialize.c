/* From sources to kernels in this process, with a unit that is quickly compiled, and with compilers that misbehave. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "jit/cache_folder.h"
#include "jit/specialize.h"
#include "sarrus/sarrus.h"

/* ANSWER comes from the plan's text. */
static const char unit_text[] =
    "#include \"kernels/cpu/kernels.h\"\n"
    "#include \"sarrus_constant_plan.h\"\n"
    "static uint64_t advance(sarrus_kernel_call *call, const sarrus_clock *clock, uint64_t n_steps) {\n"
    "    (void)call; (void)clock; return n_steps + ANSWER;\n"
    "}\n"
    "#ifndef ABI\n#define ABI SARRUS_SPECIALIZED_ABI\n#endif\n"
    "#ifndef KEY\n#define KEY SARRUS_SPECIALIZED_KEY\n#endif\n"
    "const sarrus_specialized sarrus_specialized_kernels = {ABI, KEY, SARRUS_LANE_WIDTH + WIDER, advance};\n";
static const char plan_text[] = "enum { ANSWER = 42, WIDER = 0 };\n";

enum { MAX_SOURCES = 200 };
static sarrus_source_text sources[MAX_SOURCES];

static sarrus_specializer_request request_make(const char *folder, sarrus_specialize mode) {
    size_t n = 0;
    assert_true(sarrus_n_embedded_sources + 2 <= MAX_SOURCES);
    for (; n < sarrus_n_embedded_sources; ++n)
        sources[n] = sarrus_embedded_sources[n];
    sources[n++] = (sarrus_source_text){"unread.h", (const unsigned char *)"", 0};
    sources[n++] = (sarrus_source_text){"unit.c", (const unsigned char *)unit_text, strlen(unit_text)};
    return (sarrus_specializer_request){
        .mode = mode,
        .cache_dir = path_in(folder, "cache"),
        .sources = sources,
        .n_sources = n,
        .unit = "unit.c",
        .plan_text = plan_text,
        .isa = "baseline",
        .width = 2,
        .expected_seconds = 1.0,
        .saved_share = 0.5,
        .max_seconds = 60.0,
        .max_memory_bytes = UINT64_C(4) << 30,
        .max_cache_bytes = UINT64_C(1) << 30,
    };
}

static double clock_seconds(void) {
    struct timespec now;
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void no_child_is_left(void) {
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static sarrus_specializer *made(const sarrus_specializer_request *request, sarrus_specialization *told) {
    sarrus_specializer *specializer = sarrus_specializer_create(request);
    assert_non_null(specializer);
    sarrus_specializer_report(specializer, told);
    return specializer;
}

/* Asks for kernels at once; they come, and give `answer` for no steps. */
static sarrus_specialization comes(const sarrus_specializer_request *request, uint64_t answer) {
    sarrus_specialization told;
    sarrus_specializer *specializer = made(request, &told);
    if (told.state != SARRUS_SPECIALIZATION_READY)
        fail_msg("%s: %s", sarrus_specialization_state_word(told.state), told.note);
    assert_string_equal(told.note, "");
    assert_true(sarrus_specializer_advance(specializer)(NULL, NULL, 0) == answer);
    sarrus_specializer_destroy(specializer);
    return told;
}

/* Asks for kernels at once; they do not come, for this reason, and nothing is left behind. */
static void fails(const sarrus_specializer_request *request, const char *reason) {
    sarrus_specialization told;
    sarrus_specializer *specializer = made(request, &told);
    assert_int_equal(told.state, SARRUS_SPECIALIZATION_FAILED);
    if (strstr(told.note, reason) == NULL)
        fail_msg("'%s' says nothing of '%s'", told.note, reason);
    assert_null(sarrus_specializer_advance(specializer));
    assert_false(sarrus_specializer_is_busy(specializer));
    sarrus_specializer_destroy(specializer);
    no_child_is_left();
    if (request->cache_dir != NULL)
        assert_true(entries_count(request->cache_dir, "") <= 0);
}

/* A shell script as the compiler. */
static const char *script(const char *folder, const char *text) {
    const char *path = path_in(folder, "compiler");
    char whole[2048];
    snprintf(whole, sizeof whole, "#!/bin/sh\n%s\n", text);
    text_write(path, whole, 0700);
    return path;
}

static void kernels_are_compiled_once(void **state) {
    const sarrus_specializer_request request = request_make(*state, SARRUS_SPECIALIZE_ON);
    sarrus_specialization told = comes(&request, 42);
    assert_int_equal(told.is_from_cache, 0);
    assert_true(told.compile_seconds > 0.0 && told.ready_seconds >= told.compile_seconds);
    told = comes(&request, 42);
    assert_int_equal(told.is_from_cache, 1);
    assert_true(told.compile_seconds == 0.0);
    assert_int_equal(entries_count(request.cache_dir, ""), 1);
    sarrus_specializer_request automatic = request_make(*state, SARRUS_SPECIALIZE_AUTO);
    assert_int_equal(comes(&automatic, 42).is_from_cache, 1); /* what is there costs nothing */
    no_child_is_left();
}

/* Two at once, of different plans: the loader must not take one for the other. */
static void objects_are_not_mixed_up(void **state) {
    sarrus_specialization told;
    sarrus_specializer_request request = request_make(*state, SARRUS_SPECIALIZE_ON);
    sarrus_specializer *first = made(&request, &told);
    request.plan_text = "enum { ANSWER = 7, WIDER = 0 };\n";
    sarrus_specializer *second = made(&request, &told);
    assert_true(sarrus_specializer_advance(first)(NULL, NULL, 1) == 43);
    assert_true(sarrus_specializer_advance(second)(NULL, NULL, 1) == 8);
    sarrus_specializer_destroy(first);
    request.plan_text = plan_text;
    first = made(&request, &told);
    assert_int_equal(told.is_from_cache, 1);
    assert_true(sarrus_specializer_advance(first)(NULL, NULL, 1) == 43);
    sarrus_specializer_destroy(first);
    sarrus_specializer_destroy(second);
}

/* Whatever goes into an object tells it from others. */
static void every_difference_makes_another_object(void **state) {
    sarrus_specializer_request request = request_make(*state, SARRUS_SPECIALIZE_ON);
    (void)comes(&request, 42);
    request.plan_text = "enum { ANSWER = 43, WIDER = 0 };\n";
    assert_int_equal(comes(&request, 43).is_from_cache, 0);
    request.plan_text = plan_text;
    request.width = 4;
    assert_int_equal(comes(&request, 42).is_from_cache, 0);
    request.width = 2;
    sources[sarrus_n_embedded_sources].text = (const unsigned char *)"\n"; /* what no other includes counts as well */
    sources[sarrus_n_embedded_sources].length = 1;
    assert_int_equal(comes(&request, 42).is_from_cache, 0);
    request.compiler = script(*state, "exec cc \"$@\"");
    assert_int_equal(comes(&request, 42).is_from_cache, 0);
    assert_int_equal(entries_count(request.cache_dir, ""), 5);
}

static void an_altered_object_is_compiled_again(void **state) {
    const sarrus_specializer_request request = request_make(*state, SARRUS_SPECIALIZE_ON);
    (void)comes(&request, 42);
    DIR *listing = opendir(request.cache_dir);
    for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        if (entry->d_name[0] == '.')
            continue;
        const int file = openat(dirfd(listing), entry->d_name, O_WRONLY);
        assert_int_equal(pwrite(file, "altered", 7, 4000), 7);
        assert_int_equal(close(file), 0);
    }
    closedir(listing);
    assert_int_equal(comes(&request, 42).is_from_cache, 0);
    assert_int_equal(comes(&request, 42).is_from_cache, 1);
}

static void without_a_compiler_there_is_a_note(void **state) {
    sarrus_specializer_request request = request_make(*state, SARRUS_SPECIALIZE_ON);
    request.compiler = "cc_of_no_system";
    fails(&request, "no C compiler (cc_of_no_system) was found");
    request.compiler = "/no/such/compiler";
    fails(&request, "no C compiler (/no/such/compiler) was found");
    request.compiler = "/tmp";
    fails(&request, "no C compiler (/tmp) was found");
}

static void a_failing_compiler_is_quoted(void **state) {
    sarrus_specializer_request request = request_make(*state, SARRUS_SPECIALIZE_ON);
    request.plan_text = "#error \"no such plan\"\n";
    fails(&request, "no such plan");
    request.compiler = script(*state, "echo something happened; printf '\\033[31mfatal \\001error: color'; exit 3");
    fails(&request, "failed:  [31mfatal  error: color"); /* nothing that a terminal would act upon */
    request.compiler = script(*state, "exit 3");
    fails(&request, "exit code 3");
    request.compiler = script(*state, "kill -SEGV $$");
    fails(&request, "signal 11");
}

static void a_compiler_that_makes_no_kernels_is_found_out(void **state) {
    sarrus_specializer_request request = request_make(*state, SARRUS_SPECIALIZE_ON);
    request.compiler = script(*state, "exit 0");
    fails(&request, "has made no object");
    request.compiler = script(*state, "echo this is no object at all > object.so");
    fails(&request, "is no whole library");
    request.compiler = script(*state, "ln -s /bin/sh object.so");
    fails(&request, "has made no object");
    request.compiler = NULL;
    request.plan_text = "enum { ANSWER = 42, WIDER = 1 };\n";
    fails(&request, "other kernels than expected");
    request.plan_text = "enum { ANSWER = 42, WIDER = 0 };\n#define ABI 0\n";
    fails(&request, "other kernels than expected");
    request.plan_text = "enum { ANSWER = 42, WIDER = 0 };\n#define KEY \"another\"\n";
    fails(&request, "other kernels than expected");
    request.plan_text = "enum { ANSWER = 42, WIDER = 0 };\n#define sarrus_specialized_kernels another\n";
    fails(&request, "does not export its kernels");
}

/* A disk that is full: the loader would map segments that lie behind the end of the file. */
static void a_library_that_is_cut_short_is_found_out(void **state) {
    static const int cuts[] = {40, 100, 1000, 5000, 9000};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; ++i) {
        sarrus_specializer_request request = request_make(*state, SARRUS_SPECIALIZE_ON);
        char text[100];
        (void)snprintf(text, sizeof text, "cc \"$@\" && truncate -s %d object.so", cuts[i]);
        request.compiler = script(*state, text);
        fails(&request, "is no whole library");
    }
}

static void a_compiler_that_hangs_is_ended(void **state) {
    sarrus_specializer_request request = request_make(*state, SARRUS_SPECIALIZE_ON);
    request.compiler = script(*state, "trap '' TERM INT HUP; sleep 1000 & sleep 1000");
    request.max_seconds = 0.2;
    const double began = clock_seconds();
    fails(&request, "took longer than 0.2 s");
    assert_true(clock_seconds() - began < 30.0);
}

static void a_compiler_is_bounded_in_memory(void **state) {
    sarrus_specializer_request request = request_make(*state, SARRUS_SPECIALIZE_ON);
    char text[512];
    snprintf(text, sizeof text, "sleep 0.3; ulimit -v > '%s'; exit 3", path_in(*state, "limit"));
    request.compiler = script(*state, text);
    fails(&request, "exit code 3");
    FILE *file = fopen(path_in(*state, "limit"), "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, "4194304\n"); /* KiB */
    request.compiler = NULL;
    request.max_memory_bytes = UINT64_C(1) << 24;
    request.plan_text = "enum { ANSWER = 42, WIDER = 0 };\n"
                        "#define A 1,1,1,1,1,1,1,1\n#define B A,A,A,A,A,A,A,A\n#define C B,B,B,B,B,B,B,B\n"
                        "#define D C,C,C,C,C,C,C,C\n#define E D,D,D,D,D,D,D,D\n#define F E,E,E,E,E,E,E,E\n"
                        "static const double much[] = {F,F,F,F};\n";
    fails(&request, "the C compiler");
}

/* What the caller's environment and open files hold is none of the compiler's business. */
static void a_compiler_gets_nothing_of_ours(void **state) {
    sarrus_specializer_request request = request_make(*state, SARRUS_SPECIALIZE_ON);
    char text[1024], line[256];
    const char *seen = path_in(*state, "seen");
    assert_int_equal(setenv("SARRUS_TEST_SECRET", "1", 1), 0);
    enum { HIGH = 20 };
    const int open_file = fcntl(STDERR_FILENO, F_DUPFD, HIGH); /* without FD_CLOEXEC */
    assert_true(open_file >= HIGH);
    snprintf(text, sizeof text, "{ env; [ -e /proc/$$/fd/%d ] && echo open; [ -t 0 ] && echo terminal; pwd; } > '%s'; exit 3",
             open_file, seen);
    request.compiler = script(*state, text);
    fails(&request, "exit code 3");
    FILE *file = fopen(seen, "r");
    assert_non_null(file);
    bool is_in_cache = false;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strstr(line, "SECRET") != NULL || strcmp(line, "open\n") == 0 || strcmp(line, "terminal\n") == 0)
            fail_msg("it sees %s", line);
        is_in_cache = is_in_cache || strstr(line, "/cache/build-") != NULL;
    }
    fclose(file);
    close(open_file);
    assert_true(is_in_cache);
}

static void without_a_cache_there_is_a_note(void **state) {
    sarrus_specializer_request request = request_make(*state, SARRUS_SPECIALIZE_ON);
    request.cache_dir = NULL;
    fails(&request, "no cache folder was given");
    request.cache_dir = path_in(*state, "link");
    assert_int_equal(mkdir(path_in(*state, "real"), 0700), 0);
    assert_int_equal(symlink(path_in(*state, "real"), request.cache_dir), 0);
    fails(&request, "a symbolic link");
}

static void files_limit(rlim_t most) {
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A limit on the length of files does what a full disk does. Where the object still fits and its line behind it does not, the
 * kernels are used and not kept. */
static void a_full_disk_is_a_note(void **state) {
    struct stat is;
    sarrus_specialization told;
    char object[PATH_MAX] = "";
    sarrus_specializer_request request = request_make(*state, SARRUS_SPECIALIZE_ON);
    request.plan_text = "enum { ANSWER = 42, WIDER = 0 };\nchar bulk[200000] = {1};\n"; /* longer than every source */
    (void)signal(SIGXFSZ, SIG_IGN);
    files_limit(1000);
    fails(&request, "the sources cannot be written to the cache folder");
    files_limit(RLIM_INFINITY);
    (void)comes(&request, 42);
    DIR *listing = opendir(request.cache_dir);
    for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing))
        if (entry->d_name[0] != '.')
            snprintf(object, sizeof object, "%s/%s", request.cache_dir, entry->d_name);
    closedir(listing);
    assert_int_equal(stat(object, &is), 0);
    assert_true(is.st_size > 200000);
    assert_int_equal(unlink(object), 0);
    files_limit((rlim_t)is.st_size - 1);
    sarrus_specializer *specializer = made(&request, &told);
    files_limit(RLIM_INFINITY);
    assert_int_equal(told.state, SARRUS_SPECIALIZATION_READY);
    assert_non_null(strstr(told.note, "not kept in the cache"));
    assert_true(sarrus_specializer_advance(specializer)(NULL, NULL, 0) == 42);
    sarrus_specializer_destroy(specializer);
    assert_int_equal(entries_count(request.cache_dir, ""), 0);
}

static sarrus_specialization_state state_of(sarrus_specializer *specializer) {
    sarrus_specialization told;
    sarrus_specializer_report(specializer, &told);
    return told.state;
}

static void nothing_is_compiled_for_a_short_run(void **state) {
    const sarrus_specializer_request request = request_make(*state, SARRUS_SPECIALIZE_AUTO);
    sarrus_specializer *specializer = sarrus_specializer_create(&request);
    sarrus_specializer_consider(specializer, 0.5);
    sarrus_specializer_consider(specializer, (double)NAN);
    assert_int_equal(state_of(specializer), SARRUS_SPECIALIZATION_WAITING);
    assert_int_equal(entries_count(request.cache_dir, ""), 0);
    sarrus_specializer_destroy(specializer);
}

/* What a thread of kernels does: it asks before every portion, and the answer changes once. */
static void *portions_make(void *specializer) {
    const double began = clock_seconds();
    while (sarrus_specializer_advance(specializer) == NULL && clock_seconds() - began < 60.0)
        (void)sarrus_specializer_needs_processor(specializer);
    sarrus_advance_function *advance = sarrus_specializer_advance(specializer);
    return advance != NULL && advance(NULL, NULL, 8) == 50 ? specializer : NULL;
}

static void kernels_come_while_others_work(void **state) {
    const sarrus_specializer_request request = request_make(*state, SARRUS_SPECIALIZE_AUTO);
    sarrus_specializer *specializer = sarrus_specializer_create(&request);
    pthread_t workers[2];
    assert_null(sarrus_specializer_advance(specializer));
    sarrus_specializer_consider(specializer, 1000.0);
    assert_int_not_equal(state_of(specializer), SARRUS_SPECIALIZATION_WAITING);
    for (int i = 0; i < 2; ++i)
        assert_int_equal(pthread_create(&workers[i], NULL, portions_make, specializer), 0);
    for (int i = 0; i < 2; ++i) {
        void *result = NULL;
        assert_int_equal(pthread_join(workers[i], &result), 0);
        assert_ptr_equal(result, specializer);
    }
    while (sarrus_specializer_is_busy(specializer))
        (void)usleep(1000);
    assert_int_equal(state_of(specializer), SARRUS_SPECIALIZATION_READY);
    sarrus_specializer_destroy(specializer);
    assert_int_equal(entries_count(request.cache_dir, "build-"), 0);
    assert_int_equal(entries_count(request.cache_dir, ""), 1);
}

static void a_running_compiler_is_called_off(void **state) {
    sarrus_specializer_request request = request_make(*state, SARRUS_SPECIALIZE_AUTO);
    request.compiler = script(*state, "sleep 1000");
    for (int i = 0; i < 3; ++i) {
        sarrus_specializer *specializer = sarrus_specializer_create(&request);
        sarrus_specializer_consider(specializer, 1000.0);
        assert_int_equal(state_of(specializer), SARRUS_SPECIALIZATION_COMPILING);
        (void)usleep((useconds_t)(i * 30000)); /* before it was started, perhaps, and well after */
        const double began = clock_seconds();
        sarrus_specializer_destroy(specializer);
        assert_true(clock_seconds() - began < 30.0);
        no_child_is_left();
        assert_int_equal(entries_count(request.cache_dir, ""), 0);
    }
}

static const char pendulum[] = "sarrus: 1\nspace: planar\ngravity: [0, -9.81]\n"
                               "bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}]\n"
                               "joints: [{name: pin, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n"
                               "integrator: {method: rk4, dt: 1.0e-3, t_end: 1.0e+6}\n";

/* Its steps end where a call ends, since the torque may change there. */
static const char pushed[] = "sarrus: 1\nspace: planar\ngravity: [0, -9.81]\n"
                             "bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}]\n"
                             "joints: [{name: pin, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n"
                             "forces: [{name: motor, type: torque, body: rod, value: {input: 0}}]\n"
                             "integrator: {method: dopri5, dt: 1.0e-3, rtol: 1.0e-6, atol: 1.0e-8, t_end: 1.0e+6}\n"
                             "limits: {violation: off, energy: off}\n"; /* days of swinging at a coarse tolerance */

typedef struct swing {
    sarrus_context *context;
    sarrus_model *model;
    sarrus_plan *plan;
    sarrus_batch *batch; /* of 20 pendulums */
} swing;

static swing swing_begin(const char *text, const sarrus_batch_options *options) {
    swing s = {0};
    assert_int_equal(sarrus_context_create(&s.context), SARRUS_OK);
    assert_int_equal(sarrus_scenario_read_text(s.context, "p", text, strlen(text), NULL, 0, &s.model), SARRUS_OK);
    assert_int_equal(sarrus_plan_create(s.context, s.model, &s.plan), SARRUS_OK);
    assert_int_equal(sarrus_batch_create(s.context, s.plan, options, 20, NULL, &s.batch), SARRUS_OK);
    assert_int_equal(sarrus_context_n_diagnostics(s.context), 0);
    return s;
}

static void swing_end(swing *s) {
    sarrus_batch_destroy(s->batch);
    sarrus_plan_destroy(s->plan);
    sarrus_model_destroy(s->model);
    sarrus_context_destroy(s->context);
    no_child_is_left();
}

/* 400 steps: q of the last pendulum, and how it stood with the kernels. */
static sarrus_specialization pendulums_swing(const sarrus_batch_options *options, double q[3]) {
    sarrus_specialization told;
    swing s = swing_begin(pendulum, options);
    for (int i = 0; i < 4; ++i)
        assert_int_equal(sarrus_batch_advance(s.batch, 100), SARRUS_OK);
    assert_int_equal(sarrus_batch_state(s.batch, 19, q, NULL), SARRUS_OK);
    sarrus_batch_specialization(s.batch, &told);
    swing_end(&s);
    return told;
}

/* Beside a batch that never changes over: the same bits before, in and after the change, in steps and in observations. */
static void a_change_of_kernels_changes_no_bit(void **state) {
    enum { N_ROWS = 10, N_INSTANCES = 20, N = 3, N_AFTER = 5 };
    static double seen[2][N_INSTANCES][N_ROWS][N];
    sarrus_batch_options options = {.n_threads = 2};
    sarrus_specialization told = {.state = SARRUS_SPECIALIZATION_OFF};
    swing pair[2] = {swing_begin(pendulum, &options)};
    options.specialize = SARRUS_SPECIALIZE_AUTO;
    options.cache_dir = path_in(*state, "cache");
    pair[1] = swing_begin(pendulum, &options);
    const double began = clock_seconds();
    for (int n_after = 0; n_after < N_AFTER && clock_seconds() - began<100.0; n_after += told.step_share> 0.0) {
        for (int i = 0; i < 2; ++i) {
            sarrus_observation observation = {.n_times = N_ROWS, .every_steps = 30, .n_times_stride = N_ROWS};
            observation.destination[SARRUS_OBSERVE_Q] = &seen[i][0][0][0];
            assert_int_equal(sarrus_batch_observe(pair[i].batch, &observation), SARRUS_OK);
            assert_int_equal(sarrus_batch_advance(pair[i].batch, 300), SARRUS_OK);
        }
        assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
        sarrus_batch_specialization(pair[1].batch, &told);
    }
    if (told.state != SARRUS_SPECIALIZATION_READY)
        fail_msg("%s: %s", sarrus_specialization_state_word(told.state), told.note);
    assert_true(told.step_share > 0.0 && told.step_share < 1.0);
    swing_end(&pair[1]);
    swing_end(&pair[0]);
}

/* Whatever becomes of the kernels, the batch goes on and ends in the same bits. */
static void a_batch_does_not_fail_with_its_kernels(void **state) {
    double q[3], q_off[3];
    sarrus_batch_options options = {.n_threads = 2};
    sarrus_specialization told = pendulums_swing(&options, q_off);
    assert_int_equal(told.state, SARRUS_SPECIALIZATION_OFF);
    options.cache_dir = path_in(*state, "cache");
    options.compiler = script(*state, "exit 3");
    options.specialize = SARRUS_SPECIALIZE_ON;
    told = pendulums_swing(&options, q);
    assert_int_equal(told.state, SARRUS_SPECIALIZATION_FAILED);
    assert_non_null(strstr(told.note, "exit code 3"));
    assert_true(told.step_share == 0.0);
    assert_memory_equal(q, q_off, sizeof q);
    options.compiler = script(*state, "sleep 1000");
    options.specialize = SARRUS_SPECIALIZE_AUTO; /* 20 times 10⁹ steps are worth a compilation, so far as anyone can tell */
    told = pendulums_swing(&options, q);
    assert_int_equal(told.state, SARRUS_SPECIALIZATION_COMPILING);
    assert_memory_equal(q, q_off, sizeof q);
    assert_int_equal(entries_count(options.cache_dir, ""), 0);
}

/* While a compiler is waited for, calls are made in portions; where the end of a call ends a step they must not be. Some calls are
 * needed until a compilation seems to pay; the one after that is made with the compiler at work. */
static void no_step_is_cut_for_the_compiler(void **state) {
    enum { N_CALLS = 500, N_STEPS = 200000 };
    double q[2][3];
    sarrus_batch_options options = {.n_threads = 1};
    sarrus_specialization told = {.state = SARRUS_SPECIALIZATION_OFF};
    swing pair[2] = {swing_begin(pushed, &options)};
    options.specialize = SARRUS_SPECIALIZE_AUTO;
    options.cache_dir = path_in(*state, "cache");
    options.compiler = script(*state, "sleep 1000");
    pair[1] = swing_begin(pushed, &options);
    bool was_compiling = false;
    for (int call = 0; call < N_CALLS && !was_compiling; ++call) {
        was_compiling = told.state == SARRUS_SPECIALIZATION_COMPILING;
        for (int i = 0; i < 2; ++i) {
            assert_int_equal(sarrus_batch_advance(pair[i].batch, N_STEPS), SARRUS_OK);
            assert_int_equal(sarrus_batch_state(pair[i].batch, 19, q[i], NULL), SARRUS_OK);
        }
        assert_memory_equal(q[0], q[1], sizeof q[0]);
        sarrus_batch_specialization(pair[1].batch, &told);
    }
    assert_true(was_compiling);
    swing_end(&pair[1]);
    swing_end(&pair[0]);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, folder_make, folder_remove)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(kernels_are_compiled_once),
        CASE(objects_are_not_mixed_up),
        CASE(every_difference_makes_another_object),
        CASE(an_altered_object_is_compiled_again),
        CASE(without_a_compiler_there_is_a_note),
        CASE(a_failing_compiler_is_quoted),
        CASE(a_compiler_that_makes_no_kernels_is_found_out),
        CASE(a_library_that_is_cut_short_is_found_out),
        CASE(a_compiler_that_hangs_is_ended),
        CASE(a_compiler_is_bounded_in_memory),
        CASE(a_compiler_gets_nothing_of_ours),
        CASE(without_a_cache_there_is_a_note),
        CASE(a_full_disk_is_a_note),
        CASE(nothing_is_compiled_for_a_short_run),
        CASE(kernels_come_while_others_work),
        CASE(a_running_compiler_is_called_off),
        CASE(a_change_of_kernels_changes_no_bit),
        CASE(a_batch_does_not_fail_with_its_kernels),
        CASE(no_step_is_cut_for_the_compiler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
