/* ablate: which variants run, what is compared between them, and what is left after a cancel or a failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/study/ablate.h"
#include "tests/unit/naive_engine.h"
#include "tests/unit/naive_points.h"

/* ---- an engine with switches: the naive one, and what it does wrong without the switches in `spoiled` ---- */

typedef struct spoiling {
    uint32_t count, distance; /* without one of these a pair is missing, or one distance is another */
    uint32_t on;              /* switches of the state opened last */
    uint32_t seen[64];        /* switches of every opening */
    size_t openings;
    uint64_t cancel_at; /* the opening at which the job is cancelled; 0: never */
    eb_job *job;
} spoiling;

static spoiling spoil;

static eb_code switched_open(const eb_device *device, const eb_dataset *ds, const eb_engine_options *options,
                             eb_job *job, eb_timing *timing, void **state, eb_status *status)
{
    spoil.on = options->switches;
    assert_true(spoil.openings < sizeof spoil.seen / sizeof spoil.seen[0]);
    spoil.seen[spoil.openings++] = options->switches;
    if (spoil.cancel_at == spoil.openings)
        eb_job_cancel(spoil.job);
    return naive_open(device, ds, options, job, timing, state, status);
}

static bool off(uint32_t bits) { return (spoil.on & bits) != bits; }

static eb_code switched_count(void *state, double eps, eb_job *job, eb_timing *timing, uint64_t *pairs,
                              eb_status *status)
{
    eb_code code = naive_count(state, eps, job, timing, pairs, status);
    if (code == EB_OK && off(spoil.count))
        *pairs -= 2;
    return code;
}

typedef struct spoiled_sink {
    const eb_sink *to;
    uint64_t hits;
} spoiled_sink;

static eb_code spoil_hits(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status)
{
    spoiled_sink *sink = context;
    assert_int_equal(count, 1);
    eb_hit hit = hits[0];
    if (sink->hits++ == 5) {
        if (off(spoil.count))
            return EB_OK;
        if (off(spoil.distance))
            hit.s += 1;
    }
    return sink->to->hits(sink->to->context, thread, &hit, 1, status);
}

static eb_code switched_join(void *state, double eps, size_t row_begin, size_t row_end, const eb_sink *sink,
                             eb_job *job, eb_timing *timing, eb_status *status)
{
    spoiled_sink spoiled = {.to = sink};
    const eb_sink own = {.context = &spoiled, .hits = spoil_hits};
    return naive_join(state, eps, row_begin, row_end, &own, job, timing, status);
}

static eb_engine switched_engine(void)
{
    eb_engine engine = naive_engine;
    engine.name = "switched";
    engine.open = switched_open;
    engine.count = switched_count;
    engine.join = switched_join;
    memset(&spoil, 0, sizeof spoil);
    memset(&naive_trouble, 0, sizeof naive_trouble);
    return engine;
}

static const eb_device cpu = {.kind = EB_DEVICE_CPU, .name = "cpu"};
static eb_engine engine;
static eb_dataset *points;

static eb_measure_request request_for(unsigned trials)
{
    engine = switched_engine();
    return (eb_measure_request){.engine = &engine,
                                .device = &cpu,
                                .dataset = points,
                                .options = {.threads = 1},
                                .eps = 8,
                                .mode = EB_RUN_TABLE,
                                .trials = trials};
}

