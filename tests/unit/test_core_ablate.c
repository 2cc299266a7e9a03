/* ablate: the variants that run, the comparison of their results, and what remains after a cancel or a failure. */

#include "core/experiment/ablate.h"
#include "tests/unit/naive_engine.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/test.h"

/* ---- the naive engine with flags; `spoil` says what goes wrong without a flag ---- */

#define FLAG(name_, presets_, needs_)                                                                                  \
    {.name = (name_), .type = EB_ARG_FLAG, .devices = EB_ON_CPU, .presets = (presets_), .needs = (needs_)}

enum { PRESET, TILE_ORDER, BLOCK_TILE, ASYNC_COPY, PIPELINE, RESIDENCY, WARP_TILE, SWIZZLE, ALIGNMENT, SYMMETRIC };
enum { EARLY_TEST = SYMMETRIC + 1, AGGREGATE, WARPGROUP, LEAF, OPTIONS };

static const eb_option options[OPTIONS] = {
    [PRESET] = {"preset", EB_ARG_PRESET, EB_ON_CPU, .choices = "paper|best", .fallback = "best"},
    [TILE_ORDER] = FLAG("tile-order", "paper|best", NULL),
    [BLOCK_TILE] = FLAG("block-tile", "paper|best", NULL),
    [ASYNC_COPY] = FLAG("async-copy", "paper|best", NULL),
    [PIPELINE] = FLAG("pipeline", "paper|best", "async-copy"),
    [RESIDENCY] = FLAG("residency", "paper|best", NULL),
    [WARP_TILE] = FLAG("warp-tile", "paper|best", NULL),
    [SWIZZLE] = FLAG("swizzle", "paper|best", NULL),
    [ALIGNMENT] = FLAG("alignment", "paper|best", NULL),
    [SYMMETRIC] = FLAG("symmetric", "best", NULL),
    [EARLY_TEST] = FLAG("early-test", "best", NULL),
    [AGGREGATE] = FLAG("aggregate", "best", NULL),
    [WARPGROUP] = {"warpgroup", EB_ARG_FLAG, EB_ON_CUDA, .presets = "best"}, /* does not matter on this device */
    [LEAF] = {"leaf", EB_ARG_INTEGER, EB_ON_ALL, .fallback = "64", .min = 1, .max = 4096},
};

#define BIT(flag) (1u << (flag))
#define PAPER (BIT(SYMMETRIC) - BIT(TILE_ORDER)) /* the eight before symmetric */
#define BEST (BIT(LEAF) - BIT(TILE_ORDER))

static uint32_t flags_of(const eb_options *of)
{
    uint32_t set = 0;
    for (size_t k = TILE_ORDER; k < LEAF; k++)
        set |= of->value[k] ? BIT(k) : 0;
    return set;
}

typedef struct spoiling {
    uint32_t count, distance; /* without one of these flags a pair is missing, or a distance differs */
    uint32_t refused;         /* without one of these flags the engine cannot run */
    uint32_t on;              /* flags of the state opened last */
    uint32_t seen[64];        /* flags at every opening */
    size_t openings;
    bool timed;         /* kernels take scripted times */
    uint64_t cancel_at; /* the opening at which the job is cancelled; 0: never */
    eb_job *job;
} spoiling;

static spoiling spoil;

static eb_code flagged_probe(const eb_device *device, const eb_options *of, eb_status *status)
{
    if ((flags_of(of) & spoil.refused) != spoil.refused)
        return eb_fail(status, EB_NO_ENGINE, "no kernel for it");
    return naive_probe(device, of, status);
}

static eb_code flagged_open(const eb_problem *problem, const eb_context *context, void **state, eb_status *status)
{
    spoil.on = flags_of(&context->options);
    assert_true(spoil.openings < sizeof spoil.seen / sizeof spoil.seen[0]);
    spoil.seen[spoil.openings++] = spoil.on;
    if (spoil.cancel_at == spoil.openings)
        eb_job_cancel(spoil.job);
    return naive_open(problem, context, state, status);
}

static bool off(uint32_t bits) { return (spoil.on & bits) != bits; }

/* Hours, so that real times do not matter: a quarter with the pipeline, half with the swizzle, which helps only with
 * the pipeline; trials differ by a thousandth. */
static double scripted_s(void)
{
    const double all_s = 40000 * (1 + 0.001 * (double)(spoil.openings % 3));
    return all_s / (off(BIT(PIPELINE)) ? 1 : off(BIT(SWIZZLE)) ? 4 : 8);
}

