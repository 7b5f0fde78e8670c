/* What joints of the plane and of space have in common while they are read. */
#ifndef SARRUS_SCENARIO_JOINT_READING_H
#define SARRUS_SCENARIO_JOINT_READING_H

#include "scenario/reader.h"

/* A joint while it is being read; numbers are put into `joint`, which comes first. */
typedef struct sarrus_joint_reading {
    sarrus_joint joint;
    bool has_type;
    bool has_freedoms; /* in space: what it leaves free is known */
    sarrus_node *node;
} sarrus_joint_reading;

/* A joint without anything. */
sarrus_joint_reading sarrus_joint_reading_begin(sarrus_node *node);

/* Functions of the keys `bodies` and `points`; object: the joint reading. */
void sarrus_joint_bodies_read(sarrus_reader *reader, sarrus_node *node, void *object);
void sarrus_joint_points_read(sarrus_reader *reader, sarrus_node *node, void *object);

/* The key `at`: one point, or two in a joint that has a length. */
void sarrus_joint_at_read(sarrus_reader *reader, sarrus_node *node, bool has_length, sarrus_joint *joint);

/* Either `at` or `points` must be there. */
void sarrus_joint_place_check(sarrus_reader *reader, const sarrus_node *node);

/* Function of the key `rest_at`; object: the joint reading. */
void sarrus_joint_rest_at_read(sarrus_reader *reader, sarrus_node *node, void *object);

/* Rests of a coordinate that is a displacement, measured from nothing that stays: both points are one by `at`. */
void sarrus_joint_rest_at_check(sarrus_reader *reader, const sarrus_joint_reading *reading, bool slides);

/* One drive: the number of its signal, or −1 with a finding. */
int sarrus_joint_drive_read(sarrus_reader *reader, sarrus_node *node);

#endif
