/* neighbours: the table builder against naive tables, its limits, and engines that break their promise. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/parallel.h"
#include "core/join/neighbours.h"
#include "core/join/row_sort.h"
#include "tests/unit/naive_points.h"

static void assert_is_truth(const eb_neighbours *table, const eb_dataset *ds, double eps)
{
    uint64_t at = 0;
    assert_int_equal(table->n, ds->n);
    assert_int_equal(table->offsets[0], 0);
    for (size_t r = 0; r < table->rows; r++) {
        size_t i = table->first_row + r;
        for (size_t j = 0; j < ds->n; j++) {
            double s = eb_truth_distance2(ds, i, j);
            if (!(s <= eb_squared_threshold(eps)))
                continue;
            assert_true(at < table->offsets[r + 1]);
            assert_int_equal(table->columns[at], j);
            if (table->distances)
                assert_true(table->distances[at] == sqrt(s));
            at++;
        }
        assert_int_equal(table->offsets[r + 1], at);
    }
}

/* A builder for a self-join's rows. */
static eb_code new_builder(size_t n, size_t begin, size_t end, unsigned threads, bool distances, uint64_t limit,
                           eb_neighbours_builder **out, eb_status *status)
{
    eb_neighbours_request request = {.n = n,
                                     .others = n,
                                     .self = true,
                                     .row_begin = begin,
                                     .row_end = end,
                                     .threads = threads,
                                     .distances = distances,
                                     .memory_limit = limit};
    return eb_neighbours_builder_new(&request, out, status);
}

/* Feeds the builder as an engine with several threads does, each unordered pair once, either way round, in odd
 * batches. */
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

static eb_code build(const eb_dataset *ds, size_t begin, size_t end, double eps, bool distances, unsigned threads,
                     uint64_t limit, eb_neighbours **out, eb_status *status)
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

static void tables_equal_the_truth(void **state)
{
    (void)state;
    static const struct {
        size_t n, d;
        unsigned spread;
        double eps;
    } cases[] = {
        {1, 1, 9, 1},         {2, 1, 9, 100},  {2, 3, 90, 0},
        {300, 2, 40, 5},      {300, 2, 40, 0}, /* ε = 0: duplicates only */
        {300, 1, 4, 0},                        /* many duplicates */
        {257, 3, 50, 1e6},                     /* everything within ε */
        {500, 4, 1000, 1e-3},                  /* nothing but self */
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        eb_dataset *ds = naive_points(cases[c].n, cases[c].d, cases[c].spread, c);
        size_t n = ds->n;
        size_t ranges[][2] = {{0, n}, {0, 1}, {n - 1, n}, {n / 3, n - n / 3}, {n / 2, n / 2}};
        for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++)
            for (unsigned threads = 1; threads <= 4; threads += 3) {
                eb_neighbours *table = NULL;
                eb_status status;
                bool distances = r % 2 == 0;
                assert_int_equal(build(ds, ranges[r][0], ranges[r][1], cases[c].eps, distances, threads, 0, &table,
                                       &status),
                                 EB_OK);
                assert_int_equal(table->first_row, ranges[r][0]);
                assert_int_equal(table->rows, ranges[r][1] - ranges[r][0]);
                assert_true((table->distances != NULL) == distances);
                assert_is_truth(table, ds, cases[c].eps);
                if (r == 0)
                    assert_int_equal(table->offsets[n], naive_pairs(ds, cases[c].eps));
                eb_neighbours_free(table);
            }
        eb_dataset_free(ds);
    }
}

