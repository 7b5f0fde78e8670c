/* The mechanisms of `sarrus bench change-points` as scenarios. Every number that says where something is at the start follows from
 * the lengths and the first crank's angle and speed, so that assembling moves nothing and the motion is the table's; joints are
 * given by points of their bodies, so that a length is what it is called to the last bit. */
#include <string.h>

#include "bench/measure/measure.h"

#include "bench/change_points/change_points.h"

/* Two cranks and a coupler. The end of crank 1 seen from the pivot of crank 2 is (x, y); p: direction of the coupler, along which
 * its ends have the same velocity. */
static const char pair_text[] =
    "sarrus: 1\n"
    "name: two cranks and a coupler\n"
    "space: planar\n"
    "parameters:\n"
    "  d: 2\n"
    "  a: 1\n"
    "  b: 1\n"
    "  c: 2\n"
    "  t: 1\n"
    "  w: -7\n"
    "  x: '=a*cos(t)-d'\n"
    "  y: '=a*sin(t)'\n"
    "  s: '=atan2(y,x)-acos((x^2+y^2+b^2-c^2)/(2*b*sqrt(x^2+y^2)))'\n"
    "  p: '=atan2(b*sin(s)-y,b*cos(s)-x)'\n"
    "  u: '=w*a*sin(p-t)/(b*sin(p-s))'\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  - {name: crank, mass: 1, inertia: '=a^2/12', position: ['=a/2*cos(t)', '=a/2*sin(t)'], orientation: '=t',\n"
    "     velocity: ['=-w*a/2*sin(t)', '=w*a/2*cos(t)'], angular_velocity: '=w'}\n"
    "  - {name: rocker, mass: 1, inertia: '=b^2/12', position: ['=d+b/2*cos(s)', '=b/2*sin(s)'], orientation: '=s',\n"
    "     velocity: ['=-u*b/2*sin(s)', '=u*b/2*cos(s)'], angular_velocity: '=u'}\n"
    "  - {name: coupler, mass: 1, inertia: '=c^2/12', orientation: '=p',\n"
    "     position: ['=(a*cos(t)+d+b*cos(s))/2', '=(a*sin(t)+b*sin(s))/2'],\n"
    "     velocity: ['=-(w*a*sin(t)+u*b*sin(s))/2', '=(w*a*cos(t)+u*b*cos(s))/2'],\n"
    "     angular_velocity: '=(u*b*cos(p-s)-w*a*cos(p-t))/c'}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [ground, crank], points: [[0, 0], ['=-a/2', 0]]}\n"
    "  - {name: B, type: revolute, bodies: [ground, rocker], points: [['=d', 0], ['=-b/2', 0]]}\n"
    "  - {name: C, type: revolute, bodies: [crank, coupler], points: [['=a/2', 0], ['=-c/2', 0]]}\n"
    "  - {name: D, type: revolute, bodies: [rocker, coupler], points: [['=b/2', 0], ['=c/2', 0]]}\n"
    "dynamics: {formulation: udwadia-kalaba}\n"
    "integrator: {dt: 1.0e-3, t_end: 2}\n";

/* Crank r and rod l; the slider at x runs through the crank's pivot. The rod's angle is s. */
static const char slider_text[] =
    "sarrus: 1\n"
    "name: slider-crank\n"
    "space: planar\n"
    "parameters:\n"
    "  r: 1\n"
    "  l: 1\n"
    "  t: 1\n"
    "  w: -7\n"
    "  s: '=-asin(r*sin(t)/l)'\n"
    "  x: '=r*cos(t)+l*cos(s)'\n"
    "  u: '=-w*r*cos(t)/(l*cos(s))'\n"
    "  v: '=-w*r*sin(t)-u*l*sin(s)'\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  - {name: crank, mass: 1, inertia: '=r^2/12', position: ['=r/2*cos(t)', '=r/2*sin(t)'], orientation: '=t',\n"
    "     velocity: ['=-w*r/2*sin(t)', '=w*r/2*cos(t)'], angular_velocity: '=w'}\n"
    "  - {name: rod, mass: 1, inertia: '=l^2/12', position: ['=r*cos(t)+l/2*cos(s)', '=r/2*sin(t)'], orientation: '=s',\n"
    "     velocity: ['=(v-w*r*sin(t))/2', '=w*r/2*cos(t)'], angular_velocity: '=u'}\n"
    "  - {name: slider, mass: 0.5, inertia: 0.01, position: ['=x', 0], velocity: ['=v', 0]}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [ground, crank], points: [[0, 0], ['=-r/2', 0]]}\n"
    "  - {name: B, type: revolute, bodies: [crank, rod], points: [['=r/2', 0], ['=-l/2', 0]]}\n"
    "  - {name: C, type: revolute, bodies: [rod, slider], points: [['=l/2', 0], [0, 0]]}\n"
    "  - {name: guide, type: prismatic, bodies: [ground, slider], points: [[0, 0], [0, 0]], axis: [1, 0]}\n"
    "dynamics: {formulation: udwadia-kalaba}\n"
    "integrator: {dt: 1.0e-3, t_end: 2}\n";

