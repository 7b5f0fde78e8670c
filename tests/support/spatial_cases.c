/* Scenarios with one joint in space. */
#include "tests/support/spatial_cases.h"
#include "tests/support/text_writer.h"
#include "tests/support/vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* --- Which ---------------------------------------------------------------------------------------------------------------- */

static const char *const held_words[] = {"x", "y", "z", "rx", "ry", "rz"};

static sarrus_joint joint_of(const spatial_case *what) {
    sarrus_joint joint = {.type = what->type, .held = what->held};
    for (int k = 0; k < SARRUS_MAX_FREEDOMS; ++k) {
        joint.drive[k] = -1;
    }
    return joint;
}

static bool can_be_driven(sarrus_freedom form) {
    return form >= SARRUS_FREEDOM_SHIFT_1 && form <= SARRUS_FREEDOM_SCREW;
}

static int list_of_type(sarrus_joint_type type, unsigned held, spatial_case *out) {
    const spatial_case plain = {.type = type, .held = held, .driven = -1};
    const sarrus_joint joint = joint_of(&plain);
    sarrus_freedom forms[SARRUS_MAX_FREEDOMS];
    const int n_freedoms = sarrus_joint_freedoms(&joint, forms);
    int n = 0;
    if (type != SARRUS_JOINT_BUSHING) { /* which is nothing without its springs */
        out[n++] = plain;
    }
    if (n_freedoms > 0) {
        out[n] = plain;
        out[n++].is_elastic = true;
    }
    for (int k = 0; type != SARRUS_JOINT_BUSHING && k < n_freedoms; ++k) {
        if (can_be_driven(forms[k])) {
            out[n] = plain;
            out[n].is_elastic = k % 2;
            out[n++].driven = k;
        }
    }
    return n;
}

int spatial_case_list(spatial_case out[SPATIAL_MAX_CASES]) {
    int n = 0;
#define SARRUS_SPATIAL_JOINT(name, value, ...)                                                                                     \
    for (unsigned held = 0; held < (SARRUS_JOINT_##name == SARRUS_JOINT_GENERAL ? 64U : 1U); ++held) {                             \
        n += list_of_type(SARRUS_JOINT_##name, held, out + n);                                                                     \
    }
#include "sarrus/joint.def"
    assert_true(n <= SPATIAL_MAX_CASES - SARRUS_MAX_FREEDOMS);
    return n;
}

const char *spatial_case_name(const spatial_case *what) {
    static const char *const groundings[] = {"between bodies", "ground as parent", "ground as child"};
    static char name[256];
    char list[64] = "", drive[32] = "";
    for (int k = 0; k < 6; ++k) {
        const size_t at = strlen(list);
        if ((what->held >> k) & 1U) {
            (void)snprintf(list + at, sizeof list - at, " %s", held_words[k]);
        }
    }
    if (what->driven >= 0) {
        (void)snprintf(drive, sizeof drive, ", drive %d", what->driven);
    }
    (void)snprintf(name, sizeof name, "%s%s, %s%s%s%s%s", sarrus_joint_word(what->type), list, groundings[what->grounding],
                   what->is_elastic ? ", elastic" : "", drive, what->is_far ? ", far" : "",
                   what->is_by_points ? ", by points" : "");
    return name;
}

/* --- Numbers --------------------------------------------------------------------------------------------------------------- */

static double between(double low, double high, uint64_t *seed) {
    return low + (high - low) * 0.5 * (1.0 + mechanism_random(seed));
}

/* Four numbers that are not all small. */
static void draw_parameters(uint64_t *seed, double p[4]) {
    double norm2 = 0.0;
    while (norm2 < 0.1) {
        norm2 = 0.0;
        for (int k = 0; k < 4; ++k) {
            p[k] = mechanism_random(seed);
            norm2 += p[k] * p[k];
        }
    }
}

/* The inertia of some point masses, which any body could have. */
static void draw_body(uint64_t *seed, spatial_reference_body *body) {
    memset(body, 0, sizeof *body);
    body->mass = between(0.5, 3.0, seed);
    for (int i = 0; i < 4; ++i) {
        const double m = between(0.1, 0.6, seed);
        double s[3];
        vector_random(0.7, seed, s);
        for (int k = 0; k < 3; ++k) {
            body->inertia[k] += m * (0.1 + s[(k + 1) % 3] * s[(k + 1) % 3] + s[(k + 2) % 3] * s[(k + 2) % 3]);
            body->inertia[3 + k] -= m * s[k == 2 ? 1 : 0] * s[k == 0 ? 1 : 2];
        }
    }
    vector_random(0.5, seed, body->rotor);
}

/* What a scenario says and the reference does not keep. */
typedef struct given {
    double q[REFERENCE_BODIES][REFERENCE_NQ], v[REFERENCE_BODIES][REFERENCE_NV];
    double axis[2][3], frame[4]; /* as far as the type has them */
    double at[2][3];             /* m, inertial: the parent's point, the child's */
    double point[2][3];          /* m, in the bodies' frames */
} given;

/* x less its part along the unit vector `axis`, of length 1. */
static void make_across(const long double axis[3], long double x[3]) {
    const long double along = axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2];
    for (int k = 0; k < 3; ++k) {
        x[k] -= along * axis[k];
    }
    vector_normalize(x);
}

typedef enum axes_need { NEEDS_NOTHING, NEEDS_AXIS, NEEDS_AXES, NEEDS_PITCH, NEEDS_LENGTH, NEEDS_LIST, NEEDS_FRAME } axes_need;

static axes_need need_of(sarrus_joint_type type) {
    static const axes_need needs[SARRUS_N_JOINT_TYPES] = {
#define SARRUS_SPATIAL_JOINT(name, value, word, row_0, row_1, row_2, row_3, row_4, row_5, free_0, free_1, free_2, free_3, free_4,  \
                             free_5, needs, text)                                                                                  \
    [value] = NEEDS_##needs,
#include "sarrus/joint.def"
    };
    return needs[type];
}

