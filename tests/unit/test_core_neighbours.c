/* neighbours: the table builder against naive tables, its limits, and engines that violate their contract. */
#include <math.h>
#include <pthread.h>

#include "core/base/parallel.h"
#include "core/join/neighbours.h"
#include "core/join/row_sort.h"
#include "tests/unit/given_rows.h"
#include "tests/unit/naive_tables.h"
#include "tests/unit/test.h"

/* Passes hits to the builder as an engine with several threads does: each unordered pair once, as (i, j) or (j, i), in
 * batches of odd sizes. */
typedef struct feeder {
    const eb_dataset *ds;
    size_t begin, end;
    double eps;
    eb_sink sink;
} feeder;

static eb_code feed_row(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const feeder *f = context;
    size_t i = f->begin + (size_t)task, count = 0;
    eb_hit hits[7];
    for (size_t j = 0; j < f->ds->n; j++) {
        bool inside = j >= f->begin && j < f->end;
        double s = eb_truth_distance2(f->ds, i, j);
        if ((inside && j <= i) || !(s <= eb_squared_threshold(f->eps)))
            continue;
        bool turned = inside && (i + j) % 3 == 0;
        hits[count++] = (eb_hit){.i = (uint32_t)(turned ? j : i), .j = (uint32_t)(turned ? i : j), .s = s};
        if (count < 7)
            continue;
        eb_code code = f->sink.hits(f->sink.context, thread, hits, count, status);
        if (code != EB_OK)
            return code;
        count = 0;
    }
    return f->sink.hits(f->sink.context, thread, hits, count, status);
}

static eb_code build(const eb_dataset *ds, size_t begin, size_t end, double eps, eb_distances distances,
                     unsigned threads, uint64_t limit, eb_neighbours **out, eb_status *status)
{
    eb_neighbours_builder *builder;
    assert_int_equal(new_builder(ds->n, begin, end, threads, distances, limit, &builder, status), EB_OK);
    feeder f = {.ds = ds, .begin = begin, .end = end, .eps = eps, .sink = eb_neighbours_builder_sink(builder)};
    eb_code code = eb_parallel(threads, end - begin, feed_row, &f, NULL, status);
    if (code == EB_OK)
        code = eb_neighbours_builder_finish(builder, NULL, out, status);
    if (code == EB_OK)
        assert_int_equal(eb_neighbours_builder_found(builder), (*out)->offsets[(*out)->rows]);
    eb_neighbours_builder_free(builder);
    return code;
}

TEST(tables_equal_the_truth)
{
    static const struct {
        size_t n, d;
        unsigned spread;
        double eps;
    } cases[] = {
        {1, 1, 9, 1},         {2, 1, 9, 100},  {2, 3, 90, 0},
        {300, 2, 40, 5},      {300, 2, 40, 0}, /* ε = 0: duplicates only */
        {300, 1, 4, 0},                        /* many duplicates */
        {257, 3, 50, 1e6},                     /* everything within ε */
        {500, 4, 1000, 1e-3},                  /* self pairs only */
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        eb_dataset *ds = naive_points(cases[c].n, cases[c].d, cases[c].spread, c);
        size_t n = ds->n;
        size_t ranges[][2] = {{0, n}, {0, 1}, {n - 1, n}, {n / 3, n - n / 3}, {n / 2, n / 2}};
        for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++)
            for (unsigned threads = 1; threads <= 4; threads += 3) {
                eb_neighbours *table = NULL;
                eb_status status;
                eb_distances distances = (eb_distances)((r + 1) % 3);
                assert_int_equal(build(ds, ranges[r][0], ranges[r][1], cases[c].eps, distances, threads, 0, &table,
                                       &status),
                                 EB_OK);
                assert_int_equal(table->first_row, ranges[r][0]);
                assert_int_equal(table->rows, ranges[r][1] - ranges[r][0]);
                assert_int_equal(table->kept, distances);
                assert_true((table->any_distances != NULL) == (distances != EB_DISTANCES_NONE));
                assert_is_truth(table, ds, cases[c].eps);
                if (r == 0)
                    assert_int_equal(table->offsets[n], naive_pairs(ds, cases[c].eps));
                eb_neighbours_free(table);
            }
        eb_dataset_free(ds);
    }
}

