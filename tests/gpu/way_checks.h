/* way_checks: compares a way of `exact` with ref64 on points of every type, for all questions that a way must answer:
 * whole tables, rows, parts, lists over orders, two sets, passes, queries. Distances must agree bit for bit.
 * Header-only. */
#pragma once

#include "gpu_points.h"
#include "tests/unit/leaf_orders.h"

/* ---- points ---- */

static inline void store_value(eb_dtype dtype, double x, unsigned char *to)
{
    const float f32 = (float)x;
    const uint16_t f16 = eb_half_from_double(x);
    const int32_t i32 = (int32_t)x;
    const int16_t i16 = (int16_t)x;
    const int8_t i8 = (int8_t)x;
    const uint8_t u8 = (uint8_t)x;
    const void *const from[] = {&f16, &f32, &x, &u8, &i8, &i16, &i32}; /* in the order of eb_dtype */
    memcpy(to, from[dtype], eb_dtype_size(dtype));
}

/* Rows [first, first + n) of an endless supply; the caller frees. */
static inline unsigned char *make_points(double (*value)(size_t, size_t), eb_dtype dtype, size_t first, size_t n,
                                         size_t d, eb_dataset *ds)
{
    eb_status status = {.message = ""};
    const size_t size = eb_dtype_size(dtype);
    unsigned char *rows = malloc(n * d * size);
    assert_non_null(rows);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++)
            store_value(dtype, value(first + i, k), rows + (i * d + k) * size);
    *ds = (eb_dataset){.n = n,
                       .d = d,
                       .dtype = dtype,
                       .rows = rows,
                       .stride = d * size,
                       .source = (char *)(uintptr_t) "points"};
    if (eb_dataset_seal(ds, &status))
        fail_msg("%s", status.message);
    return rows;
}

/* ---- a way as an engine ---- */

static inline eb_code try_way(asked *a, const eb_engine *way, const char *items, const eb_problem *problem,
                              uint64_t memory_limit, eb_status *status)
{
    eb_spec spec = {.engine = way};
    eb_options_default(&way->options, &spec.options);
    assert_int_equal(eb_options_take(&spec.options, items, status), EB_OK);
    assert_int_equal(eb_setup_make(&spec, "cuda:0", find_test_device, NULL, &a->setup, status), EB_OK);
    a->setup.resources = (eb_resources){.threads = 2, .memory_limit = memory_limit};
    return eb_problem_open(&a->setup, problem, NULL, &a->opened, status);
}

static inline void open_way(asked *a, const eb_engine *way, const char *items, const eb_problem *problem,
                            uint64_t memory_limit)
{
    eb_status status = {.message = ""};
    if (try_way(a, way, items, problem, memory_limit, &status))
        fail_msg("%s on %s: %s", way->name, problem->left->source, status.message);
}

static inline double figure(const asked *a, const char *key) { return eb_figures_value(&a->opened.figures, key); }

/* ---- equal answers ---- */

static inline void check_table(const eb_engine *way, const eb_dataset *ds, double eps, const char *what)
{
    asked mine, truth;
    const eb_problem problem = eb_self_join(ds);
    char name[160];
    (void)snprintf(name, sizeof name, "%s, %zu × %zu, %s, ε = %.17g", what, ds->n, ds->d, eb_dtype_name(ds->dtype),
                   eps);
    open_way(&mine, way, "", &problem, 0);
    open_points(&truth, "ref64", ds);
    assert_same_table(table_of(&mine, eps), table_of(&truth, eps), name);
    close_problem(&mine);
    close_problem(&truth);
}

static inline void check_rows_and_parts(const eb_engine *way, const eb_dataset *ds, double eps)
{
    asked mine, truth;
    const eb_problem problem = eb_self_join(ds);
    const eb_question question = {.eps = eps};
    const size_t n = ds->n, cuts[] = {0, 1, 130, 131, 257, n};
    open_way(&mine, way, "", &problem, 0);
    open_points(&truth, "ref64", ds);
    for (size_t k = 0; k + 1 < sizeof cuts / sizeof cuts[0]; k++) {
        const eb_share share = eb_share_rows(cuts[k], cuts[k + 1]);
        assert_same_table(rows_of(&mine, eps, cuts[k], cuts[k + 1]), rows_of(&truth, eps, cuts[k], cuts[k + 1]),
                          "rows");
        assert_int_equal(count_of(&mine, &question, &share), count_of(&truth, &question, &share));
    }
    uint64_t entries = 0;
    eb_neighbours_builder *builder = new_builder(&problem, 0, n);
    for (unsigned part = 0; part < 3; part++) {
        const eb_share share = {0, n, part, 3, NULL};
        entries += count_of(&mine, &question, &share);
        join_into(&mine, &question, &share, builder);
    }
    eb_neighbours *whole = table_of(&truth, eps);
    assert_int_equal(entries, whole->offsets[n]);
    assert_same_table(finish_builder(builder), whole, "parts");
    close_problem(&mine);
    close_problem(&truth);
}

