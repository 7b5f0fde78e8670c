/* The model: what a scenario says, in SI units, immutable after reading.
 *
 * Every number that may differ between instances is an entry of one table, `values`; bodies, joints, forces and signals
 * hold indices into it. A sampled parameter, a named parameter and an expression then all mean the same thing: an
 * instance is the model plus one double per entry. */
#ifndef SARRUS_MODEL_MODEL_H
#define SARRUS_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/report.h"
#include "sarrus/constraint.h"
#include "sarrus/force.h"
#include "sarrus/joint.h"
#include "sarrus/method.h"
#include "sarrus/scenario.h"
#include "sarrus/space.h"

/* Index into model->values. */
typedef int32_t sarrus_value_index;
#define SARRUS_NO_VALUE ((sarrus_value_index)(-1))

/* Index of the fixed body in sarrus_joint.body and sarrus_force.body. */
#define SARRUS_GROUND (-1)

/* Where something stands in the scenario file, from 1; 0 when it is a default. */
typedef struct sarrus_place {
    int line;
    int column;
    int i_override; /* from 1: of the override of that number; 0: of the text */
} sarrus_place;

/* One number. Named parameters come first in the table (path "parameters.L", also reachable as the name alone). */
typedef struct sarrus_value {
    char *path;       /* "bodies.crank_a.position.0" */
    double nominal;   /* SI; expressions already evaluated with the nominal parameters */
    char *expression; /* muParser text without the leading '=', NULL for a plain number */
    sarrus_place place;
    bool is_used; /* of a named parameter: a number of the model or a setting depends on it */
} sarrus_value;

/* A rigid body. Planar bodies use position[0..1], orientation[0], velocity[0..1], angular_velocity[0], inertia[0]. */
typedef struct sarrus_body {
    char *name;
    sarrus_place place;
    sarrus_value_index mass;                                /* kg */
    sarrus_value_index inertia[6];                          /* kg m², about the center of mass; in space xx, yy, zz, xy, xz, yz */
    sarrus_value_index position[3];                         /* m, center of mass at t = 0 */
    sarrus_orientation orientation_form;                    /* in space */
    sarrus_value_index orientation[SARRUS_MAX_ORIENTATION]; /* rad | 1 */
    sarrus_value_index velocity[3];                         /* m/s */
    sarrus_value_index angular_velocity[3];                 /* rad/s; in space in the body's frame */
    sarrus_value_index rotor[3]; /* kg m²/s, in space: constant momentum relative to the body, in its frame */
} sarrus_body;

/* A joint. Either `at` (inertial, t = 0; the same point seen from both bodies; distance joints give two points) or
 * `point` (in the parent's and in the child's frame) is given; the indices of the other are SARRUS_NO_VALUE. */
typedef struct sarrus_joint {
    char *name;
    sarrus_place place;
    sarrus_joint_type type;
    int body[2]; /* parent, child: index of a body or SARRUS_GROUND */
    bool has_at;
    sarrus_value_index at[2][3];    /* m; at[1] repeats at[0] except for distance joints */
    sarrus_value_index point[2][3]; /* m, body frames */
    sarrus_value_index axis[2][3];  /* directions in the inertial frame at t = 0 (need not be unit vectors); [1]: universal */
    sarrus_value_index length;      /* distance: m; SARRUS_NO_VALUE = the distance of the given configuration */
    sarrus_value_index pitch;       /* screw: m/rad */
    sarrus_orientation frame_form;  /* general, free, bushing: of the joint's axes at t = 0 */
    sarrus_value_index frame[SARRUS_MAX_ORIENTATION]; /* SARRUS_NO_VALUE: those of the inertial frame */
    unsigned held;                                    /* general: bits 0 … 5 for x, y, z, rx, ry, rz */
    /* Of each free coordinate, in the order of sarrus_joint_freedoms; in the plane [0]. */
    sarrus_value_index stiffness[SARRUS_MAX_FREEDOMS]; /* N m/rad | N/m */
    sarrus_value_index damping[SARRUS_MAX_FREEDOMS];   /* N m s/rad | N s/m */
    sarrus_value_index rest[SARRUS_MAX_FREEDOMS];      /* rad | m; free coordinates are 0 at t = 0 */
    bool rest_is_absolute;                             /* `rest` is of the angle or distance between the bodies' own frames */
    int drive[SARRUS_MAX_FREEDOMS];                    /* index of the signal that it follows, −1 when free */
} sarrus_joint;

