/* Reports of `ablate`: the list of switches and the table of a finished part, compared with the expected texts in
 * tests/unit/cases/ablations. */
#include <math.h>

#include "core/report/find.h"
#include "shell/lab/ablation_report.h"
#include "tests/unit/report_cases.h"
#include "tests/unit/sanitized.h"
#include "tests/unit/test.h"

/* A setup of fasted, the engine of the paper's ablation, with these switches on. */
static eb_setup setup_of(const char *items)
{
    const eb_engine *engine = NULL;
    eb_status status = {.message = ""};
    eb_setup setup = {.device = {.kind = EB_DEVICE_CUDA, .name = "cuda:0"}};
    assert_int_equal(eb_engine_find("fasted", 6, &engine, NULL), EB_OK);
    setup.engine = engine;
    eb_options_default(&engine->options, &setup.options);
    if (eb_options_take(&setup.options, items, &status))
        fail_msg("%s", status.message);
    (void)snprintf(setup.spec, sizeof setup.spec, "fasted[%s]", items);
    return setup;
}

/* A variant whose trials take about `kernel_s` and execute `flops` operations each. */
static void put(eb_ablation *a, size_t k, const eb_setup *setup, uint64_t named, double kernel_s, unsigned trials,
                double flops)
{
    eb_experiment_cell *cell = &a->e.cell[k];
    a->named[k] = named;
    a->setup[k] = *setup;
    cell->setup = &a->setup[k];
    cell->sameness = EB_IDENTICAL;
    cell->run = (eb_run){.setup = *setup,
                         .eps = 0.5,
                         .state = trials == 4 ? EB_RUN_DONE : EB_RUN_PARTIAL,
                         .n = 1000,
                         .d = 100,
                         .pairs = 3000,
                         .trials_wanted = 4,
                         .trials_done = trials};
    cell->run.trials = calloc(4, sizeof *cell->run.trials);
    assert_non_null(cell->run.trials);
    for (unsigned t = 0; t < trials; t++) {
        double s = kernel_s * (1 + 1e-4 * (t % 2));
        eb_figures_add(&cell->run.trials[t], &eb_figure_kernel, s);
        eb_figures_add(&cell->run.trials[t], &eb_figure_total, s);
        eb_figures_add(&cell->run.trials[t], &eb_figure_executed_flops, flops);
    }
}

static void put_variant(eb_ablation *a, size_t k, const char *items, const char *left_out, double kernel_s,
                        unsigned trials, double flops)
{
    eb_setup setup = setup_of(items);
    const eb_option *flag = left_out ? eb_option_find(&setup.engine->options, left_out) : NULL;
    assert_true(!left_out == !flag);
    if (flag)
        eb_options_leave_out(&setup.options, flag);
    put(a, k, &setup, flag ? UINT64_C(1) << (flag - setup.engine->options.option) : 0, kernel_s, trials, flops);
}

#define ALL_OF_IT 2e8 /* 2·n²·d operations: the full matrix */

/* On the heap: eb_ablation with its variants is too large for the stack. */
static eb_ablation *an_ablation(size_t wanted, size_t done)
{
    eb_ablation *a = calloc(1, sizeof *a);
    assert_non_null(a);
    a->e = (eb_experiment){.cell = calloc(wanted, sizeof *a->e.cell), .cells = wanted, .begun = done};
    assert_non_null(a->e.cell);
    return a;
}

static void free_ablation(eb_ablation *a)
{
    eb_ablation_free(a);
    free(a);
}

static eb_report *ablation_report(const eb_ablation *a)
{
    double model_s[EB_MOST_VARIANTS];
    for (size_t k = 0; k < EB_MOST_VARIANTS; k++)
        model_s[k] = k == 2 ? (double)NAN : 0.01 * (double)(k + 1);
    eb_report *report = eb_report_new("ablate");
    eb_report_ablation(report, a, model_s);
    return report;
}

/* Compares the ablation's report with case `name`, then frees the ablation. */
static void ablation_is(eb_ablation *a, const char *name)
{
    report_is(ablation_report(a), "ablations", name);
    free_ablation(a);
}

static void switches_are(const char *name, const char *block)
{
    const eb_engine *engine;
    eb_report *report = eb_report_new("ablate");
    assert_int_equal(eb_engine_find(name, strlen(name), &engine, NULL), EB_OK);
    eb_options all;
    eb_options_default(&engine->options, &all);
    eb_report_switches(report, engine, &all, NULL);
    report_is(report, "ablations", block);
}

