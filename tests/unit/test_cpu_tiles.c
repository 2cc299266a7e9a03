/* Tests of tiles: every pair is found once, for all rows, orders, lists, parts, tile shapes, kinds of kernels and
 * numbers of threads. */
#include <math.h>

#include "kernels/walk/isa.h"
#include "tests/unit/check_bins.h"
#include "tests/unit/join_entries.h"
#include "tests/unit/leaf_orders.h"
#include "tests/unit/plain_engine.h"
#include "tests/unit/test.h"

/* ---- entries found ---- */

/* Every entry of the share's rows, without self pairs. */
static join_entries expected_entries(const eb_problem *problem, double eps, const eb_share *share)
{
    join_entries e = {.entry = NULL};
    for (size_t i = share->row_begin; i < share->row_end; i++)
        for (size_t j = 0; j < problem->right->n; j++)
            if (distance2(problem, i, j) <= eps * eps && !(eb_is_self_join(problem) && i == j))
                add_entry(&e, (uint32_t)i, (uint32_t)j, distance2(problem, i, j));
    return e;
}

/* Checks the join and the count of these rows within ε, asked in `parts` parts, the last one first. */
static void expect_rows(const asked *a, const eb_question *question, size_t row_begin, size_t row_end, unsigned parts)
{
    const eb_problem *problem = &a->opened.problem;
    const eb_share rows = eb_share_rows(row_begin, row_end);
    join_entries expected = expected_entries(problem, question->eps, &rows), found = {.entry = NULL};
    uint64_t counted = 0;
    for (unsigned part = parts; part-- > 0;) {
        const eb_share share = {row_begin, row_end, part, parts, NULL};
        add_share(&a->opened, question, &share, &found);
        counted += count_of(a, question, &share);
    }
    finish_entries(&found);
    assert_same_entries(&found, &expected, "plain", "rows of a join");
    assert_int_equal(counted, expected.count + (eb_is_self_join(problem) ? row_end - row_begin : 0));
    free_entries(&found);
    free_entries(&expected);
}

static const double some_eps[] = {0, 3, 59, 118, 300};
#define SOME_EPS (sizeof some_eps / sizeof some_eps[0])

static void a_self_join_has_each_pair_from_both_ends(void **state)
{
    (void)state;
    for (size_t n = 1; n <= N; n += 101)
        for (tile_kernel k = TILE; k < TILE_KERNELS; k++)
            for (size_t shape = 0; shape < SHAPES; shape++) {
                const eb_dataset ds = some_points(0, n);
                const eb_problem problem = eb_self_join(&ds);
                asked a;
                choose(k, shape);
                open_problem(&a, &plain_variant, &problem, 1 + (unsigned)shape % 3);
                for (size_t e = 0; e < SOME_EPS; e++)
                    expect_rows(&a, &(eb_question){.eps = some_eps[e]}, 0, n, 1);
                close_problem(&a);
            }
}

static const struct {
    size_t begin, end;
    double eps;
} some_rows[] = {{0, 70, 40}, {61, 130, 20}, {129, N, 300}, {100, 101, 30}, {50, 50, 30}, {0, N, 17}};
#define SOME_ROWS (sizeof some_rows / sizeof some_rows[0])

/* Asks with all kernels and shapes; successive questions differ in schedule and parts. */
static void expect_any_rows(const eb_problem *problem, const eb_schedule *schedules, size_t count)
{
    size_t left = problem->left->n;
    for (tile_kernel k = TILE; k < TILE_KERNELS; k++)
        for (size_t shape = 0; shape < SHAPES; shape++) {
            asked a;
            choose(k, shape);
            open_problem(&a, &plain_variant, problem, 3);
            for (size_t r = 0; r < SOME_ROWS; r++) {
                size_t begin = some_rows[r].begin < left ? some_rows[r].begin : left;
                size_t end = some_rows[r].end < left ? some_rows[r].end : left;
                const eb_question question = {.eps = some_rows[r].eps, .schedule = schedules[(k + shape + r) % count]};
                expect_rows(&a, &question, begin, end, 1 + (unsigned)(2 * k + shape + r) % 4);
            }
            close_problem(&a);
        }
}

