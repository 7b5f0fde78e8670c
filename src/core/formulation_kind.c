#include "core/formulation_kind.h"

#include <stddef.h>
#include <string.h>

/* The columns of the table that are names of files. */
typedef struct formulation_files {
    const char *kernel, *dense;
} formulation_files;

static formulation_files files_of(sarrus_formulation formulation) {
    static const formulation_files files[] = {
#define SARRUS_FORMULATION(name, value, word, kernel, dense, text) [value] = {#kernel, #dense},
#include "sarrus/formulation.def"
    };
    if ((size_t)formulation >= sizeof files / sizeof *files)
        return (formulation_files){"", "none"};
    return files[formulation];
}

bool sarrus_formulation_is_in_full(sarrus_formulation formulation) {
    return strcmp(files_of(formulation).kernel, "in_full") == 0;
}

bool sarrus_formulation_has_dense(sarrus_formulation formulation) {
    return strcmp(files_of(formulation).dense, "none") != 0;
}

bool sarrus_formulation_inverts_mass(sarrus_formulation formulation) {
    return formulation == SARRUS_FORMULATION_UDWADIA_KALABA || formulation == SARRUS_FORMULATION_PSEUDO_RANGE ||
           formulation == SARRUS_FORMULATION_RANGE_SPACE || formulation == SARRUS_FORMULATION_PARTIAL;
}

bool sarrus_formulation_takes_pinv(sarrus_formulation formulation) {
    return formulation != SARRUS_FORMULATION_SADDLE_FACTORED;
}
