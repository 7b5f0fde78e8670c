#include "plan/configuration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/evaluator.h"
#include "plan/constraints.h"
#include "plan/turns.h"

static double *doubles(size_t n) {
    return calloc(n ? n : 1, sizeof(double));
}

/* Vectors must be aligned to their size. */
static double *lane_arrays(size_t n_arrays, int32_t width) {
    size_t bytes = (n_arrays * (size_t)width * sizeof(double) + 63) / 64 * 64 + 64;
    double *block = aligned_alloc(64, bytes);
    if (block)
        memset(block, 0, bytes);
    return block;
}

static void put(sarrus_configuration *c, int32_t array, double x) {
    for (int32_t lane = 0; lane < c->kernels->width; ++lane)
        c->call.tile[array * c->kernels->width + lane] = x;
}

static sarrus_status fill_nominal(sarrus_configuration *c, const double *values) {
    const sarrus_mechanism *mech = &c->plan->mech;
    double *parameters = doubles((size_t)mech->n_parameters);
    if (!parameters)
        return SARRUS_NO_MEMORY;
    bool good = sarrus_plan_parameters(c->plan, values, parameters, c->q, c->v);
    sarrus_plan_ground_begin(c->plan, parameters, c->ground);
    for (int k = 0; k < SARRUS_MOST_GROUND_SIGNALS; ++k) {
        const int32_t signal = mech->ground_signal[k];
        put(c, c->piece->p_held + k, signal < 0 ? 0.0 : sarrus_plan_signal_begin(c->plan, signal, parameters));
    }
    for (int32_t i = 0; i < mech->n_parameters; ++i)
        put(c, c->piece->mech.layout.parameter + i, parameters[i]);
    for (int b = 0; b < mech->n_bodies; ++b)
        c->weight[b] = sarrus_body_weight_of(mech->space, parameters + mech->p_body + (ptrdiff_t)c->sizes->n_parameters * b);
    free(parameters);
    return good ? SARRUS_OK : SARRUS_BAD_INPUT;
}

static sarrus_status fill(sarrus_configuration *c) {
    const sarrus_model *model = c->plan->model;
    sarrus_evaluator *evaluator = NULL;
    double *values = doubles((size_t)model->n_values);
    if (!values)
        return SARRUS_NO_MEMORY;
    sarrus_status status = sarrus_evaluator_create(model, &evaluator);
    if (status == SARRUS_OK) {
        status = sarrus_evaluator_run(evaluator, NULL, 0, values) ? fill_nominal(c, values) : SARRUS_BAD_INPUT;
        sarrus_evaluator_destroy(evaluator);
    }
    free(values);
    return status;
}

/* A mechanism of a few bodies and one joint or one constraint. Its parameters are those of the whole and, behind them, the
 * bodies'. */
static void piece_begin(sarrus_configuration *c) {
    sarrus_mechanism *mech = &c->piece->mech;
    const int32_t n_parameters = c->plan->mech.n_parameters;
    *mech = c->plan->mech;
    mech->n_bodies = c->piece->n_bodies;
    mech->n_q = mech->n_bodies * c->sizes->n_q;
    mech->n_v = mech->n_bodies * c->sizes->n_v;
    mech->n_joints = 1;
    mech->n_forces = mech->n_inputs = mech->n_cranks = 0;
    mech->solve = SARRUS_SOLVE_AUTO;
    mech->factor = (sarrus_mech_factor){0};
    mech->rank_change_capacity = 0;
    mech->p_body = n_parameters;
    c->piece->p_held = n_parameters + mech->n_bodies * c->sizes->n_parameters;
    mech->n_parameters = c->piece->p_held + SARRUS_MOST_GROUND_SIGNALS;
    mech->layout = (sarrus_tile_layout){.q = mech->n_parameters};
    mech->layout.v = mech->layout.q + mech->n_q;
    mech->layout.seen = mech->layout.v + mech->n_v;                      /* stays 0: angles are those of −π … π */
    mech->layout.n_arrays = mech->layout.seen + SARRUS_MAX_FREEDOMS + 1; /* one foot on a curve, behind the angles */
    mech->joint = &c->piece->joint;
    mech->constraint = &c->piece->constraint;
    mech->row = c->piece->row;
    mech->freedom = c->piece->freedom;
    mech->signal = c->piece->signal;
    mech->m = c->piece->max_rows;
    /* What a work space is cut for: no joint has more. */
    mech->n_freedoms = mech->n_free = SARRUS_MAX_FREEDOMS;
    mech->n_signals = SARRUS_MAX_FREEDOMS + SARRUS_MOST_GROUND_SIGNALS;
}

