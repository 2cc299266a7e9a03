/* hostile_checks: tests an engine that claims exact results, named by its spec, on hostile points of every type, from
 * one point to several tiles and from one dimension to many, and on small random cases (tests/unit/hostile_points.h):
 * tables with and without distances, and counts. EPSBENCH_CASES sets the number of random cases. A test's state is the
 * spec. Header-only. */
#pragma once

#include "gpu_suite.h"
#include "tests/unit/hostile_points.h"

static const eb_dtype dtypes[] = {EB_F32, EB_F64, EB_U8, EB_F16, EB_I8, EB_I16, EB_I32};
enum { DTYPES = sizeof dtypes / sizeof dtypes[0] };

/* All n × n squared distances, computed once for sets too large to recompute them for each way. */
static inline double *squared_of(const eb_dataset *ds)
{
    double *s = malloc(ds->n * ds->n * sizeof *s);
    assert_non_null(s);
    for (size_t i = 0; i < ds->n; i++)
        for (size_t j = 0; j <= i; j++)
            s[i * ds->n + j] = s[j * ds->n + i] = eb_truth_distance2(ds, i, j);
    return s;
}

/* An engine may refuse points, and `auto` then takes another engine; no engine may be wrong. */
static inline bool expect_truth(const eb_setup *setup, bool automatic, const eb_dataset *ds, double eps,
                                eb_distances distances, const double *s, hostile_family family, uint64_t key)
{
    eb_status status = {.message = ""};
    bool refused = false;
    const bool holds = hostile_holds(setup, ds, eps, distances, s, &refused, &status);
    if (!holds && !(refused && (!automatic || status.code == EB_BAD_VALUE)))
        fail_msg("%s: %s, %s, %zu × %zu, key %llu, ε = %.17g: %s", setup->spec, hostile_name(family),
                 eb_dtype_name(ds->dtype), ds->n, ds->d, (unsigned long long)key, eps, status.message);
    return holds;
}

static inline void hostile_points_of_all_types(void **state)
{
    static const struct {
        size_t n, d;
    } sizes[] = {{1, 1}, {2, 3}, {33, 1}, {129, 2}, {300, 3}, {257, 10}, {200, 17}, {385, 65}, {300, 200}};
    const char *spec = *state;
    const eb_setup setup = setup_of(spec);
    const bool automatic = strstr(spec, "auto") != NULL;
    size_t done = 0;
    for (hostile_family f = 0; f < HOSTILE_FAMILIES; f += small ? 4 : 1)
        for (size_t t = 0; t < DTYPES; t += small ? 2 : 1)
            for (size_t z = 0; z < sizeof sizes / sizeof sizes[0]; z += small ? 4 : 1) {
                uint64_t key = f * 1000 + t * 100 + z, seed = key;
                eb_dataset *ds = hostile_points(f, dtypes[t], sizes[z].n, sizes[z].d, key);
                double *s = squared_of(ds);
                for (unsigned r = 0; r < HOSTILE_RADII; r += small ? 3 : 1)
                    done += expect_truth(&setup, automatic, ds, hostile_eps(ds, r, &seed),
                                         (r + z) % 2 ? EB_DISTANCES_F64 : EB_DISTANCES_NONE, s, f, key);
                free(s);
                eb_dataset_free(ds);
            }
    assert_true(done > 0);
}

static inline void small_cases_at_random(void **state)
{
    const char *text = getenv("EPSBENCH_CASES");
    const unsigned long cases = text ? strtoul(text, NULL, 10) : small ? 4 : 500;
    const char *spec = *state;
    const eb_setup setup = setup_of(spec);
    uint64_t seed = 1;
    for (unsigned long c = 0; c < cases; c++) {
        const hostile_family f = naive_random(&seed) % HOSTILE_FAMILIES;
        const eb_dtype dtype = dtypes[naive_random(&seed) % DTYPES];
        const size_t n = 1 + naive_random(&seed) % (c % 16 == 0 ? 300 : 60);
        const size_t d = 1 + naive_random(&seed) % (c % 8 == 0 ? 150 : 12);
        const uint64_t key = naive_random(&seed);
        eb_dataset *ds = hostile_points(f, dtype, n, d, key);
        const double eps = hostile_eps(ds, (unsigned)(naive_random(&seed) % HOSTILE_RADII), &seed);
        (void)expect_truth(&setup, strstr(spec, "auto") != NULL, ds, eps, c % 3 ? EB_DISTANCES_F64 : EB_DISTANCES_NONE,
                           NULL, f, key);
        eb_dataset_free(ds);
    }
}