/* Lists over leaves of any size in a random order. */
static inline void check_list(const eb_engine *way, const eb_dataset *ds, double eps)
{
    const leaf_sizes sizes = {0, 100};
    uint64_t seed = 1;
    asked listed, truth;
    leaf_order l = grow_leaves(ds->n, sizes, &seed);
    list_leaves(&l, 100, &seed);
    const eb_problem problem = {.left = ds, .right = ds, .order = &l.order};
    const eb_question question = {.eps = eps, .schedule = l.list};
    open_way(&listed, way, "", &problem, 0);
    open_points(&truth, "ref64", ds);
    assert_same_table(table_of_question(&listed, &question), table_of(&truth, eps), "list");
    assert_same_table(rows_of(&listed, eps, 100, 200), rows_of(&truth, eps, 100, 200), "rows of an order");
    close_problem(&listed);
    close_problem(&truth);
    free_leaves(&l);
}

static inline void check_two_sets(const eb_engine *way, const eb_dataset *left, const eb_dataset *right, double eps)
{
    asked mine, truth;
    const eb_problem problem = {.left = left, .right = right};
    open_way(&mine, way, "", &problem, 0);
    open_problem(&truth, "ref64", &problem, 0);
    assert_same_table(table_of(&mine, eps), table_of(&truth, eps), "two sets");
    assert_same_table(rows_of(&mine, eps, 100, 201), rows_of(&truth, eps, 100, 201), "rows of two sets");
    close_problem(&mine);
    close_problem(&truth);
}

static inline int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { PASS_EDGES = 3 };

static inline void check_pass(const eb_engine *way, const eb_dataset *ds, const double eps[PASS_EDGES])
{
    static const bool keep[PASS_EDGES] = {false, true, true};
    eb_status status = {.message = ""};
    asked mine, truth;
    uint64_t pairs[2][PASS_EDGES];
    double *kept[2][PASS_EDGES];
    const eb_problem problem = eb_self_join(ds);
    open_way(&mine, way, "", &problem, 0);
    open_points(&truth, "ref64", ds);
    const asked *const both[] = {&mine, &truth};
    for (size_t e = 0; e < 2; e++) {
        eb_distance_pass pass = {.edges = PASS_EDGES, .eps = eps, .keep = keep, .pairs = pairs[e], .kept = kept[e]};
        assert_int_equal(eb_ask_histogram(&both[e]->opened, &pass, &status), EB_OK);
    }
    for (size_t k = 0; k < PASS_EDGES; k++) {
        assert_int_equal(pairs[0][k], pairs[1][k]);
        for (size_t e = 0; e < 2 && keep[k]; e++)
            qsort(kept[e][k], pairs[e][k], sizeof(double), ascending);
        if (keep[k])
            assert_memory_equal(kept[0][k], kept[1][k], pairs[0][k] * sizeof(double));
        free(kept[0][k]);
        free(kept[1][k]);
    }
    close_problem(&mine);
    close_problem(&truth);
}

static inline void check_queries(const eb_engine *way, const eb_dataset *ds)
{
    enum { M = 3 };
    const uint32_t queries[M] = {0, (uint32_t)(ds->n / 2), (uint32_t)(ds->n - 1)};
    eb_status status = {.message = ""};
    asked mine, truth;
    double *s = malloc(2 * M * ds->n * sizeof *s);
    const eb_problem problem = eb_self_join(ds);
    assert_non_null(s);
    open_way(&mine, way, "", &problem, 0);
    open_points(&truth, "ref64", ds);
    assert_int_equal(eb_ask_distances(&mine.opened, queries, M, s, &status), EB_OK);
    assert_int_equal(eb_ask_distances(&truth.opened, queries, M, s + M * ds->n, &status), EB_OK);
    assert_memory_equal(s, s + M * ds->n, M * ds->n * sizeof *s);
    close_problem(&mine);
    close_problem(&truth);
    free(s);
}
