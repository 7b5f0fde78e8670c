#include "backend/cuda/staged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/cusolver_svd.h"
#include "backend/cuda/gpu_staged.h"
#include "core/report.h"

struct sarrus_cuda_staged {
    const sarrus_gpu *gpu;
    const sarrus_gpu_staged *kernels;
    sarrus_cusolver_svd library;
    sarrus_staged_call call;
    void *numbers, *words; /* device memory that the arrays are parts of */
    int32_t *wants, *slot; /* [n_members] host copies */
    int32_t *counter;      /* [SARRUS_STAGED_N_COUNTERS] */
    int32_t n_most;        /* members */
    sarrus_cuda_staged_counts counts;
};

/* --- What can go this way ----------------------------------------------------------------------------------------------------- */

static bool is_gram(const sarrus_mechanism *mech) {
    return mech->method == SARRUS_PINV_CUSOLVER_SYEV;
}

bool sarrus_cuda_staged_is_asked(const sarrus_plan *plan) {
    return plan->mech.method == SARRUS_PINV_CUSOLVER_SVD || plan->mech.method == SARRUS_PINV_CUSOLVER_SYEV;
}

const sarrus_cusolver *sarrus_cuda_staged_library(sarrus_context *context, const sarrus_plan *plan, const char *cuda_prefixes,
                                                  sarrus_status *status) {
    const sarrus_mechanism *mech = &plan->mech;
    const char *word = sarrus_pinv_method_word((sarrus_pinv_method)mech->method);
    const sarrus_gpu *gpu = sarrus_gpu_find();
    sarrus_fallback_reason reason = {""};
    if (!gpu || !gpu->staged) {
        *status = sarrus_report(context, SARRUS_NO_BACKEND, "'pinv: %s' is not part of this build's CUDA backend", word);
        return NULL;
    }
    if (plan->relative) {
        *status =
            sarrus_report(context, SARRUS_UNSUPPORTED,
                          "'pinv: %s' solves for all rows of the bodies, and relative coordinates leave few of them; expected "
                          "'formulation: udwadia-kalaba', or another method",
                          word);
        return NULL;
    }
    if (mech->n_lacking > 0) {
        *status =
            sarrus_report(context, SARRUS_UNSUPPORTED,
                          "'pinv: %s' is for bodies that have mass and inertia in every instance; expected another method", word);
        return NULL;
    }
    if (mech->integrator.is_adaptive) {
        *status = sarrus_report(context, SARRUS_UNSUPPORTED,
                                "'pinv: %s' takes the integrators of fixed step; expected integrator.method rk4 or semi-implicit, "
                                "not %s",
                                word, sarrus_integrator_word((sarrus_integrator)mech->integrator.method));
        return NULL;
    }
    if (!is_gram(mech) && (mech->m > SARRUS_GESVDJ_LARGEST || mech->n_v > SARRUS_GESVDJ_LARGEST)) {
        *status =
            sarrus_report(context, SARRUS_UNSUPPORTED,
                          "'pinv: %s' takes matrices of at most %d rows and columns, this mechanism has %d constraint rows and "
                          "%d coordinates; expected pinv cusolver-syev or auto",
                          word, SARRUS_GESVDJ_LARGEST, mech->m, mech->n_v);
        return NULL;
    }
    const sarrus_cusolver *library = sarrus_cusolver_find(cuda_prefixes, &reason);
    if (!library)
        *status = sarrus_report(context, SARRUS_NO_BACKEND, "'pinv: %s' needs NVIDIA's cuSOLVER and cuBLAS: %s", word, reason.text);
    else if (is_gram(mech) && !(library->syev && library->syev_size))
        *status = sarrus_report(context, SARRUS_NO_BACKEND, "'pinv: %s' needs cuSOLVER of CUDA 12.6 or later", word);
    else
        return library;
    return NULL;
}

/* --- Memory ------------------------------------------------------------------------------------------------------------------- */

/* Cuts the arrays of n_members members from two blocks (NULL: only counts). */
typedef struct memory_cut {
    double *numbers;
    int32_t *words;
    size_t n_numbers, n_words;
} memory_cut;

static double *cut_numbers(memory_cut *cut, size_t n) {
    double *part = cut->numbers ? cut->numbers + cut->n_numbers : NULL;
    cut->n_numbers += n;
    return part;
}

static int32_t *cut_words(memory_cut *cut, size_t n) {
    int32_t *part = cut->words ? cut->words + cut->n_words : NULL;
    cut->n_words += n;
    return part;
}

