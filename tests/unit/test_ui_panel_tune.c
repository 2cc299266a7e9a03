/* The panel Tune: the curve and its ε, the keys, what it asks for, any size. */
#include "tests/unit/ui_panel.h"

#define ROW(table, ...)                                                                                                \
    eb_table_row(table, (eb_value[]){__VA_ARGS__}, sizeof((eb_value[]){__VA_ARGS__}) / sizeof(eb_value))

enum { POINTS = 41 };

/* S = 1000 ε² from ε = 0.1 to 10, so that S(1) = 1000; a band of a tenth when asked for. */
static void add_curve(eb_report *report, double from, double to, bool band)
{
    double x[POINTS], y[POINTS], low[POINTS], high[POINTS];
    for (size_t k = 0; k < POINTS; k++) {
        x[k] = from * pow(to / from, (double)k / (POINTS - 1));
        y[k] = 1000 * x[k] * x[k];
        low[k] = 0.9 * y[k];
        high[k] = 1.1 * y[k];
    }
    eb_series *series =
        eb_report_series(report, "curve", "S(ε)", EB_LINE, POINTS, x, y, band ? low : NULL, band ? high : NULL);
    eb_series_axes(series, "eps", "ε", true, "selectivity", "selectivity S", true);
}

static eb_report *curve_report(void)
{
    eb_report *report = eb_report_new("curve");
    add_curve(report, 0.1, 10, true);
    return report;
}

static eb_report *tune_report(void)
{
    eb_report *report = eb_report_new("tune");
    eb_report_field(report, "engine", "engine", EB_PLAIN, eb_text("ref64"));
    eb_table *table = eb_report_table(report, "targets", "ε for each selectivity");
    eb_table_column(table, "wanted", "wanted S", EB_PLAIN);
    eb_table_column(table, "eps", "ε", EB_PLAIN);
    eb_table_column(table, "selectivity", "S(ε)", EB_PLAIN);
    eb_table_column(table, "pairs", "pairs |R|", EB_PLAIN);
    ROW(table, eb_real(64), eb_real(0.25), eb_real(64.004), eb_uint(65004));
    ROW(table, eb_real(4000), eb_real(2), eb_real(4000.5), eb_uint(4001500));
    add_curve(report, 0.1, 10, true);
    return report;
}

static eb_report *sweep_report(void)
{
    eb_report *report = eb_report_new("sweep");
    eb_table *table = eb_report_table(report, "points", "Exact S(ε)");
    eb_table_column(table, "eps", "ε", EB_PLAIN);
    eb_table_column(table, "selectivity", "S(ε)", EB_PLAIN);
    eb_table_column(table, "pairs", "pairs |R|", EB_PLAIN);
    ROW(table, eb_real(1), eb_real(1000), eb_uint(1001000));
    ROW(table, eb_real(4), eb_real(16000), eb_uint(16001000));
    double x[] = {1, 2, 4}, y[] = {1000, 4100, 16000};
    eb_series *series = eb_report_series(report, "curve", "", EB_LINE, 3, x, y, NULL, NULL);
    eb_series_axes(series, "eps", "ε", true, "selectivity", "selectivity S", true);
    return report;
}

static eb_report *join_report(double eps, double s)
{
    eb_report *report = eb_report_new("join");
    eb_report_field(report, "engine", "engine", EB_PLAIN, eb_text("ref64"));
    eb_report_field(report, "eps", "ε", EB_PLAIN, eb_real(eps));
    eb_report_field(report, "selectivity", "selectivity S", EB_PLAIN, eb_real(s));
    eb_report_field(report, "pairs", "pairs |R| found", EB_PLAIN, eb_uint((uint64_t)(1000 * (s + 1))));
    return report;
}

static eb_report *compare_report(double eps)
{
    eb_report *report = eb_report_new("compare");
    eb_table *table = eb_report_table(report, "runs", "");
    eb_table_column(table, "engine", "engine", EB_PLAIN);
    eb_table_column(table, "eps", "ε", EB_IDENTITY);
    eb_table_column(table, "selectivity", "selectivity S", EB_PLAIN);
    eb_table_column(table, "pairs", "pairs |R| found", EB_PLAIN);
    ROW(table, eb_text("fasted"), eb_real(eps), eb_real(17), eb_uint(18000));
    ROW(table, eb_text("ref64"), eb_real(eps), eb_real(18), eb_uint(19000));
    return report;
}

