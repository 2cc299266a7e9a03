/* Command lines that the interface writes: the parser reads each back with the same meaning. */

#include "shell/language/command.h"
#include "shell/language/load_line.h"
#include "tests/unit/named.h"
#include "tests/unit/test.h"
#include "ui/widgets/command_text.h"

TEST(paths_are_read_back)
{
    static const char *const paths[] = {"/tmp/x.npy", "/a b/c d.fvecs", "/quote\"s/and\\slashes.h5",
                                        "/it's.csv",  "/#1; quit.csv",  "/line\nend\tand tab.csv",
                                        "/eps=3.csv", "/ε.csv"};
    for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++) {
        char *line = eb_load_line(paths[k]);
        assert_non_null(line);
        const char *rest;
        eb_call *call = NULL;
        eb_status status = {0};
        if (eb_parse(line, &rest, &call, &status))
            fail_msg("%s: %s", line, status.message);
        assert_string_equal(call->command->name, "load");
        assert_string_equal(eb_call_text(call, "what"), paths[k]);
        assert_true(*rest == '\0');
        eb_call_free(call);
        free(line);
    }
}

static eb_report *shown(const char *command, eb_value eps, const char *source, const char *sha256)
{
    eb_report *report = eb_report_new("show");
    eb_report_field(report, EB_NAMED("run", "run", EB_IDENTITY), eb_int(12));
    eb_report_field(report, EB_NAMED("command", "command", EB_PLAIN), eb_text(command));
    eb_report_field(report, EB_NAMED("eps", "ε", EB_IDENTITY), eps);
    eb_record *details = eb_report_record(report, EB_KEY("dataset_details"), "Dataset");
    eb_record_field(details, EB_NAMED("source", "source", EB_PLAIN), eb_text(source));
    eb_record_field(details, EB_NAMED("sha256", "sha256", EB_PLAIN), eb_text(sha256));
    return report;
}

static void expect_line(const char *command, double eps, const char *source, const char *loaded, const char *expected)
{
    eb_report *report = shown(command, eb_real(eps), source, "abc");
    char *line = eb_rerun_line(report, loaded);
    if (!expected)
        assert_null(line);
    else {
        assert_non_null(line);
        assert_string_equal(line, expected);
    }
    free(line);
    eb_report_free(report);
}

TEST(a_run_is_repeated_as_it_was)
{
    expect_line("join ref64 eps=0.5 count", 0.5, "demo", "abc", "join ref64 eps=0.5 count");
    expect_line("compare fasted ref64 S=64", 0.5, "demo", "abc", "compare fasted ref64 S=64");
    /* ε came from the session */
    expect_line("join ref64 count", 0.1, "demo", "abc", "join eps=0.1 ref64 count");
    expect_line("j ref64 # as before", 1.0 / 3, "demo", "abc", "j eps=0.3333333333333333 ref64 # as before");
    /* the line is for other points, or the loaded points are unknown */
    expect_line("join ref64 S=4", 1, "demo:stars", "abd", "load demo:stars; join ref64 S=4");
    expect_line("join ref64 S=4", 1, "/x y.npy", NULL, "load \"/x y.npy\"; join ref64 S=4");
    expect_line("join ref64 S=4", 1, "synth uniform 100 4 seed=7", NULL, "synth uniform 100 4 seed=7; join ref64 S=4");
    /* unknown commands stay as they are; the parser refuses them */
    expect_line("conjure ref64", 1, "demo", "abc", "conjure ref64");
    expect_line("", 1, "demo", "abc", NULL);
    expect_line("join ref64 S=4", 1, NULL, "abd", NULL);
}

/* One cell of a grid is repeated, not the whole grid. */
TEST(a_cell_of_a_grid_is_repeated_alone)
{
    static const char *const commands[] = {"grid fasted,ref64 n=100..1000", "gr fasted S=8 # two"};
    for (size_t k = 0; k < sizeof commands / sizeof commands[0]; k++) {
        eb_report *report = shown(commands[k], eb_real(0.1), "synth uniform 100 64 seed=42", "abc");
        eb_report_field(report, EB_NAMED("spec", "as typed", EB_PLAIN), eb_text("fasted[sm_80]"));
        eb_report_field(report, EB_NAMED("trials_wanted", "trials wanted", EB_PLAIN), eb_uint(3));
        char *line = eb_rerun_line(report, "other");
        assert_string_equal(line, "synth uniform 100 64 seed=42; join fasted[sm_80] eps=0.1 trials=3 count");
        free(line);
        eb_report_free(report);
    }
}

TEST(a_partial_report_gives_no_line)
{
    eb_report *report = eb_report_new("show");
    assert_null(eb_rerun_line(NULL, "abc"));
    assert_null(eb_rerun_line(report, "abc"));
    eb_report_field(report, EB_NAMED("command", "command", EB_PLAIN), eb_text("join ref64 eps=1"));
    assert_null(eb_rerun_line(report, "abc"));
    eb_report_free(report);
}

RUN_TESTS
