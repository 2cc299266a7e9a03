#include <math.h>

#include "cpu/grid_order/kernels.h"
#include "cpu/walk/vector.h"

#define LOOK 4u /* dimensions between two looks whether anything is left */

#define NAME(x) x##_f32
#define VALUE uint32_t
#define VECTOR eb_v32
#define LANES EB_LANES32
#define ALL eb_v32_all
#define LOAD eb_v32_load
#define STORE eb_v32_store
#define SUB eb_v32_sub_f32
#define SQUARE_ADD eb_v32_square_add_f32
#define NOT_ABOVE eb_v32_not_above_f32
#include "cpu/grid_order/pairs_type.h"
#undef NAME
#undef VALUE
#undef VECTOR
#undef LANES
#undef ALL
#undef LOAD
#undef STORE
#undef SUB
#undef SQUARE_ADD
#undef NOT_ABOVE

EB_INLINE eb_v64 square_add_f64(eb_v64 t, eb_v64 s) { return eb_v64_add(eb_v64_times(t, t), s); } /* rounds twice */

#define NAME(x) x##_f64
#define VALUE double
#define VECTOR eb_v64
#define LANES EB_LANES64
#define ALL eb_v64_all
#define LOAD eb_v64_load
#define STORE eb_v64_store
#define SUB eb_v64_sub
#define SQUARE_ADD square_add_f64
#define NOT_ABOVE eb_v64_not_above
#include "cpu/grid_order/pairs_type.h"

/* The greatest FP32 not above x: compared with it, FP32 sums get the verdict that they would get widened. */
static eb_v32 limit_f32(double x)
{
    float limit = (float)x;
    uint32_t bits;
    if ((double)limit > x)
        limit = nextafterf(limit, 0);
    memcpy(&bits, &limit, sizeof bits);
    return eb_v32_all(bits);
}

uint64_t EB_FOR_ISA(eb_pairs_within)(const eb_eps_grid *grid, const void *a, size_t queries, const void *b,
                                     double limit, uint32_t *lanes)
{
    if (grid->type == EB_EPS_GRID_F32)
        return within_of_f32(a, queries, b, grid->d, limit_f32(limit), lanes);
    return within_of_f64(a, queries, b, grid->d, eb_v64_all(limit), lanes);
}

void EB_FOR_ISA(eb_pairs_sums)(const eb_eps_grid *grid, const void *query, const void *b, uint32_t lanes, double *s)
{
    if (grid->type == EB_EPS_GRID_F64) {
        sums_of_f64(query, b, grid->d, lanes, s);
        return;
    }
    uint32_t bits[EB_EPS_GRID_BLOCK] = {0};
    sums_of_f32(query, b, grid->d, lanes, bits);
    for (size_t lane = 0; lane < EB_EPS_GRID_BLOCK; lane++) {
        float x;
        memcpy(&x, &bits[lane], sizeof x);
        s[lane] = (double)x;
    }
}

#if EB_V64_FMA
void EB_FOR_ISA(eb_pairs_truth)(const eb_eps_grid *grid, const void *query, const void *b, uint32_t lanes, double *s)
{
    const double *x = query, *y = b;
    for (size_t at = 0; at < EB_EPS_GRID_BLOCK && lanes >> at; at += EB_LANES64) {
        eb_v64 sum = eb_v64_all(0);
        if (!(lanes >> at & ((1u << EB_LANES64) - 1)))
            continue;
        for (size_t stored = 0; stored < grid->d; stored++) {
            const size_t k = (size_t)grid->place[stored] * EB_EPS_GRID_BLOCK;
            sum = eb_v64_square_add(eb_v64_sub(eb_v64_all(x[k]), eb_v64_load(y + k + at)), sum);
        }
        eb_v64_store(s + at, sum);
    }
}
#else
void EB_FOR_ISA(eb_pairs_truth)(const eb_eps_grid *grid, const void *query, const void *b, uint32_t lanes, double *s)
{
    const double *x = query, *y = b;
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        s[lane] = 0;
        for (size_t stored = 0; stored < grid->d; stored++) {
            const size_t k = (size_t)grid->place[stored] * EB_EPS_GRID_BLOCK;
            const double t = x[k] - y[k + lane];
            s[lane] = fma(t, t, s[lane]);
        }
    }
}
#endif