/* The signal of a drive, as one of the piece's own. */
static int32_t piece_signal(sarrus_configuration *c, int32_t signal) {
    sarrus_mechanism *mech = &c->piece->mech;
    if (signal < 0)
        return -1;
    c->piece->signal[mech->n_signals] = c->plan->signal[signal];
    return mech->n_signals++;
}

/* The signals that move ground, or what they are at t = 0. */
static void piece_take_ground(sarrus_configuration *c, double t) {
    sarrus_mechanism *mech = &c->piece->mech;
    for (int k = 0; mech->moves_ground && k < SARRUS_MOST_GROUND_SIGNALS; ++k) {
        mech->ground_signal[k] = piece_signal(c, c->plan->mech.ground_signal[k]);
        if (mech->ground_signal[k] >= 0 && t > 0.0)
            c->piece->signal[mech->ground_signal[k]] =
                (sarrus_mech_signal){.kind = SARRUS_SIGNAL_CONSTANT, .n = 1, .p = c->piece->p_held + k};
    }
}

/* The free coordinates of joint i, in space. */
static void piece_take_freedoms(sarrus_configuration *c, int i) {
    sarrus_mechanism *mech = &c->piece->mech;
    mech->n_freedoms = mech->n_free = 0;
    for (int k = c->piece->first_freedom[i]; k < c->piece->first_freedom[i + 1]; ++k) {
        sarrus_mech_freedom *freedom = &c->piece->freedom[mech->n_freedoms++];
        *freedom = c->plan->freedom[k];
        freedom->joint = 0;
        freedom->signal = piece_signal(c, freedom->signal);
        freedom->row = freedom->row < 0 ? -1 : freedom->row - c->plan->joint[i].row;
        freedom->at -= c->plan->freedom[c->piece->first_freedom[i]].at;
    }
}

/* Lets the piece be joint i at the time t. */
static void piece_take(sarrus_configuration *c, int i, double t) {
    const sarrus_mech_joint *from = &c->plan->joint[i];
    sarrus_mechanism *mech = &c->piece->mech;
    sarrus_mech_joint *joint = &c->piece->joint;
    mech->n_joints = 1;
    mech->n_constraints = 0;
    *joint = *from;
    joint->parent = from->parent < 0 ? from->parent : 0;
    joint->child = from->child < 0 ? from->child : 1;
    joint->row = 0;
    mech->n_signals = 0;
    joint->signal = piece_signal(c, from->signal);
    piece_take_freedoms(c, i);
    mech->n_drives = mech->n_signals;
    piece_take_ground(c, t);
    mech->m = from->n_rows;
    mech->n_general_rows = 0;
    for (int k = 0; k < from->n_rows; ++k) {
        c->piece->row[k] = c->plan->row[from->row + k];
        c->piece->row[k].parent = joint->parent;
        c->piece->row[k].child = joint->child;
        c->piece->row[k].joint = 0;
        if (c->piece->row[k].freedom >= 0)
            c->piece->row[k].freedom -= c->piece->first_freedom[i];
        mech->n_general_rows += c->piece->row[k].kind == SARRUS_ROW_GENERAL;
    }
}

