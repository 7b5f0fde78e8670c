/* Equations (31), (35), (41), (43) evaluated densely, twice: with every product that the paper counts, and as Sarrus would do it
 * (diagonal M exploited, right sides carried through the pseudoinverse). Each matrix operation adds what it executes. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bench/s5_study/s5_study.h"
#include "bench/s5_study/five_bar.h"
#include "bench/s5_study/runs.h"

typedef enum way { WAY_FULL, WAY_SARRUS, N_WAYS } way;

/* One evaluation under way. */
typedef struct evaluation {
    const sarrus_s5_system *system;
    sarrus_s5_count *count; /* NULL: not wanted */
    way way;
    sarrus_dense_pinv pinv;
    double flops; /* of the operation under way */
    sarrus_dense a;
} evaluation;

/* Books the operations since the last call under `name`. */
static void book(evaluation *e, const char *name) {
    sarrus_s5_count *count = e->count;
    const double flops = e->flops;
    e->flops = 0.0;
    if (count == NULL)
        return;
    int i = 0;
    while (i < count->n_lines && strcmp(count->lines[i].name, name) != 0)
        i++;
    if (i == SARRUS_S5_MAX_LINES)
        return;
    if (i == count->n_lines)
        count->lines[count->n_lines++] = (sarrus_s5_line){name, (double)NAN, (double)NAN, (double)NAN};
    double *place = e->way == WAY_FULL ? &count->lines[i].full : &count->lines[i].sarrus;
    *place = isnan(*place) ? flops : *place + flops;
}

/* --- The equations ---------------------------------------------------------------------------------------------------------- */

/* a_f = M⁻¹F by the full matrix or by its diagonal. */
static void free_acceleration(evaluation *e, const sarrus_dense *inverse, sarrus_dense *a_f) {
    sarrus_dense full;
    if (e->way == WAY_FULL) {
        sarrus_dense_diagonal(inverse, &full);
        sarrus_dense_product(&full, &e->system->force, a_f, &e->flops);
    } else {
        sarrus_dense_scale_rows(inverse, &e->system->force, a_f, &e->flops);
    }
    book(e, "a_f = M^-1 F");
}

/* y = γ − J a_f. */
static void free_residual(evaluation *e, const sarrus_dense *a_f, sarrus_dense *y) {
    sarrus_dense along;
    sarrus_dense_product(&e->system->jacobian, a_f, &along, &e->flops);
    book(e, "J a_f");
    sarrus_dense_subtract(&e->system->gamma, &along, y, &e->flops);
    book(e, "y = gamma - J a_f");
}

/* a = a_f + M^{-1/2} D⁺ (γ − J a_f). */
static void equation_31(evaluation *e) {
    const sarrus_s5_system *s = e->system;
    sarrus_dense inverse, root, full_root, d, a_f, y, pseudoinverse, product, z;
    sarrus_dense_reciprocal(&s->mass, &inverse, &e->flops);
    book(e, "M^-1");
    sarrus_dense_root(&inverse, &root, &e->flops);
    book(e, "M^-1/2");
    sarrus_dense_diagonal(&root, &full_root);
    if (e->way == WAY_FULL)
        sarrus_dense_product(&s->jacobian, &full_root, &d, &e->flops);
    else
        sarrus_dense_scale_columns(&s->jacobian, &root, &d, &e->flops);
    book(e, "D = J M^-1/2");
    free_acceleration(e, &inverse, &a_f);
    free_residual(e, &a_f, &y);
    if (e->way == WAY_FULL) {
        sarrus_dense_pseudoinverse(&e->pinv, &d, s->rank, NULL, &pseudoinverse, &e->flops);
        book(e, "D+");
        sarrus_dense_product(&full_root, &pseudoinverse, &product, &e->flops);
        book(e, "M^-1/2 D+");
        sarrus_dense_product(&product, &y, &z, &e->flops);
    } else {
        sarrus_dense_pseudoinverse(&e->pinv, &d, s->rank, &y, &z, &e->flops);
        book(e, "D+ y, D+ not formed");
        sarrus_dense_scale_rows(&root, &z, &z, &e->flops);
    }
    book(e, "M^-1/2 D+ y");
    sarrus_dense_add(&a_f, &z, &e->a, &e->flops);
    book(e, "a = a_f + M^-1/2 D+ y");
}

