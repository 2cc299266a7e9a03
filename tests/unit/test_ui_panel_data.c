/* The panel Data: what it shows of a dataset, the list of files, what it asks for, any size. */
#include "tests/unit/ui_panel.h"

#define ROW(table, ...)                                                                                                \
    eb_table_row(table, (eb_value[]){__VA_ARGS__}, sizeof((eb_value[]){__VA_ARGS__}) / sizeof(eb_value))

static eb_report *info_of(const char *source)
{
    eb_report *report = eb_report_new("info");
    eb_report_field(report, "source", "dataset", EB_PLAIN, eb_text(source));
    eb_report_field(report, "format", "format", EB_PLAIN, eb_text("fvecs"));
    eb_report_field(report, "n", "points n", EB_PLAIN, eb_uint(100000));
    eb_report_field(report, "d", "dimensions d", EB_PLAIN, eb_uint(128));
    eb_report_field(report, "dtype", "type", EB_PLAIN, eb_text("f32"));
    eb_report_field(report, "bytes", "size", EB_BYTES, eb_uint(51200000));
    eb_report_field(report, "sha256", "sha256", EB_PLAIN,
                    eb_text("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"));
    eb_record *range = eb_report_record(report, "values", "Values");
    eb_record_field(range, "min", "least", EB_PLAIN, eb_real(0));
    eb_record_field(range, "mean", "mean", EB_PLAIN, eb_real(26.8));
    eb_record_field(range, "max", "greatest", EB_PLAIN, eb_real(218));
    eb_record *norms = eb_report_record(report, "norms", "Points");
    eb_record_field(norms, "min", "least norm", EB_PLAIN, eb_real(498.125));
    eb_record_field(norms, "max", "greatest norm", EB_PLAIN, eb_real(512.9));
    eb_record_field(norms, "duplicates", "duplicates of an earlier point", EB_PLAIN, eb_uint(3));
    eb_record *fp16 = eb_report_record(report, "fp16", "In FP16");
    eb_record_field(fp16, "verdict", "verdict", EB_PLAIN,
                    eb_text("exact: nothing rounds, not even sums in FP32; fasted's result is the truth's"));
    eb_record_field(fp16, "exact", "nothing rounds", EB_PLAIN, eb_bool(true));
    eb_table *table = eb_report_table(report, "memory", "Memory the engines need, results apart");
    eb_table_column(table, "engine", "engine", EB_PLAIN);
    eb_table_column(table, "bytes", "needs", EB_BYTES);
    eb_table_column(table, "fits", "fits", EB_PLAIN);
    ROW(table, eb_text("ref64"), eb_uint(102400000), eb_bool(true));
    ROW(table, eb_text("fasted"), eb_uint(26000000), eb_bool(true));
    double x[64], y[64];
    for (size_t k = 0; k < 64; k++) {
        x[k] = 218 * ((double)k + 0.5) / 64;
        y[k] = 1e6 * exp(-(double)k / 8);
    }
    eb_series *series = eb_report_series(report, "values", "Histogram of the values", EB_BARS, 64, x, y, NULL, NULL);
    eb_series_axes(series, "value", "value", false, "count", "values", false);
    eb_report_note(report, "a note of some length that says what else there is to know of these points");
    return report;
}

static eb_report *info_report(void) { return info_of("/data/points with a long name.fvecs"); }

static eb_report *datasets_report(void)
{
    eb_report *report = eb_report_new("datasets");
    eb_table *table = eb_report_table(report, "datasets", "To begin with");
    EB_COLUMNS(table, {"line", "type", EB_PLAIN}, {"from", "", EB_PLAIN}, {"n", "n", EB_PLAIN});
    ROW(table, eb_text("load demo:stars"), eb_text("built in"), eb_uint(100000));
    ROW(table, eb_text("synth uniform 50 3 seed=42"), eb_text("made"), eb_uint(50));
    ROW(table, eb_text("load \"a b.csv\" label=x"), eb_text("here"), eb_na());
    return report;
}

