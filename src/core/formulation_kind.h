/* What formulations are, for those who read and plan scenarios. */
#ifndef SARRUS_CORE_FORMULATION_KIND_H
#define SARRUS_CORE_FORMULATION_KIND_H

#include <stdbool.h>

#include "sarrus/method.h"

/* Whether its equations are written out in full for every step (kernels/formulation/in_full.h). AUTO is not. */
bool sarrus_formulation_is_in_full(sarrus_formulation formulation);

/* Whether it has a dense form to be compared (kernels/formulation/dense/). */
bool sarrus_formulation_has_dense(sarrus_formulation formulation);

/* Whether its dense form inverts M, which then has to be definite. */
bool sarrus_formulation_inverts_mass(sarrus_formulation formulation);

/* Whether its dense form takes a pseudoinverse, and so decides a rank; one that takes none has no answer where rows depend on one
 * another. */
bool sarrus_formulation_takes_pinv(sarrus_formulation formulation);

#endif