static void the_documented_bytes_suffice_and_less_fails(void **state)
{
    (void)state;
    eb_dataset *ds = naive_points(400, 2, 30, 7);
    double eps = 6;
    uint64_t pairs = naive_pairs(ds, eps);
    for (int distances = 0; distances <= 1; distances++) {
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

static void sizes_do_not_wrap(void **state)
{
    (void)state;
    assert_int_equal(eb_neighbours_bytes(10, 100, true) - eb_neighbours_bytes(10, 99, true), 12);
    assert_int_equal(eb_neighbours_bytes(10, 100, false) - eb_neighbours_bytes(10, 99, false), 4);
    assert_true(eb_neighbours_bytes(10, UINT64_MAX / 2, true) == UINT64_MAX);
    assert_true(eb_neighbours_build_bytes(SIZE_MAX, 1, false) == UINT64_MAX);
    eb_neighbours *table;
    eb_status status;
    assert_int_equal(eb_neighbours_new(10, 0, 10, UINT64_MAX / 4, true, &table, &status), EB_NO_MEMORY);
}

static eb_code give(const eb_hit *hits, size_t count, unsigned thread, eb_status *status)
{
    eb_neighbours_builder *builder;
    eb_neighbours *table = NULL;
    assert_int_equal(new_builder(10, 2, 6, 1, true, 0, &builder, status), EB_OK);
    eb_sink sink = eb_neighbours_builder_sink(builder);
    eb_code code = sink.hits(sink.context, thread, hits, count, status);
    if (code == EB_OK)
        code = eb_neighbours_builder_finish(builder, NULL, &table, status);
    eb_neighbours_builder_free(builder);
    eb_neighbours_free(table);
    return code;
}

static void broken_promises_are_found_out(void **state)
{
    (void)state;
    eb_status status;
    eb_hit good[] = {{2, 3, 1}, {2, 9, 1}, {5, 0, 4}};
    assert_int_equal(give(good, 3, 0, &status), EB_OK);
    assert_int_equal(give(good, 3, 1, &status), EB_INTERNAL); /* a thread there is not */
    eb_hit self = {3, 3, 0}, beyond = {3, 10, 0}, outside = {0, 7, 1};
    assert_int_equal(give(&self, 1, 0, &status), EB_INTERNAL);
    assert_int_equal(give(&beyond, 1, 0, &status), EB_INTERNAL);
    assert_int_equal(give(&outside, 1, 0, &status), EB_INTERNAL);
    eb_hit twice[] = {{2, 3, 1}, {3, 2, 1}};
    assert_int_equal(give(twice, 2, 0, &status), EB_INTERNAL);
    assert_non_null(strstr(status.message, "comes twice"));
    eb_neighbours_builder *builder;
    assert_int_equal(new_builder(10, 7, 6, 1, true, 0, &builder, &status), EB_INTERNAL);
    assert_int_equal(new_builder(10, 0, 11, 1, true, 0, &builder, &status), EB_INTERNAL);
}

static void odd_squares_become_distances(void **state)
{
    (void)state;
    eb_neighbours_builder *builder;
    eb_neighbours *table = NULL;
    eb_status status;
    assert_int_equal(new_builder(3, 0, 3, 1, true, 0, &builder, &status), EB_OK);
    eb_sink sink = eb_neighbours_builder_sink(builder);
    eb_hit hits[] = {{0, 1, -1e-9}, {0, 2, (double)NAN}};
    assert_int_equal(sink.hits(sink.context, 0, hits, 2, &status), EB_OK);
    assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, &status), EB_OK);
    assert_true(table->distances[1] == 0);   /* an expansion's small negative is 0, */
    assert_true(isnan(table->distances[2])); /* NaN is not hidden */
    eb_neighbours_free(table);
    eb_neighbours_builder_free(builder);
}

/* ---- whole rows ---- */

static eb_neighbours_builder *rows_builder(eb_sink *sink, uint64_t limit)
{
    eb_neighbours_builder *builder;
    eb_status status;
    assert_int_equal(new_builder(5, 1, 4, 2, true, limit, &builder, &status), EB_OK);
    *sink = eb_neighbours_builder_sink(builder);
    return builder;
}

static const uint64_t offsets_two[] = {0, 2, 5};
static const uint32_t columns_two[] = {1, 4, 0, 2, 3};
static const double s_two[] = {0, 9, 4, 0.5, 16}; /* self in row 2 came out as 0.5: still distance 0 */
static const uint64_t offsets_one[] = {0, 2};
static const uint32_t columns_one[] = {2, 3};
static const double s_one[] = {16, 0};

