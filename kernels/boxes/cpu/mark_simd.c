/* mark_simd: the kernels near and mark. near finds the leaves within ε of a leaf's box; mark finds the points in these
 * leaves that are within ε of a query.
 *
 * Both test a box against 16 others side by side; a query is a box whose low and high bounds are equal. mark then tests
 * the points of each leaf that is left, a lane for each point, by the exact engine's own chain. A chain only grows, so
 * both stop as soon as no lane can be within ε.
 */
#include <math.h>

#include "kernels/boxes/cpu/kernels.h"
#include "kernels/walk/vector.h"

enum { LOOK = 4 }; /* dimensions computed between two tests for lanes left */

#define BOX_PARTS (EB_SIBLINGS / EB_LANES64)

/* Vectors of sums computed side by side: enough to hide the chain's latency, few enough for the registers. */
#if defined(__AVX2__)
#define LINES (EB_LEAF / EB_LANES64)
#else
#define LINES 4u
#endif
#define STRETCH (LINES * EB_LANES64)

_Static_assert(EB_LEAF <= 32 && EB_LEAF % STRETCH == 0, "a mark has 32 lanes, a leaf whole stretches");

EB_INLINE void add_gaps(const double *bounds, double low, double high, eb_v64 sums[BOX_PARTS])
{
    const eb_v64 zero = eb_v64_all(0), below = eb_v64_all(low), above = eb_v64_all(high);
#pragma GCC unroll 16
    for (size_t p = 0; p < BOX_PARTS; p++) {
        const eb_v64 after = eb_v64_sub(eb_v64_load(bounds + p * EB_LANES64), above);
        const eb_v64 before = eb_v64_sub(below, eb_v64_load(bounds + EB_SIBLINGS + p * EB_LANES64));
        sums[p] = eb_v64_square_add(eb_v64_max(zero, eb_v64_max(after, before)), sums[p]);
    }
}

EB_INLINE unsigned boxes_within(const eb_v64 sums[BOX_PARTS], eb_v64 limit)
{
    unsigned boxes = 0;
#pragma GCC unroll 16
    for (size_t p = 0; p < BOX_PARTS; p++)
        boxes |= eb_v64_not_above(sums[p], limit) << (p * EB_LANES64);
    return boxes;
}

/* The boxes of a family [d][2][16] that are within the limit of the box low … high. The bounds of consecutive
 * dimensions are `apart` elements apart. */
EB_INLINE unsigned family_within(const double *family, size_t d, const double *low, const double *high, size_t apart,
                                 double limit)
{
    const eb_v64 limits = eb_v64_all(limit);
    eb_v64 sums[BOX_PARTS];
#pragma GCC unroll 16
    for (size_t p = 0; p < BOX_PARTS; p++)
        sums[p] = eb_v64_all(0);
    for (size_t k = 0; k < d; k++) {
        add_gaps(family + k * 2 * EB_SIBLINGS, low[k * apart], high[k * apart], sums);
        if (k % LOOK == LOOK - 1 && k + 1 < d && !boxes_within(sums, limits))
            return 0;
    }
    return boxes_within(sums, limits);
}

void EB_FOR_ISA(eb_boxes_gaps)(const double *family, size_t d, const double *query, double *gaps)
{
    eb_v64 sums[BOX_PARTS];
#pragma GCC unroll 16
    for (size_t p = 0; p < BOX_PARTS; p++)
        sums[p] = eb_v64_all(0);
    for (size_t k = 0; k < d; k++)
        add_gaps(family + k * 2 * EB_SIBLINGS, query[k], query[k], sums);
#pragma GCC unroll 16
    for (size_t p = 0; p < BOX_PARTS; p++)
        eb_v64_store(gaps + p * EB_LANES64, sums[p]);
}

EB_INLINE unsigned of_count(size_t first, size_t count)
{
    return count - first >= EB_SIBLINGS ? 0xffffu : (1u << (count - first)) - 1;
}

/* Works from the top level down: the boxes left on a level are the families of the next level. */
void EB_FOR_ISA(eb_boxes_near)(const eb_leaves *leaves, uint32_t leaf, uint32_t from, double limit, eb_near *out)
{
    const size_t d = leaves->d;
    const double *low = eb_family_bounds(leaves, 0, leaf / EB_SIBLINGS, 0) + leaf % EB_SIBLINGS;
    const double box_limit = eb_box_limit(limit, d);
    uint32_t *boxes = leaves->levels % 2 ? out->families : out->leaf,
             *next = leaves->levels % 2 ? out->leaf : out->families;
    size_t count = 1;
    boxes[0] = 0;
    for (uint32_t level = leaves->levels; level-- > 0;) {
        const uint32_t least = from >> (4 * level); /* the box that has leaf `from` */
        size_t left = 0;
        for (size_t f = 0; f < count; f++) {
            const size_t first = (size_t)boxes[f] * EB_SIBLINGS;
            if (first + EB_SIBLINGS <= least)
                continue;
            unsigned within = family_within(eb_family_bounds(leaves, level, boxes[f], 0), d, low, low + EB_SIBLINGS,
                                            2 * EB_SIBLINGS, box_limit) &
                              of_count(first, leaves->level[level].boxes);
            if (first < least)
                within &= ~0u << (least - first);
            for (; within; within &= within - 1)
                next[left++] = (uint32_t)(first + (unsigned)__builtin_ctz(within));
        }
        uint32_t *swapped = boxes;
        boxes = next;
        next = swapped;
        count = left;
    }
    out->count = count; /* after as many exchanges as levels they are in out->leaf */
}

