/* The reports of ablate: the switches, and an ablation's finished part, as JSON. */
#include <math.h>

#include <jansson.h>

#include "shell/lab/ablation_report.h"
#include "shell/lab/switch_list.h"
#include "shell/render/render.h"
#include "tests/unit/sanitized.h"
#include "tests/unit/test.h"

/* The engine whose flags the paper measured, with a choice of them on. */
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

/* A variant whose trials took about `kernel_s` and executed so many operations. */
static eb_variant variant_of(const char *items, const char *left_out, double kernel_s, unsigned trials, double flops)
{
    eb_setup setup = setup_of(items);
    const eb_option *flag = left_out ? eb_option_find(&setup.engine->options, left_out) : NULL;
    assert_true(!left_out == !flag);
    if (flag)
        eb_options_leave_out(&setup.options, flag);
    eb_variant v = {.named = flag ? UINT32_C(1) << (flag - setup.engine->options.option) : 0,
                    .setup = setup,
                    .sameness = EB_IDENTICAL};
    v.run = (eb_run){.setup = setup,
                     .eps = 0.5,
                     .state = trials == 4 ? EB_RUN_DONE : EB_RUN_PARTIAL,
                     .n = 1000,
                     .d = 100,
                     .pairs = 3000,
                     .trials_wanted = 4,
                     .trials_done = trials};
    v.run.trials = calloc(4, sizeof *v.run.trials);
    assert_non_null(v.run.trials);
    for (unsigned t = 0; t < trials; t++) {
        double s = kernel_s * (1 + 1e-4 * (t % 2));
        eb_figures_add(&v.run.trials[t], &eb_figure_kernel, s);
        eb_figures_add(&v.run.trials[t], &eb_figure_total, s);
        eb_figures_add(&v.run.trials[t], &eb_figure_executed_flops, flops);
    }
    return v;
}

#define ALL_OF_IT 2e8 /* 2·n²·d */

/* Room for its variants is too much for a stack. */
static eb_ablation *an_ablation(size_t wanted, size_t done)
{
    eb_ablation *a = calloc(1, sizeof *a);
    assert_non_null(a);
    a->wanted = wanted;
    a->done = done;
    return a;
}

static void free_ablation(eb_ablation *a)
{
    eb_ablation_free(a);
    free(a);
}

/* The rendered document's data; the caller lets go of *document. */
static json_t *data_of(eb_report *report, eb_mode mode, json_t **document)
{
    char *text = NULL;
    size_t size = 0;
    eb_status status = {.message = ""};
    eb_render_options options = {.mode = mode};
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_true(eb_report_ok(report));
    assert_int_equal(eb_render(out, report, &options, &status), EB_OK);
    assert_int_equal(fclose(out), 0);
    *document = json_loads(text, 0, NULL);
    assert_non_null(*document);
    free(text);
    eb_report_free(report);
    return json_object_get(*document, "data");
}

static const char *text_at(json_t *row, const char *key) { return json_string_value(json_object_get(row, key)); }
static double number_at(json_t *row, const char *key) { return json_number_value(json_object_get(row, key)); }

static json_t *ablation_data(const eb_ablation *a, json_t **document)
{
    double model_s[EB_MOST_VARIANTS];
    for (size_t k = 0; k < EB_MOST_VARIANTS; k++)
        model_s[k] = k == 2 ? (double)NAN : 0.01 * (double)(k + 1);
    eb_report *report = eb_report_new("ablate");
    eb_report_ablation(report, a, model_s);
    return data_of(report, EB_MODE_JSON, document);
}

static json_t *switches_of(const char *name, const eb_engine **engine, json_t **document)
{
    eb_report *report = eb_report_new("ablate");
    assert_int_equal(eb_engine_find(name, strlen(name), engine, NULL), EB_OK);
    eb_options all;
    eb_options_default(&(*engine)->options, &all);
    eb_report_switches(report, *engine, &all, NULL);
    return data_of(report, EB_MODE_JSON, document);
}

