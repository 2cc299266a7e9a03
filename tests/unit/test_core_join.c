/* join: batches give the same table as a single one, for any memory limit and order of results; failures and
 * cancellation leave nothing behind. */
#include <math.h>

#include "core/join/join.h"
#include "tests/unit/given_rows.h"
#include "tests/unit/naive_engine.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/test.h"

/* A consumer that checks each row against exact distances and can refuse a batch. */
typedef struct checker {
    const eb_problem *problem;
    double eps;
    size_t next_row, batches, refuse_at; /* refuse_at: batch number from 1, 0: none */
    uint64_t entries;
} checker;

static void check_row(const checker *c, const eb_neighbours *batch, size_t r)
{
    uint64_t at = batch->offsets[r];
    for (size_t j = 0; j < c->problem->right->n; j++) {
        double s = naive_s(c->problem, batch->first_row + r, j);
        if (!(s <= eb_squared_threshold(c->eps)))
            continue;
        assert_true(at < batch->offsets[r + 1]);
        assert_int_equal(batch->columns[at], j);
        if (batch->kept)
            assert_true(eb_neighbours_distance(batch, at) ==
                        (batch->kept == EB_DISTANCES_F64 ? sqrt(s) : (double)(float)sqrt(s)));
        at++;
    }
    assert_int_equal(at, batch->offsets[r + 1]);
}

static eb_code check_batch(void *context, eb_neighbours *batch, eb_status *status)
{
    checker *c = context;
    assert_int_equal(batch->first_row, c->next_row);
    assert_int_equal(batch->n, c->problem->left->n);
    assert_int_equal(batch->others, c->problem->right->n);
    assert_int_equal(batch->self, eb_is_self_join(c->problem));
    for (size_t r = 0; r < batch->rows; r++)
        check_row(c, batch, r);
    c->next_row += batch->rows;
    c->entries += batch->offsets[batch->rows];
    c->batches++;
    eb_neighbours_free(batch);
    return c->batches == c->refuse_at ? eb_fail(status, EB_IO, "refused") : EB_OK;
}

static eb_code run_problem(const eb_problem *problem, const eb_implementation *engine, const eb_join_plan *plan,
                           checker *c, eb_job *job, eb_join_result *result, eb_status *status)
{
    eb_setup setup = naive_setup;
    eb_opened opened;
    setup.run = engine;
    c->problem = problem;
    c->eps = plan->question.eps;
    assert_int_equal(eb_problem_open(&setup, problem, job, &opened, status), EB_OK);
    eb_code failed = eb_join_run(&opened, plan, check_batch, c, result, status);
    eb_problem_close(&opened);
    if (!failed)
        assert_true(eb_figures_value(&opened.figures, "table_s") >= 0 &&
                    eb_figures_value(&opened.figures, "kernel_s") >= 0 &&
                    isnan(eb_figures_value(&opened.figures, "upload_s")));
    return failed;
}

static eb_code run(const eb_dataset *ds, const eb_join_plan *plan, checker *c, eb_job *job, eb_join_result *result,
                   eb_status *status)
{
    eb_problem problem = eb_self_join(ds);
    return run_problem(&problem, &naive_cpu, plan, c, job, result, status);
}

TEST(batches_of_any_size_make_the_whole)
{
    memset(&naive_trouble, 0, sizeof naive_trouble);
    eb_dataset *ds = naive_points(120, 2, 30, 5);
    double eps = 12;
    uint64_t truth = naive_pairs(ds, eps);
    uint64_t whole = eb_neighbours_build_bytes(ds->n, truth, EB_DISTANCES_F64) + 4096;
    size_t most_batches = 0;
    /* Down to the limit at which a single row just fits: a chunk of 64 hits, its table, its sort. */
    for (uint64_t limit = whole; limit > 2100; limit = limit * 4 / 5)
        for (int expected = 0; expected <= 1; expected++)
            for (int distances = 0; distances <= 2; distances++) {
                eb_join_plan plan = {.question.eps = eps,
                                     .distances = (eb_distances)distances,
                                     .memory_limit = limit,
                                     .expected_pairs = expected ? truth : 0};
                checker c = {.batches = 0};
                eb_join_result result;
                eb_status status;
                assert_int_equal(run(ds, &plan, &c, NULL, &result, &status), EB_OK);
                assert_int_equal(result.pairs, truth);
                assert_int_equal(c.entries, truth);
                assert_int_equal(c.next_row, ds->n);
                assert_int_equal(result.batches, c.batches);
                if (limit == whole)
                    assert_int_equal(c.batches, 1);
                most_batches = c.batches > most_batches ? c.batches : most_batches;
            }
    assert_true(most_batches > ds->n / 2); /* some batches have one row */
    eb_dataset_free(ds);
}