EB_INLINE uint32_t stretch_within(const double *values, size_t d, const double *query, eb_v64 limit)
{
    eb_v64 sums[LINES];
    uint32_t lanes = 0;
#pragma GCC unroll 16
    for (size_t p = 0; p < LINES; p++)
        sums[p] = eb_v64_all(0);
    for (size_t k = 0; k < d; k++) {
        const eb_v64 x = eb_v64_all(query[k]);
#pragma GCC unroll 16
        for (size_t p = 0; p < LINES; p++)
            sums[p] = eb_v64_square_add(eb_v64_sub(x, eb_v64_load(values + k * EB_LEAF + p * EB_LANES64)), sums[p]);
        if (k % LOOK != LOOK - 1 && k + 1 < d)
            continue;
        lanes = 0;
#pragma GCC unroll 16
        for (size_t p = 0; p < LINES; p++)
            lanes |= (uint32_t)eb_v64_not_above(sums[p], limit) << (p * EB_LANES64);
        if (!lanes)
            return 0;
    }
    return lanes;
}

EB_INLINE uint32_t leaf_within(const double *values, size_t d, const double *query, eb_v64 limit)
{
    uint32_t lanes = 0;
    for (size_t at = 0; at < EB_LEAF; at += STRETCH)
        lanes |= stretch_within(values + at, d, query, limit) << at;
    return lanes;
}

#if !EB_V64_FMA
/* Without FMA the chain above rounds twice a step. Its limit is a little wider, and this function decides the lanes
 * that pass. */
static uint32_t decide(const double *values, size_t d, const double *query, double limit, uint32_t lanes)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        double s = 0;
        for (size_t k = 0; k < d; k++) {
            const double t = query[k] - values[k * EB_LEAF + lane];
            s = fma(t, t, s);
        }
        if (!(s <= limit))
            lanes &= ~(1u << lane);
    }
    return lanes;
}
#endif

EB_INLINE size_t mark_leaves(const eb_leaves *leaves, const eb_near *near, const double *query, size_t d, double limit,
                             eb_mark *out, uint32_t *points, eb_effort *effort)
{
    const double box_limit = eb_box_limit(limit, d);
    const eb_v64 limits = eb_v64_all(EB_V64_FMA ? limit : box_limit);
    size_t marked = 0, looked = 0;
    uint32_t sum = 0;
    for (size_t first = 0; first < near->count; first += EB_SIBLINGS) {
        unsigned within =
            family_within(near->bounds + first * 2 * d, d, query, query, 1, box_limit) & of_count(first, near->count);
        looked += (unsigned)__builtin_popcount(within);
        for (; within; within &= within - 1) {
            const uint32_t leaf = near->leaf[first + (unsigned)__builtin_ctz(within)];
            const double *values = leaves->values + (size_t)leaf * d * EB_LEAF;
            uint32_t lanes = leaf_within(values, d, query, limits);
#if !EB_V64_FMA
            lanes = decide(values, d, query, limit, lanes);
#endif
            out[marked] = (eb_mark){leaf, lanes};
            marked += lanes != 0;
            sum += (unsigned)__builtin_popcount(lanes);
        }
    }
    effort->leaves += looked;
    *points = sum;
    return marked;
}

size_t EB_FOR_ISA(eb_boxes_mark)(const eb_leaves *leaves, const eb_near *near, const double *query, double limit,
                                 eb_mark *out, uint32_t *points, eb_effort *effort)
{
    switch (leaves->d) { /* with a constant d the compiler unrolls the loops */
    case 1: return mark_leaves(leaves, near, query, 1, limit, out, points, effort);
    case 2: return mark_leaves(leaves, near, query, 2, limit, out, points, effort);
    case 3: return mark_leaves(leaves, near, query, 3, limit, out, points, effort);
    case 4: return mark_leaves(leaves, near, query, 4, limit, out, points, effort);
    default: return mark_leaves(leaves, near, query, leaves->d, limit, out, points, effort);
    }
}