static void whole_rows_make_the_same_table(void **state)
{
    (void)state;
    eb_sink sink;
    eb_status status;
    eb_neighbours *table = NULL;
    eb_neighbours_builder *builder = rows_builder(&sink, 0);
    assert_int_equal(sink.rows(sink.context, 1, 2, offsets_two, columns_two, s_two, &status), EB_OK);
    assert_int_equal(sink.rows(sink.context, 3, 0, offsets_one, columns_one, s_one, &status),
                     EB_OK); /* no rows: fine */
    assert_int_equal(sink.rows(sink.context, 3, 1, offsets_one, columns_one, s_one, &status), EB_OK);
    assert_int_equal(eb_neighbours_builder_found(builder), 7);
    assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, &status), EB_OK);
    static const uint64_t offsets[] = {0, 2, 5, 7};
    static const uint32_t columns[] = {1, 4, 0, 2, 3, 2, 3};
    static const double distances[] = {0, 3, 2, 0, 4, 4, 0};
    assert_memory_equal(table->offsets, offsets, sizeof offsets);
    assert_memory_equal(table->columns, columns, sizeof columns);
    assert_memory_equal(table->distances, distances, sizeof distances);
    eb_neighbours_free(table);
    eb_neighbours_builder_free(builder);
}

static void an_expected_size_is_a_help_not_a_promise(void **state)
{
    (void)state;
    static const uint64_t expected[] = {0, 3, 7, 1000};
    eb_sink sink;
    eb_status status;
    for (size_t k = 0; k < 4; k++) {
        eb_neighbours *table = NULL;
        eb_neighbours_builder *builder = rows_builder(&sink, 0);
        assert_int_equal(sink.expect(sink.context, expected[k], &status), EB_OK);
        assert_int_equal(sink.rows(sink.context, 1, 2, offsets_two, columns_two, s_two, &status), EB_OK);
        assert_int_equal(sink.rows(sink.context, 3, 1, offsets_one, columns_one, s_one, &status), EB_OK);
        assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, &status), EB_OK);
        assert_int_equal(table->offsets[3], 7);
        assert_true(table->distances[1] == 3 && table->columns[6] == 3);
        eb_neighbours_free(table);
        eb_neighbours_builder_free(builder);
    }
    eb_neighbours_builder *builder = rows_builder(&sink, 1000);
    assert_int_equal(sink.expect(sink.context, 1000, &status), EB_NO_MEMORY);
    eb_neighbours_builder_free(builder);
}

/* Many rows: copied by several threads, on large pages, and a broken row among them is still found. */
static void large_pieces_are_checked_too(void **state)
{
    (void)state;
    enum { N = 3000, DEGREE = 400 };
    uint64_t *offsets = malloc((N + 1) * sizeof *offsets);
    uint32_t *columns = malloc((size_t)N * DEGREE * sizeof *columns);
    double *s = malloc((size_t)N * DEGREE * sizeof *s);
    for (size_t r = 0; r <= N; r++)
        offsets[r] = r * DEGREE;
    for (size_t r = 0; r < N; r++)
        for (size_t k = 0; k < DEGREE; k++) {
            size_t begin = r < N - DEGREE ? r : N - DEGREE;
            columns[r * DEGREE + k] = (uint32_t)(begin + k);
            s[r * DEGREE + k] = (double)k * (double)k;
        }
    for (int broken = 0; broken < 2; broken++) {
        eb_neighbours_builder *builder;
        eb_neighbours *table = NULL;
        eb_status status;
        assert_int_equal(new_builder(N, 0, N, 4, true, 0, &builder, &status), EB_OK);
        eb_sink sink = eb_neighbours_builder_sink(builder);
        assert_int_equal(sink.expect(sink.context, (uint64_t)N * DEGREE, &status), EB_OK);
        if (broken)
            columns[2000 * DEGREE + 7] = columns[2000 * DEGREE + 6];
        assert_int_equal(sink.rows(sink.context, 0, N, offsets, columns, s, &status), broken ? EB_INTERNAL : EB_OK);
        if (!broken) {
            assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, &status), EB_OK);
            assert_memory_equal(table->columns, columns, (size_t)N * DEGREE * sizeof *columns);
            for (size_t x = 0; x < (size_t)N * DEGREE; x++)
                assert_true(table->distances[x] == (columns[x] == x / DEGREE ? 0 : (double)(x % DEGREE)));
            eb_neighbours_free(table);
        } else {
            assert_non_null(strstr(status.message, "row 2000"));
        }
        eb_neighbours_builder_free(builder);
    }
    free(offsets);
    free(columns);
    free(s);
}

