/* Sets of joints that hang together by loops: biconnected components (Hopcroft and Tarjan, 1973), without recursion. */
#include "plan/loop_sets.h"

#include <stdlib.h>
#include <string.h>

typedef struct search {
    const sarrus_plan *plan;
    int n_places;            /* bodies, and ground as the last */
    int *begin, *joint;      /* [n_places + 1], [2 n_joints] joints at each place */
    int *number, *low, *via; /* [n_places] order of the visit, the earliest reached from below, the joint that led here */
    int *next, *path, *open; /* [n_places] joint to look at next; the way down; [n_joints] joints not yet in a set */
    bool *is_seen;           /* [n_joints] */
    int n_visited, n_path, n_open, n_sets;
} search;

static int place_of(const search *s, int i_joint, int side) {
    const sarrus_mech_joint *joint = &s->plan->joint[i_joint];
    const int body = side ? joint->child : joint->parent;
    return body < 0 ? s->n_places - 1 : body;
}

static void list_joints(search *s) {
    const int n_joints = s->plan->mech.n_joints;
    for (int i = 0; i < n_joints; ++i) {
        for (int side = 0; side < 2; ++side)
            ++s->begin[place_of(s, i, side) + 1];
    }
    for (int p = 0; p < s->n_places; ++p) {
        s->begin[p + 1] += s->begin[p];
        s->next[p] = s->begin[p];
    }
    for (int i = 0; i < n_joints; ++i) {
        for (int side = 0; side < 2; ++side)
            s->joint[s->next[place_of(s, i, side)]++] = i;
    }
    for (int p = 0; p < s->n_places; ++p)
        s->next[p] = s->begin[p];
}

static bool search_create(search *s, const sarrus_plan *plan) {
    const size_t n = (size_t)plan->mech.n_bodies + 1, n_joints = (size_t)plan->mech.n_joints;
    *s = (search){.plan = plan, .n_places = (int)n};
    s->begin = calloc(6 * n + 1 + 3 * n_joints, sizeof *s->begin);
    s->is_seen = calloc(n_joints + 1, sizeof *s->is_seen);
    if (!s->begin || !s->is_seen)
        return false;
    s->number = s->begin + n + 1;
    s->low = s->number + n;
    s->via = s->low + n;
    s->next = s->via + n;
    s->path = s->next + n;
    s->joint = s->path + n;
    s->open = s->joint + 2 * n_joints;
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
static void renumber(int *loop, int n_joints, int *number, int n_sets) {
    int n = 0;
    for (int k = 0; k < n_sets; ++k)
        number[k] = -1;
    for (int i = 0; i < n_joints; ++i) {
        if (number[loop[i]] < 0)
            number[loop[i]] = n++;
        loop[i] = number[loop[i]];
    }
}

int sarrus_plan_loop_sets_find(const sarrus_plan *plan, int *loop) {
    search s;
    int n_sets = -1;
    if (search_create(&s, plan)) {
        for (int place = s.n_places - 1; place >= 0; --place) {
            if (s.number[place] == 0)
                search_from(&s, place, loop);
        }
        n_sets = s.n_sets;
        renumber(loop, plan->mech.n_joints, s.open, n_sets);
    }
    free(s.begin);
    free(s.is_seen);
    return n_sets;
}
