/* Tests of all CPU engines, in all their ways to compute, on shares of the work: rows and parts of tiles, in any order,
 * add up to the whole, as does their progress. Also cancelling within a list, and two engines at once. */
#include <pthread.h>

#include "tests/unit/cpu_points.h"
#include "tests/unit/leaf_orders.h"
#include "tests/unit/sanitized.h"
#include "tests/unit/test.h"

/* ---- shares that make up the whole ---- */

enum { CUTS = 4, MOST_SHARES = 32 };

typedef struct shares {
    eb_share share[MOST_SHARES];
    size_t count;
} shares;

/* Cuts the rows at fixed places, one row alone among them; cut k has parts[k] parts. The shares come in random
 * order. */
static shares cut_rows(size_t n, const unsigned parts[CUTS], uint64_t *seed)
{
    const size_t third = n / 3, cut[CUTS + 1] = {0, 1, third + 1, third + 2 < n ? third + 2 : n, n};
    shares s = {.count = 0};
    for (size_t k = 0; k < CUTS; k++)
        for (unsigned part = 0; part < parts[k]; part++)
            s.share[s.count++] = (eb_share){cut[k], cut[k + 1], part, parts[k], NULL};
    for (size_t k = 0; k < s.count; k++) {
        size_t other = naive_random(seed) % (k + 1);
        eb_share here = s.share[k];
        s.share[k] = s.share[other];
        s.share[other] = here;
    }
    return s;
}

static shares cut_tiles(size_t n, unsigned parts)
{
    shares s = {.count = parts};
    for (unsigned part = 0; part < parts; part++)
        s.share[part] = (eb_share){0, n, parts - 1 - part, parts, NULL};
    return s;
}

static void expect_shares(const asked *a, const eb_question *question, const shares *s, const join_entries *expected,
                          const char *what)
{
    const eb_problem *problem = &a->opened.problem;
    join_entries found = {.entry = NULL};
    uint64_t counted = 0;
    for (size_t k = 0; k < s->count; k++) {
        add_share(&a->opened, question, &s->share[k], &found);
        counted += count_of(a, question, &s->share[k]);
    }
    finish_entries(&found);
    assert_same_entries(&found, expected, a->setup.spec, what);
    assert_int_equal(counted, expected->count + (eb_is_self_join(problem) ? problem->left->n : 0));
    free_entries(&found);
}

/* The shares add up to what the schedule finds, also for a list that leaves pairs out. */
static void expect_all_shares(const asked *a, const sample *s, eb_schedule schedule, uint64_t *seed)
{
    static const unsigned once[CUTS] = {1, 1, 1, 1}, parts[CUTS] = {2, 1, 7, 3};
    size_t n = a->opened.problem.left->n;
    const eb_question question = {.eps = s->eps, .schedule = schedule};
    const shares cuts[] = {cut_rows(n, once, seed), cut_rows(n, parts, seed), cut_tiles(n, 2), cut_tiles(n, 13)};
    join_entries expected = whole_of(a, s->eps, schedule);
    for (size_t k = 0; k < sizeof cuts / sizeof cuts[0]; k++)
        expect_shares(a, &question, &cuts[k], &expected, s->name);
    free_entries(&expected);
}

static const char *const some[] = {"one point", "two points", "zeros", "bytes with ties", "257 deep points"};
#define SOME (sizeof some / sizeof some[0])

TEST(shares_add_up_to_the_whole)
{
    uint64_t seed = 1;
    for (size_t k = 0; k < SOME; k++)
        for (size_t v = 0; v < CPU_VARIANTS; v++) {
            const sample *s = sample_called(some[k]);
            if (left_out(k + v))
                continue;
            eb_dataset *ds = make(s);
            const eb_problem problem = eb_self_join(ds);
            asked a;
            open_problem(&a, &cpu_variants[v], &problem, 1 + (unsigned)v % 3);
            expect_all_shares(&a, s, usual, &seed);
            expect_all_shares(&a, s, all, &seed);
            close_problem(&a);
            eb_dataset_free(ds);
        }
}

TEST(shares_of_points_in_another_order_add_up)
{
    uint64_t seed = 2;
    for (size_t k = 0; k < SOME; k++)
        for (size_t v = 0; v < CPU_VARIANTS; v++) {
            const sample *s = sample_called(some[k]);
            if (left_out(k + v))
                continue;
            eb_dataset *ds = make(s);
            leaf_order l = grow_leaves(s->n, leaf_shapes[(k + v) % LEAF_SHAPES], &seed);
            const eb_problem problem = {.left = ds, .right = ds, .order = &l.order};
            asked a;
            list_leaves(&l, v % 2 ? 30 : 100, &seed);
            open_problem(&a, &cpu_variants[v], &problem, 1 + (unsigned)v % 3);
            expect_all_shares(&a, s, usual, &seed);
            expect_all_shares(&a, s, l.list, &seed);
            close_problem(&a);
            free_leaves(&l);
            eb_dataset_free(ds);
        }
}