static void rows_have_each_pair_that_touches_them(void **state)
{
    (void)state;
    static const eb_schedule schedules[] = {{.kind = EB_SCHEDULE_USUAL},
                                            {.kind = EB_SCHEDULE_ALL},
                                            {.kind = EB_SCHEDULE_TRIANGLE}};
    const eb_dataset ds = some_points(0, N);
    const eb_problem problem = eb_self_join(&ds);
    expect_any_rows(&problem, schedules, 3);
}

static void an_order_and_a_full_list_change_nothing(void **state)
{
    (void)state;
    uint64_t seed = 3;
    const eb_dataset ds = some_points(0, N);
    for (size_t cut = 0; cut < LEAF_SHAPES; cut++) {
        leaf_order l = grow_leaves(N, leaf_shapes[cut], &seed);
        list_leaves(&l, 100, &seed);
        const eb_schedule schedules[] = {l.list,
                                         {.kind = EB_SCHEDULE_ALL},
                                         l.list,
                                         {.kind = EB_SCHEDULE_USUAL},
                                         l.list};
        const eb_problem problem = {.left = &ds, .right = &ds, .order = &l.order};
        expect_any_rows(&problem, schedules, sizeof schedules / sizeof schedules[0]);
        free_leaves(&l);
    }
}

static void two_sets_have_each_pair_once(void **state)
{
    (void)state;
    static const size_t left_points[] = {1, 64, 130, N - 1};
    static const eb_schedule schedules[] = {{.kind = EB_SCHEDULE_USUAL}, {.kind = EB_SCHEDULE_ALL}};
    for (size_t k = 0; k < sizeof left_points / sizeof left_points[0]; k++) {
        const eb_dataset left = some_points(0, left_points[k]), right = some_points(left.n, N - left.n);
        const eb_problem problem = {.left = &left, .right = &right};
        expect_any_rows(&problem, schedules, 2);
    }
}

/* Tiles are cut by place. Every pair in the tile of a listed pair is found; the other tiles are not computed. */
static join_entries entries_of_tiles(const eb_problem *problem, const leaf_order *l, size_t shape, double eps)
{
    static bool looked_at[N][N];
    size_t rows = shapes[shape][0], columns = shapes[shape][1];
    join_entries e = {.entry = NULL};
    memset(looked_at, 0, sizeof looked_at);
    for (size_t i = 0; i < N; i++)
        for (size_t j = i + 1; j < N; j++)
            looked_at[i / rows][j / columns] |= is_listed(l, l->point[i], l->point[j]);
    for (size_t i = 0; i < N; i++)
        for (size_t j = i + 1; j < N; j++) {
            uint32_t p = l->point[i], q = l->point[j];
            double s = distance2(problem, p, q);
            if (!looked_at[i / rows][j / columns] || !(s <= eps * eps))
                continue;
            add_entry(&e, p, q, s);
            add_entry(&e, q, p, s);
        }
    finish_entries(&e);
    return e;
}

static void a_list_has_the_pairs_of_its_tiles(void **state)
{
    (void)state;
    uint64_t seed = 11;
    const eb_dataset ds = some_points(0, N);
    const eb_share whole = eb_share_rows(0, N);
    for (size_t cut = 0; cut < LEAF_SHAPES; cut++)
        for (size_t shape = 0; shape < SHAPES; shape++) {
            leaf_order l = grow_leaves(N, leaf_shapes[cut], &seed);
            list_leaves(&l, 5, &seed);
            const eb_problem problem = {.left = &ds, .right = &ds, .order = &l.order};
            const eb_question question = {.eps = 60, .schedule = l.list};
            join_entries expected = entries_of_tiles(&problem, &l, shape, 60);
            for (tile_kernel k = TILE; k < TILE_KERNELS; k++) {
                asked a;
                choose(k, shape);
                open_problem(&a, &plain_variant, &problem, 3);
                join_entries found = entries_of(&a.opened, &question, &whole);
                assert_same_entries(&found, &expected, "plain", "a list's tiles");
                assert_int_equal(count_of(&a, &question, &whole), expected.count + N);
                free_entries(&found);
                close_problem(&a);
            }
            free_entries(&expected);
            free_leaves(&l);
        }
}

