/* Bodies in space that go on at constant speeds, in long double: what right sides of rows are the derivatives along. */
#ifndef TESTS_SUPPORT_STEADY_MOTION_H
#define TESTS_SUPPORT_STEADY_MOTION_H

long double steady_dot(const long double a[3], const long double b[3]);
void steady_cross(const long double a[3], const long double b[3], long double out[3]);

/* The pose of a body of q [7 each], v [6 each] after a time, ω in its own frame: A exp(ω t). Ground (−1) stays. */
void steady_pose(const double *q, const double *v, int body, long double t, long double r[3], long double a[3][3]);

#endif
