/* What a GPU measures of the rungs of `precision`: the table of speeds, the picture, the notes, the row in JSON; a
 * machine without a GPU has only the model's rates. */
#include <math.h>

#include "core/model/machine.h"
#include "core/report/find.h"
#include "shell/precision/report.h"
#include "shell/precision/speeds.h"
#include "tests/unit/test.h"

enum { N = 1000, D = 10, RUNGS = 3 };

static const eb_machine h200 = {.name = "h200", .title = "NVIDIA H200"};
static const eb_ladder_rung ladder[RUNGS] = {{.type = "s8", .title = "INT8", .bytes = 1},
                                             {.type = "bf16", .title = "BF16", .bytes = 2},
                                             {.type = "e5m2", .title = "FP8 E5M2", .bytes = 1}};

typedef struct bench {
    eb_dataset points;
    eb_session session;
    eb_trying t;
    eb_comparison measured;
    eb_figures figures[RUNGS + 1];
    eb_histogram errors;
} bench;

/* One trial of 2·10⁷ operations counted, half of them executed. */
static void measure(bench *b, size_t at, eb_device_kind kind, double kernel_s, double limit_flops)
{
    eb_run *run = &b->measured.run[at];
    eb_device device = {.kind = kind, .model = "NVIDIA H200"};
    device.limit[EB_LIMIT_WGMMA_I8] = limit_flops;
    *run = (eb_run){.setup.device = device, .n = N, .d = D, .trials_done = 1, .trials = &b->figures[at]};
    eb_figures_set(&b->figures[at], &eb_figure_kernel, kernel_s);
    eb_figures_set(&b->figures[at], &eb_figure_total, 0.25);
    eb_figures_set(&b->figures[at], &eb_figure_executed_flops, (double)N * N * D);
    eb_figures_set_limit(&b->figures[at], &device, EB_LIMIT_WGMMA_I8);
}

/* INT8 and BF16 are joined after the truth, FP8 is predicted alone. */
static bench *bench_on(eb_device_kind kind)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->points = (eb_dataset){.n = N, .d = D};
    b->session.dataset = &b->points;
    b->errors = (eb_histogram){.bins = 2, .low = -1, .high = 1, .count = calloc(2, sizeof(uint64_t))};
    b->t = (eb_trying){.eps = 1,
                       .want = 0.99,
                       .selectivity = 16,
                       .begun = true,
                       .machine = &h200,
                       .rungs = RUNGS,
                       .pairs = 1000,
                       .slope = 3,
                       .measured = &b->measured,
                       .hurt = RUNGS,
                       .on_gpu = kind == EB_DEVICE_CUDA};
    b->measured.count = RUNGS;
    measure(b, 0, kind, 1e-3, 0);
    (void)snprintf(b->t.setup[RUNGS].spec, sizeof b->t.setup[RUNGS].spec, "exact");
    for (size_t k = 0; k < RUNGS; k++) {
        const double lost = 0.01 * (double)(k + 1);
        b->t.rung[k] = (eb_tried_rung){.rung = &ladder[k],
                                       .prediction = {.overlap = 1 - lost, .low = 1 - 2 * lost, .high = 1},
                                       .run = k < 2 ? k + 1 : SIZE_MAX,
                                       .rate = 0.1 * (double)(k + 1)};
        if (k == 2)
            continue;
        measure(b, k + 1, kind, k == 0 ? 1e-4 : 2e-4, 2e11);
        b->measured.compared[k + 1] = true;
        b->measured.accuracy[k + 1] = (eb_accuracy){.n = N,
                                                    .of = N,
                                                    .overlap = 0.98,
                                                    .common = 98,
                                                    .only_true = 2,
                                                    .points = calloc(N, sizeof(eb_point_overlap)),
                                                    .errors = b->errors};
    }
    return b;
}

static void free_bench(bench *b)
{
    for (size_t k = 1; k < RUNGS; k++)
        free(b->measured.accuracy[k].points);
    free(b->errors.count);
    free(b);
}

static eb_report *report_of(const bench *b)
{
    eb_report *report = eb_report_new("precision");
    eb_report_trying(&b->session, &b->t, report);
    assert_true(eb_report_ok(report));
    return report;
}

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.17g instead of %.17g", found, expected);
}