TEST(the_documented_bytes_suffice_and_less_fails)
{
    eb_dataset *ds = naive_points(400, 2, 30, 7);
    double eps = 6;
    uint64_t pairs = naive_pairs(ds, eps);
    for (int kind = 0; kind <= 2; kind++) {
        eb_distances distances = (eb_distances)kind;
        eb_neighbours *table = NULL;
        eb_status status;
        uint64_t enough = eb_neighbours_build_bytes(400, pairs, distances) + 2 * 4096;
        assert_int_equal(build(ds, 0, 400, eps, distances, 2, enough, &table, &status), EB_OK);
        assert_is_truth(table, ds, eps);
        eb_neighbours_free(table);
        uint64_t table_only = eb_neighbours_bytes(400, pairs, distances);
        assert_int_equal(build(ds, 0, 400, eps, distances, 2, table_only, &table, &status), EB_NO_MEMORY);
        assert_non_null(strstr(status.message, "rows 0 to 400"));
        assert_int_equal(build(ds, 0, 400, eps, distances, 2, 1, &table, &status), EB_NO_MEMORY);
    }
    eb_dataset_free(ds);
}

TEST(sizes_do_not_wrap)
{
    assert_int_equal(eb_neighbours_bytes(10, 100, EB_DISTANCES_F64) - eb_neighbours_bytes(10, 99, EB_DISTANCES_F64),
                     12);
    assert_int_equal(eb_neighbours_bytes(10, 100, EB_DISTANCES_NONE) - eb_neighbours_bytes(10, 99, EB_DISTANCES_NONE),
                     4);
    assert_int_equal(eb_neighbours_bytes(10, 100, EB_DISTANCES_F32) - eb_neighbours_bytes(10, 99, EB_DISTANCES_F32), 8);
    assert_true(eb_neighbours_bytes(10, UINT64_MAX / 2, EB_DISTANCES_F64) == UINT64_MAX);
    assert_true(eb_neighbours_build_bytes(SIZE_MAX, 1, EB_DISTANCES_NONE) == UINT64_MAX);
    eb_neighbours *table;
    eb_status status;
    assert_int_equal(eb_neighbours_new(10, 0, 10, UINT64_MAX / 4, EB_DISTANCES_F64, &table, &status), EB_NO_MEMORY);
}

static eb_code give(const eb_hit *hits, size_t count, unsigned thread, eb_status *status)
{
    eb_neighbours_builder *builder;
    eb_neighbours *table = NULL;
    assert_int_equal(new_builder(10, 2, 6, 1, EB_DISTANCES_F64, 0, &builder, status), EB_OK);
    eb_sink sink = eb_neighbours_builder_sink(builder);
    eb_code code = sink.hits(sink.context, thread, hits, count, status);
    if (code == EB_OK)
        code = eb_neighbours_builder_finish(builder, NULL, &table, status);
    eb_neighbours_builder_free(builder);
    eb_neighbours_free(table);
    return code;
}

TEST(broken_promises_are_found_out)
{
    eb_status status;
    eb_hit good[] = {{2, 3, 1}, {2, 9, 1}, {5, 0, 4}};
    assert_int_equal(give(good, 3, 0, &status), EB_OK);
    assert_int_equal(give(good, 3, 1, &status), EB_INTERNAL); /* no such thread */
    eb_hit self = {3, 3, 0}, beyond = {3, 10, 0}, outside = {0, 7, 1};
    assert_int_equal(give(&self, 1, 0, &status), EB_INTERNAL);
    assert_int_equal(give(&beyond, 1, 0, &status), EB_INTERNAL);
    assert_int_equal(give(&outside, 1, 0, &status), EB_INTERNAL);
    eb_hit twice[] = {{2, 3, 1}, {3, 2, 1}};
    assert_int_equal(give(twice, 2, 0, &status), EB_INTERNAL);
    assert_non_null(strstr(status.message, "comes twice"));
    eb_neighbours_builder *builder;
    assert_int_equal(new_builder(10, 7, 6, 1, EB_DISTANCES_F64, 0, &builder, &status), EB_INTERNAL);
    assert_int_equal(new_builder(10, 0, 11, 1, EB_DISTANCES_F64, 0, &builder, &status), EB_INTERNAL);
}

