/* Closed forms: the pendulum by Jacobi's elliptic functions, the slider-crank by trigonometry. */
#include "tests/support/closed_form.h"

#include <math.h>

enum { MAX_LANDEN = 32 };

static const long double PI_L = 3.14159265358979323846264338327950288L;

long double closed_form_elliptic_k(long double k) {
    long double a = 1.0L, b = sqrtl((1.0L - k) * (1.0L + k));
    for (int i = 0; i < MAX_LANDEN && fabsl(a - b) > 1e-19L * a; ++i) {
        long double mean = 0.5L * (a + b);
        b = sqrtl(a * b);
        a = mean;
    }
    return PI_L / (2.0L * a);
}

long double closed_form_elliptic_f(long double phi, long double k) {
    long double s = sinl(phi), c = cosl(phi);
    long double x = c * c, y = (1.0L - k * s) * (1.0L + k * s), z = 1.0L, mean = 0.0L;
    for (int i = 0; i < 64; ++i) { /* each duplication takes three quarters of the spread away */
        mean = (x + y + z) / 3.0L;
        long double spread = fmaxl(fmaxl(fabsl(x - mean), fabsl(y - mean)), fabsl(z - mean));
        if (spread < 1e-4L * mean) { /* the series below is then good to spread^6 */
            break;
        }
        long double shift = sqrtl(x * y) + sqrtl(y * z) + sqrtl(z * x);
        x = 0.25L * (x + shift);
        y = 0.25L * (y + shift);
        z = 0.25L * (z + shift);
    }
    long double dx = 1.0L - x / mean, dy = 1.0L - y / mean, dz = -dx - dy;
    long double e2 = dx * dy - dz * dz, e3 = dx * dy * dz;
    long double series = 1.0L - e2 / 10.0L + e3 / 14.0L + e2 * e2 / 24.0L - 3.0L * e2 * e3 / 44.0L;
    return s * series / sqrtl(mean);
}

long double closed_form_amplitude(long double u, long double k) {
    long double ratio[MAX_LANDEN];
    long double a = 1.0L, b = sqrtl((1.0L - k) * (1.0L + k)), c = k;
    int n = 0;
    while (n < MAX_LANDEN && fabsl(c) > 1e-20L) {
        long double mean = 0.5L * (a + b);
        c = c * c / (4.0L * mean); /* (a - b)/2 without the cancellation */
        b = sqrtl(a * b);
        a = mean;
        ratio[n++] = c / a;
    }
    long double phi = ldexpl(a * u, n);
    for (int i = n - 1; i >= 0; --i) {
        phi = 0.5L * (phi + asinl(ratio[i] * sinl(phi)));
    }
    return phi;
}

closed_form_pendulum closed_form_pendulum_create(long double omega_squared, long double phi0, long double speed0) {
    closed_form_pendulum p = {0};
    p.omega = sqrtl(omega_squared);
    p.turns = 2.0L * PI_L * roundl(phi0 / (2.0L * PI_L));
    phi0 -= p.turns;
    p.direction = speed0 < 0.0L ? -1 : 1;
    long double s = sinl(0.5L * phi0), half_speed = 0.5L * speed0 / p.omega;
    long double k = sqrtl(s * s + half_speed * half_speed);
    p.is_turning = k > 1.0L;
    if (p.is_turning) { /* phi/2 = am(direction k omega t + start, 1/k) */
        p.modulus = 1.0L / k;
        p.start = closed_form_elliptic_f(0.5L * phi0, p.modulus);
    } else { /* sin(phi/2) = k sn(direction omega t + start, k), phi' = direction 2 k omega cn */
        p.modulus = k;
        p.start = closed_form_elliptic_f(atan2l(s, fabsl(half_speed)), k); /* asin(s/k), exact at rest too */
    }
    return p;
}

void closed_form_pendulum_state(const closed_form_pendulum *p, long double t, long double *phi, long double *speed) {
    long double sign = (long double)p->direction;
    if (p->is_turning) {
        long double rate = p->omega / p->modulus;
        long double half = closed_form_amplitude(sign * rate * t + p->start, p->modulus);
        long double s = p->modulus * sinl(half);
        *phi = p->turns + 2.0L * half;
        *speed = 2.0L * sign * rate * sqrtl((1.0L - s) * (1.0L + s));
    } else {
        long double amplitude = closed_form_amplitude(sign * p->omega * t + p->start, p->modulus);
        *phi = p->turns + 2.0L * asinl(p->modulus * sinl(amplitude));
        *speed = 2.0L * sign * p->modulus * p->omega * cosl(amplitude);
    }
}

long double closed_form_pendulum_period(const closed_form_pendulum *p) {
    long double quarter = closed_form_elliptic_k(p->modulus) / p->omega;
    return p->is_turning ? 2.0L * p->modulus * quarter : 4.0L * quarter;
}

void closed_form_slider_crank(double crank, double rod, const double theta[3], double slider[3], double rod_angle[3]) {
    double c = cos(theta[0]), s = sin(theta[0]), w = theta[1];
    double sin_rod = -crank * s / rod, cos_rod = sqrt(1.0 - sin_rod * sin_rod);
    rod_angle[0] = asin(sin_rod);
    rod_angle[1] = -crank * c * w / (rod * cos_rod);
    rod_angle[2] = (-crank * (c * theta[2] - s * w * w) / rod + sin_rod * rod_angle[1] * rod_angle[1]) / cos_rod;
    slider[0] = crank * c + rod * cos_rod;
    slider[1] = -crank * s * w - rod * sin_rod * rod_angle[1];
    slider[2] = -crank * (s * theta[2] + c * w * w) - rod * (sin_rod * rod_angle[2] + cos_rod * rod_angle[1] * rod_angle[1]);
}
