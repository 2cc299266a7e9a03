/* The reports of ablate: the switches, and an ablation's finished part, as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "shell/commands/ablation_report.h"
#include "shell/render/render.h"

static double half_of_all(size_t n, size_t d, const eb_engine_options *options)
{
    return (options->switches & EB_SYMMETRIC ? 1 : 2) * (double)n * (double)n * (double)d;
}

static const eb_engine fasted = {.name = "fasted", .executed_flops = half_of_all, .limit = EB_LIMIT_TENSOR_F16};

/* A variant whose trials took about `kernel_s`. */
static eb_variant variant_of(uint32_t preset, const eb_switch *left_out, double kernel_s, unsigned trials)
{
    eb_variant v = {.left_out = left_out,
                    .switches = left_out ? eb_without(preset, left_out->bit) : preset,
                    .sameness = EB_IDENTICAL};
    v.run = (eb_run){.engine = &fasted,
                     .device = {.kind = EB_DEVICE_CUDA, .name = "cuda:0"},
                     .eps = 0.5,
                     .options = {.switches = v.switches},
                     .state = trials == 4 ? EB_RUN_DONE : EB_RUN_PARTIAL,
                     .n = 1000,
                     .d = 100,
                     .pairs = 3000,
                     .trials_wanted = 4,
                     .trials_done = trials};
    v.run.trials = calloc(4, sizeof *v.run.trials);
    assert_non_null(v.run.trials);
    for (unsigned t = 0; t < trials; t++) {
        v.run.trials[t] = eb_timing_none();
        v.run.trials[t].kernel_s = v.run.trials[t].total_s = kernel_s * (1 + 1e-4 * (t % 2));
    }
    return v;
}