/* ---- errors ---- */

static eb_code refuse_second_call(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status)
{
    (void)thread, (void)hits, (void)count;
    return ++*(unsigned *)context < 2 ? EB_OK : eb_fail(status, EB_NO_MEMORY, "the sink is full");
}

static void a_failing_sink_stops_the_join(void **state)
{
    (void)state;
    unsigned calls = 0;
    const eb_dataset ds = some_points(0, N);
    const eb_problem problem = eb_self_join(&ds);
    const eb_question question = {.eps = 300};
    const eb_share whole = eb_share_rows(0, N);
    eb_sink sink = {.context = &calls, .hits = refuse_second_call};
    eb_status status = {.message = ""};
    asked a;
    choose(TILE, 2);
    open_problem(&a, &plain_variant, &problem, 1);
    assert_int_equal(plain_cpu.join(a.opened.state, &question, &whole, &sink, &status), EB_NO_MEMORY);
    assert_string_equal(status.message, "the sink is full");
    assert_int_equal(calls, 2);
    close_problem(&a);
}

static eb_code ask(const asked *a, double eps, eb_schedule_kind kind, const eb_share *share, eb_status *status)
{
    uint64_t entries;
    const eb_question question = {.eps = eps, .schedule = {.kind = kind}};
    return plain_cpu.count(a->opened.state, &question, share, &entries, status);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const eb_share wrong[] = {{0, N + 1, 0, 1, NULL},
                                     {5, 4, 0, 1, NULL},
                                     {0, N, 1, 1, NULL},
                                     {0, N, 3, 2, NULL},
                                     {0, N, 0, 0, NULL}};
    const eb_dataset ds = some_points(0, N);
    const eb_problem problem = eb_self_join(&ds);
    const eb_share whole = eb_share_rows(0, N);
    const eb_question question = {.eps = 1};
    eb_status status = {.message = ""};
    asked a;
    choose(TILE, 2);
    open_problem(&a, &plain_variant, &problem, 1);
    assert_int_equal(ask(&a, 1, EB_SCHEDULE_USUAL, &whole, &status), EB_OK);
    assert_int_equal(ask(&a, -1, EB_SCHEDULE_USUAL, &whole, &status), EB_USAGE);
    assert_int_equal(ask(&a, NAN, EB_SCHEDULE_USUAL, &whole, &status), EB_USAGE);
    assert_int_equal(ask(&a, 1, EB_SCHEDULE_LIST, &whole, &status),
                     EB_INTERNAL); /* a list needs an order with leaves */
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        assert_int_equal(ask(&a, 1, EB_SCHEDULE_USUAL, &wrong[k], &status), EB_INTERNAL);
    eb_sink no_hits = {.context = NULL};
    assert_int_equal(plain_cpu.join(a.opened.state, &question, &whole, &no_hits, &status), EB_INTERNAL);
    const uint32_t beyond = N;
    double out[N];
    assert_int_equal(plain_cpu.distances(a.opened.state, &beyond, 1, out, &status), EB_INTERNAL);
    close_problem(&a);
}

/* ---- histogram, distances ---- */

static void check_histogram(const asked *a)
{
    double eps[] = {0, 3, 3.5, 17, 60, 61};
    bool keep[] = {true, false, true, true, false, true};
    uint64_t pairs[6];
    double *kept[6];
    eb_distance_pass pass = {.edges = 6, .eps = eps, .keep = keep, .pairs = pairs, .kept = kept};
    assert_int_equal(plain_cpu.histogram(a->opened.state, &pass, NULL), EB_OK);
    for (size_t e = 0; e < 6; e++) {
        uint64_t expected = 0;
        double expected_sum = 0, sum = 0;
        for (size_t i = 0; i < N; i++)
            for (size_t j = i + 1; j < N; j++) {
                double s = distance2(&a->opened.problem, i, j);
                bool here = s <= eps[e] * eps[e] && (e == 0 || s > eps[e - 1] * eps[e - 1]);
                expected += here;
                expected_sum += here ? s : 0;
            }
        assert_int_equal(pairs[e], expected);
        assert_int_equal(kept[e] != NULL, keep[e]);
        for (uint64_t p = 0; keep[e] && p < pairs[e]; p++)
            sum += kept[e][p];
        assert_true(!keep[e] || sum == expected_sum); /* integers: exact in any order */
        free(kept[e]);
    }
}

