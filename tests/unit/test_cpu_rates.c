/* Tests of the model's rates by number type: against joins measured on an H200 (tests/bench/gpu.md), in proportion to
 * each other, refused where a GPU lacks the type, and fast enough to ask for each rung. */
#include <math.h>

#include "core/model/rate.h"
#include "tests/unit/machines.h"
#include "tests/unit/sanitized.h"

static const eb_machine *machine_of(const char *name)
{
    const eb_machine *machine = eb_machine_find(machines, machine_count, name);
    assert_non_null(machine);
    return machine;
}

static eb_spec spec_of(const char *text)
{
    eb_status status = {.message = ""};
    eb_spec spec;
    if (eb_spec_parse(text, NULL, &spec, &status))
        fail_msg("%s: %s", text, status.message);
    return spec;
}

static eb_code ask(const char *text, size_t n, size_t d, double S, const char *on, double *rate, eb_status *status)
{
    const eb_spec spec = spec_of(text);
    return eb_model_rate(spec.engine, &spec.options, n, d, S, machine_of(on), rate, status);
}

/* TFLOPS; NAN: no such kernel. */
static double rate_of(const char *text, size_t n, size_t d, const char *on)
{
    eb_status status = {.message = ""};
    double rate;
    if (ask(text, n, d, 64, on, &rate, &status))
        fail_msg("%s: %s", text, status.message);
    return rate * 1e-12;
}

static eb_kernel_plan plan_of(const char *text, size_t n, size_t d, const char *on)
{
    eb_status status = {.message = ""};
    const eb_spec spec = spec_of(text);
    eb_kernel_plan plan;
    if (spec.engine->plan(&spec.options, n, d, machine_of(on), &plan, &status))
        fail_msg("%s: %s", text, status.message);
    return plan;
}

static void check_within(const char *text, size_t d, double found, double expected, double within)
{
    if (!(fabs(found / expected - 1) < within))
        fail_msg("%s at d = %zu: %.0f TFLOPS, expected %.0f", text, d, found, expected);
}

/* ---- against joins ---- */

/* TFLOPS of a GPU that is kept busy for long. */
static double kept_up(const char *text, size_t n, size_t d)
{
    eb_status status;
    eb_prediction p;
    const eb_kernel_plan plan = plan_of(text, n, d, "h200");
    assert_int_equal(eb_predict(&plan, machine_of("h200"), 0, NULL, &p, &status), EB_OK);
    return 1e-12 * p.derived_flops / fmax(p.load.clocks / p.clock.low, p.load.dram_s);
}

/* Products of bytes by FASTED's kernel, counting, S = 64, after 0.4 s of the same work; d = 784 in a join of
 * 2026-11-28. */
TEST(integers_as_measured)
{
    static const struct {
        size_t n, d;
        double tops;
    } measured[] = {{100000, 784, 2703}, {100000, 1024, 2699}};
    for (size_t k = 0; k < sizeof measured / sizeof measured[0]; k++)
        check_within("s8", measured[k].d, kept_up("tensor[type=s8]", measured[k].n, measured[k].d), measured[k].tops,
                     0.06);
    check_within("s8, four groups", 128, kept_up("exact[way=integers]", 400000, 128), 2497, 0.15);
}

/* The same runs in FP16. */
TEST(fp16_as_measured)
{
    check_within("f16", 128, kept_up("fasted", 500000, 128), 1332, 0.1);
    check_within("f16", 784, kept_up("fasted", 100000, 784), 1409, 0.06);
    check_within("f16", 1024, kept_up("fasted", 100000, 1024), 1443, 0.06);
}

/* Without options tensor has FASTED's kernel, by either instruction, on any GPU; for short rows that with two groups.
 */
