/* filter_points: small random sets of points that are hard for filters with an error bound, for tests of the bounds on
 * the host. Header-only. */
#pragma once

#include <math.h>

#include "tests/unit/naive_points.h"

enum { MOST_D = 600, POINTS = 6 };

static uint64_t seed = 1;

static double chance(void) { return (double)(naive_random(&seed) >> 11) * 0x1p-53; }
static uint64_t below(uint64_t end) { return naive_random(&seed) % end; }

static double in_a_cube(size_t i, size_t k)
{
    (void)i, (void)k;
    return chance();
}
static double far_out(size_t i, size_t k)
{
    (void)i;
    return 1e6 * (double)(k % 3) + chance();
}
static double nearly_equal(size_t i, size_t k) { return sin((double)k) + (double)i * 0x1p-30 * chance(); }
static double mixed(size_t i, size_t k)
{
    (void)i;
    return ldexp(chance() - 0.5, (int)(k % 40) - 20);
}
static double tiny(size_t i, size_t k)
{
    (void)i, (void)k;
    return 0x1p-500 * (chance() - 0.5);
}
static double whole(size_t i, size_t k)
{
    (void)i, (void)k;
    return (double)below(2048);
}
static double positive_halves(size_t i,
                              size_t k) /* FP16 holds the coordinates, but FP32 rounds sums of their products */
{
    (void)i, (void)k;
    return (double)(1024 + below(1024)) * 0x1p-10;
}
static double outlier(size_t i, size_t k) { return i == 0 && k == 0 ? 1e30 : chance(); }
static double same(size_t i, size_t k)
{
    (void)i;
    return 0.1 * (double)k;
}

static const struct {
    const char *name;
    double (*value)(size_t i, size_t k);
    bool centred;
} kinds[] = {{"in a cube", in_a_cube, true},
             {"not centred", in_a_cube, false},
             {"far out", far_out, true},
             {"far out, not centred", far_out, false},
             {"nearly equal", nearly_equal, true},
             {"mixed", mixed, true},
             {"tiny", tiny, true},
             {"whole", whole, true},
             {"halves, not centred", positive_halves, false},
             {"halves", positive_halves, true},
             {"outlier", outlier, true},
             {"same", same, false}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

typedef struct few_points {
    const char *name;
    double x[POINTS][MOST_D];
    unsigned d;
    bool centred; /* the filter must centre them */
} few_points;

static void draw_points(few_points *p, size_t kind, unsigned d)
{
    p->name = kinds[kind].name;
    p->centred = kinds[kind].centred;
    p->d = d;
    for (size_t i = 0; i < POINTS; i++)
        for (unsigned k = 0; k < d; k++)
            p->x[i][k] = kinds[kind].value(i, k);
}

static eb_dataset few_as_dataset(const few_points *p)
{
    return (eb_dataset){.n = POINTS,
                        .d = p->d,
                        .dtype = EB_F64,
                        .rows = (const unsigned char *)p->x,
                        .stride = sizeof p->x[0]};
}

/* The exact squared distance. */
static double few_squared(const few_points *p, size_t i, size_t j)
{
    double s = 0;
    for (unsigned k = 0; k < p->d; k++) {
        const double t = p->x[i][k] - p->x[j][k];
        s = fma(t, t, s);
    }
    return s;
}