static bool notes_say(const eb_report *report, const char *text)
{
    bool said = false;
    for (size_t k = 0; k < report->notes; k++)
        said |= strstr(report->note[k], text) != NULL;
    return said;
}

static const char *title_of(const eb_report *report, const char *key)
{
    for (size_t k = 0; k < report->items; k++)
        if (strcmp(report->item[k]->key, key) == 0)
            return report->item[k]->title;
    return NULL;
}

/* 2·n²·d operations in 0.1 ms are 0.2 TFLOPS; half of them are executed, half of what the limit allows. */
TEST(a_gpu_tells_what_each_rung_costs)
{
    bench *b = bench_on(EB_DEVICE_CUDA);
    eb_report *report = report_of(b);
    const eb_table *t = eb_report_find_table(report, EB_F(speeds));
    assert_non_null(t);
    assert_string_equal(title_of(report, "speeds"), "How fast each is, measured on NVIDIA H200");
    assert_int_equal(t->rows, RUNGS + 1);
    assert_near(eb_number_at(t, 0, EB_F(kernel_s)), 1e-4);
    assert_near(eb_number_at(t, 0, EB_F(total_s)), 0.25);
    assert_near(eb_number_at(t, 0, EB_F(tflops_derived)), 0.2);
    assert_near(eb_number_at(t, 0, EB_F(limit_share)), 0.5);
    assert_near(eb_number_at(t, 1, EB_F(limit_share)), 0.25);
    assert_near(eb_number_at(t, 1, EB_F(rate_model)), 0.2);
    assert_true(isnan(eb_number_at(t, 2, EB_F(kernel_s)))); /* not joined */
    assert_near(eb_number_at(t, 2, EB_F(rate_model)), 0.3);
    assert_string_equal(eb_text_at(t, RUNGS, EB_F(rung)), "exact");
    assert_near(eb_number_at(t, RUNGS, EB_F(tflops_derived)), 0.02);
    assert_true(isnan(eb_number_at(t, RUNGS, EB_F(limit_share)))); /* no limit is known */
    const eb_table *rungs = eb_report_find_table(report, EB_F(rungs));
    assert_near(eb_number_at(rungs, 1, EB_F(tflops_derived)), 0.1);
    assert_near(eb_number_at(rungs, 1, EB_F(kernel_s)), 2e-4);
    assert_true(notes_say(report, "model's rate: the same, predicted for NVIDIA H200"));
    assert_false(notes_say(report, "no such kernel"));
    eb_report_free(report);
    free_bench(b);
}

/* INT8 is enough in fewer bytes; it is told if BF16 is faster all the same. */
TEST(the_fastest_type_that_is_enough_is_told)
{
    bench *b = bench_on(EB_DEVICE_CUDA);
    b->t.want = 0.95;
    eb_report *report = report_of(b);
    eb_conclude_trying(&b->t, report);
    assert_false(notes_say(report, "is the fastest"));
    eb_report_free(report);
    eb_figures_set(&b->figures[2], &eb_figure_kernel, 0.5e-4);
    report = report_of(b);
    eb_conclude_trying(&b->t, report);
    assert_true(notes_say(report, "BF16 is the fastest: its kernels take 50.0 µs, those of INT8 100 µs"));
    eb_report_free(report);
    b->t.want = 0.999; /* neither is enough */
    report = report_of(b);
    eb_conclude_trying(&b->t, report);
    assert_false(notes_say(report, "is the fastest"));
    eb_report_free(report);
    free_bench(b);
}

/* The picture: 'a' and 'b' are measured; the model's points of all three are hollow. */
TEST(measured_points_stand_beside_the_models)
{
    bench *b = bench_on(EB_DEVICE_CUDA);
    eb_report *report = report_of(b);
    const eb_series *s = eb_report_find_series(report, EB_F(pareto));
    size_t beside;
    assert_string_equal(s->mark, "aAbBC");
    assert_string_equal(s->x_key, "tflops_derived");
    assert_near(s->x[0], 0.2);
    assert_near(s->y[0], 0.02);
    assert_near(s->x[1], 0.1);
    assert_near(s->y[1], 0.01);
    assert_false(eb_series_is_model(s, 0, &beside));
    assert_true(eb_series_is_model(s, 3, &beside));
    assert_int_equal(beside, 2);
    assert_true(eb_series_is_model(s, 4, &beside));
    assert_true(beside == SIZE_MAX);
    eb_report_free(report);
    free_bench(b);
}