/* Lets the piece be constraint i, whose bodies are four even where some of them are one. */
static void piece_take_constraint(sarrus_configuration *c, int i, double t) {
    sarrus_mechanism *mech = &c->piece->mech;
    sarrus_mech_constraint *constraint = &c->piece->constraint;
    mech->n_joints = mech->n_drives = mech->n_freedoms = mech->n_free = mech->n_signals = 0;
    mech->n_constraints = 1;
    mech->m = c->plan->joint[c->plan->mech.n_joints + i].n_rows;
    piece_take_ground(c, t);
    *constraint = c->plan->constraint[i];
    constraint->row = 0;
    constraint->part = constraint->part < 0 ? -1 : 1;
    constraint->seen = SARRUS_MAX_FREEDOMS;
    constraint->signal = piece_signal(c, constraint->signal);
    put(c, mech->layout.seen + constraint->seen, (double)NAN); /* no configuration has seen a foot: the nearest one is it */
    mech->n_general_rows = 0;
    for (int k = 0; k < 2 - (constraint->part < 0); ++k) {
        sarrus_mech_joint *of = &constraint->of[k];
        sarrus_mech_row *row = &c->piece->row[k];
        of->parent = of->parent < 0 ? of->parent : 2 * k;
        of->child = of->child < 0 ? of->child : 2 * k + 1;
        *row = c->plan->row[k ? c->plan->constraint[i].part : c->plan->constraint[i].row];
        row->parent = of->parent;
        row->child = of->child;
        row->joint = 0;
        mech->n_general_rows += row->kind == SARRUS_ROW_GENERAL;
    }
    for (int k = 1; k < mech->m; ++k) { /* all rows of two bodies are alike */
        c->piece->row[k] = c->piece->row[0];
        mech->n_general_rows += c->piece->row[k].kind == SARRUS_ROW_GENERAL;
    }
}

/* State and parameters of the bodies that row i holds. Ground has the coordinates of a body that stands at the origin. */
static void piece_place(sarrus_configuration *c, int i) {
    const sarrus_mechanism *mech = &c->piece->mech;
    const sarrus_body_sizes *sizes = c->sizes;
    const int32_t width = c->kernels->width;
    const int32_t w = mech->space == SARRUS_SPACE_SPATIAL ? SARRUS_SPATIAL_TURN : -1;
    int32_t bodies[SARRUS_ROW_BODIES];
    const int n_sides = sarrus_plan_row_bodies(c->plan, i, bodies);
    for (int side = 0; side < n_sides; ++side) {
        const int32_t body = bodies[side];
        const int32_t from = c->plan->mech.p_body + sizes->n_parameters * (body < 0 ? 0 : body);
        const int32_t to = mech->p_body + sizes->n_parameters * side;
        memcpy(c->call.tile + to * width, c->call.tile + (ptrdiff_t)from * width,
               (size_t)(sizes->n_parameters * width) * sizeof(double));
        for (int k = 0; k < sizes->n_q; ++k)
            put(c, mech->layout.q + sizes->n_q * side + k, body < 0 ? (double)(k == w) : c->q[sizes->n_q * body + k]);
        for (int k = 0; k < sizes->n_v; ++k)
            put(c, mech->layout.v + sizes->n_v * side + k, body < 0 ? 0.0 : c->v[sizes->n_v * body + k]);
    }
}

/* Where the free coordinates of every joint begin among those of all: [n_joints + 1]. */
static int *list_freedoms(const sarrus_plan *plan) {
    const int n_joints = plan->mech.n_joints;
    int *first = calloc((size_t)n_joints + 2, sizeof *first);
    for (int k = 0; first && k < plan->mech.n_freedoms; ++k)
        ++first[plan->freedom[k].joint + 1];
    for (int i = 0; first && i < n_joints; ++i)
        first[i + 1] += first[i];
    return first;
}

