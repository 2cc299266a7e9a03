/* measure: trials, the observer, tables within their limit, and what is left after a cancel or a failure. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/study/measure.h"
#include "tests/unit/naive_engine.h"
#include "tests/unit/naive_points.h"

typedef struct diary {
    unsigned started, trials, ended;
    eb_run_state last_state;
} diary;

static void on_start(void *context, const eb_run *run)
{
    diary *d = context;
    d->started++;
    assert_int_equal(run->state, EB_RUN_RUNNING);
    assert_int_equal(run->trials_done, 0);
}

static void on_trial(void *context, const eb_run *run, unsigned trial, const eb_timing *timing)
{
    diary *d = context;
    assert_int_equal(trial, d->trials++);
    assert_int_equal(run->trials_done, trial + 1);
    assert_true(timing->total_s > 0 && timing->kernel_s > 0 && timing->kernel_s <= timing->total_s);
    assert_true(run->pairs >= run->n);
}

static void on_end(void *context, const eb_run *run)
{
    diary *d = context;
    d->ended++;
    d->last_state = run->state;
}

static const eb_device cpu = {.kind = EB_DEVICE_CPU, .name = "cpu"};

static eb_measure_request request_for(const eb_dataset *ds, eb_run_mode mode)
{
    memset(&naive_trouble, 0, sizeof naive_trouble);
    return (eb_measure_request){.engine = &naive_engine,
                                .device = &cpu,
                                .dataset = ds,
                                .options = {.threads = 1},
                                .eps = 8,
                                .mode = mode,
                                .trials = 3,
                                .warm_up = true};
}

static eb_run_observer observer_of(diary *d)
{
    return (eb_run_observer){.context = d, .started = on_start, .trial = on_trial, .ended = on_end};
}

static void counting_runs_every_trial_end_to_end(void **state)
{
    (void)state;
    eb_dataset *ds = naive_points(60, 2, 20, 1);
    eb_measure_request q = request_for(ds, EB_RUN_COUNT);
    diary d = {0};
    eb_run_observer observer = observer_of(&d);
    eb_run run;
    eb_status status;
    assert_int_equal(eb_measure(&q, &observer, NULL, &run, &status), EB_OK);
    assert_int_equal(run.state, EB_RUN_DONE);
    assert_int_equal(run.pairs, naive_pairs(ds, 8));
    assert_true(d.started == 1 && d.trials == 3 && d.ended == 1 && d.last_state == EB_RUN_DONE);
    assert_true(naive_trouble.opens == 4 && naive_trouble.closes == 4 && naive_trouble.counts == 4);
    assert_true(run.n == 60 && run.d == 2 && run.eps == 8 && run.trials_wanted == 3 && run.trials_done == 3);
    assert_string_equal(run.note, "naive, one thread");
    assert_null(run.table);
    for (unsigned k = 0; k < 3; k++)
        assert_true(isnan(run.trials[k].table_s) && isnan(run.trials[k].upload_s));
    eb_run_free(&run);

    q = request_for(ds, EB_RUN_COUNT); /* alone, unobserved */
    q.trials = 1;
    q.warm_up = false;
    assert_int_equal(eb_measure(&q, NULL, NULL, &run, &status), EB_OK);
    assert_int_equal(naive_trouble.opens, 1);
    eb_run_free(&run);
    eb_dataset_free(ds);
}

static void assert_is_full_table(const eb_run *run, const eb_dataset *ds)
{
    assert_non_null(run->table);
    assert_int_equal(run->table->rows, ds->n);
    assert_int_equal(run->table->offsets[ds->n], run->pairs);
    assert_int_equal(run->pairs, naive_pairs(ds, run->eps));
    for (size_t i = 0; i < ds->n; i++)
        for (uint64_t k = run->table->offsets[i]; k < run->table->offsets[i + 1]; k++) {
            assert_true(run->table->distances[k] == sqrt(eb_truth_distance2(ds, i, run->table->columns[k])));
            assert_true(k == run->table->offsets[i] || run->table->columns[k - 1] < run->table->columns[k]);
        }
}

