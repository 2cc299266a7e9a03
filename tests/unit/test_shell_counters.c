/* GPU counters: the table of counters is well formed and CUPTI accepts it; `counters` reports and logs what is known
 * without a GPU; measured limits are cached. */
#include <math.h>
#include <unistd.h>

#include "kernels/device/counters.h"
#include "shell/commands/commands.h"
#include "shell/lab/model_report.h"
#include "shell/lab/modelled_times.h"
#include "tests/unit/shell_session.h"
#include "tests/unit/store_log.h"
#include "tests/unit/test.h"

/* ---- the counters ---- */

static bool is_one_of(const char *text, const char *const *texts, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(text, texts[k]) == 0)
            return true;
    return false;
}

TEST(the_table_is_well_formed)
{
    static const char *const units[] = {"ratio", "count", "hertz", "seconds", "bytes"};
    assert_true(eb_counter_count() > 0);
    for (size_t k = 0; k < eb_counter_count(); k++) {
        const eb_counter *c = eb_counter_at(k);
        assert_true(c->key[0] != '\0' && strspn(c->key, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(c->key));
        assert_true(c->title[0] != '\0');
        assert_true(is_one_of(c->unit, units, 5));
        assert_non_null(strstr(c->first, "__"));
        assert_true(c->scale > 0);
        assert_true(c->second || !c->quotient);
        if (c->second)
            assert_string_not_equal(c->first, c->second);
        if (strstr(c->first, ".pct_")) /* a percentage, not a ratio of two counts */
            assert_true(!c->second && c->scale == 0.01 && strcmp(c->unit, "ratio") == 0);
        for (size_t j = 0; j < k; j++)
            assert_string_not_equal(eb_counter_at(j)->key, c->key);
    }
}

/* Measured counts of an H200, and counts such as an A100 gives, determine which tensor cores ran. */
TEST(paths_are_told_by_what_was_multiplied)
{
    static const struct {
        double hmma, gmma, imma, hfma2, hgmma_ops, igmma_ops, dmma;
        const char *words;
    } cases[] = {
        {0, 43992192, 43992192, 0, 0, 1.15e13, 0, "8-bit integers by wgmma (igmma)"},
        {87984384, 87984384, 0, 0, 1.15e13, 0, 0, "FP16 by wgmma (hgmma)"},
        {9823588, 9809408, 0, 14180, 1.28e12, 0, 0, "FP16 by wgmma (hgmma)"},
        {5626200064, 0, 0, 0, 0, 0, 0, "FP16 by mma (hmma)"},
        {700, 0, 300, 700, NAN, NAN, 0, "8-bit integers by mma (imma)"},
        {700, NAN, 0, 0, NAN, NAN, 5, "FP16 by mma (hmma), FP64 by mma (dmma)"},
        {0, 0, 0, 0, 0, 0, 0, "none: CUDA cores only"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double values[64];
        const char *keys[] = {"hmma_instructions", "gmma_instructions", "imma_instructions", "hfma2_instructions",
                              "hgmma_ops",         "igmma_ops",         "dmma_instructions"};
        char words[160];
        assert_true(eb_counter_count() <= 64);
        for (size_t k = 0; k < eb_counter_count(); k++)
            for (size_t j = 0; j < sizeof keys / sizeof *keys; j++)
                if (strcmp(eb_counter_at(k)->key, keys[j]) == 0)
                    values[k] = (&cases[c].hmma)[j];
        eb_counters_tensor_path(values, words, sizeof words);
        assert_string_equal(words, cases[c].words);
    }
}

/* Hopper has all counters, Ampere all but those of wgmma. */
TEST(cupti_schedules_the_counters_in_few_passes)
{
    static const struct {
        const char *chip;
        size_t lacks, passes;
    } chips[] = {{"GH100", 0, 4}, {"GA100", 3, 7}};
#if defined(EB_SANITIZE_ADDRESS) || defined(EB_SANITIZE_THREAD)
    print_message("the metrics' names were not checked: CUPTI's host half cannot be loaded beside a sanitizer\n");
    skip();
#endif
    for (size_t k = 0; k < 2; k++) {
        eb_status status = {0};
        size_t passes = 77, known = 77;
        eb_code failed = eb_counters_passes(chips[k].chip, &passes, &known, &status);
        if (failed == EB_NO_DEVICE) {
            assert_true(strlen(status.message) > 20);
            print_message("the metrics' names were not checked: %s\n", status.message);
            skip();
        }
        assert_ok(failed, status);
        assert_int_equal(passes, chips[k].passes);
        assert_int_equal(known, eb_counter_count() - chips[k].lacks);
    }
    eb_status status = {0};
    size_t passes, known;
    assert_refused(eb_counters_passes("no such chip", &passes, &known, &status), EB_USAGE, status);
}

/* ---- a team's devices ---- */

/* A profiler whose device k counts k + 1 of everything but the first counter; `missing` cannot be read. */
static int missing, asked[8], times_asked;

static eb_code count_some(int device, eb_code (*work)(void *context, eb_status *status), void *context, double *values,
                          size_t *passes, eb_status *status)
{
    asked[times_asked++] = device;
    if (device == missing)
        return eb_fail(status, EB_NO_DEVICE, "the profiler does not start");
    EB_TRY(work(context, status));
    for (size_t k = 0; k < eb_counter_count(); k++)
        values[k] = k == 0 ? (double)NAN : device + 1;
    *passes = 7;
    return EB_OK;
}

static eb_code work_once(void *context, eb_status *status)
{
    unsigned *left = context;
    return (*left)-- > 0 ? EB_OK : eb_fail(status, EB_INTERNAL, "other pairs than before");
}

static eb_code collect_of(unsigned members, const int *member, unsigned works, eb_team_counters *out, eb_status *status)
{
    eb_device team = {.kind = EB_DEVICE_CUDA, .members = members};
    memcpy(team.member, member, members * sizeof *member);
    times_asked = 0;
    *status = (eb_status){.message = ""};
    return eb_team_counters_collect(&team, count_some, work_once, &works, out, status);
}

TEST(each_device_of_a_team_is_counted_once)
{
    static const int members[] = {2, 0, 2};
    double total[64];
    eb_team_counters counters;
    eb_status status;
    missing = -1;
    assert_true(eb_counter_count() <= 64);
    assert_ok(collect_of(3, members, 2, &counters, &status), status);
    assert_int_equal(counters.devices, 2);
    assert_int_equal(times_asked, 2);
    assert_int_equal(asked[0], 2);
    assert_int_equal(asked[1], 0);
    assert_string_equal(counters.device[0].name, "cuda:2");
    assert_string_equal(counters.device[1].name, "cuda:0");
    assert_int_equal(counters.passes, 7);
    eb_team_counters_total(&counters, total);
    assert_true(isnan(total[0]));
    for (size_t k = 1; k < eb_counter_count(); k++) {
        const char *unit = eb_counter_at(k)->unit;
        const bool adds = strcmp(unit, "count") == 0 || strcmp(unit, "bytes") == 0;
        assert_true(total[k] == (adds ? 4 : strcmp(unit, "seconds") == 0 ? 3 : 2));
    }
    eb_team_counters_free(&counters);
}

/* Of all together there is no value then, never a sum of some. */
TEST(a_device_without_counters_leaves_the_others)
{
    static const int members[] = {0, 1, 2};
    double total[64];
    eb_team_counters counters;
    eb_status status;
    missing = 1;
    assert_ok(collect_of(3, members, 3, &counters, &status), status);
    assert_non_null(counters.device[0].values);
    assert_null(counters.device[1].values);
    assert_string_equal(counters.device[1].why_not, "the profiler does not start");
    assert_true(counters.device[2].values[1] == 3);
    eb_team_counters_total(&counters, total);
    for (size_t k = 0; k < eb_counter_count(); k++)
        assert_true(isnan(total[k]));
    eb_team_counters_free(&counters);
    assert_refused(collect_of(1, members + 1, 3, &counters, &status), EB_NO_DEVICE, status);
    assert_string_equal(status.message, "the profiler does not start");
    eb_team_counters_free(&counters);
    assert_refused(collect_of(2, members, 0, &counters, &status), EB_INTERNAL, status);
    assert_string_equal(status.message, "cuda:0: other pairs than before");
    eb_team_counters_free(&counters);
}

/* ---- the command on the CPU ---- */

static void assert_na(eb_value value) { assert_int_equal(value.kind, EB_NA); }

static size_t row_of(const eb_table *table, const char *metric)
{
    for (size_t r = 0; r < table->rows; r++)
        if (strcmp(cell_of(table, r, "metric").as.text, metric) == 0)
            return r;
    fail_msg("no row %s", metric);
    return 0;
}

TEST(without_a_gpu_the_model_predicts)
{
    eb_session *session = session_with_points();
    eb_report *report = report_of(session, "counters fasted,ego eps=3");
    const eb_table *counters = table_of(report, "counters"), *runs = table_of(report, "runs");
    size_t predicted = 0;
    assert_int_equal(counters->columns, 7);
    assert_int_equal(runs->rows, 2);
    assert_true(counters->rows > eb_counter_count());
    for (size_t r = 0; r < eb_counter_count(); r++) {
        assert_text(cell_of(counters, r, "metric"), eb_counter_at(r)->key);
        if (cell_of(counters, r, "fasted").kind == EB_NA)
            assert_na(cell_of(counters, r, "fasted_source"));
        else {
            assert_text(cell_of(counters, r, "fasted_source"), "model");
            predicted++;
        }
        assert_na(cell_of(counters, r, "ego"));
        assert_na(cell_of(counters, r, "ego_source"));
    }
    assert_int_equal(predicted, 17);
    assert_text(field_of(report, "modelled_gpu"), "NVIDIA H200");
    assert_na(cell_of(counters, row_of(counters, "energy_j"), "ego_source"));
    assert_na(cell_of(counters, row_of(counters, "l1_hit_rate"), "fasted"));
    size_t rate = row_of(counters, "tflops_derived");
    assert_text(cell_of(counters, rate, "ego_source"), "time");
    assert_true(cell_of(counters, rate, "ego").as.real > 0);
    assert_true(cell_of(counters, rate, "ego").as.real == cell_of(runs, 1, "tflops_derived").as.real);
    assert_true(cell_of(runs, 0, "kernel_s").as.real > 0);
    assert_na(field_of(report, "passes"));
    assert_na(cell_of(table_of(report, "paths"), 0, "tensor_path"));
    assert_true(noted(report, "set device=cuda:0"));
    assert_true(noted(report, "the model does not know the kernels of ego"));
    eb_report_free(report);
    eb_session_free(session);
}

/* Counted on an H200: 300,000 × 128 by wgmma (tests/bench/gpu.md), 100,000 × 784 and 4096 (counters_h200.tsv). */
TEST(predicted_counters_are_near_counted_ones)
{
    static const struct {
        const char *engine;
        size_t n, d;
        const char *key;
        double counted, within;
    } cases[] = {
        {"fasted", 300000, 128, "gmma_instructions", 87984384, 0.01},
        {"fasted", 300000, 128, "hgmma_ops", 1.15e13, 0.01},
        {"fasted", 100000, 784, "l2_to_l1_bytes", 9.8333e10, 0.02},
        {"fasted", 100000, 4096, "dram_to_l2_bytes", 3.6518e10, 0.12},
        {"fasted", 100000, 1024, "l2_hit_rate", 0.8818, 0.05},
        {"fasted", 100000, 4096, "occupancy", 0.1875, 0.001},
        {"fasted", 100000, 4096, "tensor_f16_active", 0.97, 0.25},
    };
    eb_status status = {0};
    eb_session *session = eb_session_new();
    eb_machine machine;
    assert_ok(eb_model_gpu(session, "h200", &machine, &status), status);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const eb_engine *engine;
        eb_options options;
        double values[64] = {0};
        assert_ok(eb_engine_find(cases[k].engine, strlen(cases[k].engine), &engine, &status), status);
        eb_options_default(&engine->options, &options);
        assert_ok(eb_modelled_counters(engine, &options, cases[k].n, cases[k].d, 0, &machine, NULL, values, &status),
                  status);
        for (size_t c = 0; c < eb_counter_count(); c++)
            if (strcmp(eb_counter_at(c)->key, cases[k].key) == 0 &&
                !(fabs(values[c] / cases[k].counted - 1) <= cases[k].within))
                fail_msg("%s of %zu × %zu: %g, counted %g", cases[k].key, cases[k].n, cases[k].d, values[c],
                         cases[k].counted);
    }
    eb_session_free(session);
}

TEST(a_gpu_that_the_model_does_not_know_is_refused)
{
    eb_session *session = session_with_points();
    refuses_line(session, "counters fasted eps=3 on=teapot", EB_NO_DEVICE, "no GPU called teapot");
    eb_session_free(session);
}

TEST(what_was_known_is_logged_and_shown)
{
    eb_status status = {0};
    eb_session *session = session_with_points();
    session->store = open_log("counters.db");
    written w = begin(session->store, "counters fasted eps=3");
    session->session_row = w.session;
    session->command_row = w.command;
    eb_report *report = report_of(session, "counters fasted eps=3"), *shown = eb_report_new("show");
    const eb_table *counters = table_of(report, "counters");
    double derived = cell_of(counters, row_of(counters, "tflops_derived"), "fasted").as.real;
    assert_non_null(session->store);
    assert_string_equal(look(session->store, "SELECT group_concat(DISTINCT source) FROM v_counters"), "model");
    assert_ok(eb_store_show(session->store, 1, shown, &status), status);
    const eb_table *kept = table_of(shown, "counters");
    assert_text(cell_of(kept, 0, "metric"), "tflops_derived");
    assert_text(cell_of(kept, 0, "source"), "time");
    assert_string_equal(look(session->store, "SELECT count(*) FROM v_counters WHERE metric = 'sm_clock_hz'"), "0");
    assert_real(cell_of(kept, 0, "value"), derived);
    eb_report_free(report);
    eb_report_free(shown);
    eb_session_free(session);
}

/* ---- limits ---- */

static eb_device a_gpu(void)
{
    return (
        eb_device){.kind = EB_DEVICE_CUDA, .index = 1, .name = "cuda:1", .model = "Some GPU", .architecture = "sm_90"};
}

TEST(limits_come_from_the_log_or_the_session)
{
    eb_status status = {0};
    char measured_at[EB_MOMENT_BYTES];
    eb_session *session = session_with_points();
    eb_device gpu = a_gpu(), cpu = {.kind = EB_DEVICE_CPU, .name = "cpu", .limit = {[EB_LIMIT_F64] = 5}};
    eb_limits_look_up(session, &cpu, NULL);
    for (eb_limit k = 0; k < EB_LIMITS; k++)
        assert_true(cpu.limit[k] == 0);
    session->limit[1][EB_LIMIT_MMA_F16] = session->limit[1][EB_LIMIT_MMA_TF32] = 6e14;
    session->limit[1][EB_LIMIT_F64] = 3e13;
    eb_limits_look_up(session, &gpu, measured_at);
    assert_true(gpu.limit[EB_LIMIT_MMA_F16] == 6e14);
    assert_true(gpu.limit[EB_LIMIT_F64] == 3e13);
    assert_true(gpu.limit[EB_LIMIT_MMA_F64] == 0);
    assert_string_equal(measured_at, "");

    session->store = open_log("limits.db");
    gpu.limit[EB_LIMIT_MMA_F16] = gpu.limit[EB_LIMIT_MMA_TF32] = 7e14;
    assert_ok(eb_store_limits_set(session->store, &gpu, &status), status);
    memset(gpu.limit, 0, sizeof gpu.limit);
    eb_limits_look_up(session, &gpu, measured_at);
    assert_true(gpu.limit[EB_LIMIT_MMA_F16] == 7e14);
    assert_int_equal(measured_at[4], '-');
    eb_report *report = eb_report_new("devices");
    assert_ok(eb_report_limits(session, &gpu, 1, false, report, NULL, &status), status);
    assert_real(cell_of(table_of(report, "limits"), 0, "tensor_f16_tflops"), 700);
    assert_na(cell_of(table_of(report, "limits"), 0, "copy_bytes_per_s"));
    assert_int_equal(report->notes, 0);
    eb_report_free(report);
    eb_session_free(session);
}

/* A session without a log, or with a new log, finds limits that another session measured. */
TEST(limits_are_kept_in_the_users_cache)
{
    eb_status status = {0};
    char measured_at[EB_MOMENT_BYTES];
    assert_int_equal(setenv("XDG_CACHE_HOME", in_folder("cache"), 1), 0);
    eb_session *session = session_with_points();
    eb_device gpu = a_gpu(), other = a_gpu();
    memset(gpu.limit, 0, sizeof gpu.limit);
    eb_limits_look_up(session, &gpu, measured_at);
    assert_false(eb_limits_known(gpu.limit));

    eb_store *cache = open_log("cache/epsbench/limits.db");
    gpu.limit[EB_LIMIT_MMA_F16] = 4e14; /* as older programs wrote: not all that is asked for now */
    assert_ok(eb_store_limits_set(cache, &gpu, &status), status);
    eb_limits_look_up(session, &other, NULL);
    assert_false(eb_limits_known(other.limit));
    gpu.limit[EB_LIMIT_MMA_F16] = gpu.limit[EB_LIMIT_MMA_TF32] = 5e14;
    assert_ok(eb_store_limits_set(cache, &gpu, &status), status);
    eb_store_close(cache);
    memset(gpu.limit, 0, sizeof gpu.limit);
    eb_limits_look_up(session, &gpu, measured_at);
    assert_true(gpu.limit[EB_LIMIT_MMA_F16] == 5e14 && measured_at[4] == '-');
    (void)snprintf(other.driver, sizeof other.driver, "CUDA 99.0"); /* measured under another driver: not valid */
    eb_limits_look_up(session, &other, NULL);
    assert_false(eb_limits_known(other.limit));
    assert_int_equal(unsetenv("XDG_CACHE_HOME"), 0);
    eb_session_free(session);
    assert_int_equal(unlink(in_folder("cache/epsbench/limits.db")), 0);
    assert_int_equal(rmdir(in_folder("cache/epsbench")), 0);
    assert_int_equal(rmdir(in_folder("cache")), 0);
}

TEST(every_limit_has_a_name)
{
    for (eb_limit k = 0; k < EB_LIMITS; k++) {
        const eb_limit_name *name = eb_limit_name_of(k);
        assert_true(name->metric[0] && name->metric_unit[0] && name->field->title && name->brief[0]);
        assert_true(name->scale > 0);
        for (eb_limit j = 0; j < k; j++) {
            assert_string_not_equal(eb_limit_name_of(j)->field->key, name->field->key);
            assert_string_not_equal(eb_limit_name_of(j)->metric, name->metric);
        }
    }
}

RUN_TESTS_WITH(make_folder, remove_folder)
