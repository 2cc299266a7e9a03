/* Rules that diagnose a run: each holds where it should, with the run's numbers in its sentence, ordered by worth; a
 * rule without its data does not hold; a malformed rule is reported with its line. */
#include <math.h>

#include "shell/rules/rules.h"
#include "tests/unit/named.h"
#include "tests/unit/test.h"

/* Values of a run as " kernel_s=0.9 tensor_f16_active=0.7"; other values are those of a run without a bottleneck. */
typedef struct known {
    const char *text;
} known;

static double number_of(const known *k, const char *key, double otherwise)
{
    char pattern[64];
    (void)snprintf(pattern, sizeof pattern, " %s=", key);
    const char *at = strstr(k->text, pattern);
    return at ? strtod(at + strlen(pattern), NULL) : otherwise;
}

static void put_counters(eb_report *shown, const known *k)
{
    static const char *const names[] = {"tensor_f16_active", "tensor_s8_active",  "tensor_f64_active", "f64_active",
                                        "hmma_instructions", "imma_instructions", "shared_throughput", "bank_conflicts",
                                        "l2_hit_rate",       "dram_throughput"};
    eb_table *table = eb_report_table(shown, EB_KEY("counters"), "Counters");
    EB_COLUMNS(table, EB_NAMED("metric", "metric", EB_PLAIN), EB_NAMED("value", "value", EB_PLAIN));
    for (size_t c = 0; c < sizeof names / sizeof *names; c++)
        if (!isnan(number_of(k, names[c], NAN)))
            EB_ROW(table, eb_text(names[c]), eb_real(number_of(k, names[c], NAN)));
}

static void put_figures(eb_report *shown, const known *k)
{
    static const char *const names[] = {"executed_flops", "limit_flops", "setup_s"};
    eb_table *table = eb_report_table(shown, EB_KEY("figures"), "Figures");
    EB_COLUMNS(table, EB_NAMED("figure", "figure", EB_PLAIN), EB_NAMED("mean", "mean", EB_PLAIN),
               EB_NAMED("unit", "unit", EB_PLAIN));
    for (size_t f = 0; f < sizeof names / sizeof *names; f++)
        if (!isnan(number_of(k, names[f], NAN)))
            EB_ROW(table, eb_text(names[f]), eb_real(number_of(k, names[f], NAN)), eb_text(f == 2 ? "s" : ""));
}

/* The run as `show` reports it. */
static eb_report *a_run(const known *k)
{
    eb_report *shown = eb_report_new("show");
    const double kernel_s = number_of(k, "kernel_s", 0.9);
    eb_report_field(shown, EB_NAMED("n", "n", EB_PLAIN), eb_uint((uint64_t)number_of(k, "n", 100000)));
    eb_report_field(shown, EB_NAMED("d", "d", EB_PLAIN), eb_uint((uint64_t)number_of(k, "d", 1024)));
    eb_report_field(shown, EB_NAMED("pairs", "pairs", EB_PLAIN), eb_uint((uint64_t)number_of(k, "pairs", 6500000)));
    eb_report_field(shown, EB_NAMED("trials", "trials", EB_PLAIN), eb_uint(3));
    eb_report_field(shown, EB_NAMED("throttled_trials", "throttled", EB_PLAIN), eb_real(number_of(k, "throttled", 0)));
    eb_report_field(shown, EB_NAMED("tensor", "tensor", EB_PLAIN),
                    number_of(k, "emulated", 0) > 0 ? eb_text("sm_90") : eb_na());
    eb_report_field(shown, EB_NAMED("kernel_s", "kernels", EB_SECONDS), eb_real(kernel_s));
    eb_report_field(shown, EB_NAMED("kernel_cov", "CoV", EB_PERCENT), eb_real(number_of(k, "cov", 0.01)));
    eb_report_field(shown, EB_NAMED("total_s", "total", EB_SECONDS), eb_real(1));
    eb_record *device = eb_report_record(shown, EB_KEY("device_details"), "Device");
    eb_record_field(device, EB_NAMED("name", "name", EB_PLAIN), eb_text(number_of(k, "cpu", 0) > 0 ? "cpu" : "cuda:0"));
    eb_table *trials = eb_report_table(shown, EB_KEY("trial_times"), "Trials");
    EB_COLUMNS(trials, EB_NAMED("upload_s", "u", EB_SECONDS), EB_NAMED("convert_s", "c", EB_SECONDS),
               EB_NAMED("norms_s", "n", EB_SECONDS), EB_NAMED("kernel_s", "k", EB_SECONDS),
               EB_NAMED("download_s", "d", EB_SECONDS), EB_NAMED("table_s", "t", EB_SECONDS));
    EB_ROW(trials, eb_real(number_of(k, "upload", 0.01)), eb_real(number_of(k, "convert", 0.01)), eb_na(),
           eb_real(kernel_s), eb_real(0.01), eb_real(number_of(k, "table", 0.02)));
    put_figures(shown, k);
    put_counters(shown, k);
    assert_true(eb_report_ok(shown));
    return shown;
}

