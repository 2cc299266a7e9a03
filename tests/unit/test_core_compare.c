/* compare: the choice of the reference, the accuracy of each engine, tables that do not fit, and what remains after a
 * cancel or a failure. */
#include <math.h>

#include "core/experiment/compare.h"
#include "tests/unit/naive_engine.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/test.h"

/* ---- engines with errors: every s is too large by `shift` 1024ths ---- */

static const eb_option shift_option[] = {
    {"shift", EB_ARG_INTEGER, EB_ON_ALL, .fallback = "0", .min = 0, .max = 4096},
};

static struct {
    eb_job *job;
    bool cancel_at_distances;
    uint64_t distances_before_cancel; /* calls of distances() before the job is cancelled */
    uint64_t no_memory_at;            /* the opening that runs out of memory; 0: never */
    uint64_t fail_at;                 /* the opening that fails */
} trouble;

static double shifted(const naive_state *naive, double s)
{
    return s * (1 + (double)eb_option_number(&naive->context->options, "shift") / 1024);
}

typedef struct shifting {
    const naive_state *naive;
    const eb_sink *to;
    double limit;
} shifting;

static eb_code shift_hits(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status)
{
    const shifting *c = context;
    assert_int_equal(count, 1);
    eb_hit hit = {.i = hits[0].i, .j = hits[0].j, .s = shifted(c->naive, hits[0].s)};
    return hit.s <= c->limit ? c->to->hits(c->to->context, thread, &hit, 1, status) : EB_OK;
}

static eb_code shifted_join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                            eb_status *status)
{
    shifting c = {.naive = state, .to = sink, .limit = eb_squared_threshold(question->eps)};
    const eb_sink own = {.context = &c, .hits = shift_hits};
    return naive_join(state, question, share, &own, status);
}

static eb_code shifted_count(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                             eb_status *status)
{
    naive_counting counting = {.self = true, .share = share};
    const eb_sink counted = {.context = &counting, .hits = naive_count_hits};
    shifting c = {.naive = state, .to = &counted, .limit = eb_squared_threshold(question->eps)};
    const eb_sink own = {.context = &c, .hits = shift_hits};
    naive_trouble.counts++;
    eb_code failed = naive_walk(state, question, share, 0, &own, status);
    *entries = counting.entries + (share->row_end - share->row_begin);
    return failed;
}

static eb_code shifted_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    const naive_state *naive = state;
    if (trouble.cancel_at_distances && trouble.distances_before_cancel-- == 0)
        eb_job_cancel(trouble.job);
    eb_code failed = naive_distances(state, rows, m, out, status);
    for (size_t k = 0; k < m * naive->problem->right->n; k++)
        out[k] = shifted(naive, out[k]);
    return failed;
}

static eb_code shifted_open(const eb_problem *problem, const eb_context *context, void **state, eb_status *status)
{
    if (naive_trouble.opens + 1 == trouble.fail_at)
        return eb_fail(status, EB_INTERNAL, "told to fail");
    return naive_open(problem, context, state, status);
}

static eb_implementation shifting_cpu;
static const eb_engine truth = {.name = "truth",
                                .exactness = EB_TRUTH,
                                .options = EB_OPTIONS(shift_option),
                                .on = {[EB_DEVICE_CPU] = {"", &shifting_cpu}}};
static const eb_engine certified = {.name = "certified",
                                    .exactness = EB_CERTIFIED,
                                    .options = EB_OPTIONS(shift_option),
                                    .on = {[EB_DEVICE_CPU] = {"", &shifting_cpu}}};
static const eb_engine rough = {.name = "rough",
                                .exactness = EB_APPROXIMATE,
                                .options = EB_OPTIONS(shift_option),
                                .on = {[EB_DEVICE_CPU] = {"", &shifting_cpu}}};

static const eb_engine narrow = {.name = "narrow",
                                 .exactness = EB_APPROXIMATE,
                                 .f32_distances = true,
                                 .options = EB_OPTIONS(shift_option),
                                 .on = {[EB_DEVICE_CPU] = {"", &shifting_cpu}}};

