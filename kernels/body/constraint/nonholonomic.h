/* Bodies A and B that do not slip in a direction, or at a given speed (S1 eq 9: rows in the velocities alone; S3 5.3.2). P is a
 * point of B, u its velocity less that of A there, e and b what B's frame carries along:
 *
 *   Φ̇ = e·u + b (ω_B − ω_A) − g(t) = 0,   e = R_B along,   t_B = e·ρ_B^⊥ + b,   t_A = −e·ρ_A^⊥ − b,
 *   γ = ω_B² e·ρ_B − ω_A² e·ρ_A + (ω_A + ω_B) e·u^⊥ + ġ.
 *
 * Such a row says nothing of positions: Φ = 0. A projection of positions, which has it in J, moves nothing across it while the rows
 * are independent. */
#ifndef SARRUS_BODY_CONSTRAINT_NONHOLONOMIC_H
#define SARRUS_BODY_CONSTRAINT_NONHOLONOMIC_H

#include "kernels/body/row_parts.h"

LANE_BODY sarrus_row_value sarrus_row_slip(const real *parameter, const sarrus_mech_constraint *constraint, const real *q,
                                           const real *v, sarrus_workspace *ws) {
    const real *p = lane_from(parameter, constraint->p), zero = real_set(0.0), about = lane_at(p, SARRUS_PC_ABOUT);
    const int32_t a = constraint->of[0].parent, b = constraint->of[0].child;
    const sarrus_point here = sarrus_point_of(ws, q, v, b, lane_at(p, SARRUS_PC_POINT_X), lane_at(p, SARRUS_PC_POINT_Y));
    const sarrus_point origin = sarrus_point_of(ws, q, v, a, zero, zero);
    const space_vector apart = {here.x - origin.x, here.y - origin.y}, of_a = sarrus_into_frame(ws, a, apart);
    const sarrus_point there = sarrus_point_of(ws, q, v, a, of_a.x, of_a.y);
    const real ux = here.vx - there.vx, uy = here.vy - there.vy;
    sarrus_row_value row;
    sarrus_vector_of(ws, b, lane_at(p, SARRUS_PC_ALONG_X), lane_at(p, SARRUS_PC_ALONG_Y), &row.ex, &row.ey);
    row.turn_child = real_fnma(row.ex, here.arm_y, row.ey * here.arm_x) + about;
    row.turn_parent = -(real_fnma(row.ex, there.arm_y, row.ey * there.arm_x) + about);
    row.phi = zero;
    row.phi_dot = real_fma(about, here.omega - there.omega, real_fma(row.ex, ux, row.ey * uy));
    const real of_b = real_fma(row.ex, here.arm_x, row.ey * here.arm_y),
               of_there = real_fma(row.ex, there.arm_x, row.ey * there.arm_y);
    const real across = real_fnma(row.ex, uy, row.ey * ux); /* e·u^⊥ */
    row.gamma = real_fma(here.omega * here.omega, of_b, (here.omega + there.omega) * across);
    row.gamma = real_fnma(there.omega * there.omega, of_there, row.gamma);
    if (constraint->signal >= 0) {
        row.phi_dot = row.phi_dot - frame_at(ws->signal, 3 * constraint->signal);
        row.gamma = row.gamma + frame_at(ws->signal, 3 * constraint->signal + 1);
    }
    return row;
}

#endif