static void set_facts(ui_panel *p, unsigned long serial, double eps)
{
    eb_facts facts = {.has_dataset = true,
                      .dataset = "demo",
                      .n = 1000,
                      .d = 16,
                      .dtype = "f32",
                      .dataset_serial = serial,
                      .eps = eps};
    eb_desk_set_facts(p->desk, &facts);
}

static ui_panel with_curve(void)
{
    ui_panel p = ui_open(&eb_panel_tune);
    set_facts(&p, 1, NAN);
    ui_take(&p, curve_report());
    ui_look(&p);
    return p;
}

/* ---- what it asks for ---- */

static void without_a_dataset_it_asks_for_nothing(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_tune);
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    ui_expect_seen(&p, 78, 17, "No curve yet");
    assert_false(ui_wants(&p, "<Left>"));
    ui_press(&p, "<Enter>");
    ui_expect_commands(&p, NULL);
    ui_press(&p, "t");
    ui_expect_typed(&p, "tune S=");
    ui_close(&p);
}

/* Looking at the panel begins nothing; Enter does, where there is no curve of these points. */
static void it_samples_when_told_to(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_tune);
    set_facts(&p, 1, NAN);
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    ui_expect_seen(&p, 78, 17, "sample the curve");
    eb_desk_set_running(p.desk, "info");
    assert_false(ui_wants(&p, "<Enter>")); /* it would wait behind what runs */
    eb_desk_set_running(p.desk, NULL);
    ui_press(&p, "<Enter>");
    ui_expect_commands(&p, "curve", NULL);
    ui_take(&p, curve_report());
    set_facts(&p, 3, NAN);
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    ui_expect_seen(&p, 78, 17, "the curve is another dataset's");
    ui_press(&p, "<Enter>");
    ui_expect_commands(&p, "curve", NULL);
    ui_take(&p, tune_report());
    ui_expect_unseen(&p, 78, 17, "another dataset's");
    ui_close(&p);
}

/* A comparison has set ε and counted S: both are told without a curve, and the cursor stands there in one that comes,
 * even where what is sampled at first does not reach so far. */
static void the_cursor_stands_at_the_eps_in_use(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_tune);
    set_facts(&p, 1, NAN);
    ui_expect_seen(&p, 78, 17, "No curve yet");
    set_facts(&p, 1, 5);
    ui_take(&p, compare_report(5));
    ui_expect_seen(&p, 78, 17, "ε = 5  S = 18, 19,000 pairs, counted by ref64");
    eb_report *first = eb_report_new("curve");
    add_curve(first, 0.01, 0.1, true);
    eb_desk_set_running(p.desk, "curve");
    eb_desk_take_live(p.desk, first);
    ui_expect_seen(&p, 78, 17, "ε = 0.1"); /* as far as it goes */
    eb_desk_set_running(p.desk, NULL);
    ui_take(&p, curve_report());
    ui_expect_seen(&p, 78, 17, "ε = 5  S = 18, 19,000 pairs, counted by ref64");
    ui_expect_seen(&p, 78, 17, "sampled: S ≈ 25,000 [22,500, 27,500]");
    ui_close(&p);
}

static void enter_counts_exactly(void **state)
{
    (void)state;
    ui_panel p = with_curve();
    ui_expect_seen(&p, 78, 17, "ε = 1  S ≈ 1,000 [900, 1,100]  ≈ 1,001,000 pairs");
    ui_expect_seen(&p, 78, 17, "Enter: count exactly at this ε");
    ui_press(&p, "<Enter>");
    ui_expect_commands(&p, "join exact eps=1 trials=1 count", NULL);
    ui_take(&p, join_report(1, 1012.5));
    ui_expect_seen(&p, 78, 17, "S = 1012.5, 1,013,500 pairs, counted by ref64");
    ui_expect_unseen(&p, 78, 17, "outside");
    ui_take(&p, join_report(1, 1200));
    ui_expect_seen(&p, 78, 17, "outside the interval");
    ui_press(&p, "<Right>");
    ui_expect_seen(&p, 78, 17, "Enter: count exactly at this ε");
    ui_close(&p);
}