typedef struct sarrus_source {
    sarrus_source_kind kind;
    int32_t index; /* of the value, of the signal, k of {input: k} */
} sarrus_source;

typedef enum sarrus_frame { SARRUS_FRAME_INERTIAL = 0, SARRUS_FRAME_BODY = 1 } sarrus_frame;

typedef struct sarrus_force {
    char *name;
    sarrus_place place;
    sarrus_force_type type;
    int body[2];                    /* spring: both ends; torque and point force: body[0], body[1] = SARRUS_GROUND */
    sarrus_value_index point[2][3]; /* m, body frames (of ground: inertial); point force: point[0] */
    sarrus_value_index stiffness;   /* N/m */
    sarrus_value_index rest_length; /* m */
    sarrus_value_index damping;     /* N s/m */
    sarrus_source value[3];         /* N | N m; a torque in the plane: value[0] */
    sarrus_frame frame;             /* of the value of a point force, and of a torque in space */
} sarrus_force;

typedef struct sarrus_signal {
    sarrus_place place;
    sarrus_signal_kind kind;
    int n_values;
    sarrus_value_index *values; /* in the order of signal.def; of a table the times are aside */
    double *knots;              /* table: [n_values] s, strictly increasing, the same for all instances; else NULL */
    bool is_linear;             /* table: interpolation linear instead of cubic */
} sarrus_signal;

/* The motion of ground: it turns about a point, in space about an axis through it, and is shifted. */
enum { SARRUS_MAX_GROUND_SIGNALS = 4 };
typedef struct sarrus_ground_motion {
    bool is_given;
    sarrus_place place;
    int signal[SARRUS_MAX_GROUND_SIGNALS]; /* x, y, in space z, then the angle: index of the signal, −1: 0 */
    sarrus_value_index about[3];           /* m, inertial frame */
    sarrus_value_index axis[3];            /* in space: a direction in the inertial frame; SARRUS_NO_VALUE: it does not turn */
} sarrus_ground_motion;

/* All may be truncated to [min, max]. */
typedef enum sarrus_distribution_kind {
#define SARRUS_DISTRIBUTION(name, value, word, first, second, third, fourth, text) SARRUS_DISTRIBUTION_##name = value,
#include "sarrus/distribution.def"
} sarrus_distribution_kind;

typedef enum sarrus_sampling {
#define SARRUS_SAMPLING(name, value, word, text) SARRUS_SAMPLING_##name = value,
#include "sarrus/sampling.def"
} sarrus_sampling;

typedef enum sarrus_design {
#define SARRUS_DESIGN(name, value, word, text) SARRUS_DESIGN_##name = value,
#include "sarrus/design.def"
} sarrus_design;

/* A coordinate that a constraint couples: that of a joint, or the distance of two points. */
typedef struct sarrus_coupled {
    int joint;                      /* −1: the distance */
    int body[2];                    /* of the two points: index of a body or SARRUS_GROUND */
    sarrus_value_index point[2][3]; /* m, body frames */
} sarrus_coupled;

/* What does not slip. */
typedef enum sarrus_slip { SARRUS_SLIP_NONE, SARRUS_SLIP_KNIFE_EDGE, SARRUS_SLIP_ROLLING, SARRUS_SLIP_LINEAR } sarrus_slip;

/* Of a nonholonomic constraint: a number that its kind does not have is SARRUS_NO_VALUE. Frames are those of A, B, the bodies of
 * of[0]. */
