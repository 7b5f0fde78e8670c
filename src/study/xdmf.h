/* Lines of a moving mechanism, from a result, as an XDMF file that the readers of versions 2 and 3 take. */
#ifndef SARRUS_STUDY_XDMF_H
#define SARRUS_STUDY_XDMF_H

#include <stdint.h>

#include "sarrus/context.h"
#include "sarrus/status.h"

typedef struct sarrus_xdmf_request {
    const char *result, *output; /* paths */
    int group;                   /* of a result of several scenarios, the number of one; −1: it has one */
    int n_instances;
    const uint64_t *instances; /* [n_instances] numbers in the study; none: the first of the file */
    uint64_t every;            /* each such output time, at least 1 */
} sarrus_xdmf_request;

/* BAD_INPUT when the result has no points of joints, or not those of an instance; IO, NO_MEMORY. A file of another kind is not
 * written over (BAD_ARGUMENT). */
SARRUS_MUST_USE sarrus_status sarrus_xdmf_write(sarrus_context *context, const sarrus_xdmf_request *request);

#endif