static void check_distances(const asked *a)
{
    static const uint32_t rows[] = {0, 129, 17, 17};
    const eb_problem *problem = &a->opened.problem;
    size_t columns = problem->right->n;
    double *out = malloc(4 * columns * sizeof *out);
    assert_non_null(out);
    assert_int_equal(plain_cpu.distances(a->opened.state, rows, 4, out, NULL), EB_OK);
    for (size_t q = 0; q < 4; q++)
        for (size_t j = 0; j < columns; j++)
            assert_true(out[q * columns + j] == distance2(problem, rows[q], j));
    free(out);
}

static void histogram_and_distances_are_right_in_any_order(void **state)
{
    (void)state;
    uint64_t seed = 5;
    leaf_order l = grow_leaves(N, leaf_shapes[0], &seed);
    const eb_dataset ds = some_points(0, N), left = some_points(0, 130), right = some_points(130, N - 130);
    const eb_problem problems[] = {{.left = &ds, .right = &ds},
                                   {.left = &ds, .right = &ds, .order = &l.order},
                                   {.left = &left, .right = &right}};
    for (size_t p = 0; p < 3; p++)
        for (tile_kernel k = TILE; k < TILE_KERNELS; k++)
            for (size_t shape = 0; shape < SHAPES; shape++) {
                asked a;
                choose(k, shape);
                open_problem(&a, &plain_variant, &problems[p], 2);
                if (eb_is_self_join(&problems[p]))
                    check_histogram(&a);
                check_distances(&a);
                assert_true(check_bins(&a.opened, (const uint32_t[]){129, 0, 64, 7, 64}, 5) > 0);
                close_problem(&a);
            }
    free_leaves(&l);
}

/* ---- progress, figures ---- */

typedef struct errand {
    asked a;
    bool cancel;
    uint64_t done;
} errand;

static eb_code count_as_a_job(eb_job *job, void *argument, eb_status *status)
{
    errand *e = argument;
    const eb_share whole = eb_share_whole(&e->a.opened.problem);
    e->a.opened.context.job = job;
    if (e->cancel)
        eb_job_cancel(job);
    eb_job_phase(job, "counting", whole.row_end);
    eb_code failed = ask(&e->a, 10, EB_SCHEDULE_USUAL, &whole, status);
    e->done = eb_job_progress(job).done;
    return failed;
}

static eb_code run_errand(errand *e, size_t n, size_t shape)
{
    const eb_dataset ds = some_points(0, n);
    const eb_problem problem = eb_self_join(&ds);
    eb_job *job = NULL;
    choose(TILE, shape);
    open_problem(&e->a, &plain_variant, &problem, 3);
    assert_int_equal(eb_job_start(count_as_a_job, e, &job, NULL), EB_OK);
    eb_code failed = eb_job_finish(job, NULL);
    close_problem(&e->a);
    return failed;
}

static void progress_adds_up_to_the_rows(void **state)
{
    (void)state;
    for (size_t n = 1; n <= N; n += 101)
        for (size_t shape = 0; shape < SHAPES; shape++) {
            errand e = {.cancel = false};
            assert_int_equal(run_errand(&e, n, shape), EB_OK);
            assert_int_equal(e.done, n);
        }
}

static void a_cancelled_job_stops(void **state)
{
    (void)state;
    errand e = {.cancel = true};
    assert_int_equal(run_errand(&e, N, 1), EB_CANCELLED);
    assert_true(e.done < N);
}

