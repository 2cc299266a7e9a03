/* Lists: sorted, filtered, with chosen columns; hostile values and texts; reports. */
#include <math.h>

#include "core/report/find.h"
#include "draw/lists/arrange.h"
#include "tests/unit/named.h"
#include "tests/unit/test.h"

static eb_report *make_report(void)
{
    eb_report *report = eb_report_new("runs");
    eb_table *table = EB_TABLE(report, EB_KEY("runs"), "Runs", EB_NAMED("run", "run", EB_IDENTITY),
                               EB_NAMED("spec", "engine", EB_PLAIN), EB_NAMED("kernel_s", "all kernels", EB_SECONDS),
                               EB_NAMED("share", "share", EB_PERCENT), EB_NAMED("done", "done", EB_PLAIN),
                               EB_NAMED("engine", NULL, EB_PLAIN));
    EB_ROW(table, eb_uint(1), eb_text("fasted[paper,-swizzle]"), eb_real(0.004), eb_real(0.5), eb_bool(true),
           eb_text("fasted"));
    EB_ROW(table, eb_uint(2), eb_text("ref64"), eb_na(), eb_real(1), eb_bool(false), eb_text("ref64"));
    EB_ROW(table, eb_uint(3), eb_text("Тест"), eb_real(0.01), eb_na(), eb_na(), eb_text("ego"));
    EB_ROW(table, eb_uint(4), eb_text("ref64"), (eb_value){.kind = EB_REAL, .as.real = NAN}, eb_real(0.05),
           eb_bool(true), eb_text("ref64"));
    EB_ROW(table, eb_uint(10), eb_text(""), eb_real(-3), eb_real(0.5), eb_bool(false), eb_text("ref64"));
    assert_true(eb_report_ok(report));
    return report;
}

static const eb_table *table_of(const eb_report *report) { return eb_report_find_table(report, EB_KEY("runs")); }

/* The runs' numbers in the order of the list, or the message. */
static const char *listed(const eb_table *table, const eb_arrangement *wanted)
{
    static char text[800];
    eb_arranged_table arranged;
    eb_status status = {0};
    size_t used = 0;
    text[0] = '\0';
    if (eb_table_arrange(table, wanted, &arranged, &status)) {
        (void)snprintf(text, sizeof text, "%s", status.message);
        assert_null(arranged.table.cell);
        return text;
    }
    for (size_t k = 0; k < arranged.table.rows; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.0f", k > 0 ? " " : "",
                                 eb_number_at(table, arranged.row[k], EB_KEY("run")));
    eb_arranged_table_free(&arranged);
    return text;
}

static const char *sorted(const eb_report *report, const char *by)
{
    return listed(table_of(report), &(eb_arrangement){.sort = by});
}

static const char *filtered(const eb_report *report, const char *where)
{
    return listed(table_of(report), &(eb_arrangement){.where = where});
}

TEST(rows_are_sorted)
{
    eb_report *report = make_report();
    assert_string_equal(sorted(report, ""), "1 2 3 4 10");
    assert_string_equal(sorted(report, "-run"), "10 4 3 2 1"); /* as numbers */
    assert_string_equal(sorted(report, "kernel_s"), "10 1 3 2 4");
    assert_string_equal(sorted(report, "-kernel_s"), "3 1 10 2 4"); /* missing ones come last; equal ones stay */
    assert_string_equal(sorted(report, "all kernels,run"), "10 1 3 2 4");
    assert_string_equal(sorted(report, "share,-run"), "4 10 1 2 3");
    assert_string_equal(sorted(report, "SHARE -run"), "4 10 1 2 3");
    assert_string_equal(sorted(report, "done"), "2 10 1 4 3");
    assert_string_equal(sorted(report, "engine"), "10 1 2 4 3"); /* the title of a column that people see */
    assert_string_equal(sorted(report, "share,share,-share"), "4 1 10 2 3");
    assert_string_equal(sorted(report, "-"), "no column `-`; there are: run, engine, kernel_s, share, done");
    assert_string_equal(sorted(report, ","), "expected a column; there are: run, engine, kernel_s, share, done");
    assert_string_equal(sorted(report, "run,kernl_s"), "no column `kernl_s`; did you mean kernel_s? There are: run, "
                                                       "engine, kernel_s, share, done");
    eb_report_free(report);
}

TEST(rows_are_filtered)
{
    static const struct {
        const char *where, *rows;
    } cases[] = {
        {"", "1 2 3 4 10"},
        {"run>2", "3 4 10"},
        {"run>=2,run<10", "2 3 4"},
        {" run <= 2 , ", "1 2"},
        {"run=10", "10"},
        {"run==10", "10"},
        {"run!=10", "1 2 3 4"},
        {"run=1e1", "10"},
        {"run~1", "1 10"},
        {"kernel_s<5ms", "1 10"},
        {"kernel_s<5 ms", "1 10"},
        {"kernel_s>4000us", "3"},
        {"kernel_s=4.00 ms", "1"},
        {"kernel_s=n/a", "2 4"},
        {"kernel_s!=N/A", "1 3 10"},
        {"kernel_s!=0.01", "1 2 4 10"}, /* what is not known is not 0.01 */
        {"share=50%", "1 10"},
        {"share>=5%", "1 2 4 10"},
        {"done=yes", "1 4"},
        {"done=no", "2 10"},
        {"engine=fasted[paper,-swizzle]", "1"},
        {"engine~paper,run<3", "1"},
        {"engine=REF64", "2 4"},
        {"engine!~ref", "1 3 10"},
        {"engine=\"\"", "10"},
        {"engine~тЕС", "3"},
        {"spec=тест", "3"},
        {"engine>r", "2 3 4"},
        {"ref", "2 4"},
        {"ref,run>2", "4"},
        {"'paper,-'", "1"},
        {"50 %", "1 10"},
        {"ego", ""}, /* a column that people do not see */
        {"it's", ""},
        {"run>two", "run is a number; expected one to compare it with, found `two`"},
        {"run=two", "run is a number; expected one to compare it with, found `two`"},
        {"run>2ms", "run is a number; expected one to compare it with, found `2ms`"},
        {"run>", "`run>` is no comparison; expected one as pairs>1000, engine~exact or state=done"},
        {">2", "`>2` is no comparison; expected one as pairs>1000, engine~exact or state=done"},
        {"ran>2", "no column `ran`; did you mean run? There are: run, engine, kernel_s, share, done"},
        {"run>2,engine='a", "a quote of `engine='a` is not closed"},
    };
    eb_report *report = make_report();
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        assert_string_equal(filtered(report, cases[k].where), cases[k].rows);
    eb_report_free(report);
}

