/* Coordinates of pairs from the poses of the bodies. What the pairs of a joint do together is D = E_inboard⁻¹ E_outboard, with
 * E = T T₀⁻¹ of a body that is at T now and at T₀ for q = 0; its turns follow from the rotation of D, its slides from what that
 * leaves of the shift of a point on their axes. */
#include <math.h>
#include <string.h>

#include "kinematics/kinematics.h"
#include "plan/plan.h"
#include "plan/rotation.h"
#include "sarrus/status.h"

static void rotated(const double pose[12], bool is_back, const double x[3], double out[3]) {
    for (int i = 0; i < 3; ++i)
        out[i] = is_back ? pose[i] * x[0] + pose[3 + i] * x[1] + pose[6 + i] * x[2] : sarrus_vector_dot(pose + 3 * (ptrdiff_t)i, x);
}

/* The angle of a rotation about an axis that it keeps. */
static double turn_of(const double pose[12], const double axis[3]) {
    const double twice[3] = {pose[7] - pose[5], pose[2] - pose[6], pose[3] - pose[1]};
    return atan2(sarrus_vector_dot(axis, twice), pose[0] + pose[4] + pose[8] - 1.0);
}

/* R = R_a(q₀) R_b(q₁): R b = R_a b, Rᵀ a = R_bᵀ a. */
static void two_turns_of(const double pose[12], const double a[3], const double b[3], double q[2]) {
    double c[3], x[3];
    sarrus_vector_cross(a, b, c);
    rotated(pose, false, b, x);
    q[0] = atan2(sarrus_vector_dot(x, c), sarrus_vector_dot(x, b));
    rotated(pose, true, a, x);
    q[1] = atan2(sarrus_vector_dot(x, c), sarrus_vector_dot(x, a));
}

/* R = R_a(q₀) R_b(q₁) R_c(q₂) of a right-handed frame: R c = sin q₁ a + cos q₁ (cos q₀ c − sin q₀ b). With b₀ = R_a(q₀) b, about
 * which the second turn goes, b₀·R a = sin q₂ and b₀·R b = cos q₂: near cos q₁ = 0, where only q₀ ± q₂ is known, the last turn
 * makes up for the first. */
static void three_turns_of(const double pose[12], const double a[3], const double b[3], const double c[3], double q[3]) {
    double x[3];
    rotated(pose, false, c, x);
    q[0] = atan2(-sarrus_vector_dot(x, b), sarrus_vector_dot(x, c));
    q[1] = atan2(sarrus_vector_dot(x, a), hypot(sarrus_vector_dot(x, b), sarrus_vector_dot(x, c)));
    double along[2];
    for (int k = 0; k < 2; ++k) {
        rotated(pose, false, k == 0 ? a : b, x);
        along[k] = cos(q[0]) * sarrus_vector_dot(b, x) + sin(q[0]) * sarrus_vector_dot(c, x);
    }
    q[2] = atan2(along[0], along[1]);
}

/* A point on the axes of the pairs that turn: of the first, w × v; of several the one that all go through. */
static void point_of(const double *screw, int n_turns, double out[3]) {
    sarrus_vector_cross(screw + 3, screw, out);
    if (n_turns < 2)
        return;
    double other[3];
    sarrus_vector_cross(screw + 9, screw + 6, other);
    const double missing = sarrus_vector_dot(other, screw + 3); /* the axes are at right angles */
    for (int i = 0; i < 3; ++i)
        out[i] += missing * screw[3 + i];
}

/* Of the pairs of one joint. */
static void joint_take(const sarrus_kinematics *k, const kinematics_instance *own, int first, int n, const double d[12],
                       double *q) {
    int n_slides = 0;
    while (n_slides < n && k->pair[first + n_slides].kind == SARRUS_PAIR_SLIDE)
        ++n_slides;
    const int n_turns = n - n_slides, turn = first + n_slides;
    const double *screw = own->screw + 6 * (ptrdiff_t)turn;
    double point[3] = {0, 0, 0}, moved[3], shift[3];
    if (n_turns == 1)
        q[turn] = turn_of(d, screw + 3);
    else if (n_turns == 2)
        two_turns_of(d, screw + 3, screw + 9, q + turn);
    else if (n_turns == 3)
        three_turns_of(d, screw + 3, screw + 9, screw + 15, q + turn);
    if (n_turns > 0)
        point_of(screw, n_turns, point);
    rotated(d, false, point, moved);
    for (int i = 0; i < 3; ++i)
        shift[i] = d[9 + i] + moved[i] - point[i];
    for (int s = 0; s < n_slides; ++s)
        q[first + s] = sarrus_vector_dot(own->screw + 6 * (ptrdiff_t)(first + s), shift);
    if (n_turns == 1 && k->pair[turn].kind == SARRUS_PAIR_SCREW && own->pitch[turn] != 0.0) {
        const double whole = sarrus_vector_dot(screw + 3, shift) / own->pitch[turn];
        q[turn] += 2.0 * M_PI * round((whole - q[turn]) / (2.0 * M_PI));
    }
}

sarrus_status sarrus_kinematics_coordinates(const sarrus_kinematics *k, size_t n_instances, const double *bodies, double *q) {
    static const double stays[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    if (!bodies || !q || !sarrus_kinematics_has(k, n_instances))
        return SARRUS_BAD_ARGUMENT;
    const size_t n = (size_t)k->n, n_q = (size_t)k->plan->mech.n_q;
    kinematics_state state;
    const bool good = sarrus_kinematics_state_create(k, &state);
    for (size_t i = 0; good && i < n_instances; ++i) {
        const kinematics_instance own = sarrus_kinematics_instance(k, i);
        for (int c = 0; c < k->n_bodies; ++c) {
            const int body = k->order[c], inboard = k->inboard[body];
            double now[12], back[12], inverse[12], d[12], *moved = state.pose + 12 * (ptrdiff_t)body;
            sarrus_pose_of_body(k->plan, bodies + i * n_q, body, now);
            sarrus_pose_invert(own.pose + 12 * (ptrdiff_t)body, back);
            sarrus_pose_compose(now, back, moved);
            sarrus_pose_invert(inboard < 0 ? stays : state.pose + 12 * (ptrdiff_t)inboard, inverse);
            sarrus_pose_compose(inverse, moved, d);
            joint_take(k, &own, k->first_pair[body], k->n_pairs[body], d, q + i * n);
        }
    }
    sarrus_kinematics_state_free(&state);
    return good ? SARRUS_OK : SARRUS_NO_MEMORY;
}