TEST(fp16_is_fasteds)
{
    static const char *const on[] = {"h200", "h100-pcie", "a100-sxm", "l40s"};
    for (size_t k = 0; k < sizeof on / sizeof on[0]; k++)
        for (size_t d = 64; d <= 2048; d *= 4) {
            const double fasted = rate_of("fasted[-four-groups]", 300000, d, on[k]);
            assert_true(rate_of("tensor", 300000, d, on[k]) == fasted);
            assert_true(rate_of("tensor[type=bf16]", 300000, d, on[k]) == fasted);
        }
    assert_true(rate_of("tensor[path=mma]", 50000, 256, "h200") == rate_of("fasted[-warpgroup]", 50000, 256, "h200"));
    assert_true(rate_of("tensor[type=f64]", 50000, 256, "a100-sxm") == rate_of("ted", 50000, 256, "a100-sxm"));
}

/* ---- proportions ---- */

/* Products that wgmma keeps up for long, as measured: with them the board's power is at its limit. */
TEST(products_kept_up)
{
    const eb_machine *h200 = machine_of("h200");
    static const double measured[EB_RATES] =
        {[EB_RATE_TF32] = 831.0 / 2, [EB_RATE_F16] = 831, [EB_RATE_FP8] = 1696, [EB_RATE_S8] = 1801};
    for (eb_rate rate = EB_RATE_TF32; rate < EB_RATES; rate++)
        check_within(eb_rate_title(rate), 0, 1e-12 * eb_kept_up(h200, rate), measured[rate], 0.02);
}

/* At d = 8192 products and the power for bytes decide: rates are those of the instructions, doubled by symmetry, less
 * what bytes from DRAM cost, which are as many for each type and fewer for each product of parts. */
TEST(products_decide_long_points)
{
    static const struct {
        const char *spec;
        double of_f16, within;
    } rung[] = {{"tensor[type=bf16]", 1, 0.05},
                {"tensor[type=tf32]", 0.5, 0.05},
                {"tensor[type=e4m3,promote=0]", 1696.0 / 831, 0.07},
                {"tensor[type=e4m3]", 1.37, 0.1}, /* DeepGEMM has 1113 of 831 */
                {"tensor[type=s8]", 1801.0 / 831, 0.05},
                {"tensor[type=f16,parts=2]", 0.36, 0.06},
                {"tensor[type=bf16,parts=3]", 0.18, 0.05},
                {"tensor[type=s8,parts=2]", 0.75, 0.05}};
    const double f16 = rate_of("tensor[type=f16]", 100000, 8192, "h200");
    check_within("f16", 8192, f16 / 2, 730, 0.05);
    for (size_t k = 0; k < sizeof rung / sizeof rung[0]; k++)
        check_within(rung[k].spec, 8192, rate_of(rung[k].spec, 100000, 8192, "h200"), f16 * rung[k].of_f16,
                     rung[k].within);
}

/* At a clock that is given products take their time at that clock, whatever the power. */
TEST(a_given_clock_is_taken_as_it_is)
{
    eb_status status;
    eb_prediction predicted, given;
    const eb_machine *h200 = machine_of("h200");
    const eb_kernel_plan plan = plan_of("tensor", 20000, 2048, "h200");
    assert_int_equal(eb_predict(&plan, h200, 0, NULL, &predicted, &status), EB_OK);
    assert_int_equal(eb_predict(&plan, h200, h200->clock_hz, NULL, &given, &status), EB_OK);
    assert_true(given.clock_given && !predicted.clock_given);
    assert_true(predicted.clock.low < predicted.clock_hz && predicted.clock_hz < h200->tensor_clock_hz);
    assert_true(given.clock.low == h200->clock_hz && given.clock.high == h200->clock_hz);
    assert_true(fabs(given.roof_flops / (2 * 2048 * 132 * 1.98e9) - 1) < 1e-9);
    assert_true(eb_power_at(h200, &predicted.load, predicted.clock.low) < 1.001 * h200->power.limit_w);
}

