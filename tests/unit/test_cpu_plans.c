/* Tests of the machine model of engines other than fasted: times against those measured on an H200
 * (tests/bench/gpu.md), kernels over an index's candidates, and what the model refuses to say. */
#include <math.h>

#include "tests/unit/machines.h"

static eb_code try_plan(const char *spec, size_t n, size_t d, const char *on, eb_kernel_plan *plan, eb_status *status)
{
    eb_spec parsed;
    assert_int_equal(eb_spec_parse(spec, NULL, &parsed, status), EB_OK);
    assert_non_null(parsed.engine->plan);
    return parsed.engine->plan(&parsed.options, n, d, eb_machine_find(machines, machine_count, on), plan, status);
}

static eb_prediction predict(const char *spec, size_t n, size_t d, double candidates)
{
    eb_status status;
    eb_kernel_plan plan;
    eb_prediction p;
    if (try_plan(spec, n, d, "h200", &plan, &status))
        fail_msg("%s: %s", spec, status.message);
    if (candidates > 0)
        plan.candidates = candidates;
    assert_int_equal(eb_predict(&plan, eb_machine_find(machines, machine_count, "h200"), 0, NULL, &p, &status), EB_OK);
    return p;
}

typedef struct timed {
    const char *spec;
    size_t n, d;
    double candidates, ms; /* candidates 0: all pairs */
} timed;

static void check_times(const timed *measured, size_t count, double low, double high)
{
    for (size_t k = 0; k < count; k++) {
        const timed *m = &measured[k];
        const double ms = 1e3 * predict(m->spec, m->n, m->d, m->candidates).kernel_s;
        if (!(ms > low * m->ms && ms < high * m->ms))
            fail_msg("%s, %zu × %zu: %.3f ms, measured %.3f", m->spec, m->n, m->d, ms, m->ms);
    }
}

#define CHECK(measured, low, high) check_times(measured, sizeof(measured) / sizeof((measured)[0]), low, high)

/* 200,000 points, S = 64, counting; then 100,000 by the derived rates of a table with hits. */
TEST(test_ref64)
{
    static const timed measured[] = {{"ref64", 200000, 1, 0, 3.36},    {"ref64", 200000, 3, 0, 8.60},
                                     {"ref64", 200000, 8, 0, 21.2},    {"ref64", 200000, 16, 0, 43.5},
                                     {"ref64", 200000, 17, 0, 54.0},   {"ref64", 200000, 64, 0, 171.2},
                                     {"ref64", 100000, 256, 0, 168.4}, {"ref64", 100000, 512, 0, 333.6}};
    CHECK(measured, 0.9, 1.1);
}

/* ted is in test_cpu_model. */
TEST(test_wmma)
{
    static const timed measured[] = {{"wmma", 100000, 64, 0, 37.0},      {"wmma", 100000, 512, 0, 262.6},
                                     {"wmma", 100000, 4096, 0, 2340.6},  {"wmma-ref", 100000, 64, 0, 60.7},
                                     {"wmma-ref", 100000, 128, 0, 74.4}, {"wmma-ref", 100000, 512, 0, 202.8}};
    CHECK(measured, 0.8, 1.1);
}

/* The lines that warps ask L1 for explain these times without a constant of their own. */
TEST(test_lines)
{
    static const timed measured[] = {{"ted[paper]", 100000, 64, 0, 279.5},
                                     {"ted[paper]", 100000, 128, 0, 615.4},
                                     {"ted[paper]", 100000, 256, 0, 1422.2},
                                     {"ted[paper]", 50000, 512, 0, 755.2},
                                     {"ted[paper,shape=16x8x16]", 100000, 64, 0, 98.5},
                                     {"ted[paper,shape=16x8x16]", 100000, 128, 0, 188.2},
                                     {"ted[paper,shape=16x8x16]", 100000, 256, 0, 461.3},
                                     {"ted[paper,shape=16x8x16]", 50000, 512, 0, 284.4},
                                     {"gds", 100000, 128, 0, 312.6},
                                     {"gds[f64]", 100000, 128, 0, 640}};
    CHECK(measured, 0.8, 1.2);
}