static eb_setup setup_of(const eb_engine *engine, int32_t shift)
{
    eb_setup setup = naive_setup_of(engine);
    setup.options.value[0] = shift;
    (void)snprintf(setup.spec, sizeof setup.spec, "%s[shift=%d]", engine->name, (int)shift);
    return setup;
}

static int set_up(void **state)
{
    (void)state;
    memset(&naive_trouble, 0, sizeof naive_trouble);
    memset(&trouble, 0, sizeof trouble);
    shifting_cpu = naive_cpu;
    shifting_cpu.open = shifted_open;
    shifting_cpu.join = shifted_join;
    shifting_cpu.count = shifted_count;
    shifting_cpu.distances = shifted_distances;
    return 0;
}

static eb_compare_request request_for(const eb_setup *setup, size_t count, const eb_dataset *ds, unsigned trials)
{
    return (eb_compare_request){.setup = setup,
                                .count = count,
                                .dataset = ds,
                                .eps = 9,
                                .trials = trials,
                                .distances = EB_DISTANCES_F64,
                                .warm_up = EB_WARM_UP_FULL,
                                .boundary = 12,
                                .threads = 2};
}

static void assert_ok(const eb_compare_request *q, eb_comparison *c)
{
    eb_status status;
    if (eb_compare(q, NULL, NULL, c, &status) != EB_OK)
        fail_msg("%s", status.message);
}

/* No pair outside the list, in a table or not, is nearer to ε than the last pair of the list. If the truth is the
 * reference, the distances are the truth's. */
static void check_nearest(const eb_dataset *ds, const eb_accuracy *a, int32_t reference)
{
    double last = fabs(a->boundary[a->boundary_count - 1].dist_true - a->eps);
    size_t nearer = 0;
    if (reference != 0)
        return;
    for (size_t i = 0; i < ds->n; i++)
        for (size_t j = i + 1; j < ds->n; j++)
            nearer += fabs(sqrt(eb_truth_distance2(ds, i, j)) - a->eps) < last;
    assert_true(nearer < a->boundary_count);
    for (size_t k = 0; k < a->boundary_count; k++)
        assert_true(a->boundary[k].dist_true == sqrt(eb_truth_distance2(ds, a->boundary[k].i, a->boundary[k].j)));
}

TEST_WITH(pairs_that_all_leave_out_are_among_the_nearest, set_up, NULL)
{
    eb_dataset *ds = naive_points(150, 3, 100000, 11); /* no ties */
    eb_setup setup[] = {setup_of(&rough, 1), setup_of(&truth, 0), setup_of(&rough, 2)};
    eb_compare_request q = request_for(setup, 3, ds, 1);
    static const double eps[] = {40000, 20000, 500};
    for (size_t x = 0; x < sizeof eps / sizeof eps[0]; x++) {
        eb_comparison c;
        set_up(state);
        q.eps = eps[x];
        assert_ok(&q, &c);
        for (size_t k = 0; k < 3; k += 2) {
            const eb_accuracy *a = &c.accuracy[k];
            size_t left_out = 0;
            assert_true(x == 2 || a->boundary_count == 12);
            for (size_t p = 0; p < a->boundary_count; p++) {
                left_out += !a->boundary[p].in_fast && !a->boundary[p].in_true;
                assert_true(a->boundary[p].in_true == (a->boundary[p].dist_true <= a->eps));
                assert_true(isfinite(a->boundary[p].dist_fast)); /* the engine was asked */
            }
            assert_true(x == 2 || left_out > 0);
            if (x < 2)
                check_nearest(ds, a, 0);
        }
        assert_int_equal(naive_trouble.joins, 3 * 2 + 1); /* one look beyond ε for all */
        eb_comparison_free(&c);
    }
    eb_dataset_free(ds);
}

/* ---- the reference ---- */

