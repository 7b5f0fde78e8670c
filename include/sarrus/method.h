/* Names of the methods that a scenario or a call may choose from. */
#ifndef SARRUS_METHOD_H
#define SARRUS_METHOD_H

#ifdef __cplusplus
extern "C" {
#endif

/* Formulations of the equations of motion (formulation.def). */
typedef enum sarrus_formulation {
#define SARRUS_FORMULATION(name, value, word, kernel, dense, text) SARRUS_FORMULATION_##name = (value),
#include "sarrus/formulation.def"
    SARRUS_FORMULATION_AUTO = 255, /* the plan takes one of these */
} sarrus_formulation;

/* Ways to a pseudoinverse (pinv_methods.def says what each is). */
typedef enum sarrus_pinv_method {
#define SARRUS_PINV_METHOD(name, value, word, kernel, text) SARRUS_PINV_##name = (value),
#include "sarrus/pinv_methods.def"
} sarrus_pinv_method;
enum {
    SARRUS_N_PINV_METHODS = 0
#define SARRUS_PINV_METHOD(name, value, word, kernel, text) +1
#include "sarrus/pinv_methods.def"
    ,
    SARRUS_N_PINV_HOST_METHODS =
        SARRUS_PINV_CUSOLVER_SVD /* the first ones, which need no device; the others are libraries on one */
};

/* Ways to decide a rank (rank_methods.def). */
typedef enum sarrus_rank_method {
#define SARRUS_RANK_METHOD(name, value, word, tolerance, text) SARRUS_RANK_##name = (value),
#include "sarrus/rank_methods.def"
} sarrus_rank_method;
enum {
    SARRUS_N_RANK_METHODS = 0
#define SARRUS_RANK_METHOD(name, value, word, tolerance, text) +1
#include "sarrus/rank_methods.def"
};

/* Integrators (integrators.def). */
typedef enum sarrus_integrator {
#define SARRUS_INTEGRATOR(name, value, word, order, is_adaptive, text) SARRUS_INTEGRATOR_##name = (value),
#include "sarrus/integrators.def"
} sarrus_integrator;
enum {
    SARRUS_N_INTEGRATORS = 0
#define SARRUS_INTEGRATOR(name, value, word, order, is_adaptive, text) +1
#include "sarrus/integrators.def"
};
/* Of a scenario that names none (docs/decisions/0013). */
#define SARRUS_INTEGRATOR_DEFAULT SARRUS_INTEGRATOR_DOPRI5

/* When states are put onto the constraints. */
typedef enum sarrus_projection {
    SARRUS_PROJECTION_NONE = 0,
    SARRUS_PROJECTION_EVERY_STEP = 1,
    SARRUS_PROJECTION_TOLERANCE = 2,
} sarrus_projection;

/* The word used in scenario files and a sentence; never NULL. */
const char *sarrus_formulation_word(sarrus_formulation formulation);
const char *sarrus_pinv_method_word(sarrus_pinv_method method);
const char *sarrus_pinv_method_text(sarrus_pinv_method method);
const char *sarrus_rank_method_word(sarrus_rank_method method);
const char *sarrus_rank_method_text(sarrus_rank_method method);
const char *sarrus_integrator_word(sarrus_integrator integrator);
const char *sarrus_integrator_text(sarrus_integrator integrator);

/* The default of the rank decision's `tol`. */
double sarrus_rank_method_tolerance(sarrus_rank_method method);

/* 1 when the integrator chooses its steps itself. */
int sarrus_integrator_is_adaptive(sarrus_integrator integrator);

#ifdef __cplusplus
}
#endif

#endif
