/* How a rank is decided, as the plan says it (rank.h decides). */
#ifndef SARRUS_PINV_RULE_H
#define SARRUS_PINV_RULE_H

#include <stdint.h>

#include "sarrus/method.h"

typedef struct sarrus_rank_rule {
    int32_t method;   /* sarrus_rank_method */
    double tolerance; /* plan */
} sarrus_rank_rule;

#endif