static eb_code flagged_count(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                             eb_status *status)
{
    eb_code failed = naive_count(state, question, share, entries, status);
    if (!failed && off(spoil.count))
        *entries -= 2;
    if (spoil.timed)
        eb_figures_add(((naive_state *)state)->context->figures, &eb_figure_kernel, scripted_s());
    return failed;
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

static eb_code flagged_join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                            eb_status *status)
{
    spoiled_sink spoiled = {.to = sink};
    const eb_sink own = {.context = &spoiled, .hits = spoil_hits};
    return naive_join(state, question, share, &own, status);
}

static eb_implementation flagged_cpu;
static const eb_engine flagged = {.name = "flagged",
                                  .title = "flagged",
                                  .exactness = EB_APPROXIMATE,
                                  .options = EB_OPTIONS(options),
                                  .on = {[EB_DEVICE_CPU] = {"the naive engine, with flags", &flagged_cpu}}};

static const eb_engine *const engines[] = {&flagged}; /* spec.c looks engines up where setups change */

static eb_setup setup;
static eb_dataset *points;

static eb_measure_request request_for(const char *items, unsigned trials)
{
    eb_status status = {.message = ""};
    eb_options of;
    memset(&spoil, 0, sizeof spoil);
    memset(&naive_trouble, 0, sizeof naive_trouble);
    setup = naive_setup_of(&flagged);
    eb_options_default(&flagged.options, &of);
    assert_int_equal(eb_options_take(&of, items, &status), EB_OK);
    assert_int_equal(eb_setup_change(&setup, &of, &status), EB_OK);
    return (eb_measure_request){.setup = &setup,
                                .problem = eb_self_join(points),
                                .eps = 8,
                                .mode = EB_RUN_TABLE,
                                .trials = trials,
                                .distances = EB_DISTANCES_F64};
}

static const eb_ablation_plan leave_one_out = {.way = EB_ONE_AT_A_TIME};

static int set_up(void **state)
{
    (void)state;
    eb_registry_set(engines, 1);
    points = naive_points(50, 2, 20, 1);
    flagged_cpu = naive_cpu;
    flagged_cpu.probe = flagged_probe;
    flagged_cpu.open = flagged_open;
    flagged_cpu.count = flagged_count;
    flagged_cpu.join = flagged_join;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    eb_dataset_free(points);
    return 0;
}

/* ---- which variants ---- */

/* PAPER without a flag, as leave-one-out has it. */
static uint32_t paper_without(size_t flag) { return PAPER & ~(BIT(flag) | (flag == ASYNC_COPY ? BIT(PIPELINE) : 0)); }

TEST(the_first_preset_leaves_out_each_of_its_flags)
{
    eb_measure_request q = request_for("paper", 2);
    eb_ablation a;
    eb_status status = {.message = ""};
    assert_int_equal(eb_ablate(&q, &leave_one_out, NULL, NULL, &a, &status), EB_OK);
    assert_true(a.e.cells == 9 && a.e.begun == 9);
    assert_int_equal(a.named[0], 0);
    assert_int_equal(flags_of(&a.setup[0].options), PAPER);
    for (size_t k = 0; k < a.e.begun; k++) {
        const eb_experiment_cell *v = &a.e.cell[k];
        uint32_t set = flags_of(&v->setup->options);
        assert_int_equal(v->sameness, EB_IDENTICAL);
        assert_true(v->run.state == EB_RUN_DONE && v->run.mode == EB_RUN_COUNT && v->run.trials_done == 2);
        assert_int_equal(flags_of(&v->run.setup.options), set); /* as in the log */
        assert_string_equal(v->run.setup.spec, v->setup->spec);
        assert_int_equal(v->run.pairs, naive_pairs(points, 8));
        if (k > 0) {
            assert_int_equal(a.named[k], BIT(TILE_ORDER + k - 1));
            assert_int_equal(set, paper_without(TILE_ORDER + k - 1));
        }
        for (size_t t = 0; t < 3; t++) /* two trials and a table, all with these flags */
            assert_int_equal(spoil.seen[3 * k + t], set);
    }
    assert_string_equal(a.setup[0].spec, "flagged[paper]");
    assert_string_equal(a.setup[3].spec, "flagged[paper,-async-copy,-pipeline]");
    assert_int_equal(naive_trouble.opens, naive_trouble.closes);
    eb_ablation_free(&a);
}

