/* gpu_points: datasets for GPU tests, and an engine opened on one in one line. Header-only. */
#pragma once

#include <math.h>

#include "core/join/join.h"
#include "gpu_suite.h"

/* ---- datasets ---- */

typedef struct sample {
    const char *name;
    size_t n, d;
    double eps;
    float (*value)(size_t i, size_t k);
} sample;

static inline uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static inline float uniform(size_t i, size_t k) { return (float)(mix(i * 65537 + k + 1) >> 40) * 0x1p-24f; }
static inline float clustered(size_t i, size_t k) { return uniform(i % 7, k) + 0.01f * uniform(i, k + 1000); }
static inline float duplicated(size_t i, size_t k) { return uniform(i % 50, k); }
static inline float mixed(size_t i, size_t k)
{
    return (uniform(i, k) - 0.5f) * ldexpf(1, (int)(mix(i + k) % 24) - 16);
}
static inline float tiny(size_t i, size_t k) { return (uniform(i, k) - 0.5f) * 0x1p-16f; }
static inline float integers(size_t i, size_t k) { return (float)(mix(i * 131 + k) % 256); }

static const sample samples[] = {
    {"random", 700, 96, 3.8, uniform},
    {"clustered", 515, 33, 0.05, clustered},
    {"duplicated", 400, 20, 0, duplicated},
    {"one point", 1, 1, 1, uniform},
    {"two points", 2, 3, 0.7, uniform},
    {"one dimension", 300, 1, 0.01, uniform},
    {"ragged", 257, 65, 3, uniform},
    {"whole tiles", 256, 64, 2.9, uniform},
    {"signs and magnitudes", 300, 70, 60, mixed},
    {"FP16 subnormals", 200, 40, 0x1p-15, tiny},
    {"integers", 390, 128, 1100, integers},
    {"everything", 200, 16, 100, uniform},
    {"deep", 150, 800, 11, uniform},
    {"nothing", 300, 16, 1e-9, uniform},
    {"deep and ragged", 700, 530, 9.2, uniform},
    {"deep, whole tiles", 512, 448, 8.5, uniform},
    {"deep clusters", 600, 400, 0.0816, clustered},
    {"deep magnitudes", 300, 390, 160, mixed},
    {"deep duplicates", 300, 384, 0, duplicated},
    {"deep, everything", 270, 400, 100, uniform},
    {"one deep point", 1, 400, 1, uniform},
};
#define SAMPLES (sizeof samples / sizeof samples[0])

/* True if the sample is used. With `small` set, only samples with several tiles and several slices, but few of each. */
static inline bool used(const sample *s) { return !small || (s->n > 200 && s->n <= 300 && s->d > 60 && s->d <= 400); }

/* A sample with many hits in 96 dimensions. */
static inline sample plenty(void)
{
    sample s = samples[0];
    s.n = small ? 300 : s.n;
    return s;
}

/* Rows [first, first + n) of a sample's endless supply. */
static inline float *make_from(const sample *s, size_t first, size_t n, eb_dataset *ds)
{
    float *rows = malloc(n * s->d * sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < s->d; k++)
            rows[i * s->d + k] = s->value(first + i, k);
    *ds = (eb_dataset){.n = n,
                       .d = s->d,
                       .dtype = EB_F32,
                       .rows = (const unsigned char *)rows,
                       .stride = s->d * sizeof(float),
                       .source = (char *)(uintptr_t)s->name};
    return rows;
}

static inline float *make(const sample *s, eb_dataset *ds) { return make_from(s, 0, s->n, ds); }

/* ---- an engine with an open problem ---- */

/* Must not move once it is open. */
typedef struct asked {
    eb_setup setup;
    eb_opened opened;
} asked;

static inline void open_problem(asked *a, const char *spec, const eb_problem *problem, uint64_t memory_limit)
{
    eb_status status = {.message = ""};
    a->setup = setup_of(spec);
    a->setup.resources.memory_limit = memory_limit;
    if (eb_problem_open(&a->setup, problem, NULL, &a->opened, &status))
        fail_msg("%s on %s: %s", spec, problem->left->source, status.message);
}

static inline void open_points(asked *a, const char *spec, const eb_dataset *ds)
{
    const eb_problem problem = eb_self_join(ds);
    open_problem(a, spec, &problem, 0);
}

static inline void close_problem(asked *a) { eb_problem_close(&a->opened); }

