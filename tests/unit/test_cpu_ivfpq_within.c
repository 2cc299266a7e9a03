/* Tests of IVFPQ's pairs from a searcher that lists, for batches of queries, all points within a limit, as a GPU does:
 * whole lists, in any order, slightly beyond ε. Joins, counts, shares and passes equal those of the CPU threads. The
 * CPU's searcher stands in for a GPU's. */
#include <math.h>

#include "core/base/clock.h"
#include "core/engine/figure.h"
#include "kernels/ivfpq/settings.h"
#include "tests/unit/cpu_engines.h"
#include "tests/unit/hostile_points.h"
#include "tests/unit/join_entries.h"
#include "tests/unit/test.h"

extern const eb_engine eb_engine_ivfpq;

/* ---- the stand-in searcher ---- */

static uint64_t points_looked_at;
static double took_s[3]; /* seconds to search, copy, collect */

static eb_code hand_query(eb_inverted_searcher *searcher, const eb_inverted_question *question, const float *query,
                          size_t number, float limit, const eb_inverted_callback *callback, eb_status *status)
{
    const eb_near_row *lists;
    const size_t count = eb_inverted_probe(searcher, 0, query, question->nprobe, &lists),
                 longest = eb_inverted_longest(searcher);
    eb_near_point *near = malloc(longest * sizeof *near);
    eb_near_point *all = malloc(count * longest * sizeof *all);
    size_t found = 0;
    assert_true(near && all);
    const double start = eb_now_s();
    for (size_t l = count; l-- > 0;) {
        const eb_inverted_seen seen = eb_inverted_look(searcher, question, 0, query, lists[l].row,
                                                       (eb_inverted_rows){0, UINT32_MAX}, limit, near);
        points_looked_at += seen.looked;
        for (size_t k = seen.found; k-- > 0;)
            all[found++] = near[k];
    }
    const double looked = eb_now_s();
    const eb_code failed = callback->take(callback->context, number, 0, all, found, status);
    took_s[0] += looked - start;
    took_s[2] += eb_now_s() - looked;
    free(near);
    free(all);
    return failed;
}

static eb_code hand_all(void *state, const eb_inverted_question *question, const float *queries, size_t count,
                        float limit, const eb_inverted_callback *callback, eb_job *job, eb_status *status)
{
    const eb_ivfpq *e = state;
    (void)job;
    for (size_t k = 0; k < count; k++)
        EB_TRY(hand_query(e->searcher, question, queries + k * e->got.index->file.d, k, limit, callback, status));
    return EB_OK;
}

static eb_inverted_work work_of(const void *state)
{
    (void)state;
    return (eb_inverted_work){.points = points_looked_at,
                              .blocks = 1,
                              .side_by_side = 1,
                              .kernel_s = took_s[0],
                              .copy_s = took_s[1],
                              .take_s = took_s[2]};
}

static const eb_inverted_search standing_in = {.within = hand_all, .work = work_of};

/* ---- equal answers ---- */

static void stand_in(const asked *a, bool on)
{
    eb_ivfpq *e = a->opened.state;
    e->by = on ? &standing_in : &eb_inverted_search_cpu;
    e->searching = on ? (void *)e : e->searcher;
}

static uint64_t expect_same(const asked *a, double eps, const eb_share *share)
{
    const eb_question question = {.eps = eps};
    join_entries expected = entries_of(&a->opened, &question, share);
    const uint64_t count = count_of(a, &question, share);
    stand_in(a, true);
    join_entries found = entries_of(&a->opened, &question, share);
    assert_same_entries(&found, &expected, a->setup.spec, "handed over");
    assert_int_equal(count_of(a, &question, share), count);
    stand_in(a, false);
    free_entries(&found);
    free_entries(&expected);
    return count;
}