TEST(a_later_preset_leaves_out_what_it_adds)
{
    static const size_t added[] = {SYMMETRIC, EARLY_TEST, AGGREGATE}; /* all that matter here, so no warpgroup */
    eb_measure_request q = request_for("leaf=7", 1);
    eb_ablation a;
    eb_status status = {.message = ""};
    assert_int_equal(eb_ablate(&q, &leave_one_out, NULL, NULL, &a, &status), EB_OK);
    assert_int_equal(flags_of(&a.setup[0].options), BEST);
    assert_true(a.e.begun == 4 && a.e.cells == 4);
    for (size_t k = 1; k < a.e.begun; k++) {
        assert_int_equal(a.named[k], BIT(added[k - 1]));
        assert_int_equal(flags_of(&a.setup[k].options), BEST & ~BIT(added[k - 1]));
        assert_int_equal(eb_option_number(&a.setup[k].options, "leaf"), 7); /* other options stay */
    }
    assert_string_equal(a.setup[1].spec, "flagged[-symmetric,leaf=7]");
    eb_ablation_free(&a);
}

TEST(a_flag_that_is_off_already_is_not_left_out)
{
    eb_measure_request q = request_for("-early-test", 1);
    eb_ablation a;
    eb_status status = {.message = ""};
    assert_int_equal(eb_ablate(&q, &leave_one_out, NULL, NULL, &a, &status), EB_OK);
    assert_int_equal(a.e.begun, 3);
    assert_int_equal(flags_of(&a.setup[0].options), BEST & ~BIT(EARLY_TEST));
    assert_int_equal(flags_of(&a.setup[1].options), BEST & ~BIT(EARLY_TEST) & ~BIT(SYMMETRIC));
    assert_int_equal(flags_of(&a.setup[2].options), BEST & ~BIT(EARLY_TEST) & ~BIT(AGGREGATE));
    eb_ablation_free(&a);
}

TEST(one_flag_alone_runs_beside_the_baseline)
{
    eb_measure_request q = request_for("paper", 1);
    eb_ablation a;
    eb_status status = {.message = ""};
    assert_int_equal(eb_ablate(&q, &(eb_ablation_plan){.names = "async-copy"}, NULL, NULL, &a, &status), EB_OK);
    assert_int_equal(a.e.begun, 2);
    assert_int_equal(flags_of(&a.setup[1].options), PAPER & ~(BIT(ASYNC_COPY) | BIT(PIPELINE)));
    eb_ablation_free(&a);
}

TEST(several_run_in_the_order_of_the_list)
{
    eb_measure_request q = request_for("paper", 1);
    eb_ablation a;
    eb_status status = {.message = ""};
    assert_int_equal(eb_ablate(&q, &(eb_ablation_plan){.names = "swizzle,pipeline,swizzle"}, NULL, NULL, &a, &status),
                     EB_OK);
    assert_int_equal(a.e.begun, 3);
    assert_int_equal(a.named[1], BIT(PIPELINE));
    assert_int_equal(a.named[2], BIT(SWIZZLE));
    eb_ablation_free(&a);
}

