/* The same motion by generic kernels and by kernels for one plan. They promise the same bits. */
#ifndef TESTS_SUPPORT_KERNELS_COMPARED_H
#define TESTS_SUPPORT_KERNELS_COMPARED_H

#include "jit/plan_text.h"
#include "tests/support/mechanism.h"

enum { KERNELS_MAX_INSTANCES = 27 };

typedef struct kernels_subject {
    const char *name; /* of messages */
    const char *isa;  /* NULL: the widest */
    uint64_t n_instances;
    bool must_take_rank_path; /* some lane has to take the rank-revealing path */
    sarrus_plan_text_form form;
} kernels_subject;

/* Runs the mechanism both ways, each instance from a state of its own. Fails when a bit differs, of outputs, states or statistics;
 * when the plan is specialized otherwise than in this form; when not every step was made by kernels of its own. */
void kernels_compare(const mechanism *of, const kernels_subject *what);

#endif
