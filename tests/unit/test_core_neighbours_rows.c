/* neighbours_rows: whole rows give the same table in any order; engines that violate their contract. */
#include <math.h>
#include <pthread.h>
#include <time.h>

#include "core/base/parallel.h"
#include "core/base/pool.h"
#include "tests/unit/given_rows.h"
#include "tests/unit/naive_tables.h"
#include "tests/unit/test.h"

/* ---- whole rows ---- */

static eb_neighbours_builder *rows_builder(eb_sink *sink, uint64_t limit)
{
    eb_neighbours_builder *builder;
    eb_status status;
    assert_int_equal(new_builder(5, 1, 4, 2, EB_DISTANCES_F64, limit, &builder, &status), EB_OK);
    *sink = eb_neighbours_builder_sink(builder);
    return builder;
}

static const uint64_t offsets_two[] = {0, 2, 5};
static const uint32_t columns_two[] = {1, 4, 0, 2, 3};
static const double s_two[] = {0, 9, 4, 0, 16};
static const uint64_t offsets_one[] = {0, 2};
static const uint32_t columns_one[] = {2, 3};
static const double s_one[] = {16, 0};

TEST(whole_rows_make_the_same_table)
{
    eb_sink sink;
    eb_status status;
    eb_neighbours *table = NULL;
    eb_neighbours_builder *builder = rows_builder(&sink, 0);
    assert_int_equal(give_rows(&sink, 1, 2, offsets_two, columns_two, s_two, &status), EB_OK);
    assert_int_equal(give_rows(&sink, 3, 0, offsets_one, columns_one, s_one, &status),
                     EB_OK); /* no rows are accepted */
    assert_int_equal(give_rows(&sink, 3, 1, offsets_one, columns_one, s_one, &status), EB_OK);
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

TEST(rows_lie_where_they_were_placed)
{
    eb_status status;
    eb_sink sink;
    for (int kept = EB_DISTANCES_NONE; kept <= EB_DISTANCES_F32; kept++) {
        eb_neighbours_builder *builder;
        eb_neighbours *table = NULL;
        eb_row_places places;
        assert_int_equal(new_builder(5, 1, 4, 2, (eb_distances)kept, 0, &builder, &status), EB_OK);
        sink = eb_neighbours_builder_sink(builder);
        assert_int_equal(sink.place(sink.context, 1, 2, offsets_two, &places, &status), EB_OK);
        assert_true(places.unit == 1 && !places.fresh);
        assert_int_equal(places.distance_bytes, eb_distances_width((eb_distances)kept));
        assert_true((places.distances != NULL) == (kept != EB_DISTANCES_NONE));
        fill_places(&places, offsets_two, 2, columns_two, s_two);
        assert_int_equal(sink.placed(sink.context, &status), EB_OK);
        assert_int_equal(give_rows(&sink, 3, 1, offsets_one, columns_one, s_one, &status), EB_OK);
        assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, &status), EB_OK);
        assert_int_equal(table->columns[4], 3);
        assert_true(kept ? eb_neighbours_distance(table, 4) == 4 : isnan(eb_neighbours_distance(table, 4)));
        eb_neighbours_free(table);
        eb_neighbours_builder_free(builder);
    }
}

/* A large table made in one piece has fresh pages; after it was freed, the next one has the same pages. */
TEST(large_tables_come_from_the_pool)
{
    enum { N = 3000, DEGREE = 1200 };
    uint64_t *offsets = malloc((N + 1) * sizeof *offsets);
    const uint32_t *columns[2];
    for (size_t r = 0; r <= N; r++)
        offsets[r] = r * DEGREE;
    eb_pool_empty();
    for (int again = 0; again < 2; again++) {
        eb_neighbours_builder *builder;
        eb_neighbours *table = NULL;
        eb_row_places places;
        eb_status status;
        assert_int_equal(new_builder(N, 0, N, 4, EB_DISTANCES_F64, 0, &builder, &status), EB_OK);
        eb_sink sink = eb_neighbours_builder_sink(builder);
        assert_int_equal(sink.place(sink.context, 0, N, offsets, &places, &status), EB_OK);
        assert_int_equal(places.fresh, !again);
        places.columns[(size_t)N * DEGREE - 1] = 7;
        assert_int_equal(sink.placed(sink.context, &status), EB_OK);
        assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, &status), EB_OK);
        assert_ptr_equal(table->columns, places.columns);
        assert_int_equal(table->columns[(size_t)N * DEGREE - 1], 7);
        columns[again] = table->columns;
        eb_neighbours_free(table);
        eb_neighbours_builder_free(builder);
    }
    assert_ptr_equal(columns[0], columns[1]);
    eb_pool_empty();
    free(offsets);
}

/* Rows that need larger arrays wait until no thread fills rows, since the arrays move. */
typedef struct late_filler {
    eb_sink *sink;
    eb_row_places places;
} late_filler;

