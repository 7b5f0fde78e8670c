/* Joints in space. */
#ifndef SARRUS_SCENARIO_SPATIAL_JOINTS_H
#define SARRUS_SCENARIO_SPATIAL_JOINTS_H

#include "scenario/joint_reading.h"

/* Reads all keys of a joint but its name. */
void sarrus_spatial_joint_read(sarrus_reader *reader, sarrus_joint_reading *reading);

#endif
