/* The panel Compare: bars, rates and outcome, while engines run and after, the keys, any size. */
#include "core/report/find.h"
#include "tests/unit/ui_panel.h"
#include "tests/unit/ui_run_reports.h"

static ui_panel opened(bool gpu)
{
    ui_panel p = ui_open(&eb_panel_compare);
    eb_facts facts = rr_facts(gpu);
    eb_desk_set_facts(p.desk, &facts);
    return p;
}

static void says_what_to_do_when_there_is_nothing(void **state)
{
    (void)state;
    ui_panel p = opened(false);
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    ui_expect_seen(&p, 78, 17, "compare fasted ref64 S=64");
    assert_false(ui_wants(&p, "<Down>"));
    ui_expect_inside(&p);
    ui_close(&p);
}

static void draws_a_comparison(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    ui_take(&p, rr_compare(true));
    ui_expect_screens(&p, "compare");
    ui_expect_screen(&p, "compare-ascii", 60, 16, false);
    ui_expect_seen(&p, 78, 17, "62 % of limit");
    ui_expect_seen(&p, 78, 17, "conversion, norms"); /* seven parts, six colours */
    ui_expect_inside(&p);
    ui_close(&p);
}

static void parts_that_nobody_has_are_not_named(void **state)
{
    (void)state;
    ui_panel p = opened(false);
    ui_take(&p, rr_compare(false));
    ui_expect_unseen(&p, 78, 17, "upload");
    ui_expect_seen(&p, 78, 17, "█ conversion  ▓ kernels  ▒ neighbour table  ░ all else");
    ui_expect_unseen(&p, 78, 17, "limit");
    ui_expect_seen(&p, 78, 17, "beside the faster");
    ui_close(&p);
}

static void shows_a_run_while_it_goes_on(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    eb_report *live = eb_report_new("compare");
    eb_progress progress = {.phase = "fasted trial", .done = 40, .total = 100, .elapsed_s = 6, .phase_s = 4};
    eb_gpu_now gpu = {.sm_clock_hz = 1.98e9, .power_w = 512, .temperature_c = 61, .busy = 0.97};
    ui_take(&p, rr_compare(true));
    eb_desk_set_running(p.desk, "compare fasted ref64");
    eb_desk_set_progress(p.desk, &progress);
    eb_desk_set_gpu(p.desk, &gpu);
    ui_expect_seen(&p, 118, 33, "fasted beside ref64"); /* the one before, until the first trial */
    rr_head(live);
    rr_runs(live, true, 2, 1);
    rr_split(live, true, 1);
    eb_desk_take_live(p.desk, live);
    ui_expect_screen(&p, "compare-live", 78, 17, true);
    ui_expect_seen(&p, 78, 17, "fasted, 2 trials");
    ui_expect_seen(&p, 78, 17, "40 %");
    ui_expect_seen(&p, 78, 17, "6 s left");
    ui_expect_seen(&p, 78, 17, "512 W");
    ui_expect_unseen(&p, 78, 17, "ref64");
    ui_expect_inside(&p);
    eb_desk_set_running(p.desk, NULL);
    ui_expect_seen(&p, 78, 17, "FASTER");
    ui_expect_unseen(&p, 78, 17, "512 W");
    ui_close(&p);
}

static void a_join_is_one_side(void **state)
{
    (void)state;
    ui_panel p = opened(false);
    eb_report *r = eb_report_new("join");
    eb_report_field(r, "engine", "engine", EB_PLAIN, eb_text("ref64"));
    rr_head(r);
    eb_report_field(r, "state", "state", EB_PLAIN, eb_text("partial"));
    eb_report_field(r, "tflops_derived", "derived rate", EB_TERAFLOPS, eb_real(0.5));
    eb_table *t = eb_report_table(r, "timing", "Where the time went");
    eb_table_column(t, "part", "part", EB_PLAIN);
    eb_table_column(t, "median_s", "median", EB_SECONDS);
    eb_table_row(t, (eb_value[]){eb_text("kernels"), eb_real(0.25)}, 2);
    eb_table_row(t, (eb_value[]){eb_text("all else"), eb_real(0.01)}, 2);
    ui_take(&p, rr_compare(false));
    ui_take(&p, r); /* the newer one */
    ui_expect_seen(&p, 78, 17, "ref64, partial");
    ui_expect_seen(&p, 78, 17, "260 ms");
    ui_expect_seen(&p, 78, 17, "500 GFLOPS derived");
    ui_expect_unseen(&p, 78, 17, "fasted beside");
    ui_take(&p, rr_compare(false));
    ui_expect_seen(&p, 78, 17, "fasted beside ref64");
    ui_close(&p);
}

