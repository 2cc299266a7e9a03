/* The panel Log: lists, marks and what is asked of the log, runs again, any size. */
#include "shell/defaults.h"
#include "store/notes.h"
#include "tests/unit/ui_panel.h"

#define ROW(table, ...)                                                                                                \
    eb_table_row(table, (eb_value[]){__VA_ARGS__}, sizeof((eb_value[]){__VA_ARGS__}) / sizeof(eb_value))

/* Runs last … first, newest first as the log lists them. */
static eb_report *runs_report(int first, int last)
{
    static const char *const engines[] = {"ref64", "fasted", "ref64"}, *const datasets[] = {"demo", "demo:stars"};
    eb_report *report = eb_report_new("runs");
    eb_table *table = eb_report_table(report, "runs", "Runs, newest first");
    eb_table_column(table, "run", "run", EB_IDENTITY);
    eb_table_column(table, "session", "session", EB_IDENTITY);
    eb_table_column(table, "started", "started (UTC)", EB_PLAIN);
    eb_table_column(table, "dataset", "dataset", EB_PLAIN);
    eb_table_column(table, "engine", "engine", EB_PLAIN);
    eb_table_column(table, "eps", "ε", EB_PLAIN);
    eb_table_column(table, "kernel_s", "kernels", EB_SECONDS);
    eb_table_column(table, "state", "state", EB_PLAIN);
    for (int run = last; run >= first; run--)
        ROW(table, eb_int(run), eb_int(1 + run / 8), eb_text("2026-01-02T03:04:05Z"), eb_text(datasets[run / 8 % 2]),
            eb_text(engines[run % 3]), eb_real(0.5 + run), eb_real(1e-3 * (run * 7 % 11)), eb_text("done"));
    return report;
}

static eb_report *sessions_report(void)
{
    eb_report *report = eb_report_new("sessions");
    eb_table *table = eb_report_table(report, "sessions", "Sessions, newest first");
    eb_table_column(table, "session", "session", EB_IDENTITY);
    eb_table_column(table, "started", "started (UTC)", EB_PLAIN);
    eb_table_column(table, "commands", "commands", EB_PLAIN);
    ROW(table, eb_int(3), eb_text("2026-01-03T03:04:05Z"), eb_int(12));
    ROW(table, eb_int(2), eb_text("2026-01-02T03:04:05Z"), eb_int(7));
    return report;
}

static eb_report *show_report(int run, const char *command)
{
    eb_report *report = eb_report_new("show");
    eb_report_field(report, "run", "run", EB_IDENTITY, eb_int(run));
    eb_report_field(report, "command", "command", EB_PLAIN, eb_text(command));
    eb_report_field(report, "engine", "engine", EB_PLAIN, eb_text("ref64"));
    eb_report_field(report, "eps", "ε", EB_IDENTITY, eb_real(0.75));
    eb_record *details = eb_report_record(report, "dataset_details", "Dataset");
    eb_record_field(details, "source", "source", EB_PLAIN, eb_text("demo"));
    eb_record_field(details, "sha256", "sha256", EB_PLAIN, eb_text("abc"));
    eb_table *table = eb_report_table(report, "trial_times", "Trials");
    eb_table_column(table, "trial", "trial", EB_IDENTITY);
    eb_table_column(table, "kernel_s", "kernels", EB_SECONDS);
    for (int k = 1; k <= 30; k++)
        ROW(table, eb_int(k), eb_real(1e-3 * k));
    eb_report_note(report, "noted 2026-01-02T03:04:05Z: on battery");
    return report;
}

static eb_report *diff_report(void)
{
    eb_report *report = eb_report_new("diff");
    eb_report_field(report, "baseline", "baseline run", EB_IDENTITY, eb_int(3));
    eb_report_field(report, "run", "run", EB_IDENTITY, eb_int(9));
    eb_table *table = eb_report_table(report, "conditions", "Conditions");
    eb_table_column(table, "condition", "condition", EB_PLAIN);
    eb_table_column(table, "baseline", "baseline", EB_IDENTITY);
    eb_table_column(table, "run", "run", EB_IDENTITY);
    eb_table_column(table, "differs", "differs", EB_PLAIN);
    ROW(table, eb_text("engine"), eb_text("ref64"), eb_text("fasted"), eb_bool(true));
    ROW(table, eb_text("eps"), eb_real(0.5), eb_real(0.5), eb_bool(false));
    table = eb_report_table(report, "times", "Median times, the run against the baseline");
    eb_table_column(table, "part", "part", EB_PLAIN);
    eb_table_column(table, "baseline_s", "baseline", EB_SECONDS);
    eb_table_column(table, "run_s", "run", EB_SECONDS);
    eb_table_column(table, "ratio", "ratio", EB_RATIO);
    eb_table_column(table, "verdict", "verdict", EB_PLAIN);
    ROW(table, eb_text("kernel_s"), eb_real(0.012), eb_real(0.006), eb_real(0.5), eb_text("FASTER"));
    ROW(table, eb_text("total_s"), eb_real(0.12), eb_real(0.12), eb_real(1), eb_text("SAME"));
    return report;
}

