/* boundary: the pairs nearest to ε, whose verdict depends on the last bits. */
#pragma once

#include "core/engine/problem.h"

typedef struct eb_boundary_pair {
    uint32_t i, j; /* i < j */
    double dist_fast, dist_true;
    bool in_fast, in_true;
} eb_boundary_pair;

#define EB_DEFAULT_BOUNDARY 20u

/* Keeps the `room` pairs with the smallest |dist_true − ε| of those offered. Equally near pairs are ordered by i, then
 * j, so the result does not depend on the order of offers. */
typedef struct eb_nearest {
    double eps;
    size_t count, room;
    eb_boundary_pair *pair; /* a heap, the farthest pair first */
} eb_nearest;

eb_code eb_nearest_new(double eps, size_t room, eb_nearest *out, eb_status *status);
void eb_nearest_free(eb_nearest *nearest);
void eb_nearest_offer(eb_nearest *nearest, const eb_boundary_pair *pair);
void eb_nearest_sort(eb_nearest *nearest); /* nearest first; allows no more offers */

/* True if a pair at this true distance could still be kept: a cheap test before building the pair. */
static inline bool eb_nearest_wants(const eb_nearest *nearest, double dist_true)
{
    double gap = dist_true - nearest->eps, worst = nearest->count ? nearest->pair[0].dist_true - nearest->eps : 0;
    return nearest->count < nearest->room || !((gap < 0 ? -gap : gap) > (worst < 0 ? -worst : worst));
}

/* Sets dist_fast of pairs that the fast engine did not report, by asking the engine. */
eb_code eb_boundary_complete(const eb_opened *fast, eb_boundary_pair *pairs, size_t count, eb_status *status);
