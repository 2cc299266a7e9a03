/* The evaluator of SQL expressions over a report: SQL reads the report's values and named values, and changes nothing.
 */
#include <math.h>

#include "store/evaluate.h"
#include "tests/unit/named.h"
#include "tests/unit/test.h"

static eb_report *a_report(void)
{
    static const double x[] = {1, 2, 3}, y[] = {10, NAN, 30};
    eb_report *report = eb_report_new("test");
    eb_report_field(report, EB_NAMED("n", "n", EB_PLAIN), eb_uint(500));
    eb_report_field(report, EB_NAMED("name", NULL, EB_PLAIN), eb_text("it's"));
    eb_record *record = eb_report_record(report, EB_KEY("accuracy"), "Accuracy");
    eb_record_field(record, EB_NAMED("overlap", "overlap", EB_PERCENT), eb_real(0.75));
    eb_record_field(record, EB_NAMED("fine", "fine", EB_PLAIN), eb_bool(true));
    eb_table *table = eb_report_table(report, EB_KEY("parts"), "Parts");
    EB_COLUMNS(table, EB_NAMED("part", "part", EB_PLAIN), EB_NAMED("squared", "dist²", EB_PLAIN));
    EB_ROW(table, eb_text("norms"), eb_real(-2.5));
    EB_ROW(table, eb_text("products"), eb_na());
    (void)eb_report_series(report, EB_KEY("curve"), "Curve", EB_LINE, 3, x, y, NULL, NULL);
    assert_true(eb_report_ok(report));
    return report;
}

static eb_value ask(eb_evaluator *e, const char *text)
{
    eb_status status = {0};
    eb_value value;
    if (eb_evaluator_get(e, text, &value, NULL, &status))
        fail_msg("%s: %s", text, status.message);
    return value;
}

TEST(what_a_report_holds_can_be_asked)
{
    eb_status status = {0};
    eb_evaluator *e;
    eb_report *report = a_report();
    assert_int_equal(eb_evaluator_new(&e, &status), EB_OK);
    assert_int_equal(eb_evaluator_take(e, report, &status), EB_OK);
    assert_int_equal(ask(e, "SELECT n FROM report").as.integer, 500);
    assert_string_equal(ask(e, "SELECT name FROM report").as.text, "it's");
    assert_true(ask(e, "SELECT overlap + fine FROM accuracy").as.real == 1.75);
    assert_true(ask(e, "SELECT squared FROM parts WHERE part = 'norms'").as.real == -2.5);
    assert_int_equal(ask(e, "SELECT squared FROM parts WHERE part = 'products'").kind, EB_NA);
    assert_int_equal(ask(e, "SELECT squared FROM parts WHERE 0").kind, EB_NA);
    assert_true(ask(e, "SELECT sum(y) FROM curve").as.real == 40);
    assert_int_equal(ask(e, "1 + 1").as.integer, 2);
    assert_int_equal(ask(e, "WITH c(x) AS (VALUES (7)) SELECT x FROM c").as.integer, 7);

    /* The next report replaces the first one. */
    eb_report *other = eb_report_new("other");
    eb_report_field(other, EB_NAMED("d", "d", EB_PLAIN), eb_uint(3));
    assert_int_equal(eb_evaluator_take(e, other, &status), EB_OK);
    assert_int_equal(ask(e, "SELECT d FROM report").as.integer, 3);
    assert_int_equal(ask(e, "SELECT count(*) FROM sqlite_master").as.integer, 1);
    eb_report_free(other);
    eb_report_free(report);
    eb_evaluator_free(e);
}

TEST(values_have_names)
{
    eb_status status = {0};
    eb_evaluator *e;
    eb_value value;
    assert_int_equal(eb_evaluator_new(&e, &status), EB_OK);
    assert_int_equal(eb_evaluator_set(e, "a", eb_real(1.5), &status), EB_OK);
    assert_int_equal(eb_evaluator_set(e, "b", eb_text("x'y"), &status), EB_OK);
    assert_int_equal(eb_evaluator_set(e, "a", eb_int(4), &status), EB_OK);
    assert_int_equal(ask(e, ":a * :a").as.integer, 16);
    assert_string_equal(ask(e, ":b || :a").as.text, "x'y4");
    /* A result can be stored under a name. */
    assert_int_equal(eb_evaluator_set(e, "b", ask(e, ":b || :b"), &status), EB_OK);
    assert_string_equal(ask(e, ":b").as.text, "x'yx'y");
    assert_int_equal(eb_evaluator_get(e, ":nosuch", &value, NULL, &status), EB_USAGE);
    assert_string_equal(status.message, "there is no value :nosuch");
    eb_evaluator_free(e);
}

TEST(asking_changes_nothing)
{
    static const char *const refused[] = {"SELECT 1; SELECT 2",
                                          "SELECT \"nosuch\" FROM parts",
                                          "1; DROP TABLE parts",
                                          "SELECT",
                                          "",
                                          "nosuch(1)",
                                          "SELECT load_extension('x')",
                                          "?"};
    eb_status status = {0};
    eb_evaluator *e;
    eb_report *report = a_report();
    eb_value value;
    assert_int_equal(eb_evaluator_new(&e, &status), EB_OK);
    assert_int_equal(eb_evaluator_take(e, report, &status), EB_OK);
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        status.message[0] = '\0';
        if (eb_evaluator_get(e, refused[k], &value, NULL, &status) != EB_USAGE)
            fail_msg("\"%s\" was not refused", refused[k]);
        assert_true(status.message[0] != '\0');
    }
    assert_int_equal(ask(e, "SELECT count(*) FROM parts").as.integer, 2);
    eb_report_free(report);
    eb_evaluator_free(e);
}

RUN_TESTS