TEST(what_cannot_be_left_out_is_refused)
{
    static const struct {
        const char *items, *only, *why;
    } cases[] = {
        {"paper", "symmetric",
         "symmetric cannot be left out of flagged[paper], only tile-order, block-tile, async-copy, pipeline, "
         "residency, "
         "warp-tile, swizzle, alignment"},
        {"", "pipeline", "pipeline cannot be left out of flagged, only symmetric, early-test, aggregate"},
        {"", "warpgroup", "warpgroup cannot be left out of flagged, only symmetric, early-test, aggregate"},
        {"", "leaf", "leaf cannot be left out of flagged, only symmetric, early-test, aggregate"},
        {"", "preset", "preset cannot be left out of flagged, only symmetric, early-test, aggregate"},
        {"-aggregate", "aggregate", "aggregate cannot be left out of flagged[-aggregate], only symmetric, early-test"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        eb_measure_request q = request_for(cases[k].items, 1);
        eb_ablation a;
        eb_status status = {.message = ""};
        assert_int_equal(eb_ablate(&q, &(eb_ablation_plan){.names = cases[k].only}, NULL, NULL, &a, &status), EB_USAGE);
        assert_string_equal(status.message, cases[k].why);
        assert_true(a.e.cells == 0 && a.e.begun == 0 && spoil.openings == 0);
        eb_ablation_free(&a);
    }
}

TEST(names_are_whole_and_between_commas)
{
    static const char *const wrong[] = {"",
                                        ",",
                                        "pipe",
                                        "pipeline,",
                                        ",pipeline",
                                        "pipeline,,swizzle",
                                        "pipelines",
                                        "xpipeline",
                                        "pipeline swizzle",
                                        "pipeline,swizle"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        eb_measure_request q = request_for("paper", 1);
        eb_ablation a;
        eb_status status = {.message = ""};
        if (eb_ablate(&q, &(eb_ablation_plan){.names = wrong[k]}, NULL, NULL, &a, &status) != EB_USAGE)
            fail_msg("\"%s\" is taken", wrong[k]);
        assert_non_null(strstr(status.message, " tile-order, block-tile"));
        eb_ablation_free(&a);
    }
}

TEST(without_flags_there_is_nothing_to_leave_out)
{
    static const char none_on[] = "-symmetric,-early-test,-aggregate,-warpgroup,preset=paper-tile-order-block-tile-"
                                  "pipeline-async-copy-residency-warp-tile-swizzle-alignment";
    eb_measure_request q = request_for(none_on, 1);
    eb_ablation a;
    eb_status status = {.message = ""};
    assert_int_equal(eb_ablate(&q, &leave_one_out, NULL, NULL, &a, &status), EB_NO_ENGINE);
    assert_non_null(strstr(status.message, " has no switches to leave out on cpu"));
    q.setup = &naive_setup;
    assert_int_equal(eb_ablate(&q, &leave_one_out, NULL, NULL, &a, &status), EB_NO_ENGINE);
    assert_string_equal(status.message, "naive has no switches to leave out on cpu");
    assert_int_equal(a.e.begun, 0);
    eb_ablation_free(&a);
}

TEST(flags_that_went_off_are_listed)
{
    char names[128];
    (void)request_for("paper", 1);
    eb_options all = setup.options, some = all;
    some.value[PIPELINE] = some.value[SWIZZLE] = 0;
    some.value[SYMMETRIC] = 1; /* on already: not a switch */
    some.value[LEAF] = 0;      /* not a flag */
    assert_int_equal(eb_flags_lost(&all, &some), BIT(PIPELINE) | BIT(SWIZZLE));
    assert_int_equal(eb_flags_lost(&some, &all), BIT(SYMMETRIC));
    assert_int_equal(eb_flags_lost(&all, &all), 0);
    const uint64_t lost = eb_flags_lost(&all, &some);
    assert_string_equal(eb_flag_names(all.list, lost, ", ", names, sizeof names), "pipeline, swizzle");
    assert_string_equal(eb_flag_names(all.list, lost, " + ", names, sizeof names), "pipeline + swizzle");
    assert_string_equal(eb_flag_names(all.list, 0, ", ", names, sizeof names), "");
    assert_string_equal(eb_flag_names(all.list, lost, ", ", names, 6), "pipel");
}

/* ---- results ---- */

TEST(another_count_is_an_error)
{
    eb_measure_request q = request_for("paper", 1);
    eb_ablation a;
    eb_status status = {.message = ""};
    spoil.count = BIT(RESIDENCY);
    assert_int_equal(eb_ablate(&q, &leave_one_out, NULL, NULL, &a, &status), EB_INTERNAL);
    assert_non_null(strstr(status.message, "flagged without residency found"));
    assert_int_equal(a.e.begun, 6); /* the baseline and the four variants before it stay */
    for (size_t k = 0; k < 5; k++)
        assert_int_equal(a.e.cell[k].sameness, EB_IDENTICAL);
    assert_int_equal(a.e.cell[5].sameness, EB_DIFFERENT);
    assert_int_equal(a.e.cell[5].run.trials_done, 1);
    eb_ablation_free(&a);
}

TEST(one_other_distance_is_an_error)
{
    eb_measure_request q = request_for("paper", 1);
    eb_ablation a;
    eb_status status = {.message = ""};
    spoil.distance = BIT(ASYNC_COPY);
    assert_int_equal(eb_ablate(&q, &leave_one_out, NULL, NULL, &a, &status), EB_INTERNAL);
    assert_string_equal(
        status.message,
        "flagged without async-copy, pipeline found the same number of pairs as with everything on, but other "
        "neighbours or distances; the switches must not change results");
    assert_int_equal(a.e.cell[a.e.begun - 1].sameness, EB_DIFFERENT);
    eb_ablation_free(&a);
}

TEST(without_room_for_tables_only_counts_are_compared)
{
    eb_measure_request q = request_for("paper", 1);
    eb_ablation a;
    eb_status status = {.message = ""};
    q.memory = (eb_budget){.limit = 1, .tables = 1};
    spoil.distance = BIT(ASYNC_COPY); /* nobody notices, and nobody claims identity */
    assert_int_equal(eb_ablate(&q, &(eb_ablation_plan){.names = "async-copy"}, NULL, NULL, &a, &status), EB_OK);
    assert_true(a.e.cell[0].sameness == EB_SAME_COUNT && a.e.cell[1].sameness == EB_SAME_COUNT);
    eb_ablation_free(&a);
    spoil.count = BIT(ASYNC_COPY);
    assert_int_equal(eb_ablate(&q, &(eb_ablation_plan){.names = "async-copy"}, NULL, NULL, &a, &status), EB_INTERNAL);
    eb_ablation_free(&a);
    assert_int_equal(naive_trouble.opens, naive_trouble.closes);
}

TEST(a_variant_that_cannot_run_is_refused_before_any_runs)
{
    eb_measure_request q = request_for("paper", 1);
    eb_ablation a;
    eb_status status = {.message = ""};
    spoil.refused = BIT(BLOCK_TILE);
    assert_int_equal(eb_ablate(&q, &leave_one_out, NULL, NULL, &a, &status), EB_NO_ENGINE);
    assert_string_equal(status.message, "no kernel for it");
    assert_true(a.e.cells == 0 && a.e.begun == 0 && spoil.openings == 0);
    eb_ablation_free(&a);
}

/* ---- from the bare kernel, and subsets ---- */

TEST(flags_are_added_to_the_bare_kernel)
{
    eb_measure_request q = request_for("paper", 1);
    eb_ablation a;
    eb_status status = {.message = ""};
    const eb_ablation_plan plan = {.way = EB_ONE_AT_A_TIME, .from_bare = true, .names = "swizzle,pipeline"};
    assert_int_equal(eb_ablate(&q, &plan, NULL, NULL, &a, &status), EB_OK);
    static const uint32_t on[] = {0, BIT(ASYNC_COPY) | BIT(PIPELINE), BIT(SWIZZLE)};
    assert_true(a.from_bare && a.way == EB_ONE_AT_A_TIME && a.e.begun == 3 && a.e.cells == 3);
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(flags_of(&a.setup[k].options), on[k]);
        assert_int_equal(flags_of(&a.e.cell[k].run.setup.options), on[k]);
        assert_int_equal(a.e.cell[k].sameness, EB_IDENTICAL);
        assert_int_equal(spoil.seen[2 * k], on[k]);
        assert_int_equal(spoil.seen[2 * k + 1], on[k]); /* a trial and a table */
    }
    assert_string_equal(a.setup[1].spec, "flagged[paper,-tile-order,-block-tile,-residency,-warp-tile,"
                                         "-swizzle,-alignment]");
    eb_ablation_free(&a);
}