TEST(an_expected_size_saves_the_vain_attempts)
{
    eb_dataset *ds = naive_points(200, 2, 40, 2);
    uint64_t truth = naive_pairs(ds, 10);
    eb_join_plan plan = {.question.eps = 10,
                         .distances = EB_DISTANCES_F64,
                         .memory_limit = eb_neighbours_build_bytes(200, truth, EB_DISTANCES_F64) / 8,
                         .expected_pairs = truth};
    checker c = {.batches = 0};
    eb_join_result result;
    eb_status status;
    memset(&naive_trouble, 0, sizeof naive_trouble);
    assert_int_equal(run(ds, &plan, &c, NULL, &result, &status), EB_OK);
    assert_int_equal(result.pairs, truth);
    assert_true(naive_trouble.joins <= c.batches + 3);
    assert_int_equal(naive_trouble.counts, 0); /* the rows are joined without counting first */
    eb_dataset_free(ds);
}

TEST(small_and_extreme_sets)
{
    static const struct {
        size_t n;
        unsigned spread;
        double eps;
    } cases[] = {{1, 5, 0}, {1, 5, 1e300}, {2, 1, 0}, {3, 100, 0}, {80, 1, 0}, {80, 50, 1e300}, {80, 1000000, 0.5}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        eb_dataset *ds = naive_points(cases[k].n, 1, cases[k].spread, k);
        for (uint64_t limit = 0; limit <= 4000; limit += 4000) {
            eb_join_plan plan = {.question.eps = cases[k].eps, .distances = EB_DISTANCES_F64, .memory_limit = limit};
            checker c = {.batches = 0};
            eb_join_result result;
            eb_status status;
            assert_int_equal(run(ds, &plan, &c, NULL, &result, &status), EB_OK);
            assert_int_equal(result.pairs, naive_pairs(ds, cases[k].eps));
            assert_true(c.batches == 1 || limit);
        }
        eb_dataset_free(ds);
    }
}

TEST(a_row_that_does_not_fit_is_named)
{
    eb_dataset *ds = naive_points(64, 1, 1, 1);
    eb_join_plan plan = {.question.eps = 1, .distances = EB_DISTANCES_F64, .memory_limit = 100};
    checker c = {.batches = 0};
    eb_join_result result;
    eb_status status;
    assert_int_equal(run(ds, &plan, &c, NULL, &result, &status), EB_NO_MEMORY);
    assert_non_null(strstr(status.message, "rows 0 to 1 "));
    assert_non_null(strstr(status.message, "100 bytes"));
    assert_int_equal(c.batches, 0);

    plan = (eb_join_plan){.question.eps = 1,
                          .distances = EB_DISTANCES_F64,
                          .memory_limit = 10000,
                          .whole = true}; /* `whole` forbids halving */
    memset(&naive_trouble, 0, sizeof naive_trouble);
    assert_int_equal(run(ds, &plan, &c, NULL, &result, &status), EB_NO_MEMORY);
    assert_int_equal(naive_trouble.joins, 1);
    eb_dataset_free(ds);
}

TEST(failures_pass_through)
{
    eb_dataset *ds = naive_points(100, 2, 20, 9);
    eb_join_plan plan = {.question.eps = 8, .distances = EB_DISTANCES_F64, .memory_limit = 12000};
    eb_join_result result = {.pairs = 77};
    eb_status status;

    memset(&naive_trouble, 0, sizeof naive_trouble);
    naive_trouble.fail_after_hits = 150;
    checker c = {.batches = 0};
    assert_int_equal(run(ds, &plan, &c, NULL, &result, &status), EB_INTERNAL);
    assert_non_null(strstr(status.message, "told to fail"));

    memset(&naive_trouble, 0, sizeof naive_trouble);
    c = (checker){.refuse_at = 2};
    assert_int_equal(run(ds, &plan, &c, NULL, &result, &status), EB_IO);
    assert_string_equal(status.message, "refused");
    assert_int_equal(c.batches, 2);
    assert_int_equal(result.pairs, 77); /* not written on failure */
    eb_dataset_free(ds);
}