static void counts_are_remembered(void **state)
{
    (void)state;
    ui_panel p = with_curve();
    ui_take(&p, join_report(1, 1000));
    ui_look(&p);
    ui_take(&p, join_report(2, 4000));
    ui_look(&p);
    ui_take(&p, compare_report(0.125));
    set_facts(&p, 1, 0.125);
    ui_expect_seen(&p, 78, 17, "S = 18, 19,000 pairs, counted by ref64"); /* the truth's */
    set_facts(&p, 1, 1);
    ui_expect_seen(&p, 78, 17, "S = 1,000, 1,001,000 pairs, counted by ref64");
    for (int k = 0; k < 100; k++) { /* more than it remembers */
        ui_take(&p, join_report(3 + 0.01 * k, 10));
        ui_look(&p);
    }
    ui_expect_seen(&p, 78, 17, "Enter: count exactly");
    set_facts(&p, 1, 3.99);
    ui_expect_seen(&p, 78, 17, "S = 10, 11,000 pairs, counted");
    set_facts(&p, 2, 3.99);
    ui_take(&p, curve_report());
    ui_expect_unseen(&p, 78, 17, "counted"); /* another dataset */
    ui_close(&p);
}

/* ---- ε ---- */

static void arrows_move_eps_and_s_follows(void **state)
{
    (void)state;
    ui_panel p = with_curve();
    ui_press(&p, "<Right>");
    ui_expect_seen(&p, 78, 17, "ε = 1.012  S ≈ 1,024 [921.7, 1,127]");
    ui_press(&p, "<Left>");
    ui_expect_seen(&p, 78, 17, "ε = 1  S ≈ 1,000");
    ui_press(&p, "<S-Right>");
    ui_expect_seen(&p, 78, 17, "ε = 1.259  S ≈ 1,585");
    ui_press(&p, "<S-Left><S-Left>");
    ui_expect_seen(&p, 78, 17, "ε = 0.7943  S ≈ 630.9");
    ui_press(&p, "<End>");
    ui_expect_seen(&p, 78, 17, "ε = 10  S ≈ 100,000");
    ui_press(&p, "<Right><Right><Home>");
    ui_expect_seen(&p, 78, 17, "ε = 0.1  S ≈ 10 [9, 11]");
    ui_press(&p, "<S-Left>");
    ui_expect_seen(&p, 78, 17, "ε = 0.1  S ≈ 10");
    ui_close(&p);
}

static void a_click_puts_eps_there(void **state)
{
    (void)state;
    ui_panel p = with_curve();
    assert_false(ui_wants(&p, "<Click 40 8>")); /* nothing is drawn yet */
    free(ui_screen(&p, 78, 17, true));
    ui_press(&p, "<Click 77 8>");
    ui_expect_seen(&p, 78, 17, "S ≈ 9"); /* near the right end, S = 100,000 */
    ui_press(&p, "<Click 40 8>");
    ui_expect_seen(&p, 78, 17, "ε = 0.8775 ");
    assert_false(ui_wants(&p, "<Click 40 0>")); /* the text above */
    ui_close(&p);
}

static void eps_is_the_sessions_until_it_is_moved(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_tune);
    set_facts(&p, 1, 0.5);
    ui_take(&p, curve_report());
    ui_expect_seen(&p, 78, 17, "ε = 0.5  S ≈ 250");
    ui_press(&p, "<Home>");
    ui_expect_seen(&p, 78, 17, "ε = 0.1 ");
    set_facts(&p, 1, 2.123456789012); /* a command found another */
    ui_expect_seen(&p, 78, 17, "ε = 2.12345679 ");
    ui_press(&p, "<Enter><Home>");
    ui_expect_commands(&p, "join exact eps=2.123456789012 trials=1 count", NULL);
    set_facts(&p, 1, 50); /* beyond the curve, not far */
    ui_expect_seen(&p, 78, 17, "ε = 50  beyond the curve");
    set_facts(&p, 1, 1e9); /* far off: the end */
    ui_expect_seen(&p, 78, 17, "ε = 10 ");
    set_facts(&p, 2, NAN);
    ui_take(&p, curve_report());
    ui_expect_seen(&p, 78, 17, "ε = 1 "); /* a new dataset: the middle */
    ui_close(&p);
}

/* The count that was asked for ends when the cursor has gone on: it stays. */
static void a_count_does_not_pull_the_cursor_back(void **state)
{
    (void)state;
    ui_panel p = with_curve();
    ui_press(&p, "<Enter><Home>");
    ui_expect_commands(&p, "join exact eps=1 trials=1 count", NULL);
    set_facts(&p, 1, 1);
    ui_take(&p, join_report(1, 1000));
    ui_look(&p);
    ui_expect_seen(&p, 78, 17, "ε = 0.1 ");
    ui_close(&p);
}