TEST(each_rule_holds_where_it_should)
{
    static const struct {
        const char *known, *rules, *says; /* expected rules, by worth; part of the first rule's sentence */
    } cases[] = {
        {" kernel_s=0.9", "", ""},
        {" emulated=1 cpu=1", "emulation", "The tensor cores of sm_90"},
        {" d=4 executed_flops=4e10", "every-pair", "50.0 % of all n² pairs were computed in 4 dimensions"},
        {" d=4 executed_flops=4e9", "", ""},
        {" kernel_s=0.6 table=0.34", "table", "took 35 % of the end-to-end time: 350.00 ms for 6,500,000 pairs"},
        {" kernel_s=0.7 upload=0.25", "upload", "took 25 % of"},
        {" kernel_s=0.7 convert=0.25", "conversion", "took 25 % of"},
        {" kernel_s=0.7 setup_s=0.25", "setting-up", "took 25 % of"},
        {" kernel_s=0.5", "unaccounted", "45 % of the end-to-end time is in no part"},
        {" kernel_s=0.00015 upload=0.98", "upload launches", "took 98 %"},
        {" tensor_f16_active=0.75", "tensor-pipe", "was busy 75 % of the cycles: most"},
        {" tensor_f16_active=0 tensor_s8_active=0.75", "tensor-pipe", "was busy 75 % of the cycles: most"},
        {" imma_instructions=5 hmma_instructions=0 executed_flops=720 limit_flops=1000", "tensor-pipe",
         "was busy, the rate is 80 % of the"},
        {" hmma_instructions=5 executed_flops=720 limit_flops=1000", "tensor-pipe",
         "was busy, the rate is 80 % of the"},
        {" executed_flops=720 limit_flops=1000", "", ""},
        {" tensor_f64_active=0.7", "fp64-pipe", "busy 70 %"},
        {" f64_active=0.9 tensor_f64_active=0", "fp64-pipe", "busy 90 %"},
        {" bank_conflicts=0.5", "bank-conflicts", "0.50 bank conflicts per wavefront"},
        {" shared_throughput=0.8 tensor_f16_active=0.5", "shared-memory",
         "busy 80 % of the time, the tensor pipe 50 %"},
        {" shared_throughput=0.7 tensor_f16_active=0.8", "tensor-pipe", "80 %"},
        {" dram_throughput=0.6 l2_hit_rate=0.5", "memory", "DRAM was busy 60 % of the time and 50 % of the requests"},
        {" dram_throughput=0.6 l2_hit_rate=0.95", "", ""},
        {" hmma_instructions=5 tensor_f16_active=0.4 d=64", "epilogue", "At d = 64"},
        {" hmma_instructions=5 tensor_f16_active=0.4", "", ""},
        {" throttled=2", "power", "lowered its clock in 2 of 3 trials"},
        {" cov=0.2", "scatter", "Trials scatter by 20 %"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const known k = {cases[c].known};
        eb_report *shown = a_run(&k);
        eb_findings findings;
        eb_status status = {0};
        char names[200] = "";
        if (eb_findings_make(eb_run_rules, shown, &findings, NULL, &status))
            fail_msg("%s: %s", cases[c].known, status.message);
        for (size_t f = 0; f < findings.count; f++) {
            (void)snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", f ? " " : "",
                           findings.finding[f].rule);
            assert_true(findings.finding[f].worth >= 0 && findings.finding[f].worth <= 1);
            assert_true(f == 0 || findings.finding[f].worth <= findings.finding[f - 1].worth);
        }
        if (strcmp(names, cases[c].rules) != 0)
            fail_msg("%s: \"%s\" hold, expected \"%s\"", cases[c].known, names, cases[c].rules);
        if (findings.count > 0 && !strstr(findings.finding[0].says, cases[c].says))
            fail_msg("%s: says \"%s\"", cases[c].known, findings.finding[0].says);
        eb_findings_free(&findings);
        eb_report_free(shown);
    }
}

#define WHOLE "rule a\nwhen 1\nworth 0.5\nsays {1 + 1}\nlimit l\ntry t\n"

TEST(what_is_written_wrongly_is_told)
{
    static const struct {
        const char *rules, *sentence;
    } wrong[] = {
        {"sing\n", "rules:1: expected know, rule, and when"},
        {"when 1\n", "rules:1: expected know, rule, and when"},
        {"know x SELECT 1\n", "rules:1: expected know NAME = SQL, found \"x\""},
        {"# c\nknow x = SELECT\n", "rules:2: SQLite cannot make sense of"},
        {WHOLE "when 2\n", "rules:7: expected know, rule, and when"},
        {"rule a\nwhen 1\nworth 1\nsays x\nlimit y\n", "rules:1: rule a needs when, worth, says, limit and try"},
        {"rule a\nwhen 1\nworth 7\nsays x\nlimit y\ntry z\n", "rules:1: rule a is worth no share of the time: 7"},
        {"rule a\nwhen :x\nworth 1\nsays x\nlimit y\ntry z\nrule b\n", "rules:1: there is no value :x"},
        {"rule a\nwhen 1\nworth 1\nsays {NULL}\nlimit y\ntry z\n", "rules:1: {NULL} has no value"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        const known nothing = {""};
        eb_report *shown = a_run(&nothing);
        eb_findings findings;
        eb_status status = {0};
        assert_int_equal(eb_findings_make(wrong[k].rules, shown, &findings, NULL, &status), EB_USAGE);
        if (!strstr(status.message, wrong[k].sentence))
            fail_msg("\"%s\" says \"%s\", expected \"%s\" in it", wrong[k].rules, status.message, wrong[k].sentence);
        eb_report_free(shown);
    }
}

RUN_TESTS
