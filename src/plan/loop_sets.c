/* Sets of joints that hang together by loops: biconnected components (Hopcroft and Tarjan, 1973), without recursion. */
#include "plan/loop_sets.h"

#include <stdlib.h>
#include <string.h>

#include "plan/constraints.h"

typedef struct search {
    const sarrus_plan *plan;
    int n_places;            /* bodies, and ground as the last */
    int n_arcs;              /* joints, then the ways of constraints */
    int (*end)[2];           /* [n_arcs] places */
    int *owner;              /* [n_arcs] joint, or n_joints + constraint */
    int *begin, *joint;      /* [n_places + 1], [2 n_arcs] arcs at each place */
    int *number, *low, *via; /* [n_places] order of the visit, the earliest reached from below, the arc that led here */
    int *next, *path, *open; /* [n_places] arc to look at next; the way down; [n_arcs] arcs not yet in a set */
    bool *is_seen;           /* [n_arcs] */
    int n_visited, n_path, n_open, n_sets;
} search;

static int place_of(const search *s, int i_arc, int side) {
    return s->end[i_arc][side];
}

static void add_arc(search *s, int owner, int32_t from, int32_t to) {
    const int ground = s->n_places - 1;
    s->owner[s->n_arcs] = owner;
    s->end[s->n_arcs][0] = from < 0 ? ground : from;
    s->end[s->n_arcs++][1] = to < 0 ? ground : to;
}

/* Joints, and from body to body of each constraint. */
static void list_arcs(search *s) {
    const sarrus_mechanism *mech = &s->plan->mech;
    for (int i = 0; i < mech->n_joints; ++i)
        add_arc(s, i, s->plan->joint[i].parent, s->plan->joint[i].child);
    for (int i = 0; i < mech->n_constraints; ++i) {
        int32_t bodies[SARRUS_ROW_BODIES];
        const int n = sarrus_plan_row_bodies(s->plan, s->plan->constraint[i].row, bodies);
        for (int k = 1; k < n; ++k) {
            if (bodies[k] != bodies[k - 1])
                add_arc(s, mech->n_joints + i, bodies[k - 1], bodies[k]);
        }
    }
}

static void list_joints(search *s) {
    for (int i = 0; i < s->n_arcs; ++i) {
        for (int side = 0; side < 2; ++side)
            ++s->begin[place_of(s, i, side) + 1];
    }
    for (int p = 0; p < s->n_places; ++p) {
        s->begin[p + 1] += s->begin[p];
        s->next[p] = s->begin[p];
    }
    for (int i = 0; i < s->n_arcs; ++i) {
        for (int side = 0; side < 2; ++side)
            s->joint[s->next[place_of(s, i, side)]++] = i;
    }
    for (int p = 0; p < s->n_places; ++p)
        s->next[p] = s->begin[p];
}

static bool search_create(search *s, const sarrus_plan *plan) {
    const size_t n = (size_t)plan->mech.n_bodies + 1;
    const size_t most = (size_t)plan->mech.n_joints + (SARRUS_ROW_BODIES - 1) * (size_t)plan->mech.n_constraints;
    *s = (search){.plan = plan, .n_places = (int)n};
    s->begin = calloc(6 * n + 1 + 3 * most, sizeof *s->begin);
    s->is_seen = calloc(most + 1, sizeof *s->is_seen);
    s->end = calloc(most + 1, sizeof *s->end);
    s->owner = calloc(most + 1, sizeof *s->owner);
    if (!s->begin || !s->is_seen || !s->end || !s->owner)
        return false;
    s->number = s->begin + n + 1;
    s->low = s->number + n;
    s->via = s->low + n;
    s->next = s->via + n;
    s->path = s->next + n;
    s->joint = s->path + n;
    s->open = s->joint + 2 * most;
    list_arcs(s);
    list_joints(s);
    return true;
}

static void visit(search *s, int place, int via) {
    s->number[place] = s->low[place] = ++s->n_visited;
    s->via[place] = via;
    s->path[s->n_path++] = place;
}

/* Back from the last place of the way: if nothing below it reaches above the place before, the joints since make a set. */
static void leave(search *s, int *loop) {
    const int place = s->path[--s->n_path], via = s->via[place];
    if (s->n_path == 0)
        return;
    const int before = s->path[s->n_path - 1];
    s->low[before] = s->low[place] < s->low[before] ? s->low[place] : s->low[before];
    if (s->low[place] < s->number[before])
        return;
    for (int i = -1; i != via;) {
        i = s->open[--s->n_open];
        loop[i] = s->n_sets;
    }
    ++s->n_sets;
}

static void search_from(search *s, int root, int *loop) {
    visit(s, root, -1);
    while (s->n_path > 0) {
        const int place = s->path[s->n_path - 1];
        if (s->next[place] == s->begin[place + 1]) {
            leave(s, loop);
            continue;
        }
        const int i = s->joint[s->next[place]++];
        if (s->is_seen[i])
            continue;
        s->is_seen[i] = true;
        s->open[s->n_open++] = i;
        const int other = place_of(s, i, place_of(s, i, 0) == place);
        if (s->number[other] == 0)
            visit(s, other, i);
        else if (s->number[other] < s->low[place])
            s->low[place] = s->number[other];
    }
}

/* Numbers the sets by their first joints. `number` [n_sets] is scratch. */
static void renumber(int *loop, int n_owners, int *number, int n_sets) {
    int n = 0;
    for (int k = 0; k < n_sets; ++k)
        number[k] = -1;
    for (int i = 0; i < n_owners; ++i) {
        if (number[loop[i]] < 0)
            number[loop[i]] = n++;
        loop[i] = number[loop[i]];
    }
}

static int set_root(const int *set, int k) {
    while (set[k] != k)
        k = set[k];
    return k;
}

/* loop [n_owners] from the set of each arc: those of a constraint become one. `set` [n_sets] is scratch. Returns how many are
 * left. */
static int join_ways(const search *s, const int *of_arc, int *set, int *loop) {
    int n = s->n_sets;
    for (int k = 0; k < s->n_sets; ++k)
        set[k] = k;
    for (int i = s->plan->mech.n_joints + 1; i < s->n_arcs; ++i) {
        const int x = set_root(set, of_arc[i - 1]), y = set_root(set, of_arc[i]);
        if (s->owner[i] != s->owner[i - 1] || x == y)
            continue;
        set[y] = x;
        --n;
    }
    for (int i = 0; i < s->n_arcs; ++i)
        loop[s->owner[i]] = set_root(set, of_arc[i]);
    return n;
}

int sarrus_plan_loop_sets_find(const sarrus_plan *plan, int *loop) {
    search s;
    int n_sets = -1, *of_arc = NULL;
    if (search_create(&s, plan) && (of_arc = calloc((size_t)s.n_arcs + 1, sizeof *of_arc))) {
        for (int place = s.n_places - 1; place >= 0; --place) {
            if (s.number[place] == 0)
                search_from(&s, place, of_arc);
        }
        n_sets = join_ways(&s, of_arc, s.open, loop);
        renumber(loop, plan->mech.n_joints + plan->mech.n_constraints, s.open, s.n_sets);
    }
    free(of_arc);
    free(s.begin);
    free(s.is_seen);
    free(s.end);
    free(s.owner);
    return n_sets;
}
