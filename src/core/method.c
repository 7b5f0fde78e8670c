#include "sarrus/method.h"

#include <stddef.h>

/* The entry of a table of words, "?" outside. */
static const char *entry(const char *const *table, size_t n, int i) {
    return i >= 0 && (size_t)i < n ? table[i] : "?";
}

const char *sarrus_formulation_word(sarrus_formulation formulation) {
    static const char *const words[] = {
#define SARRUS_FORMULATION(name, value, word, kernel, dense, text) [value] = word,
#include "sarrus/formulation.def"
    };
    return formulation == SARRUS_FORMULATION_AUTO ? "auto" : entry(words, sizeof words / sizeof words[0], (int)formulation);
}

const char *sarrus_pinv_method_word(sarrus_pinv_method method) {
    static const char *const words[SARRUS_N_PINV_METHODS] = {
#define SARRUS_PINV_METHOD(name, value, word, kernel, text) [value] = word,
#include "sarrus/pinv_methods.def"
    };
    return entry(words, SARRUS_N_PINV_METHODS, (int)method);
}

const char *sarrus_pinv_method_text(sarrus_pinv_method method) {
    static const char *const texts[SARRUS_N_PINV_METHODS] = {
#define SARRUS_PINV_METHOD(name, value, word, kernel, text) [value] = text,
#include "sarrus/pinv_methods.def"
    };
    return entry(texts, SARRUS_N_PINV_METHODS, (int)method);
}

const char *sarrus_rank_method_word(sarrus_rank_method method) {
    static const char *const words[SARRUS_N_RANK_METHODS] = {
#define SARRUS_RANK_METHOD(name, value, word, tolerance, text) [value] = word,
#include "sarrus/rank_methods.def"
    };
    return entry(words, SARRUS_N_RANK_METHODS, (int)method);
}

const char *sarrus_rank_method_text(sarrus_rank_method method) {
    static const char *const texts[SARRUS_N_RANK_METHODS] = {
#define SARRUS_RANK_METHOD(name, value, word, tolerance, text) [value] = text,
#include "sarrus/rank_methods.def"
    };
    return entry(texts, SARRUS_N_RANK_METHODS, (int)method);
}

double sarrus_rank_method_tolerance(sarrus_rank_method method) {
    static const double tolerances[SARRUS_N_RANK_METHODS] = {
#define SARRUS_RANK_METHOD(name, value, word, tolerance, text) [value] = (tolerance),
#include "sarrus/rank_methods.def"
    };
    return (unsigned)method < SARRUS_N_RANK_METHODS ? tolerances[method] : 0.0;
}

const char *sarrus_integrator_word(sarrus_integrator integrator) {
    static const char *const words[SARRUS_N_INTEGRATORS] = {
#define SARRUS_INTEGRATOR(name, value, word, order, is_adaptive, text) [value] = word,
#include "sarrus/integrators.def"
    };
    return entry(words, SARRUS_N_INTEGRATORS, (int)integrator);
}

const char *sarrus_integrator_text(sarrus_integrator integrator) {
    static const char *const texts[SARRUS_N_INTEGRATORS] = {
#define SARRUS_INTEGRATOR(name, value, word, order, is_adaptive, text) [value] = text,
#include "sarrus/integrators.def"
    };
    return entry(texts, SARRUS_N_INTEGRATORS, (int)integrator);
}

int sarrus_integrator_is_adaptive(sarrus_integrator integrator) {
    static const int adaptive[SARRUS_N_INTEGRATORS] = {
#define SARRUS_INTEGRATOR(name, value, word, order, is_adaptive, text) [value] = (is_adaptive),
#include "sarrus/integrators.def"
    };
    return (unsigned)integrator < SARRUS_N_INTEGRATORS ? adaptive[integrator] : 0;
}
