/* tiles: every pair once, whatever the row range, the tile shape, the kind of kernel and the number of threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/walk/tiles.h"

#define N 203u

static double points[N]; /* in one dimension */

static void place_points(void)
{
    uint32_t x = 12345;
    for (size_t i = 0; i < N; i++) {
        x = x * 1664525u + 1013904223u;
        points[i] = (double)(x >> 24); /* 0…255: many ties and duplicates */
    }
}

static double square(size_t i, size_t j) { return (points[i] - points[j]) * (points[i] - points[j]); }

static void tile_kernel(const void *state, size_t i0, size_t ni, size_t j0, size_t nj, double limit, double *s,
                        void *scratch)
{
    (void)state;
    *(char *)scratch = 1;
    for (size_t i = 0; i < ni; i++)
        for (size_t j = 0; j < nj; j++)
            s[i * nj + j] = square(i0 + i, j0 + j) <= limit ? square(i0 + i, j0 + j) : INFINITY;
}

/* Marks a little too much unless it decides, as a filter does. */
static bool select_kernel(const void *state, size_t i0, size_t ni, size_t j0, size_t nj, bool upper, double limit,
                          uint64_t *bits, void *scratch)
{
    *(char *)scratch = 1;
    double slack = *(const double *)state;
    memset(bits, 0, ni * eb_tile_words(nj) * sizeof *bits);
    for (size_t i = 0; i < ni; i++)
        for (size_t j = 0; j < nj; j++)
            if (square(i0 + i, j0 + j) <= limit + slack && (!upper || j0 + j > i0 + i))
                bits[i * eb_tile_words(nj) + j / 64] |= (uint64_t)1 << (j % 64);
    return slack == 0;
}

static void exact(const void *state, const uint32_t *rows, const uint32_t *columns, size_t count, double *s)
{
    (void)state;
    for (size_t k = 0; k < count; k++)
        s[k] = square(rows[k], columns[k]);
}

static const double no_slack = 0, some_slack = 900;

static eb_tiled make_walk(int kind, size_t n, unsigned threads, size_t rows, size_t columns)
{
    eb_tiled walk =
        {.n = n, .d = 1, .threads = threads, .tile_rows = rows, .tile_columns = columns, .scratch_bytes = 8};
    if (kind == 0) {
        walk.tile = tile_kernel;
    } else {
        walk.select = select_kernel;
        walk.exact = exact;
        walk.state = kind == 1 ? &no_slack : &some_slack;
    }
    return walk;
}

static const size_t shapes[][2] = {{1, 1}, {3, 5}, {16, 64}, {7, 130}, {64, 256}, {500, 500}};
#define SHAPES (sizeof shapes / sizeof shapes[0])

static void count_is_the_number_of_ordered_pairs(void **state)
{
    (void)state;
    for (size_t n = 1; n <= N; n += 101)
        for (int kind = 0; kind < 3; kind++)
            for (size_t k = 0; k < SHAPES; k++)
                for (unsigned eps = 0; eps < 300; eps += 59) {
                    uint64_t expected = 0, pairs = 7;
                    for (size_t i = 0; i < n; i++)
                        for (size_t j = 0; j < n; j++)
                            expected += square(i, j) <= (double)(eps * eps);
                    eb_tiled walk = make_walk(kind, n, 1 + (unsigned)k % 3, shapes[k][0], shapes[k][1]);
                    assert_int_equal(eb_tiled_count(&walk, eps, NULL, &pairs, NULL), EB_OK);
                    assert_int_equal(pairs, expected);
                }
}

/* seen[thread][i · N + j]: threads do not share a counter. */
typedef struct seen {
    unsigned char *counts[3];
    size_t row_begin, row_end;
    size_t fail_after;
} seen;

static eb_code note_hits(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status)
{
    seen *s = context;
    for (size_t k = 0; k < count; k++) {
        if (hits[k].i < s->row_begin || hits[k].i >= s->row_end || hits[k].s != square(hits[k].i, hits[k].j))
            return eb_fail(status, EB_INTERNAL, "a wrong hit: %u %u", hits[k].i, hits[k].j);
        s->counts[thread][hits[k].i * N + hits[k].j]++;
    }
    if (s->fail_after && s->fail_after-- == 1)
        return eb_fail(status, EB_NO_MEMORY, "the sink is full");
    return EB_OK;
}