/* An engine that drops one direction of a pair between batches: each batch is consistent, the whole is not. */
static eb_code one_sided_join(void *engine_state, const eb_question *question, const eb_share *share,
                              const eb_sink *sink, eb_status *status)
{
    (void)engine_state;
    (void)question;
    eb_hit hit = {.i = 0, .j = 9, .s = 1};
    return share->row_begin == 0 ? sink->hits(sink->context, 0, &hit, 1, status) : EB_OK;
}

static eb_code drain_batch(void *context, eb_neighbours *batch, eb_status *status)
{
    (void)context;
    (void)status;
    eb_neighbours_free(batch);
    return EB_OK;
}

static eb_code join_one_sided(const eb_problem *problem, eb_status *status)
{
    eb_implementation one_sided = naive_cpu;
    one_sided.join = one_sided_join;
    eb_setup setup = naive_setup;
    setup.run = &one_sided;
    eb_opened opened;
    eb_join_plan plan = {.question.eps = 0, .distances = EB_DISTANCES_NONE, .memory_limit = 720};
    eb_join_result result;
    assert_int_equal(eb_problem_open(&setup, problem, NULL, &opened, status), EB_OK);
    eb_code failed = eb_join_run(&opened, &plan, drain_batch, NULL, &result, status);
    eb_problem_close(&opened);
    return failed;
}

TEST(a_pair_dropped_between_batches_is_an_error)
{
    eb_dataset *ds = naive_points(10, 1, 100000, 4); /* distinct points, ε = 0: only self pairs */
    eb_dataset *others = naive_points(10, 1, 100000, 4);
    eb_problem problem = eb_self_join(ds), of_two = {.left = ds, .right = others};
    eb_status status;
    assert_int_equal(join_one_sided(&problem, &status), EB_INTERNAL);
    assert_non_null(strstr(status.message, "odd"));
    assert_int_equal(join_one_sided(&of_two, &status), EB_OK); /* in a join of two sets one direction is correct */
    eb_dataset_free(ds);
    eb_dataset_free(others);
}

typedef struct errand {
    const eb_dataset *ds;
    checker checker;
} errand;

static eb_code join_and_be_cancelled(eb_job *job, void *argument, eb_status *status)
{
    eb_join_plan plan = {.question.eps = 8,
                         .distances = EB_DISTANCES_F64,
                         .memory_limit = 12000,
                         .expected_pairs = 5000};
    errand *a = argument;
    eb_join_result result;
    naive_trouble.job_to_cancel = job;
    return run(a->ds, &plan, &a->checker, job, &result, status);
}

TEST(a_cancel_between_batches_keeps_what_was_handed_on)
{
    eb_dataset *ds = naive_points(150, 2, 20, 9);
    memset(&naive_trouble, 0, sizeof naive_trouble);
    naive_trouble.cancel_after_joins = 4;
    errand a = {.ds = ds};
    eb_job *job;
    eb_status status;
    assert_int_equal(eb_job_start(join_and_be_cancelled, &a, &job, &status), EB_OK);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    const checker *c = &a.checker;
    assert_true(c->batches > 0 && c->batches < 4 && c->next_row > 0 && c->next_row < ds->n);
    assert_int_equal(naive_trouble.opens, naive_trouble.closes);
    eb_dataset_free(ds);
    memset(&naive_trouble, 0, sizeof naive_trouble);
}

/* ---- two sets ---- */

TEST(two_sets_have_pairs_but_no_self_pairs)
{
    static const struct {
        size_t left, right;
        unsigned spread;
        double eps;
    } cases[] = {{1, 1, 1, 0},      {1, 90, 20, 7},         {90, 1, 20, 7},     {70, 110, 20, 6},
                 {110, 70, 20, 6},  {60, 60, 20, 0},        {60, 60, 4, 1e300}, {60, 40, 1000000, 0.5},
                 {150, 20, 30, 10}, {20, 150, 1000000, 0.5}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        eb_dataset *left = naive_points(cases[k].left, 2, cases[k].spread, 2 * k);
        eb_dataset *right = naive_points(cases[k].right, 2, cases[k].spread, 2 * k + 1);
        uint64_t truth = naive_pairs_between(left, right, cases[k].eps);
        for (int way = 0; way < 6; way++) {
            eb_problem problem = {.left = left, .right = right};
            eb_join_plan plan = {.question.eps = cases[k].eps,
                                 .distances = (eb_distances)(way % 3),
                                 .memory_limit = way / 2 == 0 ? 0 : 5000,
                                 .expected_pairs = way / 2 == 1 ? truth : 0};
            checker c = {.batches = 0};
            eb_join_result result;
            eb_status status;
            assert_int_equal(run_problem(&problem, &naive_cpu, &plan, &c, NULL, &result, &status), EB_OK);
            assert_int_equal(result.pairs, truth);
            assert_int_equal(c.entries, truth);
            assert_int_equal(c.next_row, left->n);
            assert_int_equal(result.batches, c.batches);
            assert_true(c.batches == 1 || way / 2);
        }
        eb_dataset_free(left);
        eb_dataset_free(right);
    }
}

