/* The hash of a plan, over all that decides the order of arithmetic and what is judged: the version, sizes, methods, tolerances and
 * limits, joints, forces, signals, the tables of the factor and of the tree. The values of an instance have no part in it. */
#include "plan/build.h"
#include "sarrus/version.h"

/* FNV-1a, 64 bits. */
static void hash_bytes(uint64_t *hash, const void *bytes, size_t n) {
    const unsigned char *b = bytes;
    for (size_t i = 0; i < n; ++i)
        *hash = (*hash ^ b[i]) * 1099511628211u;
}

static void hash_table(uint64_t *hash, const int32_t *table, int32_t n) {
    hash_bytes(hash, table, (size_t)n * sizeof *table);
}

/* The tables of relative coordinates. */
static void hash_tree(uint64_t *hash, const sarrus_plan *plan) {
    const sarrus_mech_tree *tree = &plan->mech.tree;
    const int32_t sizes[] = {plan->mech.n_q, plan->mech.n_v, tree->n_rows_within};
    hash_bytes(hash, sizes, sizeof sizes);
    hash_bytes(hash, plan->link, (size_t)tree->n_links * sizeof *plan->link);
    hash_table(hash, plan->chain, tree->n_chain);
    hash_bytes(hash, plan->spring, (size_t)tree->n_springs * sizeof *plan->spring);
    hash_bytes(hash, plan->entry, (size_t)tree->n_entries * sizeof *plan->entry);
    hash_table(hash, plan->row_start, plan->mech.m + 1);
    if (plan->mech.is_single)
        hash_bytes(hash, "single", 6);
    hash_bytes(hash, plan->carry, (size_t)tree->n_carries * sizeof *plan->carry);
}

uint64_t sarrus_plan_hash_make(const sarrus_plan *plan) {
    const sarrus_mechanism *mech = &plan->mech;
    const sarrus_mech_factor *f = &mech->factor;
    uint64_t hash = 14695981039346656037u;
    const int32_t sizes[] = {mech->n_bodies,
                             mech->n_joints,
                             mech->n_forces,
                             mech->n_signals,
                             mech->n_inputs,
                             mech->m,
                             mech->has_baumgarte,
                             mech->solve,
                             mech->method,
                             mech->rank.method,
                             mech->project,
                             mech->integrator.method,
                             mech->integrator.max_order,
                             mech->integrator.has_step_gains,
                             mech->has_parts,
                             mech->wants_error,
                             mech->has_swing,
                             mech->is_judged};
    const double numbers[] = {mech->rank.tolerance,  mech->project_tolerance,    mech->guard,       mech->integrator.rtol,
                              mech->integrator.atol, mech->integrator.max_steps, mech->ordinary,    mech->size,
                              mech->limit_violation, mech->limit_energy,         mech->limit_error, mech->weak_distance,
                              mech->weak_crossing,   mech->energy_floor};
    hash_bytes(&hash, SARRUS_VERSION, sizeof SARRUS_VERSION);
    hash_bytes(&hash, sizes, sizeof sizes);
    hash_bytes(&hash, numbers, sizeof numbers);
    hash_bytes(&hash, plan->joint, (size_t)mech->n_joints * sizeof *plan->joint);
    hash_bytes(&hash, plan->force, (size_t)mech->n_forces * sizeof *plan->force);
    hash_bytes(&hash, plan->signal, (size_t)mech->n_signals * sizeof *plan->signal);
    hash_table(&hash, f->row_of, f->n_rows);
    hash_table(&hash, f->at, f->n_rows);
    hash_table(&hash, f->column, f->n_blocks + 1);
    hash_table(&hash, f->entry_row, f->n_entries);
    hash_bytes(&hash, f->block_share, (size_t)f->n_block_shares * sizeof *f->block_share);
    hash_bytes(&hash, f->share, (size_t)f->n_shares * sizeof *f->share);
    hash_table(&hash, f->dependent, f->n_dependent);
    hash_bytes(&hash, f->guard, (size_t)(2 * f->n_blocks) * sizeof *f->guard);
    if (mech->n_lacking > 0)
        hash_bytes(&hash, plan->lack, (size_t)mech->n_bodies * sizeof *plan->lack);
    if (mech->space == SARRUS_SPACE_SPATIAL) {
        hash_bytes(&hash, plan->row, (size_t)mech->m * sizeof *plan->row);
        hash_bytes(&hash, plan->freedom, (size_t)mech->n_freedoms * sizeof *plan->freedom);
    }
    if (mech->n_constraints > 0) {
        hash_bytes(&hash, plan->constraint, (size_t)mech->n_constraints * sizeof *plan->constraint);
        hash_bytes(&hash, plan->row, (size_t)(mech->m + mech->n_parts) * sizeof *plan->row);
    }
    if (mech->row_weight)
        hash_bytes(&hash, mech->row_weight, (size_t)mech->m * sizeof *mech->row_weight);
    if (mech->moves_ground)
        hash_table(&hash, mech->ground_signal, SARRUS_MOST_GROUND_SIGNALS);
    if (sarrus_plan_is_relative(plan))
        hash_tree(&hash, plan);
    if (plan->relative)
        hash_bytes(&hash, &plan->relative->hash, sizeof plan->relative->hash);
    return hash;
}
