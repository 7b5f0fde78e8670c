/* The kernels' own numbers of a mechanism in space. */
#include "tests/support/spatial_rows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/lower.h"

#define SARRUS_LANE_WIDTH 2
#define SARRUS_KERNELS_SPATIAL
#define SARRUS_PINV_NONE
#include "kernels/formulation/evaluation.h"
#include "kernels/formulation/gram.h"

struct spatial_rows {
    sarrus_lowered lowered;
    const sarrus_mechanism *mech;
    real *memory, *parameter, *input, *q, *v, *seen, *one_row, *one_speed, *dense;
    sarrus_workspace ws;
};

spatial_rows *spatial_rows_create(const mechanism *m) {
    spatial_rows *rows = calloc(1, sizeof *rows);
    assert_non_null(rows);
    assert_true(sarrus_plan_lower(m->plan, SARRUS_LANE_WIDTH, &rows->lowered));
    const sarrus_mechanism *mech = rows->mech = &rows->lowered.mech;
    const size_t n_parameters = (size_t)mech->n_parameters, n_q = (size_t)mech->n_q, n_v = (size_t)mech->n_v, n_m = (size_t)mech->m;
    double *values = mechanism_values(m, NULL, 0), *parameters = calloc(n_parameters + n_q + n_v, sizeof *parameters);
    assert_non_null(parameters);
    const size_t n_own = n_parameters + n_q + 2 * n_v + (size_t)(mech->n_free + mech->n_curves) + n_m + n_m * n_v + 2;
    const size_t n_arrays = n_own + sarrus_workspace_cut(mech, NULL, &rows->ws);
    assert_int_equal(posix_memalign((void **)&rows->memory, sizeof(real), n_arrays * sizeof(real)), 0);
    for (size_t i = 0; i < n_arrays; ++i) {
        rows->memory[i] = real_set((double)NAN); /* what is read before it was written shows */
    }
    rows->parameter = rows->memory;
    rows->q = rows->parameter + n_parameters;
    rows->v = rows->q + n_q;
    rows->one_speed = rows->v + n_v;
    rows->seen = rows->one_speed + n_v;
    rows->one_row = rows->seen + mech->n_free + mech->n_curves; /* no foot on a curve has been seen */
    rows->dense = rows->one_row + n_m;
    rows->input = rows->dense + n_m * n_v;
    (void)sarrus_workspace_cut(mech, rows->memory + n_own, &rows->ws);
    sarrus_constant_directions(mech, &rows->ws);
    assert_true(sarrus_plan_parameters(m->plan, values, parameters, parameters + n_parameters, parameters + n_parameters + n_q));
    for (size_t i = 0; i < n_parameters; ++i) {
        rows->parameter[i] = real_set(parameters[i]);
    }
    for (int32_t i = 0; i < mech->n_free; ++i) {
        rows->seen[i] = real_set(0.0);
    }
    rows->ws.seen = rows->seen;
    free(values);
    free(parameters);
    return rows;
}

void spatial_rows_destroy(spatial_rows *rows) {
    sarrus_lowered_free(&rows->lowered);
    free(rows->memory);
    free(rows);
}

void spatial_rows_see(spatial_rows *rows, const double *seen) {
    for (int32_t i = 0; i < rows->mech->n_free; ++i) {
        rows->seen[i][1] = seen[i];
    }
}

/* The state is in lane 1; lane 0 is somewhere else. */
static void configure(spatial_rows *rows, double t, const double *q, const double *v) {
    for (int32_t i = 0; i < rows->mech->n_q; ++i) {
        rows->q[i] = real_set(q[i] + 0.25);
        rows->q[i][1] = q[i];
    }
    for (int32_t i = 0; i < rows->mech->n_v; ++i) {
        rows->v[i] = real_set(v[i] - 0.5);
        rows->v[i][1] = v[i];
    }
    sarrus_rotations(rows->mech, rows->q, &rows->ws);
    sarrus_signals(rows->mech, rows->parameter, real_set(t), &rows->ws);
}

static void take(const real *from, int32_t count, double *out) {
    for (int32_t i = 0; out && i < count; ++i) {
        out[i] = from[i][1];
    }
}

double spatial_rows_values(spatial_rows *rows, double t, const double *q, const double *v, double *phi, double *phi_dot) {
    configure(rows, t, q, v);
    sarrus_rows(rows->mech, rows->parameter, rows->q, rows->v, &rows->ws, SARRUS_WANT_ERRORS);
    take(rows->ws.phi, rows->mech->m, phi);
    take(rows->ws.phi_dot, rows->mech->m, phi_dot);
    return sarrus_potential_energy(rows->mech, rows->parameter, &rows->ws, rows->q, rows->v)[1];
}