TEST_WITH(the_most_exact_is_the_reference_and_the_last_among_equals, set_up, NULL)
{
    static const eb_engine *const engines[] = {&truth, &certified, &rough};
    eb_dataset *ds = naive_points(12, 2, 20, 1);
    for (size_t count = 2; count <= 4; count++)
        for (size_t way = 0; way < 81; way++) {
            eb_setup setup[4];
            size_t digits = way, best = 0;
            for (size_t k = 0; k < 4; k++, digits /= 3)
                setup[k] = setup_of(engines[digits % 3], 1);
            for (size_t k = 0; k < count; k++)
                if (setup[k].engine->exactness < setup[best].engine->exactness ||
                    setup[k].engine->exactness == setup[best].engine->exactness)
                    best = k;
            eb_compare_request q = request_for(setup, count, ds, 1);
            eb_comparison c;
            assert_ok(&q, &c);
            assert_int_equal(c.reference, best);
            for (size_t k = 0; k < EB_MOST_COMPARED; k++)
                assert_int_equal(c.compared[k], k < count && k != best);
            eb_comparison_free(&c);
        }
    eb_dataset_free(ds);
}

/* ---- accuracy ---- */

/* Of two runs, the first has s too large by a 1024ths, the second by b 1024ths, pair by pair. */
static void check_accuracy(const eb_dataset *ds, const eb_accuracy *a, int32_t fast, int32_t reference)
{
    double limit = eb_squared_threshold(a->eps), sum = 0, largest = 0;
    uint64_t common = 0, only_fast = 0, only_true = 0;
    for (size_t i = 0; i < ds->n; i++)
        for (size_t j = i + 1; j < ds->n; j++) {
            double s = eb_truth_distance2(ds, i, j);
            double f = s * (1 + (double)fast / 1024), t = s * (1 + (double)reference / 1024);
            common += f <= limit && t <= limit;
            only_fast += f <= limit && t > limit;
            only_true += f > limit && t <= limit;
            if (f <= limit && t <= limit) {
                sum += sqrt(f) - sqrt(t);
                largest = fmax(largest, fabs(sqrt(f) - sqrt(t)));
            }
        }
    assert_true(a->n == ds->n && a->common == common && a->only_fast == only_fast && a->only_true == only_true);
    assert_int_equal(a->pairs_fast, ds->n + 2 * (common + only_fast));
    assert_int_equal(a->pairs_true, ds->n + 2 * (common + only_true));
    assert_true(fabs(a->error_mean - sum / (double)common) <= 1e-12 && a->error_max == largest && a->error_nan == 0);
    assert_true((a->overlap == 1) == (only_fast + only_true == 0) && a->errors.bins == 300);
    assert_int_equal(a->boundary_count, 12);
    check_nearest(ds, a, reference);
    for (size_t k = 0; k < a->boundary_count; k++) {
        const eb_boundary_pair *p = &a->boundary[k]; /* also for a pair that the engine did not report */
        double s = eb_truth_distance2(ds, p->i, p->j) * (1 + (double)fast / 1024);
        assert_true(p->dist_fast == sqrt(s));
        assert_int_equal(p->in_fast, s <= limit);
    }
}

TEST_WITH(each_is_measured_against_the_reference, set_up, NULL)
{
    static const struct {
        const eb_engine *engine[4];
        int32_t shift[4];
        size_t count, reference;
    } cases[] = {{{&rough, &truth}, {60, 0}, 2, 1},
                 {{&truth, &rough}, {0, 60}, 2, 0},
                 {{&rough, &rough, &rough}, {60, 0, 30}, 3, 2}, /* differences from another engine with errors */
                 {{&rough, &truth, &certified, &rough}, {100, 0, 0, 7}, 4, 1}};
    eb_dataset *ds = naive_points(120, 2, 40, 5);
    for (size_t x = 0; x < sizeof cases / sizeof cases[0]; x++) {
        eb_setup setup[4];
        for (size_t k = 0; k < cases[x].count; k++)
            setup[k] = setup_of(cases[x].engine[k], cases[x].shift[k]);
        eb_compare_request q = request_for(setup, cases[x].count, ds, 2);
        eb_comparison c;
        q.bins = 300;
        set_up(state);
        assert_ok(&q, &c);
        assert_true(c.wanted == cases[x].count && c.count == c.wanted && c.reference == cases[x].reference);
        for (size_t k = 0; k < c.count; k++) {
            const eb_run *run = &c.run[k];
            assert_true(run->state == EB_RUN_DONE && run->trials_done == 2 && run->mode == EB_RUN_TABLE && run->table);
            assert_string_equal(run->setup.spec, setup[k].spec);
            assert_int_equal(c.compared[k], k != c.reference);
            if (k != c.reference)
                check_accuracy(ds, &c.accuracy[k], cases[x].shift[k], cases[x].shift[c.reference]);
        }
        uint64_t beyond = naive_trouble.joins - 3 * c.count; /* look beyond ε, unless all pairs lie at ε */
        assert_true(beyond <= 1);
        assert_true(naive_trouble.counts == 0 && naive_trouble.opens == naive_trouble.closes);
        eb_comparison_free(&c);
    }
    eb_dataset_free(ds);
}