TEST(columns_are_chosen)
{
    eb_report *report = make_report();
    eb_arranged_table arranged;
    eb_status status;
    const eb_arrangement wanted = {.columns = "share,all,run"};
    assert_int_equal(eb_table_arrange(table_of(report), &wanted, &arranged, &status), EB_USAGE);
    const eb_arrangement good = {.columns = "share,all kernels,run,run", .sort = "-run", .where = "done=yes"};
    assert_int_equal(eb_table_arrange(table_of(report), &good, &arranged, &status), EB_OK);
    assert_int_equal(arranged.table.columns, 3);
    assert_int_equal(arranged.table.rows, 2);
    assert_string_equal(arranged.table.column[0].key, "share");
    assert_int_equal(arranged.table.cell[2].as.u64, 4);
    eb_arranged_table_free(&arranged);
    eb_report_free(report);
}

/* What is left out is freed, what stays is kept, and the title says how. */
TEST(reports_are_arranged)
{
    eb_report *report = make_report();
    eb_status status = {0};
    eb_report_conclude(report, "5 runs");
    const eb_arrangement wanted = {.sort = "-share", .where = "run>1"};
    assert_int_equal(eb_report_arrange(report, &wanted, 2, &status), EB_OK);
    const eb_table *table = table_of(report);
    assert_int_equal(table->rows, 2);
    assert_int_equal(eb_number_at(table, 0, EB_KEY("run")), 2);
    assert_int_equal(eb_number_at(table, 1, EB_KEY("run")), 10);
    assert_string_equal(report->item[0]->title, "Runs [where=run>1 sort=-share: 2 of 5 rows]");
    const eb_arrangement hidden = {.columns = "run,done"};
    assert_int_equal(eb_report_arrange(report, &hidden, 0, &status), EB_OK);
    assert_int_equal(eb_report_arrange(report, &wanted, 0, &status), EB_USAGE);
    assert_string_equal(status.message, "no column `share`; there are: run, done");
    assert_string_equal(report->conclusion, "5 runs");
    eb_report_free(report);
}

/* Every table that has the columns is arranged; a table without rows and a report without tables are no trouble. */
TEST(tables_without_the_columns_stay)
{
    eb_report *report = make_report();
    eb_status status = {0};
    eb_table *other = EB_TABLE(report, EB_KEY("other"), "Other", EB_NAMED("key", "key", EB_PLAIN));
    EB_ROW(other, eb_text("b"));
    EB_ROW(other, eb_text("a"));
    (void)EB_TABLE(report, EB_KEY("none"), "", EB_NAMED("run", "run", EB_PLAIN));
    assert_int_equal(eb_report_arrange(report, &(eb_arrangement){.sort = "run", .where = "run>4"}, 0, &status), EB_OK);
    assert_int_equal(table_of(report)->rows, 1);
    assert_string_equal(report->item[1]->title, "Other");
    assert_string_equal(report->item[2]->title, "[where=run>4 sort=run]");
    assert_int_equal(eb_report_arrange(report, &(eb_arrangement){.sort = "run,key"}, 0, &status), EB_USAGE);
    assert_string_equal(status.message, "no list of this report has all of these columns");
    eb_report_free(report);
    report = eb_report_new("empty");
    assert_int_equal(eb_report_arrange(report, &(eb_arrangement){.sort = "run"}, 0, &status), EB_USAGE);
    assert_string_equal(status.message, "there is no list to arrange in this report");
    eb_report_free(report);
}

/* Columns that share a key, as SQL can give them: the first is meant. */
TEST(duplicate_keys)
{
    eb_report *report = eb_report_new("sql");
    eb_table *table =
        EB_TABLE(report, EB_KEY("runs"), "Rows", EB_NAMED("run", "run", EB_PLAIN), EB_NAMED("run", "run", EB_PLAIN));
    EB_ROW(table, eb_uint(2), eb_text("b\xFF"));
    EB_ROW(table, eb_uint(1), eb_text("\xC3"));
    assert_string_equal(listed(table, &(eb_arrangement){.sort = "run", .columns = "run"}), "1 2");
    assert_string_equal(listed(table, &(eb_arrangement){.where = "ä\xFF"}), "");
    eb_report_free(report);
}

/* No text of a filter reads beyond its end; each prefix of this one is taken or refused. */
TEST(every_beginning_of_a_filter)
{
    static const char text[] = "run>=2 , engine!~'a, b[', \"x\" ,spec=[a,[b],c] ],,share<5 %,'";
    eb_report *report = make_report();
    for (size_t length = 0; length < sizeof text; length++) {
        char *cut = strndup(text, length);
        (void)filtered(report, cut);
        (void)sorted(report, cut);
        free(cut);
    }
    eb_report_free(report);
}

RUN_TESTS
