#include "bench/pinv/peers.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lapacke.h>

#include "core/crew.h"
#include "bench/measure/measure.h"

extern char **environ;

enum { N_WORK_VECTORS = 80, MAX_LINE = 256 };

/* Scratch of one thread. */
typedef struct lapack_scratch {
    double *a, *u, *vt; /* [side][side] */
    double *s, *b;      /* [side] */
    double *work;       /* [n_work] */
    lapack_int *i_work; /* also pivots */
    lapack_int n_work;
} lapack_scratch;

static void scratch_free(lapack_scratch *scratch) {
    free(scratch->a);
    free(scratch->i_work);
}

/* One block: generous, so that no routine falls back to small blocks. */
static bool scratch_create(int side, lapack_scratch *out) {
    const size_t n = (size_t)side, n_work = n * (4 * n + N_WORK_VECTORS) + 4096;
    out->a = malloc((3 * n * n + 2 * n + n_work) * sizeof *out->a);
    out->i_work = malloc((64 * n + 1024) * sizeof *out->i_work);
    if (out->a == NULL || out->i_work == NULL) {
        scratch_free(out);
        return false;
    }
    out->u = out->a + n * n;
    out->vt = out->u + n * n;
    out->s = out->vt + n * n;
    out->b = out->s + n;
    out->work = out->b + n;
    out->n_work = (lapack_int)n_work;
    return true;
}

/* Of the reference BLAS; the lengths of the two words come last. */
void dgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k, const double *alpha, const double *a,
            const int *a_rows, const double *b, const int *b_rows, const double *beta, double *c, const int *c_rows, size_t n_op_a,
            size_t n_op_b);

/* X = A⁺. LAPACK reads the row-major A by columns, as Aᵀ = U Σ Vᵀ. Then A⁺ = U Σ⁺ Vᵀ, and X by columns is its transpose V Σ⁺ Uᵀ:
 * nothing has to be transposed. */
static lapack_int run_dgesdd(int n, const double *a, lapack_scratch *s, double *x) {
    memcpy(s->a, a, (size_t)n * (size_t)n * sizeof *a);
    const lapack_int info =
        LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', n, n, s->a, n, s->s, s->u, n, s->vt, n, s->work, s->n_work, s->i_work);
    int rank = 0;
    while (rank < n && s->s[rank] > sarrus_bench_speed_tolerance * s->s[0]) {
        for (int i = 0; i < n; ++i)
            s->u[rank * n + i] /= s->s[rank];
        rank++;
    }
    const double one = 1.0, zero = 0.0;
    dgemm_("T", "T", &n, &n, &rank, &one, s->vt, &n, s->u, &n, &zero, x, &n, 1, 1);
    return info;
}

static lapack_int run_least_squares(sarrus_bench_peer peer, int n, const double *a, const double *b, lapack_scratch *s, double *x) {
    lapack_int rank = 0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j)
            s->a[i + j * n] = a[i * n + j];
        x[i] = b[i];
    }
    if (peer == SARRUS_BENCH_PEER_DGELSD) {
        return LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, n, n, 1, s->a, n, x, n, s->s, sarrus_bench_speed_tolerance, &rank, s->work,
                                   s->n_work, s->i_work);
    }
    memset(s->i_work, 0, (size_t)n * sizeof *s->i_work);
    return LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, n, n, 1, s->a, n, x, n, s->i_work, sarrus_bench_speed_tolerance, &rank, s->work,
                               s->n_work);
}

/* What the threads of one call share. */
typedef struct lapack_job {
    sarrus_bench_peer peer;
    const sarrus_bench_matrices *matrices;
    uint64_t n_matrices;
    atomic_bool has_failed;
} lapack_job;

static void matrices_run(void *user, int i_member, int n_members) {
    lapack_job *job = user;
    const int side = job->matrices->side;
    const size_t n = (size_t)side;
    const sarrus_crew_share share = sarrus_crew_share_of(job->n_matrices, i_member, n_members);
    lapack_scratch scratch;
    const bool is_ready = scratch_create(side, &scratch);
    bool good = is_ready;
    for (uint64_t i = share.i_first; good && i < share.i_end; ++i) {
        const double *a = job->matrices->a + i * n * n, *b = job->matrices->b + i * n;
        good = (job->peer == SARRUS_BENCH_PEER_DGESDD
                    ? run_dgesdd(side, a, &scratch, job->matrices->x + i * n * n)
                    : run_least_squares(job->peer, side, a, b, &scratch, job->matrices->x + i * n)) == 0;
    }
    if (is_ready)
        scratch_free(&scratch);
    if (!good)
        job->has_failed = true;
}

