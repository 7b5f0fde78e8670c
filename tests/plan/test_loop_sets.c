/* Claims: sets of joints are those of which any two lie on a common loop, whichever way the joints point and are listed; ground
 * binds together like a body. Against a search that takes joints away one pair at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "plan/loop_sets.h"

enum { MAX_BODIES = 9, MAX_JOINTS = 14 };

typedef struct drawing {
    sarrus_plan plan;
    sarrus_mech_joint joint[MAX_JOINTS];
} drawing;

static void draw(drawing *on, int n_bodies, int n_joints, const int (*ends)[2]) {
    *on = (drawing){0};
    for (int i = 0; i < n_joints; ++i) {
        on->joint[i].parent = ends[i][0];
        on->joint[i].child = ends[i][1];
    }
    on->plan.joint = on->joint;
    on->plan.mech.n_bodies = n_bodies;
    on->plan.mech.n_joints = n_joints;
}

static void check(int n_bodies, int n_joints, const int (*ends)[2], int n_sets, const int *expected) {
    drawing on;
    int loop[MAX_JOINTS];
    draw(&on, n_bodies, n_joints, ends);
    assert_int_equal(sarrus_plan_loop_sets_find(&on.plan, loop), n_sets);
    for (int i = 0; i < n_joints; ++i)
        assert_int_equal(loop[i], expected[i]);
}

static void trees_have_no_loops(void **state) {
    (void)state;
    const int ends[][2] = {{-1, 0}, {1, 0}, {1, 2}, {-1, 3}};
    const int expected[] = {0, 1, 2, 3};
    check(4, 4, ends, 4, expected);
}

static void loops_that_share_a_body_only_are_apart(void **state) {
    (void)state;
    const int ends[][2] = {{-1, 0}, {0, 1}, {1, -1}, {2, 1}, {3, 2}, {1, 3}}; /* a triangle with ground, one on body 1 */
    const int expected[] = {0, 0, 0, 1, 1, 1};
    check(4, 6, ends, 2, expected);
}

static void loops_that_share_a_joint_are_one(void **state) {
    (void)state;
    const int ends[][2] = {{-1, 0}, {0, 1}, {1, -1}, {2, 1}, {-1, 2}}; /* cranks 0, 1, 2 */
    const int expected[] = {0, 0, 0, 0, 0};
    check(3, 5, ends, 1, expected);
}

static void parallel_joints_are_a_loop(void **state) {
    (void)state;
    const int ends[][2] = {{-1, 0}, {0, -1}, {0, 1}};
    const int expected[] = {0, 0, 1};
    check(2, 3, ends, 2, expected);
}

static int place_of(int body, int n_bodies) {
    return body < 0 ? n_bodies : body;
}

/* group[n_bodies + 1] ← the least place that each place is joined to, without body `away` and without joint `without`; −1: none is
 * left out. */
static void places_group(int n_bodies, int n_joints, const int (*ends)[2], int away, int without, int *group) {
    for (int p = 0; p <= n_bodies; ++p)
        group[p] = p;
    for (int pass = 0; pass < n_joints; ++pass) {
        for (int i = 0; i < n_joints; ++i) {
            const int x = place_of(ends[i][0], n_bodies), y = place_of(ends[i][1], n_bodies);
            if (x == away || y == away || i == without)
                continue;
            const int least = group[x] < group[y] ? group[x] : group[y];
            group[x] = group[y] = least;
        }
    }
}

/* Whether joint b can be reached from one end of joint a and the other end of a from the other end of b without meeting a body
 * twice: two ways that share no body, found by taking every body away in turn (Menger). */
static bool share_a_loop(int n_bodies, int n_joints, const int (*ends)[2], int a, int b) {
    int group[MAX_BODIES + 1];
    for (int away = 0; away <= n_bodies; ++away) {
        bool meets = false;
        places_group(n_bodies, n_joints, ends, away, -1, group);
        for (int k = 0; k < 4; ++k) {
            const int x = place_of(ends[a][k / 2], n_bodies), y = place_of(ends[b][k % 2], n_bodies);
            meets = meets || (x != away && y != away && group[x] == group[y]);
        }
        if (!meets)
            return false;
    }
    /* No body parts them; a joint alone might. */
    for (int cut = 0; cut < 2; ++cut) {
        const int without = cut ? b : a;
        places_group(n_bodies, n_joints, ends, -1, without, group);
        if (group[place_of(ends[without][0], n_bodies)] != group[place_of(ends[without][1], n_bodies)])
            return false;
    }
    return true;
}

static void random_graphs_agree_with_a_search(void **state) {
    (void)state;
    uint64_t random = 1;
    for (int trial = 0; trial < 300; ++trial) {
        int ends[MAX_JOINTS][2], loop[MAX_JOINTS];
        drawing on;
        const int n_bodies = 2 + trial % (MAX_BODIES - 1), n_joints = 1 + trial % MAX_JOINTS;
        for (int i = 0; i < n_joints; ++i) {
            do {
                for (int side = 0; side < 2; ++side) {
                    random = random * 6364136223846793005u + 1442695040888963407u;
                    ends[i][side] = (int)((random >> 33) % (uint64_t)(n_bodies + 1)) - 1;
                }
            } while (ends[i][0] == ends[i][1]);
        }
        draw(&on, n_bodies, n_joints, (const int(*)[2])ends);
        assert_true(sarrus_plan_loop_sets_find(&on.plan, loop) > 0);
        for (int a = 0; a < n_joints; ++a) {
            for (int b = 0; b < a; ++b)
                assert_int_equal(loop[a] == loop[b], share_a_loop(n_bodies, n_joints, (const int(*)[2])ends, a, b));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_have_no_loops),
        cmocka_unit_test(loops_that_share_a_body_only_are_apart),
        cmocka_unit_test(loops_that_share_a_joint_are_one),
        cmocka_unit_test(parallel_joints_are_a_loop),
        cmocka_unit_test(random_graphs_agree_with_a_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
