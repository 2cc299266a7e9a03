/* The panel Accuracy: errors and their zoom, overlap, pairs at the edge, what it asks for, any size. */
#include "tests/unit/ui_panel.h"
#include "tests/unit/ui_run_reports.h"

static ui_panel opened(void)
{
    ui_panel p = ui_open(&eb_panel_accuracy);
    eb_facts facts = rr_facts(false);
    eb_desk_set_facts(p.desk, &facts);
    return p;
}

static ui_panel compared(void)
{
    ui_panel p = opened();
    ui_take(&p, rr_compare(false));
    ui_take(&p, rr_accuracies());
    return p;
}

/* Looking at the panel begins nothing; Enter asks. */
static void asks_for_accuracy_when_told_to(void **state)
{
    (void)state;
    ui_panel p = opened();
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    ui_expect_seen(&p, 78, 17, "Nothing compared yet");
    assert_false(ui_wants(&p, "+"));
    ui_take(&p, rr_compare(false));
    eb_desk_set_running(p.desk, "tune S=64");
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    eb_desk_set_running(p.desk, NULL);
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    ui_expect_seen(&p, 118, 33, "Enter: how the overlap is distributed");
    ui_press(&p, "<Enter>");
    ui_expect_commands(&p, "accuracy", NULL);
    ui_close(&p);
}

static void while_it_is_empty_enter_begins_a_line(void **state)
{
    (void)state;
    ui_panel p = opened();
    ui_press(&p, "<Enter>");
    ui_expect_commands(&p, NULL);
    ui_expect_typed(&p, "compare fasted ref64 S=64");
    ui_close(&p);
}

static void draws_errors_and_overlap(void **state)
{
    (void)state;
    ui_panel p = compared();
    ui_expect_screens(&p, "accuracy");
    ui_expect_screen(&p, "accuracy-ascii", 60, 16, false);
    ui_expect_seen(&p, 78, 17, "393 below the axis, 7 above");
    ui_expect_seen(&p, 78, 17, "fasted against ref64  ε = 1455.86  approximate against truth\n");
    ui_expect_seen(&p, 78, 17, "only fast 17  only true 23");
    ui_expect_unseen(&p, 78, 17, "Points by their overlap");
    ui_expect_seen(&p, 118, 33, "Points by their overlap");
    ui_expect_seen(&p, 78, 33, "Points by their overlap");
    ui_press(&p, "o");
    ui_expect_seen(&p, 78, 17, "Points by their overlap");
    ui_expect_unseen(&p, 78, 17, "Distance error: fast");
    ui_expect_inside(&p);
    ui_press(&p, "o");
    ui_expect_seen(&p, 78, 17, "Distance error: fast");
    ui_expect_inside(&p);
    ui_close(&p);
}

/* What is seen is of one kind: figures with self pairs do not stand above errors without. */
static void self_pairs_can_be_taken_in_and_out(void **state)
{
    (void)state;
    ui_panel p = opened();
    ui_take(&p, rr_with_self(rr_compare(false), false));
    ui_take(&p, rr_with_self(rr_accuracies(), false));
    ui_expect_seen(&p, 78, 17, "self pairs out");
    ui_press(&p, "i");
    ui_expect_commands(&p, "accuracy self=in", "hist self=in", NULL);
    ui_take(&p, rr_with_self(rr_accuracies(), true));
    ui_expect_seen(&p, 78, 17, "self pairs in");
    ui_expect_unseen(&p, 78, 17, "393 below the axis");
    ui_expect_seen(&p, 78, 17, "`hist self=in` or");
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    ui_press(&p, "i");
    ui_expect_commands(&p, "accuracy self=out", "hist self=out", NULL);
    ui_close(&p);
}