static const cpu_variant variants[] = {
    {&eb_engine_ivfpq, "rounds=3,nlist=5,nprobe=5"},
    {&eb_engine_ivfpq, "rounds=3,nlist=7,nprobe=2,lut=e5m3"},
    {&eb_engine_ivfpq, "rounds=3,nlist=4,nprobe=3,lut=u8"},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

TEST(pairs_handed_over_are_those_that_threads_find)
{
    eb_dataset *one = hostile_points(HOSTILE_RANDOM, EB_F32, 300, 6, 5),
               *two = hostile_points(HOSTILE_CLUSTERS, EB_F32, 110, 6, 6);
    const eb_problem problems[] = {eb_self_join(one),
                                   {.left = one, .right = two},
                                   {.left = two, .right = one},
                                   eb_self_join(two)};
    static const double eps[] = {0, 0.3, 0.9, 1e150};
    for (size_t p = 0; p < 4; p++)
        for (size_t v = 0; v < VARIANTS; v++) {
            asked a;
            uint64_t counted = 0;
            open_problem(&a, &variants[v], &problems[p], 2);
            for (size_t r = 0; r < 4; r++) {
                const size_t n = problems[p].left->n;
                const eb_share whole = eb_share_whole(&problems[p]), shares[] = {{n / 3, n / 2, 0, 1, NULL},
                                                                                 {0, n, 2, 3, NULL},
                                                                                 {n - 1, n, 450, 500, NULL},
                                                                                 {5, 5, 0, 1, NULL}};
                counted += expect_same(&a, eps[r], &whole);
                for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++)
                    (void)expect_same(&a, eps[r], &shares[k]);
            }
            assert_true(counted > 1000);
            close_problem(&a);
        }
    eb_dataset_free(one);
    eb_dataset_free(two);
}

TEST(passes_and_figures_are_told)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 200, 8, 7);
    const eb_problem problem = eb_self_join(ds);
    const double edges[] = {0.4, 0.9, 3};
    const bool keep[] = {false, false, false};
    for (size_t v = 0; v < VARIANTS; v++) {
        uint64_t pairs[2][3];
        double *kept[3];
        asked a;
        open_problem(&a, &variants[v], &problem, 2);
        for (unsigned on = 0; on < 2; on++) {
            eb_distance_pass pass = {.edges = 3, .eps = edges, .keep = keep, .pairs = pairs[on], .kept = kept};
            stand_in(&a, on == 1);
            assert_int_equal(a.setup.run->histogram(a.opened.state, &pass, NULL), EB_OK);
        }
        assert_memory_equal(pairs[0], pairs[1], sizeof pairs[0]);
        assert_true(pairs[0][1] + pairs[0][2] > 0);
        assert_true(v > 0 ||
                    eb_figures_value(&a.opened.figures, "candidates_a_point") == 200); /* all lists, unpruned */
        assert_non_null(strstr(a.setup.run->describe(a.opened.state), "a query a table"));
        stand_in(&a, false);
        close_problem(&a);
    }
    eb_dataset_free(ds);
}

/* On a GPU the figures also time making queries, choosing lists, copying and collecting pairs; little of the total is
 * left unnamed. */
TEST(all_of_the_time_has_names)
{
    static const char *const parts[] = {"convert_s", "choose_s", "download_s", "take_s", "kernel_s"};
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 20000, 10, 7);
    const eb_problem problem = eb_self_join(ds);
    const eb_question question = {.eps = 0.6};
    asked a;
    open_problem(&a, &(cpu_variant){&eb_engine_ivfpq, "rounds=1,nlist=64,nprobe=4"}, &problem, 1);
    stand_in(&a, true);
    const double before = eb_figures_parts(&a.opened.figures), start = eb_now_s();
    const eb_share whole = eb_share_whole(&problem);
    assert_true(count_of(&a, &question, &whole) > ds->n);
    const double took = eb_now_s() - start, named = eb_figures_parts(&a.opened.figures) - before;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (!(eb_figures_value(&a.opened.figures, parts[k]) >= 0))
            fail_msg("%s is not told", parts[k]);
    if (!(named <= took && named > 0.97 * took))
        fail_msg("%.6f s have names, of %.6f s", named, took);
    stand_in(&a, false);
    close_problem(&a);
    eb_dataset_free(ds);
}

RUN_TESTS