TEST(a_copy_of_the_points_is_another_set)
{
    eb_dataset *left = naive_points(80, 2, 30, 3), *right = naive_points(80, 2, 30, 3);
    eb_problem problem = {.left = left, .right = right};
    eb_join_plan plan = {.question.eps = 5, .distances = EB_DISTANCES_F64};
    checker c = {.batches = 0};
    eb_join_result result;
    eb_status status;
    assert_int_equal(run_problem(&problem, &naive_cpu, &plan, &c, NULL, &result, &status), EB_OK);
    assert_int_equal(result.pairs,
                     naive_pairs(left, 5)); /* the n pairs at distance 0 count once, as the engine found them */
    eb_dataset_free(left);
    eb_dataset_free(right);
}

static eb_code open_and_close(const eb_setup *setup, const eb_problem *problem, eb_status *status)
{
    eb_opened opened;
    eb_code failed = eb_problem_open(setup, problem, NULL, &opened, status);
    if (!failed)
        eb_problem_close(&opened);
    assert_null(opened.state);
    return failed;
}

TEST(sets_that_do_not_go_together_are_refused)
{
    eb_dataset *left = naive_points(5, 2, 9, 1), *right = naive_points(6, 2, 9, 1);
    eb_dataset flat = *right, wide = *right, huge = *right;
    eb_problem problem = {.left = left, .right = &flat};
    eb_status status;
    memset(&naive_trouble, 0, sizeof naive_trouble);
    assert_int_equal(open_and_close(&naive_setup, &problem, &status), EB_OK);
    flat.d = 1;
    assert_int_equal(open_and_close(&naive_setup, &problem, &status), EB_USAGE);
    assert_string_equal(status.message, "a join needs points of equal dimension; the left have 2, the right 1");
    wide.dtype = EB_I32;
    problem.right = &wide;
    assert_int_equal(open_and_close(&naive_setup, &problem, &status), EB_USAGE);
    assert_string_equal(status.message, "a join needs points of one type; the left are f32, the right i32");
    huge.n = EB_MAX_POINTS - 4;
    problem.right = &huge;
    assert_int_equal(open_and_close(&naive_setup, &problem, &status), EB_TOO_LARGE);
    assert_true(naive_trouble.opens == 1 && naive_trouble.closes == 1);

    static const uint32_t straight[] = {0, 1, 2, 3, 4}, twice[] = {0, 1, 2, 3, 3}, first[] = {0, 5};
    eb_order order = {.n = 5, .point = straight, .leaves = 1, .first = first};
    problem = (eb_problem){.left = left, .right = right, .order = &order};
    assert_int_equal(open_and_close(&naive_setup, &problem, &status), EB_INTERNAL);
    assert_non_null(strstr(status.message, "two sets"));
    problem.right = left;
    assert_int_equal(open_and_close(&naive_setup, &problem, &status), EB_OK);
    order.point = twice;
    assert_int_equal(open_and_close(&naive_setup, &problem, &status), EB_INTERNAL);
    assert_true(naive_trouble.opens == 2 && naive_trouble.closes == 2);
    eb_dataset_free(left);
    eb_dataset_free(right);
}

TEST(an_engine_gets_what_its_setup_lends)
{
    eb_dataset *ds = naive_points(5, 2, 9, 1);
    eb_setup setup = naive_setup;
    eb_problem problem = eb_self_join(ds);
    eb_opened opened;
    eb_status status;
    setup.resources = (eb_resources){.threads = 0, .memory_limit = 12345};
    assert_int_equal(eb_problem_open(&setup, &problem, NULL, &opened, &status), EB_OK);
    const naive_state *naive = opened.state;
    assert_true(naive->context->threads == 1 && naive->context->devices == 1); /* 0 means one thread */
    assert_true(naive->context->memory_limit == 12345 && naive->context->figures == &opened.figures);
    assert_ptr_equal(naive->context->device, &setup.device);
    assert_true(naive->problem->left == ds && naive->problem->right == ds && naive->problem != &problem);
    eb_problem_close(&opened);
    eb_dataset_free(ds);
}

/* ---- results in pieces ---- */

static uint64_t chance;