static double operations_of(asked *a, eb_schedule schedule, const eb_share *share)
{
    const eb_question question = {.eps = 10, .schedule = schedule};
    a->opened.figures.count = 0;
    (void)count_of(a, &question, share);
    assert_true(eb_figures_value(&a->opened.figures, "kernel_s") > 0);
    return eb_figures_value(&a->opened.figures, "executed_flops");
}

/* Each pair costs two FLOPs in one dimension. */
static void operations_are_those_of_the_pairs_looked_at(void **state)
{
    (void)state;
    static const eb_schedule usual = {.kind = EB_SCHEDULE_USUAL}, all = {.kind = EB_SCHEDULE_ALL};
    uint64_t seed = 1;
    leaf_order l = grow_leaves(N, leaf_shapes[0], &seed);
    const eb_dataset ds = some_points(0, N), left = some_points(0, 40);
    const eb_problem problems[] = {{.left = &ds, .right = &ds},
                                   {.left = &ds, .right = &ds, .order = &l.order},
                                   {.left = &left, .right = &ds}};
    const eb_share whole = eb_share_rows(0, N), half = {0, N, 1, 2, NULL}, first = eb_share_rows(0, 3),
                   left_whole = eb_share_rows(0, 40);
    asked a[3];
    list_leaves(&l, 100, &seed);
    choose(SURE, 3); /* 7 rows, 130 columns */
    for (size_t p = 0; p < 3; p++)
        open_problem(&a[p], &plain_variant, &problems[p], 2);
    assert_true(operations_of(&a[0], usual, &whole) == N * (N - 1.0));
    assert_true(operations_of(&a[0], all, &whole) == 2.0 * N * N);
    assert_true(operations_of(&a[0], usual, &half) == N * (N - 1.0) / 2);
    assert_true(operations_of(&a[0], usual, &first) == 2 * (3 + 3 * (N - 3.0)));
    assert_true(operations_of(&a[1], l.list, &whole) == 2.0 * (19 + 29) * 7 * 130); /* rows 0 … 128, and all 203 */
    assert_true(operations_of(&a[2], usual, &left_whole) == 2.0 * 40 * N);
    for (size_t p = 0; p < 3; p++)
        close_problem(&a[p]);
    free_leaves(&l);
}

static void each_instruction_set_scans_alike(void **state)
{
    (void)state;
    static const char *const names[] = {"base", "avx2", "avx512", "vnni", "no such set"};
    const eb_dataset ds = some_points(0, N);
    const eb_problem problem = eb_self_join(&ds);
    for (size_t k = 0; k < 5; k++) {
        asked a;
        assert_int_equal(setenv("EPSBENCH_ISA", names[k], 1), 0);
        assert_non_null(eb_isa_name(eb_cpu_isa()));
        choose(TILE, 3 + k % 2);
        open_problem(&a, &plain_variant, &problem, 3);
        expect_rows(&a, &(eb_question){.eps = 20}, 0, N, 1);
        expect_rows(&a, &(eb_question){.eps = 20}, 3, N - 5, 1);
        close_problem(&a);
    }
    assert_int_equal(unsetenv("EPSBENCH_ISA"), 0);
}

int main(void)
{
    place_points();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_self_join_has_each_pair_from_both_ends),
        cmocka_unit_test(rows_have_each_pair_that_touches_them),
        cmocka_unit_test(an_order_and_a_full_list_change_nothing),
        cmocka_unit_test(two_sets_have_each_pair_once),
        cmocka_unit_test(a_list_has_the_pairs_of_its_tiles),
        cmocka_unit_test(a_failing_sink_stops_the_join),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(histogram_and_distances_are_right_in_any_order),
        cmocka_unit_test(progress_adds_up_to_the_rows),
        cmocka_unit_test(a_cancelled_job_stops),
        cmocka_unit_test(operations_are_those_of_the_pairs_looked_at),
        cmocka_unit_test(each_instruction_set_scans_alike),
    };
    return cmocka_run_group_tests_name("cpu_tiles", tests, NULL, NULL);
}
