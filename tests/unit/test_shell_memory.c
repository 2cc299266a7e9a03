/* The memory chart: bytes agree with the model's intensities, counters replace the model's values, and unknown values
 * are not drawn. */
#include <math.h>

#include "core/engine/spec.h"
#include "core/report/find.h"
#include "shell/lab/memory_report.h"
#include "tests/unit/named.h"
#include "tests/unit/test.h"

static eb_memory memory_of(const char *spec, eb_prediction *prediction)
{
    eb_status status = {.message = ""};
    eb_spec parsed;
    eb_kernel_plan plan;
    eb_machine *machines;
    size_t count;
    assert_int_equal(eb_machines(NULL, &machines, &count, &status), EB_OK);
    const eb_machine *machine = eb_machine_find(machines, count, "h200");
    assert_int_equal(eb_spec_parse(spec, NULL, &parsed, &status), EB_OK);
    assert_int_equal(parsed.engine->plan(&parsed.options, 20000, 512, machine, &plan, &status), EB_OK);
    assert_int_equal(eb_predict(&plan, machine, 0, NULL, prediction, &status), EB_OK);
    const eb_memory memory = eb_memory_of_model(&plan, machine, prediction);
    free(machines);
    return memory;
}

static void near(double found, double expected)
{
    if (!(fabs(found / expected - 1) < 1e-9))
        fail_msg("found %.9g, expected %.9g", found, expected);
}

TEST(the_models_bytes_are_its_intensities)
{
    static const char *const specs[] = {"fasted[paper]", "fasted[paper,-swizzle]", "fasted", "ted",
                                        "tensor[type=bf16,parts=3]"};
    for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++) {
        eb_prediction p;
        const eb_memory m = memory_of(specs[k], &p);
        near(p.executed_flops / m.read[EB_SHARED].value, p.reuse.shared_intensity);
        near(p.executed_flops / m.read[EB_L2].value, p.reuse.l2_intensity);
        near(p.executed_flops / m.read[EB_DRAM].value, p.reuse.dram_intensity);
        near(m.peak[EB_DRAM], 4.22e12);
        near(m.peak[EB_SHARED], 128 * 132 * p.clock_hz);
        for (int level = EB_SHARED; level < EB_LEVELS; level++) /* no transfer is faster than its peak */
            assert_true(m.read[level].value / m.seconds <= m.peak[level]);
        assert_true(m.to_tensor_cores == (k == 2 || k == 4));
    }
}

static eb_report *counters(void)
{
    eb_report *report = eb_report_new("show");
    eb_table *table = eb_report_table(report, EB_KEY("counters"), "Counters");
    EB_COLUMNS(table, EB_NAMED("metric", NULL, EB_PLAIN), EB_NAMED("value", NULL, EB_PLAIN));
    EB_ROW(table, eb_text("dram_to_l2_bytes"), eb_real(4e9));
    EB_ROW(table, eb_text("l2_hit_rate"), eb_real(0.75));
    EB_ROW(table, eb_text("l2_to_l1_bytes"), eb_na());
    return report;
}

static void expect_cell(const eb_table *table, size_t row, const char *key, double value, const char *source_key,
                        const char *source)
{
    const eb_value word = eb_table_value(table, row, EB_KEY(source_key));
    near(eb_value_number(eb_table_value(table, row, EB_KEY(key))), value);
    assert_int_equal(word.kind, EB_TEXT);
    assert_string_equal(word.as.text, source);
}

TEST(counters_take_the_models_place)
{
    eb_prediction p;
    eb_memory m = memory_of("fasted[paper]", &p);
    const double from_l2 = m.read[EB_L2].value;
    eb_report *counted = counters(), *report = eb_report_new("explain");
    assert_int_equal(eb_memory_take_counters(&m, eb_report_find_table(counted, EB_KEY("counters"))), 1);
    m.seconds = 2;
    eb_report_memory(report, "Memory", &m);
    const eb_table *table = eb_report_find_table(report, EB_KEY("memory"));
    assert_non_null(table);
    assert_int_equal(table->look, EB_AS_MEMORY);
    assert_int_equal(table->rows, EB_LEVELS);
    expect_cell(table, EB_DRAM, "bytes", 4e9, "source", "counted");
    expect_cell(table, EB_DRAM, "bytes_s", 2e9, "source", "counted");
    expect_cell(table, EB_L2, "bytes", from_l2, "source", "model"); /* the counter is n/a */
    expect_cell(table, EB_L2, "hit_rate", 0.75, "hit_source", "counted");
    assert_int_equal(eb_table_value(table, EB_L2, EB_KEY("written_bytes")).kind, EB_NA);
    assert_int_equal(eb_table_value(table, EB_REGISTERS, EB_KEY("bytes")).kind, EB_NA);
    eb_report_free(counted);
    eb_report_free(report);
}

TEST(what_nobody_knows_is_no_chart)
{
    eb_report *report = eb_report_new("explain");
    eb_memory m = eb_memory_unknown();
    assert_int_equal(eb_memory_take_counters(&m, NULL), 0);
    eb_report_memory(report, "Memory", &m);
    assert_int_equal(report->items, 0);
    eb_report_free(report);
}

RUN_TESTS
