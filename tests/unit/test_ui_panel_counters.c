/* The panel Counters: bars with their sources, a baseline from an earlier run, the keys, any size. */
#include "tests/unit/ui_panel.h"
#include "tests/unit/ui_run_reports.h"
#include "ui/panels/counters/scene.h"

static ui_panel opened(void)
{
    ui_panel p = ui_open(&eb_panel_counters);
    eb_facts facts = rr_facts(true);
    eb_desk_set_facts(p.desk, &facts);
    return p;
}

static void add(eb_table *t, const char *metric, const char *title, const char *unit, double fasted, double ref64,
                const char *source)
{
    eb_table_row(t,
                 (eb_value[]){eb_text(metric), eb_text(title), eb_text(unit), eb_real(fasted),
                              eb_text(isnan(fasted) ? NULL : source), eb_real(ref64),
                              eb_text(isnan(ref64) ? NULL : source)},
                 7);
}

static eb_report *counters_report(void)
{
    eb_report *r = eb_report_new("counters");
    rr_head(r);
    eb_report_field(r, "device", "device", EB_PLAIN, eb_text("cuda:0"));
    eb_table *t = eb_report_table(r, "counters", "Counters");
    static const char *const columns[] = {"metric",        "title", "unit",        "fasted",
                                          "fasted_source", "ref64", "ref64_source"};
    for (size_t k = 0; k < 7; k++)
        eb_table_column(t, columns[k], columns[k], EB_PLAIN);
    add(t, "dram_throughput", "DRAM throughput", "ratio", 0.125, 0.5, "cupti");
    add(t, "bank_conflicts", "bank conflicts a wavefront", "ratio", 0, 2.5, "cupti");
    add(t, "hmma_instructions", "FP16 tensor instructions (hmma)", "count", 1228800, 0, "cupti");
    add(t, "f64_active", "FP64 pipe", "ratio", NAN, NAN, "cupti");
    add(t, "sm_clock_hz", "SM clock", "hertz", 1.98e9, 1.76e9, "nvml");
    add(t, "energy_j", "energy of the kernels", "joules", NAN, 88, "nvml");
    add(t, "tflops_executed", "executed rate", "TFLOPS", 225.8, 11.3, "model");
    eb_table *paths = eb_report_table(r, "paths", "Which tensor cores ran");
    eb_table_column(paths, "engine", NULL, EB_PLAIN);
    eb_table_column(paths, "spec", "engine", EB_PLAIN);
    eb_table_column(paths, "tensor_path", "tensor path", EB_PLAIN);
    eb_table_row(paths, (eb_value[]){eb_text("fasted"), eb_text("fasted"), eb_text("FP16 by mma (hmma)")}, 3);
    eb_table_row(paths, (eb_value[]){eb_text("ref64"), eb_text("ref64"), eb_na()}, 3);
    eb_report_note(r, "ε = 1455.86 gives S = 64");
    eb_report_note(r, "a last word on the counters");
    return r;
}

static eb_report *show_report(int64_t run)
{
    eb_report *r = eb_report_new("show");
    eb_report_field(r, "run", "run", EB_IDENTITY, eb_int(run));
    eb_report_field(r, "engine", "engine", EB_PLAIN, eb_text("fasted"));
    eb_report_field(r, "tflops_executed", "executed rate", EB_TERAFLOPS, eb_real(112.9));
    eb_table *t = eb_report_table(r, "counters", "Counters");
    static const char *const columns[] = {"metric", "value", "unit", "source"};
    for (size_t k = 0; k < 4; k++)
        eb_table_column(t, columns[k], columns[k], EB_PLAIN);
    eb_table_row(t, (eb_value[]){eb_text("dram_throughput"), eb_real(0.25), eb_text("ratio"), eb_text("cupti")}, 4);
    eb_table_row(t, (eb_value[]){eb_text("f64_active"), eb_real(0.04), eb_text("ratio"), eb_text("cupti")}, 4);
    eb_table_row(t, (eb_value[]){eb_text("hmma_instructions"), eb_na(), eb_text("count"), eb_text("cupti")}, 4);
    return r;
}

static eb_report *runs_report(void)
{
    eb_report *r = eb_report_new("runs");
    eb_table *t = eb_report_table(r, "runs", "Runs");
    eb_table_column(t, "run", "run", EB_IDENTITY);
    eb_table_column(t, "engine", "engine", EB_PLAIN);
    eb_table_row(t, (eb_value[]){eb_int(12), eb_text("ref64")}, 2);
    eb_table_row(t, (eb_value[]){eb_int(7), eb_text("fasted")}, 2);
    return r;
}

static void says_what_to_do_when_there_is_nothing(void **state)
{
    (void)state;
    ui_panel p = opened();
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    ui_expect_seen(&p, 78, 17, "Nothing counted yet");
    ui_expect_inside(&p);
    ui_close(&p);
}