typedef struct sarrus_slip_numbers {
    sarrus_value_index along[3]; /* B's: the direction across a knife edge, or what the velocity of the point is multiplied with */
    sarrus_value_index about[3]; /* B's; in the plane a number: what the relative rate is multiplied with, m */
    sarrus_value_index plane[3], normal[3]; /* A's: of the plane that B rolls on, m and a direction */
    sarrus_value_index radius, axis[3];     /* m; B's: the axis of a disc. A ball has none */
    int speed;                              /* a signal, m/s; −1: 0 */
} sarrus_slip_numbers;

/* A constraint beside joints: coordinate A is a function of coordinate B; or, a curve, the second point of `of[0]` stays on a curve
 * in the frame of its first body; or, nonholonomic, it does not slip on that body. */
typedef struct sarrus_constraint {
    char *name;
    sarrus_place place;
    sarrus_constraint_type type;
    sarrus_coupled of[2];      /* A, B */
    sarrus_value_index ratio;  /* gear: 1 | m/rad | rad/m */
    sarrus_value_index offset; /* gear: rad | m */
    sarrus_signal table;       /* cam: m over rad, knots and values as of a signal; else without values */
    bool is_periodic;          /* cam: its ends agree; curve: it is closed */
    int n_points;
    sarrus_value_index (*points)[3]; /* [n_points] curve: m */
    sarrus_slip slip_kind;           /* nonholonomic */
    sarrus_slip_numbers slip;
} sarrus_constraint;

/* One draw per instance, given to every value in `targets`. */
typedef struct sarrus_sampled {
    char *label; /* the first path, or the name of the named parameter: the name in the result file */
    sarrus_place place;
    int n_targets;
    sarrus_value_index *targets;
    sarrus_distribution_kind kind;
    double a;        /* normal: mean; uniform, triangular: low; lognormal: mu; weibull: scale; beta: alpha */
    double b;        /* normal: sd; uniform: high; lognormal: sigma; triangular: mode; weibull: shape; beta: beta */
    double c, d;     /* triangular: high, none; beta: low, high */
    double min, max; /* −INFINITY, INFINITY when not given */
    int n_values;
    double *values; /* [n_values] discrete, empirical: what is drawn, rising; else NULL */
    double *shares; /* [n_values] discrete: of the draws that are not above a value, the last 1; else NULL */
} sarrus_sampled;

enum {
#define SARRUS_CHANNEL(name, bit, word, numbers, bytes, text) SARRUS_CHANNEL_##name = bit,
#include "sarrus/channel.def"
};

/* What statistics over instances are of, beside channels: bits that no channel has. */
enum { SARRUS_STATISTICS_DRIVES = 1 << 16, SARRUS_STATISTICS_POINTS = 1 << 17, SARRUS_STATISTICS_QUANTITIES = 1 << 18 };

/* The joints at which the scenario cuts the loops. */
typedef struct sarrus_cut_list {
    bool is_given;
    sarrus_place place;
    int n;
    int *joint;             /* [n] */
    sarrus_place *place_of; /* [n] */
} sarrus_cut_list;

/* What multipliers that are not unique are least in: Σ (w λ)² over all rows (S1 26; the choice that Wojtyra asks for). */
typedef enum sarrus_weights_rule {
    SARRUS_WEIGHTS_EQUAL,  /* w = 1 in the units of the rows */
    SARRUS_WEIGHTS_UNITS,  /* moments are forces at the size of the mechanism */
    SARRUS_WEIGHTS_MASSES, /* w² is the mobility of the joint, force and moment apart */
    SARRUS_WEIGHTS_GIVEN,  /* numbers of the scenario, moments as with units */
} sarrus_weights_rule;

typedef struct sarrus_weights {
    sarrus_weights_rule rule;
    sarrus_place place;
    double *of; /* [n_joints + n_constraints][2] given: of forces, of moments; 1 where the scenario says nothing */
} sarrus_weights;

/* A point of a body that the result shows, or that quantities use. */
typedef struct sarrus_output_point {
    char *name;
    sarrus_place place;
    int body;
    sarrus_value_index at[3]; /* m, body frame */
    unsigned orders;          /* of the result: bits 0 position, 1 velocity, 2 acceleration */
} sarrus_output_point;