static void zoom_makes_steps_finer(void **state)
{
    (void)state;
    ui_panel p = with_curve();
    ui_press(&p, "++<Right>");
    ui_expect_seen(&p, 78, 17, "ε = 1.0029 ");
    for (int k = 0; k < 300; k++)
        ui_press(&p, "<Right>"); /* the plot follows */
    ui_expect_seen(&p, 78, 17, "┆");
    ui_press(&p, "<Esc>");
    assert_false(ui_wants(&p, "<Esc>"));
    ui_press(&p, "-++++++++++++++++<Home>");
    ui_expect_seen(&p, 78, 17, "┆");
    ui_press(&p, "<End>");
    ui_expect_seen(&p, 78, 17, "┆");
    ui_close(&p);
}

/* ---- curves ---- */

static void the_newest_curve_wins(void **state)
{
    (void)state;
    ui_panel p = with_curve();
    ui_press(&p, "<Right>");
    ui_take(&p, sweep_report());
    set_facts(&p, 1, 2);
    ui_expect_seen(&p, 78, 17, "ε = 2  S ≈ 4,100  ≈ 4,101,000 pairs"); /* the sweep's, with no interval */
    ui_press(&p, "<Home>");
    ui_expect_seen(&p, 78, 17, "ε = 0.1  S ≈ 10 [9, 11]"); /* beyond the sweep the sampled one */
    ui_take(&p, curve_report());
    set_facts(&p, 1, 4);
    ui_expect_seen(&p, 78, 17, "ε = 4  S = 16,000, 16,001,000 pairs, counted by sweep"); /* still an exact point */
    ui_expect_seen(&p, 78, 17, "sampled: S ≈ 16,000 [14,400, 17,600]");
    ui_expect_seen(&p, 78, 17, "•");
    ui_close(&p);
}

static void targets_are_marked(void **state)
{
    (void)state;
    ui_panel p = with_curve();
    ui_take(&p, tune_report());
    set_facts(&p, 1, 2);
    ui_expect_seen(&p, 78, 17, "S=64");
    ui_expect_seen(&p, 78, 17, "S = 4000.5, 4,001,500 pairs, counted by ref64");
    ui_expect_seen(&p, 78, 17, "wanted S");
    ui_close(&p);
}

static eb_report *sampled_report(void)
{
    eb_report *report = eb_report_new("tune");
    eb_table *table = eb_report_table(report, "targets", "sampled");
    eb_table_column(table, "wanted", "wanted S", EB_PLAIN);
    eb_table_column(table, "sampled_eps", "sampled ε", EB_PLAIN);
    eb_table_column(table, "sampled_low", "95 % from", EB_PLAIN);
    eb_table_column(table, "sampled_high", "to", EB_PLAIN);
    ROW(table, eb_real(90), eb_real(0.3), eb_real(0.29), eb_real(0.31));
    add_curve(report, 0.1, 10, true);
    return report;
}

/* Seen and worked with before the exact pass is done, which then replaces it. */
static void what_is_sampled_is_there_while_it_is_counted(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_tune);
    set_facts(&p, 1, NAN);
    eb_desk_set_running(p.desk, "tune S=90");
    ui_expect_seen(&p, 78, 22, "No curve yet");
    eb_desk_take_live(p.desk, sampled_report());
    ui_expect_seen(&p, 78, 22, "ε = 0.3  S ≈ 90 [81, 99]");
    ui_expect_seen(&p, 78, 22, "95 % from");
    ui_expect_seen(&p, 78, 22, "sampled");
    ui_press(&p, "<Right>");
    eb_desk_take_live(p.desk, sampled_report()); /* a finer one: the cursor stays where it was put */
    ui_expect_unseen(&p, 78, 22, "ε = 0.3 ");
    ui_press(&p, "<Enter>");
    ui_expect_commands(&p, "join exact eps=0.302 trials=1 count", NULL);
    eb_desk_set_running(p.desk, NULL);
    ui_take(&p, tune_report());
    ui_expect_unseen(&p, 78, 22, "95 % from");
    ui_expect_unseen(&p, 78, 22, "sampled");
    ui_close(&p);
}