static void draws_bars_with_their_sources(void **state)
{
    (void)state;
    ui_panel p = opened();
    ui_take(&p, counters_report());
    ui_expect_screens(&p, "counters");
    ui_expect_screen(&p, "counters-ascii", 60, 16, false);
    ui_expect_seen(&p, 118, 33, "12.5 % [cupti]");
    ui_expect_seen(&p, 118, 33, " 2.5 [cupti]"); /* no share of a whole */
    ui_expect_seen(&p, 118, 33, "1.76 GHz [nvml]");
    ui_expect_seen(&p, 118, 33, "226 TFLOPS [model]");
    ui_expect_seen(&p, 118, 33, "fasted: FP16 by mma (hmma)");
    ui_expect_seen(&p, 118, 33, "a last word");
    ui_expect_inside(&p);
    ui_close(&p);
}

/* Columns are called by specs where one engine is there more than once. */
static eb_report *twice_report(void)
{
    static const char *const spec[] = {"fasted", "fasted[paper]", "fasted[paper,-tile-order,-residency,-swizzle]"};
    static const char *const path[] = {"FP16 by wgmma (gmma)", "FP16 by mma (hmma)", "FP16 by mma (hmma)"};
    char key[64];
    eb_report *r = eb_report_new("counters");
    rr_head(r);
    eb_table *t = eb_report_table(r, "counters", "Counters"), *paths = eb_report_table(r, "paths", "Paths");
    eb_table_column(t, "metric", "metric", EB_PLAIN);
    eb_table_column(t, "title", "counter", EB_PLAIN);
    eb_table_column(t, "unit", "unit", EB_PLAIN);
    eb_table_column(paths, "engine", NULL, EB_PLAIN);
    eb_table_column(paths, "spec", "engine", EB_PLAIN);
    eb_table_column(paths, "tensor_path", "tensor path", EB_PLAIN);
    for (int k = 0; k < 3; k++) {
        (void)snprintf(key, sizeof key, "%s_source", spec[k]);
        eb_table_column(t, spec[k], spec[k], EB_PLAIN);
        eb_table_column(t, key, "source", EB_PLAIN);
        eb_table_row(paths, (eb_value[]){eb_text("fasted"), eb_text(spec[k]), eb_text(path[k])}, 3);
    }
    eb_table_row(t,
                 (eb_value[]){eb_text("bank_conflicts"), eb_text("bank conflicts a wavefront"), eb_text("ratio"),
                              eb_real(0.25), eb_text("cupti"), eb_real(0.5), eb_text("cupti"), eb_real(0.75),
                              eb_text("cupti")},
                 9);
    return r;
}

static void one_engine_several_times_goes_by_its_specs(void **state)
{
    (void)state;
    ui_panel p = opened();
    eb_report *r = twice_report();
    ui_take(&p, r);
    ui_expect_screen(&p, "counters-specs", 118, 33, true);
    ui_expect_seen(&p, 118, 33, "fasted: FP16 by wgmma (gmma)");
    ui_expect_seen(&p, 118, 33, "fasted[paper]: FP16 by mma (hmma)");
    ui_expect_seen(&p, 118, 33, "75 % [cupti]");
    ui_expect_seen(&p, 78, 17, "fasted[paper,-tile-order,…  ███"); /* long specs leave room for bars */
    ui_expect_seen(&p, 78, 17, "75 % [cupti]");
    assert_string_equal(eb_counter_engine(r, 1), "fasted[paper]");
    assert_string_equal(eb_counter_engine(r, 2), "fasted[paper,-tile-order,-residency,-swizzle]");
    assert_null(eb_counter_engine(r, 3));
    const eb_baseline none = {.run = -1};
    eb_counter_row row;
    assert_true(eb_counter_row_at(r, &none, 0, &row));
    assert_int_equal(row.engines, 3);
    for (size_t k = 0; k < 3; k++)
        assert_true(row.value[k] == 0.25 * (double)(k + 1));
    ui_expect_inside(&p);
    ui_close(&p);
}

static void what_nobody_knows_takes_a_line_at_the_end(void **state)
{
    (void)state;
    ui_panel p = opened();
    ui_take(&p, counters_report());
    char *text = ui_screen(&p, 118, 33, true);
    char *unknown = strstr(text, "FP64 pipe"), *last = strstr(text, "executed rate");
    assert_non_null(unknown);
    assert_non_null(last);
    assert_true(unknown > last);
    assert_non_null(strstr(unknown, "n/a"));
    free(text);
    ui_close(&p);
}

static void a_baseline_is_chosen_from_the_runs(void **state)
{
    (void)state;
    ui_panel p = opened();
    ui_take(&p, counters_report());
    ui_press(&p, "B");
    ui_expect_commands(&p, "runs limit=1000", NULL);
    ui_expect_seen(&p, 78, 17, "No runs to choose from");
    ui_take(&p, runs_report());
    ui_expect_seen(&p, 78, 17, "Which run is the baseline?");
    ui_expect_inside(&p);
    ui_press(&p, "<Down><Enter>");
    ui_expect_commands(&p, "show 7", NULL);
    ui_take(&p, show_report(3)); /* somebody else's */
    ui_look(&p);
    ui_expect_unseen(&p, 118, 33, "beside run");
    ui_take(&p, show_report(7));
    ui_look(&p);
    ui_take(&p, show_report(3)); /* what was taken stays */
    ui_expect_screen(&p, "counters-baseline", 118, 33, true);
    ui_expect_seen(&p, 118, 33, "beside run 7, fasted");
    ui_expect_seen(&p, 118, 33, "-12.5 points");
    ui_expect_seen(&p, 118, 33, "+100 %");
    ui_expect_seen(&p, 118, 33, "4 % [cupti]"); /* what only the baseline knows */
    ui_expect_inside(&p);
    ui_press(&p, "<Esc>");
    ui_expect_unseen(&p, 118, 33, "run 7");
    assert_false(ui_wants(&p, "<Esc>"));
    ui_close(&p);
}