static void *fill_late(void *context)
{
    late_filler *f = context;
    eb_status status;
    const struct timespec a_while = {.tv_nsec = 20000000};
    (void)nanosleep(&a_while, NULL);
    fill_places(&f->places, offsets_two, 2, columns_two, s_two);
    return f->sink->placed(f->sink->context, &status) == EB_OK ? f : NULL;
}

TEST(places_stay_where_they_are_while_they_are_filled)
{
    eb_status status;
    eb_sink sink;
    void *filled = NULL;
    pthread_t thread;
    eb_neighbours *table = NULL;
    eb_neighbours_builder *builder = rows_builder(&sink, 0);
    late_filler late = {.sink = &sink};
    assert_int_equal(sink.place(sink.context, 1, 2, offsets_two, &late.places, &status), EB_OK);
    assert_int_equal(pthread_create(&thread, NULL, fill_late, &late), 0);
    assert_int_equal(give_rows(&sink, 3, 1, offsets_one, columns_one, s_one, &status), EB_OK);
    assert_int_equal(pthread_join(thread, &filled), 0);
    assert_non_null(filled);
    assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, &status), EB_OK);
    static const uint32_t columns[] = {1, 4, 0, 2, 3, 2, 3};
    assert_memory_equal(table->columns, columns, sizeof columns);
    eb_neighbours_free(table);
    eb_neighbours_builder_free(builder);
}

TEST(broken_rows_are_found_out)
{
    eb_sink sink;
    eb_status status;
    eb_neighbours *table = NULL;
    eb_hit hit = {1, 2, 1};

    eb_neighbours_builder *builder = rows_builder(&sink, 0); /* rows and hits in one join, and a missing row */
    assert_int_equal(give_rows(&sink, 1, 2, offsets_two, columns_two, s_two, &status), EB_OK);
    assert_int_equal(sink.hits(sink.context, 0, &hit, 1, &status), EB_INTERNAL);
    assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, &status), EB_INTERNAL);
    assert_string_equal(status.message, "the engine gave 2 rows and is still at 0 pieces; expected 3");
    eb_neighbours_builder_free(builder);

    builder = rows_builder(&sink, 0); /* placed() was not called */
    eb_row_places places;
    static const uint64_t offsets_all[] = {0, 2, 5, 7};
    assert_int_equal(sink.place(sink.context, 1, 3, offsets_all, &places, &status), EB_OK);
    assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, &status), EB_INTERNAL);
    assert_string_equal(status.message, "the engine gave 3 rows and is still at 1 pieces; expected 3");
    eb_neighbours_builder_free(builder);

    static const uint64_t backwards[] = {0, 3, 2}, late[] = {1, 3};
    builder = rows_builder(&sink, 0);
    assert_int_equal(give_rows(&sink, 1, 2, backwards, columns_two, s_two, &status), EB_INTERNAL);
    assert_int_equal(give_rows(&sink, 2, 2, backwards, columns_two, s_two, &status), EB_INTERNAL);
    assert_int_equal(give_rows(&sink, 3, 1, late, columns_two, s_two, &status), EB_INTERNAL);
    assert_int_equal(give_rows(&sink, 3, 2, offsets_two, columns_two, s_two, &status),
                     EB_INTERNAL); /* behind the range */
    assert_int_equal(give_rows(&sink, 0, 1, offsets_one, columns_one, s_one, &status),
                     EB_INTERNAL); /* before the range */
    eb_neighbours_builder_free(builder);

    builder = rows_builder(&sink, 130); /* one row fits, the next does not */
    assert_int_equal(give_rows(&sink, 1, 2, offsets_two, columns_two, s_two, &status), EB_NO_MEMORY);
    eb_neighbours_builder_free(builder);
}

/* Gives rows of two entries each; offsets[at] is `broken`. Several threads check the offsets. */
static eb_code place_many(uint64_t *offsets, size_t n, size_t at, uint64_t broken, eb_status *status)
{
    eb_row_places places;
    eb_neighbours *table = NULL;
    eb_neighbours_builder *builder;
    for (size_t r = 0; r <= n; r++)
        offsets[r] = 2 * r;
    offsets[at] = broken;
    assert_int_equal(new_builder(n, 0, n, 4, EB_DISTANCES_NONE, 0, &builder, status), EB_OK);
    eb_sink sink = eb_neighbours_builder_sink(builder);
    eb_code failed = sink.place(sink.context, 0, n, offsets, &places, status);
    if (!failed) {
        assert_int_equal(sink.placed(sink.context, status), EB_OK);
        assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, status), EB_OK);
        assert_memory_equal(table->offsets, offsets, (n + 1) * sizeof *offsets);
    }
    eb_neighbours_free(table);
    eb_neighbours_builder_free(builder);
    return failed;
}