static void broken_rows_are_found_out(void **state)
{
    (void)state;
    eb_sink sink;
    eb_status status;
    eb_neighbours *table = NULL;
    eb_hit hit = {1, 2, 1};

    eb_neighbours_builder *builder = rows_builder(&sink, 0); /* both feeds, no distances, a row missing at the end */
    assert_int_equal(sink.rows(sink.context, 1, 2, offsets_two, columns_two, NULL, &status), EB_INTERNAL);
    assert_int_equal(sink.rows(sink.context, 1, 2, offsets_two, columns_two, s_two, &status), EB_OK);
    assert_int_equal(sink.hits(sink.context, 0, &hit, 1, &status), EB_INTERNAL);
    assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, &status), EB_INTERNAL);
    assert_string_equal(status.message, "the engine gave 2 rows; expected 3");
    eb_neighbours_builder_free(builder);

    static const uint32_t wrong[][2] = {{3, 2}, {0, 1}, {3, 3}, {3, 5}}; /* order, no self, twice, beyond n */
    for (size_t k = 0; k < 4; k++) {
        builder = rows_builder(&sink, 0);
        assert_int_equal(sink.rows(sink.context, 1, 2, offsets_two, columns_two, s_two, &status), EB_OK);
        assert_int_equal(sink.rows(sink.context, 3, 1, offsets_one, wrong[k], s_one, &status), EB_INTERNAL);
        assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, &status), EB_INTERNAL);
        eb_neighbours_builder_free(builder);

        builder = rows_builder(&sink, 0); /* the same row before its turn: when it is its turn at the latest */
        assert_int_equal(sink.rows(sink.context, 3, 1, offsets_one, wrong[k], s_one, &status), EB_OK);
        assert_int_equal(sink.rows(sink.context, 1, 2, offsets_two, columns_two, s_two, &status), EB_INTERNAL);
        assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, &status), EB_INTERNAL);
        eb_neighbours_builder_free(builder);
    }

    static const uint64_t backwards[] = {0, 3, 2}, late[] = {1, 3};
    builder = rows_builder(&sink, 0);
    assert_int_equal(sink.rows(sink.context, 1, 2, backwards, columns_two, s_two, &status), EB_INTERNAL);
    assert_int_equal(sink.rows(sink.context, 2, 2, backwards, columns_two, s_two, &status), EB_INTERNAL);
    assert_int_equal(sink.rows(sink.context, 3, 1, late, columns_two, s_two, &status), EB_INTERNAL);
    assert_int_equal(sink.rows(sink.context, 3, 2, offsets_two, columns_two, s_two, &status), EB_INTERNAL); /* beyond */
    assert_int_equal(sink.rows(sink.context, 0, 1, offsets_one, columns_one, s_one, &status), EB_INTERNAL); /* before */
    eb_neighbours_builder_free(builder);

    builder = rows_builder(&sink, 130); /* one row fits, the next does not */
    assert_int_equal(sink.rows(sink.context, 1, 2, offsets_two, columns_two, s_two, &status), EB_NO_MEMORY);
    eb_neighbours_builder_free(builder);
}

/* ---- rows in any order ---- */