/* a = (I − HJ) M⁻¹F + Hγ, H = M⁻¹Jᵀ Q⁺, as printed. */
static void equation_35_full(evaluation *e, const sarrus_dense *inverse, const sarrus_dense *transpose, const sarrus_dense *q) {
    const sarrus_s5_system *s = e->system;
    sarrus_dense full, q_inverse, product, h, difference, a_f, moved;
    sarrus_dense_pseudoinverse(&e->pinv, q, s->rank, NULL, &q_inverse, &e->flops);
    book(e, "Q+");
    sarrus_dense_product(transpose, &q_inverse, &product, &e->flops);
    book(e, "J' Q+");
    sarrus_dense_diagonal(inverse, &full);
    sarrus_dense_product(&full, &product, &h, &e->flops);
    book(e, "H = M^-1 J' Q+");
    sarrus_dense_product(&h, &s->jacobian, &product, &e->flops);
    book(e, "H J");
    sarrus_dense_identity_minus(&product, &difference, &e->flops);
    book(e, "I - H J");
    free_acceleration(e, inverse, &a_f);
    sarrus_dense_product(&difference, &a_f, &moved, &e->flops);
    book(e, "(I - H J) a_f");
    sarrus_dense_product(&h, &s->gamma, &product, &e->flops);
    book(e, "H gamma");
    sarrus_dense_add(&moved, &product, &e->a, &e->flops);
    book(e, "a = (I - H J) a_f + H gamma");
}

static void equation_35(evaluation *e) {
    const sarrus_s5_system *s = e->system;
    sarrus_dense inverse, full, transpose, weighted, q, a_f, y, multiplier, moved;
    sarrus_dense_reciprocal(&s->mass, &inverse, &e->flops);
    book(e, "M^-1");
    sarrus_dense_transpose(&s->jacobian, &transpose);
    if (e->way == WAY_FULL) {
        sarrus_dense_diagonal(&inverse, &full);
        sarrus_dense_product(&full, &transpose, &weighted, &e->flops);
    } else {
        sarrus_dense_scale_rows(&inverse, &transpose, &weighted, &e->flops);
    }
    book(e, "M^-1 J'");
    sarrus_dense_product(&s->jacobian, &weighted, &q, &e->flops);
    book(e, "Q = J M^-1 J'");
    if (e->way == WAY_FULL) {
        equation_35_full(e, &inverse, &transpose, &q);
        return;
    }
    free_acceleration(e, &inverse, &a_f);
    free_residual(e, &a_f, &y);
    sarrus_dense_pseudoinverse(&e->pinv, &q, s->rank, &y, &multiplier, &e->flops);
    book(e, "Q+ y, Q+ not formed");
    sarrus_dense_product(&weighted, &multiplier, &moved, &e->flops);
    book(e, "M^-1 J' (Q+ y)");
    sarrus_dense_add(&a_f, &moved, &e->a, &e->flops);
    book(e, "a = a_f + M^-1 J' (Q+ y)");
}

/* J⁺ and `name` = I − J⁺J. */
static void null_projector(evaluation *e, const char *name, sarrus_dense *inverse, sarrus_dense *projector) {
    const sarrus_s5_system *s = e->system;
    sarrus_dense product;
    sarrus_dense_pseudoinverse(&e->pinv, &s->jacobian, s->rank, NULL, inverse, &e->flops);
    book(e, "J+");
    sarrus_dense_product(inverse, &s->jacobian, &product, &e->flops);
    book(e, "J+ J");
    sarrus_dense_identity_minus(&product, projector, &e->flops);
    book(e, name);
}

