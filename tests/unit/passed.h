/* passed: what a distance pass up to ε found, to compare passes that were made in different ways. Header-only. */
#pragma once

#include "core/engine/problem.h"
#include "core/tune/order_statistic.h"
#include "tests/unit/test.h"

enum { PASS_EDGES = 3 };

typedef struct passed {
    uint64_t pairs[PASS_EDGES];
    double *kept[PASS_EDGES]; /* ascending; of the first interval none */
} passed;

/* To be freed with free_passed. */
static inline passed pass_of(const eb_opened *opened, double eps)
{
    const double edges[PASS_EDGES] = {eps / 3, eps / 2, eps};
    const bool keep[PASS_EDGES] = {false, true, true};
    passed found;
    eb_distance_pass pass = {.edges = PASS_EDGES, .eps = edges, .keep = keep, .pairs = found.pairs, .kept = found.kept};
    eb_status status = {.message = ""};
    if (eb_ask_histogram(opened, &pass, &status))
        fail_msg("%s: %s", opened->setup->spec, status.message);
    for (size_t k = 1; k < PASS_EDGES; k++)
        if (found.pairs[k])
            qsort(found.kept[k], (size_t)found.pairs[k], sizeof(double), eb_compare_doubles);
    return found;
}

static inline void free_passed(passed *p)
{
    for (size_t k = 0; k < PASS_EDGES; k++)
        free(p->kept[k]);
}

static inline void assert_same_passes(const passed *expected, const passed *found, const char *what)
{
    assert_null(found->kept[0]);
    for (size_t k = 0; k < PASS_EDGES; k++) {
        if (expected->pairs[k] != found->pairs[k])
            fail_msg("%s: interval %zu has %llu pairs, expected %llu", what, k, (unsigned long long)found->pairs[k],
                     (unsigned long long)expected->pairs[k]);
        if (k > 0 && expected->pairs[k])
            assert_memory_equal(expected->kept[k], found->kept[k], (size_t)expected->pairs[k] * sizeof(double));
    }
}