static void against_another_approximation_there_are_differences(void **state)
{
    (void)state;
    ui_panel p = opened();
    ui_take(&p, rr_compare_approximate());
    ui_press(&p, "<Enter>");
    ui_expect_commands(&p, "accuracy", NULL);
    ui_take(&p, rr_accuracies_about("fasted", "fasted[tensor=sm_80]", false));
    ui_expect_screen(&p, "accuracy-approximate", 78, 17, true);
    ui_expect_seen(&p, 78, 17, "fasted against fasted[tensor=sm_80]");
    ui_expect_seen(&p, 78, 17, "Distance difference: fast - other");
    ui_expect_seen(&p, 78, 17, "difference mean -0.0019");
    ui_expect_seen(&p, 78, 17, "deviation 0.0082");
    ui_expect_seen(&p, 78, 17, "greatest 0.122");
    ui_expect_seen(&p, 78, 17, "only fast 17  only other 23");
    ui_expect_unseen(&p, 78, 17, "error");
    ui_expect_unseen(&p, 78, 17, "only true");
    ui_press(&p, "++");
    ui_expect_seen(&p, 78, 17, "outside the zoom");
    ui_press(&p, "h");
    ui_expect_commands(&p, "hist bins=800", NULL);
    eb_report *finer = eb_report_new("hist");
    rr_bars(finer, false, 800, true);
    ui_take(&p, finer);
    ui_expect_seen(&p, 78, 17, "log scale");
    ui_expect_inside(&p);
    ui_take(&p, rr_compare(false)); /* the truth again */
    ui_expect_seen(&p, 78, 17, "Distance error: fast - true");
    ui_expect_seen(&p, 78, 17, "error mean");
    ui_expect_unseen(&p, 78, 17, "difference");
    ui_close(&p);
}

/* Several were compared: what is shown is of one of them, the one that was asked about last. */
static void parts_of_two_engines_do_not_stand_together(void **state)
{
    (void)state;
    ui_panel p = opened();
    ui_take(&p, rr_compare_of(false, RR_ALL));
    ui_expect_seen(&p, 78, 17, "fasted against ref64");
    ui_expect_seen(&p, 78, 17, "393 below the axis");
    ui_take(&p, rr_accuracies_about("fasted[paper]", "ref64", true));
    ui_expect_seen(&p, 118, 33, "fasted[paper] against ref64");
    ui_expect_seen(&p, 118, 33, "Points by their overlap");
    ui_expect_unseen(&p, 118, 33, "393 below the axis"); /* those were fasted's errors */
    ui_expect_seen(&p, 118, 33, "`hist` draws them");
    eb_report *hist = eb_report_new("hist");
    eb_report_field(hist, "fast", "fast engine", EB_PLAIN, eb_text("fasted[paper]"));
    eb_report_field(hist, "truth", "truth", EB_PLAIN, eb_text("ref64"));
    rr_errors(hist, 200, false);
    ui_take(&p, hist);
    ui_expect_seen(&p, 118, 33, "fasted[paper] against ref64");
    ui_expect_seen(&p, 118, 33, "393 below the axis");
    ui_press(&p, "h");
    ui_expect_commands(&p, "hist bins=400 fasted[paper]", NULL);
    ui_take(&p, rr_accuracies());
    ui_expect_seen(&p, 118, 33, "fasted against ref64");
    ui_press(&p, "h");
    ui_expect_commands(&p, "hist bins=400", NULL);
    ui_expect_inside(&p);
    ui_close(&p);
}

/* `hist ENGINE` brings that engine to the front: what is lacking is asked for of it, not of the first one. */
static void asks_about_the_engine_that_is_looked_at(void **state)
{
    (void)state;
    ui_panel p = opened();
    ui_take(&p, rr_compare_of(false, RR_ALL));
    eb_report *hist = eb_report_new("hist");
    eb_report_field(hist, "fast", "fast engine", EB_PLAIN, eb_text("fasted[paper]"));
    eb_report_field(hist, "truth", "truth", EB_PLAIN, eb_text("ref64"));
    rr_errors(hist, 200, false);
    ui_take(&p, hist);
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    ui_press(&p, "<Enter>");
    ui_expect_commands(&p, "accuracy fasted[paper]", NULL);
    ui_take(&p, rr_accuracies_about("fasted[paper]", "ref64", true));
    ui_expect_seen(&p, 118, 33, "fasted[paper] against ref64");
    ui_close(&p);
}