TEST(the_switches_are_listed)
{
    json_t *document, *row;
    const eb_engine *engine;
    json_t *data = switches_of("fasted", &engine, &document), *rows = json_object_get(data, "switches");
    size_t flags = 0;
    assert_true(number_at(data, "published_tflops") == 154);
    for (size_t k = 0; k < engine->options.count; k++) {
        const eb_option *o = &engine->options.option[k];
        if (o->type != EB_OPTION_FLAG)
            continue;
        row = json_array_get(rows, flags++);
        assert_string_equal(text_at(row, "switch"), o->name);
        assert_string_equal(text_at(row, "summary"), o->help);
        if (o->published_tflops > 0)
            assert_true(number_at(row, "published_tflops") == o->published_tflops);
        else
            assert_true(json_is_null(json_object_get(row, "published_tflops")));
    }
    assert_int_equal(json_array_size(rows), flags);
    assert_true(flags >= 8); /* the paper has as many */
    assert_string_equal(text_at(json_array_get(rows, 2), "also_off"), "pipeline");
    assert_string_equal(text_at(json_array_get(rows, 3), "needs"), "async-copy");
    assert_true(json_is_null(json_object_get(json_array_get(rows, 0), "needs")));
    assert_string_equal(text_at(json_array_get(rows, 0), "preset"), "paper, best");
    assert_string_equal(text_at(json_array_get(rows, 8), "preset"), "paper, best"); /* ours, and the paper has it */
    assert_string_equal(text_at(json_array_get(rows, 9), "preset"), "best");
    json_decref(document);
}

/* An engine of which nobody published anything, without presets. */
TEST(switches_of_an_engine_without_a_paper_are_listed)
{
    static const char *const unknown[] = {"preset", "needs", "also_off", "published_tflops", "published_slowdown"};
    json_t *document;
    const eb_engine *engine;
    json_t *data = switches_of("ref64", &engine, &document), *rows = json_object_get(data, "switches");
    assert_int_equal(json_array_size(rows), 2);
    assert_true(json_is_null(json_object_get(data, "published_tflops")));
    for (size_t k = 0; k < 2; k++) {
        assert_string_equal(text_at(json_array_get(rows, k), "switch"), engine->options.option[k].name);
        for (size_t u = 0; u < sizeof unknown / sizeof unknown[0]; u++)
            assert_true(json_is_null(json_object_get(json_array_get(rows, k), unknown[u])));
    }
    assert_int_equal(json_array_size(json_object_get(document, "notes")), 0);
    json_decref(document);
}

TEST(variants_stand_beside_the_baseline)
{
    json_t *document;
    eb_ablation *a = an_ablation(4, 4);
    a->variant[0] = variant_of("paper", NULL, 0.001, 4, ALL_OF_IT);
    a->variant[1] = variant_of("paper", "async-copy", 0.004, 4, ALL_OF_IT);
    a->variant[2] = variant_of("paper", "swizzle", 0.001, 4, ALL_OF_IT);
    a->variant[3] = variant_of("paper", "alignment", 0.002, 4, ALL_OF_IT);
    a->variant[3].sameness = EB_SAME_COUNT;
    json_t *data = ablation_data(a, &document), *rows = json_object_get(data, "variants");
    assert_string_equal(text_at(data, "preset"), "paper");
    assert_true(number_at(data, "eps") == 0.5 && number_at(data, "pairs") == 3000 &&
                number_at(data, "selectivity") == 2);
    assert_int_equal(json_array_size(rows), 4);

    json_t *base = json_array_get(rows, 0), *async = json_array_get(rows, 1), *swizzle = json_array_get(rows, 2);
    assert_string_equal(text_at(base, "switch"), "(all on)");
    assert_true(number_at(base, "slowdown") == 1 && number_at(base, "published_tflops") == 154);
    assert_true(json_is_null(json_object_get(base, "verdict")) && json_is_null(json_object_get(base, "also_off")));
    assert_float_equal(number_at(base, "tflops_derived"), 0.2, 1e-4);
    assert_float_equal(number_at(base, "tflops_executed"), 0.2, 1e-4);

    assert_string_equal(text_at(async, "switch"), "async-copy");
    assert_string_equal(text_at(async, "also_off"), "pipeline");
    assert_string_equal(text_at(async, "switches"), "paper-async-copy-pipeline");
    assert_string_equal(text_at(async, "verdict"), "SLOWER");
    assert_string_equal(text_at(async, "results"), "identical");
    assert_float_equal(number_at(async, "slowdown"), 4, 1e-3);
    assert_float_equal(number_at(async, "published_slowdown"), (float)(154 / 48.6), 1e-6);
    assert_true(number_at(async, "kernel_cov") > 0 && number_at(async, "kernel_cov") < 1e-3);

    assert_string_equal(text_at(swizzle, "verdict"), "SAME");
    assert_string_equal(text_at(json_array_get(rows, 3), "results"), "same count");
    json_t *notes = json_object_get(document, "notes");
    assert_int_equal(json_array_size(notes), 3);
    assert_string_equal(json_string_value(json_array_get(notes, 2)), /* what is compared */
                        "published rates are over norms + kernel, those here over kernels alone");
    json_decref(document);
    free_ablation(a);
}