static void a_row_that_comes_twice_is_found_out(void **state)
{
    (void)state;
    static const struct {
        size_t first, rows;
    } order[][3] = {
        {{1, 2}, {1, 1}, {3, 1}}, /* done already */
        {{1, 2}, {2, 2}, {3, 1}}, /* half of it */
        {{3, 1}, {3, 1}, {1, 2}}, /* waiting already */
        {{2, 2}, {1, 2}, {3, 1}}, /* one that waits begins before what came now ends */
        {{2, 1}, {1, 3}, {3, 1}},
    };
    static const uint64_t offsets[] = {0, 1, 2, 3};
    static const uint32_t columns[] = {1, 2, 3};
    static const double s[] = {0, 0, 0};
    for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
        eb_sink sink;
        eb_status status = {.message = ""};
        eb_neighbours_builder *builder = rows_builder(&sink, 0);
        eb_code failed = EB_OK;
        for (size_t m = 0; m < 3 && !failed; m++) {
            size_t first = order[k][m].first;
            failed = sink.rows(sink.context, first, order[k][m].rows, offsets, columns + first - 1, s, &status);
        }
        assert_int_equal(failed, EB_INTERNAL);
        assert_non_null(strstr(status.message, " are missing"));
        eb_neighbours_builder_free(builder);
    }
}

static uint64_t truth_row(const eb_dataset *ds, size_t i, double eps, uint32_t *columns, double *s)
{
    uint64_t count = 0;
    for (size_t j = 0; j < ds->n; j++) {
        double squared = eb_truth_distance2(ds, i, j);
        if (!(squared <= eb_squared_threshold(eps)))
            continue;
        columns[count] = (uint32_t)j;
        s[count++] = squared;
    }
    return count;
}

/* Rows in pieces of up to five, the pieces in an order of chance, from as many threads as feed. */
typedef struct row_feeder {
    const eb_dataset *ds;
    size_t *piece; /* [pieces + 1] where each begins */
    size_t *order; /* [pieces] */
    double eps;
    eb_sink sink;
} row_feeder;

static eb_code feed_piece(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    const row_feeder *f = context;
    size_t piece = f->order[task], first = f->piece[piece], rows = f->piece[piece + 1] - first;
    uint64_t offsets[6] = {0};
    uint32_t *columns = malloc(rows * f->ds->n * sizeof *columns);
    double *s = malloc(rows * f->ds->n * sizeof *s);
    if (!columns || !s)
        abort();
    for (size_t r = 0; r < rows; r++)
        offsets[r + 1] = offsets[r] + truth_row(f->ds, first + r, f->eps, columns + offsets[r], s + offsets[r]);
    eb_code failed = f->sink.rows(f->sink.context, first, rows, offsets, columns, s, status);
    free(columns);
    free(s);
    return failed;
}

static size_t cut_and_shuffle(size_t begin, size_t end, uint64_t *seed, size_t *piece, size_t *order)
{
    size_t pieces = 0;
    for (piece[0] = begin; piece[pieces] < end; pieces++) {
        size_t left = end - piece[pieces], rows = 1 + naive_random(seed) % 5;
        piece[pieces + 1] = piece[pieces] + (rows < left ? rows : left);
        order[pieces] = pieces;
    }
    for (size_t k = pieces; k > 1; k--) {
        size_t other = naive_random(seed) % k, held = order[k - 1];
        order[k - 1] = order[other];
        order[other] = held;
    }
    return pieces;
}

static void rows_may_come_in_any_order(void **state)
{
    (void)state;
    enum { N = 120 };
    uint64_t seed = 5;
    size_t piece[N + 1], order[N];
    eb_dataset *ds = naive_points(N, 2, 25, 4);
    for (int round = 0; round < 60; round++) {
        size_t begin = round % 3 ? 0 : 11, end = round % 2 ? N : 101;
        bool distances = round % 4 != 0;
        unsigned threads = 1 + (unsigned)round % 3;
        eb_neighbours_builder *builder;
        eb_neighbours *table = NULL;
        eb_status status;
        size_t pieces = cut_and_shuffle(begin, end, &seed, piece, order);
        assert_int_equal(new_builder(N, begin, end, threads, distances, 0, &builder, &status), EB_OK);
        row_feeder f = {.ds = ds,
                        .piece = piece,
                        .order = order,
                        .eps = 5,
                        .sink = eb_neighbours_builder_sink(builder)};
        if (round % 5 == 0)
            assert_int_equal(f.sink.expect(f.sink.context, 700, &status), EB_OK);
        assert_int_equal(eb_parallel(threads, pieces, feed_piece, &f, NULL, &status), EB_OK);
        assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, &status), EB_OK);
        assert_int_equal(table->first_row, begin);
        assert_int_equal(table->rows, end - begin);
        assert_true((table->distances != NULL) == distances);
        assert_is_truth(table, ds, 5);
        eb_neighbours_free(table);
        eb_neighbours_builder_free(builder);
    }
    eb_dataset_free(ds);
}

