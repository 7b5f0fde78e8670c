/* Claims: the rows of a tree stand in blocks of one to three, each once and in order, whose entries and carries are those of its
 * rows one by one; meetings of two blocks name every share of the factor once, in the order in which its destination adds them up,
 * and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "plan/build.h"
#include "tests/support/mechanism.h"

static const char *const files[] = {
    "five_bar.yaml",    "n_four_bar_40.yaml", "spatial_four_bar.yaml", "sarrus_linkage.yaml", "stewart_platform.yaml",
    "delta_robot.yaml", "bricard.yaml",       "planetary_train.yaml",  "walking_figure.yaml", "arm_prosthesis.yaml",
    "arm_7r.yaml"};

static void carries_are_those_of_rows(const sarrus_plan *plan, const sarrus_mech_row_block *block) {
    for (int32_t r = 0; r < block->n_rows; ++r) {
        for (int32_t k = 0; k < block->n_carries; ++k) {
            const sarrus_mech_carry *first = &plan->carry[block->carry + k];
            const sarrus_mech_carry *own = &plan->carry[block->carry + r * block->n_carries + k];
            assert_int_equal(plan->entry[own->from].row, block->row + r);
            assert_int_equal(own->to, first->to + r * block->n_entries);
            assert_int_equal(own->from, first->from + r * block->n_entries);
            assert_int_equal(own->at, first->at);
        }
    }
}

/* Returns how many blocks have more than one row. */
static int blocks_are_rows(const sarrus_plan *plan) {
    int32_t row = 0, carry = 0;
    int n_large = 0;
    for (int32_t b = 0; b < plan->mech.tree.n_row_blocks; ++b) {
        const sarrus_mech_row_block *block = &plan->row_block[b];
        assert_int_equal(block->row, row);
        assert_in_range(block->n_rows, 1, SARRUS_MOST_IN_BLOCK);
        assert_int_equal(block->carry, carry);
        for (int32_t r = 0; r < block->n_rows; ++r, ++row) {
            assert_int_equal(plan->row[row].joint, plan->row[block->row].joint);
            assert_int_equal(plan->row_start[row], block->entry + r * block->n_entries);
            assert_int_equal(plan->row_start[row + 1] - plan->row_start[row], block->n_entries);
            for (int32_t e = 0; e < block->n_entries; ++e) {
                const sarrus_mech_entry *first = &plan->entry[block->entry + e], *own = &plan->entry[plan->row_start[row] + e];
                assert_int_equal(own->speed, first->speed);
                assert_int_equal(own->side, first->side < 0 ? -1 : first->side + 2 * r);
            }
        }
        carries_are_those_of_rows(plan, block);
        carry += block->n_rows * block->n_carries;
        n_large += block->n_rows > 1;
    }
    assert_int_equal(row, plan->mech.m);
    assert_int_equal(carry, plan->mech.tree.n_carries);
    return n_large;
}

/* The next share behind k with that destination; n_shares: none. */
static int32_t next_share(const sarrus_plan *plan, int32_t k, int32_t destination) {
    for (++k; k < plan->mech.factor.n_shares && plan->share[k].destination != destination; ++k)
        continue;
    return k;
}

static void meetings_are_shares(const sarrus_plan *plan) {
    const sarrus_mech_tree *tree = &plan->mech.tree;
    int32_t n_shares = 0, n_meets = 0;
    for (int32_t m = 0; m < tree->n_meetings; ++m) {
        const sarrus_mech_meeting *meeting = &plan->meeting[m];
        const sarrus_mech_row_block *a = &plan->row_block[meeting->block[0]], *b = &plan->row_block[meeting->block[1]];
        assert_int_equal(meeting->first, n_meets);
        assert_true(meeting->n > 0);
        for (int32_t at = 0; at < SARRUS_MOST_IN_BLOCK * SARRUS_MOST_IN_BLOCK; ++at) {
            const int32_t r = at / SARRUS_MOST_IN_BLOCK, c = at % SARRUS_MOST_IN_BLOCK, to = meeting->destination[at];
            assert_true(to < 0 || (r < a->n_rows && c < b->n_rows));
            for (int32_t k = 0, share = -1; to >= 0 && k < meeting->n; ++k, ++n_shares) {
                share = next_share(plan, share, to);
                assert_true(share < plan->mech.factor.n_shares);
                assert_int_equal(plan->share[share].side_i, plan->meet[n_meets + k].entry[0] + r * a->n_entries);
                assert_int_equal(plan->share[share].side_j, plan->meet[n_meets + k].entry[1] + c * b->n_entries);
            }
        }
        n_meets += meeting->n;
    }
    assert_int_equal(n_meets, tree->n_meets);
    assert_int_equal(n_shares, plan->mech.factor.n_shares);
}

static void blocks_say_what_rows_say(void **state) {
    (void)state;
    const sarrus_override wish[] = {{"dynamics.formulation", "relative"}, {0}};
    int n_large = 0;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        mechanism mech = mechanism_open_file(files[i], wish);
        assert_non_null(mech.plan->relative);
        n_large += blocks_are_rows(mech.plan->relative);
        meetings_are_shares(mech.plan->relative);
        mechanism_close(&mech);
    }
    assert_true(n_large > 20);
}

/* Rows by recursion are not carried along chains. */
static void recursion_has_blocks_without_carries(void **state) {
    (void)state;
    const sarrus_override wish[] = {{"dynamics.formulation", "recursive"}, {0}};
    mechanism mech = mechanism_open_file("delta_robot.yaml", wish);
    assert_true(mech.plan->relative->mech.tree.is_recursive);
    assert_true(blocks_are_rows(mech.plan->relative) > 0);
    meetings_are_shares(mech.plan->relative);
    mechanism_close(&mech);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_say_what_rows_say),
        cmocka_unit_test(recursion_has_blocks_without_carries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