/* One number of an instance, from what it shows over time (model/quantity.h). */
typedef struct sarrus_quantity {
    char *name;
    char *text;
} sarrus_quantity;

struct sarrus_model {
    char *file;       /* as given, for messages */
    char *text;       /* [n_text] the source text, for showing lines; 0-terminated */
    char **overrides; /* [n_overrides] "path=value", likewise */
    int n_overrides;
    char *name;     /* "" when the file has none */
    char *resolved; /* YAML as run */
    sarrus_space space;
    int n_values, n_named; /* named parameters are values[0 … n_named − 1] */
    sarrus_value *values;
    sarrus_value_index gravity[3]; /* m/s² */
    sarrus_ground_motion ground;
    int n_bodies, n_joints, n_constraints, n_forces, n_signals, n_inputs;
    sarrus_body *bodies;
    sarrus_joint *joints;
    sarrus_constraint *constraints;
    sarrus_force *forces;
    sarrus_signal *signals;
    struct {
        sarrus_formulation formulation;
        sarrus_place formulation_place; /* where the scenario names it */
        sarrus_pinv_method pinv;
        sarrus_rank_method rank_method;
        double rank_tolerance;          /* rank_methods.def says of what, and the default */
        sarrus_value_index alpha, beta; /* 1/s, Baumgarte: γ − 2αΦ̇ − β²Φ */
        bool has_step_gains;            /* α = β follow from the step instead */
        sarrus_projection projection;
        double projection_tolerance; /* ‖Φ‖₂ above which a step is projected, m | rad */
        sarrus_cut_list cut;
        sarrus_weights weights;
    } dynamics;
    struct {
        sarrus_integrator method;
        double dt;    /* s; adaptive methods: the first step */
        double grid;  /* s between the times that every instance passes: dt; adaptive with output.interval: that interval */
        double t_end; /* s */
        double rtol, atol;
        uint64_t max_steps;           /* of an adaptive method, per instance: beyond it the instance ends as step_limit */
        int max_order;                /* of adams-moulton, 1 … 12 */
        bool has_substeps;            /* a fixed step that does not resolve the motion is made in parts */
        bool is_single;               /* steps are made in single precision */
        sarrus_place precision_place; /* where the scenario says so */
    } integrator;
    /* What an instance that is ok keeps to; NAN: derived by the plan, INFINITY: off. */
    struct {
        double violation; /* ‖Φ‖ relative to the mechanism's size */
        double energy;    /* |E − E0 − work| relative to the energies seen */
        double error;     /* of fixed steps, the sum of their estimates */
    } limits;
    struct {
        uint64_t n_instances; /* as the file counts: points or trajectories of a design (sarrus_model_study_size) */
        uint64_t seed;
        int n_sampled;
        sarrus_sampled *sampled;
        sarrus_sampling sampling;
        bool is_scrambled; /* sobol */
        int *levels;       /* [n_sampled] grid; NULL: as many of each as make the number of instances */
        sarrus_design design;
        bool has_second_order; /* saltelli */
        int n_levels;          /* morris */
        double *correlation;   /* [n_sampled][n_sampled] C with C Cᵀ the correlation of the normal scores, lower; NULL: none */
    } batch;
    struct {
        uint64_t every;        /* intervals of the grid between outputs; fixed steps: steps */
        double precision;      /* relative error that numbers of trajectories may have in the file; 0: they are exact */
        unsigned channels;     /* SARRUS_CHANNEL_… */
        unsigned orientations; /* 1 << sarrus_orientation of the forms in which the result holds those of bodies in space */
        int n_points, n_quantities;
        sarrus_output_point *points;
        sarrus_quantity *quantities;
        bool has_kept; /* trajectories are kept of the instances `kept` alone */
        int n_kept;
        uint64_t *kept;      /* [n_kept] ascending numbers in the study */
        unsigned statistics; /* SARRUS_CHANNEL_… and SARRUS_STATISTICS_… of which there are some; 0: there are none */
        int n_levels;
        double *levels;    /* [n_levels] of their quantiles, from 0 to 1 */
        bool has_sketches; /* these are made of counts by intervals, in one run too */
        int n_bins;        /* of histograms of quantities; 0: there are none */
        bool has_covariance;
        int n_sensitivity;
        int *sensitivity; /* [n_sensitivity] the quantities of which it is told how they depend on the parameters */
    } output;
};