/* A ring. */
static eb_report *project_report(void)
{
    double x[200], y[200];
    eb_report *report = eb_report_new("project");
    eb_report_field(report, "first_share", "variance along the first axis", EB_PERCENT, eb_real(0.312));
    eb_report_field(report, "second_share", "along the second", EB_PERCENT, eb_real(0.12));
    for (size_t k = 0; k < 200; k++) {
        x[k] = 3 * cos(0.031415926 * (double)k);
        y[k] = 2 * sin(0.031415926 * (double)k);
    }
    eb_series *series =
        eb_report_series(report, "projection", "First two principal axes", EB_POINTS, 200, x, y, NULL, NULL);
    eb_series_axes(series, "x", "first axis", false, "y", "second axis", false);
    return report;
}

static eb_report *files_report(const char *folder)
{
    eb_report *report = eb_report_new("files");
    eb_report_field(report, "folder", "folder", EB_PLAIN, eb_text(folder));
    eb_table *table = eb_report_table(report, "files", "");
    eb_table_column(table, "name", "file", EB_PLAIN);
    eb_table_column(table, "format", "format", EB_PLAIN);
    eb_table_column(table, "bytes", "size", EB_BYTES);
    eb_table_column(table, "n", "points n", EB_PLAIN);
    eb_table_column(table, "d", "dimensions d", EB_PLAIN);
    eb_table_column(table, "dtype", "type", EB_PLAIN);
    eb_table_column(table, "reason", "why not", EB_PLAIN);
    ROW(table, eb_text("a.fvecs"), eb_text("fvecs"), eb_uint(516000), eb_uint(1000), eb_uint(128), eb_text("f32"),
        eb_text(""));
    ROW(table, eb_text("b \"q\".npy"), eb_text("npy"), eb_uint(8128), eb_uint(100), eb_uint(10), eb_text("f64"),
        eb_text(""));
    ROW(table, eb_text("broken.fbin"), eb_text("fbin"), eb_uint(3), eb_na(), eb_na(), eb_na(),
        eb_text("3 bytes are no header"));
    ROW(table, eb_text("stars.csv.gz"), eb_text("csv.gz"), eb_uint(9000), eb_na(), eb_na(), eb_na(), eb_text(""));
    return report;
}

static void set_facts_of(ui_panel *p, unsigned long serial, uint64_t n)
{
    eb_facts facts = {.has_dataset = true,
                      .dataset = "points",
                      .n = n,
                      .d = 128,
                      .dtype = "f32",
                      .dataset_serial = serial,
                      .eps = NAN};
    eb_desk_set_facts(p->desk, &facts);
}

static void set_facts(ui_panel *p, unsigned long serial) { set_facts_of(p, serial, 100000); }

static ui_panel full(void)
{
    ui_panel p = ui_open(&eb_panel_data);
    set_facts(&p, 1);
    ui_take(&p, info_report());
    ui_take(&p, project_report());
    return p;
}

/* Each row by its own line; a set that is made by the command it is called by. Once there is a dataset, Enter loads
 * none. */
static void the_first_screen_invites(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_data);
    assert_true(p.panel->invites(p.state, p.desk));
    ui_expect_seen(&p, 78, 17, "tune S=64");
    ui_press(&p, "<Enter>"); /* nothing to choose from yet */
    ui_expect_commands(&p, NULL);
    ui_take(&p, datasets_report());
    ui_expect_seen(&p, 78, 17, "demo:stars");
    ui_expect_seen(&p, 78, 17, "tune S=64");
    ui_expect_seen(&p, 40, 6, "demo:stars");
    ui_press(&p, "<Enter><Down><Enter><Down><Enter><Down>");
    ui_expect_commands(&p, "load demo:stars", "synth uniform 50 3 seed=42", "load \"a b.csv\" label=x", NULL);
    set_facts(&p, 1);
    assert_false(p.panel->invites(p.state, p.desk));
    ui_press(&p, "<Enter>");
    ui_expect_commands(&p, "info", "project", NULL);
    ui_close(&p);
}