/* Tables keep FP32 distances if the engine computes FP32; errors are those of the values kept, widened to FP64. */
TEST_WITH(errors_are_of_the_distances_kept, set_up, NULL)
{
    eb_dataset *ds = naive_points(120, 2, 40, 5);
    eb_setup setup[] = {setup_of(&narrow, 7), setup_of(&rough, 7), setup_of(&truth, 0)};
    eb_compare_request q = request_for(setup, 3, ds, 1);
    eb_comparison wide, c;
    assert_ok(&q, &wide);
    q.distances = EB_DISTANCES_F32;
    assert_ok(&q, &c);
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(wide.run[k].table->kept, EB_DISTANCES_F64);
        assert_int_equal(c.run[k].table->kept, k == 0 ? EB_DISTANCES_F32 : EB_DISTANCES_F64);
    }
    double most = 0;
    for (size_t i = 0; i < ds->n; i++)
        for (size_t j = 0; j < i; j++) {
            double s = eb_truth_distance2(ds, i, j), kept = (double)(float)sqrt(s * (1 + 7.0 / 1024));
            if (s * (1 + 7.0 / 1024) <= eb_squared_threshold(q.eps))
                most = fmax(most, fabs(kept - sqrt(s)));
        }
    assert_true(c.accuracy[0].error_max == most && wide.accuracy[0].error_max != most);
    assert_true(c.accuracy[0].overlap == wide.accuracy[0].overlap && c.accuracy[0].common == wide.accuracy[0].common);
    assert_true(c.accuracy[1].error_max == wide.accuracy[1].error_max);
    eb_comparison_free(&wide);
    eb_comparison_free(&c);
    eb_dataset_free(ds);
}

TEST_WITH(distances_that_cannot_be_compared, set_up, NULL)
{
    eb_dataset *ds = naive_points(20, 2, 20, 5);
    eb_setup setup[] = {setup_of(&rough, 7), setup_of(&truth, 0)};
    eb_compare_request q = request_for(setup, 2, ds, 1);
    eb_comparison c;
    eb_status status;
    q.distances = EB_DISTANCES_NONE;
    assert_int_equal(eb_compare(&q, NULL, NULL, &c, &status), EB_USAGE);
    assert_string_equal(status.message, "without distances there are no errors to compare: distances must be f32 or "
                                        "f64; found none");
    q.distances = EB_DISTANCES_F32;
    assert_int_equal(eb_compare(&q, NULL, NULL, &c, &status), EB_USAGE);
    assert_string_equal(status.message,
                        "none of these engines computes distances in FP32: distances must be f64; found f32");
    assert_int_equal(naive_trouble.opens, 0);
    eb_dataset_free(ds);
}

TEST_WITH(figures_stay_when_tables_go, set_up, NULL)
{
    eb_dataset *ds = naive_points(40, 2, 20, 5);
    eb_setup setup[] = {setup_of(&rough, 60), setup_of(&truth, 0)};
    eb_compare_request q = request_for(setup, 2, ds, 1);
    eb_comparison c;
    assert_ok(&q, &c);
    double overlap = c.accuracy[0].overlap;
    eb_comparison_drop_neighbours(&c);
    assert_true(!c.run[0].table && !c.run[1].table && c.compared[0] && c.accuracy[0].overlap == overlap);
    assert_true(c.run[0].trials_done == 1 && eb_figures_value(&c.run[0].trials[0], "total_s") > 0);
    eb_comparison_drop_neighbours(&c); /* nothing left to free */
    eb_comparison_free(&c);
    assert_true(c.count == 0 && !c.compared[0]);
    eb_comparison_free(&c);
    eb_dataset_free(ds);
}