/* a = QF + (J⁺ − QMJ⁺)γ, Q = (EME)⁺, E = I − J⁺J; the same as x + Q(F − Mx) with x = J⁺γ. */
static void equation_41(evaluation *e) {
    const sarrus_s5_system *s = e->system;
    const int n_free = s->n - s->rank;
    sarrus_dense inverse, projector, half, eme, q, product, difference, along, x;
    null_projector(e, "E = I - J+ J", &inverse, &projector);
    if (e->way == WAY_FULL)
        sarrus_dense_product(&projector, &s->full_mass, &half, &e->flops);
    else
        sarrus_dense_scale_columns(&projector, &s->mass, &half, &e->flops);
    sarrus_dense_product(&half, &projector, &eme, &e->flops);
    book(e, "E M E");
    if (e->way == WAY_FULL) {
        sarrus_dense_pseudoinverse(&e->pinv, &eme, n_free, NULL, &q, &e->flops);
        book(e, "Q = (E M E)+");
        sarrus_dense_product(&s->full_mass, &inverse, &product, &e->flops);
        book(e, "M J+ (printed: (I + M) J+)");
        sarrus_dense_product(&q, &product, &half, &e->flops);
        book(e, "Q (M J+)");
        sarrus_dense_subtract(&inverse, &half, &difference, &e->flops);
        book(e, "J+ - Q M J+");
        sarrus_dense_product(&q, &s->force, &along, &e->flops);
        book(e, "Q F");
        sarrus_dense_product(&difference, &s->gamma, &x, &e->flops);
        book(e, "(J+ - Q M J+) gamma (printed: (I + M) J+)");
        sarrus_dense_add(&along, &x, &e->a, &e->flops);
        book(e, "a = Q F + (J+ - Q M J+) gamma");
        return;
    }
    sarrus_dense_product(&inverse, &s->gamma, &x, &e->flops);
    book(e, "x = J+ gamma");
    sarrus_dense_scale_rows(&s->mass, &x, &product, &e->flops);
    sarrus_dense_subtract(&s->force, &product, &difference, &e->flops);
    book(e, "F - M x");
    sarrus_dense_pseudoinverse(&e->pinv, &eme, n_free, &difference, &along, &e->flops);
    book(e, "(E M E)+ (F - M x), not formed");
    sarrus_dense_add(&x, &along, &e->a, &e->flops);
    book(e, "a = x + (E M E)+ (F - M x)");
}

/* a = [RM; J]⁺ [F; γ], R = I − J⁺J (the arbitrary vector zero). */
static void equation_43(evaluation *e) {
    const sarrus_s5_system *s = e->system;
    sarrus_dense inverse, projector, weighted, stacked, right, pseudoinverse;
    null_projector(e, "R = I - J+ J", &inverse, &projector);
    if (e->way == WAY_FULL)
        sarrus_dense_product(&projector, &s->full_mass, &weighted, &e->flops);
    else
        sarrus_dense_scale_columns(&projector, &s->mass, &weighted, &e->flops);
    book(e, "R M");
    sarrus_dense_stack(&weighted, &s->jacobian, &stacked);
    sarrus_dense_stack(&s->force, &s->gamma, &right);
    if (e->way == WAY_FULL) {
        sarrus_dense_pseudoinverse(&e->pinv, &stacked, s->n, NULL, &pseudoinverse, &e->flops);
        book(e, "[R M; J]+");
        sarrus_dense_product(&pseudoinverse, &right, &e->a, &e->flops);
        book(e, "[R M; J]+ [F; gamma]");
    } else {
        sarrus_dense_pseudoinverse(&e->pinv, &stacked, s->n, &right, &e->a, &e->flops);
        book(e, "[R M; J]+ [F; gamma], not formed");
    }
}

/* --- The gate --------------------------------------------------------------------------------------------------------------- */

/* a of [M Jᵀ; J 0][a; λ] = [F; γ], by LAPACK. */
static void saddle_solve(sarrus_dense_pinv *pinv, const sarrus_s5_system *s, sarrus_dense *a) {
    sarrus_dense saddle, right, solution;
    double flops = 0.0;
    const int size = s->n + s->m;
    sarrus_dense_clear(&saddle, size, size);
    for (int i = 0; i < s->n; ++i)
        memcpy(&saddle.at[i * size], &s->full_mass.at[i * s->n], (size_t)s->n * sizeof(double));
    for (int i = 0; i < s->m; ++i) {
        for (int k = 0; k < s->n; ++k)
            saddle.at[(s->n + i) * size + k] = saddle.at[k * size + s->n + i] = s->jacobian.at[i * s->n + k];
    }
    sarrus_dense_stack(&s->force, &s->gamma, &right);
    sarrus_dense_pseudoinverse(pinv, &saddle, s->n + s->rank, &right, &solution, &flops);
    sarrus_dense_clear(a, s->n, 1);
    memcpy(a->at, solution.at, (size_t)s->n * sizeof(double));
}