static ui_panel with_runs(void)
{
    ui_panel p = ui_open(&eb_panel_log);
    ui_take(&p, runs_report(1, 20));
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    free(ui_screen(&p, 78, 17, true));
    return p;
}

static void set_loaded(ui_panel *p, const char *sha256)
{
    eb_facts facts = {.has_dataset = true, .dataset_serial = 4, .eps = 0.9};
    eb_desk_set_facts(p->desk, &facts);
    eb_report *report = eb_report_new("load");
    eb_report_field(report, "sha256", "sha256", EB_PLAIN, eb_text(sha256));
    ui_take(p, report);
}

/* ---- what it asks for ---- */

static void it_lists_the_runs_first_and_after_new_ones(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_log);
    ui_expect_seen(&p, 78, 17, "No runs yet");
    eb_desk_set_running(p.desk, "tune S=4"); /* beside which the log is read */
    ui_look(&p);
    ui_expect_commands(&p, "runs limit=1000", NULL);
    eb_desk_set_running(p.desk, NULL);
    ui_look(&p); /* there is no log: it failed */
    ui_expect_commands(&p, NULL);
    ui_take(&p, eb_report_new("join"));
    ui_look(&p);
    ui_expect_commands(&p, "runs limit=1000", NULL);
    ui_take(&p, eb_report_new("tune")); /* no run */
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    ui_press(&p, "a");
    ui_expect_commands(&p, "runs limit=1000", NULL);
    ui_close(&p);
}

static void keys_are_for_the_run_at_the_cursor(void **state)
{
    (void)state;
    ui_panel p = with_runs();
    ui_press(&p, "<Enter>");
    ui_expect_commands(&p, "show 20", NULL);
    ui_press(&p, "<Down><Down>n");
    ui_expect_typed(&p, "note run=18 ");
    ui_press(&p, "e");
    ui_expect_typed(&p, "export ");
    ui_press(&p, "x");
    ui_expect_commands(&p, "explain run 18", NULL);
    assert_false(ui_wants(&p, "z"));
    ui_close(&p);
}

static void without_runs_there_is_nothing_to_ask(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_log);
    eb_report *report = runs_report(1, 0);
    eb_report_note(report, EB_NO_RUNS);
    ui_take(&p, report);
    ui_expect_seen(&p, 78, 17, "compare fasted ref64 S=64");
    assert_false(ui_wants(&p, "<Enter>"));
    assert_false(ui_wants(&p, "R"));
    ui_press(&p, "D");
    ui_expect_commands(&p, NULL);
    ui_close(&p);
}

/* ---- marks ---- */

static void two_marked_runs_are_compared(void **state)
{
    (void)state;
    eb_tone tone;
    ui_panel p = with_runs();
    ui_press(&p, "D");
    assert_non_null(strstr(eb_desk_message(p.desk, &tone), "mark the baseline"));
    ui_press(&p, "<Down> <Down><Down>D"); /* 19 is marked, the cursor is on 17 */
    ui_expect_commands(&p, "diff 19 17", NULL);
    ui_press(&p, " <Home>D"); /* 17 too: the first marked is the baseline */
    ui_expect_commands(&p, "diff 19 17", NULL);
    ui_press(&p, " D"); /* a third: the oldest mark gives way */
    ui_expect_commands(&p, "diff 17 20", NULL);
    ui_press(&p, " <End>D"); /* taken away again */
    ui_expect_commands(&p, "diff 17 1", NULL);
    ui_close(&p);
}