static void an_older_accuracy_is_not_shown_beside_a_newer_comparison(void **state)
{
    (void)state;
    ui_panel p = compared();
    ui_take(&p, rr_compare_without_accuracy());
    ui_expect_unseen(&p, 118, 33, "393 below");
    ui_expect_seen(&p, 118, 33, "No pair is in both results");
    ui_expect_seen(&p, 118, 33, "Enter: how the overlap");
    ui_expect_inside(&p);
    ui_close(&p);
}

static void zooms_and_moves(void **state)
{
    (void)state;
    ui_panel p = compared();
    ui_expect_unseen(&p, 78, 17, "outside the zoom");
    ui_press(&p, "<Left><Right>-"); /* nothing to move, nothing beyond */
    ui_expect_unseen(&p, 78, 17, "outside the zoom");
    ui_press(&p, "++");
    ui_expect_seen(&p, 78, 17, "outside the zoom");
    ui_expect_seen(&p, 78, 17, "-0.01");
    ui_press(&p, "<S-Left><S-Left><S-Left><S-Left>");
    ui_expect_seen(&p, 78, 17, "-0.05");
    ui_expect_seen(&p, 78, 17, "-0.03");
    ui_expect_unseen(&p, 78, 17, "-0.01 ");
    char *at_end = ui_screen(&p, 78, 17, true);
    ui_press(&p, "<Left>"); /* it ends there */
    char *still = ui_screen(&p, 78, 17, true);
    assert_string_equal(at_end, still);
    free(at_end);
    free(still);
    for (int k = 0; k < 60; k++)
        ui_press(&p, "+");
    ui_expect_seen(&p, 78, 17, "outside the zoom");
    ui_expect_unseen(&p, 78, 17, "no bins");
    ui_expect_inside(&p);
    ui_press(&p, "0");
    ui_expect_unseen(&p, 78, 17, "outside the zoom");
    assert_false(ui_wants(&p, "<Esc>")); /* nothing to leave: for the workbench */
    ui_press(&p, "+<Esc>");
    ui_expect_unseen(&p, 78, 17, "outside the zoom");
    ui_press(&p, "<Wheel-up 5 5>");
    ui_expect_seen(&p, 78, 17, "outside the zoom");
    ui_press(&p, "<Wheel-down 5 5>");
    ui_expect_unseen(&p, 78, 17, "outside the zoom");
    ui_close(&p);
}

/* One error in ten thousand lies far away: the others are not drawn as one bar because of it, and it is told of. */
static void errors_begin_where_nearly_all_are(void **state)
{
    (void)state;
    enum { BINS = 1000 };
    double x[BINS], y[BINS] = {0};
    ui_panel p = compared();
    eb_report *far = eb_report_new("hist");
    for (size_t k = 0; k < BINS; k++)
        x[k] = -1 + 2 * ((double)k + 0.5) / BINS;
    for (size_t k = 495; k < 505; k++)
        y[k] = 1000;
    y[BINS - 1] = 1;
    eb_series *errors = eb_report_series(far, "errors", "Distance error: fast - true", EB_BARS, BINS, x, y, NULL, NULL);
    eb_series_axes(errors, "error", "distance error", false, "pairs", "pairs", false);
    ui_take(&p, far);
    ui_expect_seen(&p, 78, 17, "log scale");
    ui_expect_seen(&p, 78, 17, "1 outside the zoom");
    ui_expect_seen(&p, 78, 17, "0.01");
    ui_expect_seen(&p, 78, 17, "pairs nearest to ε"); /* below the plot */
    ui_press(&p, "0");
    ui_expect_unseen(&p, 78, 17, "outside the zoom");
    ui_close(&p);
}