/* Made by hand: the study is tested without a shell. */
static eb_variant from_bare(uint32_t named, const eb_setup *bare, double kernel_s)
{
    eb_variant v = variant_of("paper", NULL, kernel_s, 4, ALL_OF_IT);
    v.setup = *bare;
    v.named = named;
    for (size_t k = 0; k < bare->options.list->count; k++)
        if (named & UINT32_C(1) << k)
            eb_options_put_in(&v.setup.options, &bare->options.list->option[k]);
    v.run.setup = v.setup;
    return v;
}

static uint32_t bit_of(const char *flag)
{
    const eb_setup setup = setup_of("paper");
    const eb_option *option = eb_option_find(&setup.engine->options, flag);
    assert_non_null(option);
    return UINT32_C(1) << (option - setup.engine->options.option);
}

static eb_setup bare_setup(void)
{
    eb_setup bare = setup_of("paper");
    for (size_t k = 0; k < bare.options.list->count; k++)
        if (eb_option_is_added(&bare.options, &bare.options.list->option[k]))
            eb_options_leave_out(&bare.options, &bare.options.list->option[k]);
    return bare;
}

static bool is_null(json_t *row, const char *key) { return json_is_null(json_object_get(row, key)); }

TEST(slowdowns_have_an_interval)
{
    json_t *document;
    eb_ablation *a = an_ablation(3, 3);
    a->variant[0] = variant_of("paper", NULL, 0.001, 4, ALL_OF_IT);
    a->variant[1] = variant_of("paper", "swizzle", 0.002, 4, ALL_OF_IT);
    a->variant[2] = variant_of("paper", "alignment", 0.002, 2, ALL_OF_IT);
    json_t *data = ablation_data(a, &document), *rows = json_object_get(data, "variants"),
           *base = json_array_get(rows, 0), *swizzle = json_array_get(rows, 1), *two = json_array_get(rows, 2);
    assert_string_equal(text_at(data, "by"), "leave-one-out");
    assert_string_equal(text_at(data, "from"), "all");
    assert_true(is_null(base, "slowdown_low") && is_null(base, "slowdown_high") && is_null(base, "reason"));
    const double low = number_at(swizzle, "slowdown_low"), high = number_at(swizzle, "slowdown_high"); /* ± 1e-4 */
    assert_true(low < 2 && low > 1.9997 && high > 2 && high < 2.0003);
    assert_non_null(strstr(text_at(swizzle, "reason"), "90 % interval 2 to 2×"));
    assert_true(is_null(two, "slowdown_low") && is_null(two, "slowdown_high") && number_at(two, "slowdown") > 1.9);
    assert_non_null(strstr(text_at(two, "reason"), "too few trials, 2 and 4"));
    assert_float_equal(number_at(swizzle, "model_slowdown"), 2, 1e-6);
    assert_true(is_null(two, "model_slowdown")); /* it says nothing of that one */
    json_decref(document);
    free_ablation(a);
}