TEST(shares_of_two_sets_add_up)
{
    uint64_t seed = 3;
    for (size_t k = 1; k < SOME; k++)
        for (size_t v = 0; v < CPU_VARIANTS; v++) {
            const sample *s = sample_called(some[k]);
            if (left_out(k + v))
                continue;
            eb_dataset *ds = make(s);
            const eb_dataset left = slice(ds, s->n / 2, s->n), right = slice(ds, 0, s->n / 2);
            const eb_problem problem = {.left = &left, .right = &right};
            asked a;
            open_problem(&a, &cpu_variants[v], &problem, 1 + (unsigned)v % 3);
            expect_all_shares(&a, s, usual, &seed);
            close_problem(&a);
            eb_dataset_free(ds);
        }
}

/* ---- progress ---- */

/* A job's input and result. A job must not assert, which would end its thread. */
typedef struct errand {
    asked a;
    eb_question question;
    shares shares;
    uint64_t done; /* units of progress, counted for each pass over the shares */
} errand;

static eb_code go_through_shares(eb_job *job, void *argument, eb_status *status)
{
    errand *e = argument;
    join_entries found = {.entry = NULL};
    eb_code failed = EB_OK;
    uint64_t entries;
    e->a.opened.context.job = job;
    eb_job_phase(job, "shares", e->a.opened.problem.left->n);
    for (size_t k = 0; k < e->shares.count && !failed; k++)
        failed = e->a.setup.run->count(e->a.opened.state, &e->question, &e->shares.share[k], &entries, status);
    for (size_t k = 0; k < e->shares.count && !failed; k++)
        failed = gather_entries(&e->a.opened, &e->question, &e->shares.share[k], &found, status);
    e->done = eb_job_progress(job).done;
    e->a.opened.context.job = NULL;
    free_entries(&found);
    return failed;
}

static eb_code as_a_job(eb_job_work work, errand *e)
{
    eb_job *job;
    eb_status status;
    assert_int_equal(eb_job_start(work, e, &job, &status), EB_OK);
    return eb_job_finish(job, &status);
}

static void expect_progress(errand *e, eb_schedule schedule, uint64_t *seed)
{
    static const unsigned parts[CUTS] = {3, 1, 1, 5};
    size_t n = e->a.opened.problem.left->n;
    const shares cuts[] = {cut_tiles(n, 1), cut_rows(n, parts, seed), cut_tiles(n, 13)};
    e->question.schedule = schedule;
    for (size_t k = 0; k < sizeof cuts / sizeof cuts[0]; k++) {
        e->shares = cuts[k];
        assert_int_equal(as_a_job(go_through_shares, e), EB_OK);
        assert_int_equal(e->done, 2 * n); /* one pass counts, one joins */
    }
}

TEST(progress_adds_up_to_the_rows)
{
    uint64_t seed = 4;
    for (size_t k = 0; k < SOME; k++)
        for (size_t v = 0; v < CPU_VARIANTS; v++) {
            const sample *s = sample_called(some[k]);
            if (left_out(k + v))
                continue;
            eb_dataset *ds = make(s);
            const eb_dataset left = slice(ds, 0, (s->n + 1) / 2);
            leaf_order l = grow_leaves(s->n, leaf_shapes[(k + v) % LEAF_SHAPES], &seed);
            const eb_problem problems[] = {{.left = ds, .right = ds},
                                           {.left = ds, .right = ds, .order = &l.order},
                                           {.left = &left, .right = ds}};
            list_leaves(&l, 40, &seed);
            for (size_t p = 0; p < 3; p++) {
                errand e = {.question = {.eps = s->eps}};
                open_problem(&e.a, &cpu_variants[v], &problems[p], 3);
                expect_progress(&e, usual, &seed);
                if (problems[p].order) {
                    expect_progress(&e, l.list, &seed);
                    expect_progress(&e, (eb_schedule){.kind = EB_SCHEDULE_LIST}, &seed); /* an empty list */
                }
                close_problem(&e.a);
            }
            free_leaves(&l);
            eb_dataset_free(ds);
        }
}

/* ---- cancels ---- */