static void expect_join(int kind, size_t shape, size_t begin, size_t end, double eps)
{
    seen s = {.row_begin = begin, .row_end = end};
    for (size_t t = 0; t < 3; t++)
        assert_non_null(s.counts[t] = calloc(N * N, 1));
    eb_tiled walk = make_walk(kind, N, 3, shapes[shape][0], shapes[shape][1]);
    eb_sink sink = {.context = &s, .hits = note_hits};
    assert_int_equal(eb_tiled_join(&walk, eps, begin, end, &sink, NULL, NULL), EB_OK);
    for (size_t i = 0; i < N; i++)
        for (size_t j = i; j < N; j++) {
            unsigned times = 0;
            for (size_t t = 0; t < 3; t++)
                times += s.counts[t][i * N + j] + (i == j ? 0u : s.counts[t][j * N + i]);
            bool i_in = i >= begin && i < end, j_in = j >= begin && j < end;
            assert_int_equal(times, i != j && (i_in || j_in) && square(i, j) <= eps * eps);
        }
    for (size_t t = 0; t < 3; t++)
        free(s.counts[t]);
}

static void join_gives_each_pair_that_touches_the_rows_once(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++)
        for (size_t k = 0; k < SHAPES; k++) {
            expect_join(kind, k, 0, N, 20);
            expect_join(kind, k, 0, N, 0);
            expect_join(kind, k, 0, 70, 40);
            expect_join(kind, k, 61, 130, 20);
            expect_join(kind, k, 129, N, 300);
            expect_join(kind, k, 100, 101, 30);
            expect_join(kind, k, 50, 50, 30);
        }
}

static void a_failing_sink_stops_the_join(void **state)
{
    (void)state;
    seen s = {.row_end = N, .fail_after = 2};
    assert_non_null(s.counts[0] = calloc(N * N, 1));
    eb_tiled walk = make_walk(0, N, 1, 16, 64);
    eb_sink sink = {.context = &s, .hits = note_hits};
    eb_status status = {0};
    assert_int_equal(eb_tiled_join(&walk, 300, 0, N, &sink, NULL, &status), EB_NO_MEMORY);
    assert_string_equal(status.message, "the sink is full");
    free(s.counts[0]);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    eb_tiled walk = make_walk(0, N, 1, 16, 64);
    uint64_t pairs = 0;
    eb_status status = {0};
    assert_int_equal(eb_tiled_count(&walk, -1, NULL, &pairs, &status), EB_USAGE);
    assert_int_equal(eb_tiled_count(&walk, NAN, NULL, &pairs, &status), EB_USAGE);
    eb_sink no_hits = {.context = NULL};
    assert_int_equal(eb_tiled_join(&walk, 1, 0, N, &no_hits, NULL, &status), EB_INTERNAL);
    eb_sink sink = {.hits = note_hits};
    assert_int_equal(eb_tiled_join(&walk, 1, 0, N + 1, &sink, NULL, &status), EB_INTERNAL);
    uint32_t beyond = N;
    double out[N];
    assert_int_equal(eb_tiled_distances(&walk, &beyond, 1, out, NULL, &status), EB_INTERNAL);
}

static void histogram_counts_each_interval_and_keeps_what_it_is_told(void **state)
{
    (void)state;
    double eps[] = {0, 3, 3.5, 17, 60, 61};
    bool keep[] = {true, false, true, true, false, true};
    for (int kind = 0; kind < 3; kind++)
        for (size_t k = 0; k < SHAPES; k++) {
            uint64_t pairs[6];
            double *kept[6];
            eb_distance_pass pass = {.edges = 6, .eps = eps, .keep = keep, .pairs = pairs, .kept = kept};
            eb_tiled walk = make_walk(kind, N, 2, shapes[k][0], shapes[k][1]);
            assert_int_equal(eb_tiled_histogram(&walk, &pass, NULL, NULL), EB_OK);
            for (size_t e = 0; e < 6; e++) {
                uint64_t expected = 0;
                double expected_sum = 0, sum = 0;
                for (size_t i = 0; i < N; i++)
                    for (size_t j = i + 1; j < N; j++)
                        if (square(i, j) <= eps[e] * eps[e] && (e == 0 || square(i, j) > eps[e - 1] * eps[e - 1])) {
                            expected++;
                            expected_sum += square(i, j);
                        }
                assert_int_equal(pairs[e], expected);
                assert_int_equal(kept[e] != NULL, keep[e]);
                for (uint64_t p = 0; keep[e] && p < pairs[e]; p++)
                    sum += kept[e][p];
                assert_true(!keep[e] || sum == expected_sum); /* integers: exact in any order */
                free(kept[e]);
            }
        }
}

