/* Job j lives in slot j % n_slots: a worker may start it once job j − n_slots was released by the consumer. */
#include "sink/compress_pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct sarrus_compress_pool {
    pthread_mutex_t mutex;
    pthread_cond_t for_workers, for_consumer;
    sarrus_compress_function function;
    const void *user;
    uint64_t n_jobs, n_started, n_released; /* of the present batch of jobs */
    int n_running;
    bool stop;
    uint64_t n_slots;
    sarrus_compress_slot *slots; /* [n_slots] */
    bool *ready;                 /* [n_slots] */
    int n_threads;
    pthread_t *threads; /* [n_threads] */
};

static void *work(void *argument) {
    sarrus_compress_pool *pool = argument;
    pthread_mutex_lock(&pool->mutex);
    while (!pool->stop) {
        if (pool->n_started >= pool->n_jobs || pool->n_started >= pool->n_released + pool->n_slots) {
            pthread_cond_wait(&pool->for_workers, &pool->mutex);
            continue;
        }
        uint64_t i_job = pool->n_started++;
        uint64_t i_slot = i_job % pool->n_slots;
        sarrus_compress_function function = pool->function;
        const void *user = pool->user;
        ++pool->n_running;
        pthread_mutex_unlock(&pool->mutex);
        function(user, i_job, &pool->slots[i_slot]);
        pthread_mutex_lock(&pool->mutex);
        --pool->n_running;
        pool->ready[i_slot] = true;
        pthread_cond_signal(&pool->for_consumer);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

static sarrus_status make_slots(sarrus_compress_pool *pool, size_t n_bytes_max) {
    pool->slots = calloc(pool->n_slots, sizeof *pool->slots);
    pool->ready = calloc(pool->n_slots, sizeof *pool->ready);
    if (pool->slots == NULL || pool->ready == NULL) {
        return SARRUS_NO_MEMORY;
    }
    for (uint64_t i = 0; i < pool->n_slots; ++i) {
        sarrus_compress_slot *slot = &pool->slots[i];
        slot->staging = malloc(n_bytes_max > 0 ? n_bytes_max : 1);
        slot->packed = malloc(sarrus_packer_bound(n_bytes_max));
        sarrus_status status = sarrus_packer_create(n_bytes_max, &slot->packer);
        if (slot->staging == NULL || slot->packed == NULL || status != SARRUS_OK) {
            return SARRUS_NO_MEMORY;
        }
    }
    return SARRUS_OK;
}

static sarrus_status start_threads(sarrus_compress_pool *pool, int n_threads) {
    pool->threads = calloc((size_t)n_threads, sizeof *pool->threads);
    if (pool->threads == NULL) {
        return SARRUS_NO_MEMORY;
    }
    while (pool->n_threads < n_threads && pthread_create(&pool->threads[pool->n_threads], NULL, work, pool) == 0) {
        ++pool->n_threads;
    }
    return pool->n_threads > 0 ? SARRUS_OK : SARRUS_FAILED; /* fewer threads than asked for do the same work */
}

sarrus_status sarrus_compress_pool_create(int n_threads, size_t n_bytes_max, sarrus_compress_pool **out) {
    sarrus_compress_pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL) {
        return SARRUS_NO_MEMORY;
    }
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->for_workers, NULL);
    pthread_cond_init(&pool->for_consumer, NULL);
    pool->n_slots = (uint64_t)n_threads + 2; /* the workers never wait for one slow write */
    sarrus_status status = make_slots(pool, n_bytes_max);
    if (status == SARRUS_OK) {
        status = start_threads(pool, n_threads);
    }
    if (status != SARRUS_OK) {
        sarrus_compress_pool_destroy(pool);
        return status;
    }
    *out = pool;
    return SARRUS_OK;
}

void sarrus_compress_pool_destroy(sarrus_compress_pool *pool) {
    if (pool == NULL) {
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    pool->stop = true;
    pthread_cond_broadcast(&pool->for_workers);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->n_threads; ++i) {
        pthread_join(pool->threads[i], NULL);
    }
    for (uint64_t i = 0; pool->slots != NULL && i < pool->n_slots; ++i) {
        sarrus_packer_destroy(pool->slots[i].packer);
        free(pool->slots[i].staging);
        free(pool->slots[i].packed);
    }
    pthread_cond_destroy(&pool->for_workers);
    pthread_cond_destroy(&pool->for_consumer);
    pthread_mutex_destroy(&pool->mutex);
    free(pool->threads);
    free(pool->ready);
    free(pool->slots);
    free(pool);
}

void sarrus_compress_pool_begin(sarrus_compress_pool *pool, uint64_t n_jobs, sarrus_compress_function function, const void *user) {
    pthread_mutex_lock(&pool->mutex);
    pool->function = function;
    pool->user = user;
    pool->n_jobs = n_jobs;
    pool->n_started = 0;
    pool->n_released = 0;
    for (uint64_t i = 0; i < pool->n_slots; ++i) {
        pool->ready[i] = false;
    }
    pthread_cond_broadcast(&pool->for_workers);
    pthread_mutex_unlock(&pool->mutex);
}

const sarrus_compress_slot *sarrus_compress_pool_take(sarrus_compress_pool *pool) {
    pthread_mutex_lock(&pool->mutex);
    uint64_t i_slot = pool->n_released % pool->n_slots;
    while (!pool->ready[i_slot]) {
        pthread_cond_wait(&pool->for_consumer, &pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
    return &pool->slots[i_slot];
}

void sarrus_compress_pool_release(sarrus_compress_pool *pool) {
    pthread_mutex_lock(&pool->mutex);
    pool->ready[pool->n_released % pool->n_slots] = false;
    ++pool->n_released;
    pthread_cond_signal(&pool->for_workers);
    pthread_mutex_unlock(&pool->mutex);
}

void sarrus_compress_pool_cancel(sarrus_compress_pool *pool) {
    pthread_mutex_lock(&pool->mutex);
    pool->n_jobs = pool->n_started;
    while (pool->n_running > 0) {
        pthread_cond_wait(&pool->for_consumer, &pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
}