static bool piece_create(sarrus_configuration *c) {
    sarrus_configuration_piece *piece = c->piece = calloc(1, sizeof *c->piece);
    if (!piece)
        return false;
    const sarrus_mechanism *whole = &c->plan->mech;
    size_t max_rows = (size_t)whole->max_joint_rows;
    for (int32_t i = 0; i < whole->n_constraints; ++i) {
        const size_t n_rows = (size_t)c->plan->joint[whole->n_joints + i].n_rows;
        max_rows = n_rows > max_rows ? n_rows : max_rows;
    }
    piece->n_bodies = whole->n_constraints > 0 ? SARRUS_ROW_BODIES : 2;
    piece->max_rows = (int)max_rows;
    piece->row = calloc(max_rows + 2, sizeof *piece->row);
    piece->freedom = calloc(SARRUS_MAX_FREEDOMS, sizeof *piece->freedom);
    piece->signal = calloc(SARRUS_MAX_FREEDOMS + SARRUS_MOST_GROUND_SIGNALS, sizeof *piece->signal);
    piece->first_freedom = list_freedoms(c->plan);
    if (!piece->row || !piece->freedom || !piece->signal || !piece->first_freedom)
        return false;
    piece_begin(c);
    const int32_t width = c->kernels->width;
    c->call.mech = &piece->mech;
    c->call.tile = lane_arrays((size_t)piece->mech.layout.n_arrays, width);
    c->call.workspace = lane_arrays(c->kernels->workspace_arrays(&piece->mech), width);
    piece->lanes = lane_arrays(max_rows * ((size_t)(piece->n_bodies * c->sizes->n_v) + 2), width);
    return c->call.tile && c->call.workspace && piece->lanes;
}

static void piece_free(sarrus_configuration_piece *piece) {
    if (!piece)
        return;
    free(piece->row);
    free(piece->freedom);
    free(piece->signal);
    free(piece->first_freedom);
    free(piece->lanes);
    free(piece);
}

/* The side at which the body of a side stands first: there its numbers are. */
static int first_side(const int32_t *bodies, int side) {
    int first = 0;
    while (bodies[first] != bodies[side])
        ++first;
    return first;
}

static bool rows_create(sarrus_configuration *c) {
    c->rows = (sarrus_plan_rows){
        .n_rows = c->m, .n_bodies = c->plan->mech.n_bodies, .n_each = c->sizes->n_v, .n_sides = c->piece->n_bodies};
    c->rows.body = calloc((size_t)c->m + 1, sizeof *c->rows.body);
    c->rows.value = doubles((size_t)(c->rows.n_sides * c->sizes->n_v) * (size_t)c->m);
    for (int i = 0; c->rows.body && i < c->m; ++i) {
        int32_t *body = c->rows.body[i], bodies[SARRUS_ROW_BODIES];
        const int n_sides = sarrus_plan_row_bodies(c->plan, i, bodies);
        for (int side = 0; side < SARRUS_MOST_SIDES; ++side)
            body[side] = side < n_sides && first_side(bodies, side) == side ? bodies[side] : -1;
    }
    return c->rows.body && c->rows.value;
}

sarrus_status sarrus_configuration_create(const sarrus_plan *plan, sarrus_configuration *c) {
    memset(c, 0, sizeof *c);
    c->plan = plan;
    c->kernels = plan->mech.space == SARRUS_SPACE_SPATIAL ? &sarrus_kernels_spatial_baseline : &sarrus_kernels_baseline;
    c->sizes = sarrus_body_sizes_of(plan->mech.space);
    c->m = plan->mech.m;
    c->n = plan->mech.n_v;
    c->n_q = plan->mech.n_q;
    const size_t m = (size_t)c->m, n = (size_t)c->n, n_q = (size_t)c->n_q;
    c->weight = calloc((size_t)plan->mech.n_bodies + 1, sizeof *c->weight);
    c->q = doubles(n_q);
    c->v = doubles(n);
    c->phi = doubles(m);
    c->phi_whole = doubles(m);
    c->phi_dot = doubles(m);
    c->scratch = doubles(2 * n);
    c->held = doubles(n);
    sarrus_status status = SARRUS_NO_MEMORY;
    if (piece_create(c) && rows_create(c) && c->weight && c->q && c->v && c->phi && c->phi_whole && c->phi_dot && c->scratch &&
        c->held)
        status = fill(c);
    if (status == SARRUS_OK)
        status = sarrus_fronts_create(&c->rows, plan->watch, &c->fronts);
    if (status != SARRUS_OK)
        sarrus_configuration_free(c);
    return status;
}