/* The least limit in bytes with which a table of equal points is made of rows in this order, one at a time. */
static uint64_t least_limit(const eb_dataset *ds, size_t *order, uint64_t expected)
{
    size_t piece[65];
    uint64_t low = 0, high = 1 << 20;
    for (size_t k = 0; k <= ds->n; k++)
        piece[k] = k;
    while (low + 1 < high) {
        uint64_t middle = (low + high) / 2;
        eb_neighbours_builder *builder;
        eb_status status;
        assert_int_equal(new_builder(ds->n, 0, ds->n, 1, true, middle, &builder, &status), EB_OK);
        row_feeder f = {.ds = ds, .piece = piece, .order = order, .sink = eb_neighbours_builder_sink(builder)};
        eb_code failed = expected ? f.sink.expect(f.sink.context, expected, &status) : EB_OK;
        if (!failed)
            failed = eb_parallel(1, ds->n, feed_piece, &f, NULL, &status);
        assert_true(failed == EB_OK || failed == EB_NO_MEMORY);
        *(failed ? &low : &high) = middle;
        eb_neighbours_builder_free(builder);
    }
    return high;
}

static void rows_that_wait_count_against_the_limit(void **state)
{
    (void)state;
    enum { N = 64 };
    size_t forward[N], backward[N], last_first[N], by_twos[N];
    for (size_t k = 0; k < N; k++) {
        forward[k] = k;
        by_twos[k] = k ^ 1;
        backward[k] = N - 1 - k;
        last_first[k] = k ? k - 1 : N - 1;
    }
    eb_dataset *ds = naive_points(N, 1, 1, 1);
    uint64_t whole = eb_neighbours_bytes(N, N * N, true), row = N * (sizeof(uint32_t) + sizeof(double));
    for (int known = 0; known <= 1; known++) { /* with room for all from the start, and growing */
        uint64_t expected = known ? N * N : 0, least = least_limit(ds, forward, expected);
        assert_true(least >= whole && (least == whole || !known));
        uint64_t one_waits = least_limit(ds, last_first, expected), all_wait = least_limit(ds, backward, expected);
        assert_true(one_waits >= least + row && one_waits < least + row + 256);
        uint64_t one_each_time = least_limit(ds, by_twos, expected);
        assert_true(one_each_time >= least && one_each_time < least + row + 256);
        assert_true(all_wait >= (known ? whole : 0) + (N - 1) * row && all_wait > one_waits);
    }
    eb_dataset_free(ds);
}

/* ---- two sets ---- */

static eb_code new_builder_of_two(size_t n, size_t others, size_t begin, size_t end, eb_neighbours_builder **out,
                                  eb_status *status)
{
    eb_neighbours_request request = {.n = n, .others = others, .row_begin = begin, .row_end = end, .threads = 1};
    request.distances = true;
    return eb_neighbours_builder_new(&request, out, status);
}