TEST(from_the_bare_kernel_there_are_speed_ups)
{
    json_t *document;
    const eb_setup bare = bare_setup();
    eb_ablation *a = an_ablation(3, 3);
    a->from_bare = true;
    a->variant[0] = from_bare(0, &bare, 0.004);
    a->variant[1] = from_bare(bit_of("pipeline"), &bare, 0.001);
    a->variant[2] = from_bare(bit_of("swizzle"), &bare, 0.008);
    json_t *data = ablation_data(a, &document), *rows = json_object_get(data, "variants"),
           *base = json_array_get(rows, 0), *pipeline = json_array_get(rows, 1), *swizzle = json_array_get(rows, 2);
    assert_string_equal(text_at(data, "by"), "add-one-in");
    assert_string_equal(text_at(data, "from"), "bare");
    assert_string_equal(text_at(base, "switch"), "(bare)");
    assert_string_equal(text_at(base, "summary"), "every switch of the preset off");
    assert_true(number_at(base, "speedup") == 1 && is_null(base, "verdict"));
    assert_string_equal(text_at(pipeline, "switch"), "pipeline");
    assert_string_equal(text_at(pipeline, "also_on"), "async-copy"); /* which it needs */
    assert_string_equal(text_at(pipeline, "verdict"), "FASTER");
    assert_float_equal(number_at(pipeline, "speedup"), 4, 1e-3);
    assert_true(number_at(pipeline, "speedup_low") < 4 && number_at(pipeline, "speedup_low") > 3.999);
    assert_true(number_at(pipeline, "speedup_high") > 4 && number_at(pipeline, "speedup_high") < 4.001);
    assert_float_equal(number_at(pipeline, "model_speedup"), 0.5, 1e-6); /* 0.01 over 0.02 */
    assert_true(is_null(swizzle, "also_on") && is_null(swizzle, "model_speedup"));
    assert_string_equal(text_at(swizzle, "verdict"), "SLOWER");
    assert_float_equal(number_at(swizzle, "speedup"), 0.5, 1e-3);
    for (size_t k = 0; k < 3; k++) { /* the paper has nothing of the kind */
        assert_true(is_null(json_array_get(rows, k), "published_tflops"));
        assert_true(is_null(json_array_get(rows, k), "published_slowdown"));
        assert_null(json_object_get(json_array_get(rows, k), "slowdown"));
    }
    assert_int_equal(json_array_size(json_object_get(document, "notes")), 0);
    json_decref(document);
    free_ablation(a);
}

TEST(sets_of_switches_are_named)
{
    json_t *document;
    const eb_setup bare = bare_setup();
    eb_ablation *a = an_ablation(2, 2);
    a->from_bare = true;
    a->way = EB_NAMED_SUBSETS;
    a->variant[0] = from_bare(0, &bare, 0.004);
    a->variant[1] = from_bare(bit_of("pipeline") | bit_of("swizzle"), &bare, 0.001);
    json_t *data = ablation_data(a, &document), *set = json_array_get(json_object_get(data, "variants"), 1);
    assert_string_equal(text_at(data, "by"), "subsets");
    assert_string_equal(text_at(set, "switch"), "pipeline + swizzle");
    assert_string_equal(text_at(set, "also_on"), "async-copy");
    assert_true(is_null(set, "summary"));
    json_decref(document);
    free_ablation(a);
}

/* What came along is told step by step. */
TEST(one_after_another_each_is_told_alone)
{
    json_t *document;
    const eb_setup bare = bare_setup();
    eb_ablation *a = an_ablation(3, 3);
    a->from_bare = true;
    a->way = EB_ONE_AFTER_ANOTHER;
    a->variant[0] = from_bare(0, &bare, 0.004);
    a->variant[1] = from_bare(bit_of("pipeline"), &bare, 0.002);
    a->variant[2] = from_bare(bit_of("swizzle"), &a->variant[1].setup, 0.001);
    json_t *data = ablation_data(a, &document), *rows = json_object_get(data, "variants");
    assert_string_equal(text_at(data, "by"), "one-after-another");
    assert_string_equal(text_at(json_array_get(rows, 1), "also_on"), "async-copy");
    assert_string_equal(text_at(json_array_get(rows, 2), "switch"), "swizzle");
    assert_true(is_null(json_array_get(rows, 2), "also_on"));
    assert_float_equal(number_at(json_array_get(rows, 2), "speedup"), 4, 1e-3); /* over bare */
    json_decref(document);
    free_ablation(a);
}