/* The bare kernel of the later preset is the earlier preset, by name. */
TEST(the_bare_kernel_has_the_name_of_its_preset)
{
    eb_measure_request q = request_for("-warpgroup", 1);
    eb_ablation a;
    eb_status status = {.message = ""};
    const eb_ablation_plan plan = {.way = EB_ONE_AFTER_ANOTHER, .from_bare = true};
    assert_int_equal(eb_ablate(&q, &plan, NULL, NULL, &a, &status), EB_OK);
    assert_int_equal(a.e.begun, 4);
    assert_string_equal(a.setup[0].spec, "flagged[paper]");
    assert_string_equal(a.setup[3].spec, "flagged[-warpgroup]");
    eb_ablation_free(&a);
}

TEST(subsets_are_held_to_the_baseline)
{
    eb_measure_request q = request_for("paper", 1);
    eb_ablation a;
    eb_status status = {.message = ""};
    eb_ablation_plan plan = {.way = EB_ALL_SUBSETS, .names = "swizzle,residency"};
    assert_int_equal(eb_ablate(&q, &plan, NULL, NULL, &a, &status), EB_OK);
    assert_int_equal(a.e.begun, 4);
    assert_int_equal(a.named[3], BIT(SWIZZLE) | BIT(RESIDENCY));
    assert_int_equal(flags_of(&a.setup[3].options), PAPER & ~(BIT(SWIZZLE) | BIT(RESIDENCY)));
    eb_ablation_free(&a);
    plan = (eb_ablation_plan){.way = EB_NAMED_SUBSETS, .from_bare = true, .names = "swizzle+residency,pipeline"};
    spoil.openings = 0;
    spoil.distance = BIT(PIPELINE);
    assert_int_equal(eb_ablate(&q, &plan, NULL, NULL, &a, &status), EB_INTERNAL);
    assert_string_equal(status.message,
                        "flagged with async-copy, pipeline found the same number of pairs as with every switch off, "
                        "but other neighbours or distances; the switches must not change results");
    assert_true(a.e.begun == 3 && a.e.cell[1].sameness == EB_IDENTICAL && a.e.cell[2].sameness == EB_DIFFERENT);
    eb_ablation_free(&a);
}

