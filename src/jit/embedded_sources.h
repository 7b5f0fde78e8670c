/* The texts from which the kernels of one plan are compiled, and how; made at build time (cmake/SarrusEmbed.cmake). */
#ifndef SARRUS_JIT_EMBEDDED_SOURCES_H
#define SARRUS_JIT_EMBEDDED_SOURCES_H

#include <stddef.h>

typedef struct sarrus_source_text {
    const char *path;          /* relative, as "kernels/body/mechanism.h" */
    const unsigned char *text; /* [length] */
    size_t length;             /* bytes */
} sarrus_source_text;

enum { SARRUS_MAX_ISA_OPTIONS = 16 };

typedef struct sarrus_isa_options {
    const char *isa;                             /* "avx512" … */
    const char *options[SARRUS_MAX_ISA_OPTIONS]; /* ended by NULL */
} sarrus_isa_options;

extern const sarrus_source_text sarrus_embedded_sources[]; /* [sarrus_n_embedded_sources] */
extern const size_t sarrus_n_embedded_sources;
extern const sarrus_isa_options sarrus_embedded_options[]; /* ended by isa = NULL */

#endif
