/* hostile_points: points and radii that are hard for joins, of every element type, and a comparison of an engine's
 * table with the exact result, entry for entry, bit for bit. For tests on CPU and GPU. Header-only. */
#pragma once

#include <string.h>

#include "core/join/join.h"
#include "tests/unit/naive_points.h"

typedef enum hostile_family {
    HOSTILE_RANDOM,
    HOSTILE_CLUSTERS,
    HOSTILE_DUPLICATES,
    HOSTILE_NEAR_DUPLICATES, /* differ in the last bit */
    HOSTILE_FAR,             /* 10⁶ times farther from the origin than from each other */
    HOSTILE_MIXED,           /* coordinates of all sizes in one point */
    HOSTILE_SUBNORMAL,
    HOSTILE_WHOLE, /* small whole numbers: ties abound */
    HOSTILE_OUTLIER,
    HOSTILE_EQUAL,
    HOSTILE_LINE, /* all on a diagonal: one dimension in many */
    HOSTILE_FAMILIES,
} hostile_family;

static inline const char *hostile_name(hostile_family family)
{
    static const char *const names[HOSTILE_FAMILIES] = {
        "random",       "clusters",  "duplicates",    "near duplicates", "far from the origin",
        "mixed scales", "subnormal", "whole numbers", "one outlier",     "all equal",
        "a line",
    };
    return names[family];
}

static inline double hostile_unit(uint64_t *seed) { return (double)(naive_random(seed) >> 11) * 0x1p-53; }

/* Coordinate k of point i, before rounding to its type. Advances `seed`. */
static inline double hostile_value(hostile_family family, uint64_t key, size_t i, size_t k, uint64_t *seed)
{
    uint64_t of_cluster = key + (i % 5) * 1000 + k, of_dimension = key + k;
    switch (family) {
    case HOSTILE_CLUSTERS: return hostile_unit(&of_cluster) + 0.01 * hostile_unit(seed);
    case HOSTILE_DUPLICATES: return hostile_unit(&of_cluster) - 0.5;
    case HOSTILE_NEAR_DUPLICATES: return hostile_unit(&of_cluster) * (1 + (double)(naive_random(seed) % 5) * 0x1p-23);
    case HOSTILE_FAR: return 1e6 + 1e5 * hostile_unit(&of_dimension) + hostile_unit(seed);
    case HOSTILE_MIXED: return ldexp(hostile_unit(seed) - 0.5, (int)(naive_random(seed) % 36) - 24);
    case HOSTILE_SUBNORMAL: return ldexp(hostile_unit(seed) - 0.5, -126 - (int)(naive_random(seed) % 16));
    case HOSTILE_WHOLE: return (double)(naive_random(seed) % 12);
    case HOSTILE_OUTLIER: return i == 3 ? 1e30 : hostile_unit(seed);
    case HOSTILE_EQUAL: return hostile_unit(&of_dimension);
    case HOSTILE_LINE: of_cluster = key + i; return hostile_unit(&of_cluster);
    default: return 2 * hostile_unit(seed) - 1;
    }
}

static inline void hostile_put(eb_dtype dtype, double value, unsigned char *to)
{
    const float single = (float)value;
    const uint16_t half = eb_half_from_double(fmax(-60000, fmin(60000, value)));
    const double spread = fmax(-1, fmin(1, value)); /* integer types: fractional families fill their range */
    const double whole = value == floor(value) && fabs(value) < 100 ? value : spread * 120;
    const unsigned char byte = (unsigned char)fabs(2 * whole);
    const signed char narrow = (signed char)whole;
    const int16_t middle = (int16_t)(whole * 7);
    const int32_t large = (int32_t)(whole * 70000);
    switch (dtype) {
    case EB_F16: memcpy(to, &half, sizeof half); break;
    case EB_F32: memcpy(to, &single, sizeof single); break;
    case EB_F64: memcpy(to, &value, sizeof value); break;
    case EB_U8: memcpy(to, &byte, sizeof byte); break;
    case EB_I8: memcpy(to, &narrow, sizeof narrow); break;
    case EB_I16: memcpy(to, &middle, sizeof middle); break;
    case EB_I32: memcpy(to, &large, sizeof large); break;
    }
}