static void marks_and_cursor_stay_with_their_runs(void **state)
{
    (void)state;
    ui_panel p = with_runs();
    ui_press(&p, "<Down> <Down>"); /* 19 marked, cursor on 18 */
    ui_take(&p, runs_report(1, 25));
    ui_press(&p, "D");
    ui_expect_commands(&p, "diff 19 18", NULL);
    ui_press(&p, "r<Enter>D"); /* oldest first */
    ui_expect_commands(&p, "show 18", "diff 19 18", NULL);
    ui_press(&p, "/fasted<Enter>");
    ui_press(&p, "<Esc>D");
    ui_take(&p, runs_report(1, 3)); /* both are gone */
    free(ui_screen(&p, 78, 17, true));
    ui_press(&p, "<Enter>");
    ui_close(&p);
}

/* ---- finding ---- */

static void runs_are_filtered_as_one_types(void **state)
{
    (void)state;
    ui_panel p = with_runs();
    ui_press(&p, "/");
    assert_true(p.panel->typing(p.state));
    ui_press(&p, "starsRdn"); /* no commands now */
    ui_expect_commands(&p, NULL);
    ui_expect_seen(&p, 78, 17, "0 of 20  with starsRdn_");
    ui_press(&p, "<C-h><C-h><C-h>");
    ui_expect_seen(&p, 78, 17, "8 of 20  with stars_");
    ui_press(&p, "<Down><Enter>");
    assert_false(p.panel->typing(p.state));
    ui_press(&p, "<Enter>");
    ui_expect_commands(&p, "show 14", NULL);
    ui_press(&p, "<Esc>");
    ui_expect_unseen(&p, 78, 17, "of 20");
    ui_press(&p, "<Enter>");
    ui_expect_commands(&p, "show 14", NULL); /* the cursor is where it was */
    assert_false(ui_wants(&p, "<Esc>"));
    ui_press(&p, "/ε日");
    ui_expect_seen(&p, 78, 17, "with ε日_");
    ui_press(&p, "<C-h><C-h>");
    assert_true(p.panel->typing(p.state));
    ui_press(&p, "<C-h>"); /* nothing left to take away */
    assert_false(p.panel->typing(p.state));
    ui_press(&p, "/");
    for (int k = 0; k < 100; k++)
        ui_press(&p, "日");
    free(ui_screen(&p, 78, 17, true));
    ui_press(&p, "<Esc>");
    ui_expect_unseen(&p, 78, 17, "of 20");
    ui_close(&p);
}

static void runs_are_sorted(void **state)
{
    (void)state;
    ui_panel p = with_runs();
    ui_press(&p, "r<Home><Enter>"); /* oldest first */
    ui_expect_commands(&p, "show 1", NULL);
    ui_press(&p, "r<Home><Enter>");
    ui_expect_commands(&p, "show 20", NULL);
    ui_press(&p, ">>>>r<Home><Enter>"); /* by kernels, the slowest first: of two the one listed first */
    ui_expect_commands(&p, "show 14", NULL);
    ui_press(&p, "<lt><lt><lt><lt><lt><Home><Enter>"); /* as listed */
    ui_expect_commands(&p, "show 20", NULL);
    ui_close(&p);
}

/* A person's own columns, in that order; the runs' numbers come along. */
static void columns_are_chosen(void **state)
{
    (void)state;
    ui_panel p = with_runs();
    eb_facts facts = *eb_desk_facts(p.desk);
    ui_expect_seen(&p, 78, 17, "run  dataset     engine     ε  kernels  state");
    ui_press(&p, "C");
    char *typed = eb_desk_typed(p.desk);
    assert_string_equal(typed, "set keep log_columns=" EB_LOG_COLUMNS);
    free(typed);
    (void)snprintf(facts.log_columns, sizeof facts.log_columns, "state, (nothing) engine");
    eb_desk_set_facts(p.desk, &facts);
    ui_look(&p);
    ui_expect_seen(&p, 78, 17, "run  state  engine");
    ui_expect_unseen(&p, 78, 17, "dataset");
    ui_press(&p, "<Home><Enter>");
    ui_expect_commands(&p, "show 20", NULL);
    ui_close(&p);
}

/* ---- details ---- */