/* Every step of the equations is backward stable in itself, with an error of its size times ε; pseudoinverses multiply it by the
 * condition of their matrix, J, D or EME, and a formula that squares a matrix (Q of (35), E M E) by the condition once more. So
 * size · ε · κ² relative to the largest vector on the way, which is a, M⁻¹F (nonsingular M) or QF; 8 for the number of steps. */
static double error_bound(sarrus_dense_pinv *pinv, const sarrus_s5_system *s, const sarrus_dense *a) {
    double flops = 0.0;
    sarrus_dense_spectrum sigma;
    sarrus_dense inverse, product, projector, half, eme, root;
    sarrus_dense_spectrum_find(pinv, &s->jacobian, s->rank, &sigma);
    double condition = sigma.largest / sigma.kept, scale = sarrus_dense_largest(a);
    sarrus_dense_pseudoinverse(pinv, &s->jacobian, s->rank, NULL, &inverse, &flops);
    sarrus_dense_product(&inverse, &s->jacobian, &product, &flops);
    sarrus_dense_identity_minus(&product, &projector, &flops);
    sarrus_dense_product(&projector, &s->full_mass, &half, &flops);
    sarrus_dense_product(&half, &projector, &eme, &flops);
    sarrus_dense_spectrum_find(pinv, &eme, s->n - s->rank, &sigma);
    condition = fmax(condition, sigma.largest / sigma.kept);
    scale = fmax(scale, sarrus_dense_largest(&s->force) / sigma.kept);
    if (!s->is_singular) {
        sarrus_dense_reciprocal(&s->mass, &root, &flops);
        sarrus_dense_scale_rows(&root, &s->force, &half, &flops);
        scale = fmax(scale, sarrus_dense_largest(&half));
        sarrus_dense_root(&root, &root, &flops);
        sarrus_dense_scale_columns(&s->jacobian, &root, &half, &flops);
        sarrus_dense_spectrum_find(pinv, &half, s->rank, &sigma);
        condition = fmax(condition, sigma.largest / sigma.kept);
    }
    return 8.0 * (s->n + s->m) * DBL_EPSILON * condition * condition * scale;
}

static double largest_difference(const sarrus_dense *a, const sarrus_dense *b) {
    sarrus_dense difference;
    double flops = 0.0;
    sarrus_dense_subtract(a, b, &difference, &flops);
    return sarrus_dense_largest(&difference);
}

/* One equation one way; the error against `reference`. */
static sarrus_status evaluate(sarrus_context *context, sarrus_s5_system *s, int i_equation, way how,
                              const sarrus_dense *reference) {
    static void (*const equations[SARRUS_S5_N_EQUATIONS])(evaluation *) = {equation_31, equation_43, equation_35, equation_41};
    evaluation e = {.system = s, .count = &s->counts[i_equation], .way = how};
    e.pinv = (sarrus_dense_pinv){.context = context, .counts_formula = how == WAY_FULL};
    e.pinv.method = how == WAY_FULL ? SARRUS_PINV_LAPACK : SARRUS_PINV_HOUSEHOLDER;
    equations[i_equation](&e);
    s->errors[i_equation][how] = largest_difference(&e.a, reference);
    if (!(s->errors[i_equation][how] <= s->bound))
        s->has_failed = true;
    return e.pinv.status;
}

/* The lines in the paper's order, with its formulas; what the paper does not list comes where it is booked. */
static void begin_count(sarrus_s5_system *s, int i_equation) {
    const sarrus_s5_printed *printed = &sarrus_s5_printed_equations[i_equation];
    sarrus_s5_count *count = &s->counts[i_equation];
    for (int i = 0; i < printed->n_operations; ++i) {
        const double flops = sarrus_s5_formula_value(&printed->operations[i].flops, s->m, s->n);
        count->lines[count->n_lines++] = (sarrus_s5_line){printed->operations[i].name, flops, (double)NAN, (double)NAN};
    }
}

static void sum_count(sarrus_s5_count *count) {
    for (int i = 0; i < count->n_lines; ++i) {
        const sarrus_s5_line *line = &count->lines[i];
        count->paper += isnan(line->paper) ? 0.0 : line->paper;
        count->full += isnan(line->full) ? 0.0 : line->full;
        count->sarrus += isnan(line->sarrus) ? 0.0 : line->sarrus;
    }
}

