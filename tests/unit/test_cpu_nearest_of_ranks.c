/* Tests of neighbours that several ranks find together (core/ranks/queries/shared_nearest.h), with threads in the place
 * of processes: they are those of one rank, bit for bit, and no pairs travel. */
#include "core/knn/knn.h"
#include "tests/unit/company.h"
#include "tests/unit/cpu_points.h"

static const char *const specs[] = {"exact", "exact[way=boxes]", "exact[way=ref64]", "ref64", "fasted[tensor=sm_80]"};
#define SPECS (sizeof specs / sizeof specs[0])

static eb_knn find(const char *spec, eb_knn_request request)
{
    eb_setup setup;
    eb_knn found;
    eb_status status = {.message = ""};
    (void)setup_for(spec, 2, &setup);
    request.setup = &setup;
    if (eb_knn_find(&request, NULL, &found, &status))
        fail_msg("%s: %s", spec, status.message);
    return found;
}

static void expect_same_nearest(const char *spec, const eb_knn_request *request, unsigned ranks)
{
    company c;
    eb_knn alone = find(spec, *request);
    begin_company(&c, ranks);
    company_holding = ranks % 4 == 3 ? EB_HOLD_BLOCKS : EB_HOLD_AUTO;
    eb_knn together = find(spec, *request);
    const bool joined = company_holding == EB_HOLD_BLOCKS;
    company_holding = EB_HOLD_AUTO;
    end_company(&c);
    assert_int_equal(alone.queries, together.queries);
    assert_int_equal(alone.lacking, together.lacking);
    for (size_t at = 0; at < alone.queries * alone.k; at++)
        if (alone.near[at].row != together.near[at].row ||
            memcmp(&alone.near[at].far, &together.near[at].far, sizeof(double)) != 0)
            fail_msg("%s, %u ranks: neighbour %zu of query %zu is %u at %g, alone %u at %g", spec, ranks, at % alone.k,
                     at / alone.k, together.near[at].row, together.near[at].far, alone.near[at].row,
                     alone.near[at].far);
    if (alone.effort.joins == 0 && !joined)
        assert_int_equal(together.effort.joins, 0);
    eb_knn_free(&alone);
    eb_knn_free(&together);
}

/* All points, some of them, and some that are no neighbours of each other. */
static void expect_all_same(const eb_dataset *ds, unsigned ranks)
{
    uint32_t *rows = calloc(ds->n, sizeof *rows);
    const size_t some = ds->n / 5;
    eb_status status = {.message = ""};
    assert_non_null(rows);
    assert_int_equal(eb_knn_draw(ds->n, some, 7, rows, &status), EB_OK);
    const eb_knn_request every = {.base = ds, .k = 3}, few = {.base = ds, .rows = rows, .count = some, .k = 9},
                         apart = {.base = ds, .rows = rows, .count = some, .taken_out = some, .k = 2};
    for (size_t k = 0; k < SPECS; k++) {
        expect_same_nearest(specs[k], &every, ranks);
        expect_same_nearest(specs[k], &few, ranks);
        expect_same_nearest(specs[k], &apart, ranks);
    }
    free(rows);
}

TEST(ranks_find_the_nearest_of_one)
{
    static const char *const chosen[] = {"bytes with ties", "257 deep points", "1025 points", "zeros"};
    for (unsigned ranks = 2; ranks <= MOST_RANKS; ranks++) {
        eb_dataset *ds = make(sample_called(chosen[ranks % 4]));
        expect_all_same(ds, ranks);
        eb_dataset_free(ds);
    }
}

/* Each of the other ranks' queries has k entries of 16 bytes and a number of them; the points go out once. */
TEST(ranks_send_the_nearest_and_not_pairs)
{
    enum { N = 4000, D = 3, RANKS = 4, K = 4 };
    eb_dataset *ds = naive_points(N, D, 5, 3);
    const eb_problem problem = eb_self_join(ds);
    eb_near_row *near = calloc((size_t)N * K, sizeof *near);
    uint32_t *count = calloc(N, sizeof *count), *query = calloc(N, sizeof *query);
    eb_setup setup;
    eb_opened held, *opened = &held;
    company c;
    assert_true(near && count && query);
    for (uint32_t i = 0; i < N; i++)
        query[i] = i;
    begin_company(&c, RANKS);
    (void)setup_for("exact", 2, &setup);
    EXPECT_OK(eb_problem_open(&setup, &problem, NULL, opened, &status));
    const eb_nearest_rows question =
        {.k = K, .queries = N, .query = query, .most = INFINITY, .near = near, .count = count};
    EXPECT_OK(opened->run->nearest_rows(opened->state, &question, &status));
    const double sent = eb_figures_value(&opened->figures, "sent_bytes"),
                 most = (RANKS - 1) * ((double)N * D * sizeof(float) + 8192) + (double)N * (16 * K + 4);
    eb_problem_close(opened);
    end_company(&c);
    for (size_t q = 0; q < N; q++)
        assert_int_equal(count[q], K);
    if (!(sent > 0 && sent <= most))
        fail_msg("%g bytes were sent, at most %g expected", sent, most);
    free(near);
    free(count);
    free(query);
    eb_dataset_free(ds);
}

RUN_TESTS