static void zoomed_bins_can_be_asked_finer(void **state)
{
    (void)state;
    ui_panel p = compared();
    ui_press(&p, "h");
    ui_expect_commands(&p, "hist bins=400", NULL);
    ui_press(&p, "++h");
    ui_expect_commands(&p, "hist bins=800", NULL);
    eb_report *finer = eb_report_new("hist");
    rr_errors(finer, 800, true);
    ui_take(&p, finer);
    ui_expect_seen(&p, 78, 17, "log scale");
    ui_press(&p, "l");
    ui_expect_unseen(&p, 78, 17, "log scale");
    ui_press(&p, "l");
    ui_expect_seen(&p, 78, 30, "pairs (log)");
    ui_close(&p);
}

static void pairs_have_both_verdicts(void **state)
{
    (void)state;
    ui_panel p = compared();
    ui_press(&p, "b");
    ui_expect_screen(&p, "accuracy-pairs", 78, 17, true);
    ui_expect_seen(&p, 78, 17, "the verdicts differ on 2");
    ui_press(&p, "<Down>/154<Enter>");
    ui_expect_unseen(&p, 78, 17, " 152 ");
    ui_expect_seen(&p, 78, 17, " 154 ");
    ui_expect_inside(&p);
    ui_press(&p, "x"); /* the one at the cursor */
    ui_expect_commands(&p, "explain 154 3022 fasted eps=1455.86", NULL);
    ui_press(&p, "<Esc>b");
    ui_expect_seen(&p, 78, 17, "Distance error: fast");
    ui_press(&p, "x"); /* the nearest */
    ui_expect_commands(&p, "explain 152 3022 fasted eps=1455.86", NULL);
    ui_close(&p);
}

static void a_filter_being_typed_takes_every_letter(void **state)
{
    (void)state;
    ui_panel p = compared();
    ui_press(&p, "b/bo");
    assert_true(p.panel->typing(p.state));
    ui_expect_seen(&p, 78, 17, "bo_");
    ui_press(&p, "<Esc>");
    assert_false(p.panel->typing(p.state));
    ui_close(&p);
}

static void reports_with_parts_missing_are_drawn(void **state)
{
    (void)state;
    ui_panel p = opened();
    eb_report *r = eb_report_new("compare");
    (void)eb_report_table(r, "runs", "runs");
    (void)eb_report_table(r, "boundary", "boundary");
    (void)eb_report_series(r, "errors", "errors", EB_BARS, 0, NULL, NULL, NULL, NULL);
    ui_take(&p, r);
    ui_expect_inside(&p);
    ui_press(&p, "+-<Left>0lh");
    ui_expect_commands(&p, NULL);
    ui_press(&p, "b");
    ui_expect_inside(&p);
    ui_expect_seen(&p, 78, 17, "No pairs near ε");
    r = eb_report_new("hist");
    (void)eb_report_series(r, "errors", "errors", EB_BARS, 3, (double[]){NAN, NAN, NAN}, (double[]){1, NAN, -1}, NULL,
                           NULL);
    ui_take(&p, r);
    ui_press(&p, "b");
    ui_press(&p, "++<Left>");
    ui_expect_inside(&p);
    ui_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asks_for_accuracy_when_told_to),
        cmocka_unit_test(while_it_is_empty_enter_begins_a_line),
        cmocka_unit_test(asks_about_the_engine_that_is_looked_at),
        cmocka_unit_test(draws_errors_and_overlap),
        cmocka_unit_test(self_pairs_can_be_taken_in_and_out),
        cmocka_unit_test(against_another_approximation_there_are_differences),
        cmocka_unit_test(parts_of_two_engines_do_not_stand_together),
        cmocka_unit_test(an_older_accuracy_is_not_shown_beside_a_newer_comparison),
        cmocka_unit_test(zooms_and_moves),
        cmocka_unit_test(errors_begin_where_nearly_all_are),
        cmocka_unit_test(zoomed_bins_can_be_asked_finer),
        cmocka_unit_test(pairs_have_both_verdicts),
        cmocka_unit_test(a_filter_being_typed_takes_every_letter),
        cmocka_unit_test(reports_with_parts_missing_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