static void numbers_take_the_plots_place(void **state)
{
    (void)state;
    ui_panel p = with_curve();
    ui_take(&p, tune_report());
    ui_press(&p, "v");
    ui_expect_seen(&p, 78, 17, "4,001,500");
    ui_expect_unseen(&p, 78, 17, "┤");
    ui_take(&p, sweep_report());
    ui_expect_seen(&p, 78, 17, "16,001,000");
    ui_press(&p, "<Down><Up>v");
    ui_expect_seen(&p, 78, 17, "┤");
    ui_expect_seen(&p, 78, 17, "16,001,000"); /* the newest sweep's stand below its curve */
    ui_close(&p);
}

static void keys_begin_commands(void **state)
{
    (void)state;
    ui_panel p = with_curve();
    ui_press(&p, "s");
    ui_expect_typed(&p, "sweep S=");
    free(ui_screen(&p, 78, 17, true));
    ui_press(&p, "s");
    ui_expect_typed(&p, "sweep eps=0.1..10");
    assert_false(ui_wants(&p, "x"));
    assert_false(ui_wants(&p, "<Up>"));
    ui_close(&p);
}

/* ---- screens ---- */

static void screens(void **state)
{
    (void)state;
    ui_panel p = with_curve();
    ui_take(&p, tune_report());
    ui_take(&p, join_report(0.5, 250.25));
    set_facts(&p, 1, 0.5);
    ui_expect_screens(&p, "tune");
    ui_take(&p, sweep_report());
    ui_expect_screen(&p, "tune-sweep", 60, 16, true);
    ui_expect_screen(&p, "tune-ascii", 60, 16, false);
    ui_close(&p);
}

static void any_size_stays_inside(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_tune);
    ui_expect_inside(&p);
    set_facts(&p, 1, NAN);
    ui_take(&p, curve_report());
    ui_take(&p, tune_report());
    ui_take(&p, sweep_report());
    ui_take(&p, join_report(1, 1000));
    ui_expect_inside(&p);
    ui_press(&p, "+++<End>");
    set_facts(&p, 2, 3);
    ui_expect_inside(&p);
    ui_close(&p);
}

/* Missing keys, values that are none, curves of one point or of zeros. */
static void odd_reports_do_no_harm(void **state)
{
    (void)state;
    static const double values[][2] = {{0, 0}, {1, 5}, {NAN, NAN}, {1e300, 1e300}, {5e-324, 0}};
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
        ui_panel p = ui_open(&eb_panel_tune);
        set_facts(&p, 1, k % 2 ? 0 : NAN);
        eb_report *report = eb_report_new("curve");
        (void)eb_report_series(report, "curve", "", EB_LINE, 1, &values[k][0], &values[k][1], NULL, NULL);
        ui_take(&p, report);
        report = eb_report_new("tune");
        eb_table *table = eb_report_table(report, "targets", "");
        eb_table_column(table, "wanted", "wanted S", EB_PLAIN);
        ROW(table, eb_na());
        ui_take(&p, eb_report_new("tune"));
        ui_take(&p, report);
        ui_take(&p, eb_report_new("join"));
        ui_take(&p, eb_report_new("sweep"));
        free(ui_screen(&p, 78, 17, true));
        ui_press(&p, "<Right><S-Left><Home>+<End><Left>-<Enter>s");
        free(ui_screen(&p, 78, 17, false));
        ui_close(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_dataset_it_asks_for_nothing),
        cmocka_unit_test(it_samples_when_told_to),
        cmocka_unit_test(the_cursor_stands_at_the_eps_in_use),
        cmocka_unit_test(enter_counts_exactly),
        cmocka_unit_test(counts_are_remembered),
        cmocka_unit_test(arrows_move_eps_and_s_follows),
        cmocka_unit_test(a_click_puts_eps_there),
        cmocka_unit_test(eps_is_the_sessions_until_it_is_moved),
        cmocka_unit_test(a_count_does_not_pull_the_cursor_back),
        cmocka_unit_test(zoom_makes_steps_finer),
        cmocka_unit_test(the_newest_curve_wins),
        cmocka_unit_test(targets_are_marked),
        cmocka_unit_test(what_is_sampled_is_there_while_it_is_counted),
        cmocka_unit_test(numbers_take_the_plots_place),
        cmocka_unit_test(keys_begin_commands),
        cmocka_unit_test(screens),
        cmocka_unit_test(any_size_stays_inside),
        cmocka_unit_test(odd_reports_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