/* The axes in the inertial frame at t = 0, as docs/scenario.md says: those of `frame`, or around axis 3, or 1 and 2. */
static void draw_axes(const spatial_case *what, uint64_t *seed, given *is, long double axis[3][3]) {
    long double a[3][3];
    int least = 0;
    vector_random(1.0, seed, is->axis[0]);
    vector_random(1.0, seed, is->axis[1]);
    draw_parameters(seed, is->frame);
    memset(axis, 0, 9 * sizeof axis[0][0]);
    switch (need_of(what->type)) {
    case NEEDS_AXIS:
    case NEEDS_PITCH: /* axis 1 out of the inertial axis that axis 3 has least of */
        for (int k = 0; k < 3; ++k) {
            axis[2][k] = is->axis[0][k];
            least = fabs(is->axis[0][k]) < fabs(is->axis[0][least]) ? k : least;
        }
        vector_normalize(axis[2]);
        axis[0][least] = 1.0L;
        make_across(axis[2], axis[0]);
        vector_cross(axis[2], axis[0], axis[1]);
        return;
    case NEEDS_AXES:
        for (int k = 0; k < 3; ++k) {
            axis[0][k] = is->axis[0][k];
            axis[1][k] = is->axis[1][k];
        }
        vector_normalize(axis[0]);
        make_across(axis[0], axis[1]);
        vector_cross(axis[0], axis[1], axis[2]);
        for (int k = 0; k < 3; ++k) {
            is->axis[1][k] = (double)(0.5L * axis[1][k]);
        }
        return;
    case NEEDS_LIST:
    case NEEDS_FRAME:
        spatial_reference_rotation(is->frame, a);
        for (int k = 0; k < 9; ++k) {
            axis[k % 3][k / 3] = a[k / 3][k % 3];
        }
        return;
    case NEEDS_NOTHING:
    case NEEDS_LENGTH:
        break;
    }
    axis[0][0] = axis[1][1] = axis[2][2] = 1.0L;
}

static bool has_shift(const spatial_reference *ref, int axis) {
    bool found = false;
    for (int k = 0; k < ref->n_freedoms; ++k) {
        found = found || (int)ref->freedoms[k] == SARRUS_FREEDOM_SHIFT_1 + axis;
        found = found || (ref->freedoms[k] == SARRUS_FREEDOM_SCREW && axis == 2);
    }
    return found;
}

/* Both points; `apart`: the way between them. */
static void draw_points(const spatial_case *what, uint64_t *seed, long double axis[3][3], spatial_reference *ref, given *is) {
    const double sign = what->is_far ? SPATIAL_FAR : 0.3, corner[3] = {0.6 * sign, 0.7 * sign, -0.4 * sign};
    const double direction = mechanism_random(seed);
    long double apart[3] = {0.0L, 0.0L, 0.0L};
    for (int k = 0; k < 3; ++k) {
        const bool is_apart = what->type == SARRUS_JOINT_DISTANCE || (what->is_by_points && has_shift(ref, k));
        const double by = is_apart ? 0.6 + 0.2 * direction * k : 0.0;
        for (int i = 0; i < 3; ++i) {
            apart[i] += by * axis[k][i];
        }
    }
    for (int k = 0; k < 3; ++k) {
        is->at[0][k] = corner[k];
        is->at[1][k] = (double)(corner[k] + apart[k]);
    }
    memcpy(ref->origin, corner, sizeof corner);
}