typedef struct diary {
    unsigned started, trials, ended;
} diary;

static void on_start(void *context, eb_run *run)
{
    (void)run;
    ((diary *)context)->started++;
}

static void on_trial(void *context, const eb_run *run, unsigned trial)
{
    (void)run, (void)trial;
    ((diary *)context)->trials++;
}

static void on_end(void *context, const eb_run *run)
{
    (void)run;
    ((diary *)context)->ended++;
}

TEST_WITH(the_observer_hears_of_every_run, set_up, NULL)
{
    eb_dataset *ds = naive_points(40, 2, 20, 5);
    eb_setup setup[EB_MOST_COMPARED];
    for (size_t k = 0; k < EB_MOST_COMPARED; k++)
        setup[k] = setup_of(&rough, (int32_t)k);
    eb_compare_request q = request_for(setup, EB_MOST_COMPARED, ds, 3);
    diary d = {0};
    eb_run_observer observer = {.context = &d, .started = on_start, .trial = on_trial, .ended = on_end};
    eb_comparison c;
    eb_status status;
    assert_int_equal(eb_compare(&q, &observer, NULL, &c, &status), EB_OK);
    assert_true(d.started == EB_MOST_COMPARED && d.trials == 3 * EB_MOST_COMPARED && d.ended == EB_MOST_COMPARED);
    eb_comparison_free(&c);
    eb_dataset_free(ds);
}

/* ---- tables ---- */

static uint64_t bytes_kept(const eb_comparison *c)
{
    uint64_t bytes = 0;
    for (size_t k = 0; k < c->count; k++)
        if (c->run[k].table)
            bytes += eb_neighbours_bytes(c->run[k].table->rows, c->run[k].pairs, EB_DISTANCES_F64);
    return bytes;
}

/* Number of tables kept of three engines, the second being the reference. */
static unsigned compare_within(const eb_setup *setup, const eb_dataset *ds, uint64_t limit)
{
    eb_compare_request q = request_for(setup, 3, ds, 1);
    eb_comparison c;
    unsigned kept = 0;
    q.memory_limit = limit;
    assert_ok(&q, &c);
    assert_true(bytes_kept(&c) <= limit);
    assert_int_equal(c.reference, 1);
    for (size_t k = 0; k < 3; k++) {
        const eb_run *run = &c.run[k];
        kept += run->table != NULL;
        assert_int_equal(run->mode, run->table ? EB_RUN_TABLE : EB_RUN_COUNT);
        assert_true(run->state == EB_RUN_DONE && run->trials_done == 1);
        assert_true((strstr(run->note, "counted only: the neighbour table takes ") != NULL) == !run->table);
        assert_int_equal(c.compared[k], k != 1 && run->table && c.run[1].table);
    }
    eb_comparison_free(&c);
    return kept;
}

TEST_WITH(tables_share_the_limit, set_up, NULL)
{
    eb_dataset *ds = naive_points(100, 2, 30, 5);
    const eb_setup falling[] = {setup_of(&rough, 60), setup_of(&truth, 0), setup_of(&rough, 500)};
    const eb_setup growing[] = {setup_of(&rough, 2500), setup_of(&truth, 1024), setup_of(&rough, 0)};
    uint64_t build = eb_neighbours_build_bytes(100, naive_pairs(ds, 9), EB_DISTANCES_F64) + 8192;
    for (int way = 0; way <= 1; way++) {
        unsigned times[4] = {0};
        for (uint64_t limit = 1; limit < 4 * build; limit = limit * 21 / 20 + 1) {
            unsigned kept = compare_within(way ? growing : falling, ds, limit);
            assert_true(kept == 3 || limit < 3 * build);
            times[kept]++;
        }
        assert_true(times[0] > 0 && times[3] > 0 && times[1] + times[2] > 0);
    }
    eb_dataset_free(ds);
}