static void it_asks_once_for_each_dataset(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_data);
    ui_look(&p);
    ui_expect_commands(&p, "datasets", NULL);
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    set_facts_of(&p, 1, 1000);
    eb_desk_set_running(p.desk, "load x");
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    eb_desk_set_running(p.desk, NULL);
    ui_look(&p);
    ui_expect_commands(&p, "info", "project", NULL);
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    ui_expect_seen(&p, 78, 17, "1,000"); /* the facts */
    eb_desk_set_running(p.desk, "project");
    ui_expect_seen(&p, 118, 33, "being computed");
    eb_desk_set_running(p.desk, NULL);
    ui_expect_seen(&p, 118, 33, "`project` shows it");
    set_facts_of(&p, 2, 1000);
    ui_take(&p, info_report()); /* typed by hand */
    ui_look(&p);
    ui_expect_commands(&p, "project", NULL);
    ui_expect_seen(&p, 78, 17, "fvecs");
    set_facts(&p, 3);
    ui_expect_unseen(&p, 78, 17, "fvecs"); /* another dataset's */
    ui_close(&p);
}

/* To look at every value of many points takes long: nothing begins unasked. */
static void many_points_are_looked_at_when_told_to(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_data);
    set_facts_of(&p, 1, 1000000);
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    ui_expect_seen(&p, 118, 33, "Enter: `info` shows it");
    eb_desk_set_running(p.desk, "tune S=64");
    assert_false(ui_wants(&p, "<Enter>")); /* it would wait behind what runs */
    eb_desk_set_running(p.desk, NULL);
    ui_press(&p, "<Enter>");
    ui_expect_commands(&p, "info", "project", NULL);
    ui_close(&p);
}

/* A path of thirteen rows is below what the points are. */
static void a_long_path_hides_no_verdict(void **state)
{
    char path[200];
    (void)state;
    (void)snprintf(path, sizeof path, "/%0180d/points.fvecs", 7);
    ui_panel p = full();
    ui_take(&p, info_of(path));
    ui_expect_seen(&p, 78, 17, "greatest  218");
    ui_press(&p, "<PageDown><PageDown><PageDown>");
    ui_expect_seen(&p, 78, 17, "00007");
    ui_close(&p);
}

static void all_of_the_text_can_be_reached(void **state)
{
    (void)state;
    ui_panel p = full();
    ui_expect_seen(&p, 78, 17, "dimensions d");
    ui_expect_unseen(&p, 78, 17, "a note of");
    ui_press(&p, "<PageDown><PageDown><PageDown><PageDown>");
    ui_expect_seen(&p, 78, 17, "of these points");
    ui_expect_unseen(&p, 78, 17, "dimensions d");
    ui_press(&p, "<Up>"); /* at once: the end does not lie far beyond the text */
    ui_expect_unseen(&p, 78, 17, "of these points");
    ui_press(&p, "<Home>");
    ui_expect_seen(&p, 78, 17, "dimensions d");
    ui_press(&p, "<Up><Down><Wheel-up 1 1><Wheel-down 1 1>");
    ui_close(&p);
}

static void plots_take_turns(void **state)
{
    (void)state;
    ui_panel p = full();
    ui_expect_seen(&p, 118, 33, "31.2 % + 12 % of variance");
    ui_press(&p, "v");
    ui_expect_unseen(&p, 118, 33, "Principal");
    ui_press(&p, "v");
    ui_expect_seen(&p, 118, 33, "Principal");
    ui_expect_unseen(&p, 118, 33, "▁");
    ui_press(&p, "vl");
    ui_expect_seen(&p, 118, 33, "(log)");
    ui_press(&p, "l");
    ui_expect_unseen(&p, 118, 33, "(log)");
    ui_close(&p);
}

/* ---- files ---- */