TEST(odd_squares_become_distances)
{
    eb_neighbours_builder *builder;
    eb_neighbours *table = NULL;
    eb_status status;
    assert_int_equal(new_builder(3, 0, 3, 1, EB_DISTANCES_F64, 0, &builder, &status), EB_OK);
    eb_sink sink = eb_neighbours_builder_sink(builder);
    eb_hit hits[] = {{0, 1, -1e-9}, {0, 2, (double)NAN}};
    assert_int_equal(sink.hits(sink.context, 0, hits, 2, &status), EB_OK);
    assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, &status), EB_OK);
    assert_true(table->distances[1] == 0);   /* a slightly negative s gives 0, */
    assert_true(isnan(table->distances[2])); /* NaN stays NaN */
    eb_neighbours_free(table);
    eb_neighbours_builder_free(builder);
}

/* ---- two sets ---- */

static eb_code new_builder_of_two(size_t n, size_t others, size_t begin, size_t end, eb_neighbours_builder **out,
                                  eb_status *status)
{
    eb_neighbours_request request = {.n = n, .others = others, .row_begin = begin, .row_end = end, .threads = 1};
    request.distances = EB_DISTANCES_F64;
    return eb_neighbours_builder_new(&request, out, status);
}

TEST(a_table_of_two_sets_has_no_self_pairs)
{
    static const eb_hit hits[] = {{2, 7, 9}, {3, 3, 16}, {2, 2, 4}, {2, 0, 1}};
    static const uint64_t offsets[] = {0, 3, 4, 4};
    static const uint32_t columns[] = {0, 2, 7, 3};
    static const double distances[] = {1, 2, 3, 4}, s[] = {1, 4, 9, 16};
    for (int by_rows = 0; by_rows <= 1; by_rows++) {
        eb_neighbours_builder *builder;
        eb_neighbours *table = NULL;
        eb_status status;
        assert_int_equal(new_builder_of_two(5, 8, 2, 5, &builder, &status), EB_OK);
        eb_sink sink = eb_neighbours_builder_sink(builder);
        assert_int_equal(eb_neighbours_builder_found(builder), 0);
        eb_code failed = by_rows ? give_rows(&sink, 2, 3, offsets, columns, s, &status)
                                 : sink.hits(sink.context, 0, hits, 4, &status);
        assert_int_equal(failed, EB_OK);
        assert_int_equal(eb_neighbours_builder_found(builder), 4);
        assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, &status), EB_OK);
        assert_true(table->n == 5 && table->others == 8 && !table->self && table->first_row == 2 && table->rows == 3);
        assert_memory_equal(table->offsets, offsets, sizeof offsets);
        assert_memory_equal(table->columns, columns, sizeof columns);
        assert_memory_equal(table->distances, distances,
                            sizeof distances); /* (3, 3) is no self pair: distance 4, not 0 */
        eb_neighbours_free(table);
        eb_neighbours_builder_free(builder);
    }
}

TEST(two_sets_may_have_nothing_in_common)
{
    eb_neighbours_builder *builder;
    eb_neighbours *table = NULL;
    eb_status status;
    assert_int_equal(new_builder_of_two(5, 3, 0, 5, &builder, &status), EB_OK);
    assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, &status), EB_OK);
    for (size_t r = 0; r <= 5; r++)
        assert_int_equal(table->offsets[r], 0);
    eb_neighbours_free(table);
    eb_neighbours_builder_free(builder);
}