/* A slice has 128 bytes of every type; parts lengthen a point. */
TEST(bytes_of_a_point)
{
    static const struct {
        const char *spec;
        size_t bytes;
    } wanted[] = {{"tensor[type=s8]", 256},
                  {"tensor[type=f16]", 384},
                  {"tensor[type=tf32]", 640},
                  {"tensor[type=f64]", 1056},
                  {"tensor[type=bf16,parts=3]", 1152}};
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
        const eb_kernel_plan plan = plan_of(wanted[k].spec, 5000, 130, "h200");
        assert_int_equal(plan.point_bytes, wanted[k].bytes);
        assert_false(plan.compiled);
        assert_int_equal(eb_slice_use(&plan, EB_ALL_ACCESSES).conflicts, 0);
    }
}

/* ---- what a GPU lacks ---- */

static void check_refused(const char *text, const char *on, const char *says)
{
    eb_status status = {.message = ""};
    double rate = 1;
    const eb_spec spec = spec_of(text);
    eb_kernel_plan plan;
    assert_int_equal(ask(text, 1000, 64, 64, on, &rate, &status), EB_OK);
    assert_true(isnan(rate));
    assert_string_equal(status.message, says);
    assert_int_equal(spec.engine->plan(&spec.options, 1000, 64, machine_of(on), &plan, &status), EB_NO_ENGINE);
}

TEST(types_that_a_gpu_lacks)
{
    check_refused("tensor[type=e4m3]", "a100-sxm",
                  "NVIDIA A100-SXM4-80GB has no tensor cores for E4M3, which need compute capability 8.9 (L40, H100)");
    check_refused("tensor[path=wgmma]", "a100-sxm",
                  "NVIDIA A100-SXM4-80GB has no wgmma, which only compute capability 9.0 has; take path=auto");
    check_refused("tensor[path=wgmma]", "b200",
                  "NVIDIA B200 has no wgmma, which only compute capability 9.0 has; take path=auto");
    assert_true(rate_of("tensor[type=e4m3]", 100000, 256, "l40s") > rate_of("tensor", 100000, 256, "l40s"));
    assert_string_equal(plan_of("tensor", 1000, 64, "b200").title, "cluster tiles by tcgen05");
    assert_string_equal(plan_of("fasted", 1000, 64, "b200").title, "block tiles by mma.sync");
}

TEST(engines_without_a_plan)
{
    eb_status status = {.message = ""};
    double rate = 1;
    assert_int_equal(ask("ego", 1000, 64, 64, "h200", &rate, &status), EB_OK);
    assert_true(isnan(rate));
    assert_string_equal(status.message, "the model does not know the kernels of ego");
    assert_true(isnan(rate_of("tensor[type=f64]", 1000, 64, "l40s"))); /* a block does not fit */
}

TEST(options_that_exclude_each_other)
{
    eb_status status;
    double rate = 1;
    assert_int_equal(ask("tensor[type=e4m3,parts=2]", 1000, 64, 64, "h200", &rate, &status), EB_USAGE);
    assert_true(isnan(rate));
}

/* ---- speed ---- */

/* The rate by the first tiles is that of all, but for what their share of DRAM costs the clock, and takes a few
 * milliseconds. */
TEST(the_first_tiles_stand_for_all)
{
    static const char *const specs[] = {"tensor[type=s8]", "tensor", "tensor[type=tf32]", "tensor[path=mma]"};
    if (EB_SANITIZED)
        skip(); /* whole replays take a minute */
    for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++)
        for (size_t d = 128; d <= 1024; d *= 8) {
            eb_status status;
            eb_prediction whole;
            const eb_kernel_plan plan = plan_of(specs[k], 200000, d, "h200");
            assert_int_equal(eb_predict(&plan, machine_of("h200"), 0, NULL, &whole, &status), EB_OK);
            check_within(specs[k], d, rate_of(specs[k], 200000, d, "h200"),
                         whole.derived_flops / whole.kernel_s * 1e-12, d < 1024 ? 0.02 : 0.1);
        }
}

RUN_TESTS_WITH(begin, end)