static void a_file_is_loaded(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_data);
    ui_press(&p, "f");
    ui_expect_commands(&p, "files", NULL);
    ui_expect_seen(&p, 78, 17, "`files` shows it");
    ui_press(&p, "<Enter>"); /* nothing there yet */
    ui_press(&p, "<Esc>f");
    ui_expect_commands(&p, "files", NULL);
    ui_take(&p, files_report("/data/my sets"));
    ui_expect_seen(&p, 78, 17, "Files of /data/my sets");
    ui_expect_seen(&p, 78, 17, "a.fvecs");
    ui_press(&p, "<Down><Enter>");
    ui_expect_commands(&p, "load \"/data/my sets/b \\\"q\\\".npy\"", NULL);
    ui_expect_unseen(&p, 78, 17, "Files of"); /* back to the data */
    ui_close(&p);
}

static void a_file_that_cannot_be_loaded_says_why(void **state)
{
    (void)state;
    eb_tone tone;
    ui_panel p = ui_open(&eb_panel_data);
    ui_press(&p, "f");
    ui_take(&p, files_report("/"));
    ui_expect_commands(&p, "files", NULL);
    ui_press(&p, "<Down><Down><Enter>");
    ui_expect_commands(&p, NULL);
    assert_string_equal(eb_desk_message(p.desk, &tone), "broken.fbin cannot be loaded: 3 bytes are no header");
    assert_int_equal(tone, EB_TONE_WARNING);
    ui_press(&p, "<Home><Enter>");
    ui_expect_commands(&p, "load /a.fvecs", NULL);
    ui_close(&p);
}

static void files_are_filtered_as_one_types(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_data);
    ui_press(&p, "f");
    ui_take(&p, files_report("/data"));
    ui_press(&p, "/STARf");
    assert_true(p.panel->typing(p.state));
    ui_expect_seen(&p, 78, 17, "with STARf_");
    ui_expect_unseen(&p, 78, 17, "stars");
    ui_press(&p, "<C-h>");
    ui_expect_seen(&p, 78, 17, "1 of 4");
    ui_press(&p, "<Enter>");
    assert_false(p.panel->typing(p.state));
    ui_press(&p, "<Enter>");
    ui_expect_commands(&p, "files", "load /data/stars.csv.gz", NULL);
    ui_press(&p, "f");
    ui_expect_seen(&p, 78, 17, "1 of 4");
    ui_press(&p, "<Esc>");
    ui_expect_seen(&p, 78, 17, "a.fvecs");
    ui_press(&p, "<Esc>");
    ui_expect_unseen(&p, 78, 17, "a.fvecs");
    assert_false(ui_wants(&p, "<Esc>"));
    ui_close(&p);
}

static void an_empty_folder_is_said(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_data);
    eb_report *report = eb_report_new("files");
    (void)eb_report_table(report, "files", "");
    ui_take(&p, report);
    ui_press(&p, "<Enter>");
    ui_expect_seen(&p, 78, 17, "no file here");
    ui_close(&p);
}

/* Typed, not asked for by a key: the report is seen all the same, and so is `info` after it. */
static void what_is_typed_is_seen(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_data);
    set_facts(&p, 1);
    ui_take(&p, info_report());
    ui_take(&p, project_report());
    ui_expect_seen(&p, 78, 17, "fvecs");
    ui_take(&p, files_report("/data"));
    ui_expect_seen(&p, 78, 17, "Files of /data");
    ui_take(&p, info_report());
    ui_expect_unseen(&p, 78, 17, "Files of /data");
    ui_press(&p, "v"); /* values alone */
    ui_expect_unseen(&p, 78, 17, "Principal axes");
    ui_take(&p, project_report());
    ui_expect_seen(&p, 118, 33, "Principal axes");
    ui_close(&p);
}

/* The same, each point with a letter. */
static eb_report *labelled_report(void)
{
    static const char *const labels[] = {"setosa", "versicolor", "virginica"};
    char marks[201];
    eb_report *report = project_report();
    for (size_t k = 0; k < 200; k++)
        marks[k] = (char)('a' + k % 3);
    marks[200] = '\0';
    for (size_t k = 0; k < report->items; k++)
        if (report->item[k]->kind == EB_SERIES)
            eb_series_marks(&report->item[k]->as.series, marks);
    eb_table *table = eb_report_table(report, "labels", "Labels");
    eb_table_column(table, "mark", "mark", EB_PLAIN);
    eb_table_column(table, "label", "species", EB_PLAIN);
    for (size_t k = 0; k < 3; k++) {
        const char mark[] = {(char)('a' + k), '\0'};
        ROW(table, eb_text(mark), eb_text(labels[k]));
    }
    return report;
}