/* An emulation's times say nothing about hardware. */
TEST(an_emulation_has_the_models_rates_alone)
{
    bench *b = bench_on(EB_DEVICE_CPU);
    eb_report *report = report_of(b);
    const eb_table *rungs = eb_report_find_table(report, EB_F(rungs));
    const eb_series *s = eb_report_find_series(report, EB_F(pareto));
    assert_null(eb_report_find_table(report, EB_F(speeds)));
    assert_near(eb_number_at(rungs, 0, EB_F(overlap)), 0.98);
    assert_true(isnan(eb_number_at(rungs, 0, EB_F(kernel_s))));
    assert_true(isnan(eb_number_at(rungs, 0, EB_F(tflops_derived))));
    assert_string_equal(s->mark, "abc");
    assert_string_equal(s->x_key, "tflops_model");
    assert_true(notes_say(report, "no such kernel is measured here"));
    eb_report_free(report);
    free_bench(b);
}

TEST(a_rate_above_its_limit_is_not_believed)
{
    bench *b = bench_on(EB_DEVICE_CUDA);
    eb_figures_set(&b->figures[1], &eb_figure_kernel, 0.25e-4); /* twice the limit */
    eb_report *report = report_of(b);
    assert_true(notes_say(report, "executes 0.4 TFLOPS, above the device's measured limit of 0.2: not believable"));
    eb_report_free(report);
    free_bench(b);
}

TEST(what_the_gpu_lacks_is_told)
{
    bench *b = bench_on(EB_DEVICE_CUDA);
    b->t.rung[2].lacking = true;
    (void)snprintf(b->t.lacks, sizeof b->t.lacks, "cuda:0 has no tensor cores for FP8");
    eb_report *report = report_of(b);
    assert_true(notes_say(report, "predicted only: FP8 E5M2: cuda:0 has no tensor cores for FP8"));
    eb_report_free(report);
    free_bench(b);
}

TEST(the_cpu_emulates_the_core_of_the_gpu)
{
    static const char *const cores[][2] = {{"sm_75", "sm_80"},   {"sm_80", "sm_80"},   {"sm_86", "sm_80"},
                                           {"sm_89", "sm_89"},   {"sm_90", "sm_90"},   {"sm_90a", "sm_90"},
                                           {"sm_100", "sm_100"}, {"sm_120", "sm_100"}, {"", ""},
                                           {"gfx90a", ""}};
    char buffer[EB_CORE_NAME];
    eb_device device = {.kind = EB_DEVICE_CUDA};
    for (size_t k = 0; k < sizeof cores / sizeof cores[0]; k++) {
        (void)snprintf(device.architecture, sizeof device.architecture, "%s", cores[k][0]);
        assert_string_equal(eb_core_of(&device, buffer), cores[k][1]);
    }
    device.kind = EB_DEVICE_CPU;
    (void)snprintf(device.architecture, sizeof device.architecture, "sm_90");
    assert_string_equal(eb_core_of(&device, buffer), "");
}

/* A core without the type leaves the emulation to the usual core; other refusals stay. */
TEST(an_emulation_runs_on_the_cpu)
{
    eb_status status = {.message = ""};
    eb_setup setup;
    eb_session *session = eb_session_new();
    assert_non_null(session);
    assert_int_equal(eb_emulation_setup(session, "sm_80", "tensor[type=bf16]", &setup, &status), EB_OK);
    assert_int_equal(setup.device.kind, EB_DEVICE_CPU);
    assert_int_equal(eb_option_choice(&setup.options, "core"), 0);
    assert_int_equal(eb_emulation_setup(session, "sm_80", "tensor[type=e4m3]", &setup, &status), EB_OK);
    assert_int_equal(eb_option_choice(&setup.options, "core"), 2);
    assert_int_equal(eb_emulation_setup(session, "", "tensor[type=e4m3]", &setup, &status), EB_OK);
    assert_string_equal(setup.spec, "tensor[type=e4m3]");
    assert_int_not_equal(eb_emulation_setup(session, "sm_90", "tensor[type=e4m3,parts=2]", &setup, &status), EB_OK);
    eb_session_free(session);
}

RUN_TESTS