/* FP16 and integers at S = 64 (tests/bench/gpu.md): products alone. The clock under load is the model's to find. */
TEST(test_exact)
{
    static const timed measured[] =
        {{"exact[way=integers]", 400000, 128, 0, 23.0},      {"exact[way=integers]", 100000, 128, 0, 2.04},
         {"exact[way=integers]", 100000, 784, 0, 6.65},      {"exact[way=integers]", 100000, 1024, 0, 7.59},
         {"exact[way=fp16]", 100000, 128, 0, 2.60},          {"exact[way=fp16]", 100000, 512, 0, 8.57},
         {"exact[way=fp16]", 400000, 512, 0, 141.1},         {"exact[way=int8]", 100000, 128, 0, 2.06},
         {"exact[way=int8]", 100000, 512, 0, 3.99},          {"exact[way=int8]", 400000, 512, 0, 60.8},
         {"exact[way=int8,axes=127]", 400000, 512, 0, 27.1}, {"exact[way=int8,axes=255]", 400000, 512, 0, 30.7},
         {"exact[way=ref64]", 100000, 512, 0, 333.6}};
    CHECK(measured, 0.75, 1.25);
}

/* Runs with at least 800 candidates a point; with fewer, warps are not full, and the index's own time counts. */
TEST(test_candidates)
{
    static const timed measured[] = {{"gds[bare]", 286048, 10, 7566, 8.43}, {"gds", 286048, 10, 4209, 5.20},
                                     {"gds", 1000000, 3, 858, 2.97},        {"gds[f64]", 286048, 10, 1193, 2.53},
                                     {"ted-index", 286048, 10, 4209, 6.46}, {"ted-index[bare]", 286048, 10, 7566, 13.9},
                                     {"mistic", 1000000, 3, 831, 3.27}};
    CHECK(measured, 0.75, 1.1);
    const eb_prediction all = predict("gds", 100000, 16, 0), some = predict("gds", 100000, 16, 1000);
    assert_true(fabs(some.kernel_s / all.kernel_s - 0.01) < 0.001);
    assert_true(predict("gds", 100000, 16, 1e9).kernel_s == all.kernel_s);
    assert_true(isnan(some.cache.hit_rate) && isnan(some.cache.dram_bytes));
    assert_true(fabs(predict("gds[unidirectional]", 100000, 16, 0).kernel_s / all.kernel_s - 0.5) < 0.01);
}

/* What depends on the points is told, or refused. */
TEST(test_assumptions)
{
    static const char *const told[] = {"gds",      "mistic",          "ted-index",       "ted[paper]",
                                       "wmma-ref", "exact[way=fp16]", "exact[way=int8]", "exact[way=integers]"};
    static const char *const refused[] = {"exact", "exact[way=boxes]", "mistic[threads=8]",
                                          "ted[paper,shape=differences]"};
    eb_status status;
    eb_kernel_plan plan;
    for (size_t k = 0; k < sizeof told / sizeof told[0]; k++) {
        assert_int_equal(try_plan(told[k], 5000, 30, "h200", &plan, &status), EB_OK);
        assert_true(plan.assumes && strlen(plan.assumes) > 30);
    }
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
        assert_int_equal(try_plan(refused[k], 5000, 30, "h200", &plan, &status), EB_NO_ENGINE);
        assert_true(strlen(status.message) > 30);
    }
    assert_int_equal(try_plan("ref64", 5000, 30, "h200", &plan, &status), EB_OK);
    assert_null(plan.assumes);
}

/* Every plan can be predicted at any shape on GPUs that hold its blocks. */
TEST(test_shapes)
{
    static const char *const specs[] = {"ref64",
                                        "wmma",
                                        "wmma-ref",
                                        "ted",
                                        "ted[paper]",
                                        "ted-index",
                                        "gds",
                                        "gds[f64]",
                                        "mistic",
                                        "exact[way=integers]",
                                        "exact[way=int8]",
                                        "exact[way=fp16]"};
    static const char *const gpus[] = {"h200", "a100-pcie", "rtx4090"};
    static const size_t n[] = {2, 4097}, d[] = {1, 5, 16, 17, 130};
    eb_status status;
    eb_kernel_plan plan;
    eb_prediction p;
    for (size_t s = 0; s < sizeof specs / sizeof specs[0]; s++)
        for (size_t k = 0; k < sizeof n / sizeof n[0] * (sizeof d / sizeof d[0]); k++)
            for (size_t m = 0; m < sizeof gpus / sizeof gpus[0]; m++) {
                const size_t points = n[k % 2], dimensions = d[k / 2];
                const eb_machine *machine = eb_machine_find(machines, machine_count, gpus[m]);
                if (try_plan(specs[s], points, dimensions, gpus[m], &plan, &status) == EB_NO_ENGINE)
                    continue;
                const eb_code failed = eb_predict(&plan, machine, 0, NULL, &p, &status);
                if (failed == EB_NO_DEVICE)
                    continue;
                if (failed || !(p.kernel_s > 0 && isfinite(p.kernel_s) && p.executed_flops > 0))
                    fail_msg("%s, %zu × %zu on %s: %g s", specs[s], points, dimensions, gpus[m], p.kernel_s);
            }
}

RUN_TESTS_WITH(begin, end)