/* ---- worth of a switch ---- */

typedef struct worth {
    eb_verdict verdict;
    double ratio; /* of the baseline's time */
} worth;

static void each_is_worth(eb_ablation_plan plan, const worth *expected, size_t count)
{
    eb_measure_request q = request_for("paper", 4);
    eb_ablation a;
    eb_status status = {.message = ""};
    spoil.timed = true;
    assert_int_equal(eb_ablate(&q, &plan, NULL, NULL, &a, &status), EB_OK);
    assert_int_equal(a.e.begun, count + 1);
    for (size_t k = 0; k < count; k++) {
        const eb_judgement j = eb_judge_runs(&a.e.cell[0].run, &a.e.cell[k + 1].run, eb_figure_kernel.key);
        assert_int_equal(j.verdict, expected[k].verdict);
        assert_true(j.ratio > expected[k].ratio * 0.998 && j.ratio < expected[k].ratio * 1.002);
        assert_true(j.low <= j.ratio && j.ratio <= j.high);
        assert_true(j.low > expected[k].ratio * 0.997 && j.high < expected[k].ratio * 1.003);
    }
    eb_ablation_free(&a);
}

TEST(times_tell_what_each_set_is_worth)
{
    static const char names[] = "swizzle,pipeline";
    static const worth without[] = {{EB_SLOWER, 8}, {EB_SLOWER, 2}}, alone[] = {{EB_FASTER, 0.25}, {EB_SAME, 1}},
                       in_turn[] = {{EB_SAME, 1}, {EB_FASTER, 0.125}},
                       subsets[] = {{EB_SLOWER, 8}, {EB_SLOWER, 2}, {EB_SLOWER, 8}}, both[] = {{EB_FASTER, 0.125}};
    each_is_worth((eb_ablation_plan){EB_ONE_AT_A_TIME, false, names}, without, 2);
    each_is_worth((eb_ablation_plan){EB_ONE_AT_A_TIME, true, names}, alone, 2);
    each_is_worth((eb_ablation_plan){EB_ONE_AFTER_ANOTHER, true, names}, in_turn, 2);
    each_is_worth((eb_ablation_plan){EB_ALL_SUBSETS, false, names}, subsets, 3);
    each_is_worth((eb_ablation_plan){EB_NAMED_SUBSETS, true, "swizzle+pipeline"}, both, 1);
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
    return eb_ablate(e->request, &leave_one_out, NULL, job, e->ablation, status);
}

TEST(a_cancel_keeps_finished_variants)
{
    /* Two trials and a table are three openings a variant: cancels in the third variant's second trial, and in its
     * table. */
    static const uint64_t at[] = {8, 9};
    for (size_t k = 0; k < 2; k++) {
        eb_measure_request q = request_for("paper", 2);
        eb_ablation a;
        errand e = {.request = &q, .ablation = &a};
        eb_job *job;
        eb_status status;
        spoil.cancel_at = at[k];
        assert_int_equal(eb_job_start(ablate_as_job, &e, &job, &status), EB_OK);
        assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
        assert_true(a.e.cells == 9 && a.e.begun == 3);
        assert_true(a.e.cell[1].sameness == EB_IDENTICAL && a.e.cell[2].sameness == EB_RESULTS_UNKNOWN);
        assert_int_equal(a.e.cell[2].run.trials_done, k + 1);
        assert_int_equal(a.e.cell[2].run.state, k == 0 ? EB_RUN_PARTIAL : EB_RUN_DONE);
        assert_int_equal(naive_trouble.opens, naive_trouble.closes);
        eb_ablation_free(&a);
    }
}

RUN_TESTS_WITH(set_up, tear_down)
