/* Status codes of calls and of instances. */
#ifndef SARRUS_STATUS_H
#define SARRUS_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SARRUS_MUST_USE __attribute__((warn_unused_result))
#define SARRUS_PRINTF(i_format, i_first) __attribute__((format(printf, i_format, i_first)))
#else
#define SARRUS_MUST_USE
#define SARRUS_PRINTF(i_format, i_first)
#endif

/* What a call returns (status.def says what each means). */
typedef enum sarrus_status {
#define SARRUS_STATUS(name, value, text) SARRUS_##name = (value),
#include "sarrus/status.def"
} sarrus_status;

/* The sticky word of one instance; 0 is healthy. Once set it never changes and the instance is frozen. */
typedef enum sarrus_instance_status {
#define SARRUS_INSTANCE_STATUS(name, value, word, text) SARRUS_INSTANCE_##name = (value),
#include "sarrus/status.def"
} sarrus_instance_status;

/* Number of instance status values (they are 0 … n − 1). */
#define SARRUS_N_INSTANCE_STATUS 12

/* One English sentence for `status`; never NULL. */
const char *sarrus_status_text(sarrus_status status);

/* The word used in result files, as "assembly_failed", and a sentence; never NULL. */
const char *sarrus_instance_status_word(sarrus_instance_status status);
const char *sarrus_instance_status_text(sarrus_instance_status status);

#ifdef __cplusplus
}
#endif

#endif
