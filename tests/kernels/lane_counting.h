/* Lanes that count: a `real` is one double and the operation that made it. An operation counts when its result is used: stored
 * in the workspace or a tile, compared, or needed by one that is. That is what a compiler leaves of the same source. */
#ifndef TESTS_KERNELS_LANE_COUNTING_H
#define TESTS_KERNELS_LANE_COUNTING_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include <vector>

#define LANE_FUNCTION static inline __attribute__((unused))
#define LANE_BODY static inline __attribute__((unused))
#define LANE_PHASE static __attribute__((unused))
#define LANE_RESTRICT
#define LANE_STRIDE 1
#define LANE_IS_THREAD 0
#define LANE_WIDTH 1
#define lane_at_offset(array, place) ((array)[place])

namespace counting {

/* An operation, with what it costs and what it was made of; −1: nothing. */
struct operation {
    int flops, divisions;
    int from[3];
    bool is_used;
};

struct tape {
    std::vector<operation> operations;
    const void *memory_begin = nullptr, *memory_end = nullptr; /* what is stored here is used */
    int64_t n_angles = 0;                                      /* sine-cosine pairs: each looks at two bits of the quadrant */

    int add(int flops, int divisions, int a, int b = -1, int c = -1) {
        operations.push_back({flops, divisions, {a, b, c}, false});
        return (int)operations.size() - 1;
    }

    /* Operands come before results, so one walk backwards finds all that is needed. */
    void use_operands() {
        for (size_t i = operations.size(); i-- > 0;) {
            for (int from : operations[i].from) {
                if (operations[i].is_used && from >= 0)
                    operations[(size_t)from].is_used = true;
            }
        }
    }
};

inline tape record;

} // namespace counting

struct real {
    double value = 0.0;
    int made_by = -1;

    real() = default;
    real(double x, int operation) : value(x), made_by(operation) {
        note();
    }
    real(const real &other) : value(other.value), made_by(other.made_by) {
        note();
    }
    real &operator=(const real &other) {
        value = other.value;
        made_by = other.made_by;
        note();
        return *this;
    }
    void use() const {
        if (made_by >= 0)
            counting::record.operations[(size_t)made_by].is_used = true;
    }

  private:
    void note() const {
        const void *here = this;
        if (here >= counting::record.memory_begin && here < counting::record.memory_end)
            use();
    }
};

typedef double real_scalar;
typedef bool mask;

LANE_FUNCTION real operator+(real a, real b) {
    return real(a.value + b.value, counting::record.add(1, 0, a.made_by, b.made_by));
}
LANE_FUNCTION real operator-(real a, real b) {
    return real(a.value - b.value, counting::record.add(1, 0, a.made_by, b.made_by));
}
LANE_FUNCTION real operator*(real a, real b) {
    return real(a.value * b.value, counting::record.add(1, 0, a.made_by, b.made_by));
}
LANE_FUNCTION real operator/(real a, real b) {
    return real(a.value / b.value, counting::record.add(0, 1, a.made_by, b.made_by));
}
LANE_FUNCTION real operator-(real a) {
    return real(-a.value, counting::record.add(0, 0, a.made_by));
}

LANE_FUNCTION real real_set(double x) {
    return real(x, -1);
}
LANE_FUNCTION real real_fma(real a, real b, real c) {
    return real(fma(a.value, b.value, c.value), counting::record.add(2, 0, a.made_by, b.made_by, c.made_by));
}
LANE_FUNCTION real real_fnma(real a, real b, real c) {
    return real(fma(-a.value, b.value, c.value), counting::record.add(2, 0, a.made_by, b.made_by, c.made_by));
}
LANE_FUNCTION real real_sqrt(real a) {
    return real(sqrt(a.value), counting::record.add(0, 1, a.made_by));
}
LANE_FUNCTION real real_rsqrt(real a) {
    return real(1.0 / sqrt(a.value), counting::record.add(0, 1, a.made_by));
}
LANE_FUNCTION real real_exponent_part(real a) {
    int exponent = 0;
    double fraction = frexp(fabs(a.value), &exponent);
    double part = fraction == 0.0 || exponent < -1021 ? 0.0 : ldexp(1.0, exponent - 1);
    return real(part, counting::record.add(0, 0, a.made_by));
}
LANE_FUNCTION real real_abs(real a) {
    return real(fabs(a.value), counting::record.add(0, 0, a.made_by));
}
LANE_FUNCTION real real_select(mask m, real a, real b) {
    return real(m ? a.value : b.value, counting::record.add(0, 0, a.made_by, b.made_by));
}
LANE_FUNCTION void real_put(mask m, real a, real *at) {
    *at = real_select(m, a, *at);
}
LANE_FUNCTION real real_max(real a, real b) {
    return real_select(b.value < a.value, a, b);
}

LANE_FUNCTION mask compared(real a, real b, bool result) {
    a.use();
    b.use();
    return result;
}
LANE_FUNCTION mask real_lt(real a, real b) {
    return compared(a, b, a.value < b.value);
}
LANE_FUNCTION mask real_le(real a, real b) {
    return compared(a, b, a.value <= b.value);
}
LANE_FUNCTION mask real_eq(real a, real b) {
    return compared(a, b, a.value == b.value);
}
LANE_FUNCTION mask mask_and(mask a, mask b) {
    return a && b;
}
LANE_FUNCTION mask mask_or(mask a, mask b) {
    return a || b;
}
LANE_FUNCTION mask mask_xor(mask a, mask b) {
    return a != b;
}
LANE_FUNCTION mask mask_not(mask a) {
    return !a;
}
LANE_FUNCTION mask mask_none() {
    return false;
}
LANE_FUNCTION int lane_is_stopped(const volatile int32_t *stop) {
    (void)stop;
    return 0;
}
LANE_FUNCTION int mask_any(mask a) {
    return a;
}
LANE_FUNCTION int mask_all(mask a) {
    return a;
}
LANE_FUNCTION mask real_bit_of_magic(real shifted, int bit) {
    counting::record.n_angles += bit == 0;
    return ((int64_t)(shifted.value - 6755399441055744.0) >> bit) & 1;
}

#endif