static sarrus_status measure_system(sarrus_context *context, sarrus_s5_system *s) {
    sarrus_dense_pinv reference = {.context = context, .method = SARRUS_PINV_LAPACK, .counts_formula = 1};
    sarrus_dense a;
    saddle_solve(&reference, s, &a);
    s->bound = error_bound(&reference, s, &a);
    sarrus_status status = reference.status;
    for (int i = 0; i < SARRUS_S5_N_EQUATIONS && status == SARRUS_OK; ++i) {
        const bool needs_inverse = i == SARRUS_S5_EQ31 || i == SARRUS_S5_EQ35;
        begin_count(s, i);
        for (way how = WAY_FULL; how < N_WAYS && status == SARRUS_OK; ++how) {
            s->errors[i][how] = (double)NAN;
            if ((needs_inverse && s->is_singular) || (how == WAY_SARRUS && !s->is_diagonal))
                continue;
            status = evaluate(context, s, i, how, &a);
        }
        sum_count(&s->counts[i]);
    }
    return status;
}

/* --- The systems ------------------------------------------------------------------------------------------------------------ */

static sarrus_s5_system *add_system(sarrus_s5_flops *flops, const char *name, int m, int n, int rank) {
    sarrus_s5_system *s = &flops->systems[flops->n_systems++];
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->m = m;
    s->n = n;
    s->rank = rank;
    s->is_diagonal = true;
    sarrus_dense_clear(&s->mass, n, 1);
    sarrus_dense_clear(&s->jacobian, m, n);
    sarrus_dense_clear(&s->force, n, 1);
    sarrus_dense_clear(&s->gamma, m, 1);
    return s;
}

/* The five-bar with its cranks at `phi`, turning; without the coupler's mass when `is_massless`. */
static void add_five_bar(sarrus_s5_flops *flops, double phi, bool is_massless) {
    char name[64];
    double q[SARRUS_FIVE_BAR_N], v[SARRUS_FIVE_BAR_N], violation[SARRUS_FIVE_BAR_M];
    snprintf(name, sizeof name, "five-bar at %.0f degrees%s", phi * 57.29577951308232, is_massless ? ", massless coupler" : "");
    sarrus_s5_system *s = add_system(flops, name, SARRUS_FIVE_BAR_M, SARRUS_FIVE_BAR_N, SARRUS_FIVE_BAR_RANK);
    sarrus_five_bar_state(phi, 2.0, q, v);
    sarrus_five_bar_mass(s->mass.at);
    sarrus_five_bar_force(s->force.at);
    sarrus_five_bar_rows(q, v, violation, s->jacobian.at, s->gamma.at);
    s->is_singular = is_massless;
    for (int i = 9; is_massless && i < SARRUS_FIVE_BAR_N; ++i)
        s->mass.at[i] = s->force.at[i] = 0.0;
    sarrus_dense_diagonal(&s->mass, &s->full_mass);
}

/* In (−1, 1), by splitmix64: the same on every machine. */
static double draw(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1.0;
}

static void draw_all(uint64_t *state, sarrus_dense *a) {
    for (int i = 0; i < a->n_rows * a->n_columns; ++i)
        a->at[i] = draw(state);
}

/* A consistent system with one redundant row. `n_massless` zeros in M; `is_full`: M = B Bᵀ with that many columns fewer. */
static void add_random(sarrus_s5_flops *flops, int i_shape, int n_massless, bool is_full) {
    char name[64];
    const int m = sarrus_s5_shapes[i_shape][0], n = sarrus_s5_shapes[i_shape][1], rank = m - 1;
    uint64_t state = (uint64_t)(100 * i_shape + 10 * n_massless + is_full);
    double flops_unused = 0.0;
    sarrus_dense left, right, product;
    snprintf(name, sizeof name, "random, m = %d, n = %d%s", m, n,
             is_full          ? ", M full and singular"
             : n_massless > 0 ? ", M singular"
                              : "");
    sarrus_s5_system *s = add_system(flops, name, m, n, rank);
    sarrus_dense_clear(&left, m, rank);
    sarrus_dense_clear(&right, rank, n);
    draw_all(&state, &left);
    draw_all(&state, &right);
    sarrus_dense_product(&left, &right, &s->jacobian, &flops_unused);
    draw_all(&state, &s->force);
    for (int i = 0; i < n; ++i)
        s->mass.at[i] = i < n_massless ? 0.0 : 1.25 + 0.75 * draw(&state);
    sarrus_dense_product(&s->jacobian, &s->force, &s->gamma, &flops_unused); /* consistent: the image of some vector */
    s->is_singular = n_massless > 0;
    s->is_diagonal = !is_full;
    sarrus_dense_diagonal(&s->mass, &s->full_mass);
    if (is_full) {
        sarrus_dense_clear(&left, n, n - n_massless);
        draw_all(&state, &left);
        sarrus_dense_transpose(&left, &right);
        sarrus_dense_product(&left, &right, &product, &flops_unused);
        s->full_mass = product;
    }
    s->is_counted = n_massless == 0;
}