static void distances_are_rows_of_the_matrix(void **state)
{
    (void)state;
    uint32_t rows[] = {0, 202, 17, 17};
    double *out = malloc(4 * N * sizeof *out);
    assert_non_null(out);
    for (int kind = 0; kind < 3; kind++)
        for (size_t k = 0; k < SHAPES; k++) {
            eb_tiled walk = make_walk(kind, N, 2, shapes[k][0], shapes[k][1]);
            assert_int_equal(eb_tiled_distances(&walk, rows, 4, out, NULL, NULL), EB_OK);
            for (size_t q = 0; q < 4; q++)
                for (size_t j = 0; j < N; j++)
                    assert_true(out[q * N + j] == square(rows[q], j));
        }
    free(out);
}

typedef struct piece {
    eb_tiled walk;
    uint64_t done;
    bool cancel;
} piece;

static eb_code count_as_a_job(eb_job *job, void *argument, eb_status *status)
{
    piece *p = argument;
    uint64_t pairs;
    if (p->cancel)
        eb_job_cancel(job);
    eb_job_phase(job, "counting", p->walk.n);
    eb_code code = eb_tiled_count(&p->walk, 10, job, &pairs, status);
    p->done = eb_job_progress(job).done;
    return code;
}

static void progress_adds_up_to_the_rows(void **state)
{
    (void)state;
    for (size_t n = 1; n <= N; n += 101)
        for (size_t k = 0; k < SHAPES; k++) {
            piece p = {.walk = make_walk(0, n, 3, shapes[k][0], shapes[k][1])};
            eb_job *job = NULL;
            assert_int_equal(eb_job_start(count_as_a_job, &p, &job, NULL), EB_OK);
            assert_int_equal(eb_job_finish(job, NULL), EB_OK);
            assert_int_equal(p.done, n);
        }
}

static void a_cancelled_job_stops(void **state)
{
    (void)state;
    piece p = {.walk = make_walk(0, N, 2, 3, 5), .cancel = true};
    eb_job *job = NULL;
    assert_int_equal(eb_job_start(count_as_a_job, &p, &job, NULL), EB_OK);
    assert_int_equal(eb_job_finish(job, NULL), EB_CANCELLED);
    assert_true(p.done < N);
}

static void each_instruction_set_scans_alike(void **state)
{
    (void)state;
    const char *names[] = {"base", "avx2", "avx512", "no such set"};
    for (size_t k = 0; k < 4; k++) {
        assert_int_equal(setenv("EPSBENCH_ISA", names[k], 1), 0);
        assert_non_null(eb_isa_name(eb_cpu_isa()));
        expect_join(0, 3, 0, N, 20);
        expect_join(0, 4, 3, N - 5, 20);
    }
    assert_int_equal(unsetenv("EPSBENCH_ISA"), 0);
}

int main(void)
{
    place_points();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(count_is_the_number_of_ordered_pairs),
        cmocka_unit_test(join_gives_each_pair_that_touches_the_rows_once),
        cmocka_unit_test(a_failing_sink_stops_the_join),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(histogram_counts_each_interval_and_keeps_what_it_is_told),
        cmocka_unit_test(distances_are_rows_of_the_matrix),
        cmocka_unit_test(progress_adds_up_to_the_rows),
        cmocka_unit_test(a_cancelled_job_stops),
        cmocka_unit_test(each_instruction_set_scans_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