static inline eb_dataset *hostile_points(hostile_family family, eb_dtype dtype, size_t n, size_t d, uint64_t key)
{
    const size_t size = eb_dtype_size(dtype);
    eb_dataset *ds = calloc(1, sizeof *ds);
    unsigned char *values = malloc(n * d * size);
    eb_status status;
    uint64_t seed = key;
    if (!ds || !values)
        abort();
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++)
            hostile_put(dtype, hostile_value(family, key, i, k, &seed), values + (i * d + k) * size);
    *ds = (eb_dataset){
        .n = n, .d = d, .dtype = dtype, .rows = values, .stride = d * size, .release = naive_release, .owner = values};
    if (eb_dataset_seal(ds, &status))
        abort();
    return ds;
}

/* Radii at a pair's distance, just below it, with no pairs, with all pairs, and in between. */
enum { HOSTILE_RADII = 6 };
static inline double hostile_eps(const eb_dataset *ds, unsigned which, uint64_t *seed)
{
    const size_t i = naive_random(seed) % ds->n, j = naive_random(seed) % ds->n;
    const double tie = eb_smallest_eps(eb_truth_distance2(ds, i, j));
    switch (which) {
    case 0: return tie;
    case 1: return nextafter(tie, 0);
    case 2: return 0;
    case 3: return 1e150;
    case 4: return tie * hostile_unit(seed);
    default: return tie * 0.5;
    }
}

/* ---- an engine's table ---- */

static inline eb_code hostile_keep(void *context, eb_neighbours *batch, eb_status *status)
{
    (void)status;
    *(eb_neighbours **)context = batch;
    return EB_OK;
}

/* True if the table is the exact one of n points, by brute force. s: squared distances [n × n], or NULL. */
static inline bool hostile_table_is_truth(const eb_neighbours *table, const eb_dataset *ds, double eps, const double *s)
{
    uint64_t at = 0;
    for (size_t i = 0; i < ds->n; i++) {
        for (size_t j = 0; j < ds->n; j++) {
            const double s2 = s ? s[i * ds->n + j] : eb_truth_distance2(ds, i, j);
            if (!(s2 <= eb_squared_threshold(eps)))
                continue;
            const double distance = sqrt(s2);
            if (at >= table->offsets[i + 1] || table->columns[at] != j ||
                (table->kept == EB_DISTANCES_F64 && memcmp(&table->distances[at], &distance, sizeof distance) != 0))
                return false;
            at++;
        }
        if (table->offsets[i + 1] != at)
            return false;
    }
    return true;
}

/* Opens, joins and counts; true if both results are exact. False with a message in status if the engine fails. refused:
 * the engine does not support these points or radii. */
static inline bool hostile_holds(const eb_setup *setup, const eb_dataset *ds, double eps, eb_distances distances,
                                 const double *s, bool *refused, eb_status *status)
{
    const eb_problem problem = eb_self_join(ds);
    const eb_join_plan plan = {.question.eps = eps, .distances = distances, .whole = true};
    const eb_question question = {.eps = eps};
    const eb_share whole = eb_share_whole(&problem);
    eb_neighbours *table = NULL;
    eb_join_result result = {.pairs = 0};
    eb_opened opened;
    uint64_t counted = 0;
    eb_code failed = eb_problem_open(setup, &problem, NULL, &opened, status);
    if (!failed) {
        failed = eb_join_run(&opened, &plan, hostile_keep, &table, &result, status);
        failed = failed ? failed : eb_ask_count(&opened, &question, &whole, &counted, status);
        eb_problem_close(&opened);
    }
    *refused = failed == EB_NO_ENGINE || failed == EB_BAD_VALUE;
    const bool holds = !failed && counted == result.pairs && hostile_table_is_truth(table, ds, eps, s);
    if (!failed && !holds)
        (void)eb_fail(status, EB_INTERNAL, "%llu pairs joined, %llu counted", (unsigned long long)result.pairs,
                      (unsigned long long)counted);
    eb_neighbours_free(table);
    return holds;
}