TEST(the_switches_are_listed)
{
    switches_are("fasted", "switches of fasted");
    switches_are("ref64", "switches of an engine without a paper");
}

TEST(variants_stand_beside_the_baseline)
{
    eb_ablation *a = an_ablation(4, 4);
    put_variant(a, 0, "paper", NULL, 0.001, 4, ALL_OF_IT);
    put_variant(a, 1, "paper", "async-copy", 0.004, 4, ALL_OF_IT);
    put_variant(a, 2, "paper", "swizzle", 0.001, 4, ALL_OF_IT);
    put_variant(a, 3, "paper", "alignment", 0.002, 4, ALL_OF_IT);
    a->e.cell[3].sameness = EB_SAME_COUNT;
    ablation_is(a, "variants beside the baseline");
}

/* Sets variant `at`, the bare setup with the options of the bits `named`, without running a shell. */
static void put_from_bare(eb_ablation *a, size_t at, uint64_t named, const eb_setup *bare, double kernel_s)
{
    eb_setup setup = *bare;
    for (size_t k = 0; k < bare->options.list->count; k++)
        if (named & UINT64_C(1) << k)
            eb_options_put_in(&setup.options, &bare->options.list->option[k]);
    put(a, at, &setup, named, kernel_s, 4, ALL_OF_IT);
}

static uint64_t bit_of(const char *flag)
{
    const eb_setup setup = setup_of("paper");
    const eb_option *option = eb_option_find(&setup.engine->options, flag);
    assert_non_null(option);
    return UINT64_C(1) << (option - setup.engine->options.option);
}

static eb_setup bare_setup(void)
{
    eb_setup bare = setup_of("paper");
    for (size_t k = 0; k < bare.options.list->count; k++)
        if (eb_option_is_added(&bare.options, &bare.options.list->option[k]))
            eb_options_leave_out(&bare.options, &bare.options.list->option[k]);
    return bare;
}

TEST(slowdowns_have_an_interval)
{
    eb_ablation *a = an_ablation(3, 3);
    put_variant(a, 0, "paper", NULL, 0.001, 4, ALL_OF_IT);
    put_variant(a, 1, "paper", "swizzle", 0.002, 4, ALL_OF_IT);
    put_variant(a, 2, "paper", "alignment", 0.002, 2, ALL_OF_IT);
    ablation_is(a, "slowdowns with intervals");
}

TEST(from_the_bare_kernel_there_are_speed_ups)
{
    const eb_setup bare = bare_setup();
    eb_ablation *a = an_ablation(3, 3);
    a->from_bare = true;
    put_from_bare(a, 0, 0, &bare, 0.004);
    put_from_bare(a, 1, bit_of("pipeline"), &bare, 0.001);
    put_from_bare(a, 2, bit_of("swizzle"), &bare, 0.008);
    ablation_is(a, "from the bare kernel");
}

TEST(sets_of_switches_are_named)
{
    const eb_setup bare = bare_setup();
    eb_ablation *a = an_ablation(2, 2);
    a->from_bare = true;
    a->way = EB_NAMED_SUBSETS;
    put_from_bare(a, 0, 0, &bare, 0.004);
    put_from_bare(a, 1, bit_of("pipeline") | bit_of("swizzle"), &bare, 0.001);
    ablation_is(a, "sets");
}

/* One after another, each row names only the switch that its step adds. */
TEST(one_after_another_each_is_told_alone)
{
    const eb_setup bare = bare_setup();
    eb_ablation *a = an_ablation(3, 3);
    a->from_bare = true;
    a->way = EB_ONE_AFTER_ANOTHER;
    put_from_bare(a, 0, 0, &bare, 0.004);
    put_from_bare(a, 1, bit_of("pipeline"), &bare, 0.002);
    put_from_bare(a, 2, bit_of("swizzle"), &a->setup[1], 0.001);
    ablation_is(a, "one after another");
}

static void predictions_are(const char *spec, eb_ablation_plan plan, const char *name)
{
    eb_spec parsed;
    eb_report *report = eb_report_new("ablate");
    assert_int_equal(eb_spec_parse(spec, NULL, &parsed, NULL), EB_OK);
    assert_int_equal(eb_report_predictions(report, &parsed, &plan, NULL, NULL), EB_OK);
    report_is(report, "ablations", name);
}

/* Predictions come from the machine model, without a GPU, for any plan and engine. The model has no prediction of
 * ref64. */