TEST(hits_outside_two_sets_are_found_out)
{
    static const eb_hit wrong[] = {{5, 0, 1}, {1, 0, 1}, {2, 8, 1}, {0, 3, 1}};
    static const eb_hit twice[] = {{2, 3, 1}, {2, 3, 1}}, mirrored[] = {{2, 3, 1}, {3, 2, 1}};
    eb_neighbours_builder *builder;
    eb_neighbours *table = NULL;
    eb_status status;
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        assert_int_equal(new_builder_of_two(5, 8, 2, 4, &builder, &status), EB_OK);
        eb_sink sink = eb_neighbours_builder_sink(builder);
        assert_int_equal(sink.hits(sink.context, 0, &wrong[k], 1, &status), EB_INTERNAL);
        eb_neighbours_builder_free(builder);
    }
    for (int other_way = 0; other_way <= 1; other_way++) { /* (3, 2) is another pair than (2, 3) */
        assert_int_equal(new_builder_of_two(5, 8, 2, 4, &builder, &status), EB_OK);
        eb_sink sink = eb_neighbours_builder_sink(builder);
        assert_int_equal(sink.hits(sink.context, 0, other_way ? mirrored : twice, 2, &status), EB_OK);
        assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, &status), other_way ? EB_OK : EB_INTERNAL);
        eb_neighbours_builder_free(builder);
    }
    eb_neighbours_free(table);
    eb_neighbours_request odd = {.n = 5, .others = 8, .self = true, .row_end = 5, .threads = 1};
    assert_int_equal(eb_neighbours_builder_new(&odd, &builder, &status), EB_INTERNAL); /* a self-join with two sizes */
}

/* ---- the sort ---- */

TEST(rows_sort_in_every_shape)
{
    enum { MOST = 3000 };
    uint32_t *columns = malloc(MOST * sizeof *columns);
    double *distances = malloc(MOST * sizeof *distances);
    float *narrow = malloc(MOST * sizeof *narrow);
    uint64_t seed = 3;
    for (size_t round = 0; round < 400; round++) {
        size_t count = round < 100 ? round : naive_random(&seed) % MOST;
        size_t shape = round % 5;
        for (size_t k = 0; k < count; k++) {
            uint32_t x = (uint32_t)naive_random(&seed);
            columns[k] = shape == 0   ? x
                         : shape == 1 ? (uint32_t)k                      /* in order */
                         : shape == 2 ? (uint32_t)(count - k)            /* backwards */
                         : shape == 3 ? (uint32_t)(k % 97 * 64 + k / 97) /* runs of 97 */
                                      : (uint32_t)k * 4 + x % 64;        /* nearly in order, some equal */
            distances[k] = (double)columns[k] + 0.5;
            narrow[k] = (float)(columns[k] % 1000);
        }
        eb_distances kept = (eb_distances)(round % 3);
        void *scratch = malloc(
            eb_row_sort_scratch_bytes(count,
                                      kept)); /* exactly the stated size, so that the sanitizer finds an overrun */
        eb_row_sort(columns, kept == EB_DISTANCES_F32 ? (void *)narrow : distances, kept, count, scratch);
        free(scratch);
        for (size_t k = 0; k < count; k++) {
            assert_true(k == 0 || columns[k - 1] <= columns[k]);
            if (kept == EB_DISTANCES_F64)
                assert_true(distances[k] == (double)columns[k] + 0.5);
            else if (kept == EB_DISTANCES_F32)
                assert_true(narrow[k] == (float)(columns[k] % 1000));
        }
    }
    free(columns);
    free(distances);
    free(narrow);
}

static eb_code cancel_myself(eb_job *job, void *argument, eb_status *status)
{
    const eb_dataset *ds = argument;
    eb_neighbours_builder *builder;
    eb_neighbours *table = NULL;
    eb_code code = new_builder(ds->n, 0, ds->n, 2, EB_DISTANCES_F64, 0, &builder, status);
    if (code != EB_OK)
        return code;
    feeder f = {.ds = ds, .begin = 0, .end = ds->n, .eps = 1e9, .sink = eb_neighbours_builder_sink(builder)};
    code = eb_parallel(2, ds->n, feed_row, &f, NULL, status);
    eb_job_cancel(job);
    if (code == EB_OK)
        code = eb_neighbours_builder_finish(builder, job, &table, status);
    eb_neighbours_builder_free(builder);
    eb_neighbours_free(table);
    return code;
}

TEST(a_cancelled_build_leaves_nothing)
{
    eb_dataset *ds = naive_points(200, 1, 10, 1);
    eb_job *job;
    eb_status status;
    assert_int_equal(eb_job_start(cancel_myself, ds, &job, &status), EB_OK);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    eb_dataset_free(ds);
}

RUN_TESTS