static json_t *predictions(const char *spec, eb_ablation_plan plan, json_t **document)
{
    eb_spec parsed;
    eb_report *report = eb_report_new("ablate");
    assert_int_equal(eb_spec_parse(spec, NULL, &parsed, NULL), EB_OK);
    assert_int_equal(eb_report_predictions(report, &parsed, &plan, NULL, NULL), EB_OK);
    return json_object_get(data_of(report, EB_MODE_JSON, document), "predictions");
}

/* The model needs no GPU: any plan, of any engine. */
TEST(ablations_are_predicted)
{
    if (EB_SANITIZED)
        skip(); /* a minute of replays; golden/ablate-list walks the same */
    json_t *document, *rows = predictions("fasted[paper]", eb_ablation_of("add-one-in"), &document);
    assert_int_equal(json_array_size(rows), 10);
    const double bare_s = number_at(json_array_get(rows, 0), "model_s");
    assert_true(bare_s > 0 && number_at(json_array_get(rows, 0), "model_speedup") == 1);
    for (size_t k = 1; k < 10; k++) {
        json_t *row = json_array_get(rows, k);
        assert_float_equal(number_at(row, "model_speedup"), (float)(bare_s / number_at(row, "model_s")), 1e-6);
    }
    assert_string_equal(text_at(json_array_get(rows, 4), "switch"), "pipeline");
    assert_string_equal(text_at(json_array_get(rows, 4), "also_on"), "async-copy");
    json_decref(document);

    rows = predictions("fasted[paper]", (eb_ablation_plan){.way = EB_ONE_AFTER_ANOTHER, .from_bare = true}, &document);
    assert_int_equal(json_array_size(rows), 10);
    for (size_t k = 0; k < 10; k++)
        assert_true(is_null(json_array_get(rows, k), "also_on"));
    assert_string_equal(text_at(json_array_get(rows, 9), "spec"), "fasted[paper]");
    json_decref(document);

    rows = predictions("fasted[paper]", (eb_ablation_plan){EB_NAMED_SUBSETS, false, "warp-tile+swizzle"}, &document);
    json_t *set = json_array_get(rows, 1);
    assert_string_equal(text_at(set, "switch"), "warp-tile + swizzle");
    assert_string_equal(text_at(set, "also_off"), "register-reuse");
    assert_true(number_at(set, "model_slowdown") > 1);
    json_decref(document);

    rows = predictions("ref64", eb_ablation_of("all-subsets"), &document); /* of which the model knows nothing */
    assert_int_equal(json_array_size(rows), 4);
    assert_true(is_null(json_array_get(rows, 3), "model_s") && is_null(json_array_get(rows, 3), "model_slowdown"));
    json_decref(document);
}

/* The paper's figures are of its own preset, whole, and of one switch left out. */
TEST(published_figures_stand_where_they_belong)
{
    static const struct {
        const char *items, *without;
        eb_ablation_way way;
        bool published;
    } cases[] = {{"paper", "swizzle", EB_ONE_AT_A_TIME, true},
                 {"paper", "swizzle", EB_ALL_SUBSETS, false},
                 {"paper", "swizzle", EB_NAMED_SUBSETS, false},
                 {"paper", "swizzle", EB_ONE_AFTER_ANOTHER, false},
                 {"paper,-alignment", "swizzle", EB_ONE_AT_A_TIME, false},
                 {"paper,+symmetric", "swizzle", EB_ONE_AT_A_TIME, false},
                 {"best", "symmetric", EB_ONE_AT_A_TIME, false}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        json_t *document;
        eb_ablation *a = an_ablation(2, 2);
        a->way = cases[k].way;
        a->variant[0] = variant_of(cases[k].items, NULL, 0.001, 4, ALL_OF_IT);
        a->variant[1] = variant_of(cases[k].items, cases[k].without, 0.002, 4, ALL_OF_IT);
        json_t *rows = json_object_get(ablation_data(a, &document), "variants");
        for (size_t row = 0; row < 2; row++) {
            assert_int_equal(is_null(json_array_get(rows, row), "published_tflops"), !cases[k].published);
            assert_int_equal(is_null(json_array_get(rows, row), "published_slowdown"), !cases[k].published);
        }
        json_decref(document);
        free_ablation(a);
    }
}