static void another_datasets_report_is_called_so(void **state)
{
    (void)state;
    ui_panel p = opened(false);
    ui_take(&p, rr_compare(false));
    ui_expect_unseen(&p, 78, 17, "another dataset");
    eb_facts facts = rr_facts(false);
    facts.dataset_serial = 2;
    eb_desk_set_facts(p.desk, &facts);
    ui_expect_seen(&p, 78, 17, "of another dataset");
    ui_close(&p);
}

static void a_rate_above_its_limit_is_still_drawn(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    eb_report *r = eb_report_new("compare");
    rr_runs(r, true, 0, 2);
    eb_table *runs = &r->item[0]->as.table;
    runs->cell[eb_table_find_column(runs, "limit_share")] = eb_real(1.7);
    ui_take(&p, r);
    ui_expect_seen(&p, 78, 17, "170 % of limit");
    ui_expect_inside(&p);
    ui_close(&p);
}

static void reports_with_parts_missing_are_drawn(void **state)
{
    (void)state;
    ui_panel p = opened(false);
    eb_report *r = eb_report_new("compare");
    eb_table *runs = eb_report_table(r, "runs", "runs"), *split;
    eb_table_column(runs, "engine", "engine", EB_PLAIN);
    eb_table_row(runs, (eb_value[]){eb_na()}, 1);
    eb_table_row(runs, (eb_value[]){eb_uint(7)}, 1);
    split = eb_report_table(r, "split", "split");
    eb_table_column(split, "engine", "engine", EB_PLAIN);
    eb_table_column(split, "kernel_s", "kernels", EB_SECONDS);
    eb_table_row(split, (eb_value[]){eb_text("x"), eb_text("y")}, 2);
    ui_take(&p, r);
    ui_expect_inside(&p);
    ui_take(&p, eb_report_new("compare"));
    ui_expect_inside(&p);
    r = eb_report_new("compare");
    (void)eb_report_table(r, "runs", "runs");
    (void)eb_report_table(r, "split", "split");
    (void)eb_report_record(r, "verdict", "verdict");
    ui_take(&p, r);
    ui_expect_inside(&p);
    ui_close(&p);
}

static void keys_ask_for_commands(void **state)
{
    (void)state;
    ui_panel p = opened(false);
    ui_press(&p, "c");
    ui_expect_commands(&p, "compare fasted ref64", NULL);
    ui_press(&p, "j");
    ui_expect_typed(&p, "join ");
    ui_press(&p, "t");
    ui_expect_typed(&p, "compare fasted ref64 S=");
    assert_false(ui_wants(&p, "x"));
    eb_facts facts = rr_facts(false);
    facts.eps = NAN;
    eb_desk_set_facts(p.desk, &facts);
    ui_press(&p, "c");
    ui_expect_commands(&p, NULL);
    ui_expect_typed(&p, "compare fasted ref64 S=");
    facts.has_dataset = false;
    eb_desk_set_facts(p.desk, &facts);
    ui_press(&p, "c");
    ui_expect_commands(&p, NULL);
    assert_non_null(strstr(eb_desk_message(p.desk, NULL), "no dataset"));
    ui_close(&p);
}

static void the_report_is_scrolled(void **state)
{
    (void)state;
    ui_panel p = opened(false);
    ui_take(&p, rr_compare(false));
    ui_expect_seen(&p, 78, 17, "dimensions d");
    ui_press(&p, "<PageDown><Down>");
    ui_expect_unseen(&p, 78, 17, "dimensions d");
    ui_press(&p, "<End>");
    ui_expect_seen(&p, 78, 17, "1455.8");
    ui_expect_seen(&p, 78, 17, "3022"); /* the last pair */
    ui_press(&p, "<Home>");
    ui_expect_seen(&p, 78, 17, "dimensions d");
    ui_press(&p, "<Wheel-down 3 3>");
    ui_expect_unseen(&p, 78, 17, "dimensions d");
    ui_take(&p, rr_compare(false)); /* a new one begins at its top */
    ui_expect_seen(&p, 78, 17, "dimensions d");
    ui_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_to_do_when_there_is_nothing),
        cmocka_unit_test(draws_a_comparison),
        cmocka_unit_test(parts_that_nobody_has_are_not_named),
        cmocka_unit_test(shows_a_run_while_it_goes_on),
        cmocka_unit_test(a_join_is_one_side),
        cmocka_unit_test(another_datasets_report_is_called_so),
        cmocka_unit_test(a_rate_above_its_limit_is_still_drawn),
        cmocka_unit_test(reports_with_parts_missing_are_drawn),
        cmocka_unit_test(keys_ask_for_commands),
        cmocka_unit_test(the_report_is_scrolled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
