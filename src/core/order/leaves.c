#include "core/order/leaves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/pool.h"

static size_t families_of(size_t boxes) { return (boxes + EB_SIBLINGS - 1) / EB_SIBLINGS; }

static void set_bounds(const eb_leaves *l, uint32_t level, size_t box, size_t k, double low, double high)
{
    double *bounds = l->level[level].bounds + (box / EB_SIBLINGS * l->d + k) * 2 * EB_SIBLINGS;
    bounds[box % EB_SIBLINGS] = low;
    bounds[EB_SIBLINGS + box % EB_SIBLINGS] = high;
}

static void take_leaf(void *context, uint32_t leaf, const uint32_t *at, size_t count, const double *values, size_t room)
{
    const eb_leaves *l = context;
    for (size_t k = 0; k < l->d; k++) {
        double *to = l->values + ((size_t)leaf * l->d + k) * EB_LEAF, low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            const double x = values[k * room + at[i]];
            to[i] = x;
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        for (size_t i = count; i < EB_LEAF; i++)
            to[i] = (double)NAN;
        set_bounds(l, 0, leaf, k, low, high);
    }
}

/* Computes the boxes of a level from the families of the level below. */
static void wrap(const eb_leaves *l, uint32_t level)
{
    const size_t below = l->level[level - 1].boxes;
    for (size_t box = 0; box < l->level[level].boxes; box++)
        for (size_t k = 0; k < l->d; k++) {
            const double *bounds = eb_family_bounds(l, level - 1, box, k);
            double low = INFINITY, high = -INFINITY;
            for (size_t c = 0; c < EB_SIBLINGS && box * EB_SIBLINGS + c < below; c++) {
                low = bounds[c] < low ? bounds[c] : low;
                high = bounds[EB_SIBLINGS + c] > high ? bounds[EB_SIBLINGS + c] : high;
            }
            set_bounds(l, level, box, k, low, high);
        }
}

static eb_code allocate_levels(eb_leaves *l, eb_status *status)
{
    size_t boxes = l->order.leaves;
    for (;; boxes = families_of(boxes)) {
        const size_t bytes = families_of(boxes) * l->d * 2 * EB_SIBLINGS * sizeof(double);
        double *bounds = aligned_alloc(64, bytes);
        if (!bounds)
            return eb_fail_memory(status, "boxes around the points", bytes);
        l->level[l->levels++] = (eb_box_level){.boxes = boxes, .bounds = bounds};
        memset(bounds + (families_of(boxes) - 1) * l->d * 2 * EB_SIBLINGS, 0, l->d * 2 * EB_SIBLINGS * sizeof(double));
        if (boxes <= EB_SIBLINGS)
            return EB_OK;
    }
}

static eb_code allocate(eb_leaves *l, size_t n, size_t leaves, uint32_t **order, uint32_t **first, eb_status *status)
{
    const size_t bytes = leaves * EB_LEAF * (l->d * sizeof(double) + sizeof(uint32_t));
    *order = malloc(n * sizeof **order);
    *first = malloc((leaves + 1) * sizeof **first);
    l->order = (eb_order){.n = n, .point = *order, .leaves = leaves, .first = *first};
    l->point = malloc(leaves * EB_LEAF * sizeof *l->point);
    l->values = eb_pool_take(leaves * l->d * EB_LEAF * sizeof *l->values);
    if (!*order || !*first || !l->point || !l->values)
        return eb_fail_memory(status, "the points in leaves", bytes);
    return allocate_levels(l, status);
}

/* Copies the order with a stride of EB_LEAF per leaf, so that readers need not load where a leaf begins. */
static void spread_points(const eb_leaves *l)
{
    for (size_t leaf = 0; leaf < l->order.leaves; leaf++)
        for (size_t i = 0, count = eb_leaf_count(l, leaf); i < EB_LEAF; i++)
            l->point[leaf * EB_LEAF + i] = i < count ? l->order.point[l->order.first[leaf] + i] : 0;
}

static eb_code fill(eb_orderer *orderer, size_t leaves, size_t n, eb_leaves *out, eb_status *status)
{
    uint32_t *order, *first;
    EB_TRY(allocate(out, n, leaves, &order, &first, status));
    EB_TRY(eb_orderer_run(orderer, order, first, take_leaf, out, status));
    for (uint32_t level = 1; level < out->levels; level++)
        wrap(out, level);
    spread_points(out);
    return EB_OK;
}

eb_code eb_leaves_make(const eb_dataset *points, unsigned threads, eb_job *job, eb_leaves *out, eb_status *status)
{
    eb_orderer *orderer = NULL;
    size_t leaves;
    *out = (eb_leaves){.d = points->d};
    EB_TRY(eb_orderer_new(points, threads, job, &orderer, &leaves, status));
    const eb_code failed = fill(orderer, leaves, points->n, out, status);
    eb_orderer_free(orderer);
    if (failed)
        eb_leaves_free(out);
    return failed;
}

void eb_leaves_free(eb_leaves *l)
{
    for (uint32_t level = 0; level < l->levels; level++)
        free(l->level[level].bounds);
    free((void *)(uintptr_t)l->order.point);
    free((void *)(uintptr_t)l->order.first);
    free(l->point);
    eb_pool_give(l->values);
    *l = (eb_leaves){.d = 0};
}

/* An upper bound. At most one leaf in forty is not full, because cells have many leaves; the boxes of all levels are a
 * thirtieth more than those of the leaves. */
uint64_t eb_leaves_bytes(size_t n, size_t d)
{
    const uint64_t padded = (uint64_t)n + n / 32 + 2 * (uint64_t)EB_LEAF, leaves = padded / EB_LEAF + 1;
    return padded * (8 * (uint64_t)d + 12) + leaves * (18 * (uint64_t)d + 4) + EB_SIBLINGS * 16 * (uint64_t)d;
}