static void arrays_cut(const sarrus_mechanism *mech, size_t n_members, memory_cut *cut, sarrus_staged_arrays *out) {
    const size_t m = (size_t)mech->m, n = (size_t)mech->n_v, M = n_members, count = m < n ? m : n;
    const bool gram = is_gram(mech);
    out->d = cut_numbers(cut, M * m * n);
    out->scratch = cut_numbers(cut, M * m * (gram ? m : n));
    out->b = cut_numbers(cut, M * m);
    out->u = cut_numbers(cut, gram ? 0 : M * m * m);
    out->v = cut_numbers(cut, gram ? 0 : M * n * n);
    out->sigma = cut_numbers(cut, M * (gram ? m : count));
    out->c = cut_numbers(cut, M * m);
    out->y = cut_numbers(cut, gram ? M * m : 0);
    out->z = cut_numbers(cut, M * n);
    out->limit = cut_numbers(cut, 4 * M);
    out->sizes = cut_numbers(cut, M * count);
    out->answer = cut_numbers(cut, SARRUS_STAGED_ANSWERS * (n + 3) * M);
    out->carry = cut_numbers(cut, 2 * M);
    out->info = cut_words(cut, M);
    out->member = cut_words(cut, M);
    out->slot = cut_words(cut, M);
    out->wants = cut_words(cut, M);
    out->n_answered = cut_words(cut, M);
    out->verdict = cut_words(cut, SARRUS_STAGED_ANSWERS * M);
    out->counter = cut_words(cut, SARRUS_STAGED_N_COUNTERS);
}

size_t sarrus_cuda_staged_bytes(const sarrus_mechanism *mech) {
    memory_cut cut = {NULL, NULL, 0, 0};
    sarrus_staged_arrays arrays;
    arrays_cut(mech, SARRUS_CUDA_WIDTH, &cut, &arrays);
    return cut.n_numbers * sizeof(double) + cut.n_words * sizeof(int32_t);
}

static int memory_take(sarrus_cuda_staged *staged) {
    const sarrus_mechanism *mech = staged->call.base.mech;
    const size_t n_members = (size_t)staged->n_most;
    memory_cut cut = {NULL, NULL, 0, 0};
    arrays_cut(mech, n_members, &cut, &staged->call.arrays);
    int error = staged->gpu->allocate(&staged->numbers, cut.n_numbers * sizeof(double));
    if (error == 0)
        error = staged->gpu->allocate(&staged->words, cut.n_words * sizeof(int32_t));
    if (error == 0)
        error = staged->gpu->host_allocate((void **)(void *)&staged->wants, n_members * sizeof(int32_t));
    if (error == 0)
        error = staged->gpu->host_allocate((void **)(void *)&staged->slot, n_members * sizeof(int32_t));
    if (error == 0)
        error = staged->gpu->host_allocate((void **)(void *)&staged->counter, SARRUS_STAGED_N_COUNTERS * sizeof(int32_t));
    if (error != 0)
        return error;
    cut = (memory_cut){staged->numbers, staged->words, 0, 0};
    arrays_cut(mech, n_members, &cut, &staged->call.arrays);
    return staged->gpu->fill(staged->call.arrays.counter, 0, SARRUS_STAGED_N_COUNTERS * sizeof(int32_t), staged->call.base.stream);
}

/* Rows of the first question of an evaluation (sarrus_correct_dense). */
static int32_t first_rows(const sarrus_mechanism *mech) {
    return mech->rank.method == SARRUS_RANK_AUTO ? mech->factor.n_independent : mech->m;
}

static int library_open(sarrus_cuda_staged *staged) {
    const sarrus_mechanism *mech = staged->call.base.mech;
    sarrus_staged_call *call = &staged->call;
    int error = sarrus_cusolver_svd_open(&staged->library, call->base.stream);
    call->n_slots = staged->n_most;
    for (int i = 0; error == 0 && i < 2; ++i) {
        call->m = i == 0 ? first_rows(mech) : mech->m;
        error = sarrus_cusolver_svd_reserve(&staged->library, call);
    }
    return error;
}

int sarrus_cuda_staged_create(const sarrus_cuda_staged_setup *setup, sarrus_cuda_staged **out) {
    sarrus_cuda_staged *staged = calloc(1, sizeof *staged);
    *out = NULL;
    if (!staged)
        return SARRUS_GPU_NO_MEMORY;
    if (!setup->gpu->staged) {
        free(staged);
        return SARRUS_STAGED_NO_KERNELS;
    }
    staged->gpu = setup->gpu;
    staged->kernels = setup->gpu->staged;
    staged->n_most = setup->n_tiles * SARRUS_CUDA_WIDTH;
    staged->call.base.mech = setup->mech;
    staged->call.base.stream = setup->stream;
    staged->call.is_gram = is_gram(setup->mech);
    staged->library.table = setup->library;
    staged->library.gpu = setup->gpu;
    staged->library.is_gram = is_gram(setup->mech);
    int error = memory_take(staged);
    if (error == 0 && setup->mech->m > 0)
        error = library_open(staged);
    if (error == 0) {
        *out = staged;
        return 0;
    }
    sarrus_cuda_staged_destroy(staged);
    return error;
}