TEST_WITH(what_one_leaves_of_the_limit_the_next_may_take, set_up, NULL)
{
    eb_dataset *ds = naive_points(100, 2, 30, 5);
    eb_setup setup[] = {setup_of(&rough, 1024), setup_of(&truth, 0)}; /* s twice too large: a smaller table */
    uint64_t small = eb_neighbours_bytes(100, naive_pairs(ds, 9 / sqrt(2)), EB_DISTANCES_F64);
    uint64_t limit = small + eb_neighbours_build_bytes(100, naive_pairs(ds, 9), EB_DISTANCES_F64) + 4096;
    eb_measure_request half = {.setup = &setup[1],
                               .problem = eb_self_join(ds),
                               .eps = 9,
                               .mode = EB_RUN_TABLE,
                               .distances = EB_DISTANCES_F64};
    eb_compare_request q = request_for(setup, 2, ds, 1);
    eb_comparison c;
    eb_run run;
    eb_status status;
    half.trials = 1;
    half.memory = (eb_budget){.limit = limit / 2, .tables = limit / 2};
    assert_int_equal(eb_measure(&half, NULL, NULL, &run, &status), EB_OK);
    assert_true(run.batches != 1); /* half of it does not suffice for one piece */
    eb_run_free(&run);
    q.memory_limit = limit;
    assert_ok(&q, &c);
    assert_true(c.run[0].batches == 1 && c.run[1].batches == 1 && c.compared[0]);
    assert_true(bytes_kept(&c) <= limit);
    eb_comparison_free(&c);
    eb_dataset_free(ds);
}

static eb_code forgetful_join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                              eb_status *status)
{
    if (eb_option_number(&((naive_state *)state)->context->options, "shift") == 3)
        return eb_fail_memory(status, "this engine's tables", 1);
    return shifted_join(state, question, share, sink, status);
}

TEST_WITH(without_a_limit_none_is_made_up, set_up, NULL)
{
    eb_dataset *ds = naive_points(30, 2, 20, 5);
    eb_setup setup[] = {setup_of(&rough, 2), setup_of(&rough, 3), setup_of(&truth, 0)};
    eb_compare_request q = request_for(setup, 3, ds, 1);
    eb_comparison c;
    shifting_cpu.join = forgetful_join;
    assert_int_equal(q.memory_limit, 0);
    assert_ok(&q, &c);
    assert_true(c.run[0].table && !c.run[1].table && c.run[2].table);
    assert_non_null(strstr(c.run[1].note, "counted only: no memory for the neighbour table of "));
    assert_true(c.compared[0] && !c.compared[1] && !c.compared[2]);
    eb_comparison_free(&c);
    eb_dataset_free(ds);
}

TEST_WITH(without_the_references_table_nothing_is_compared, set_up, NULL)
{
    eb_dataset *ds = naive_points(30, 2, 20, 5);
    eb_setup setup[] = {setup_of(&rough, 2), setup_of(&truth, 3), setup_of(&rough, 0)};
    eb_compare_request q = request_for(setup, 3, ds, 1);
    eb_comparison c;
    shifting_cpu.join = forgetful_join; /* the truth runs out of memory */
    assert_ok(&q, &c);
    assert_true(c.run[0].table && !c.run[1].table && c.run[2].table && c.reference == 1);
    assert_true(!c.compared[0] && !c.compared[1] && !c.compared[2]);
    eb_comparison_free(&c);
    eb_dataset_free(ds);
}

/* ---- cancel and failure ---- */

typedef struct errand {
    const eb_compare_request *request;
    eb_comparison *comparison;
} errand;

static eb_code compare_as_job(eb_job *job, void *argument, eb_status *status)
{
    errand *e = argument;
    naive_trouble.job_to_cancel = trouble.job = job;
    return eb_compare(e->request, NULL, job, e->comparison, status);
}

static void assert_cancelled(const eb_compare_request *q, eb_comparison *c)
{
    errand e = {.request = q, .comparison = c};
    eb_job *job;
    eb_status status;
    assert_int_equal(eb_job_start(compare_as_job, &e, &job, &status), EB_OK);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    assert_int_equal(naive_trouble.opens, naive_trouble.closes);
}