TEST(ablations_are_predicted)
{
    if (EB_SANITIZED)
        skip(); /* takes a minute under sanitizers; golden/ablate-list runs the same */
    predictions_are("fasted[paper]", eb_ablation_of("add-one-in"), "predicted one by one");
    predictions_are("fasted[paper]", (eb_ablation_plan){.way = EB_ONE_AFTER_ANOTHER, .from_bare = true},
                    "predicted one after another");
    predictions_are("fasted[paper]", (eb_ablation_plan){EB_NAMED_SUBSETS, false, "warp-tile+swizzle"},
                    "predicted sets");
    predictions_are("ref64", eb_ablation_of("all-subsets"), "predicted of ref64");
}

/* The paper published figures of its own preset, complete and without one switch; no other variant shows them. */
TEST(published_figures_stand_where_they_belong)
{
    static const struct {
        const char *items, *without;
        eb_ablation_way way;
        bool published;
    } published[] = {{"paper", "swizzle", EB_ONE_AT_A_TIME, true},
                     {"paper", "swizzle", EB_ALL_SUBSETS, false},
                     {"paper", "swizzle", EB_NAMED_SUBSETS, false},
                     {"paper", "swizzle", EB_ONE_AFTER_ANOTHER, false},
                     {"paper,-alignment", "swizzle", EB_ONE_AT_A_TIME, false},
                     {"paper,+symmetric", "swizzle", EB_ONE_AT_A_TIME, false},
                     {"best", "symmetric", EB_ONE_AT_A_TIME, false}};
    for (size_t k = 0; k < sizeof published / sizeof published[0]; k++) {
        eb_ablation *a = an_ablation(2, 2);
        a->way = published[k].way;
        put_variant(a, 0, published[k].items, NULL, 0.001, 4, ALL_OF_IT);
        put_variant(a, 1, published[k].items, published[k].without, 0.002, 4, ALL_OF_IT);
        eb_report *report = ablation_report(a);
        const eb_table *rows = eb_report_find_table(report, EB_F(variants));
        for (size_t row = 0; row < 2; row++) {
            assert_int_equal(eb_table_value(rows, row, EB_F(published_tflops)).kind == EB_REAL, published[k].published);
            assert_int_equal(eb_table_value(rows, row, EB_F(published_slowdown)).kind == EB_REAL,
                             published[k].published);
        }
        eb_report_free(report);
        free_ablation(a);
    }
}

TEST(a_rate_above_the_limit_is_not_believed)
{
    eb_ablation *a = an_ablation(2, 2);
    put_variant(a, 0, "paper", NULL, 0.001, 4, ALL_OF_IT); /* 0.2 TFLOPS */
    put_variant(a, 1, "paper", "swizzle", 0.002, 4, ALL_OF_IT);
    const eb_device gpu = {.kind = EB_DEVICE_CUDA, .name = "cuda:0", .limit = {[EB_LIMIT_MMA_F16] = 0.15e12}};
    for (size_t k = 0; k < 2; k++)
        for (unsigned t = 0; t < 4; t++)
            eb_figures_set_limit(&a->e.cell[k].run.trials[t], &gpu, EB_LIMIT_MMA_F16);
    ablation_is(a, "a rate above the limit");
}

/* With symmetric half of the matrix is executed, without it the full matrix. The derived rate is the same for both. */
TEST(rates_know_the_switches)
{
    eb_ablation *a = an_ablation(2, 2);
    put_variant(a, 0, "best", NULL, 0.001, 4, ALL_OF_IT / 2);
    put_variant(a, 1, "best", "symmetric", 0.001, 4, ALL_OF_IT);
    ablation_is(a, "rates of symmetric");
}

TEST(an_interrupted_ablation_shows_what_it_has)
{
    eb_ablation *a = an_ablation(9, 3);
    put_variant(a, 0, "paper", NULL, 0.001, 4, ALL_OF_IT);
    put_variant(a, 1, "paper", "tile-order", 0.002, 2, ALL_OF_IT);
    a->e.cell[1].sameness = EB_RESULTS_UNKNOWN;
    put_variant(a, 2, "paper", "block-tile", 0.002, 0, ALL_OF_IT);
    ablation_is(a, "interrupted"); /* a variant without trials has no row */
    a = an_ablation(9, 1);
    put_variant(a, 0, "paper", NULL, 0.001, 0, ALL_OF_IT);
    ablation_is(a, "interrupted at once");
}

RUN_TESTS
