/* The panel Compare: bars, rates and outcome, while engines run and after, the keys, any size. */
#include "core/report/find.h"
#include "tests/unit/ui_panel.h"
#include "tests/unit/ui_run_reports.h"
#include "ui/panels/compare/scene.h"

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
    /* No room for how exact they are, nor a part of that. */
    ui_expect_seen(&p, 78, 17, "ε = 1455.86, 5 trials  fasted: preset best\n");
    ui_expect_seen(&p, 118, 33, "ε = 1455.86, 5 trials  approximate beside truth  fasted: preset best");
    ui_expect_seen(&p, 78, 17, "conversion, norms"); /* seven parts, six colours */
    ui_expect_inside(&p);
    ui_close(&p);
}

/* Part by part and the errors, which the report's text leaves out, beside it or below the bars. */
static void no_half_stays_empty(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    ui_take(&p, rr_compare(true));
    ui_expect_unseen(&p, 78, 17, "part by part");
    ui_expect_seen(&p, 118, 33, "The time, part by part");
    ui_expect_seen(&p, 118, 33, "250 ms  ref64");
    ui_expect_seen(&p, 118, 33, "ratio"); /* the figures have kept their room */
    ui_expect_seen(&p, 198, 53, "The time, part by part");
    ui_expect_seen(&p, 198, 53, "Distance error: fast - true, log scale");
    ui_close(&p);
    p = opened(true);
    ui_take(&p, rr_compare_of(true, RR_ALL)); /* too many parts for the room: the errors alone */
    ui_expect_unseen(&p, 118, 33, "part by part");
    ui_expect_seen(&p, 198, 53, "The time, part by part");
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

static void several_engines_stand_side_by_side(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    ui_take(&p, rr_compare_of(true, RR_ALL));
    ui_expect_screen(&p, "compare-several", 118, 33, true);
    ui_expect_screen(&p, "compare-several-ascii", 60, 16, false);
    ui_expect_seen(&p, 118, 33, "fasted beside ref64 beside fasted[paper] beside tree[leaf=128]");
    ui_expect_seen(&p, 118, 33, "140 TFLOPS executed, 38 % of limit");
    ui_expect_seen(&p, 118, 33, "tree[leaf=128]  n/a "); /* its limit is unknown: no bar among shares */
    ui_expect_seen(&p, 118, 33, "90.0 TFLOPS executed\n");
    ui_expect_unseen(&p, 118, 80, "end to end UNCLEAR"); /* a verdict for each is in the report */
    ui_expect_seen(&p, 118, 80, "Against ref64");
    ui_expect_seen(&p, 118, 80, "Accuracy against ref64");
    ui_expect_unseen(&p, 118, 80, "fasted against ref64"); /* for programs */
    ui_expect_inside(&p);
    ui_close(&p);
}

static void one_engine_twice_goes_by_its_specs(void **state)
{
    (void)state;
    ui_panel p = opened(false);
    ui_take(&p, rr_compare_of(false, 3));
    ui_expect_seen(&p, 78, 17, "fasted beside ref64 beside fasted[paper]");
    ui_expect_seen(&p, 118, 33, "Rates, beside the fastest");
    eb_compare_scene s = eb_compare_scene_of(p.desk);
    assert_int_equal(s.sides, 3);
    assert_string_equal(s.side[0].engine, "fasted");
    assert_string_equal(s.side[2].engine, "fasted[paper]");
    assert_int_equal(s.parts, 4); /* the spec is none of them */
    assert_string_equal(s.part[0], "conversion");
    assert_true(s.seconds[2 * 4 + 1] == 0.02);
    ui_close(&p);
}

static void a_long_spec_leaves_room_for_the_bars(void **state)
{
    static const char spec[] = "fasted[paper,-tile-order,-residency,-warp-tile,-swizzle,-alignment]";
    (void)state;
    ui_panel p = opened(false);
    eb_report *r = eb_report_new("compare");
    rr_runs(r, false, 0, 3);
    rr_split(r, false, 3);
    for (size_t k = 0; k < 2; k++) {
        const eb_table *t = &r->item[k]->as.table;
        const char **text = &t->cell[2 * t->columns + 1].as.text; /* the report's own copy */
        free((void *)(uintptr_t)*text);
        *text = strdup(spec);
    }
    ui_take(&p, r);
    ui_expect_seen(&p, 78, 17, "fasted[paper,-tile-order,…  ████");
    ui_expect_seen(&p, 78, 17, "140 TFLOPS executed");
    ui_expect_inside(&p);
    ui_close(&p);
}

/* Eight parts, six colours: what is too much goes to all else, and every bar is as long as its time. */
static void parts_of_an_engines_own_are_not_lost(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    for (int gpu = 0; gpu < 2; gpu++) {
        eb_report *r = eb_report_new("compare");
        rr_runs(r, gpu, 0, RR_ALL);
        rr_split_with(r, gpu, RR_ALL, true);
        ui_take(&p, r);
        eb_compare_scene s = eb_compare_scene_of(p.desk);
        const double *tree = &s.seconds[3 * s.parts];
        double sum = 0, whole = gpu ? 0.006 + 0.005 + 0.006 + 0.0055 + 0.02 + 0.0275 : 0.005 + 0.0055 + 0.02 + 0.0275;
        for (size_t k = 0; k < s.parts; k++)
            sum += isnan(tree[k]) ? 0 : tree[k];
        assert_int_equal(s.parts, gpu ? 6 : 5);
        assert_true(fabs(sum - whole) < 1e-12);
        assert_string_equal(s.part[s.parts - 1], "all else");
        assert_string_equal(s.part[s.parts - 2], gpu ? "neighbour table" : "building the index");
        ui_expect_inside(&p);
    }
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

/* Boxes execute a little of 2·n²·d: what that says of them is no longer bar than what another engine executed. */
static void a_derived_rate_has_no_bar_beside_executed_ones(void **state)
{
    (void)state;
    ui_panel p = opened(false);
    eb_report *r = eb_report_new("compare");
    rr_head(r);
    eb_table *t = eb_report_table(r, "runs", "Side by side");
    eb_table_column(t, "engine", "engine", EB_PLAIN);
    eb_table_column(t, "tflops_derived", "derived rate", EB_TERAFLOPS);
    eb_table_column(t, "tflops_executed", "executed rate", EB_TERAFLOPS);
    eb_table_row(t, (eb_value[]){eb_text("fasted"), eb_real(0.004), eb_real(0.002)}, 3);
    eb_table_row(t, (eb_value[]){eb_text("exact"), eb_real(0.108), eb_na()}, 3);
    ui_take(&p, r);
    ui_expect_seen(&p, 78, 17, "Rates executed; derived ones, 2·n²·d, have no bar");
    ui_expect_seen(&p, 78, 17, "█  2.00 GFLOPS executed"); /* all of the room: it is compared with itself */
    ui_expect_seen(&p, 78, 17, "exact   n/a");
    ui_expect_seen(&p, 78, 17, "108 GFLOPS derived");
    ui_expect_inside(&p);
    ui_close(&p);
}

static void a_join_goes_by_its_spec_and_keeps_its_own_parts(void **state)
{
    static const char *const parts[] = {"upload",          "conversion",         "norms",   "kernels", "download",
                                        "neighbour table", "building the index", "all else"};
    (void)state;
    ui_panel p = opened(true);
    eb_report *r = eb_report_new("join");
    eb_report_field(r, "engine", "engine", EB_PLAIN, eb_text("tree"));
    eb_report_field(r, "spec", "as", EB_PLAIN, eb_text("tree[leaf=128]"));
    eb_report_field(r, "state", "state", EB_PLAIN, eb_text("done"));
    eb_table *t = eb_report_table(r, "timing", "Where the time went");
    eb_table_column(t, "part", "part", EB_PLAIN);
    eb_table_column(t, "median_s", "median", EB_SECONDS);
    for (int k = 0; k < 8; k++)
        eb_table_row(t, (eb_value[]){eb_text(parts[k]), eb_real(1 << k)}, 2);
    ui_take(&p, r);
    eb_compare_scene s = eb_compare_scene_of(p.desk);
    assert_string_equal(s.side[0].engine, "tree[leaf=128]");
    assert_int_equal(s.parts, 6);
    assert_string_equal(s.part[1], "conversion, norms");
    assert_true(s.seconds[1] == 2 + 4);
    assert_string_equal(s.part[5], "all else");
    assert_true(s.seconds[5] == 64 + 128);
    ui_expect_inside(&p);
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
        cmocka_unit_test(no_half_stays_empty),
        cmocka_unit_test(parts_that_nobody_has_are_not_named),
        cmocka_unit_test(several_engines_stand_side_by_side),
        cmocka_unit_test(one_engine_twice_goes_by_its_specs),
        cmocka_unit_test(a_long_spec_leaves_room_for_the_bars),
        cmocka_unit_test(parts_of_an_engines_own_are_not_lost),
        cmocka_unit_test(shows_a_run_while_it_goes_on),
        cmocka_unit_test(a_join_is_one_side),
        cmocka_unit_test(a_derived_rate_has_no_bar_beside_executed_ones),
        cmocka_unit_test(a_join_goes_by_its_spec_and_keeps_its_own_parts),
        cmocka_unit_test(another_datasets_report_is_called_so),
        cmocka_unit_test(a_rate_above_its_limit_is_still_drawn),
        cmocka_unit_test(reports_with_parts_missing_are_drawn),
        cmocka_unit_test(keys_ask_for_commands),
        cmocka_unit_test(the_report_is_scrolled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