static void tables_come_whole_in_batches_or_not_at_all(void **state)
{
    (void)state;
    eb_dataset *ds = naive_points(150, 2, 20, 3);
    uint64_t pairs = naive_pairs(ds, 8);
    uint64_t table = eb_neighbours_bytes(150, pairs, true), build = eb_neighbours_build_bytes(150, pairs, true);
    eb_run run;
    eb_status status;
    for (int warm_up = 0; warm_up <= 1; warm_up++) {
        uint64_t enough[] = {0, build + 4096, 2 * (build + 4096)};
        for (size_t k = 0; k < 3; k++) {
            eb_measure_request q = request_for(ds, EB_RUN_TABLE);
            q.table_limit = enough[k];
            q.warm_up = warm_up;
            assert_int_equal(eb_measure(&q, NULL, NULL, &run, &status), EB_OK);
            assert_int_equal(run.batches, 1);
            assert_int_equal(run.mode, EB_RUN_TABLE);
            assert_int_equal(naive_trouble.counts, 0);
            assert_true(run.trials[0].table_s >= 0);
            assert_is_full_table(&run, ds);
            eb_run_free(&run);
        }

        eb_measure_request q = request_for(ds, EB_RUN_TABLE); /* the table fits, building it in one piece does not */
        q.table_limit = table + table / 4;
        q.warm_up = warm_up;
        assert_int_equal(eb_measure(&q, NULL, NULL, &run, &status), EB_OK);
        assert_true(run.batches > 1);
        assert_int_equal(naive_trouble.counts, 1); /* once, to learn that */
        assert_is_full_table(&run, ds);
        eb_run_free(&run);

        uint64_t too_small[] = {table + 100, table - 1, 1};
        for (size_t k = 0; k < 3; k++) {
            q = request_for(ds, EB_RUN_TABLE);
            q.table_limit = too_small[k];
            q.warm_up = warm_up;
            assert_int_equal(eb_measure(&q, NULL, NULL, &run, &status), EB_OK);
            assert_null(run.table);
            assert_int_equal(run.mode, EB_RUN_COUNT);
            assert_int_equal(run.pairs, pairs);
            assert_true(run.trials_done == 3 && run.state == EB_RUN_DONE && run.batches == 0);
            assert_non_null(strstr(run.note, "naive, one thread; counted only: the neighbour table takes"));
            eb_run_free(&run);
        }
        assert_int_equal(naive_trouble.opens, naive_trouble.closes);
    }
    eb_dataset_free(ds);
}

static void one_point_alone(void **state)
{
    (void)state;
    eb_dataset *ds = naive_points(1, 1, 5, 0);
    eb_measure_request q = request_for(ds, EB_RUN_TABLE);
    eb_run run;
    eb_status status;
    q.eps = 0;
    assert_int_equal(eb_measure(&q, NULL, NULL, &run, &status), EB_OK);
    assert_int_equal(run.pairs, 1);
    assert_is_full_table(&run, ds);
    eb_run_free(&run);
    eb_dataset_free(ds);
}

/* ---- cancel and failure ---- */

typedef struct errand {
    const eb_measure_request *request;
    const eb_run_observer *observer;
    eb_run *run;
} errand;

static eb_code measure_as_job(eb_job *job, void *argument, eb_status *status)
{
    errand *e = argument;
    naive_trouble.job_to_cancel = job;
    return eb_measure(e->request, e->observer, job, e->run, status);
}

static void a_cancel_keeps_finished_trials_and_their_table(void **state)
{
    (void)state;
    eb_dataset *ds = naive_points(60, 2, 20, 1);
    uint64_t build = eb_neighbours_build_bytes(60, naive_pairs(ds, 8), true) + 4096;
    /* One limit has room for the earlier table beside the one being built, the other has not. */
    uint64_t limits[] = {0, 2 * build, build};
    for (size_t k = 0; k < 3; k++) {
        eb_measure_request q = request_for(ds, EB_RUN_TABLE);
        q.table_limit = limits[k];
        naive_trouble.cancel_after_joins = 4; /* warm-up, two trials, and in the third */
        diary d = {0};
        eb_run_observer observer = observer_of(&d);
        eb_run run;
        errand e = {.request = &q, .observer = &observer, .run = &run};
        eb_job *job;
        eb_status status;
        assert_int_equal(eb_job_start(measure_as_job, &e, &job, &status), EB_OK);
        assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
        assert_int_equal(run.state, EB_RUN_PARTIAL);
        assert_true(run.trials_done == 2 && d.trials == 2 && d.ended == 1 && d.last_state == EB_RUN_PARTIAL);
        assert_int_equal(run.pairs, naive_pairs(ds, 8));
        if (k < 2)
            assert_is_full_table(&run, ds);
        else
            assert_null(run.table);
        assert_int_equal(naive_trouble.opens, naive_trouble.closes);
        eb_run_free(&run);
    }
    eb_dataset_free(ds);
}

static eb_code unsteady_count(void *engine_state, double eps, eb_job *job, eb_timing *timing, uint64_t *pairs,
                              eb_status *status)
{
    eb_code code = naive_count(engine_state, eps, job, timing, pairs, status);
    *pairs += naive_trouble.counts == 3 ? 2 : 0;
    return code;
}