static eb_code cancel_at_hits(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status)
{
    (void)thread, (void)hits, (void)count, (void)status;
    eb_job_cancel(context);
    return EB_OK;
}

static eb_code join_and_cancel(eb_job *job, void *argument, eb_status *status)
{
    errand *e = argument;
    eb_sink sink = {.context = job, .hits = cancel_at_hits};
    e->a.opened.context.job = job;
    eb_job_phase(job, "join", e->a.opened.problem.left->n);
    eb_code failed = e->a.setup.run->join(e->a.opened.state, &e->question, &e->shares.share[0], &sink, status);
    e->done = eb_job_progress(job).done;
    return failed;
}

static eb_code cancel_and_count(eb_job *job, void *argument, eb_status *status)
{
    eb_job_cancel(job);
    return go_through_shares(job, argument, status);
}

/* One thread: with more, all tiles but one may be done before the first tile's hits arrive. */
TEST(a_cancel_ends_a_list_between_tiles)
{
    uint64_t seed = 5;
    for (size_t k = 0; k < LARGE; k++)
        for (size_t v = 0; v < CPU_VARIANTS; v++) {
            const sample *s = &large[k];
            eb_dataset *ds = make(s);
            leaf_order l = grow_leaves(s->n, (leaf_sizes){1, 50}, &seed);
            const eb_problem problem = {.left = ds, .right = ds, .order = &l.order};
            list_leaves(&l, 100, &seed);
            errand e = {.question = {.eps = 1e6, .schedule = l.list}, .shares = cut_tiles(s->n, 1)};
            open_problem(&e.a, &cpu_variants[v], &problem, 1);
            assert_int_equal(as_a_job(join_and_cancel, &e), EB_CANCELLED);
            assert_true(e.done < s->n);
            assert_int_equal(as_a_job(cancel_and_count, &e), EB_CANCELLED);
            assert_int_equal(e.done, 0);
            e.a.opened.context.job = NULL;
            assert_int_equal(count_all(&e.a, 1e6), s->n * s->n); /* the engine still answers */
            close_problem(&e.a);
            free_leaves(&l);
            eb_dataset_free(ds);
        }
}

/* ---- two engines at once ---- */

typedef struct worker {
    const cpu_variant *variant;
    eb_setup setup;
    const eb_problem *problem;
    eb_question question;
    join_entries found;
    eb_code failed;
    eb_status status;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    const eb_share whole = eb_share_whole(w->problem);
    for (int k = 0; k < 3 && !w->failed; k++) {
        eb_opened opened;
        w->failed = eb_problem_open(&w->setup, w->problem, NULL, &opened, &w->status);
        if (w->failed)
            break;
        free_entries(&w->found);
        w->failed = gather_entries(&opened, &w->question, &whole, &w->found, &w->status);
        eb_problem_close(&opened);
    }
    if (!w->failed)
        w->failed = sort_entries(&w->found, &w->status);
    return NULL;
}

/* Both engines use the same points, order and list. */
static void run_together(const cpu_variant *one, const cpu_variant *two, const sample *s)
{
    uint64_t seed = 6;
    eb_dataset *ds = make(s);
    leaf_order l = grow_leaves(s->n, (leaf_sizes){1, 50}, &seed);
    const eb_problem problem = {.left = ds, .right = ds, .order = &l.order};
    list_leaves(&l, 100, &seed);
    worker w[2] = {{.variant = one}, {.variant = two}};
    pthread_t thread[2];
    for (int k = 0; k < 2; k++) {
        w[k].setup = setup_of(w[k].variant, 2);
        w[k].problem = &problem;
        w[k].question = (eb_question){.eps = s->eps, .schedule = l.list};
        assert_int_equal(pthread_create(&thread[k], NULL, work, &w[k]), 0);
    }
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_join(thread[k], NULL), 0);
    for (int k = 0; k < 2; k++) {
        join_entries alone = triangle_of(w[k].variant, ds, s->eps);
        if (w[k].failed)
            fail_msg("%s: %s", w[k].setup.spec, w[k].status.message);
        assert_same_entries(&w[k].found, &alone, w[k].setup.spec, s->name);
        free_entries(&w[k].found);
        free_entries(&alone);
    }
    free_leaves(&l);
    eb_dataset_free(ds);
}

TEST(two_engines_work_at_once)
{
    for (size_t v = 0; v < CPU_VARIANTS; v++)
        run_together(&cpu_variants[v], &cpu_variants[(v + 1) % CPU_VARIANTS], &large[v % LARGE]);
}

RUN_TESTS
