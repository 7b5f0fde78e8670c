/* The operations that S5 counts for its equations. */
#include <math.h>

#include "sarrus/compare.h"

/* Polynomials of Table 1, and what the lines of Tables 2 to 5 add up to. */
sarrus_compare_paper sarrus_compare_paper_of(sarrus_formulation formulation, int m, int n) {
    const double dm = m, dn = n, squares = dn * dn, cubes = squares * dn;
    sarrus_compare_paper out = {"", (double)NAN, (double)NAN};
    switch (formulation) {
    case SARRUS_FORMULATION_UDWADIA_KALABA:
        out =
            (sarrus_compare_paper){"(31)", 12.0 * dm * squares + 4.0 * dm * dm * dn + 9.0 * cubes + 6.0 * squares + 4.0 * dn, 0.0};
        break;
    case SARRUS_FORMULATION_UDWADIA_PHOHOMSIRI:
        out = (sarrus_compare_paper){"(43)",
                                     4.0 * dm * dm * dn + 10.0 * dm * squares + 11.0 * cubes + 4.0 * (dn + dm) * (dn + dm) * dn +
                                         (dn + dm) * (8.0 * squares + 2.0 * dn) + dn,
                                     9.0 * cubes}; /* of the second pseudoinverse, in Table 5 alone */
        break;
    case SARRUS_FORMULATION_PSEUDO_RANGE:
        out = (sarrus_compare_paper){"(35)",
                                     8.0 * squares * dm + 21.0 * dm * dm * dm + 2.0 * dm * dm * dn + 6.0 * squares + 3.0 * dn, 0.0};
        break;
    case SARRUS_FORMULATION_NULL_SPACE:
        out =
            (sarrus_compare_paper){"(41)", 4.0 * dm * dm * dn + 12.0 * dm * squares + 34.0 * cubes + 3.0 * dn + 4.0 * squares, 0.0};
        break;
    default:
        return out;
    }
    out.lines += out.table_1;
    return out;
}
