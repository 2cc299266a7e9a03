/* boxes_points: kinds of FP64 points that are hard for an order, boxes and sums of squares, and the boxes way as an
 * engine opened on them. Header-only. */
#pragma once

#include "core/engine/way.h"
#include "gpu_points.h"

extern const eb_way eb_way_boxes_cuda;
extern const eb_implementation eb_boxes_cuda;

static const eb_engine boxes_engine = {.name = "boxes",
                                       .title = "boxes",
                                       .exactness = EB_TRUTH,
                                       .on[EB_DEVICE_CUDA] = {"boxes", &eb_boxes_cuda}};

/* ---- kinds of points ---- */

static inline double unit_of(size_t i, size_t k) { return (double)(mix(i * 65537 + k + 1) >> 11) * 0x1p-53; }

static inline double in_a_cube(size_t i, size_t k) { return unit_of(i, k); }
static inline double in_clusters(size_t i, size_t k) { return unit_of(i % 7, k) + 0.01 * unit_of(i, k + 1000); }
static inline double equal_in_part(size_t i, size_t k) { return unit_of(i % 10, k); }
static inline double nearly_equal(size_t i, size_t k) { return unit_of(i % 10, k) + 1e-15 * unit_of(i, k + 77); }
static inline double far_from_origin(size_t i, size_t k) { return 1e6 + unit_of(i, k); }
static inline double very_far(size_t i, size_t k) { return 1e15 + 8 * unit_of(i, k); }
static inline double of_all_scales(size_t i, size_t k)
{
    return (unit_of(i, k) - 0.5) * ldexp(1, (int)(mix(i * 31 + k) % 80) - 60);
}
static inline double wide_in_one(size_t i, size_t k) { return unit_of(i, k) * (k == 0 ? 1e8 : 1); }
static inline double subnormal(size_t i, size_t k) { return 0x1p-1040 * unit_of(i, k); }
static inline double huge(size_t i, size_t k) { return 1e150 * unit_of(i, k); }
static inline double on_a_lattice(size_t i, size_t k) { return (double)(mix(i * 131 + k) % 4); }
static inline double with_an_outlier(size_t i, size_t k) { return i == 3 ? 1e30 : unit_of(i, k); }
static inline double the_same(size_t i, size_t k)
{
    (void)i;
    return 0.25 * (double)(k + 1);
}
static inline double signed_zeros(size_t i, size_t k) { return (mix(i + k) & 1 ? -0.0 : 0.0) + (i % 5 == 0); }

typedef struct box_kind {
    const char *name;
    double (*value)(size_t i, size_t k);
} box_kind;

static const box_kind box_kinds[] = {
    {"cube", in_a_cube},
    {"clusters", in_clusters},
    {"duplicates", equal_in_part},
    {"near duplicates", nearly_equal},
    {"far from the origin", far_from_origin},
    {"very far", very_far},
    {"all scales", of_all_scales},
    {"one wide dimension", wide_in_one},
    {"subnormal", subnormal},
    {"huge", huge},
    {"lattice", on_a_lattice},
    {"one outlier", with_an_outlier},
    {"all equal", the_same},
    {"signed zeros", signed_zeros},
};
#define BOX_KINDS (sizeof box_kinds / sizeof box_kinds[0])

/* first: index of the first point in the kind's endless supply. The caller frees the rows. */
static inline double *box_points(const box_kind *kind, size_t first, size_t n, size_t d, eb_dataset *ds)
{
    eb_status status = {.message = ""};
    double *rows = malloc(n * d * sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++)
            rows[i * d + k] = kind->value(first + i, k);
    *ds = (eb_dataset){.n = n,
                       .d = d,
                       .dtype = EB_F64,
                       .rows = (const unsigned char *)rows,
                       .stride = d * sizeof *rows,
                       .source = (char *)(uintptr_t)kind->name};
    if (eb_dataset_seal(ds, &status))
        fail_msg("%s: %s", kind->name, status.message);
    return rows;
}

/* The distance of a pair of points, so that at least one pair is exactly at ε. */
static inline double a_tie(const eb_dataset *ds, uint64_t seed)
{
    const size_t i = mix(seed) % ds->n, j = mix(seed + 1) % ds->n;
    return eb_truth_distance(ds, i, j);
}

/* ---- the way, opened ---- */

static inline eb_code try_boxes(asked *a, const eb_problem *problem, uint64_t memory_limit, eb_status *status)
{
    a->setup = setup_of("ref64");
    a->setup.engine = &boxes_engine;
    a->setup.run = &eb_boxes_cuda;
    a->setup.resources.memory_limit = memory_limit;
    (void)snprintf(a->setup.spec, sizeof a->setup.spec, "boxes");
    return eb_problem_open(&a->setup, problem, NULL, &a->opened, status);
}

static inline void open_boxes(asked *a, const eb_dataset *ds, uint64_t memory_limit)
{
    eb_status status = {.message = ""};
    const eb_problem problem = eb_self_join(ds);
    if (try_boxes(a, &problem, memory_limit, &status))
        fail_msg("boxes on %s: %s", ds->source, status.message);
}