static void a_run_is_shown_beside_or_below(void **state)
{
    (void)state;
    ui_panel p = with_runs();
    ui_take(&p, show_report(7, "join ref64 eps=0.75"));
    ui_expect_seen(&p, 78, 17, "Run 7");
    ui_expect_seen(&p, 198, 53, "on battery");
    ui_expect_unseen(&p, 78, 17, "on battery");
    for (int k = 0; k < 10; k++)
        ui_press(&p, "]");
    ui_expect_seen(&p, 78, 17, "on battery");
    ui_press(&p, "[<S-Up><S-Down><Wheel-down 10 14><Wheel-up 10 14>");
    ui_take(&p, diff_report());
    ui_expect_seen(&p, 78, 17, "Run 9 against 3  kernels FASTER 0.50×  end to end SAME 1.00×");
    ui_expect_seen(&p, 78, 10, "Run 9");
    ui_expect_seen(&p, 78, 6, "Run 9"); /* no room for the list */
    ui_press(&p, "<Esc>");
    ui_expect_unseen(&p, 78, 17, "Run 9");
    assert_false(ui_wants(&p, "<Esc>"));
    ui_close(&p);
}

static void a_run_is_made_again(void **state)
{
    (void)state;
    eb_tone tone;
    ui_panel p = with_runs();
    set_loaded(&p, "abc");
    ui_press(&p, "R");
    ui_expect_commands(&p, "show 20", NULL); /* what was it? */
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    ui_take(&p, show_report(20, "join ref64 count"));
    ui_look(&p);
    ui_expect_commands(&p, "join eps=0.75 ref64 count", NULL);
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    ui_press(&p, "R"); /* known by now */
    ui_expect_commands(&p, "join eps=0.75 ref64 count", NULL);
    set_loaded(&p, "def");
    ui_press(&p, "R"); /* of other points */
    ui_expect_commands(&p, "load demo; join eps=0.75 ref64 count", NULL);
    ui_press(&p, "<Down>R");
    ui_expect_commands(&p, "show 19", NULL);
    ui_take(&p, show_report(5, "join ref64 S=1")); /* something else was shown meanwhile */
    ui_look(&p);
    ui_take(&p, show_report(19, "join ref64 S=1"));
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    ui_take(&p, show_report(19, NULL));
    ui_press(&p, "R");
    ui_expect_commands(&p, NULL);
    assert_non_null(strstr(eb_desk_message(p.desk, &tone), "run 19"));
    ui_close(&p);
}

/* ---- sessions ---- */

static void sessions_lead_to_their_runs(void **state)
{
    (void)state;
    ui_panel p = with_runs();
    ui_press(&p, "S");
    ui_expect_commands(&p, "sessions", NULL);
    ui_take(&p, sessions_report());
    ui_expect_seen(&p, 78, 17, "Sessions, newest first");
    ui_press(&p, "<Down>R");
    ui_expect_commands(&p, "replay 2", NULL);
    ui_press(&p, "e");
    ui_expect_typed(&p, "export session=2 ");
    ui_press(&p, "n");
    ui_expect_typed(&p, "note ");
    ui_press(&p, "/12");
    assert_true(p.panel->typing(p.state));
    ui_press(&p, "<Enter><Enter>");
    ui_expect_commands(&p, "runs session=3 limit=1000", NULL);
    ui_expect_seen(&p, 78, 17, "Runs, newest first");
    ui_press(&p, "S<Esc><Esc>"); /* the filter, then the sessions */
    ui_expect_seen(&p, 78, 17, "Runs, newest first");
    ui_close(&p);
}

/* What the runs' report says would stand under the sessions. */
static void beside_sessions_no_runs_are_asked_for(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_log);
    ui_take(&p, sessions_report());
    free(ui_screen(&p, 78, 17, true));
    eb_desk_say(p.desk, EB_TONE_NOTE, "sessions");
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    ui_press(&p, "<Esc>");
    assert_string_equal(eb_desk_message(p.desk, NULL), "");
    ui_look(&p);
    ui_expect_commands(&p, "runs limit=1000", NULL);
    ui_close(&p);
}

static void what_is_typed_is_seen(void **state)
{
    (void)state;
    ui_panel p = with_runs();
    ui_take(&p, sessions_report());
    ui_expect_seen(&p, 78, 17, "Sessions, newest first");
    ui_take(&p, runs_report(1, 3));
    ui_expect_seen(&p, 78, 17, "Runs, newest first");
    ui_take(&p, eb_report_new("join"));
    ui_look(&p);
    ui_take(&p, sessions_report());
    ui_take(&p, runs_report(1, 4)); /* the panel's own wish */
    ui_expect_seen(&p, 78, 17, "Sessions, newest first");
    ui_close(&p);
}