TEST(where_many_rows_begin_is_checked_to_the_last)
{
    enum { N = 300001 };
    static const size_t at[] = {1, 65535, 65536, 65537, 131072, 290000, N};
    eb_status status = {.message = ""};
    uint64_t *offsets = malloc((N + 1) * sizeof *offsets);
    for (size_t k = 0; k < sizeof at / sizeof at[0]; k++) {
        char expected[100];
        assert_int_equal(place_many(offsets, N, at[k], 2 * at[k], &status), EB_OK);
        assert_int_equal(place_many(offsets, N, at[k], 2 * at[k] + N, &status), EB_INTERNAL);
        assert_int_equal(place_many(offsets, N, at[k], UINT64_MAX, &status), EB_INTERNAL);
        assert_int_equal(place_many(offsets, N, at[k], 2 * at[k] - 3, &status), EB_INTERNAL);
        (void)snprintf(expected, sizeof expected, "the engine gives row %zu from entry %zu to ", at[k] - 1,
                       2 * (at[k] - 1));
        assert_memory_equal(status.message, expected, strlen(expected));
    }
    assert_int_equal(place_many(offsets, N, 0, 1, &status), EB_INTERNAL);
    free(offsets);
}

/* ---- rows in any order ---- */

TEST(a_row_that_comes_twice_is_found_out)
{
    static const struct {
        size_t first, rows;
    } order[][3] = {
        {{1, 2}, {1, 1}, {3, 1}}, /* all rows are done already */
        {{1, 2}, {2, 2}, {3, 1}}, /* half of the rows are done already */
        {{3, 1}, {3, 1}, {1, 2}}, /* the row is waiting already */
        {{2, 2}, {1, 2}, {3, 1}}, /* a waiting row begins before the new rows end */
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
            failed = give_rows(&sink, first, order[k][m].rows, offsets, columns + first - 1, s, &status);
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

/* Gives rows in pieces of up to five, in random order, from several threads. */
typedef struct row_feeder {
    const eb_dataset *ds;
    size_t *piece; /* [pieces + 1] first row of each piece */
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
    eb_code failed = give_rows(&f->sink, first, rows, offsets, columns, s, status);
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

TEST(rows_may_come_in_any_order)
{
    enum { N = 120 };
    uint64_t seed = 5;
    size_t piece[N + 1], order[N];
    eb_dataset *ds = naive_points(N, 2, 25, 4);
    for (int round = 0; round < 60; round++) {
        size_t begin = round % 3 ? 0 : 11, end = round % 2 ? N : 101;
        eb_distances distances = (eb_distances)(round % 3);
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
        assert_int_equal(eb_parallel(threads, pieces, feed_piece, &f, NULL, &status), EB_OK);
        assert_int_equal(eb_neighbours_builder_finish(builder, NULL, &table, &status), EB_OK);
        assert_int_equal(table->first_row, begin);
        assert_int_equal(table->rows, end - begin);
        assert_int_equal(table->kept, distances);
        assert_is_truth(table, ds, 5);
        eb_neighbours_free(table);
        eb_neighbours_builder_free(builder);
    }
    eb_dataset_free(ds);
}

/* The least memory limit, in bytes, for a table of equal points whose rows come one at a time in this order. */
static uint64_t least_limit(const eb_dataset *ds, size_t *order)
{
    size_t piece[65];
    uint64_t low = 0, high = 1 << 20;
    for (size_t k = 0; k <= ds->n; k++)
        piece[k] = k;
    while (low + 1 < high) {
        uint64_t middle = (low + high) / 2;
        eb_neighbours_builder *builder;
        eb_status status;
        assert_int_equal(new_builder(ds->n, 0, ds->n, 1, EB_DISTANCES_F64, middle, &builder, &status), EB_OK);
        row_feeder f = {.ds = ds, .piece = piece, .order = order, .sink = eb_neighbours_builder_sink(builder)};
        eb_code failed = eb_parallel(1, ds->n, feed_piece, &f, NULL, &status);
        assert_true(failed == EB_OK || failed == EB_NO_MEMORY);
        *(failed ? &low : &high) = middle;
        eb_neighbours_builder_free(builder);
    }
    return high;
}

TEST(rows_that_wait_count_against_the_limit)
{
    enum { N = 64 };
    size_t forward[N], backward[N], last_first[N], by_twos[N];
    for (size_t k = 0; k < N; k++) {
        forward[k] = k;
        by_twos[k] = k ^ 1;
        backward[k] = N - 1 - k;
        last_first[k] = k ? k - 1 : N - 1;
    }
    eb_dataset *ds = naive_points(N, 1, 1, 1);
    uint64_t whole = eb_neighbours_bytes(N, N * N, EB_DISTANCES_F64), row = N * (sizeof(uint32_t) + sizeof(double));
    uint64_t least = least_limit(ds, forward), one_waits = least_limit(ds, last_first);
    assert_true(least >= whole);
    assert_true(one_waits >= least + row && one_waits < least + row + 256);
    uint64_t one_each_time = least_limit(ds, by_twos);
    assert_true(one_each_time >= least && one_each_time < least + row + 256);
    uint64_t all_wait = least_limit(ds, backward);
    assert_true(all_wait >= (N - 1) * row && all_wait > one_waits);
    eb_dataset_free(ds);
}

RUN_TESTS