TEST_WITH(a_cancel_keeps_what_was_finished, set_up, NULL)
{
    eb_dataset *ds = naive_points(40, 2, 20, 5);
    eb_setup setup[] = {setup_of(&rough, 60), setup_of(&truth, 0), setup_of(&rough, 30)};
    for (unsigned at = 1; at <= 9; at++) { /* a warm-up and two trials each */
        eb_compare_request q = request_for(setup, 3, ds, 2);
        eb_comparison c;
        size_t run = (at - 1) / 3, trials = (at - 1) % 3 == 2;
        set_up(state);
        naive_trouble.cancel_after_joins = at;
        assert_cancelled(&q, &c);
        assert_true(c.wanted == 3 && c.count == run + 1 && c.reference == 1);
        for (size_t k = 0; k < 3; k++) {
            assert_ptr_equal(c.run[k].setup.engine, setup[k].engine); /* also for runs that were not begun */
            assert_string_equal(c.run[k].setup.spec, setup[k].spec);
            assert_int_equal(c.run[k].trials_done, k < run ? 2 : k == run ? trials : 0);
            assert_true(k > run || c.run[k].state == (k < run ? EB_RUN_DONE : EB_RUN_PARTIAL));
            assert_false(c.compared[k]);
        }
        eb_comparison_free(&c);
    }
    eb_dataset_free(ds);
}

TEST_WITH(a_cancel_while_tables_are_compared_keeps_those_before, set_up, NULL)
{
    eb_dataset *ds = naive_points(40, 2, 20, 5);
    eb_setup setup[] = {setup_of(&rough, 60), setup_of(&truth, 0), setup_of(&rough, 90), setup_of(&rough, 120)};
    eb_compare_request q = request_for(setup, 4, ds, 1);
    eb_comparison c;
    trouble.cancel_at_distances = true;
    trouble.distances_before_cancel = 1; /* one question an engine: the first passes */
    assert_cancelled(&q, &c);
    assert_int_equal(c.count, 4);
    for (size_t k = 0; k < 4; k++)
        assert_true(c.run[k].state == EB_RUN_DONE && c.run[k].table && c.compared[k] == (k != 1));
    assert_int_equal(c.accuracy[0].boundary_count, 12);
    eb_comparison_free(&c);
    eb_dataset_free(ds);
}

TEST_WITH(an_engine_that_fails_ends_it, set_up, NULL)
{
    eb_dataset *ds = naive_points(40, 2, 20, 5);
    eb_setup setup[] = {setup_of(&rough, 60), setup_of(&truth, 0), setup_of(&rough, 30)};
    /* A warm-up and a trial for each engine, the look beyond ε, then an opening for each compared engine. */
    for (unsigned at = 1; at <= 9; at++) {
        eb_compare_request q = request_for(setup, 3, ds, 1);
        eb_comparison c;
        eb_status status;
        set_up(state);
        trouble.fail_at = at;
        assert_int_equal(eb_compare(&q, NULL, NULL, &c, &status), EB_INTERNAL);
        assert_string_equal(status.message, "told to fail");
        assert_int_equal(c.count, at <= 6 ? (at + 1) / 2 : 3);
        assert_int_equal(c.run[c.count - 1].state, at <= 6 ? EB_RUN_FAILED : EB_RUN_DONE);
        assert_true(c.compared[0] == (at > 6) && !c.compared[1] && c.compared[2] == (at > 6));
        assert_int_equal(naive_trouble.opens, naive_trouble.closes);
        eb_comparison_free(&c);
    }
    eb_dataset_free(ds);
}

TEST_WITH(two_to_sixteen_engines_can_be_compared, set_up, NULL)
{
    static const size_t wrong[] = {0, 1, EB_MOST_COMPARED + 1, 1000};
    eb_dataset *ds = naive_points(10, 2, 20, 5);
    eb_setup setup = setup_of(&truth, 0);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        eb_compare_request q = request_for(&setup, wrong[k], ds, 1);
        eb_comparison c;
        eb_status status = {.message = ""};
        assert_int_equal(eb_compare(&q, NULL, NULL, &c, &status), EB_USAGE);
        assert_non_null(strstr(status.message, "compare takes 2 to 16 engines; found "));
        assert_true(c.count == 0 && naive_trouble.opens == 0);
        eb_comparison_free(&c);
    }
    eb_dataset_free(ds);
}

RUN_TESTS
