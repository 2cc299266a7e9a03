/* compare in a session: which engines it takes, how often it measures them, what it says where pairs tie. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(engines_need_not_be_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