static inline uint64_t count_of(asked *a, const eb_question *question, const eb_share *share)
{
    eb_status status = {.message = ""};
    uint64_t entries = 0;
    if (eb_ask_count(&a->opened, question, share, &entries, &status))
        fail_msg("%s: %s", a->setup.spec, status.message);
    return entries;
}

static inline uint64_t count_all(asked *a, double eps)
{
    const eb_question question = {.eps = eps};
    const eb_share whole = eb_share_whole(&a->opened.problem);
    return count_of(a, &question, &whole);
}

static inline eb_code keep_table(void *context, eb_neighbours *batch, eb_status *status)
{
    (void)status;
    *(eb_neighbours **)context = batch;
    return EB_OK;
}

/* The whole table in one piece; the count must agree with it. */
static inline eb_neighbours *table_of_question(asked *a, const eb_question *question)
{
    eb_status status = {.message = ""};
    const eb_join_plan plan = {.question = *question, .distances = EB_DISTANCES_F64, .whole = true};
    const eb_share whole = eb_share_whole(&a->opened.problem);
    eb_join_result result;
    eb_neighbours *table = NULL;
    if (eb_join_run(&a->opened, &plan, keep_table, &table, &result, &status))
        fail_msg("%s on %s: %s", a->setup.spec, a->opened.problem.left->source, status.message);
    assert_int_equal(count_of(a, question, &whole), result.pairs);
    assert_int_equal(table->offsets[table->rows], result.pairs);
    return table;
}

static inline eb_neighbours *table_of(asked *a, double eps)
{
    const eb_question question = {.eps = eps};
    return table_of_question(a, &question);
}

/* Joins a share into a table of its rows. The same builder may receive more shares. */
static inline void join_into(asked *a, const eb_question *question, const eb_share *share,
                             eb_neighbours_builder *builder)
{
    eb_status status = {.message = ""};
    eb_sink sink = eb_neighbours_builder_sink(builder);
    if (a->opened.run->join(a->opened.state, question, share, &sink, &status))
        fail_msg("%s: %s", a->setup.spec, status.message);
}

static inline eb_neighbours_builder *new_builder(const eb_problem *problem, size_t row_begin, size_t row_end)
{
    eb_status status = {.message = ""};
    eb_neighbours_builder *builder = NULL;
    const eb_neighbours_request request = {.n = problem->left->n,
                                           .others = problem->right->n,
                                           .self = eb_is_self_join(problem),
                                           .row_begin = row_begin,
                                           .row_end = row_end,
                                           .threads = 2,
                                           .distances = EB_DISTANCES_F64};
    assert_int_equal(eb_neighbours_builder_new(&request, &builder, &status), EB_OK);
    return builder;
}

static inline eb_neighbours *finish_builder(eb_neighbours_builder *builder)
{
    eb_status status = {.message = ""};
    eb_neighbours *table = NULL;
    if (eb_neighbours_builder_finish(builder, NULL, &table, &status))
        fail_msg("%s", status.message);
    eb_neighbours_builder_free(builder);
    return table;
}

static inline eb_neighbours *rows_of(asked *a, double eps, size_t begin, size_t end)
{
    const eb_question question = {.eps = eps};
    const eb_share share = eb_share_rows(begin, end);
    eb_neighbours_builder *builder = new_builder(&a->opened.problem, begin, end);
    join_into(a, &question, &share, builder);
    return finish_builder(builder);
}

static inline void assert_same_columns(const eb_neighbours *a, const eb_neighbours *b, const char *what)
{
    uint64_t entries = a->offsets[a->rows];
    assert_int_equal(a->rows, b->rows);
    if (entries != b->offsets[b->rows])
        fail_msg("%s: %llu entries against %llu", what, (unsigned long long)entries,
                 (unsigned long long)b->offsets[b->rows]);
    assert_memory_equal(a->offsets, b->offsets, (a->rows + 1) * sizeof *a->offsets);
    assert_memory_equal(a->columns, b->columns, entries * sizeof *a->columns);
}

/* Frees both. */
static inline void assert_same_table(eb_neighbours *a, eb_neighbours *b, const char *what)
{
    assert_same_columns(a, b, what);
    for (uint64_t k = 0; k < a->offsets[a->rows]; k++)
        if (memcmp(&a->distances[k], &b->distances[k], sizeof(double)) != 0)
            fail_msg("%s: entry %llu: distance %.17g against %.17g", what, (unsigned long long)k, a->distances[k],
                     b->distances[k]);
    eb_neighbours_free(a);
    eb_neighbours_free(b);
}