void sarrus_cuda_staged_destroy(sarrus_cuda_staged *staged) {
    if (!staged)
        return;
    sarrus_cusolver_svd_close(&staged->library);
    (void)staged->gpu->release(staged->numbers);
    (void)staged->gpu->release(staged->words);
    (void)staged->gpu->host_release(staged->wants);
    (void)staged->gpu->host_release(staged->slot);
    (void)staged->gpu->host_release(staged->counter);
    free(staged);
}

/* --- Rounds ------------------------------------------------------------------------------------------------------------------- */

/* What is evaluated, again and again until everybody is through. */
typedef struct staged_question {
    bool is_observation;
    const sarrus_observe_request *want;
    double *out;
} staged_question;

static int ask(const sarrus_cuda_staged *staged, const staged_question *question) {
    if (question->is_observation)
        return staged->kernels->observe(&staged->call, question->want, question->out);
    return staged->kernels->resume(&staged->call);
}

/* The questions in the slots are answered. */
static int answer(sarrus_cuda_staged *staged, int32_t m, int32_t n_slots) {
    sarrus_staged_call *call = &staged->call;
    call->m = m;
    call->n_slots = n_slots;
    int error = sarrus_cusolver_svd_reserve(&staged->library, call);
    if (error == 0)
        error = sarrus_cusolver_svd_factor(&staged->library, call);
    if (error == 0)
        error = staged->kernels->weigh(call);
    staged->counts.n_matrices += error == 0 ? (uint64_t)n_slots : 0;
    if (error == 0)
        error = sarrus_cusolver_svd_combine(&staged->library, call);
    return error != 0 ? error : staged->kernels->deliver(call);
}

static int copy(const sarrus_cuda_staged *staged, sarrus_gpu_direction direction, void *to, const void *from, size_t n_words) {
    const sarrus_gpu_copy what = {
        .to = to, .from = from, .n_bytes = n_words * sizeof(int32_t), .n_rows = 1, .direction = direction};
    return staged->gpu->copy(&what, staged->call.base.stream);
}

/* How many members wait. The counter of refusals only grows. */
static int fetch_counters(sarrus_cuda_staged *staged, int32_t *n_waiting) {
    int error = copy(staged, SARRUS_GPU_DOWNLOAD, staged->counter, staged->call.arrays.counter, SARRUS_STAGED_N_COUNTERS);
    if (error == 0)
        error = staged->gpu->synchronize(staged->call.base.stream);
    if (error != 0)
        return error;
    const uint32_t n_refused = (uint32_t)staged->counter[SARRUS_STAGED_N_REFUSED];
    staged->counts.n_refused += n_refused - (uint32_t)staged->counts.n_refused; /* modulo 2^32 */
    *n_waiting = staged->counter[SARRUS_STAGED_N_WAITING];
    return 0;
}

/* Slots for the members that wait for a solution with as many rows as the first of them, in the order of the members; no slot when
 * none waits. What was refused in the round before is counted. */
static int give_slots(sarrus_cuda_staged *staged, int32_t *m, int32_t *n_slots) {
    const int32_t n_members = staged->call.n_members;
    int32_t n_waiting;
    int error = copy(staged, SARRUS_GPU_DOWNLOAD, staged->wants, staged->call.arrays.wants, (size_t)n_members);
    if (error == 0)
        error = fetch_counters(staged, &n_waiting); /* waits for both */
    *m = *n_slots = 0;
    for (int32_t i = 0; error == 0 && i < n_members; ++i) {
        if (*m == 0)
            *m = staged->wants[i];
        staged->slot[i] = staged->wants[i] != 0 && staged->wants[i] == *m ? (*n_slots)++ : -1;
    }
    return error == 0 ? copy(staged, SARRUS_GPU_UPLOAD, staged->call.arrays.slot, staged->slot, (size_t)n_members) : error;
}

/* Whether an acceleration may ask a second time, for all rows (sarrus_correct_dense). */
static bool may_ask_twice(const sarrus_mechanism *mech) {
    return mech->rank.method == SARRUS_RANK_AUTO;
}

