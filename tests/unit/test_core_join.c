/* join: batches make the table that one piece makes, whatever the memory; failures and cancels leave nothing behind. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/join/join.h"
#include "tests/unit/naive_engine.h"
#include "tests/unit/naive_points.h"

static const eb_engine_options one_thread = {.threads = 1};

/* A consumer that checks each row against the truth and can refuse a batch. */
typedef struct checker {
    const eb_dataset *ds;
    double eps;
    size_t next_row, batches, refuse_at; /* refuse_at: batch number from 1, 0: none */
    uint64_t entries;
} checker;

static eb_code check_batch(void *context, eb_neighbours *batch, eb_status *status)
{
    checker *c = context;
    assert_int_equal(batch->first_row, c->next_row);
    for (size_t r = 0; r < batch->rows; r++) {
        uint64_t at = batch->offsets[r];
        for (size_t j = 0; j < c->ds->n; j++) {
            double s = eb_truth_distance2(c->ds, batch->first_row + r, j);
            if (!(s <= eb_squared_threshold(c->eps)))
                continue;
            assert_true(at < batch->offsets[r + 1]);
            assert_int_equal(batch->columns[at], j);
            if (batch->distances)
                assert_true(batch->distances[at] == sqrt(s));
            at++;
        }
        assert_int_equal(at, batch->offsets[r + 1]);
    }
    c->next_row += batch->rows;
    c->entries += batch->offsets[batch->rows];
    c->batches++;
    eb_neighbours_free(batch);
    return c->batches == c->refuse_at ? eb_fail(status, EB_IO, "refused") : EB_OK;
}

static eb_code run(const eb_dataset *ds, const eb_engine *engine, const eb_join_plan *plan, checker *c, eb_job *job,
                   eb_join_result *result, eb_status *status)
{
    void *state = NULL;
    eb_device cpu = {.name = "cpu"};
    eb_timing timing = eb_timing_none();
    c->ds = ds;
    c->eps = plan->eps;
    eb_code code = engine->open(&cpu, ds, &one_thread, job, &timing, &state, status);
    assert_int_equal(code, EB_OK);
    code = eb_join_run(engine, state, ds->n, &one_thread, plan, check_batch, c, job, &timing, result, status);
    engine->close(state);
    if (code == EB_OK)
        assert_true(timing.table_s >= 0 && timing.kernel_s >= 0 && isnan(timing.upload_s));
    return code;
}

static void batches_of_any_size_make_the_whole(void **state)
{
    (void)state;
    memset(&naive_trouble, 0, sizeof naive_trouble);
    eb_dataset *ds = naive_points(120, 2, 30, 5);
    double eps = 12;
    uint64_t truth = naive_pairs(ds, eps);
    uint64_t whole = eb_neighbours_build_bytes(ds->n, truth, true) + 4096;
    size_t most_batches = 0;
    /* Down to where a row alone just fits: a chunk of 64 hits, its table, its sort. */
    for (uint64_t limit = whole; limit > 2100; limit = limit * 4 / 5)
        for (int expected = 0; expected <= 1; expected++)
            for (int distances = 0; distances <= 1; distances++) {
                eb_join_plan plan = {.eps = eps,
                                     .distances = distances,
                                     .memory_limit = limit,
                                     .expected_pairs = expected ? truth : 0};
                checker c = {.batches = 0};
                eb_join_result result;
                eb_status status;
                assert_int_equal(run(ds, &naive_engine, &plan, &c, NULL, &result, &status), EB_OK);
                assert_int_equal(result.pairs, truth);
                assert_int_equal(c.entries, truth);
                assert_int_equal(c.next_row, ds->n);
                assert_int_equal(result.batches, c.batches);
                if (limit == whole)
                    assert_int_equal(c.batches, 1);
                most_batches = c.batches > most_batches ? c.batches : most_batches;
            }
    assert_true(most_batches > ds->n / 2); /* some of them one row long */
    eb_dataset_free(ds);
}

static void an_expected_size_saves_the_vain_attempts(void **state)
{
    (void)state;
    eb_dataset *ds = naive_points(200, 2, 40, 2);
    uint64_t truth = naive_pairs(ds, 10);
    eb_join_plan plan = {.eps = 10,
                         .distances = true,
                         .memory_limit = eb_neighbours_build_bytes(200, truth, true) / 8,
                         .expected_pairs = truth};
    checker c = {.batches = 0};
    eb_join_result result;
    eb_status status;
    memset(&naive_trouble, 0, sizeof naive_trouble);
    assert_int_equal(run(ds, &naive_engine, &plan, &c, NULL, &result, &status), EB_OK);
    assert_int_equal(result.pairs, truth);
    assert_true(naive_trouble.joins <= c.batches + 3);
    assert_int_equal(naive_trouble.counts, 0); /* and nothing is counted that is joined anyway */
    eb_dataset_free(ds);
}

static void small_and_extreme_sets(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        unsigned spread;
        double eps;
    } cases[] = {{1, 5, 0}, {1, 5, 1e300}, {2, 1, 0}, {3, 100, 0}, {80, 1, 0}, {80, 50, 1e300}, {80, 1000000, 0.5}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        eb_dataset *ds = naive_points(cases[k].n, 1, cases[k].spread, k);
        for (uint64_t limit = 0; limit <= 4000; limit += 4000) {
            eb_join_plan plan = {.eps = cases[k].eps, .distances = true, .memory_limit = limit};
            checker c = {.batches = 0};
            eb_join_result result;
            eb_status status;
            assert_int_equal(run(ds, &naive_engine, &plan, &c, NULL, &result, &status), EB_OK);
            assert_int_equal(result.pairs, naive_pairs(ds, cases[k].eps));
            assert_true(c.batches == 1 || limit);
        }
        eb_dataset_free(ds);
    }
}