void sarrus_configuration_free(sarrus_configuration *c) {
    piece_free(c->piece);
    free(c->call.tile);
    free(c->call.workspace);
    free(c->rows.body);
    free(c->rows.value);
    sarrus_fronts_free(&c->fronts);
    free(c->weight);
    free(c->q);
    free(c->v);
    free(c->phi);
    free(c->phi_whole);
    free(c->phi_dot);
    free(c->scratch);
    free(c->held);
    memset(c, 0, sizeof *c);
}

double sarrus_configuration_parameter(const sarrus_configuration *c, int32_t i) {
    return c->call.tile[(c->piece->mech.layout.parameter + i) * c->kernels->width];
}

/* Φ of row i in a configuration, which knows of no whole turns. At t = 0 angles are those of −π … π, as an instance's are. */
static double without_turns(const sarrus_configuration *c, int i, double t, double phi) {
    const sarrus_plan *plan = c->plan;
    const int32_t freedom = plan->row[i].freedom;
    if (freedom < 0 || !(t > 0.0))
        return phi;
    const int32_t form = plan->freedom[freedom].form;
    const bool comes_round = form >= SARRUS_FREEDOM_TURN_1 && form <= SARRUS_FREEDOM_SECOND_3;
    return comes_round ? remainder(phi, 2.0 * M_PI) : phi;
}

/* The rows of the piece, which begin with row `first` of the mechanism. Returns sum + Φ². */
static double take_rows(sarrus_configuration *c, int first, double t, double sum) {
    const int32_t width = c->kernels->width, n_numbers = c->piece->mech.n_v, max_rows = c->piece->max_rows, n_v = c->sizes->n_v;
    double *jacobian = c->piece->lanes, *phi = jacobian + (ptrdiff_t)max_rows * n_numbers * width,
           *phi_dot = phi + (ptrdiff_t)max_rows * width;
    c->call.is_configured = c->call.is_factored = 0;
    c->kernels->prepare(&c->call);
    c->kernels->rows(&c->call, t, jacobian, phi, phi_dot);
    for (int k = 0; k < c->piece->mech.m; ++k) {
        const int row = first + k;
        int32_t bodies[SARRUS_ROW_BODIES];
        const int n_sides = sarrus_plan_row_bodies(c->plan, row, bodies);
        double *value = sarrus_plan_row_side(&c->rows, row, 0);
        c->phi_whole[row] = phi[k * width];
        c->phi[row] = without_turns(c, row, t, c->phi_whole[row]);
        c->phi_dot[row] = phi_dot[k * width];
        for (int x = 0; x < n_v * n_sides; ++x)
            value[x] = jacobian[(n_numbers * k + x) * width];
        for (int x = 2 * n_v; x < n_v * n_sides; ++x) { /* of a part: its bodies may be those of the row */
            const int at = n_v * first_side(bodies, x / n_v) + x % n_v;
            value[at] += at < x ? value[x] : 0.0;
            value[x] = at < x ? 0.0 : value[x];
        }
        sum += c->phi[row] * c->phi[row];
    }
    return sum;
}