static const eb_switch *switch_of(uint32_t bit)
{
    for (size_t k = 0; k < eb_switch_count(); k++)
        if (eb_switch_at(k)->bit == bit)
            return eb_switch_at(k);
    return NULL;
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

static void the_switches_are_listed(void **state)
{
    (void)state;
    json_t *document;
    eb_report *report = eb_report_new("ablate");
    eb_report_switches(report);
    json_t *data = data_of(report, EB_MODE_JSON, &document), *rows = json_object_get(data, "switches"), *row;
    size_t k;
    assert_int_equal(json_array_size(rows), eb_switch_count());
    assert_true(number_at(data, "published_tflops") == 154);
    json_array_foreach(rows, k, row)
    {
        const eb_switch *s = eb_switch_at(k);
        assert_string_equal(text_at(row, "switch"), s->name);
        assert_string_equal(text_at(row, "summary"), s->summary);
        if (s->published_tflops > 0)
            assert_true(number_at(row, "published_tflops") == s->published_tflops);
        else
            assert_true(json_is_null(json_object_get(row, "published_tflops")));
    }
    assert_string_equal(text_at(json_array_get(rows, 2), "also_off"), "pipeline");
    assert_string_equal(text_at(json_array_get(rows, 3), "needs"), "async-copy");
    assert_true(json_is_null(json_object_get(json_array_get(rows, 0), "needs")));
    json_decref(document);
}

static void variants_stand_beside_the_baseline(void **state)
{
    (void)state;
    json_t *document;
    eb_ablation a = {.preset = EB_PRESET_PAPER, .wanted = 4, .done = 4};
    a.variant[0] = variant_of(a.preset, NULL, 0.001, 4);
    a.variant[1] = variant_of(a.preset, switch_of(EB_ASYNC_COPY), 0.004, 4);
    a.variant[2] = variant_of(a.preset, switch_of(EB_SWIZZLE), 0.001, 4);
    a.variant[3] = variant_of(a.preset, switch_of(EB_ALIGNMENT), 0.002, 4);
    a.variant[3].sameness = EB_SAME_COUNT;
    eb_report *report = eb_report_new("ablate");
    eb_report_ablation(report, &a);
    json_t *data = data_of(report, EB_MODE_JSON, &document), *rows = json_object_get(data, "variants");
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
    assert_int_equal(json_array_size(json_object_get(document, "notes")), 2);
    json_decref(document);
    eb_ablation_free(&a);
}

static void a_rate_above_the_limit_is_not_believed(void **state)
{
    (void)state;
    json_t *document;
    eb_ablation a = {.preset = EB_PRESET_PAPER, .wanted = 2, .done = 2};
    a.variant[0] = variant_of(a.preset, NULL, 0.001, 4); /* 0.2 TFLOPS */
    a.variant[1] = variant_of(a.preset, switch_of(EB_SWIZZLE), 0.002, 4);
    for (size_t k = 0; k < 2; k++)
        a.variant[k].run.device.limits.tensor_f16_flops = 0.15e12;
    eb_report *report = eb_report_new("ablate");
    eb_report_ablation(report, &a);
    json_t *rows = json_object_get(data_of(report, EB_MODE_JSON, &document), "variants");
    assert_float_equal(number_at(json_array_get(rows, 0), "limit_share"), 4.0f / 3, 1e-3);
    assert_float_equal(number_at(json_array_get(rows, 1), "limit_share"), 2.0f / 3, 1e-3);
    json_t *notes = json_object_get(document, "notes");
    assert_int_equal(json_array_size(notes), 2);
    assert_non_null(strstr(json_string_value(json_array_get(notes, 0)), "limit"));
    json_decref(document);
    eb_ablation_free(&a);
}

/* Half of the matrix is executed with symmetric, all of it without; the derived rate does not know. */
static void rates_know_the_switches(void **state)
{
    (void)state;
    json_t *document;
    eb_ablation a = {.preset = EB_PRESET_BEST, .wanted = 2, .done = 2};
    a.variant[0] = variant_of(a.preset, NULL, 0.001, 4);
    a.variant[1] = variant_of(a.preset, switch_of(EB_SYMMETRIC), 0.001, 4);
    eb_report *report = eb_report_new("ablate");
    eb_report_ablation(report, &a);
    json_t *rows = json_object_get(data_of(report, EB_MODE_JSON, &document), "variants");
    assert_float_equal(number_at(json_array_get(rows, 0), "tflops_executed"), 0.1, 1e-4);
    assert_float_equal(number_at(json_array_get(rows, 1), "tflops_executed"), 0.2, 1e-4);
    assert_float_equal(number_at(json_array_get(rows, 1), "tflops_derived"), 0.2, 1e-4);
    assert_true(json_is_null(json_object_get(json_array_get(rows, 1), "published_tflops")));
    json_decref(document);
    eb_ablation_free(&a);
}

static void an_interrupted_ablation_shows_what_it_has(void **state)
{
    (void)state;
    json_t *document;
    eb_ablation a = {.preset = EB_PRESET_PAPER, .wanted = 9, .done = 3};
    a.variant[0] = variant_of(a.preset, NULL, 0.001, 4);
    a.variant[1] = variant_of(a.preset, switch_of(EB_TILE_ORDER), 0.002, 2);
    a.variant[1].sameness = EB_RESULTS_UNKNOWN;
    a.variant[2] = variant_of(a.preset, switch_of(EB_BLOCK_TILE), 0.002, 0);
    eb_report *report = eb_report_new("ablate");
    eb_report_ablation(report, &a);
    json_t *rows = json_object_get(data_of(report, EB_MODE_JSON, &document), "variants");
    assert_int_equal(json_array_size(rows), 2); /* one without a trial has nothing to show */
    assert_string_equal(text_at(json_array_get(rows, 1), "state"), "partial");
    assert_true(json_is_null(json_object_get(json_array_get(rows, 1), "results")));
    assert_string_equal(json_string_value(json_array_get(json_object_get(document, "notes"), 0)),
                        "ended at variant 3 of 9");
    json_decref(document);
    eb_ablation_free(&a);

    a = (eb_ablation){.preset = EB_PRESET_PAPER, .wanted = 9, .done = 1};
    a.variant[0] = variant_of(a.preset, NULL, 0.001, 0);
    report = eb_report_new("ablate");
    eb_report_ablation(report, &a);
    assert_null(json_object_get(data_of(report, EB_MODE_JSON, &document), "variants"));
    json_decref(document);
    eb_ablation_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_switches_are_listed),
        cmocka_unit_test(variants_stand_beside_the_baseline),
        cmocka_unit_test(a_rate_above_the_limit_is_not_believed),
        cmocka_unit_test(rates_know_the_switches),
        cmocka_unit_test(an_interrupted_ablation_shows_what_it_has),
    };
    return cmocka_run_group_tests_name("shell_ablate", tests, NULL, NULL);
}