/* The points and axes in the bodies' frames, from what the scenario says. */
static void settle_joint(const spatial_case *what, long double axis[3][3], given *is, spatial_reference *ref) {
    long double place[2][3];
    for (int side = 0; side < 2; ++side) {
        static const double ground[REFERENCE_NQ] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
        const double *q = ref->body[side] == SARRUS_GROUND ? ground : is->q[ref->body[side]];
        long double a[3][3], from[3];
        spatial_reference_rotation(q + 3, a);
        for (int k = 0; k < 3; ++k) {
            from[k] = (long double)is->at[side][k] - q[k];
            vector_rotate_back(a, axis[k], ref->axis[side][k]);
        }
        vector_rotate_back(a, from, ref->point[side]);
        for (int k = 0; k < 3; ++k) {
            is->point[side][k] = (double)ref->point[side][k];
            ref->point[side][k] = what->is_by_points ? is->point[side][k] : ref->point[side][k];
        }
        vector_rotate(a, ref->point[side], place[side]);
        for (int k = 0; k < 3; ++k) {
            place[side][k] += q[k];
        }
    }
    long double d[3], length2 = 0.0L;
    for (int k = 0; k < 3; ++k) {
        d[k] = place[1][k] - place[0][k];
        length2 += d[k] * d[k];
    }
    for (int k = 0; k < 3; ++k) {
        ref->zero[k] = axis[k][0] * d[0] + axis[k][1] * d[1] + axis[k][2] * d[2];
    }
    ref->length = (double)sqrtl(length2);
}

static void draw_coordinates(const spatial_case *what, uint64_t *seed, spatial_reference *ref) {
    const bool is_vector = what->type == SARRUS_JOINT_BUSHING;
    for (int k = 0; k < ref->n_freedoms && what->is_elastic; ++k) {
        ref->stiffness[k] = between(5.0, 20.0, seed);
        ref->damping[k] = between(0.2, 1.0, seed);
        ref->rest[k] = is_vector || ref->freedoms[k] == SARRUS_FREEDOM_BALL ? 0.0 : between(-0.2, 0.2, seed);
    }
    ref->driven = what->driven;
    ref->amplitude = between(0.2, 0.5, seed);
    ref->frequency = between(0.3, 0.9, seed);
    ref->offset = 0.0;
    ref->pitch = between(0.2, 0.4, seed);
}

static void draw_case(const spatial_case *what, uint64_t *seed, spatial_reference *ref, given *is) {
    const sarrus_joint joint = joint_of(what);
    long double axis[3][3];
    memset(ref, 0, sizeof *ref);
    memset(is, 0, sizeof *is);
    ref->gravity[0] = 0.3;
    ref->gravity[1] = -9.81;
    ref->gravity[2] = 0.5;
    ref->n_bodies = what->grounding == JOINT_BETWEEN_BODIES ? 2 : 1;
    ref->body[0] = what->grounding == JOINT_PARENT_ON_GROUND ? SARRUS_GROUND : 0;
    ref->body[1] = what->grounding == JOINT_CHILD_ON_GROUND ? SARRUS_GROUND : ref->n_bodies - 1;
    ref->n_rows = sarrus_joint_row_forms(&joint, ref->rows);
    ref->n_freedoms = sarrus_joint_freedoms(&joint, ref->freedoms);
    const bool is_stuck = ref->n_rows == 6 && ref->n_bodies == 1;
    draw_axes(what, seed, is, axis);
    draw_points(what, seed, axis, ref, is);
    for (int b = 0; b < ref->n_bodies; ++b) {
        draw_body(seed, &ref->bodies[b]);
        vector_random(0.7, seed, is->q[b]);
        for (int k = 0; k < 3; ++k) {
            is->q[b][k] += is->at[0][k];
        }
        draw_parameters(seed, is->q[b] + 3);
        vector_random(is_stuck ? 0.0 : 1.0, seed, is->v[b]);
        vector_random(is_stuck ? 0.0 : 1.0, seed, is->v[b] + 3);
    }
    settle_joint(what, axis, is, ref);
    draw_coordinates(what, seed, ref);
}

/* --- Text ------------------------------------------------------------------------------------------------------------------ */

/* One number where there is one coordinate, else a list. */
static void put_entries(text_writer *to, const char *key, int n_all, int n, const double *x) {
    if (n_all == 1 && n == 1) {
        text_put(to, ", %s: %.17g", key, x[0]);
    } else if (n > 0) {
        text_put(to, ", %s: ", key);
        text_put_numbers(to, "", n, x);
    }
}

