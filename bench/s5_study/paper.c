/* What S5 prints: Tables 7 to 12 as they stand, footnotes included. */
#include <math.h>
#include <string.h>

#include "bench/s5_study/s5_study.h"
#include "bench/s5_study/runs.h"

/* --- Tables 1 to 6: what study/s5_tables.c has, in words ------------------------------------------------------------------- */

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
