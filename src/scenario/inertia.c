/* The inertia tensor of a body in space. */
#include <float.h>
#include <math.h>

#include "scenario/reader.h"

/* Principal moments of bodies so flat that one is the sum of the others are known to so many digits. */
static const double flat_tolerance = 1e-12;

/* Zeroes entry (p, q) of a symmetric matrix by a rotation of the axes p and q. */
static void rotate(double a[3][3], int p, int q) {
    if (a[p][q] == 0) {
        return;
    }
    const double half = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    const double tangent = (half < 0 ? -1 : 1) / (fabs(half) + hypot(1, half));
    const double cosine = 1 / hypot(1, tangent), sine = tangent * cosine;
    const int r = 3 - p - q;
    const double a_pr = a[p][r], a_qr = a[q][r];
    a[p][p] -= tangent * a[p][q];
    a[q][q] += tangent * a[p][q];
    a[p][q] = a[q][p] = 0;
    a[p][r] = a[r][p] = cosine * a_pr - sine * a_qr;
    a[q][r] = a[r][q] = sine * a_pr + cosine * a_qr;
}

static void order(double *smaller, double *larger) {
    if (*smaller > *larger) {
        const double x = *smaller;
        *smaller = *larger;
        *larger = x;
    }
}

/* Principal moments, increasing, of [xx, yy, zz, xy, xz, yz]: Jacobi's cyclic rotations, which converge quadratically. */
static void principal_moments(const double entry[6], double moment[3]) {
    enum { N_SWEEPS = 12 };
    double a[3][3] = {{entry[0], entry[3], entry[4]}, {entry[3], entry[1], entry[5]}, {entry[4], entry[5], entry[2]}};
    for (int i_sweep = 0; i_sweep < N_SWEEPS; ++i_sweep) {
        rotate(a, 0, 1);
        rotate(a, 0, 2);
        rotate(a, 1, 2);
    }
    for (int i = 0; i < 3; ++i) {
        moment[i] = a[i][i];
    }
    order(&moment[0], &moment[1]);
    order(&moment[1], &moment[2]);
    order(&moment[0], &moment[1]);
}

static void check(sarrus_reader *reader, const sarrus_node *node, const sarrus_value_index index[6]) {
    double entry[6], moment[3], largest = 0, products = 0;
    for (int i = 0; i < 6; ++i) {
        entry[i] = reader->model->values[index[i]].nominal;
        largest = fmax(largest, fabs(entry[i]));
        products = i < 3 ? 0 : fmax(products, fabs(entry[i]));
    }
    for (int i = 0; largest > 0 && i < 6; ++i) {
        entry[i] /= largest;
    }
    principal_moments(entry, moment);
    const double rounding = products > 0 ? 8 * DBL_EPSILON : 0; /* a diagonal is not computed with */
    if (!(moment[0] >= -rounding)) {
        sarrus_reader_refuse(reader, node,
                             "the inertia is negative about some axis: its principal moments are %.6g, %.6g and %.6g kg m2; "
                             "expected none below 0",
                             moment[0] * largest, moment[1] * largest, moment[2] * largest);
    } else if (moment[2] > (moment[0] + moment[1]) * (1 + flat_tolerance)) {
        sarrus_reader_refuse(reader, node,
                             "no body has this inertia: its principal moments are %.6g, %.6g and %.6g kg m2; expected none above "
                             "the sum of the other two",
                             moment[0] * largest, moment[1] * largest, moment[2] * largest);
    }
}

void sarrus_inertia_read(sarrus_reader *reader, const sarrus_node *node, sarrus_value_index out[6]) {
    const size_t n_before = reader->findings.n_kept;
    const bool has_products = node != NULL && node->kind == SARRUS_NODE_SEQUENCE && node->n_children == 6;
    const bool is_good =
        node != NULL && sarrus_list_check(reader, node, has_products ? 6 : 3,
                                          "a list of three numbers [Ixx, Iyy, Izz], or of six [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]");
    const sarrus_node *item = is_good ? node->first : NULL;
    for (int i = 0; i < 6; ++i) {
        const size_t n_path = sarrus_path_push_index(reader, i);
        out[i] = sarrus_value_read(reader, item, 0, i < 3 ? SARRUS_RULE_NOT_NEGATIVE : SARRUS_RULE_ANY);
        sarrus_path_pop(reader, n_path);
        item = item != NULL ? item->next : NULL;
    }
    if (is_good && sarrus_reader_is_good_since(reader, n_before)) {
        check(reader, node, out);
    }
}
