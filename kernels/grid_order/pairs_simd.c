/* pairs: the kernels of kernels.h, for FP32 and FP64. */
#include <math.h>

#include "kernels/grid_order/expansion.h"
#include "kernels/grid_order/kernels.h"
#include "kernels/walk/vector.h"

/* sum + a·b for sums by expansion, by FMA. Without FMA the result is rounded twice, and lanes that pass are computed
 * again. */
EB_INLINE eb_v32 product_add_f32(eb_v32 a, eb_v32 b, eb_v32 sum) { return eb_v32_dot_f32(sum, a, b); }
EB_INLINE eb_v64 product_add_f64(eb_v64 a, eb_v64 b, eb_v64 sum)
{
    return EB_V64_FMA ? eb_v64_times_add(a, b, sum) : eb_v64_add(eb_v64_times(a, b), sum);
}

#define LOOK 4u /* dimensions computed between two tests for lanes left */

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
#define ADD eb_v32_add_f32
#define TIMES eb_v32_times_f32
#define TIMES_ADD eb_v32_times_add_f32
#define PRODUCT_ADD product_add_f32
#define NOT_NEGATIVE eb_v32_not_negative_f32
#define HALF 0x3f000000u
#define MINUS_ONE 0xbf800000u
#include "kernels/grid_order/expansion_type.h"
#include "kernels/grid_order/pairs_type.h"
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
#undef ADD
#undef TIMES
#undef TIMES_ADD
#undef PRODUCT_ADD
#undef NOT_NEGATIVE
#undef HALF
#undef MINUS_ONE

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
#define ADD eb_v64_add
#define TIMES eb_v64_times
#define TIMES_ADD eb_v64_times_add
#define PRODUCT_ADD product_add_f64
#define NOT_NEGATIVE eb_v64_not_negative
#define HALF 0.5
#define MINUS_ONE (-1.0)
#include "kernels/grid_order/expansion_type.h"
#include "kernels/grid_order/pairs_type.h"

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The greatest FP32 number not above x. Comparing FP32 sums with it gives the same verdict as comparing them, widened,
 * with x. */
static eb_v32 limit_f32(double x)
{
    const float limit = (float)x;
    return eb_v32_all(bits_of((double)limit > x ? nextafterf(limit, -INFINITY) : limit));
}

/* ---- by expansion ---- */

static void *halves_at(const eb_eps_grid *grid, const eb_eps_grid_side *side, size_t block)
{
    const size_t values = block * eb_expansion_parts(grid->d) * EB_EPS_GRID_BLOCK;
    return (char *)side->halves + values * eb_eps_grid_value_bytes(grid->type);
}

static expanded_f32 block_f32(const eb_eps_grid *grid, const eb_eps_grid_side *side, size_t block)
{
    return (expanded_f32){eb_eps_grid_values(grid, side, block), halves_at(grid, side, block)};
}

static expanded_f64 block_f64(const eb_eps_grid *grid, const eb_eps_grid_side *side, size_t block)
{
    return (expanded_f64){eb_eps_grid_values(grid, side, block), halves_at(grid, side, block)};
}

static double pairs_halves(const eb_eps_grid *grid, eb_eps_grid_side *side, size_t block)
{
    const size_t count = eb_eps_grid_block_count(side, block);
    void *halves = halves_at(grid, side, block);
    const void *values = eb_eps_grid_values(grid, side, block);
    double norms[EB_EPS_GRID_BLOCK], most = 0;
    uint32_t bits[EB_EPS_GRID_BLOCK];
    if (grid->type == EB_EPS_GRID_F64)
        halves_of_f64(values, grid->d, eb_v64_all(grid->reach), halves, norms);
    else
        halves_of_f32(values, grid->d, eb_v32_all(bits_of((float)grid->reach)), halves, bits);
    for (size_t lane = 0; lane < EB_EPS_GRID_BLOCK; lane++) {
        const double norm = grid->type == EB_EPS_GRID_F64 ? norms[lane] : (double)float_of(bits[lane]);
        most = norm > most ? norm : most;
        if (lane >= count && grid->type == EB_EPS_GRID_F64)
            ((double *)halves)[lane] = -(double)INFINITY;
        else if (lane >= count)
            ((uint32_t *)halves)[lane] = bits_of(-INFINITY);
    }
    return most;
}

/* Computes the sums of the given lanes; FP32 sums are widened. */
static void expanded_sums(const eb_eps_grid *grid, size_t at, size_t b, uint32_t lanes, double *sums)
{
    const eb_eps_grid_side *left = &grid->side[0], *right = eb_eps_grid_right(grid);
    const size_t a = at / EB_EPS_GRID_BLOCK, q = at % EB_EPS_GRID_BLOCK;
    uint32_t bits[EB_EPS_GRID_BLOCK];
    if (grid->type == EB_EPS_GRID_F64) {
        const expanded_f64 x = block_f64(grid, left, a), y = block_f64(grid, right, b);
        expanded_sums_of_f64(&x, q, &y, grid->d, lanes, sums);
        return;
    }
    const expanded_f32 x = block_f32(grid, left, a), y = block_f32(grid, right, b);
    expanded_sums_of_f32(&x, q, &y, grid->d, lanes, bits);
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        sums[lane] = (double)float_of(bits[lane]);
    }
}