/* ---- screens ---- */

static void screens(void **state)
{
    (void)state;
    ui_panel p = with_runs();
    ui_press(&p, "<Down> <Down>");
    ui_expect_screen(&p, "log-list", 78, 17, true);
    ui_take(&p, show_report(7, "join ref64 eps=0.75"));
    ui_expect_screens(&p, "log-show");
    ui_take(&p, diff_report());
    ui_expect_screen(&p, "log-diff", 118, 33, true);
    ui_expect_screen(&p, "log-ascii", 78, 17, false);
    ui_close(&p);
}

static void any_size_stays_inside(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_log);
    ui_expect_inside(&p);
    eb_report *report = runs_report(1, 20);
    eb_report_note(report, "the newest 20 of 2000 runs; limit=2000 shows all");
    ui_take(&p, report);
    ui_press(&p, "/re");
    ui_expect_inside(&p);
    ui_press(&p, "<Enter> ");
    ui_take(&p, show_report(7, "join ref64 eps=0.75"));
    ui_press(&p, "]");
    ui_expect_inside(&p);
    ui_take(&p, diff_report());
    ui_expect_inside(&p);
    ui_close(&p);
}

static void odd_reports_do_no_harm(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_log);
    static const char *const commands[] = {"runs", "sessions", "show", "diff"};
    for (size_t k = 0; k < 4; k++)
        ui_take(&p, eb_report_new(commands[k]));
    free(ui_screen(&p, 118, 33, true));
    eb_report *report = eb_report_new("runs");
    eb_table *table = eb_report_table(report, "runs", "");
    eb_table_column(table, "engine", "engine", EB_PLAIN);
    ROW(table, eb_text("ref64"));
    ui_take(&p, report);
    report = eb_report_new("diff");
    table = eb_report_table(report, "times", "");
    eb_table_column(table, "part", "part", EB_PLAIN);
    ROW(table, eb_na());
    ui_take(&p, report);
    free(ui_screen(&p, 118, 33, true));
    (void)ui_wants(&p, " ");
    (void)ui_wants(&p, "<Enter>");
    (void)ui_wants(&p, "R");
    ui_press(&p, "D><lt>r/r<Esc>S");
    ui_expect_commands(&p, "sessions", NULL);
    free(ui_screen(&p, 118, 33, true));
    ui_close(&p);
}

/* As sorted by a person, of the list that is shown. */
static void the_column_it_is_sorted_by_has_a_title(void **state)
{
    (void)state;
    ui_panel p = with_runs();
    assert_null(p.panel->column(p.state, p.desk));
    ui_press(&p, ">");
    assert_string_equal(p.panel->column(p.state, p.desk), "run");
    ui_press(&p, "<lt><lt>");
    assert_string_equal(p.panel->column(p.state, p.desk), "state");
    ui_press(&p, "S");
    ui_take(&p, sessions_report());
    assert_null(p.panel->column(p.state, p.desk));
    ui_press(&p, ">>");
    assert_string_equal(p.panel->column(p.state, p.desk), "started (UTC)");
    ui_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_lists_the_runs_first_and_after_new_ones),
        cmocka_unit_test(keys_are_for_the_run_at_the_cursor),
        cmocka_unit_test(the_column_it_is_sorted_by_has_a_title),
        cmocka_unit_test(without_runs_there_is_nothing_to_ask),
        cmocka_unit_test(two_marked_runs_are_compared),
        cmocka_unit_test(marks_and_cursor_stay_with_their_runs),
        cmocka_unit_test(runs_are_filtered_as_one_types),
        cmocka_unit_test(runs_are_sorted),
        cmocka_unit_test(columns_are_chosen),
        cmocka_unit_test(a_run_is_shown_beside_or_below),
        cmocka_unit_test(a_run_is_made_again),
        cmocka_unit_test(sessions_lead_to_their_runs),
        cmocka_unit_test(beside_sessions_no_runs_are_asked_for),
        cmocka_unit_test(what_is_typed_is_seen),
        cmocka_unit_test(screens),
        cmocka_unit_test(any_size_stays_inside),
        cmocka_unit_test(odd_reports_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