static sarrus_pinv_method method_of(const char *word) {
    for (int i = 0; i < SARRUS_N_PINV_METHODS; ++i) {
        if (strcmp(sarrus_pinv_method_word((sarrus_pinv_method)i), word) == 0)
            return (sarrus_pinv_method)i;
    }
    return SARRUS_PINV_AUTO;
}

/* D of the first system by every method, with the sweeps that it takes. */
static sarrus_status count_methods(sarrus_context *context, sarrus_s5_flops *flops) {
    const sarrus_s5_system *s = &flops->systems[0];
    sarrus_dense root, d, out;
    double unused = 0.0;
    sarrus_status status = SARRUS_OK;
    sarrus_dense_reciprocal(&s->mass, &root, &unused);
    sarrus_dense_root(&root, &root, &unused);
    sarrus_dense_scale_columns(&s->jacobian, &root, &d, &unused);
    for (int i = 0; i < SARRUS_S5_N_METHODS && status == SARRUS_OK; ++i) {
        sarrus_dense_pinv pinv = {.context = context, .method = method_of(sarrus_s5_methods[i])};
        sarrus_s5_method_count *count = &flops->methods[i];
        count->name = sarrus_s5_methods[i];
        sarrus_dense_pseudoinverse(&pinv, &d, s->rank, NULL, &out, &count->explicit_flops);
        sarrus_dense_pseudoinverse(&pinv, &d, s->rank, &s->gamma, &out, &count->apply_flops);
        status = pinv.status;
    }
    return status;
}

static sarrus_status read_plan(sarrus_context *context, const char *scenario, sarrus_plan_sizes *sizes) {
    sarrus_model *model = NULL;
    sarrus_plan *plan = NULL;
    const sarrus_override overrides[] = {{"dynamics.projection", "none"}};
    sarrus_status status = sarrus_scenario_read_file(context, scenario, overrides, 1, &model);
    if (status == SARRUS_OK)
        status = sarrus_plan_create(context, model, &plan);
    if (status == SARRUS_OK)
        sarrus_plan_sizes_get(plan, sizes);
    sarrus_plan_destroy(plan);
    sarrus_model_destroy(model);
    return status;
}

sarrus_status sarrus_s5_flops_measure(sarrus_context *context, const char *scenario, sarrus_s5_flops *out) {
    static const double degree = 0.017453292519943295;
    memset(out, 0, sizeof *out);
    add_five_bar(out, 45.0 * degree, false);
    out->systems[0].is_counted = true;
    add_five_bar(out, -5.0 * degree, false);
    add_five_bar(out, 80.0 * degree, false);
    add_five_bar(out, 45.0 * degree, true);
    for (int i = 0; i < SARRUS_S5_N_SHAPES; ++i)
        add_random(out, i, 0, false);
    for (int i = 0; i < SARRUS_S5_N_SHAPES; ++i)
        add_random(out, i, i == 0 ? 1 : 5, false);
    add_random(out, 1, 4, true);
    add_random(out, 2, 4, true);
    sarrus_status status = read_plan(context, scenario, &out->plan);
    for (int i = 0; i < out->n_systems && status == SARRUS_OK; ++i)
        status = measure_system(context, &out->systems[i]);
    return status == SARRUS_OK ? count_methods(context, out) : status;
}

int sarrus_s5_flops_failures(const sarrus_s5_flops *flops) {
    int n_failures = 0;
    for (int i = 0; i < flops->n_systems; ++i)
        n_failures += flops->systems[i].has_failed;
    return n_failures;
}