static int set_up(void **state)
{
    (void)state;
    points = naive_points(50, 2, 20, 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    eb_dataset_free(points);
    return 0;
}

/* ---- which variants ---- */

static void the_paper_leaves_out_each_of_its_switches(void **state)
{
    (void)state;
    eb_measure_request q = request_for(2);
    eb_ablation a;
    eb_status status = {.message = ""};
    assert_int_equal(eb_ablate(&q, EB_PRESET_PAPER, eb_ablation_switches(EB_PRESET_PAPER), NULL, NULL, &a, &status),
                     EB_OK);
    assert_true(a.wanted == 9 && a.done == 9);
    assert_null(a.variant[0].left_out);
    assert_int_equal(a.variant[0].switches, EB_PRESET_PAPER);
    for (size_t k = 0; k < a.done; k++) {
        const eb_variant *v = &a.variant[k];
        assert_int_equal(v->sameness, EB_IDENTICAL);
        assert_true(v->run.state == EB_RUN_DONE && v->run.mode == EB_RUN_COUNT && v->run.trials_done == 2);
        assert_int_equal(v->run.options.switches, v->switches); /* what the log says */
        assert_int_equal(v->run.pairs, naive_pairs(points, 8));
        if (k > 0)
            assert_int_equal(v->switches, eb_without(EB_PRESET_PAPER, v->left_out->bit));
        for (size_t t = 0; t < 3; t++) /* two trials and a table, all with these switches */
            assert_int_equal(spoil.seen[3 * k + t], v->switches);
    }
    assert_int_equal(naive_trouble.opens, naive_trouble.closes);
    eb_ablation_free(&a);
}

static void the_best_leaves_out_what_it_adds(void **state)
{
    (void)state;
    eb_measure_request q = request_for(1);
    eb_ablation a;
    eb_status status = {.message = ""};
    assert_int_equal(eb_ablate(&q, EB_PRESET_BEST, eb_ablation_switches(EB_PRESET_BEST), NULL, NULL, &a, &status),
                     EB_OK);
    size_t k = 1;
    for (size_t s = 0; s < eb_switch_count(); s++)
        if (!(eb_switch_at(s)->bit & EB_PRESET_PAPER)) {
            assert_true(k < a.done);
            assert_int_equal(a.variant[k++].switches, EB_PRESET_BEST & ~eb_switch_at(s)->bit);
        }
    assert_true(k > 3 && a.done == k);
    eb_ablation_free(&a);
}

static void one_switch_alone_runs_beside_the_baseline(void **state)
{
    (void)state;
    eb_measure_request q = request_for(1);
    eb_ablation a;
    eb_status status = {.message = ""};
    uint32_t only = 0;
    assert_int_equal(eb_ablation_only("async-copy", &only, &status), EB_OK);
    assert_int_equal(eb_ablate(&q, EB_PRESET_PAPER, only, NULL, NULL, &a, &status), EB_OK);
    assert_int_equal(a.done, 2);
    assert_int_equal(a.variant[1].switches, EB_PRESET_PAPER & ~(EB_ASYNC_COPY | EB_PIPELINE));
    eb_ablation_free(&a);
}

static void what_cannot_be_left_out_is_refused(void **state)
{
    (void)state;
    eb_measure_request q = request_for(1);
    eb_ablation a;
    eb_status status = {.message = ""};
    assert_int_equal(eb_ablate(&q, EB_PRESET_PAPER, EB_SYMMETRIC, NULL, NULL, &a, &status), EB_USAGE);
    assert_non_null(strstr(status.message, "symmetric cannot be left out of preset paper"));
    assert_int_equal(eb_ablate(&q, EB_PRESET_BEST, EB_PIPELINE, NULL, NULL, &a, &status), EB_USAGE);
    assert_non_null(strstr(status.message, "pipeline cannot be left out of preset best, only symmetric, early-test"));
    assert_true(a.done == 0 && spoil.openings == 0);
    eb_ablation_free(&a);
}

static void names_become_a_mask(void **state)
{
    (void)state;
    static const char *const wrong[] =
        {"", ",", "pipe", "pipeline,", "pipeline,,swizzle", "pipelines", "pipeline swizzle"};
    uint32_t set = 0;
    eb_status status = {.message = ""};
    char names[128];
    assert_int_equal(eb_ablation_only("swizzle,pipeline", &set, &status), EB_OK);
    assert_int_equal(set, EB_PIPELINE | EB_SWIZZLE);
    assert_string_equal(eb_switch_names(set, names, sizeof names), "pipeline, swizzle");
    assert_string_equal(eb_switch_names(0, names, sizeof names), "");
    assert_string_equal(eb_switch_names(set, names, 6), "pipel");
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        assert_int_equal(eb_ablation_only(wrong[k], &set, &status), EB_USAGE);
    assert_non_null(strstr(status.message, "there are: tile-order, block-tile"));
    assert_int_equal(set, EB_PIPELINE | EB_SWIZZLE); /* untouched */
}

/* ---- results ---- */

static void another_count_is_an_error(void **state)
{
    (void)state;
    eb_measure_request q = request_for(1);
    eb_ablation a;
    eb_status status = {.message = ""};
    spoil.count = EB_RESIDENCY;
    assert_int_equal(eb_ablate(&q, EB_PRESET_PAPER, EB_PRESET_PAPER, NULL, NULL, &a, &status), EB_INTERNAL);
    assert_non_null(strstr(status.message, "switched without residency found"));
    assert_int_equal(a.done, 6); /* the baseline and four before it stay */
    for (size_t k = 0; k < 5; k++)
        assert_int_equal(a.variant[k].sameness, EB_IDENTICAL);
    assert_int_equal(a.variant[5].sameness, EB_DIFFERENT);
    assert_int_equal(a.variant[5].run.trials_done, 1);
    eb_ablation_free(&a);
}

static void one_other_distance_is_an_error(void **state)
{
    (void)state;
    eb_measure_request q = request_for(1);
    eb_ablation a;
    eb_status status = {.message = ""};
    spoil.distance = EB_ASYNC_COPY;
    assert_int_equal(eb_ablate(&q, EB_PRESET_PAPER, EB_PRESET_PAPER, NULL, NULL, &a, &status), EB_INTERNAL);
    assert_string_equal(
        status.message,
        "switched without async-copy, pipeline found the same number of pairs as with everything on, but other "
        "neighbours or distances; the switches must not change results");
    assert_int_equal(a.variant[a.done - 1].sameness, EB_DIFFERENT);
    eb_ablation_free(&a);
}

static void without_room_for_tables_only_counts_are_compared(void **state)
{
    (void)state;
    eb_measure_request q = request_for(1);
    eb_ablation a;
    eb_status status = {.message = ""};
    q.table_limit = 1;
    spoil.distance = EB_ASYNC_COPY; /* goes unseen: nobody claims otherwise */
    assert_int_equal(eb_ablate(&q, EB_PRESET_PAPER, EB_ASYNC_COPY, NULL, NULL, &a, &status), EB_OK);
    assert_true(a.variant[0].sameness == EB_SAME_COUNT && a.variant[1].sameness == EB_SAME_COUNT);
    eb_ablation_free(&a);
    spoil.count = EB_ASYNC_COPY;
    assert_int_equal(eb_ablate(&q, EB_PRESET_PAPER, EB_ASYNC_COPY, NULL, NULL, &a, &status), EB_INTERNAL);
    eb_ablation_free(&a);
    assert_int_equal(naive_trouble.opens, naive_trouble.closes);
}

/* ---- cancel ---- */

typedef struct errand {
    const eb_measure_request *request;
    eb_ablation *ablation;
} errand;

static eb_code ablate_as_job(eb_job *job, void *argument, eb_status *status)
{
    errand *e = argument;
    spoil.job = job;
    return eb_ablate(e->request, EB_PRESET_PAPER, EB_PRESET_PAPER, NULL, job, e->ablation, status);
}

static void a_cancel_keeps_finished_variants(void **state)
{
    (void)state;
    /* Two trials and a table are three openings a variant: in the third's second trial, and in its table. */
    static const uint64_t at[] = {8, 9};
    for (size_t k = 0; k < 2; k++) {
        eb_measure_request q = request_for(2);
        eb_ablation a;
        errand e = {.request = &q, .ablation = &a};
        eb_job *job;
        eb_status status;
        spoil.cancel_at = at[k];
        assert_int_equal(eb_job_start(ablate_as_job, &e, &job, &status), EB_OK);
        assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
        assert_true(a.wanted == 9 && a.done == 3);
        assert_true(a.variant[1].sameness == EB_IDENTICAL && a.variant[2].sameness == EB_RESULTS_UNKNOWN);
        assert_int_equal(a.variant[2].run.trials_done, k + 1);
        assert_int_equal(a.variant[2].run.state, k == 0 ? EB_RUN_PARTIAL : EB_RUN_DONE);
        assert_int_equal(naive_trouble.opens, naive_trouble.closes);
        eb_ablation_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_paper_leaves_out_each_of_its_switches),
        cmocka_unit_test(the_best_leaves_out_what_it_adds),
        cmocka_unit_test(one_switch_alone_runs_beside_the_baseline),
        cmocka_unit_test(what_cannot_be_left_out_is_refused),
        cmocka_unit_test(names_become_a_mask),
        cmocka_unit_test(another_count_is_an_error),
        cmocka_unit_test(one_other_distance_is_an_error),
        cmocka_unit_test(without_room_for_tables_only_counts_are_compared),
        cmocka_unit_test(a_cancel_keeps_finished_variants),
    };
    return cmocka_run_group_tests_name("core_ablate", tests, set_up, tear_down);
}