double sarrus_configuration_rows(sarrus_configuration *c, double t) {
    const sarrus_mechanism *mech = &c->plan->mech;
    double sum = 0.0;
    for (int i = 0; i < mech->n_joints; ++i) {
        const sarrus_mech_joint *joint = &c->plan->joint[i];
        if (joint->n_rows == 0)
            continue;
        piece_take(c, i, t);
        piece_place(c, joint->row);
        sum = take_rows(c, joint->row, t, sum);
    }
    for (int i = 0; i < mech->n_constraints; ++i) {
        piece_take_constraint(c, i, t);
        piece_place(c, c->plan->constraint[i].row);
        sum = take_rows(c, c->plan->constraint[i].row, t, sum);
    }
    return sqrt(sum);
}

int sarrus_configuration_open_owner(const sarrus_configuration *c, int n_owners, double *most) {
    int worst = 0;
    double largest = -1.0;
    for (int i = 0; i < n_owners && !isnan(largest); ++i) {
        const sarrus_mech_joint *owner = &c->plan->joint[i];
        double sum = 0.0;
        for (int k = owner->row; k < owner->row + owner->n_rows; ++k)
            sum += c->phi[k] * c->phi[k];
        if (!(sum <= largest)) {
            largest = sum;
            worst = i;
        }
    }
    *most = sqrt(largest);
    return worst;
}

void sarrus_configuration_weigh(const sarrus_configuration *c, double scale, const double *x, double *d) {
    const int n_v = c->sizes->n_v;
    for (int b = 0; b < c->plan->mech.n_bodies; ++b)
        sarrus_body_weigh(c->plan->mech.space, &c->weight[b], scale, x + n_v * b, d + n_v * b);
}

void sarrus_configuration_shift(sarrus_configuration *c, const double *from, double scale, const double *d) {
    const sarrus_body_sizes *sizes = c->sizes;
    if (from != c->q)
        memcpy(c->q, from, (size_t)c->n_q * sizeof *c->q);
    for (int b = 0; b < c->plan->mech.n_bodies; ++b)
        sarrus_body_advance(c->plan->mech.space, scale, d + sizes->n_v * b, c->q + sizes->n_q * b);
}

void sarrus_configuration_move(sarrus_configuration *c, const double *from, double scale, const double *x) {
    const sarrus_body_sizes *sizes = c->sizes;
    double d[SARRUS_MOST_EACH];
    if (from != c->q)
        memcpy(c->q, from, (size_t)c->n_q * sizeof *c->q);
    for (int b = 0; b < c->plan->mech.n_bodies; ++b) {
        sarrus_body_weigh(c->plan->mech.space, &c->weight[b], scale, x + sizes->n_v * b, d);
        sarrus_body_advance(c->plan->mech.space, 1.0, d, c->q + sizes->n_q * b);
    }
}

static double dot(const double *a, const double *b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i)
        sum += a[i] * b[i];
    return sum;
}

/* x ← M^{1/2} of the Newton step, with nothing along `held` if that is asked. */
static bool newton_direction(sarrus_configuration *c, bool is_held, double *x) {
    const double mu = 1e-8 * sarrus_plan_rows_scale(&c->rows);
    memset(x, 0, (size_t)c->n * sizeof *x);
    if (!(mu > 0.0))
        return true;
    if (!sarrus_fronts_factor(&c->fronts, &c->rows, mu, c->phi))
        return false;
    sarrus_fronts_least(&c->fronts, x);
    if (!is_held)
        return true;
    /* One row more, held · x = 0, by the formula of Sherman and Morrison. */
    double *turn = c->scratch + c->n;
    memcpy(turn, c->held, (size_t)c->n * sizeof *turn);
    sarrus_fronts_solve(&c->fronts, turn);
    const double share = dot(c->held, x, c->n) / (1.0 + dot(c->held, turn, c->n));
    for (int i = 0; i < c->n; ++i)
        x[i] -= share * turn[i];
    return true;
}