TEST(a_rate_above_the_limit_is_not_believed)
{
    json_t *document;
    eb_ablation *a = an_ablation(2, 2);
    a->variant[0] = variant_of("paper", NULL, 0.001, 4, ALL_OF_IT); /* 0.2 TFLOPS */
    a->variant[1] = variant_of("paper", "swizzle", 0.002, 4, ALL_OF_IT);
    const eb_device gpu = {.kind = EB_DEVICE_CUDA, .name = "cuda:0", .limit = {[EB_LIMIT_MMA_F16] = 0.15e12}};
    for (size_t k = 0; k < 2; k++)
        for (unsigned t = 0; t < 4; t++)
            eb_figures_set_limit(&a->variant[k].run.trials[t], &gpu, EB_LIMIT_MMA_F16);
    json_t *rows = json_object_get(ablation_data(a, &document), "variants");
    assert_float_equal(number_at(json_array_get(rows, 0), "limit_share"), 4.0f / 3, 1e-3);
    assert_float_equal(number_at(json_array_get(rows, 1), "limit_share"), 2.0f / 3, 1e-3);
    json_t *notes = json_object_get(document, "notes");
    assert_int_equal(json_array_size(notes), 3);
    assert_non_null(strstr(json_string_value(json_array_get(notes, 0)), "limit"));
    json_decref(document);
    free_ablation(a);
}

/* Half of the matrix is executed with symmetric, all of it without; the derived rate does not know. */
TEST(rates_know_the_switches)
{
    json_t *document;
    eb_ablation *a = an_ablation(2, 2);
    a->variant[0] = variant_of("best", NULL, 0.001, 4, ALL_OF_IT / 2);
    a->variant[1] = variant_of("best", "symmetric", 0.001, 4, ALL_OF_IT);
    json_t *rows = json_object_get(ablation_data(a, &document), "variants");
    assert_float_equal(number_at(json_array_get(rows, 0), "tflops_executed"), 0.1, 1e-4);
    assert_float_equal(number_at(json_array_get(rows, 1), "tflops_executed"), 0.2, 1e-4);
    assert_float_equal(number_at(json_array_get(rows, 1), "tflops_derived"), 0.2, 1e-4);
    assert_true(json_is_null(json_object_get(json_array_get(rows, 1), "published_tflops")));
    json_decref(document);
    free_ablation(a);
}

TEST(an_interrupted_ablation_shows_what_it_has)
{
    json_t *document;
    eb_ablation *a = an_ablation(9, 3);
    a->variant[0] = variant_of("paper", NULL, 0.001, 4, ALL_OF_IT);
    a->variant[1] = variant_of("paper", "tile-order", 0.002, 2, ALL_OF_IT);
    a->variant[1].sameness = EB_RESULTS_UNKNOWN;
    a->variant[2] = variant_of("paper", "block-tile", 0.002, 0, ALL_OF_IT);
    json_t *rows = json_object_get(ablation_data(a, &document), "variants");
    assert_int_equal(json_array_size(rows), 2); /* one without a trial has nothing to show */
    assert_string_equal(text_at(json_array_get(rows, 1), "state"), "partial");
    assert_true(json_is_null(json_object_get(json_array_get(rows, 1), "results")));
    assert_string_equal(json_string_value(json_array_get(json_object_get(document, "notes"), 0)),
                        "ended at variant 3 of 9");
    json_decref(document);
    free_ablation(a);

    a = an_ablation(9, 1);
    a->variant[0] = variant_of("paper", NULL, 0.001, 0, ALL_OF_IT);
    assert_null(json_object_get(ablation_data(a, &document), "variants"));
    json_decref(document);
    free_ablation(a);
}

RUN_TESTS