static void trials_that_disagree_are_an_error(void **state)
{
    (void)state;
    eb_dataset *ds = naive_points(60, 2, 20, 1);
    eb_engine unsteady = naive_engine;
    unsteady.count = unsteady_count;
    eb_measure_request q = request_for(ds, EB_RUN_COUNT);
    q.engine = &unsteady;
    eb_run run;
    eb_status status;
    assert_int_equal(eb_measure(&q, NULL, NULL, &run, &status), EB_INTERNAL);
    assert_non_null(strstr(status.message, "before"));
    assert_int_equal(run.state, EB_RUN_FAILED);
    assert_int_equal(run.trials_done, 1); /* the warm-up agreed with it */
    assert_int_equal(naive_trouble.opens, naive_trouble.closes);
    eb_run_free(&run);
    eb_dataset_free(ds);
}

static void an_engine_that_fails_midway(void **state)
{
    (void)state;
    eb_dataset *ds = naive_points(60, 2, 20, 1);
    eb_measure_request q = request_for(ds, EB_RUN_TABLE);
    naive_trouble.fail_after_hits = 20;
    diary d = {0};
    eb_run_observer observer = observer_of(&d);
    eb_run run;
    eb_status status;
    assert_int_equal(eb_measure(&q, &observer, NULL, &run, &status), EB_INTERNAL);
    assert_true(d.started == 1 && d.trials == 0 && d.ended == 1 && d.last_state == EB_RUN_FAILED);
    assert_true(run.trials_done == 0 && !run.table);
    assert_int_equal(naive_trouble.opens, naive_trouble.closes);
    eb_run_free(&run);
    eb_dataset_free(ds);
}

static eb_code greedy_open(const eb_device *device, const eb_dataset *ds, const eb_engine_options *options, eb_job *job,
                           eb_timing *timing, void **engine_state, eb_status *status)
{
    (void)device, (void)ds, (void)options, (void)job, (void)timing, (void)engine_state;
    return eb_fail_memory(status, "everything", 1);
}

static void bad_requests(void **state)
{
    (void)state;
    eb_dataset *ds = naive_points(60, 2, 20, 1);
    eb_run run;
    eb_status status;
    diary d = {0};
    eb_run_observer observer = observer_of(&d);
    double wrong[] = {-1, (double)NAN};
    for (size_t k = 0; k < 2; k++) {
        eb_measure_request q = request_for(ds, EB_RUN_COUNT);
        q.eps = wrong[k];
        assert_int_equal(eb_measure(&q, &observer, NULL, &run, &status), EB_USAGE);
        eb_run_free(&run);
    }
    unsigned trials[] = {0, EB_MAX_TRIALS + 1};
    for (size_t k = 0; k < 2; k++) {
        eb_measure_request q = request_for(ds, EB_RUN_COUNT);
        q.trials = trials[k];
        assert_int_equal(eb_measure(&q, &observer, NULL, &run, &status), EB_USAGE);
        eb_run_free(&run);
    }
    eb_measure_request q = request_for(ds, EB_RUN_COUNT);
    eb_device gpu = {.kind = EB_DEVICE_CUDA, .name = "cuda:0"};
    q.device = &gpu;
    assert_int_equal(eb_measure(&q, &observer, NULL, &run, &status), EB_NO_DEVICE);
    assert_true(run.state == EB_RUN_FAILED && d.started == 0 && d.ended == 0);
    eb_run_free(&run);

    q = request_for(ds, EB_RUN_TABLE); /* no memory for the points themselves: no way down helps */
    eb_engine greedy = naive_engine;
    greedy.open = greedy_open;
    q.engine = &greedy;
    assert_int_equal(eb_measure(&q, NULL, NULL, &run, &status), EB_NO_MEMORY);
    assert_non_null(strstr(status.message, "everything"));
    eb_run_free(&run);
    eb_dataset_free(ds);
}

static void rates(void **state)
{
    (void)state;
    assert_true(eb_selectivity(260000, 4000) == 64);
    assert_true(eb_selectivity(1, 1) == 0);
    assert_true(eb_derived_flops(1000, 10, 2) == 1e7);
    assert_true(isnan(eb_derived_flops(1000, 10, 0)) && isnan(eb_derived_flops(1000, 10, (double)NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counting_runs_every_trial_end_to_end),
        cmocka_unit_test(tables_come_whole_in_batches_or_not_at_all),
        cmocka_unit_test(one_point_alone),
        cmocka_unit_test(a_cancel_keeps_finished_trials_and_their_table),
        cmocka_unit_test(trials_that_disagree_are_an_error),
        cmocka_unit_test(an_engine_that_fails_midway),
        cmocka_unit_test(bad_requests),
        cmocka_unit_test(rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
