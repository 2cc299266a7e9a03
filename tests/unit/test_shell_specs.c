/* Engines with options at the prompt, NAME[ITEM,…]: what tests/golden/session-specs cannot test. */
#include <math.h>

#include "core/report/find.h"
#include "tests/unit/named.h"
#include "tests/unit/shell_session.h"
#include "tests/unit/test.h"

static void text_is(eb_value value, const char *expected)
{
    assert_int_equal(value.kind, EB_TEXT);
    assert_string_equal(value.as.text, expected);
}

static void field_is(const eb_report *report, const char *key, const char *expected)
{
    text_is(eb_report_find_field(report, EB_KEY(key)), expected);
}

static bool notes(const eb_report *report, const char *part)
{
    for (size_t k = 0; k < report->notes; k++)
        if (strstr(report->note[k], part))
            return true;
    return false;
}

#define WITH_SESSION(name)                                                                                             \
    static void name##_in(eb_session *session);                                                                        \
    static void name(void **state)                                                                                     \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        eb_session *session = session_with_points();                                                                   \
        name##_in(session);                                                                                            \
        eb_session_free(session);                                                                                      \
    }                                                                                                                  \
    static void name##_in(eb_session *session)

/* The session's device is the default; device= in a spec takes precedence. */
WITH_SESSION(the_session_says_where_it_runs_otherwise)
{
    eb_status status = {.message = ""};
    eb_setup setup;
    (void)snprintf(session->settings.device, sizeof session->settings.device, "cuda:900");
    refuses_line(session, "join ref64 eps=3", EB_NO_DEVICE, "");
    eb_report *report = report_of(session, "join ref64[device=cpu] eps=3");
    field_is(report, "device", "cpu");
    eb_report_free(report);
    assert_int_equal(eb_session_truth(session, &setup, &status), EB_NO_DEVICE);
}

/* With the session on the CPU, a CUDA-only engine runs on cuda:0 and says so, or fails because there is no such device.
 */
WITH_SESSION(an_engine_runs_where_it_can)
{
    eb_status status = {.message = ""};
    eb_report *report = eb_report_new("join");
    eb_code failed = run_line(session, "join ted eps=3", report, &status);
    if (failed) {
        assert_true(failed == EB_NO_DEVICE || failed == EB_NO_ENGINE);
        assert_true(strlen(status.message) > 10);
    } else {
        field_is(report, "device", "cuda:0");
        assert_true(notes(report, "ted runs on CUDA devices only: on cuda:0, not on cpu"));
    }
    assert_string_equal(session->settings.device, "cpu");
    eb_report_free(report);
}

WITH_SESSION(an_engine_gets_what_the_session_has_to_lend)
{
    eb_status status = {.message = ""};
    eb_setup setup;
    session->settings.threads = 3;
    session->settings.memory_limit = 1u << 20;
    assert_int_equal(eb_session_setup(session, "ref64[-filter]", &setup, &status), EB_OK);
    assert_int_equal(setup.resources.threads, 3);
    assert_true(setup.resources.memory_limit == 1u << 20);
    assert_string_equal(setup.spec, "ref64[-filter]");
    assert_int_equal(eb_session_truth(session, &setup, &status), EB_OK);
    assert_int_equal(setup.engine->exactness, EB_TRUTH);
    assert_int_equal(setup.resources.threads, 3);
}

/* The title of a table's column; NULL: the column is in JSON and CSV only. */
static const char *column_title(const eb_report *report, const char *table, const char *key)
{
    const eb_table *found = eb_report_find_table(report, EB_KEY(table));
    int column = eb_table_find_column(found, EB_KEY(key));
    assert_true(column >= 0);
    return found->column[column].title;
}

/* Text shows engines by name if names differ, else by spec. JSON and CSV have both. */
WITH_SESSION(people_see_engines_called_by_one_name)
{
    eb_report *report = report_of(session, "compare fasted ref64 eps=3");
    assert_string_equal(column_title(report, "runs", "engine"), "engine");
    assert_null(column_title(report, "runs", "spec"));
    assert_string_equal(column_title(report, "split", "engine"), "engine");
    eb_report_free(report);
    report = report_of(session, "compare fasted[sm_80] ref64 eps=3");
    assert_null(column_title(report, "runs", "engine"));
    assert_string_equal(column_title(report, "runs", "spec"), "engine");
    assert_null(column_title(report, "split", "engine"));
    assert_string_equal(column_title(report, "split", "spec"), "engine");
    eb_report_free(report);
    report = report_of(session, "counters fasted,fasted[sm_80] eps=3");
    assert_null(column_title(report, "paths", "engine"));
    assert_string_equal(column_title(report, "paths", "spec"), "engine");
    eb_report_free(report);
    report = report_of(session, "counters fasted[sm_80] eps=3");
    assert_string_equal(column_title(report, "counters", "fasted"), "fasted[tensor=sm_80]");
    eb_report_free(report);
    report = report_of(session, "ablate ref64 eps=3");
    assert_null(column_title(report, "variants", "spec"));
    eb_report_free(report);
}

/* Text shows verdict and accuracy of two engines as records and of several as tables. JSON has both forms. */
WITH_SESSION(people_see_the_one_form_that_tells_all)
{
    for (size_t several = 0; several < 2; several++) {
        eb_report *report =
            report_of(session, several ? "compare fasted fasted[sm_80] ref64 eps=3" : "compare fasted ref64 eps=3");
        assert_true((eb_report_find(report, EB_RECORD, EB_KEY("accuracy"))->title != NULL) == !several);
        assert_true((eb_report_find(report, EB_RECORD, EB_KEY("verdict"))->title != NULL) == !several);
        assert_true((eb_report_find(report, EB_TABLE, EB_KEY("accuracies"))->title != NULL) == several);
        assert_true((eb_report_find(report, EB_TABLE, EB_KEY("verdicts"))->title != NULL) == several);
        eb_report_free(report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_session_says_where_it_runs_otherwise),
        cmocka_unit_test(an_engine_runs_where_it_can),
        cmocka_unit_test(an_engine_gets_what_the_session_has_to_lend),
        cmocka_unit_test(people_see_engines_called_by_one_name),
        cmocka_unit_test(people_see_the_one_form_that_tells_all),
    };
    return cmocka_run_group_tests_name("shell: specs", tests, NULL, NULL);
}