/* All members evaluate with the solutions so far, and there is no other. */
static int end(sarrus_cuda_staged *staged, const staged_question *question) {
    staged->call.has_all = 1;
    staged->call.may_ask = 0;
    return ask(staged, question);
}

/* All members evaluate with the solutions so far; those that need another are given it; until none needs any. */
static int go_on(sarrus_cuda_staged *staged, const staged_question *question) {
    sarrus_staged_call *call = &staged->call;
    int32_t n_waiting = 0, m = 0, n_slots = 0;
    int error = staged->gpu->fill(&call->arrays.counter[SARRUS_STAGED_N_WAITING], 0, sizeof(int32_t), call->base.stream);
    if (error == 0)
        error = end(staged, question);
    if (error == 0)
        error = fetch_counters(staged, &n_waiting);
    while (error == 0 && n_waiting > 0) {
        error = give_slots(staged, &m, &n_slots);
        if (error != 0 || n_slots == 0)
            return error;
        call->has_all = 0;
        call->may_ask = 1;
        call->m = m;
        error = ask(staged, question);
        if (error == 0)
            error = answer(staged, m, n_slots);
        call->may_ask = 0;
        if (error == 0)
            error = ask(staged, question);
    }
    return error;
}

static void begin(sarrus_cuda_staged *staged, const sarrus_cuda_lanes *lanes) {
    staged->call.base.lanes = *lanes;
    staged->call.n_members = lanes->n_tiles * SARRUS_CUDA_WIDTH;
}

/* One step: an acceleration a stage. */
static int step(sarrus_cuda_staged *staged, const sarrus_clock *clock) {
    const sarrus_mechanism *mech = staged->call.base.mech;
    const int32_t n_stages = mech->integrator.method == SARRUS_INTEGRATOR_RK4 ? 4 : 1;
    const staged_question question = {.is_observation = false};
    sarrus_staged_call *call = &staged->call;
    int error = 0;
    for (int32_t stage = 0; error == 0 && stage <= n_stages; ++stage) {
        call->has_all = call->may_ask = 1;
        call->m = first_rows(mech);
        error = staged->kernels->step(call, clock, stage);
        if (error != 0 || stage == n_stages || mech->m == 0)
            continue;
        error = answer(staged, first_rows(mech), call->n_members);
        if (error == 0)
            error = may_ask_twice(mech) ? go_on(staged, &question) : end(staged, &question);
        staged->counts.n_rank_revealing += (uint64_t)call->n_members;
    }
    staged->counts.n_evaluations += (uint64_t)n_stages * (uint64_t)call->n_members;
    return error;
}

int sarrus_cuda_staged_advance(sarrus_cuda_staged *staged, const sarrus_cuda_lanes *lanes, const sarrus_clock *clock,
                               uint64_t n_steps) {
    sarrus_clock now = *clock;
    int error = 0;
    begin(staged, lanes);
    for (uint64_t k = 0; error == 0 && k < n_steps; ++k) {
        error = step(staged, &now);
        ++now.step;
    }
    int32_t n_waiting; /* nobody: what is wanted is how many were refused, where no stage has told it */
    return error != 0 || may_ask_twice(staged->call.base.mech) ? error : fetch_counters(staged, &n_waiting);
}

int sarrus_cuda_staged_observe(sarrus_cuda_staged *staged, const sarrus_cuda_lanes *lanes, const sarrus_observe_request *want,
                               double *out) {
    const staged_question question = {true, want, out};
    begin(staged, lanes);
    int error = staged->gpu->fill(staged->call.arrays.n_answered, 0, (size_t)staged->call.n_members * sizeof(int32_t),
                                  staged->call.base.stream);
    return error != 0 ? error : go_on(staged, &question);
}

void sarrus_cuda_staged_count(const sarrus_cuda_staged *staged, sarrus_cuda_staged_counts *out) {
    *out = staged->counts;
}

void sarrus_cuda_staged_error_text(const sarrus_gpu *gpu, int error, char *text, size_t n_text) {
    if (error == SARRUS_STAGED_NO_KERNELS)
        (void)snprintf(text, n_text, "the staged path is not built in");
    else if (error >= SARRUS_STAGED_CUBLAS_ERROR)
        (void)snprintf(text, n_text, "cuBLAS ended with status %d", error - SARRUS_STAGED_CUBLAS_ERROR);
    else if (error >= SARRUS_STAGED_CUSOLVER_ERROR)
        (void)snprintf(text, n_text, "cuSOLVER ended with status %d", error - SARRUS_STAGED_CUSOLVER_ERROR);
    else
        (void)snprintf(text, n_text, "%s", gpu->error_text(error));
}