static void expanded_squares(const eb_eps_grid *grid, size_t at, size_t b, uint32_t lanes, double *s)
{
    expanded_sums(grid, at, b, lanes, s);
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        s[lane] = eb_expansion_squared(s[lane], grid->reach, grid->type);
    }
}

/* Returns the given lanes that are within ε. */
static uint32_t expanded_again(const eb_eps_grid *grid, size_t at, size_t b, uint32_t lanes)
{
    double sums[EB_EPS_GRID_BLOCK];
    uint32_t within = 0;
    expanded_sums(grid, at, b, lanes, sums);
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        within |= (uint32_t)eb_expansion_within(sums[lane]) << lane;
    }
    return within;
}

static uint64_t expanded_within(const eb_eps_grid *grid, size_t a, size_t queries, size_t b, uint32_t *lanes)
{
    const eb_eps_grid_side *left = &grid->side[0], *right = eb_eps_grid_right(grid);
    const double norms = left->norm[a] + right->norm[b];
    const double lost = EB_V64_FMA ? eb_expansion_lost(norms, grid->d, grid->type)
                                   : eb_expansion_lost_twice(norms + grid->reach, grid->d, grid->type);
    uint64_t looked;
    if (grid->type == EB_EPS_GRID_F64) {
        const expanded_f64 x = block_f64(grid, left, a), y = block_f64(grid, right, b);
        looked = expanded_within_of_f64(&x, queries, &y, grid->d, eb_v64_all(lost), lanes);
    } else {
        const expanded_f32 x = block_f32(grid, left, a), y = block_f32(grid, right, b);
        looked = expanded_within_of_f32(&x, queries, &y, grid->d, limit_f32(lost), lanes);
    }
    for (size_t q = 0; q < queries && !EB_V64_FMA; q++)
        lanes[q] = lanes[q] ? expanded_again(grid, a * EB_EPS_GRID_BLOCK + q, b, lanes[q]) : 0;
    return looked;
}

/* ---- the kernels of kernels.h ---- */

static const void *query_at(const eb_eps_grid *grid, size_t at)
{
    const char *values = eb_eps_grid_values(grid, &grid->side[0], at / EB_EPS_GRID_BLOCK);
    return values + at % EB_EPS_GRID_BLOCK * eb_eps_grid_value_bytes(grid->type);
}

static uint64_t pairs_within(const eb_eps_grid *grid, size_t a, size_t queries, size_t b, double limit, uint32_t *lanes)
{
    const void *x = eb_eps_grid_values(grid, &grid->side[0], a);
    const void *y = eb_eps_grid_values(grid, eb_eps_grid_right(grid), b);
    if (grid->expands)
        return expanded_within(grid, a, queries, b, lanes);
    if (grid->type == EB_EPS_GRID_F32)
        return within_of_f32(x, queries, y, grid->d, limit_f32(limit), lanes);
    return within_of_f64(x, queries, y, grid->d, eb_v64_all(limit), lanes);
}

static void pairs_sums(const eb_eps_grid *grid, size_t at, size_t b, uint32_t lanes, double *s)
{
    const void *x = query_at(grid, at), *y = eb_eps_grid_values(grid, eb_eps_grid_right(grid), b);
    uint32_t bits[EB_EPS_GRID_BLOCK] = {0};
    if (grid->expands) {
        expanded_squares(grid, at, b, lanes, s);
        return;
    }
    if (grid->type == EB_EPS_GRID_F64) {
        sums_of_f64(x, y, grid->d, lanes, s);
        return;
    }
    sums_of_f32(x, y, grid->d, lanes, bits);
    for (size_t lane = 0; lane < EB_EPS_GRID_BLOCK; lane++)
        s[lane] = (double)float_of(bits[lane]);
}

#if EB_V64_FMA
static void pairs_truth(const eb_eps_grid *grid, size_t query, size_t b, uint32_t lanes, double *s)
{
    const double *x = query_at(grid, query), *y = eb_eps_grid_values(grid, eb_eps_grid_right(grid), b);
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
static void pairs_truth(const eb_eps_grid *grid, size_t query, size_t b, uint32_t lanes, double *s)
{
    const double *x = query_at(grid, query), *y = eb_eps_grid_values(grid, eb_eps_grid_right(grid), b);
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

const eb_pair_kernels EB_FOR_ISA(eb_pair_kernels) = {.within = pairs_within,
                                                     .sums = pairs_sums,
                                                     .truth = pairs_truth,
                                                     .halves = pairs_halves};