/* The five-bar of five_bar.yaml, its middle crank b long. Any b but 1 locks it. */
static const char five_bar_text[] =
    "sarrus: 1\n"
    "name: five-bar\n"
    "space: planar\n"
    "parameters: {b: 1, t: 1, w: -7}\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  - {name: crank_a, mass: 1, inertia: 0.1, position: ['=cos(t)/2', '=sin(t)/2'], orientation: '=t',\n"
    "     velocity: ['=-w*sin(t)/2', '=w*cos(t)/2'], angular_velocity: '=w'}\n"
    "  - {name: crank_b, mass: 1, inertia: 0.1, position: ['=1+b/2*cos(t)', '=b/2*sin(t)'], orientation: '=t',\n"
    "     velocity: ['=-w*b/2*sin(t)', '=w*b/2*cos(t)'], angular_velocity: '=w'}\n"
    "  - {name: crank_c, mass: 1, inertia: 0.1, position: ['=2+cos(t)/2', '=sin(t)/2'], orientation: '=t',\n"
    "     velocity: ['=-w*sin(t)/2', '=w*cos(t)/2'], angular_velocity: '=w'}\n"
    "  - {name: coupler, mass: 2, inertia: 0.2, position: ['=1+cos(t)', '=sin(t)'], velocity: ['=-w*sin(t)', '=w*cos(t)']}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [ground, crank_a], points: [[0, 0], [-0.5, 0]]}\n"
    "  - {name: B, type: revolute, bodies: [ground, crank_b], points: [[1, 0], ['=-b/2', 0]]}\n"
    "  - {name: C, type: revolute, bodies: [ground, crank_c], points: [[2, 0], [-0.5, 0]]}\n"
    "  - {name: D, type: revolute, bodies: [crank_a, coupler], points: [[0.5, 0], [-1, 0]]}\n"
    "  - {name: E, type: revolute, bodies: [crank_b, coupler], points: [['=b/2', 0], [0, 0]]}\n"
    "  - {name: F, type: revolute, bodies: [crank_c, coupler], points: [[0.5, 0], [1, 0]]}\n"
    "dynamics: {formulation: udwadia-kalaba}\n"
    "integrator: {dt: 1.0e-3, t_end: 2}\n";

const sarrus_change_point_mechanism sarrus_change_point_mechanisms[SARRUS_CHANGE_POINT_N_MECHANISMS] = {
    {.name = "four-bar", .text = pair_text, .length_path = "parameters.a", .length = 1.0, .i_first = 2, .i_last = 5},
    {.name = "four-bar-coupler",
     .text = pair_text,
     .length_path = "parameters.c",
     .length = 2.0,
     .i_first = 2,
     .i_last = 5,
     .overrides = {{"gravity", "[0, 0]"}},
     .n_overrides = 1},
    {.name = "chain",
     .length_path = "parameters.a2",
     .length = 1.0,
     .i_first = 2,
     .i_last = 8,
     .overrides = {{"batch.parameters", "[]"}, {"batch.instances", "1"}, {"joints.A1.damping", "0"}},
     .n_overrides = 3},
    {.name = "slider-crank", .text = slider_text, .length_path = "parameters.l", .length = 1.0, .i_first = 2, .i_last = 6},
    {.name = "kite",
     .text = pair_text,
     .length_path = "parameters.c",
     .length = 2.0,
     .i_first = 2,
     .i_last = 5,
     .overrides = {{"gravity", "[0, 0]"}, {"parameters.d", "1"}, {"parameters.b", "2"}},
     .n_overrides = 3},
    {.name = "five-bar", .text = five_bar_text, .length_path = "parameters.b", .length = 1.0, .i_first = 2, .i_last = 8},
};

const char *const sarrus_change_point_deltas[SARRUS_CHANGE_POINT_N_DELTAS] = {
    "0",      "1e-12",  "1e-11",  "1e-10", "1e-9",  "1e-8",  "1e-7",  "1e-6",  "1e-5",  "1e-4",  "1e-3",  "1e-2",
    "-1e-12", "-1e-11", "-1e-10", "-1e-9", "-1e-8", "-1e-7", "-1e-6", "-1e-5", "-1e-4", "-1e-3", "-1e-2",
};

sarrus_status sarrus_change_point_read(sarrus_context *context, const char *scenarios_folder,
                                       const sarrus_change_point_mechanism *mechanism, const char *delta,
                                       const sarrus_override *overrides, int n_overrides, sarrus_model **out) {
    sarrus_override all[SARRUS_CHANGE_POINT_MAX_OVERRIDES];
    char length[SARRUS_CHANGE_POINT_TEXT], path[SARRUS_BENCH_MAX_PATH + SARRUS_CHANGE_POINT_TEXT];
    size_t n = 0;
    snprintf(length, sizeof length, "=%g+(%s)", mechanism->length, delta);
    for (int i = 0; i < mechanism->n_overrides; ++i)
        all[n++] = mechanism->overrides[i];
    all[n++] = (sarrus_override){mechanism->length_path, length};
    for (int i = 0; i < n_overrides && n < SARRUS_CHANGE_POINT_MAX_OVERRIDES; ++i)
        all[n++] = overrides[i];
    if (mechanism->text != NULL)
        return sarrus_scenario_read_text(context, mechanism->name, mechanism->text, strlen(mechanism->text), all, n, out);
    snprintf(path, sizeof path, "%s/change_point.yaml", sarrus_bench_scenarios_folder(scenarios_folder));
    return sarrus_scenario_read_file(context, path, all, n, out);
}
