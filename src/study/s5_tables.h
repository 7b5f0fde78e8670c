/* What S5 prints of the operations of one acceleration: Tables 1 to 6, line by line. */
#ifndef SARRUS_STUDY_S5_TABLES_H
#define SARRUS_STUDY_S5_TABLES_H

#include "sarrus/compare.h"

enum { SARRUS_S5_N_EQUATIONS = 4, SARRUS_S5_N_SHAPES = 3 };

/* (31), (43), (35), (41): the order of Table 1. */
typedef enum sarrus_s5_equation {
    SARRUS_S5_EQ31,
    SARRUS_S5_EQ43,
    SARRUS_S5_EQ35,
    SARRUS_S5_EQ41,
} sarrus_s5_equation;

/* A number of operations as a polynomial in m and n. */
typedef struct sarrus_s5_formula {
    double n, n2, n3, mn, mn2, m2n, m3;
} sarrus_s5_formula;

/* One line of Tables 2 to 5 as printed. */
typedef struct sarrus_s5_operation {
    const char *name;
    sarrus_s5_formula flops;
} sarrus_s5_operation;

/* What the paper prints about one equation. */
typedef struct sarrus_s5_printed {
    const char *equation, *name; /* "(31)", and with its authors */
    sarrus_formulation formulation;
    int i_table; /* 2 to 5 */
    int n_operations;
    const sarrus_s5_operation *operations;
    sarrus_s5_formula total;           /* Table 1 */
    double totals[SARRUS_S5_N_SHAPES]; /* Table 6 */
} sarrus_s5_printed;

extern const sarrus_s5_printed sarrus_s5_printed_equations[SARRUS_S5_N_EQUATIONS];
extern const int sarrus_s5_shapes[SARRUS_S5_N_SHAPES][2]; /* m, n of Table 6 */

double sarrus_s5_formula_value(const sarrus_s5_formula *formula, int m, int n);
sarrus_s5_formula sarrus_s5_formula_sum(const sarrus_s5_printed *printed);

#endif