static void a_baseline_that_is_shown_already_is_taken_at_once(void **state)
{
    (void)state;
    ui_panel p = opened();
    ui_take(&p, counters_report());
    ui_take(&p, runs_report());
    ui_take(&p, show_report(12));
    ui_press(&p, "B<Home><Enter>");
    ui_expect_commands(&p, "runs limit=1000", NULL);
    ui_expect_seen(&p, 118, 33, "beside run 12");
    ui_press(&p, "B<Esc>"); /* no choice changes nothing */
    ui_expect_seen(&p, 118, 33, "beside run 12");
    ui_close(&p);
}

static void keys_ask_for_commands(void **state)
{
    (void)state;
    ui_panel p = opened();
    ui_press(&p, "c");
    ui_expect_commands(&p, "counters", NULL);
    ui_press(&p, "t");
    ui_expect_typed(&p, "counters ");
    eb_facts facts = rr_facts(true);
    facts.eps = NAN;
    eb_desk_set_facts(p.desk, &facts);
    ui_press(&p, "c");
    ui_expect_commands(&p, NULL);
    ui_expect_typed(&p, "counters fasted,ref64 S=");
    facts.has_dataset = false;
    eb_desk_set_facts(p.desk, &facts);
    ui_press(&p, "c");
    ui_expect_commands(&p, NULL);
    assert_false(ui_wants(&p, "<Down>"));
    assert_false(ui_wants(&p, "z"));
    ui_close(&p);
}

static void long_lists_are_scrolled(void **state)
{
    (void)state;
    ui_panel p = opened();
    ui_take(&p, counters_report());
    ui_expect_seen(&p, 78, 10, "DRAM");
    ui_expect_seen(&p, 78, 10, "▼");
    ui_expect_unseen(&p, 78, 10, "FP64 pipe");
    ui_press(&p, "<End>");
    ui_expect_unseen(&p, 78, 10, "DRAM");
    ui_expect_seen(&p, 78, 10, "FP64 pipe");
    ui_expect_seen(&p, 78, 10, "▲");
    ui_press(&p, "<Home>");
    ui_expect_seen(&p, 78, 10, "DRAM");
    ui_close(&p);
}

static void differences_are_in_points_or_per_cent(void **state)
{
    (void)state;
    char text[64];
    assert_string_equal(eb_counter_difference(text, sizeof text, 0.5, 0.25, EB_PERCENT), "+25 points");
    assert_string_equal(eb_counter_difference(text, sizeof text, 150, 200, EB_PLAIN), "-25 %");
    assert_string_equal(eb_counter_difference(text, sizeof text, 2, 0, EB_PLAIN), "");
    assert_string_equal(eb_counter_difference(text, sizeof text, 0, 0, EB_PLAIN), "");
    assert_string_equal(eb_counter_difference(text, sizeof text, NAN, 1, EB_PERCENT), "");
    assert_string_equal(eb_counter_difference(text, sizeof text, 1, NAN, EB_HERTZ), "");
}

static void reports_with_parts_missing_are_drawn(void **state)
{
    (void)state;
    ui_panel p = opened();
    ui_take(&p, eb_report_new("counters"));
    ui_expect_inside(&p);
    eb_report *r = eb_report_new("counters");
    eb_table *t = eb_report_table(r, "counters", "Counters");
    for (int k = 0; k < 4; k++) /* an engine without its source */
        eb_table_column(t, "x", "x", EB_PLAIN);
    eb_table_row(t, (eb_value[]){eb_na(), eb_na(), eb_uint(1), eb_text("?")}, 4);
    ui_take(&p, r);
    ui_expect_inside(&p);
    eb_baseline none;
    assert_false(eb_baseline_take(&none, NULL));
    assert_false(eb_baseline_take(&none, r));
    ui_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_to_do_when_there_is_nothing),
        cmocka_unit_test(draws_bars_with_their_sources),
        cmocka_unit_test(one_engine_several_times_goes_by_its_specs),
        cmocka_unit_test(what_nobody_knows_takes_a_line_at_the_end),
        cmocka_unit_test(a_baseline_is_chosen_from_the_runs),
        cmocka_unit_test(a_baseline_that_is_shown_already_is_taken_at_once),
        cmocka_unit_test(keys_ask_for_commands),
        cmocka_unit_test(long_lists_are_scrolled),
        cmocka_unit_test(differences_are_in_points_or_per_cent),
        cmocka_unit_test(reports_with_parts_missing_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
