#include "core/accuracy/boundary.h"

#include <math.h>
#include <stdlib.h>

#define BATCH_BYTES ((size_t)64 << 20)

eb_code eb_nearest_new(double eps, size_t room, eb_nearest *out, eb_status *status)
{
    *out = (eb_nearest){.eps = eps, .room = room, .pair = calloc(room ? room : 1, sizeof *out->pair)};
    return out->pair ? EB_OK : eb_fail_memory(status, "the pairs nearest to ε", room * sizeof *out->pair);
}

void eb_nearest_free(eb_nearest *nearest)
{
    free(nearest->pair);
    *nearest = (eb_nearest){.pair = NULL};
}

static int compare_numbers(double x, double y) { return (x > y) - (x < y); }

/* Below 0 if a is nearer to ε than b. A NaN distance is farther than all others. */
static int compare_pairs(double eps, const eb_boundary_pair *a, const eb_boundary_pair *b)
{
    double gap_a = fabs(a->dist_true - eps), gap_b = fabs(b->dist_true - eps);
    int order = compare_numbers(isnan(gap_a) ? INFINITY : gap_a, isnan(gap_b) ? INFINITY : gap_b);
    if (order == 0)
        order = (a->i > b->i) - (a->i < b->i);
    return order ? order : (a->j > b->j) - (a->j < b->j);
}

static bool is_farther(const eb_nearest *nearest, size_t a, size_t b)
{
    return compare_pairs(nearest->eps, &nearest->pair[a], &nearest->pair[b]) > 0;
}

static void swap(eb_nearest *nearest, size_t a, size_t b)
{
    eb_boundary_pair held = nearest->pair[a];
    nearest->pair[a] = nearest->pair[b];
    nearest->pair[b] = held;
}

static void sift_up(eb_nearest *nearest, size_t at)
{
    for (; at > 0 && is_farther(nearest, at, (at - 1) / 2); at = (at - 1) / 2)
        swap(nearest, at, (at - 1) / 2);
}

static void sift_down(eb_nearest *nearest, size_t at)
{
    for (;;) {
        size_t left = 2 * at + 1, right = left + 1, farthest = at;
        if (left < nearest->count && is_farther(nearest, left, farthest))
            farthest = left;
        if (right < nearest->count && is_farther(nearest, right, farthest))
            farthest = right;
        if (farthest == at)
            return;
        swap(nearest, at, farthest);
        at = farthest;
    }
}

void eb_nearest_offer(eb_nearest *nearest, const eb_boundary_pair *pair)
{
    if (nearest->count < nearest->room) {
        nearest->pair[nearest->count++] = *pair;
        sift_up(nearest, nearest->count - 1);
    } else if (nearest->room > 0 && compare_pairs(nearest->eps, pair, &nearest->pair[0]) < 0) {
        nearest->pair[0] = *pair;
        sift_down(nearest, 0);
    }
}

/* The second half of heap sort: repeatedly moves the farthest remaining pair to the end. */
void eb_nearest_sort(eb_nearest *nearest)
{
    size_t count = nearest->count;
    while (nearest->count > 1) {
        nearest->count--;
        swap(nearest, 0, nearest->count);
        sift_down(nearest, 0);
    }
    nearest->count = count;
}

/* Asks for the pairs that the engine did not report, as many rows at a time as fit the batch. */
static eb_code ask(const eb_opened *fast, eb_boundary_pair *pairs, size_t count, uint32_t *rows, double *s,
                   size_t batch, eb_status *status)
{
    const size_t n = fast->problem.right->n;
    const double unit = ldexp(1, -fast->scaling.exponent);
    for (size_t first = 0, end = 0; first < count; first = end) {
        size_t m = 0;
        for (; end < count && m < batch; end++)
            if (!pairs[end].in_fast)
                rows[m++] = pairs[end].i;
        if (m == 0)
            return EB_OK;
        EB_TRY(eb_ask_distances(fast, rows, m, s, status));
        for (size_t k = first, row = 0; k < end; k++)
            if (!pairs[k].in_fast)
                pairs[k].dist_fast = eb_distance_of(s[row++ * n + pairs[k].j], unit); /* as in tables */
    }
    return EB_OK;
}

eb_code eb_boundary_complete(const eb_opened *fast, eb_boundary_pair *pairs, size_t count, eb_status *status)
{
    size_t missing = 0, batch = 1;
    for (size_t k = 0; k < count; k++)
        missing += !pairs[k].in_fast;
    if (missing == 0)
        return EB_OK;
    const size_t row_bytes = fast->problem.right->n * sizeof(double);
    while (batch < missing && (batch + 1) * row_bytes <= BATCH_BYTES)
        batch++;
    uint32_t *rows = calloc(batch, sizeof *rows);
    double *s = calloc(batch, row_bytes);
    const eb_code failed = rows && s ? ask(fast, pairs, count, rows, s, batch, status)
                                     : eb_fail_memory(status, "distances of the pairs nearest to ε", batch * row_bytes);
    free(rows);
    free(s);
    return failed;
}