static void a_table_of_two_sets_has_no_self_pairs(void **state)
{
    (void)state;
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
        eb_code failed = by_rows ? sink.rows(sink.context, 2, 3, offsets, columns, s, &status)
                                 : sink.hits(sink.context, 0, hits, 4, &status);
        assert_int_equal(failed, EB_OK);
        assert_int_equal(eb_neighbours_builder_found(builder), 4);
        assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, &status), EB_OK);
        assert_true(table->n == 5 && table->others == 8 && !table->self && table->first_row == 2 && table->rows == 3);
        assert_memory_equal(table->offsets, offsets, sizeof offsets);
        assert_memory_equal(table->columns, columns, sizeof columns);
        assert_memory_equal(table->distances, distances,
                            sizeof distances); /* (3, 3) is a pair as any other: 4, not 0 */
        eb_neighbours_free(table);
        eb_neighbours_builder_free(builder);
    }
}

static void two_sets_may_have_nothing_in_common(void **state)
{
    (void)state;
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

static void hits_outside_two_sets_are_found_out(void **state)
{
    (void)state;
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
    for (int other_way = 0; other_way <= 1; other_way++) { /* the other way round it is another pair */
        assert_int_equal(new_builder_of_two(5, 8, 2, 4, &builder, &status), EB_OK);
        eb_sink sink = eb_neighbours_builder_sink(builder);
        assert_int_equal(sink.hits(sink.context, 0, other_way ? mirrored : twice, 2, &status), EB_OK);
        assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, &status), other_way ? EB_OK : EB_INTERNAL);
        eb_neighbours_builder_free(builder);
    }
    eb_neighbours_free(table);
    eb_neighbours_request odd = {.n = 5, .others = 8, .self = true, .row_end = 5, .threads = 1};
    assert_int_equal(eb_neighbours_builder_new(&odd, &builder, &status),
                     EB_INTERNAL); /* with itself, yet another size */
}

/* ---- the sort ---- */

static void rows_sort_in_every_shape(void **state)
{
    (void)state;
    enum { MOST = 3000 };
    uint32_t *columns = malloc(MOST * sizeof *columns);
    double *distances = malloc(MOST * sizeof *distances);
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
        }
        void *scratch = malloc(eb_row_sort_scratch_bytes(count, round % 2 == 0)); /* exactly: the sanitizer watches */
        eb_row_sort(columns, round % 2 == 0 ? distances : NULL, count, scratch);
        free(scratch);
        for (size_t k = 0; k < count; k++) {
            assert_true(k == 0 || columns[k - 1] <= columns[k]);
            if (round % 2 == 0)
                assert_true(distances[k] == (double)columns[k] + 0.5);
        }
    }
    free(columns);
    free(distances);
}

static eb_code cancel_myself(eb_job *job, void *argument, eb_status *status)
{
    const eb_dataset *ds = argument;
    eb_neighbours_builder *builder;
    eb_neighbours *table = NULL;
    eb_code code = new_builder(ds->n, 0, ds->n, 2, true, 0, &builder, status);
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

static void a_cancelled_build_leaves_nothing(void **state)
{
    (void)state;
    eb_dataset *ds = naive_points(200, 1, 10, 1);
    eb_job *job;
    eb_status status;
    assert_int_equal(eb_job_start(cancel_myself, ds, &job, &status), EB_OK);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    eb_dataset_free(ds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_equal_the_truth),
        cmocka_unit_test(the_documented_bytes_suffice_and_less_fails),
        cmocka_unit_test(sizes_do_not_wrap),
        cmocka_unit_test(broken_promises_are_found_out),
        cmocka_unit_test(odd_squares_become_distances),
        cmocka_unit_test(whole_rows_make_the_same_table),
        cmocka_unit_test(an_expected_size_is_a_help_not_a_promise),
        cmocka_unit_test(large_pieces_are_checked_too),
        cmocka_unit_test(broken_rows_are_found_out),
        cmocka_unit_test(a_row_that_comes_twice_is_found_out),
        cmocka_unit_test(rows_may_come_in_any_order),
        cmocka_unit_test(rows_that_wait_count_against_the_limit),
        cmocka_unit_test(a_table_of_two_sets_has_no_self_pairs),
        cmocka_unit_test(two_sets_may_have_nothing_in_common),
        cmocka_unit_test(hits_outside_two_sets_are_found_out),
        cmocka_unit_test(rows_sort_in_every_shape),
        cmocka_unit_test(a_cancelled_build_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
