/* The panel Tune, its other half: which comes to the front when, the keys, what stands in the pictures, any size. */
#include "tests/unit/ui_panel.h"

static void add_line(eb_report *report, const char *key, double scale)
{
    const double x[] = {0.1, 0.2, 0.4, 0.8}, y[] = {0, 3 * scale, 3 * scale, scale};
    eb_series *series = eb_report_series(report, key, key, EB_LINE, 4, x, y, NULL, NULL);
    eb_series_axes(series, "eps", "ε", true, key, key, false);
}

static eb_report *clusters_report(void)
{
    eb_report *report = eb_report_new("clusters");
    eb_report_field(report, "minpts", "minPts", EB_PLAIN, eb_uint(7));
    eb_report_field(report, "stable_clusters", "clusters", EB_PLAIN, eb_uint(3));
    eb_report_field(report, "stable_low", "from", EB_PLAIN, eb_real(0.2));
    eb_report_field(report, "stable_high", "to", EB_PLAIN, eb_real(0.4));
    add_line(report, "clusters", 1);
    add_line(report, "noise", 100);
    return report;
}

static eb_report *dbscan_report(void)
{
    const double x[] = {0, 1, 2}, y[] = {5, 9, 1};
    eb_report *report = eb_report_new("dbscan");
    eb_report_field(report, "eps", "ε", EB_PLAIN, eb_real(0.25));
    eb_report_field(report, "clusters_found", "clusters", EB_PLAIN, eb_uint(42));
    eb_report_field(report, "border", "border points", EB_PLAIN, eb_uint(1));
    eb_table *table = eb_report_table(report, "clusters", "Clusters");
    EB_COLUMNS(table, {"cluster", "cluster", EB_IDENTITY}, {"points", "points", EB_PLAIN});
    EB_ROW(table, eb_uint(6), eb_uint(777));
    eb_series *series = eb_report_series(report, "neighbours", "Points", EB_BARS, 3, x, y, NULL, NULL);
    eb_series_axes(series, "neighbours", "neighbours", false, "points", "points", false);
    return report;
}

static eb_report *k_distance_report(const char *command)
{
    const double x[] = {0.25, 0.5, 0.75, 1}, y[] = {1, 1.5, 2, 9};
    eb_report *report = eb_report_new(command);
    eb_report_field(report, "elbow", "elbow", EB_PLAIN, eb_real(2));
    eb_report_field(report, "elbow_share", "share", EB_PERCENT, eb_real(0.75));
    eb_series *series = eb_report_series(report, "kdistance", "k-distance", EB_LINE, 4, x, y, NULL, NULL);
    eb_series_axes(series, "share", "share", false, "eps", "ε", false);
    return report;
}

static eb_report *curve_report(const char *command)
{
    eb_report *report = eb_report_new(command);
    add_line(report, "curve", 10);
    return report;
}

static ui_panel open_tune(void)
{
    ui_panel p = ui_open(&eb_panel_tune);
    const eb_facts facts = {.has_dataset = true, .n = 1000, .d = 4, .dataset_serial = 1, .eps = 0.25};
    eb_desk_set_facts(p.desk, &facts);
    return p;
}

static bool is_seen(ui_panel *p, const char *part)
{
    char *text = ui_screen(p, 198, 53, true);
    bool seen = strstr(text, part) != NULL;
    free(text);
    return seen;
}

static void the_newest_comes_to_the_front(void **state)
{
    (void)state;
    ui_panel p = open_tune();
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    ui_take(&p, dbscan_report());
    assert_true(is_seen(&p, "42 clusters, "));
    assert_true(is_seen(&p, " noise at ε = 0.25"));
    ui_take(&p, curve_report("curve"));
    assert_false(is_seen(&p, "42 clusters"));
    ui_take(&p, clusters_report());
    assert_true(is_seen(&p, "3 clusters from ε = 0.2 to 0.4, longest the same"));
    assert_true(is_seen(&p, "777")); /* what came before stays beside it */
    ui_take(&p, curve_report("tune"));
    assert_false(is_seen(&p, "minPts 7"));
    ui_take(&p, k_distance_report("tune"));
    assert_true(is_seen(&p, "Elbow at ε = 2"));
    ui_press(&p, "d");
    assert_false(is_seen(&p, "Elbow at"));
    ui_close(&p);
}

static void another_datasets_are_gone(void **state)
{
    (void)state;
    ui_panel p = open_tune();
    ui_take(&p, dbscan_report());
    assert_true(is_seen(&p, "42 clusters"));
    const eb_facts facts = {.has_dataset = true, .n = 10, .d = 4, .dataset_serial = 2, .eps = NAN};
    eb_desk_set_facts(p.desk, &facts);
    assert_false(is_seen(&p, "42 clusters"));
    ui_close(&p);
}

static void keys_ask_for_it(void **state)
{
    (void)state;
    ui_panel p = open_tune();
    ui_take(&p, curve_report("curve"));
    free(ui_screen(&p, 78, 17, true));
    assert_false(ui_wants(&p, "c"));
    ui_press(&p, "d");
    assert_true(is_seen(&p, "Nothing counted yet"));
    ui_press(&p, "ckw");
    ui_expect_commands(&p, "clusters", "kdistance", "dbscan eps=0.25", NULL);
    ui_press(&p, "<Right>w");
    char *command = eb_desk_next_command(p.desk);
    assert_true(strtod(command + strlen("dbscan eps="), NULL) > 0.25);
    free(command);
    ui_close(&p);
}

static void any_size_will_do(void **state)
{
    (void)state;
    ui_panel p = open_tune();
    ui_take(&p, clusters_report());
    ui_take(&p, dbscan_report());
    ui_take(&p, k_distance_report("kdistance"));
    ui_take(&p, eb_report_new("neighbours"));
    ui_take(&p, curve_report("curve"));
    free(ui_screen(&p, 78, 17, true));
    ui_press(&p, "d");
    ui_expect_inside(&p);
    ui_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_comes_to_the_front),
        cmocka_unit_test(another_datasets_are_gone),
        cmocka_unit_test(keys_ask_for_it),
        cmocka_unit_test(any_size_will_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