bool sarrus_bench_lapack_run(sarrus_bench_peer peer, const sarrus_bench_matrices *matrices, uint64_t n_matrices, int n_threads) {
    lapack_job job = {.peer = peer, .matrices = matrices, .n_matrices = n_matrices};
    sarrus_crew *crew = NULL;
    if (sarrus_crew_create(NULL, n_threads, 0, &crew) != SARRUS_OK)
        return false;
    sarrus_crew_run(crew, n_threads, matrices_run, &job);
    sarrus_crew_destroy(crew);
    return !job.has_failed;
}

/* --- NumPy ------------------------------------------------------------------------------------------------------------ */

/* One line of the answer without its end; false when there is none. */
static bool read_line(sarrus_bench_numpy *numpy, char line[MAX_LINE]) {
    if (numpy->process == 0 || fgets(line, MAX_LINE, numpy->from) == NULL)
        return false;
    line[strcspn(line, "\n")] = '\0';
    return true;
}

static bool start_process(int n_threads, const int to[2], const int from[2], pid_t *process) {
    char threads[48], blas_threads[48], venv[SARRUS_BENCH_MAX_PATH], script[SARRUS_BENCH_MAX_PATH];
    sarrus_bench_source_path(".venv/bin/python3", venv);
    sarrus_bench_source_path("bench/peers/numpy_pinv.py", script);
    snprintf(threads, sizeof threads, "OMP_NUM_THREADS=%d", n_threads);
    snprintf(blas_threads, sizeof blas_threads, "OPENBLAS_NUM_THREADS=%d", n_threads);
    const char *python = access(venv, X_OK) == 0 ? venv : "python3";
    char *const argv[] = {(char[]){"env"}, threads, blas_threads, strdup(python), strdup(script), NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    const bool good = argv[3] != NULL && argv[4] != NULL && posix_spawnp(process, argv[0], &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    free(argv[3]);
    free(argv[4]);
    return good;
}

void sarrus_bench_numpy_start(int n_threads, sarrus_bench_numpy *out) {
    int to[2] = {-1, -1}, from[2] = {-1, -1};
    char line[MAX_LINE] = "";
    *out = (sarrus_bench_numpy){.version = "left out: python3 has no NumPy"};
    /* A peer that dies must not take us along. */
    signal(SIGPIPE, SIG_IGN);
    if (pipe2(to, O_CLOEXEC) != 0)
        return;
    if (pipe2(from, O_CLOEXEC) != 0) {
        close(to[0]);
        close(to[1]);
        return;
    }
    const bool is_started = start_process(n_threads, to, from, &out->process);
    close(to[0]);
    close(from[1]);
    out->to = fdopen(to[1], "w");
    out->from = fdopen(from[0], "r");
    if (is_started && read_line(out, line)) {
        snprintf(out->version, sizeof out->version, "NumPy %.*s", 30, line);
        return;
    }
    sarrus_bench_numpy_stop(out);
}

void sarrus_bench_numpy_stop(sarrus_bench_numpy *numpy) {
    if (numpy->to != NULL)
        fclose(numpy->to);
    if (numpy->from != NULL)
        fclose(numpy->from);
    if (numpy->process > 0) {
        waitpid(numpy->process, NULL, 0); /* the end of its input ends it */
    }
    numpy->to = numpy->from = NULL;
    numpy->process = 0;
}

bool sarrus_bench_numpy_load(sarrus_bench_numpy *numpy, const sarrus_bench_matrices *matrices, uint64_t count) {
    char line[MAX_LINE];
    const size_t n_values = (size_t)count * (size_t)matrices->side * (size_t)matrices->side;
    if (numpy->process == 0)
        return false;
    fprintf(numpy->to, "load %zu %d %.17g\n", (size_t)count, matrices->side, sarrus_bench_speed_tolerance);
    const bool is_sent = fwrite(matrices->a, sizeof *matrices->a, n_values, numpy->to) == n_values && fflush(numpy->to) == 0;
    return is_sent && read_line(numpy, line) && strcmp(line, "ok") == 0;
}

double sarrus_bench_numpy_time(sarrus_bench_numpy *numpy, double seconds, int n_parts) {
    char line[MAX_LINE];
    if (numpy->process == 0)
        return (double)NAN;
    fprintf(numpy->to, "time %.17g %d\n", seconds, n_parts);
    return fflush(numpy->to) == 0 && read_line(numpy, line) ? strtod(line, NULL) : (double)NAN;
}

bool sarrus_bench_numpy_result(sarrus_bench_numpy *numpy, size_t n_values, double *x) {
    if (numpy->process == 0)
        return false;
    fprintf(numpy->to, "result %zu\n", n_values);
    return fflush(numpy->to) == 0 && fread(x, sizeof *x, n_values, numpy->from) == n_values;
}
