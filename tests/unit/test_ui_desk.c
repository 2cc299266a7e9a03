/* The desk keeps reports, facts and requests of panels apart and in order, and accepts missing ones. */
#include <math.h>

#include "core/report/find.h"
#include "tests/unit/named.h"
#include "tests/unit/test.h"
#include "ui/desk.h"

static eb_desk *new_desk(void)
{
    eb_desk *desk = eb_desk_new();
    assert_non_null(desk);
    return desk;
}

static eb_report *report_of(const char *command, double eps)
{
    eb_report *report = eb_report_new(command);
    assert_non_null(report);
    eb_report_field(report, EB_NAMED("eps", "ε", EB_PLAIN), eb_real(eps));
    return report;
}

TEST(an_empty_desk_knows_nothing)
{
    eb_desk *desk = new_desk();
    eb_tone tone;
    assert_null(eb_desk_report(desk, "tune"));
    assert_int_equal(eb_desk_report_serial(desk, "tune"), 0);
    assert_int_equal(eb_desk_report_count(desk, "tune"), 0);
    assert_false(eb_desk_facts(desk)->has_dataset);
    assert_true(isnan(eb_desk_facts(desk)->eps));
    assert_true(isnan(eb_desk_gpu(desk)->power_w));
    assert_false(eb_desk_busy(desk));
    assert_string_equal(eb_desk_running(desk), "");
    assert_string_equal(eb_desk_progress(desk)->phase, "");
    assert_null(eb_desk_live(desk));
    assert_null(eb_desk_next_command(desk));
    assert_null(eb_desk_typed(desk));
    assert_string_equal(eb_desk_message(desk, &tone), "");
    eb_desk_take_report(desk, NULL);
    eb_desk_free(desk);
    eb_desk_free(NULL);
}

TEST(the_last_report_of_each_command_stays)
{
    eb_desk *desk = new_desk();
    eb_facts facts = {.has_dataset = true, .dataset_serial = 7};
    eb_desk_set_facts(desk, &facts);
    eb_desk_take_report(desk, report_of("tune", 1));
    facts.dataset_serial = 8;
    eb_desk_set_facts(desk, &facts);
    assert_int_equal(eb_desk_report_serial(desk, "tune"), 7); /* belongs to the previous dataset */
    for (int k = 0; k < 20; k++) {
        char name[16];
        (void)snprintf(name, sizeof name, "command%d", k);
        eb_desk_take_report(desk, report_of(name, k));
    }
    eb_desk_take_report(desk, report_of("tune", 2));
    assert_int_equal(eb_desk_report_serial(desk, "tune"), 8);
    assert_int_equal(eb_desk_report_count(desk, "tune"), 2);
    assert_true(eb_value_number(eb_report_find_field(eb_desk_report(desk, "tune"), EB_KEY("eps"))) == 2);
    assert_true(eb_value_number(eb_report_find_field(eb_desk_report(desk, "command13"), EB_KEY("eps"))) == 13);
    assert_null(eb_desk_report(desk, "command20"));
    assert_true(eb_desk_report_stamp(desk, "tune") > eb_desk_report_stamp(desk, "command19"));
    assert_true(eb_desk_report_stamp(desk, "command19") > eb_desk_report_stamp(desk, "command18"));
    assert_int_equal(eb_desk_report_stamp(desk, "command20"), 0);
    eb_desk_free(desk);
}

TEST(what_runs_is_forgotten_when_it_ends)
{
    eb_desk *desk = new_desk();
    eb_progress progress = {.phase = "trial 2", .done = 3, .total = 4};
    eb_desk_set_running(desk, "compare fasted ref64");
    eb_desk_set_progress(desk, &progress);
    eb_desk_take_live(desk, report_of("compare", 1));
    eb_desk_take_live(desk, report_of("compare", 2));
    assert_true(eb_desk_busy(desk));
    assert_string_equal(eb_desk_running(desk), "compare fasted ref64");
    assert_int_equal(eb_desk_progress(desk)->done, 3);
    assert_true(eb_value_number(eb_report_find_field(eb_desk_live(desk), EB_KEY("eps"))) == 2);
    eb_desk_set_running(desk, NULL);
    assert_false(eb_desk_busy(desk));
    assert_string_equal(eb_desk_running(desk), "");
    assert_null(eb_desk_live(desk));
    assert_string_equal(eb_desk_progress(desk)->phase, "");
    eb_desk_free(desk);
}

TEST(commands_come_out_in_order)
{
    eb_desk *desk = new_desk();
    for (int k = 0; k < 5; k++)
        eb_desk_run(desk, "show %d", k);
    for (int k = 0; k < 5; k++) {
        char expected[16], *command = eb_desk_next_command(desk);
        (void)snprintf(expected, sizeof expected, "show %d", k);
        assert_non_null(command);
        assert_string_equal(command, expected);
        free(command);
        if (k == 1)
            eb_desk_run(desk, "show 5");
    }
    eb_desk_run(desk, "info");
    eb_desk_forget_commands(desk);
    assert_null(eb_desk_next_command(desk));
    eb_desk_run(desk, "join");
    eb_desk_ask(desk, "project");
    for (int own = 0; own < 2; own++) {
        assert_int_equal(eb_desk_next_is_own(desk), own);
        free(eb_desk_next_command(desk));
    }
    assert_false(eb_desk_next_is_own(desk));
    eb_desk_run(desk, "left over"); /* freed with the desk */
    eb_desk_type(desk, "tune S=");
    eb_desk_type(desk, "note run=%d ", 3);
    char *typed = eb_desk_typed(desk);
    assert_non_null(typed);
    assert_string_equal(typed, "note run=3 ");
    free(typed);
    assert_null(eb_desk_typed(desk));
    eb_desk_type(desk, "left over");
    eb_desk_free(desk);
}