/* Turns by more than half a radian are cut: the linearization does not hold there. */
static bool newton_step(sarrus_configuration *c, bool is_held) {
    const sarrus_body_sizes *sizes = c->sizes;
    double *x = c->scratch, largest = 0.0, d[SARRUS_MOST_EACH];
    if (!newton_direction(c, is_held, x))
        return false;
    for (int b = 0; b < c->plan->mech.n_bodies; ++b) {
        sarrus_body_weigh(c->plan->mech.space, &c->weight[b], 1.0, x + sizes->n_v * b, d);
        for (int k = sizes->turn; k < sizes->n_v; ++k)
            largest = fmax(largest, fabs(d[k]));
    }
    sarrus_configuration_move(c, c->q, largest > 0.5 ? -0.5 / largest : -1.0, x);
    return true;
}

bool sarrus_configuration_newton(sarrus_configuration *c) {
    return newton_step(c, false);
}

/* ‖Φ‖ that is as good as none: where coordinates are 0, steps that are damped would go on to the smallest numbers there are. */
static const double closed = 1e-30;

static double assemble(sarrus_configuration *c, double t, bool is_held) {
    double error = sarrus_configuration_rows(c, t), best = error;
    int n_worse = 0;
    for (int i = 0; i < 60 && error > closed && n_worse < 8; ++i) {
        if (!newton_step(c, is_held))
            break;
        error = sarrus_configuration_rows(c, t);
        if (!isfinite(error))
            break;
        n_worse = error < 0.9 * best ? 0 : n_worse + 1;
        if (error < best)
            best = error;
        if (n_worse >= 2 && error < 1e-12)
            break;
    }
    return error;
}

double sarrus_configuration_assemble(sarrus_configuration *c, double t) {
    return assemble(c, t, false);
}

double sarrus_configuration_assemble_held(sarrus_configuration *c, double t) {
    return assemble(c, t, true);
}

sarrus_status sarrus_configuration_failure(const sarrus_configuration *c) {
    return c->plan->watch && c->plan->watch->is_stopped ? SARRUS_INTERRUPTED : SARRUS_NO_MEMORY;
}

/* Iterative refinement: solves again for the residual. Each time, at a singular value σ a little above μ, at most (μ/σ)² of the
 * residual remains. */
bool sarrus_configuration_least(sarrus_configuration *c, double tolerance, const double *b, double *x, double *rest) {
    const double mu = tolerance * sarrus_plan_rows_scale(&c->rows);
    const size_t m = (size_t)c->m, n = (size_t)c->n;
    double *left = doubles(2 * m), *met = left ? left + m : NULL;
    bool good = left != NULL;
    memset(x, 0, n * sizeof *x);
    if (good)
        memcpy(left, b, m * sizeof *left);
    for (int pass = 0; good && mu > 0.0 && pass < 4; ++pass) {
        good = sarrus_fronts_factor(&c->fronts, &c->rows, mu, left);
        if (!good)
            break;
        sarrus_fronts_least(&c->fronts, c->scratch);
        sarrus_plan_rows_apply(&c->rows, c->scratch, met);
        for (size_t i = 0; i < n; ++i)
            x[i] += c->scratch[i];
        for (size_t i = 0; i < m; ++i)
            left[i] -= met[i];
    }
    if (good && rest)
        memcpy(rest, left, m * sizeof *rest);
    free(left);
    return good;
}

/* μ² (AᵀA + μ²)⁻¹ leaves of a vector its part at singular values below μ; done more than once, next to nothing of those above. */
bool sarrus_configuration_free_part(sarrus_configuration *c, double tolerance, double *x) {
    const double mu = tolerance * sarrus_plan_rows_scale(&c->rows);
    if (!(mu > 0.0))
        return true;
    if (!sarrus_fronts_factor(&c->fronts, &c->rows, mu, NULL))
        return false;
    for (int pass = 0; pass < 3; ++pass) {
        sarrus_fronts_solve(&c->fronts, x);
        for (int i = 0; i < c->n; ++i)
            x[i] *= mu * mu;
    }
    return true;
}
