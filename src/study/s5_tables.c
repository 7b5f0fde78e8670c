#include "study/s5_tables.h"

#include <math.h>

const int sarrus_s5_shapes[SARRUS_S5_N_SHAPES][2] = {{2, 3}, {15, 18}, {19, 28}};

static const sarrus_s5_operation table_2[] = {
    {"M^-1", {.n = 1}},
    {"M^-1/2", {.n = 1}},
    {"D = J M^-1/2", {.mn2 = 2}},
    {"D+", {.m2n = 4, .mn2 = 8, .n3 = 9}},
    {"a_f = M^-1 F", {.n2 = 2}},
    {"J a_f", {.n2 = 2}},
    {"y = gamma - J a_f", {.n = 1}},
    {"M^-1/2 D+", {.mn2 = 2}},
    {"M^-1/2 D+ y", {.n2 = 2}},
    {"a = a_f + M^-1/2 D+ y", {.n = 1}},
};

static const sarrus_s5_operation table_3[] = {
    {"M^-1", {.n = 1}},           {"M^-1 J'", {.mn2 = 2}}, {"Q = J M^-1 J'", {.mn2 = 2}},
    {"Q+", {.m3 = 21}},           {"J' Q+", {.m2n = 2}},   {"H = M^-1 J' Q+", {.mn2 = 2}},
    {"H J", {.mn2 = 2}},          {"I - H J", {.n = 1}},   {"a_f = M^-1 F", {.n2 = 2}},
    {"(I - H J) a_f", {.n2 = 2}}, {"H gamma", {.n2 = 2}},  {"a = (I - H J) a_f + H gamma", {.n = 1}},
};

/* The paper's text of the sixth, seventh and ninth line belongs to no term of (41); the terms that stand in their place are given.
 */
static const sarrus_s5_operation table_4[] = {
    {"J+", {.m2n = 4, .mn2 = 8, .n3 = 9}},
    {"J+ J", {.mn2 = 2}},
    {"E = I - J+ J", {.n = 1}},
    {"E M E", {.n3 = 4}},
    {"Q = (E M E)+", {.n3 = 21}},
    {"I + M (not in (41))", {.n = 1}},
    {"M J+ (printed: (I + M) J+)", {.mn2 = 2}},
    {"Q F", {.n2 = 2}},
    {"(J+ - Q M J+) gamma (printed: (I + M) J+)", {.n2 = 2}},
    {"a = Q F + (J+ - Q M J+) gamma", {.n = 1}},
};

static const sarrus_s5_operation table_5[] = {
    {"J+", {.m2n = 4, .mn2 = 8, .n3 = 9}},          {"J+ J", {.mn2 = 2}}, {"R = I - J+ J", {.n = 1}}, {"R M", {.n3 = 2}},
    {"[R M; J]+", {.m2n = 4, .mn2 = 16, .n3 = 21}}, /* 4(n+m)²n + 8(n+m)n² + 9n³ */
    {"[R M; J]+ [F; gamma]", {.n2 = 2, .mn = 2}},
};

#define TABLE(number, operations) number, (int)(sizeof(operations) / sizeof((operations)[0])), operations

const sarrus_s5_printed sarrus_s5_printed_equations[SARRUS_S5_N_EQUATIONS] = {
    {"(31)",
     "(31) Udwadia, Kalaba 1996",
     SARRUS_FORMULATION_UDWADIA_KALABA,
     TABLE(2, table_2),
     {.mn2 = 12, .m2n = 4, .n3 = 9, .n2 = 6, .n = 4},
     {573, 129024, 421568}},
    {"(43)",
     "(43) Udwadia, Phohomsiri 2006",
     SARRUS_FORMULATION_UDWADIA_PHOHOMSIRI,
     TABLE(5, table_5),
     /* 4m²n + 10mn² + 11n³ + 4(n+m)²n + (n+m)(8n² + 2n) + n */
     {.m2n = 8, .mn2 = 26, .n3 = 23, .n2 = 2, .mn = 2, .n = 1},
     {1218, 294102, 975716}},
    {"(35)",
     "(35) of the paper",
     SARRUS_FORMULATION_PSEUDO_RANGE,
     TABLE(3, table_3),
     {.mn2 = 8, .m3 = 21, .m2n = 2, .n2 = 6, .n = 3},
     {399, 119853, 288211}},
    {"(41)",
     "(41) of the paper",
     SARRUS_FORMULATION_NULL_SPACE,
     TABLE(4, table_4),
     {.m2n = 4, .mn2 = 12, .n3 = 34, .n = 3, .n2 = 4},
     {1227, 274158, 968772}},
};

double sarrus_s5_formula_value(const sarrus_s5_formula *f, int m, int n) {
    const double dm = m, dn = n;
    return f->n * dn + f->n2 * dn * dn + f->n3 * dn * dn * dn + f->mn * dm * dn + f->mn2 * dm * dn * dn + f->m2n * dm * dm * dn +
           f->m3 * dm * dm * dm;
}

sarrus_s5_formula sarrus_s5_formula_sum(const sarrus_s5_printed *printed) {
    sarrus_s5_formula sum = {0};
    for (int i = 0; i < printed->n_operations; ++i) {
        const sarrus_s5_formula *f = &printed->operations[i].flops;
        sum.n += f->n;
        sum.n2 += f->n2;
        sum.n3 += f->n3;
        sum.mn += f->mn;
        sum.mn2 += f->mn2;
        sum.m2n += f->m2n;
        sum.m3 += f->m3;
    }
    return sum;
}

sarrus_compare_paper sarrus_compare_paper_of(sarrus_formulation formulation, int m, int n) {
    for (int i = 0; i < SARRUS_S5_N_EQUATIONS; ++i) {
        const sarrus_s5_printed *printed = &sarrus_s5_printed_equations[i];
        const sarrus_s5_formula sum = sarrus_s5_formula_sum(printed);
        if (printed->formulation == formulation)
            return (sarrus_compare_paper){printed->equation, sarrus_s5_formula_value(&printed->total, m, n),
                                          sarrus_s5_formula_value(&sum, m, n)};
    }
    return (sarrus_compare_paper){"", (double)NAN, (double)NAN};
}