TEST(a_message_is_cut_not_written_beyond)
{
    eb_desk *desk = new_desk();
    char longer[3000];
    eb_tone tone = EB_TONE_NOTE;
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    eb_desk_say(desk, EB_TONE_ERROR, "%s", longer);
    assert_true(strlen(eb_desk_message(desk, &tone)) < sizeof longer - 1);
    assert_int_equal(tone, EB_TONE_ERROR);
    eb_desk_look_away(desk); /* errors stay */
    assert_int_equal(eb_desk_message(desk, NULL)[0], longer[0]);
    eb_desk_say(desk, EB_TONE_NOTE, "of this panel alone");
    eb_desk_look_away(desk);
    assert_string_equal(eb_desk_message(desk, NULL), "");
    eb_desk_say(desk, EB_TONE_GOOD, "done");
    assert_string_equal(eb_desk_message(desk, NULL), "done");
    eb_desk_free(desk);
}

TEST(things_are_found_by_kind_and_key)
{
    eb_report *report = report_of("compare", 0.5);
    const double x[] = {1, 2}, y[] = {3, 4};
    eb_table *table = eb_report_table(report, EB_KEY("runs"), "Runs");
    eb_table_column(table, EB_NAMED("engine", "engine", EB_PLAIN));
    eb_table_column(table, EB_NAMED("pairs", "pairs", EB_PLAIN));
    eb_table_row(table, (eb_value[]){eb_text("ref64"), eb_uint(12)}, 2);
    eb_table_row(table, (eb_value[]){eb_text("fasted"), eb_na()}, 2);
    eb_record *record = eb_report_record(report, EB_KEY("both"), "Both");
    eb_record_field(record, EB_NAMED("mean", "mean", EB_PLAIN), eb_int(-3));
    (void)eb_report_series(report, EB_KEY("both"), "Both", EB_LINE, 2, x, y, NULL, NULL);

    const eb_table *runs = eb_report_find_table(report, EB_KEY("runs"));
    assert_non_null(runs);
    assert_int_equal(eb_table_find_column(runs, EB_KEY("pairs")), 1);
    assert_int_equal(eb_table_find_column(runs, EB_KEY("none")), -1);
    assert_true(eb_value_number(eb_table_value(runs, 0, EB_KEY("pairs"))) == 12);
    assert_int_equal(eb_table_value(runs, 1, EB_KEY("pairs")).kind, EB_NA);
    assert_int_equal(eb_table_value(runs, 2, EB_KEY("pairs")).kind, EB_NA);
    assert_int_equal(eb_table_value(runs, 0, EB_KEY("none")).kind, EB_NA);
    assert_string_equal(eb_table_value(runs, 1, EB_KEY("engine")).as.text, "fasted");
    assert_non_null(eb_report_find_series(report, EB_KEY("both")));
    assert_true(eb_value_number(eb_record_find(eb_report_find_record(report, EB_KEY("both")), EB_KEY("mean"))) == -3);
    assert_null(eb_report_find_series(report, EB_KEY("runs")));
    assert_null(eb_report_find_record(report, EB_KEY("none")));
    assert_true(isnan(eb_value_number(eb_table_value(runs, 0, EB_KEY("engine")))));

    assert_null(eb_report_find_table(NULL, EB_KEY("runs")));
    assert_int_equal(eb_report_find_field(NULL, EB_KEY("eps")).kind, EB_NA);
    assert_int_equal(eb_record_find(NULL, EB_KEY("mean")).kind, EB_NA);
    assert_int_equal(eb_table_find_column(NULL, EB_KEY("eps")), -1);
    assert_int_equal(eb_table_value(NULL, 0, EB_KEY("eps")).kind, EB_NA);
    assert_true(isnan(eb_value_number(eb_na())));
    eb_report_free(report);
}

/* Messages from before the load are removed with the state they describe; the load's own messages stay. */
TEST(a_message_goes_with_its_state)
{
    eb_desk *desk = eb_desk_new();
    assert_non_null(desk);
    eb_desk_say(desk, EB_TONE_GOOD, "`load FILE` to begin");
    eb_desk_set_facts(desk, &(eb_facts){.eps = 1}); /* same points: no change */
    assert_string_equal(eb_desk_message(desk, NULL), "`load FILE` to begin");
    eb_desk_set_running(desk, "load x");
    eb_desk_set_running(desk, NULL);
    eb_desk_set_facts(desk, &(eb_facts){.has_dataset = true, .dataset_serial = 1});
    assert_string_equal(eb_desk_message(desk, NULL), "");
    eb_desk_set_running(desk, "load y");
    eb_desk_say(desk, EB_TONE_WARNING, "3 rows were left out");
    eb_desk_set_running(desk, NULL);
    eb_desk_set_facts(desk, &(eb_facts){.has_dataset = true, .dataset_serial = 2});
    assert_string_equal(eb_desk_message(desk, NULL), "3 rows were left out");
    eb_desk_free(desk);
}

RUN_TESTS
