/* compare in a session: which engines it takes, and how often it measures them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/report/find.h"
#include "shell/defaults.h"
#include "shell_session.h"

static void compares(const char *line, const char *const *engine, size_t count)
{
    eb_session *session = session_with_points();
    eb_report *report = report_of(session, line);
    const eb_table *runs = eb_report_find_table(report, "runs");
    assert_non_null(runs);
    assert_int_equal(runs->rows, count);
    for (size_t k = 0; k < count; k++)
        assert_string_equal(eb_table_value(runs, k, "engine").as.text, engine[k]);
    eb_report_free(report);
    eb_session_free(session);
}

static void engines_need_not_be_named(void **state)
{
    (void)state;
    compares("compare S=8", (const char *const[]){EB_FAST, EB_SURE}, 2);
    compares("compare " EB_FAST " S=8", (const char *const[]){EB_FAST, EB_SURE}, 2);
    compares("compare truth=" EB_TRUE " S=8", (const char *const[]){EB_FAST, EB_TRUE}, 2);
    compares("compare more=" EB_TRUE " S=8", (const char *const[]){EB_FAST, EB_TRUE}, 2);
    eb_session *session = session_with_points();
    refuses_line(session, "compare " EB_TRUE " S=8", EB_USAGE, "compare takes two engines or more, found ref64 alone");
    eb_session_free(session);
}

static void takes_trials(const char *line, unsigned set, uint64_t expected)
{
    eb_session *session = session_with_points();
    session->settings.trials = set;
    eb_report *report = report_of(session, line);
    const eb_table *runs = eb_report_find_table(report, "runs");
    assert_true(eb_table_value(runs, 0, "trials").as.u64 == expected);
    eb_report_free(report);
    eb_session_free(session);
}

static void an_emulation_is_measured_once(void **state)
{
    (void)state;
    takes_trials("compare " EB_FAST " S=8", 3, 1);
    takes_trials("compare " EB_FAST " S=8 trials=2", 3, 2);
    takes_trials("compare " EB_TRUE " " EB_SURE " S=8", 3, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(engines_need_not_be_named),
                                       cmocka_unit_test(an_emulation_is_measured_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