static void a_row_that_does_not_fit_is_named(void **state)
{
    (void)state;
    eb_dataset *ds = naive_points(64, 1, 1, 1);
    eb_join_plan plan = {.eps = 1, .distances = true, .memory_limit = 100};
    checker c = {.batches = 0};
    eb_join_result result;
    eb_status status;
    assert_int_equal(run(ds, &naive_engine, &plan, &c, NULL, &result, &status), EB_NO_MEMORY);
    assert_non_null(strstr(status.message, "rows 0 to 1 "));
    assert_non_null(strstr(status.message, "100 bytes"));
    assert_int_equal(c.batches, 0);

    plan = (eb_join_plan){.eps = 1,
                          .distances = true,
                          .memory_limit = 10000,
                          .whole = true}; /* no halving when asked not to */
    memset(&naive_trouble, 0, sizeof naive_trouble);
    assert_int_equal(run(ds, &naive_engine, &plan, &c, NULL, &result, &status), EB_NO_MEMORY);
    assert_int_equal(naive_trouble.joins, 1);
    eb_dataset_free(ds);
}

static void failures_pass_through(void **state)
{
    (void)state;
    eb_dataset *ds = naive_points(100, 2, 20, 9);
    eb_join_plan plan = {.eps = 8, .distances = true, .memory_limit = 12000};
    eb_join_result result = {.pairs = 77};
    eb_status status;

    memset(&naive_trouble, 0, sizeof naive_trouble);
    naive_trouble.fail_after_hits = 150;
    checker c = {.batches = 0};
    assert_int_equal(run(ds, &naive_engine, &plan, &c, NULL, &result, &status), EB_INTERNAL);
    assert_non_null(strstr(status.message, "told to fail"));

    memset(&naive_trouble, 0, sizeof naive_trouble);
    c = (checker){.refuse_at = 2};
    assert_int_equal(run(ds, &naive_engine, &plan, &c, NULL, &result, &status), EB_IO);
    assert_string_equal(status.message, "refused");
    assert_int_equal(c.batches, 2);
    assert_int_equal(result.pairs, 77); /* untouched: there is no result */
    eb_dataset_free(ds);
}

/* An engine that drops one direction between batches: each batch is consistent, the whole is not. */
static eb_code one_sided_join(void *engine_state, double eps, size_t row_begin, size_t row_end, const eb_sink *sink,
                              eb_job *job, eb_timing *timing, eb_status *status)
{
    (void)engine_state;
    (void)eps;
    (void)row_end;
    (void)job;
    (void)timing;
    eb_hit hit = {.i = 0, .j = 9, .s = 1};
    return row_begin == 0 ? sink->hits(sink->context, 0, &hit, 1, status) : EB_OK;
}

static eb_code drain_batch(void *context, eb_neighbours *batch, eb_status *status)
{
    (void)context;
    (void)status;
    eb_neighbours_free(batch);
    return EB_OK;
}

static void a_pair_dropped_between_batches_is_an_error(void **state)
{
    (void)state;
    eb_engine one_sided = naive_engine;
    one_sided.join = one_sided_join;
    eb_timing timing = eb_timing_none();
    eb_dataset *ds = naive_points(10, 1, 100000, 4); /* distinct points, ε = 0: only self pairs are true */
    eb_join_plan plan = {.eps = 0, .distances = false, .memory_limit = 720};
    eb_join_result result;
    eb_status status;
    assert_int_equal(eb_join_run(&one_sided, NULL, ds->n, &one_thread, &plan, drain_batch, NULL, NULL, &timing, &result,
                                 &status),
                     EB_INTERNAL);
    assert_non_null(strstr(status.message, "odd"));
    eb_dataset_free(ds);
}

static eb_code join_and_be_cancelled(eb_job *job, void *argument, eb_status *status)
{
    eb_join_plan plan = {.eps = 8, .distances = true, .memory_limit = 12000, .expected_pairs = 5000};
    checker *c = argument;
    eb_join_result result;
    naive_trouble.job_to_cancel = job;
    return run(c->ds, &naive_engine, &plan, c, job, &result, status);
}

static void a_cancel_between_batches_keeps_what_was_handed_on(void **state)
{
    (void)state;
    eb_dataset *ds = naive_points(150, 2, 20, 9);
    memset(&naive_trouble, 0, sizeof naive_trouble);
    naive_trouble.cancel_after_joins = 4;
    checker c = {.ds = ds};
    eb_job *job;
    eb_status status;
    assert_int_equal(eb_job_start(join_and_be_cancelled, &c, &job, &status), EB_OK);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    assert_true(c.batches > 0 && c.batches < 4 && c.next_row > 0 && c.next_row < ds->n);
    assert_int_equal(naive_trouble.opens, naive_trouble.closes);
    eb_dataset_free(ds);
    memset(&naive_trouble, 0, sizeof naive_trouble);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_of_any_size_make_the_whole),
        cmocka_unit_test(an_expected_size_saves_the_vain_attempts),
        cmocka_unit_test(small_and_extreme_sets),
        cmocka_unit_test(a_row_that_does_not_fit_is_named),
        cmocka_unit_test(failures_pass_through),
        cmocka_unit_test(a_pair_dropped_between_batches_is_an_error),
        cmocka_unit_test(a_cancel_between_batches_keeps_what_was_handed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
