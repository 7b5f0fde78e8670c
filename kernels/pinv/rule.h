/* How a rank is decided, as the plan says it (rank.h decides). */
#ifndef SARRUS_PINV_RULE_H
#define SARRUS_PINV_RULE_H

#include <stdint.h>

#include "sarrus/method.h"

typedef struct sarrus_rank_rule {
    int32_t method;   /* sarrus_rank_method */
    double tolerance; /* plan */
    /* The sizes go to zero as the squares of those that the rule speaks of, as in J M⁻¹ Jᵀ. */
    int32_t is_squared;
} sarrus_rank_rule;

#endif
