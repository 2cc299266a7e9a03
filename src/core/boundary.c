#include "core/boundary.h"

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

/* Below 0: a is nearer than b. A distance that is no number is farther than all. */
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

/* Heap sort's second half: the farthest goes behind the others, again and again. */
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

eb_code eb_boundary_complete(const eb_accuracy_request *q, eb_boundary_pair *pairs, size_t count, eb_job *job,
                             eb_status *status)
{
    size_t n = q->dataset->n, missing = 0;
    uint32_t *rows = malloc((count ? count : 1) * sizeof *rows);
    eb_boundary_pair **wanted = malloc((count ? count : 1) * sizeof *wanted);
    double *s = NULL;
    eb_code code = rows && wanted ? EB_OK : eb_fail_memory(status, "the pairs nearest to ε", count * sizeof *wanted);
    for (size_t k = 0; code == EB_OK && q->fast_state && k < count; k++) {
        if (pairs[k].in_fast)
            continue;
        rows[missing] = pairs[k].i;
        wanted[missing++] = &pairs[k];
    }
    size_t batch = n * sizeof *s < BATCH_BYTES ? BATCH_BYTES / (n * sizeof *s) : 1;
    if (batch > missing)
        batch = missing;
    if (missing > 0 && !(s = malloc(batch * n * sizeof *s)))
        code = eb_fail_memory(status, "distances of the pairs nearest to ε", batch * n * sizeof *s);
    for (size_t first = 0; code == EB_OK && first < missing; first += batch) {
        size_t m = missing - first < batch ? missing - first : batch;
        code = q->fast_engine->distances(q->fast_state, rows + first, m, s, job, status);
        for (size_t k = 0; code == EB_OK && k < m; k++) {
            double squared = s[k * n + wanted[first + k]->j];
            wanted[first + k]->dist_fast = squared < 0 ? 0 : sqrt(squared); /* as tables have it */
        }
    }
    free(s);
    free(wanted);
    free(rows);
    return code;
}
