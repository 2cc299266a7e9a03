/* measure: trials and their figures, the observer, tables within their limit, and what remains after a cancel or a
 * failure. */
#include <math.h>

#include "core/experiment/measure.h"
#include "tests/unit/naive_engine.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/test.h"

typedef struct diary {
    unsigned started, trials, ended;
    eb_run_state last_state;
} diary;

static void on_start(void *context, eb_run *run)
{
    diary *d = context;
    d->started++;
    assert_int_equal(run->state, EB_RUN_RUNNING);
    assert_int_equal(run->trials_done, 0);
}

static double figure(const eb_run *run, unsigned trial, const char *key)
{
    return eb_figures_value(&run->trials[trial], key);
}

static void on_trial(void *context, const eb_run *run, unsigned trial)
{
    diary *d = context;
    double total = figure(run, trial, "total_s"), kernel = figure(run, trial, "kernel_s");
    assert_int_equal(trial, d->trials++);
    assert_int_equal(run->trials_done, trial + 1);
    assert_true(total > 0 && kernel > 0 && kernel <= total);
    assert_true(run->pairs >= run->n);
}

static void on_end(void *context, const eb_run *run)
{
    diary *d = context;
    d->ended++;
    d->last_state = run->state;
}

static eb_measure_request request_for(const eb_dataset *ds, eb_run_mode mode)
{
    memset(&naive_trouble, 0, sizeof naive_trouble);
    return (eb_measure_request){.setup = &naive_setup,
                                .problem = eb_self_join(ds),
                                .eps = 8,
                                .mode = mode,
                                .trials = 3,
                                .warm_up = EB_WARM_UP_FULL,
                                .distances = EB_DISTANCES_F64};
}

static eb_run_observer observer_of(diary *d)
{
    return (eb_run_observer){.context = d, .started = on_start, .trial = on_trial, .ended = on_end};
}

TEST(counting_runs_every_trial_end_to_end)
{
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
    for (unsigned k = 0; k < 3; k++) {
        assert_true(isnan(figure(&run, k, "table_s")) && isnan(figure(&run, k, "upload_s")));
        assert_true(figure(&run, k, "setup_s") >= 0); /* the parts leave nothing out and count nothing twice */
        assert_true(eb_figures_parts(&run.trials[k]) <= figure(&run, k, "total_s"));
    }
    eb_run_free(&run);

    q = request_for(ds, EB_RUN_COUNT); /* one trial, no warm-up, no observer */
    q.trials = 1;
    q.warm_up = EB_WARM_UP_NONE;
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
            double distance = sqrt(eb_truth_distance2(ds, i, run->table->columns[k]));
            if (run->table->kept == EB_DISTANCES_F64)
                assert_true(run->table->distances[k] == distance);
            else if (run->table->kept == EB_DISTANCES_F32)
                assert_true(run->table->distances32[k] == (float)distance);
            assert_true(k == run->table->offsets[i] || run->table->columns[k - 1] < run->table->columns[k]);
        }
}