static void put_drive(text_writer *to, const spatial_reference *ref, int n) {
    text_put(to, n == 1 && ref->n_freedoms == 1 ? ", drive: " : ", drive: [");
    for (int k = 0; k < n; ++k) {
        text_put(to, "%s", k ? ", " : "");
        if (k == ref->driven) {
            text_put(to, "{signal: {sine: {amplitude: %.17g, frequency: %.17g, offset: %.17g}}}", ref->amplitude, ref->frequency,
                     ref->offset);
        } else {
            text_put(to, "null");
        }
    }
    text_put(to, n == 1 && ref->n_freedoms == 1 ? "" : "]");
}

static void put_geometry(text_writer *to, const spatial_case *what, const spatial_reference *ref, const given *is) {
    const bool is_distance = what->type == SARRUS_JOINT_DISTANCE;
    text_put_numbers(to,
                     what->is_by_points ? ", points: ["
                     : is_distance      ? ", at: ["
                                        : ", at: ",
                     3, what->is_by_points ? is->point[0] : is->at[0]);
    if (what->is_by_points || is_distance) {
        text_put_numbers(to, ", ", 3, what->is_by_points ? is->point[1] : is->at[1]);
        text_put(to, "]");
    }
    switch (need_of(what->type)) {
    case NEEDS_PITCH:
        text_put(to, ", pitch: %.17g", ref->pitch);
        text_put_numbers(to, ", axis: ", 3, is->axis[0]);
        break;
    case NEEDS_AXIS:
        text_put_numbers(to, ", axis: ", 3, is->axis[0]);
        break;
    case NEEDS_AXES:
        text_put_numbers(to, ", axes: [", 3, is->axis[0]);
        text_put_numbers(to, ", ", 3, is->axis[1]);
        text_put(to, "]");
        break;
    case NEEDS_LIST:
        text_put(to, ", constrain: [");
        for (int k = 0, n = 0; k < 6; ++k) {
            if ((what->held >> k) & 1U) {
                text_put(to, "%s%s", n++ ? ", " : "", held_words[k]);
            }
        }
        text_put_numbers(to, "], frame: ", 4, is->frame);
        break;
    case NEEDS_FRAME:
        text_put_numbers(to, ", frame: ", 4, is->frame);
        break;
    case NEEDS_LENGTH:
        if (what->is_by_points) {
            text_put(to, ", length: %.17g", ref->length);
        }
        break;
    case NEEDS_NOTHING:
        break;
    }
}

void spatial_case_write(const spatial_case *what, uint64_t *seed, const char *dynamics, const char *integrator, size_t size,
                        char *text, spatial_reference *ref) {
    static const char *const names[] = {"ground", "A", "B"};
    text_writer to = {.text = text, .size = size};
    given is;
    draw_case(what, seed, ref, &is);
    text_put(&to, "sarrus: 1\nspace: spatial\n");
    text_put_numbers(&to, "gravity: ", 3, ref->gravity);
    text_put(&to, "\nbodies:\n");
    for (int b = 0; b < ref->n_bodies; ++b) {
        text_put(&to, "  - {name: %s, mass: %.17g", names[b + 1], ref->bodies[b].mass);
        text_put_numbers(&to, ", inertia: ", 6, ref->bodies[b].inertia);
        text_put_numbers(&to, ", rotor: ", 3, ref->bodies[b].rotor);
        text_put_numbers(&to, ", position: ", 3, is.q[b]);
        text_put_numbers(&to, ", orientation: ", 4, is.q[b] + 3);
        text_put_numbers(&to, ", velocity: ", 3, is.v[b]);
        text_put_numbers(&to, ", angular_velocity: ", 3, is.v[b] + 3);
        text_put(&to, "}\n");
    }
    text_put(&to, "joints:\n  - {name: J, type: %s, bodies: [%s, %s]", sarrus_joint_word(what->type), names[ref->body[0] + 1],
             names[ref->body[1] + 1]);
    put_geometry(&to, what, ref, &is);
    const int n = ref->n_freedoms, n_plain = n - (n > 0 && ref->freedoms[n - 1] == SARRUS_FREEDOM_BALL);
    if (what->is_elastic) {
        put_entries(&to, "stiffness", n, n, ref->stiffness);
        put_entries(&to, "damping", n, n, ref->damping);
        put_entries(&to, "rest", n, what->type == SARRUS_JOINT_BUSHING ? 0 : n_plain, ref->rest);
    }
    if (what->driven >= 0) {
        put_drive(&to, ref, n_plain);
    }
    text_put(&to, "}\n%s%s\n", dynamics, integrator);
}