/* Instances of a study of `n` points or trajectories; without a design those are the instances. */
uint64_t sarrus_model_study_size(const sarrus_model *model, uint64_t n);

/* The smallest and the largest number that a parameter can be drawn as; infinite where there is none. */
void sarrus_sampled_support(const sarrus_sampled *sampled, double *low, double *high);

/* The path under which the draws of a sampled parameter stand in a result: that of its first target, of a named parameter its
 * name. */
const char *sarrus_sampled_path(const sarrus_model *model, const sarrus_sampled *sampled);

/* The path of value `path` (exact), or SARRUS_NO_VALUE. Named parameters are found by "parameters.L" and by "L". */
sarrus_value_index sarrus_model_value_find(const sarrus_model *model, const char *path);

/* Rows of the Jacobian that the joint has, those of its drives included. */
int sarrus_joint_n_rows(sarrus_space space, const sarrus_joint *joint);

/* Whether its two points may part: those of a pin, a ball or a weld are one. */
bool sarrus_joint_parts(sarrus_space space, const sarrus_joint *joint);

/* In space: the forms of its rows without drives, and of its free coordinates; return how many. */
int sarrus_joint_row_forms(const sarrus_joint *joint, sarrus_spatial_row rows[SARRUS_MAX_SPATIAL_ROWS]);
int sarrus_joint_freedoms(const sarrus_joint *joint, sarrus_freedom freedoms[SARRUS_MAX_FREEDOMS]);

/* In either space: how many free coordinates can have a spring, a damper or a drive, and which are angles. */
int sarrus_joint_coordinates(sarrus_space space, const sarrus_joint *joint, bool is_angle[SARRUS_MAX_FREEDOMS]);

/* How many numbers they are, and how many those of the first n_joints joints are: a rotation vector is three. */
int sarrus_joint_n_numbers(sarrus_space space, const sarrus_joint *joint);
int sarrus_model_n_joint_numbers(const sarrus_model *model, int n_joints);

/* Of a free coordinate in space (freedom.def): what it is, whether it is counted in rad, and how many numbers it is. */
const char *sarrus_freedom_text(sarrus_freedom freedom);
bool sarrus_freedom_turns(sarrus_freedom freedom);
int sarrus_freedom_n_numbers(sarrus_freedom freedom);

/* Of a joint type: its name in scenarios, and its free coordinate (joint.def). */
const char *sarrus_joint_word(sarrus_joint_type type);
sarrus_joint_free sarrus_joint_freedom(sarrus_joint_type type);

/* Of a constraint type: its name in scenarios, and that of its row (constraint.def). */
const char *sarrus_constraint_word(sarrus_constraint_type type);
const char *sarrus_constraint_label(sarrus_constraint_type type);

/* Whether it couples two coordinates; others hold the two bodies of of[0]. */
bool sarrus_constraint_couples(sarrus_constraint_type type);

/* Its rows of J. */
int sarrus_constraint_n_rows(sarrus_space space, const sarrus_constraint *constraint);

/* A place for reports: in the text, or in the override that it stands in. Good for as long as the model. */
sarrus_location sarrus_model_location(const sarrus_model *model, const sarrus_place *place);

/* The draw that gives value `i` of every instance, NULL when none does. */
const sarrus_sampled *sarrus_model_draw_find(const sarrus_model *model, sarrus_value_index i);

/* Index of the body, joint, … or −1. */
int sarrus_model_body_find(const sarrus_model *model, const char *name);

#endif