TEST(tables_come_whole_in_batches_or_not_at_all)
{
    eb_dataset *ds = naive_points(150, 2, 20, 3);
    uint64_t pairs = naive_pairs(ds, 8);
    uint64_t table = eb_neighbours_bytes(150, pairs, EB_DISTANCES_F64),
             build = eb_neighbours_build_bytes(150, pairs, EB_DISTANCES_F64);
    eb_run run;
    eb_status status;
    for (int warm_up = 0; warm_up <= 1; warm_up++) {
        uint64_t enough[] = {0, build + 4096, 2 * (build + 4096)};
        for (size_t k = 0; k < 3; k++) {
            eb_measure_request q = request_for(ds, EB_RUN_TABLE);
            q.memory = (eb_budget){.limit = enough[k], .tables = enough[k]};
            q.warm_up = warm_up ? EB_WARM_UP_FULL : EB_WARM_UP_NONE;
            assert_int_equal(eb_measure(&q, NULL, NULL, &run, &status), EB_OK);
            assert_int_equal(run.batches, 1);
            assert_int_equal(run.mode, EB_RUN_TABLE);
            assert_int_equal(naive_trouble.counts, 0);
            assert_true(figure(&run, 0, "table_s") >= 0);
            assert_is_full_table(&run, ds);
            eb_run_free(&run);
        }

        eb_measure_request q = request_for(ds, EB_RUN_TABLE); /* the table fits, building it in one piece not */
        q.memory = (eb_budget){.limit = table + table / 4, .tables = table + table / 4};
        q.warm_up = warm_up ? EB_WARM_UP_FULL : EB_WARM_UP_NONE;
        assert_int_equal(eb_measure(&q, NULL, NULL, &run, &status), EB_OK);
        assert_true(run.batches > 1);
        assert_int_equal(naive_trouble.counts, 1); /* once, to learn |R| */
        assert_is_full_table(&run, ds);
        eb_run_free(&run);

        uint64_t too_small[] = {table + 100, table - 1, 1};
        for (size_t k = 0; k < 3; k++) {
            q = request_for(ds, EB_RUN_TABLE);
            q.memory = (eb_budget){.limit = too_small[k], .tables = too_small[k]};
            q.warm_up = warm_up ? EB_WARM_UP_FULL : EB_WARM_UP_NONE;
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

/* Each kind of distances in one piece, in batches, and just too large. */
TEST(the_limit_goes_by_what_is_kept)
{
    eb_engine rough = naive_engine;
    rough.exactness = EB_APPROXIMATE;
    rough.f32_distances = true;
    eb_setup setup = naive_setup_of(&rough);
    eb_dataset *ds = naive_points(150, 2, 20, 3);
    uint64_t pairs = naive_pairs(ds, 8);
    for (int kind = 0; kind <= 2; kind++) {
        eb_distances kept = (eb_distances)kind;
        uint64_t table = eb_neighbours_bytes(150, pairs, kept);
        uint64_t limits[] = {0, eb_neighbours_build_bytes(150, pairs, kept) + 4096, table + table / 4, table - 1};
        for (size_t k = 0; k < 4; k++) {
            eb_measure_request q = request_for(ds, EB_RUN_TABLE);
            eb_run run;
            eb_status status;
            q.setup = &setup;
            q.distances = kept;
            q.memory = (eb_budget){.limit = limits[k], .tables = limits[k]};
            assert_int_equal(eb_measure(&q, NULL, NULL, &run, &status), EB_OK);
            assert_int_equal(run.distances, kept);
            assert_int_equal(run.mode, k < 3 ? EB_RUN_TABLE : EB_RUN_COUNT);
            assert_true(k < 2 ? run.batches == 1 : k == 2 ? run.batches > 1 : run.batches == 0);
            if (k == 3) /* a table without distances would have fitted */
                assert_int_equal(strstr(run.note, "; one without distances would fit") != NULL,
                                 kept != EB_DISTANCES_NONE);
            if (k < 3) {
                assert_int_equal(run.table->kept, kept);
                assert_is_full_table(&run, ds);
            }
            eb_run_free(&run);
        }
    }
    eb_dataset_free(ds);
}

TEST(fp32_is_for_engines_that_compute_in_it)
{
    eb_dataset *ds = naive_points(20, 2, 20, 3);
    eb_measure_request q = request_for(ds, EB_RUN_TABLE);
    eb_run run;
    eb_status status;
    q.distances = EB_DISTANCES_F32;
    assert_int_equal(eb_measure(&q, NULL, NULL, &run, &status), EB_USAGE);
    assert_string_equal(status.message, "naive computes distances in FP64, and keeping them in FP32 would round them: "
                                        "distances must be none or f64; found f32");
    assert_int_equal(naive_trouble.opens, 0);
    eb_run_free(&run);
    eb_dataset_free(ds);
}

TEST(distances_go_by_names)
{
    for (eb_distances kept = EB_DISTANCES_NONE; kept <= EB_DISTANCES_F32; kept++)
        assert_int_equal(eb_distances_find(eb_distances_name(kept)), kept);
    assert_int_equal(eb_distances_find(NULL), EB_DISTANCES_F64);
    assert_int_equal(eb_distances_find("f6"), EB_DISTANCES_F64);
    assert_int_equal(eb_distances_find("none of them"), EB_DISTANCES_F64);
}

TEST(one_point_alone)
{
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

TEST(a_cancel_keeps_finished_trials_and_their_table)
{
    eb_dataset *ds = naive_points(60, 2, 20, 1);
    uint64_t build = eb_neighbours_build_bytes(60, naive_pairs(ds, 8), EB_DISTANCES_F64) + 4096;
    /* One limit has room for the earlier table beside the new one, the other has not. */
    uint64_t limits[] = {0, 2 * build, build};
    for (size_t k = 0; k < 3; k++) {
        eb_measure_request q = request_for(ds, EB_RUN_TABLE);
        q.memory = (eb_budget){.limit = limits[k], .tables = limits[k]};
        naive_trouble.cancel_after_joins = 4; /* warm-up, two trials, and a cancel in the third */
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

/* The naive setup with another implementation. */
static eb_setup running(const eb_implementation *run)
{
    eb_setup setup = naive_setup;
    setup.run = run;
    return setup;
}

static eb_code unsteady_count(void *engine_state, const eb_question *question, const eb_share *share, uint64_t *entries,
                              eb_status *status)
{
    eb_code failed = naive_count(engine_state, question, share, entries, status);
    *entries += naive_trouble.counts == 3 ? 2 : 0;
    return failed;
}

TEST(trials_that_disagree_are_an_error)
{
    eb_dataset *ds = naive_points(60, 2, 20, 1);
    eb_implementation unsteady = naive_cpu;
    unsteady.count = unsteady_count;
    eb_setup setup = running(&unsteady);
    eb_measure_request q = request_for(ds, EB_RUN_COUNT);
    q.setup = &setup;
    eb_run run;
    eb_status status;
    assert_int_equal(eb_measure(&q, NULL, NULL, &run, &status), EB_INTERNAL);
    assert_non_null(strstr(status.message, "before"));
    assert_int_equal(run.state, EB_RUN_FAILED);
    assert_int_equal(run.trials_done, 1); /* the warm-up found the same |R| */
    assert_int_equal(naive_trouble.opens, naive_trouble.closes);
    eb_run_free(&run);
    eb_dataset_free(ds);
}

TEST(an_engine_that_fails_midway)
{
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

static eb_code greedy_open(const eb_problem *problem, const eb_context *context, void **engine_state, eb_status *status)
{
    (void)problem, (void)context, (void)engine_state;
    return eb_fail_memory(status, "everything", 1);
}

TEST(bad_requests)
{
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
    assert_true(run.state == EB_RUN_FAILED && d.started == 0 && d.ended == 0 && naive_trouble.opens == 0);

    eb_measure_request q = request_for(ds, EB_RUN_TABLE); /* no memory for the points: no other way helps */
    eb_implementation greedy = naive_cpu;
    greedy.open = greedy_open;
    eb_setup setup = running(&greedy);
    q.setup = &setup;
    assert_int_equal(eb_measure(&q, NULL, NULL, &run, &status), EB_NO_MEMORY);
    assert_non_null(strstr(status.message, "everything"));
    eb_run_free(&run);
    eb_dataset_free(ds);
}

/* ---- warm-ups ---- */

TEST(a_part_of_the_tiles_warms_up)
{
    eb_dataset *ds = naive_points(150, 2, 20, 3);
    for (eb_run_mode mode = EB_RUN_COUNT; mode <= EB_RUN_TABLE; mode++) {
        eb_measure_request q = request_for(ds, mode);
        q.warm_up = EB_WARM_UP_PART;
        eb_run run;
        eb_status status;
        assert_int_equal(eb_measure(&q, NULL, NULL, &run, &status), EB_OK);
        assert_int_equal(run.warm_up, EB_WARM_UP_PART);
        assert_true(run.warm_up_s > 0);
        assert_non_null(strstr(run.note, "warmed up with the whole pass, counted only")); /* few points: soon done */
        assert_int_equal(run.pairs, naive_pairs(ds, 8));
        assert_true(naive_trouble.joins == (mode == EB_RUN_TABLE ? 3 : 0) && naive_trouble.opens == 4);
        assert_int_equal(naive_trouble.opens, naive_trouble.closes);
        eb_run_free(&run);

        eb_measure_request none = request_for(ds, mode);
        none.warm_up = EB_WARM_UP_NONE;
        assert_int_equal(eb_measure(&none, NULL, NULL, &run, &status), EB_OK);
        assert_true(run.warm_up == EB_WARM_UP_NONE && naive_trouble.opens == 3 && !strstr(run.note, "warm"));
        eb_run_free(&run);
    }
    eb_dataset_free(ds);
}

/* Thirds of coordinates are not whole numbers: FP64 rounds their differences. */
TEST(a_part_does_not_tell_what_fp64_leaves_open)
{
    eb_dataset *ds = naive_points(150, 2, 20, 3);
    float *values = ds->owner;
    for (size_t k = 0; k < 300; k++)
        values[k] = values[k] / 3 + ldexpf(values[k], -20) / 7;
    const eb_warm_up warm_up[] = {EB_WARM_UP_PART, EB_WARM_UP_FULL, EB_WARM_UP_AUTO};
    for (size_t k = 0; k < 3; k++) {
        eb_measure_request q = request_for(ds, EB_RUN_TABLE);
        q.warm_up = warm_up[k];
        eb_run run;
        eb_status status;
        assert_int_equal(eb_measure(&q, NULL, NULL, &run, &status), EB_OK);
        assert_int_equal(run.warm_up, k == 0 ? EB_WARM_UP_PART : EB_WARM_UP_FULL); /* small data: a whole pass */
        assert_true(isnan(figure(&run, 0, "undecided_missed")) == (k == 0));
        assert_true((strstr(run.note, "were not counted; warmup=full counts them") != NULL) == (k == 0));
        eb_run_free(&run);
    }
    eb_dataset_free(ds);
}

/* Seconds of a pass by the kernel's figure; the pass finds nothing. */
static double slow_pass_s;

static eb_code slow_count(void *engine_state, const eb_question *question, const eb_share *share, uint64_t *entries,
                          eb_status *status)
{
    (void)question, (void)status;
    const naive_state *naive = engine_state;
    naive_trouble.counts++;
    eb_figures_add(naive->context->figures, &eb_figure_kernel, slow_pass_s / share->parts);
    *entries = share->part == 0 ? naive->problem->left->n : 0;
    return EB_OK;
}

TEST(short_passes_are_done_whole)
{
    static const struct {
        double pass_s;
        eb_warm_up done;
        unsigned counts;
    } cases[] = {{0.49, EB_WARM_UP_FULL, 1 + 2}, {30, EB_WARM_UP_PART, 13 + 1}};
    eb_dataset *ds = naive_points(40000, 64, 20, 3); /* large enough to be estimated */
    eb_implementation slow = naive_cpu;
    slow.count = slow_count;
    eb_setup setup = running(&slow);
    for (size_t k = 0; k < 2; k++) {
        eb_measure_request q = request_for(ds, EB_RUN_COUNT);
        q.setup = &setup;
        q.trials = 1;
        q.warm_up = EB_WARM_UP_AUTO;
        slow_pass_s = cases[k].pass_s;
        eb_run run;
        eb_status status;
        assert_int_equal(eb_measure(&q, NULL, NULL, &run, &status), EB_OK);
        assert_int_equal(run.warm_up, cases[k].done);
        assert_int_equal(naive_trouble.counts, cases[k].counts);
        assert_int_equal(naive_trouble.opens, naive_trouble.closes);
        eb_run_free(&run);
    }
    eb_dataset_free(ds);
}

TEST(warm_ups_go_by_names)
{
    for (eb_warm_up k = EB_WARM_UP_NONE; k <= EB_WARM_UP_AUTO; k++) {
        assert_int_equal(eb_warm_up_of(eb_warm_up_name(k)), k);
        assert_non_null(strstr(EB_WARM_UPS, eb_warm_up_name(k)));
    }
    assert_int_equal(eb_warm_up_of(NULL), EB_WARM_UP_AUTO);
    assert_int_equal(eb_warm_up_of("often"), EB_WARM_UP_AUTO);
}

/* ---- figures of an engine's own ---- */

static const eb_figure sorting = {"sort_s", "sorting", EB_SECONDS, EB_FIGURE_PART, 0};
static const eb_figure leaves = {"leaves", "leaves of the index", EB_PLAIN, EB_FIGURE_FACT, 0};
static const eb_figure rare = {"rare_bytes", "spilled", EB_BYTES, EB_FIGURE_FACT, 0};

/* An engine that reports two sorts of an eighth of a second each, and as many leaves as it was opened before. Only the
 * second trial (after the warm-up) spills. */
static eb_code figured_open(const eb_problem *problem, const eb_context *context, void **engine_state,
                            eb_status *status)
{
    eb_figures_add(context->figures, &sorting, 0.125);
    eb_figures_set(context->figures, &leaves, 77);
    eb_figures_set(context->figures, &leaves, (double)naive_trouble.opens);
    eb_figures_add(context->figures, &sorting, 0.125);
    if (naive_trouble.opens == 2)
        eb_figures_set(context->figures, &rare, 4096);
    return naive_open(problem, context, engine_state, status);
}

static void assert_is_figure(const eb_figure *found, const eb_figure *expected, double value)
{
    assert_string_equal(found->key, expected->key);
    assert_string_equal(found->title, expected->title);
    assert_true(found->unit == expected->unit && found->role == expected->role && found->value == value);
}

static eb_run run_figured(const eb_dataset *ds, eb_run_mode mode)
{
    eb_implementation figured = naive_cpu;
    figured.open = figured_open;
    eb_setup setup = running(&figured);
    eb_measure_request q = request_for(ds, mode);
    q.setup = &setup;
    eb_run run;
    eb_status status;
    assert_int_equal(eb_measure(&q, NULL, NULL, &run, &status), EB_OK);
    return run;
}

TEST(an_engines_own_figures_are_kept_of_every_trial)
{
    eb_dataset *ds = naive_points(30, 2, 20, 1);
    for (eb_run_mode mode = EB_RUN_COUNT; mode <= EB_RUN_TABLE; mode++) {
        eb_run run = run_figured(ds, mode);
        for (unsigned k = 0; k < 3; k++) {
            assert_is_figure(eb_figures_find(&run.trials[k], "sort_s"), &sorting, 0.25);
            assert_is_figure(eb_figures_find(&run.trials[k], "leaves"), &leaves, k + 1);
            assert_true(figure(&run, k, "kernel_s") >= 0 && figure(&run, k, "total_s") > 0);
            assert_true(figure(&run, k, "executed_flops") == 2.0 * 30 * 29 / 2 * 2);
        }
        assert_true(figure(&run, 1, "rare_bytes") == 4096);
        assert_true(!eb_figures_find(&run.trials[0], "rare_bytes") && !eb_figures_find(&run.trials[2], "rare_bytes"));
        eb_run_free(&run);
    }
    eb_dataset_free(ds);
}

TEST(figures_of_trials_are_read_by_key_and_in_order)
{
    static const char *const keys[] = {"sort_s",  "leaves",      "kernel_s",        "executed_flops",   "setup_s",
                                       "total_s", "truth_error", "undecided_found", "undecided_missed", "rare_bytes"};
    eb_dataset *ds = naive_points(30, 2, 20, 1);
    eb_run run = run_figured(ds, EB_RUN_COUNT), none = {.trials_done = 0};
    eb_figure found;
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) { /* the figure that only one trial has is last */
        assert_true(eb_run_figure_at(&run, k, &found));
        assert_string_equal(found.key, keys[k]);
    }
    assert_false(eb_run_figure_at(&run, sizeof keys / sizeof keys[0], &found));
    assert_false(eb_run_figure_at(&none, 0, &found));

    double *of_leaves = eb_run_samples(&run, "leaves"), *of_rare = eb_run_samples(&run, "rare_bytes");
    double *unknown = eb_run_samples(&run, "unheard_of");
    assert_non_null(of_leaves);
    assert_non_null(of_rare);
    assert_non_null(unknown);
    assert_true(of_leaves[0] == 1 && of_leaves[1] == 2 && of_leaves[2] == 3);
    assert_true(isnan(of_rare[0]) && of_rare[1] == 4096 && isnan(of_rare[2]));
    assert_true(isnan(unknown[0]) && isnan(unknown[1]) && isnan(unknown[2]));
    assert_null(eb_run_samples(&none, "leaves"));
    free(of_leaves);
    free(of_rare);
    free(unknown);
    eb_run_free(&run);
    eb_dataset_free(ds);
}

TEST(a_run_says_what_its_setup_says_first)
{
    eb_dataset *ds = naive_points(30, 2, 20, 1);
    eb_setup setup = naive_setup;
    (void)snprintf(setup.note, sizeof setup.note, "preset has no effect on cpu");
    eb_measure_request q = request_for(ds, EB_RUN_TABLE);
    q.setup = &setup;
    q.memory = (eb_budget){.limit = 1, .tables = 1};
    eb_run run;
    eb_status status;
    assert_int_equal(eb_measure(&q, NULL, NULL, &run, &status), EB_OK);
    assert_ptr_equal(strstr(run.note, "preset has no effect on cpu; naive, one thread; counted only: "), run.note);
    assert_string_equal(run.setup.spec, "naive");
    assert_ptr_equal(run.setup.engine, &naive_engine);
    eb_run_free(&run);
    eb_dataset_free(ds);
}

TEST(rates)
{
    assert_true(eb_selectivity(260000, 4000) == 64);
    assert_true(eb_selectivity(1, 1) == 0);
    assert_true(eb_derived_flops(1000, 1000, 10, 2) == 1e7 && eb_derived_flops(10, 1000, 10, 2) == 1e5);
    assert_true(isnan(eb_derived_flops(1000, 1000, 10, 0)) && isnan(eb_derived_flops(1000, 1000, 10, (double)NAN)));
}

RUN_TESTS
