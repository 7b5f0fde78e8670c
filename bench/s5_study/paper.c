/* What S5 prints: the formulas of Tables 1 to 6 line by line, and Tables 7 to 12 as they stand, footnotes included. */
#include <math.h>
#include <string.h>

#include "bench/s5_study/s5_study.h"
#include "bench/s5_study/runs.h"

/* --- Tables 1 to 6 -------------------------------------------------------------------------------------------------------- */

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
    {"(31) Udwadia, Kalaba 1996", TABLE(2, table_2), {.mn2 = 12, .m2n = 4, .n3 = 9, .n2 = 6, .n = 4}, {573, 129024, 421568}},
    {"(43) Udwadia, Phohomsiri 2006",
     TABLE(5, table_5),
     /* 4m²n + 10mn² + 11n³ + 4(n+m)²n + (n+m)(8n² + 2n) + n */
     {.m2n = 8, .mn2 = 26, .n3 = 23, .n2 = 2, .mn = 2, .n = 1},
     {1218, 294102, 975716}},
    {"(35) of the paper", TABLE(3, table_3), {.mn2 = 8, .m3 = 21, .m2n = 2, .n2 = 6, .n = 3}, {399, 119853, 288211}},
    {"(41) of the paper", TABLE(4, table_4), {.m2n = 4, .mn2 = 12, .n3 = 34, .n = 3, .n2 = 4}, {1227, 274158, 968772}},
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

const char *sarrus_s5_formula_text(const sarrus_s5_formula *f, char *text, size_t n_bytes) {
    const struct {
        double factor;
        const char *power;
    } terms[] = {{f->m3, "m3"}, {f->m2n, "m2n"}, {f->mn2, "mn2"}, {f->n3, "n3"}, {f->mn, "mn"}, {f->n2, "n2"}, {f->n, "n"}};
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; ++i) {
        if (terms[i].factor != 0.0 && n < n_bytes)
            n += (size_t)snprintf(text + n, n_bytes - n, "%s%g %s", n > 0 ? " + " : "", terms[i].factor, terms[i].power);
    }
    return text;
}

/* --- Tables 7 to 12 ------------------------------------------------------------------------------------------------------- */

const char *const sarrus_s5_methods[SARRUS_S5_N_METHODS] = {"svd", "varga", "greville", "householder", "mgs"};

#define NONE ((double)NAN)

const sarrus_s5_paper_table sarrus_s5_paper_tables[SARRUS_S5_N_PAPER_TABLES] = {
    {7,
     1e-10,
     false,
     {{"fails (1)", 9.1, 3.7e-7, NONE, NONE, NONE},
      {"fails (2)", 8.0, 9.9e-2, NONE, NONE, NONE},
      {"correct up to 17.5 s", 17.5, 4.5e-5, 2961955, 2633811, 0.93},
      {"correct up to 16.5 s", 16.5, 2.3e-4, 6131159, 4177395, 11.57},
      {"correct up to 17.0 s", 17.0, 1.1e-4, 3749766, 3015354, 36.85}},
     {"(1) After 9.1 s of correct simulation, the integration subroutine is halted because of repeated error-test failures (see "
      "[IMSL "
      "Math library 1997], p. 668).",
      "(2) After 8.0 s of correct simulation, the integration subroutine is halted after failing to pass the error-test failures "
      "(see "
      "[IMSL Math library 1997], p. 668)."}},
    {8,
     1e-8,
     false,
     {{"fails (1)", 12.07, 3.4e-6, NONE, NONE, NONE},
      {"fails (2)", 8.06, 9.9e-2, NONE, NONE, NONE},
      {"correct up to 17.5 s", 17.5, 1.86e-4, 1648055, 1422689, 0.53},
      {"correct up to 18.0 s", 18.0, 7.9e-4, 1641751, 1422297, 1.28},
      {"correct up to 18.0 s", 18.0, 5.2e-4, 1644341, 1424864, 6.03}},
     {"(1) After 12.07 s of correct simulation, the integration subroutine is halted because a fatal error 1 from DIVPAG (see "
      "[IMSL "
      "Math library 1997], p. 668).",
      "(2) After 8.06 s of correct simulation, the integration subroutine is halted because the precision loss of constraints "
      "equations."}},
    {9,
     1e-6,
     false,
     {{"correct up to 17.5 s", 17.5, 4.1e-4, 1033381, 847294, 0.28},
      {"fails (1)", 7.3, 9.9e-2, NONE, NONE, NONE},
      {"correct up to 19.0 s", 19.0, 9.7e-4, 1017558, 1422689, 0.37},
      {"correct", 20.0, 7.9e-4, 1641751, 1422297, 0.76},
      {"correct", 20.0, 6.9e-4, 1013795, 839020, 3.40}},
     {"(1) After 7.3 s of correct simulation, the integration subroutine is halted because the precision loss of constraints "
      "equations.",
      NULL}},
    {10,
     1e-10,
     true,
     {{"fails (1)", 1.17, NONE, NONE, NONE, NONE},
      {"correct", 20.0, 4.5e-5, 78491398, 47074599, 11.4},
      {"correct", 20.0, 2.1e-7, 74043990, 44053874, 18.3},
      {"correct", 20.0, 3.3e-7, 73707588, 43948609, 51.5},
      {"correct", 20.0, 4.1e-7, 73910268, 44515071, 241.0}},
     {"(1) After 1.17 s of correct simulation, the integration subroutine is halted because a fatal error 1 from DIVPAG (see [IMSL "
      "Math library 1997], p. 668).",
      NULL}},
    {11,
     1e-8,
     true,
     {{"fails (1)", 0.17, NONE, NONE, NONE, NONE},
      {"fails (2)", 14.97, NONE, NONE, NONE, NONE},
      {"correct", 20.0, 4.90e-7, 80109155, 55569995, 19.4},
      {"correct", 20.0, 3.5e-7, 80197458, 54468468, 55.0},
      {"correct", 20.0, 4.9e-7, 80112706, 54604452, 290}},
     {"(1) After 0.17 s of correct simulation, the integration subroutine is halted because a fatal error 1 from DIVPAG (see [IMSL "
      "Math library 1997], p. 668).",
      "(2) After 14.97 s of correct simulation, the integration subroutine is halted because the precision loss of constraints "
      "equations."}},
    {12,
     1e-6,
     true,
     {{"fails (1)", 0.46, NONE, NONE, NONE, NONE},
      {"fails (2)", 9.7, NONE, NONE, NONE, NONE},
      {"correct", 20.0, 1.9e-6, 80483163, 57743095, 19.5},
      {"correct", 20.0, 1.14e-6, 80689071, 58099798, 55},
      {"correct", 20.0, 1.06e-6, 80636983, 58010479, 291}},
     {"(1) After 0.46 s of correct simulation, the integration subroutine is halted because a fatal error 1 from DIVPAG (see [IMSL "
      "Math library 1997], p. 668).",
      "(2) After 9.7 s of correct simulation, the integration subroutine is halted because the precision loss of constraints "
      "equations."}},
};