/* J and M^-1 J^T column by column, as the sparse products have them. */
static void find_products(spatial_rows *rows, spatial_numbers *out) {
    const sarrus_mechanism *mech = rows->mech;
    for (int32_t j = 0; j < mech->n_v; ++j) {
        for (int32_t i = 0; i < mech->n_v; ++i) {
            rows->one_speed[i] = real_set(i == j ? -1.0 : 0.0);
        }
        for (int32_t i = 0; i < mech->m; ++i) {
            rows->one_row[i] = real_set(0.0);
        }
        sarrus_rows_subtract(mech, &rows->ws, rows->one_row, rows->one_speed, rows->ws.rhs);
        for (int32_t i = 0; i < mech->m; ++i) {
            out->jacobian[mech->n_v * i + j] = rows->ws.rhs[i][1];
        }
    }
    sarrus_push(mech, rows->parameter, &rows->ws);
    for (int32_t i = 0; i < mech->m; ++i) {
        for (int32_t k = 0; k < mech->m; ++k) {
            rows->one_row[k] = real_set(k == i ? 1.0 : 0.0);
        }
        for (int32_t j = 0; j < mech->n_v; ++j) {
            rows->one_speed[j] = rows->ws.apart[j] = real_set(0.0);
        }
        sarrus_rows_push(mech, rows->parameter, &rows->ws, rows->one_row, rows->one_row, rows->one_speed);
        take(rows->one_speed, mech->n_v, out->push + mech->n_v * i);
        for (int32_t side = 0; side < 2; ++side) {
            if (sarrus_side_body(mech, 2 * i + side) >= 0) {
                sarrus_row_weigh_side(mech, rows->parameter, &rows->ws, 2 * i + side, rows->ws.apart);
            }
        }
        take(rows->ws.apart, mech->n_v, out->weighed + mech->n_v * i);
    }
}

/* S out of the factor's places: blocks of two, the diagonal ones as (00, 10, 11). */
static void find_gram(spatial_rows *rows, double *gram) {
    const sarrus_mechanism *mech = rows->mech;
    const sarrus_mech_factor *f = &mech->factor;
    assert_int_equal(f->n_rows, mech->m);
    sarrus_gram(mech, rows->parameter, &rows->ws);
    for (int32_t i = 0; i < f->n_rows; ++i) {
        for (int32_t k = 0; k < f->n_rows; ++k) {
            const int32_t low = f->at[i] < f->at[k] ? f->at[k] : f->at[i], high = f->at[i] < f->at[k] ? f->at[i] : f->at[k];
            int32_t place = 4 * (high / 2) + low % 2 + high % 2;
            for (int32_t p = f->column[high / 2]; low / 2 != high / 2 && p < f->column[high / 2 + 1]; ++p) {
                place = f->entry_row[p] == low / 2 ? 4 * (f->n_blocks + p) + 2 * (low % 2) + high % 2 : place;
            }
            gram[mech->m * f->row_of[i] + f->row_of[k]] = rows->ws.factor[place][1];
        }
    }
}

static void find_masses(spatial_rows *rows, spatial_numbers *out) {
    const sarrus_mechanism *mech = rows->mech;
    for (int32_t b = 0; b < mech->n_bodies; ++b) {
        sarrus_body_weight(mech, rows->parameter, b, rows->v, rows->one_speed + space_v(b));
    }
    take(rows->one_speed, mech->n_v, out->root_v);
    sarrus_state_unweigh(mech, rows->parameter, &rows->ws, rows->one_speed, rows->ws.apart);
    take(rows->ws.apart, mech->n_v, out->v_again);
    sarrus_dense_rows(mech, rows->parameter, &rows->ws, 0, rows->dense);
    take(rows->dense, mech->m * mech->n_v, out->dense);
    out->kinetic = sarrus_kinetic_energy(mech, rows->parameter, rows->v)[1];
}

static void find_coordinates(spatial_rows *rows, spatial_numbers *out) {
    const sarrus_mechanism *mech = rows->mech;
    for (int32_t i = 0; i < mech->n_freedoms; ++i) {
        const sarrus_mech_freedom *freedom = &mech->freedom[i];
        sarrus_joint_here at;
        sarrus_joint_look(&rows->ws, rows->parameter, &mech->joint[freedom->joint], rows->q, rows->v, &at);
        if (sarrus_freedom_has_row(freedom->form)) {
            out->coordinate[i][0] = sarrus_freedom_row(&rows->ws, rows->parameter, &at, freedom).phi[1];
            continue;
        }
        const space_vector theta = sarrus_rotation_vector(&at);
        const double x[3] = {theta.x[1], theta.y[1], theta.z[1]};
        if (freedom->form == SARRUS_FREEDOM_BALL) {
            memcpy(out->coordinate[i], x, sizeof x);
        } else {
            out->coordinate[i][0] = x[freedom->form - SARRUS_FREEDOM_VECTOR_1];
        }
    }
}

void spatial_rows_find(spatial_rows *rows, double t, const double *q, const double *v, spatial_numbers *out) {
    const sarrus_mechanism *mech = rows->mech;
    memset(out, 0, sizeof *out);
    out->potential = spatial_rows_values(rows, t, q, v, out->phi, out->phi_dot);
    take(rows->ws.gamma, mech->m, out->gamma);
    find_products(rows, out);
    find_gram(rows, out->gram);
    find_masses(rows, out);
    find_coordinates(rows, out);
    out->open2 = sarrus_violation_squared(mech, rows->parameter, &rows->ws, rows->q, rows->v)[1];
    out->power = sarrus_free_acceleration(mech, rows->parameter, rows->input, rows->q, rows->v, &rows->ws)[1];
    take(rows->ws.force, mech->n_v, out->free_acceleration);
}

void spatial_rows_advance(const spatial_rows *rows, double scale, const double *d, double *q) {
    for (int32_t b = 0; b < rows->mech->n_bodies; ++b) {
        real at[SPACE_NQ], by[SPACE_NV];
        for (int32_t k = 0; k < SPACE_NQ; ++k) {
            at[k] = real_set(q[space_q(b) + k]);
        }
        for (int32_t k = 0; k < SPACE_NV; ++k) {
            by[k] = real_set(d[space_v(b) + k]);
        }
        space_advance(real_set(scale), by, real_lt(real_set(0.0), real_set(1.0)), at);
        for (int32_t k = 0; k < SPACE_NQ; ++k) {
            q[space_q(b) + k] = at[k][1];
        }
    }
}
