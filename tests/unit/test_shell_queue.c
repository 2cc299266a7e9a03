/* `queue` and `messages`: waiting lines with their settings, and kept messages. */

#include "core/report/find.h"
#include "shell/background/messages.h"
#include "shell/background/queue.h"
#include "tests/unit/named.h"
#include "tests/unit/shell_session.h"
#include "tests/unit/test.h"

TEST(lines_wait_in_order)
{
    eb_queue queue = {0};
    eb_session *session = eb_session_new();
    const eb_settings *settings = &session->settings;
    assert_null(eb_queue_take(&queue));
    assert_int_equal(eb_queue_add(&queue, "tune S=8", settings, EB_TYPED)->number, 1);
    assert_int_equal(eb_queue_add(&queue, "join ref64", settings, EB_BY_KEY)->number, 2);
    assert_int_equal(eb_queue_add(&queue, "info", settings, EB_TYPED)->number, 3);
    assert_true(eb_queue_drop(&queue, 2));
    assert_false(eb_queue_drop(&queue, 2));
    assert_int_equal(eb_queue_count(&queue), 2);
    eb_waiting *line = eb_queue_take(&queue);
    assert_string_equal(line->text, "tune S=8");
    assert_int_equal(line->asker, EB_TYPED);
    free(line);
    assert_int_equal(eb_queue_add(&queue, "runs", settings, EB_TYPED)->number,
                     4); /* numbers are not reused while lines wait */
    assert_int_equal(eb_queue_clear(&queue), 2);
    assert_int_equal(eb_queue_add(&queue, "runs", settings, EB_TYPED)->number, 1);
    assert_true(eb_queue_is_missed(&queue));
    assert_int_equal(eb_queue_clear(&queue), 1);
    eb_session_free(session);
}

/* Commands that panels ask for by themselves do not count as missed work. */
TEST(what_panels_asked_for_is_not_missed)
{
    eb_queue queue = {0};
    eb_session *session = eb_session_new();
    assert_false(eb_queue_is_missed(&queue));
    (void)eb_queue_add(&queue, "project", &session->settings, EB_BY_PANEL);
    assert_false(eb_queue_is_missed(&queue));
    (void)eb_queue_add(&queue, "join ref64", &session->settings, EB_BY_KEY);
    assert_true(eb_queue_is_missed(&queue));
    assert_int_equal(eb_queue_clear(&queue), 2);
    eb_session_free(session);
}

/* A line keeps the settings of the time it was entered. A setting that an earlier line changes follows into waiting
 * lines, unless the user changed that setting in between. */
TEST(settings_follow_what_a_line_sets)
{
    eb_queue queue = {0};
    eb_session *session = eb_session_new();
    eb_settings before = session->settings, after = before, later = before;
    after.trials = 9;
    (void)snprintf(after.device, sizeof after.device, "cuda:1");
    (void)snprintf(after.engines.items[0], sizeof after.engines.items[0], "tensor=sm_80");
    later.trials = 5;
    later.seed = 1;
    const eb_waiting *same = eb_queue_add(&queue, "a", &before, EB_TYPED),
                     *other = eb_queue_add(&queue, "b", &later, EB_TYPED);
    eb_queue_follow(&queue, &before, &after);
    assert_int_equal(same->settings.trials, 9);
    assert_string_equal(same->settings.device, "cuda:1");
    assert_string_equal(same->settings.engines.items[0], "tensor=sm_80");
    assert_string_equal(same->settings.engines.items[1], "");
    assert_int_equal(other->settings.trials, 5);
    assert_int_equal(other->settings.seed, 1);
    assert_string_equal(other->settings.device, "cuda:1");
    (void)eb_queue_clear(&queue);
    eb_session_free(session);
}

TEST(the_command_lists_and_drops)
{
    eb_queue queue = {0};
    eb_session *session = eb_session_new();
    eb_report *report = report_of(session, "queue");
    assert_non_null(strstr(report->note[0], "only the workbench has a queue"));
    eb_report_free(report);
    session->queue = &queue;
    refuses_line(session, "queue drop=1", EB_NOT_FOUND, "no waiting line has number 1");
    session->settings.trials = 11;
    (void)eb_queue_add(&queue, "tune S=8", &session->settings, EB_TYPED);
    (void)eb_queue_add(&queue, "join ref64", &session->settings, EB_TYPED);
    report = report_of(session, "queue drop=1");
    const eb_table *table = eb_report_find_table(report, EB_KEY("waiting"));
    assert_int_equal(table->rows, 1);
    assert_string_equal(eb_table_value(table, 0, EB_KEY("line")).as.text, "join ref64");
    assert_int_equal(eb_table_value(table, 0, EB_KEY("number")).as.u64, 2);
    assert_int_equal(eb_table_value(table, 0, EB_KEY("trials")).as.u64, 11);
    eb_report_free(report);
    report = report_of(session, "queue clear");
    assert_null(queue.first);
    eb_report_free(report);
    eb_session_free(session);
}

TEST(what_was_said_is_kept)
{
    eb_messages *messages = eb_messages_new();
    eb_session *session = eb_session_new();
    eb_report *report = report_of(session, "messages"); /* the session has no message store */
    assert_string_equal(report->note[0], "there are no messages yet");
    eb_report_free(report);
    session->messages = messages;
    for (int k = 0; k < 600; k++) {
        char text[16];
        (void)snprintf(text, sizeof text, "line %d", k);
        eb_messages_add(messages, "note", text);
    }
    eb_messages_add(messages, "error", "tune: no");
    eb_messages_add(messages, "error", "tune: no"); /* stored once */
    eb_messages_add(messages, "note", "");
    assert_int_equal(eb_messages_count(messages), EB_MOST_MESSAGES);
    assert_string_equal(eb_messages_at(messages, 0).text, "tune: no");
    assert_string_equal(eb_messages_at(messages, EB_MOST_MESSAGES - 1).text, "line 101");
    report = report_of(session, "messages limit=2");
    const eb_table *table = eb_report_find_table(report, EB_KEY("messages"));
    assert_int_equal(table->rows, 2);
    assert_string_equal(eb_table_value(table, 0, EB_KEY("kind")).as.text, "error");
    assert_string_equal(eb_table_value(table, 1, EB_KEY("text")).as.text, "line 599");
    assert_non_null(strstr(report->raw, "error: tune: no\n"));
    eb_report_free(report);
    eb_session_free(session);
    eb_messages_free(messages);
}

RUN_TESTS