/* Whole, and where not all have room the rest is told of. */
static void labels_of_the_points_are_told(void **state)
{
    (void)state;
    ui_panel p = full();
    ui_take(&p, labelled_report());
    ui_press(&p, "v"); /* the points alone */
    ui_press(&p, "v");
    for (int width = 20; width <= 118; width++) {
        char *screen = ui_screen(&p, width, 60, true);
        bool all = strstr(screen, "a setosa  b versicolor  c virginica");
        bool two = strstr(screen, "a setosa  b versicolor  …"), one = strstr(screen, "a setosa  …");
        if (all + two + one != 1)
            fail_msg("the legend at %d columns:\n%s", width, screen);
        free(screen);
    }
    ui_close(&p);
}

/* ---- screens ---- */

static void screens(void **state)
{
    (void)state;
    ui_panel p = full();
    ui_expect_screens(&p, "data");
    ui_expect_screen(&p, "data", 50, 24, true);
    ui_expect_screen(&p, "data-ascii", 78, 17, false);
    ui_press(&p, "f");
    ui_take(&p, files_report("/data"));
    ui_expect_screen(&p, "data-files", 78, 17, true);
    ui_close(&p);
}

static void any_size_stays_inside(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_data);
    ui_expect_inside(&p);
    set_facts(&p, 1);
    ui_expect_inside(&p);
    ui_take(&p, info_report());
    ui_take(&p, project_report());
    ui_press(&p, "<Down>");
    ui_expect_inside(&p);
    ui_press(&p, "f");
    ui_take(&p, files_report("/data"));
    ui_press(&p, "/b");
    ui_expect_inside(&p);
    ui_close(&p);
}

static void odd_reports_do_no_harm(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_data);
    set_facts(&p, 1);
    ui_take(&p, eb_report_new("info"));
    ui_take(&p, eb_report_new("project"));
    ui_take(&p, eb_report_new("files"));
    free(ui_screen(&p, 118, 33, true));
    eb_report *report = eb_report_new("info");
    (void)eb_report_series(report, "values", "", EB_BARS, 0, NULL, NULL, NULL, NULL);
    ui_take(&p, report);
    report = eb_report_new("project");
    (void)eb_report_series(report, "projection", "", EB_POINTS, 0, NULL, NULL, NULL, NULL);
    ui_take(&p, report);
    report = eb_report_new("files");
    eb_table *table = eb_report_table(report, "files", "");
    eb_table_column(table, "bytes", "size", EB_BYTES);
    ROW(table, eb_uint(1));
    ui_take(&p, report);
    ui_press(&p, "f"); /* it has come to the front */
    ui_expect_seen(&p, 118, 33, "no points");
    ui_press(&p, "<PageDown>f<Enter>");
    free(ui_screen(&p, 118, 33, true));
    ui_expect_commands(&p, "files", NULL);
    ui_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_screen_invites),
        cmocka_unit_test(it_asks_once_for_each_dataset),
        cmocka_unit_test(many_points_are_looked_at_when_told_to),
        cmocka_unit_test(a_long_path_hides_no_verdict),
        cmocka_unit_test(all_of_the_text_can_be_reached),
        cmocka_unit_test(plots_take_turns),
        cmocka_unit_test(a_file_is_loaded),
        cmocka_unit_test(a_file_that_cannot_be_loaded_says_why),
        cmocka_unit_test(files_are_filtered_as_one_types),
        cmocka_unit_test(an_empty_folder_is_said),
        cmocka_unit_test(what_is_typed_is_seen),
        cmocka_unit_test(labels_of_the_points_are_told),
        cmocka_unit_test(screens),
        cmocka_unit_test(any_size_stays_inside),
        cmocka_unit_test(odd_reports_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