static void shuffle(size_t *order, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        size_t other = naive_random(&chance) % (k + 1);
        order[k] = order[other];
        order[other] = k;
    }
}

/* Joins the parts in any order, as an engine with several devices may. */
static eb_code join_in_parts(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                             eb_status *status)
{
    size_t order[7];
    unsigned parts = 1 + (unsigned)(naive_random(&chance) % 7);
    eb_code failed = EB_OK;
    shuffle(order, parts);
    for (size_t k = 0; k < parts && !failed; k++) {
        eb_share part = {share->row_begin, share->row_end, (unsigned)order[k], parts, NULL};
        failed = naive_join(state, question, &part, sink, status);
    }
    return failed;
}

/* Gives whole rows, as an engine on a GPU does, in any order. */
static eb_code give_row(const naive_state *naive, double eps, size_t i, const eb_sink *sink, eb_status *status)
{
    size_t others = naive->problem->right->n;
    uint64_t offsets[] = {0, 0};
    uint32_t *columns = malloc(others * sizeof *columns);
    double *s = malloc(others * sizeof *s);
    if (!columns || !s)
        abort();
    for (size_t j = 0; j < others; j++) {
        s[offsets[1]] = naive_s(naive->problem, i, j);
        columns[offsets[1]] = (uint32_t)j;
        offsets[1] += s[offsets[1]] <= eb_squared_threshold(eps);
    }
    eb_code failed = give_rows(sink, i, 1, offsets, columns, s, status);
    free(columns);
    free(s);
    return failed;
}

static eb_code join_by_rows(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                            eb_status *status)
{
    size_t order[128], rows = share->row_end - share->row_begin;
    eb_code failed = EB_OK;
    assert_true(rows <= sizeof order / sizeof order[0]);
    shuffle(order, rows);
    for (size_t k = 0; k < rows && !failed; k++)
        failed = give_row(state, question->eps, share->row_begin + order[k], sink, status);
    eb_figures_add(((naive_state *)state)->context->figures, &eb_figure_kernel, 0);
    return failed;
}

TEST(pieces_in_any_order_make_the_whole)
{
    eb_implementation in_parts = naive_cpu, by_rows = naive_cpu;
    in_parts.join = join_in_parts;
    by_rows.join = join_by_rows;
    eb_dataset *left = naive_points(100, 2, 25, 1), *right = naive_points(64, 2, 25, 2);
    for (int way = 0; way < 64; way++) {
        eb_problem problem = {.left = left, .right = way % 2 ? left : right};
        eb_join_plan plan = {.question.eps = 6,
                             .distances = (eb_distances)(way % 3),
                             .memory_limit = way / 4 % 2 ? 9000 : 0};
        checker c = {.batches = 0};
        eb_join_result result;
        eb_status status;
        assert_int_equal(run_problem(&problem, way / 8 % 2 ? &in_parts : &by_rows, &plan, &c, NULL, &result, &status),
                         EB_OK);
        assert_int_equal(result.pairs, way % 2 ? naive_pairs(left, 6) : naive_pairs_between(left, right, 6));
        assert_int_equal(c.next_row, left->n);
        assert_int_equal(c.entries, result.pairs);
        assert_true(c.batches == 1 || plan.memory_limit);
    }
    eb_dataset_free(left);
    eb_dataset_free(right);
}

/* An engine that joins one part twice, so that each of its pairs comes twice. */
static eb_code join_a_part_twice(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                                 eb_status *status)
{
    eb_share half = {share->row_begin, share->row_end, 0, 2, NULL};
    eb_code failed = naive_join(state, question, &half, sink, status);
    return failed ? failed : naive_join(state, question, &half, sink, status);
}

TEST(a_part_that_comes_twice_is_an_error)
{
    eb_implementation twice = naive_cpu;
    twice.join = join_a_part_twice;
    eb_dataset *left = naive_points(50, 2, 25, 1), *right = naive_points(40, 2, 25, 2);
    for (int two = 0; two <= 1; two++) {
        eb_problem problem = {.left = left, .right = two ? right : left};
        eb_join_plan plan = {.question.eps = 9};
        checker c = {.batches = 0};
        eb_join_result result;
        eb_status status;
        assert_int_equal(run_problem(&problem, &twice, &plan, &c, NULL, &result, &status), EB_INTERNAL);
        assert_non_null(strstr(status.message, "comes twice"));
        assert_int_equal(c.batches, 0);
    }
    eb_dataset_free(left);
    eb_dataset_free(right);
}

RUN_TESTS
