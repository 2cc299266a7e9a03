/* Engines with options at the prompt, NAME[ITEM,…]: in join, compare, ablate, tune and set. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/report/find.h"
#include "tests/unit/shell_session.h"

static void text_is(eb_value value, const char *expected)
{
    assert_int_equal(value.kind, EB_TEXT);
    assert_string_equal(value.as.text, expected);
}

static void field_is(const eb_report *report, const char *key, const char *expected)
{
    text_is(eb_report_find_field(report, key), expected);
}

static void cell_is(const eb_report *report, const char *table, size_t row, const char *key, const char *expected)
{
    text_is(eb_table_value(eb_report_find_table(report, table), row, key), expected);
}

static bool notes(const eb_report *report, const char *part)
{
    for (size_t k = 0; k < report->notes; k++)
        if (strstr(report->note[k], part))
            return true;
    return false;
}

static bool has_key(const eb_report *report, const char *key)
{
    for (size_t k = 0; k < report->items; k++)
        if (strcmp(report->item[k]->key, key) == 0)
            return true;
    return false;
}

static bool has_column(const eb_report *report, const char *table, const char *key)
{
    const eb_table *found = eb_report_find_table(report, table);
    assert_non_null(found);
    return eb_table_find_column(found, key) >= 0;
}

static size_t rows_of(const eb_report *report, const char *table)
{
    const eb_table *found = eb_report_find_table(report, table);
    assert_non_null(found);
    return found->rows;
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

/* ---- join ---- */

/* What is typed, and the shortest that means the same; NULL: the engine's name alone, and people are told no more. */
WITH_SESSION(a_join_tells_what_ran)
{
    static const struct {
        const char *typed, *spec;
    } cases[] = {
        {"fasted", NULL},
        {"fas", NULL},
        {"fasted[]", NULL},
        {"fasted[tensor=sm_90]", NULL},
        {"fasted[best]", NULL},
        {"fasted[+swizzle]", NULL},
        {"fasted[tensor=sm_80]", "fasted[tensor=sm_80]"},
        {"fasted[sm_80]", "fasted[tensor=sm_80]"},
        {"fasted[sm_80,sm_90]", NULL},
        {"fasted[tens=sm_8]", "fasted[tensor=sm_80]"},
        {"fasted[-swizzle,paper]", "fasted[paper,-swizzle]"},
        {"fasted[swizzle=off]", "fasted[-swizzle]"},
        {"fasted[preset=best-symmetric,tensor=sm_80]", "fasted[-symmetric,tensor=sm_80]"},
        {"ref64[device=cpu]", "ref64[device=cpu]"},
        {"ref64[device=cpu,-filter]", "ref64[-filter,device=cpu]"},
        {"ref64[-integers,filter]", "ref64[-integers]"},
    };
    char line[128];
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        (void)snprintf(line, sizeof line, "join %s eps=3", cases[k].typed);
        eb_report *report = report_of(session, line);
        const char *engine = cases[k].typed[0] == 'f' ? "fasted" : "ref64";
        field_is(report, "engine", engine);
        field_is(report, "device", "cpu");
        field_is(report, "spec", cases[k].spec ? cases[k].spec : engine);
        assert_true((eb_report_find(report, EB_FIELD, "spec")->title != NULL) == (cases[k].spec != NULL));
        eb_report_free(report);
    }
}

WITH_SESSION(options_take_effect_or_are_said_to_have_none)
{
    eb_report *report = report_of(session, "join fasted[sm_80] eps=3");
    assert_true(notes(report, "fasted[tensor=sm_80]: sm_80 tensor cores, bit by bit"));
    eb_report_free(report);
    report = report_of(session, "join ref64[-filter] eps=3");
    assert_true(notes(report, "ref64[-filter]: FP64 for every pair"));
    eb_report_free(report);
    report = report_of(session, "join fasted[paper,-swizzle] eps=3");
    assert_true(notes(report, "preset has no effect on cpu; swizzle has no effect on cpu; sm_90 tensor cores"));
    eb_report_free(report);
    report = report_of(session, "join ref64 eps=3");
    assert_false(notes(report, "no effect"));
    eb_report_free(report);
}

WITH_SESSION(a_spec_that_means_nothing_is_refused_with_a_hint)
{
    static const struct {
        const char *spec;
        eb_code code;
        const char *sentence;
    } cases[] = {
        {"fastd", EB_NO_ENGINE, "no engine \"fastd\"; did you mean fasted?"},
        {"nosuch", EB_NO_ENGINE,
         "no engine \"nosuch\"; there are: fasted, exact, ref64, ego, hilbert, ivfpq, ted, ted-index, "
         "mistic, gds, wmma-ref, wmma"},
        {"fasted,ref64", EB_NO_ENGINE, "no engine \"fasted,ref64\""}, /* one engine */
        {"wnma", EB_NO_ENGINE, "did you mean wmma?"},
        {"[paper]", EB_NO_ENGINE, "no engine \"\""},
        {"ref64]", EB_NO_ENGINE, "did you mean ref64?"},
        {"ref64[", EB_USAGE, "expected NAME[ITEM,…]"},
        {"ref64[-filter", EB_USAGE, "opens a bracket"},
        {"ref64[-filter]x", EB_USAGE, "opens a bracket"},
        {"fasted[tensr=sm_80]", EB_USAGE, "fasted: no option \"tensr\"; did you mean tensor?"},
        {"fasted[tensor=sm_70]", EB_USAGE, "fasted: no tensor \"sm_70\"; did you mean sm_80?"},
        {"fasted[tensor=sm_]", EB_USAGE, "fasted: \"sm_\" is ambiguous: sm_80, sm_90"},
        {"fasted[tensor=x]", EB_USAGE, "fasted: no tensor \"x\"; there are: sm_80, sm_90"},
        {"fasted[swizzel]", EB_USAGE, "fasted: no option \"swizzel\"; did you mean swizzle?"},
        {"fasted[-swizzel]", EB_USAGE, "fasted: no switch \"swizzel\"; did you mean swizzle?"},
        {"fasted[swizzle=maybe]", EB_USAGE, "fasted: swizzle expects on or off, found \"maybe\""},
        {"fasted[a]", EB_USAGE, "fasted: \"a\" is ambiguous: async-copy, alignment, aggregate"},
        {"fasted[paper,-async-copy]", EB_USAGE, "fasted: switch pipeline needs async-copy, which is off"},
        {"ref64[fliter]", EB_USAGE, "ref64: no option \"fliter\"; did you mean filter?"},
        {"ref64[x]", EB_USAGE, "ref64: no option \"x\"; there are: integers, filter"},
        {"wmma[x]", EB_USAGE, "wmma: no option \"x\"; there are none here"},
        {"ref64[device=tpu]", EB_USAGE, "ref64: no such kind of device: \"tpu\"; expected cpu or cuda:N"},
    };
    char line[128];
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        (void)snprintf(line, sizeof line, "join %s eps=3", cases[k].spec);
        refuses_line(session, line, cases[k].code, cases[k].sentence);
    }
    assert_null(session->last_join);
}

WITH_SESSION(the_spec_says_where_it_runs)
{
    refuses_line(session, "join ted[device=cpu] eps=3", EB_NO_ENGINE,
                 "ted does not run on the CPU, only on CUDA devices");
    refuses_line(session, "join ref64[device=cuda:900] eps=3", EB_NO_DEVICE, "");
    refuses_line(session, "set device=cuda:900", EB_NO_DEVICE, "");
    assert_string_equal(session->settings.device, "cpu");
    assert_null(session->last_join);
}

/* The session's device is the usual one; a spec's own goes before it. */
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

/* On the CPU an engine of CUDA devices is looked for there: it runs, and says where, or there is no such device. */
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

/* ---- compare ---- */

static bool calls_errors(const eb_report *report)
{
    return has_key(report, "errors") || eb_record_find(eb_report_find_record(report, "accuracy"), "error_max").kind ||
           has_column(report, "accuracies", "error_max");
}

static bool calls_differences(const eb_report *report)
{
    return has_key(report, "differences") &&
           eb_record_find(eb_report_find_record(report, "accuracy"), "difference_max").kind == EB_REAL &&
           has_column(report, "accuracies", "difference_max");
}

#define EMULATED "fasted[tensor=sm_80]"
#define FOUR_OF_THEM EMULATED "," EMULATED "," EMULATED "," EMULATED

/* As many as fit beside each other: there is no room for the truth. */
WITH_SESSION(without_a_truth_there_are_differences)
{
    static const char *const moments[] = {"mean", "std", "max"};
    char key[32];
    eb_report *report = report_of(session, "compare " FOUR_OF_THEM " " FOUR_OF_THEM " S=16");
    assert_true(calls_differences(report) && !calls_errors(report));
    const eb_record *accuracy = eb_report_find_record(report, "accuracy");
    for (size_t k = 0; k < 3; k++) {
        (void)snprintf(key, sizeof key, "difference_%s", moments[k]);
        assert_true(eb_value_number(eb_record_find(accuracy, key)) == 0); /* it is compared with itself */
        (void)snprintf(key, sizeof key, "error_%s", moments[k]);
        assert_int_equal(eb_record_find(accuracy, key).kind, EB_NA);
        assert_false(has_column(report, "accuracies", key));
    }
    assert_true(eb_value_number(eb_record_find(accuracy, "overlap")) == 1);
    assert_true(
        notes(report, "fasted[tensor=sm_80] does not compute the truth: what is found are differences from it"));
    field_is(report, "reference", "fasted[tensor=sm_80]");
    assert_string_equal(eb_report_find_series(report, "differences")->x_key, "difference");
    eb_report_free(report);

    report = report_of(session, "hist");
    assert_true(has_key(report, "differences") && has_key(report, "difference_max"));
    assert_false(has_key(report, "errors") || has_key(report, "error_max"));
    eb_report_free(report);
    report = report_of(session, "accuracy");
    assert_int_equal(eb_record_find(eb_report_find_record(report, "accuracy"), "error_max").kind, EB_NA);
    assert_int_equal(eb_record_find(eb_report_find_record(report, "accuracy"), "difference_max").kind, EB_REAL);
    eb_report_free(report);
}

WITH_SESSION(against_the_truth_there_are_errors)
{
    eb_report *report = report_of(session, "compare fasted[tensor=sm_80] ref64 S=16");
    assert_true(calls_errors(report) && !calls_differences(report));
    assert_false(has_key(report, "differences") || has_column(report, "accuracies", "difference_max"));
    assert_true(eb_value_number(eb_record_find(eb_report_find_record(report, "accuracy"), "error_max")) > 0);
    assert_false(notes(report, "does not compute the truth"));
    eb_report_free(report);
}

/* The most exact engine, wherever it stands; among equals the last. */
WITH_SESSION(the_reference_is_the_most_exact_engine)
{
    static const struct {
        const char *line, *reference, *first;
    } cases[] = {
        {"compare fasted ref64 eps=3", "ref64", "fasted"},
        {"compare ref64 fasted eps=3", "ref64", "fasted"},
        {"compare fasted fasted[tensor=sm_80] eps=3", "exact", "fasted"},
        {"compare fasted[tensor=sm_80] eps=3", "exact", "fasted[tensor=sm_80]"},
        {"compare exact ref64 fasted eps=3", "ref64", "exact"},
        {"compare ref64 ref64[-filter] fasted eps=3", "ref64[-filter]", "ref64"},
        {"compare fasted ref64 ref64[-filter] eps=3", "ref64[-filter]", "fasted"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        eb_report *report = report_of(session, cases[k].line);
        field_is(report, "reference", cases[k].reference);
        cell_is(report, "accuracies", 0, "spec", cases[k].first);
        cell_is(report, "verdicts", 0, "spec", cases[k].first);
        eb_report_free(report);
        report = report_of(session, "accuracy");
        field_is(report, "fast", cases[k].first);
        field_is(report, "truth", cases[k].reference);
        eb_report_free(report);
    }
}

WITH_SESSION(three_engines_stand_side_by_side)
{
    static const char *const specs[] = {"fasted", "fasted[tensor=sm_80]", "ref64"};
    eb_report *report = report_of(session, "compare fasted fasted[tensor=sm_80] ref64 S 16 trials 2");
    assert_int_equal(rows_of(report, "runs"), 3);
    assert_int_equal(rows_of(report, "split"), 3);
    for (size_t k = 0; k < 3; k++) {
        cell_is(report, "runs", k, "spec", specs[k]);
        cell_is(report, "runs", k, "engine", k == 2 ? "ref64" : "fasted");
        cell_is(report, "split", k, "spec", specs[k]);
        cell_is(report, "split", k, "engine", k == 2 ? "ref64" : "fasted");
        assert_true(eb_value_number(eb_table_value(eb_report_find_table(report, "runs"), k, "trials")) == 2);
    }
    assert_int_equal(rows_of(report, "accuracies"), 2);
    assert_int_equal(rows_of(report, "verdicts"), 2);
    for (size_t k = 0; k < 2; k++) {
        cell_is(report, "accuracies", k, "spec", specs[k]);
        cell_is(report, "verdicts", k, "spec", specs[k]);
    }
    /* The record that scripts know is the first engine's. */
    const eb_record *accuracy = eb_report_find_record(report, "accuracy");
    const eb_table *accuracies = eb_report_find_table(report, "accuracies");
    static const char *const keys[] = {"overlap", "overlap_min", "error_mean", "error_std", "error_max", "common"};
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        assert_true(eb_value_number(eb_record_find(accuracy, keys[k])) ==
                    eb_value_number(eb_table_value(accuracies, 0, keys[k])));
    assert_false(eb_value_number(eb_table_value(accuracies, 0, "error_mean")) ==
                 eb_value_number(eb_table_value(accuracies, 1, "error_mean")));
    assert_true(notes(report, "histogram and pairs are those of fasted; `hist ENGINE` and `accuracy ENGINE` show"));
    eb_report_free(report);
}

/* The title of a table's column; NULL: it is for programs. */
static const char *column_title(const eb_report *report, const char *table, const char *key)
{
    const eb_table *found = eb_report_find_table(report, table);
    int column = eb_table_find_column(found, key);
    assert_true(column >= 0);
    return found->column[column].title;
}

/* People see engines called by their names while these tell them apart, else by their specs; programs get both. */
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
    report = report_of(session, "ablate ref64 eps=3");
    assert_null(column_title(report, "variants", "spec"));
    eb_report_free(report);
}

/* People see two engines' verdict and accuracy as records, several's as tables; programs see both. */
WITH_SESSION(people_see_the_one_form_that_tells_all)
{
    for (size_t several = 0; several < 2; several++) {
        eb_report *report =
            report_of(session, several ? "compare fasted fasted[sm_80] ref64 eps=3" : "compare fasted ref64 eps=3");
        assert_true((eb_report_find(report, EB_RECORD, "accuracy")->title != NULL) == !several);
        assert_true((eb_report_find(report, EB_RECORD, "verdict")->title != NULL) == !several);
        assert_true((eb_report_find(report, EB_TABLE, "accuracies")->title != NULL) == several);
        assert_true((eb_report_find(report, EB_TABLE, "verdicts")->title != NULL) == several);
        eb_report_free(report);
    }
}

WITH_SESSION(accuracy_and_hist_show_the_engine_that_is_asked_for)
{
    static const struct {
        const char *typed, *shown;
    } cases[] = {{"", "fasted"},
                 {"fasted", "fasted"},
                 {"fas", "fasted"},
                 {"fasted[tensor=sm_80]", "fasted[tensor=sm_80]"},
                 {"fasted[sm_80]", "fasted[tensor=sm_80]"},
                 {"fasted[tensor=sm_90]", "fasted"},
                 {"engine=fasted[sm_80]", "fasted[tensor=sm_80]"}};
    char line[80];
    refuses_line(session, "accuracy", EB_NOT_FOUND, "nothing is compared yet; `compare fasted ref64 S=64` does it");
    eb_report_free(report_of(session, "compare fasted fasted[tensor=sm_80] ref64 eps=3"));
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (size_t hist = 0; hist < 2; hist++) {
            (void)snprintf(line, sizeof line, "%s %s", hist ? "hist" : "accuracy", cases[k].typed);
            eb_report *report = report_of(session, line);
            field_is(report, "fast", cases[k].shown);
            field_is(report, "truth", "ref64");
            eb_report_free(report);
        }
    refuses_line(session, "accuracy ted", EB_NOT_FOUND,
                 "ted was not compared with ref64; there are: fasted, fasted[tensor=sm_80]");
    refuses_line(session, "hist ref64", EB_NOT_FOUND, "ref64 was not compared with ref64");
    refuses_line(session, "hist fasted[paper]", EB_NOT_FOUND, "fasted[paper] was not compared");
    /* One that is meant by its spec goes before one that only has the engine's name. */
    eb_report_free(report_of(session, "compare fasted[tensor=sm_80] fasted ref64 eps=3"));
    eb_report *report = report_of(session, "accuracy fasted");
    field_is(report, "fast", "fasted");
    eb_report_free(report);
}

WITH_SESSION(lists_of_engines_to_compare_are_checked)
{
    refuses_line(session, "compare ref64 ref64 ref64 ref64 ref64,ref64[-filter,-integers] ref64 ref64 ref64 eps=3",
                 EB_USAGE, "at most 8 engines fit beside each other");
    refuses_line(session, "compare fasted ref64, eps=3", EB_USAGE, "with commas between");
    refuses_line(session, "compare fasted ref64[-filter eps=3", EB_USAGE, "NAME[ITEM,…]");
    refuses_line(session, "compare fasted ref64[-fliter] eps=3", EB_USAGE, "ref64: no switch \"fliter\"; did you mean");
    refuses_line(session, "compare fasted nosuch eps=3", EB_NO_ENGINE, "no engine \"nosuch\"");
    refuses_line(session, "compare fasted ref64", EB_USAGE, "no ε yet");
    eb_report *report =
        report_of(session, "compare fasted,fasted[paper,-swizzle] ref64 eps=3"); /* a list is one word */
    assert_int_equal(rows_of(report, "runs"), 3);
    cell_is(report, "runs", 1, "spec", "fasted[paper,-swizzle]");
    eb_report_free(report);
}

/* ---- ablate ---- */

static void variants_are(eb_session *session, const char *line, const char *const *left_out, const char *const *spec,
                         size_t count)
{
    eb_report *report = report_of(session, line);
    assert_int_equal(rows_of(report, "variants"), count);
    for (size_t k = 0; k < count; k++) {
        cell_is(report, "variants", k, "switch", left_out[k]);
        cell_is(report, "variants", k, "spec", spec[k]);
        cell_is(report, "variants", k, "results", "identical");
        cell_is(report, "variants", k, "state", "done");
        assert_true(eb_value_number(eb_table_value(eb_report_find_table(report, "variants"), k, "pairs")) ==
                    eb_value_number(eb_report_find_field(report, "pairs")));
    }
    field_is(report, "engine", "ref64");
    field_is(report, "device", "cpu");
    eb_report_free(report);
}

WITH_SESSION(flags_are_left_out_one_at_a_time)
{
    static const char *const all[] = {"(all on)", "integers", "filter"};
    static const char *const all_specs[] = {"ref64", "ref64[-integers]", "ref64[-filter]"};
    static const char *const one[] = {"(all on)", "filter"};
    static const char *const one_spec[] = {"ref64", "ref64[-filter]"};
    static const char *const rest[] = {"(all on)", "integers"};
    static const char *const rest_specs[] = {"ref64[-filter]", "ref64[-integers,-filter]"};
    variants_are(session, "ablate ref64 S=16", all, all_specs, 3);
    variants_are(session, "ablate ref64 only=filter", one, one_spec, 2);
    variants_are(session, "ablate ref64 only=filter,integers", all, all_specs, 3);
    variants_are(session, "ablate ref64[-filter]", rest, rest_specs, 2);
    eb_report *report = report_of(session, "ablate ref64");
    assert_int_equal(eb_report_find_field(report, "preset").kind, EB_NA);
    eb_report_free(report);
}

/* Every way, from everything on and from the bare kernel, on switches of the CPU's. */
WITH_SESSION(flags_are_added_and_left_out_in_sets)
{
    static const char *const bare[] = {"(bare)", "integers", "filter"};
    static const char *const bare_specs[] = {"ref64[-integers,-filter]", "ref64[-filter]", "ref64[-integers]"};
    static const char *const one_by_one[] = {"(bare)", "filter", "integers"};
    static const char *const one_by_one_specs[] = {"ref64[-integers,-filter]", "ref64[-integers]", "ref64"};
    static const char *const down_specs[] = {"ref64", "ref64[-integers]", "ref64[-integers,-filter]"};
    static const char *const without[] = {"(all on)", "integers", "filter", "integers + filter"};
    static const char *const without_specs[] = {"ref64", "ref64[-integers]", "ref64[-filter]",
                                                "ref64[-integers,-filter]"};
    static const char *const with[] = {"(bare)", "integers", "filter", "integers + filter"};
    static const char *const with_specs[] = {"ref64[-integers,-filter]", "ref64[-filter]", "ref64[-integers]", "ref64"};
    static const char *const both[] = {"(all on)", "integers + filter"};
    static const char *const both_specs[] = {"ref64", "ref64[-integers,-filter]"};
    static const char *const both_bare[] = {"(bare)", "integers + filter"};
    static const char *const both_bare_specs[] = {"ref64[-integers,-filter]", "ref64"};
    session->eps = 3;
    variants_are(session, "ablate ref64 by=add-one-in", bare, bare_specs, 3);
    variants_are(session, "ablate ref64 from=bare", bare, bare_specs, 3);
    variants_are(session, "ablate ref64 by=one-after-another only=filter,integers", one_by_one, one_by_one_specs, 3);
    variants_are(session, "ablate ref64 by=one-after-another from=all", without, down_specs, 3);
    variants_are(session, "ablate ref64 by=all-subsets", without, without_specs, 4);
    variants_are(session, "ablate ref64 by=all from=bare", with, with_specs, 4);
    variants_are(session, "ablate ref64 subsets=filter+integers,integers+filter", both, both_specs, 2);
    variants_are(session, "ablate ref64 subsets=filter+integers from=bare", both_bare, both_bare_specs, 2);
    eb_report *report = report_of(session, "ablate ref64 from=bare trials=3");
    const eb_table *t = eb_report_find_table(report, "variants");
    for (size_t k = 1; k < 3; k++) {
        double low = eb_value_number(eb_table_value(t, k, "speedup_low")),
               high = eb_value_number(eb_table_value(t, k, "speedup_high"));
        assert_true(low > 0 && low <= high);
    }
    eb_report_free(report);
}

WITH_SESSION(ways_that_contradict_are_refused)
{
    static const char *const lines[][2] = {
        {"ablate ref64 by=leave-one-out from=bare", "by=leave-one-out begins with everything on; found from=bare"},
        {"ablate ref64 by=add-one-in from=all", "by=add-one-in begins with the bare kernel; found from=all"},
        {"ablate ref64 subsets=filter only=filter", "subsets= says all of what runs: give it without only="},
        {"ablate ref64 subsets=filter by=all-subsets", "give it without by="},
        {"ablate ref64 subsets=filter+fliter", "fliter cannot be left out of ref64, only integers, filter"},
        {"ablate ref64 subsets=filter+ from=bare", "the name of a switch is missing in \"filter+\""},
        {"ablate ref64 by=add-one-in only=x", "x cannot be added to the bare kernel of ref64, only integers, filter"},
        {"ablate ref64 by=pairs", "no by \"pairs\"; there are: leave-one-out, add-one-in"},
        {"ablate ref64 from=none", "no from \"none\""},
    };
    session->eps = 3;
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++)
        refuses_line(session, lines[k][0], EB_USAGE, lines[k][1]);
}

WITH_SESSION(what_cannot_be_left_out_is_refused)
{
    session->eps = 3;
    refuses_line(session, "ablate ref64 only=fliter", EB_USAGE,
                 "fliter cannot be left out of ref64, only integers, filter");
    refuses_line(session, "ablate ref64[-filter] only=filter", EB_USAGE, "only integers");
    refuses_line(session, "ablate ref64[-integers,-filter]", EB_NO_ENGINE, "has no switches to leave out on cpu");
    refuses_line(session, "ablate wmma", EB_USAGE, "wmma has no switches to leave out; `help wmma` shows what it has");
    refuses_line(session, "ablate fasted", EB_NO_ENGINE, "ablate needs a CUDA device");
    refuses_line(session, "ablate preset=best", EB_NO_ENGINE, "those of fasted's GPU kernel, and on cpu it has none");
    refuses_line(session, "ablate", EB_NO_ENGINE, "ablate needs a CUDA device");
    refuses_line(session, "ablate ref64 preset=paper", EB_USAGE, "engine and preset are both given");
    refuses_line(session, "ablate nosuch list", EB_NO_ENGINE, "no engine \"nosuch\"");
    eb_session_set_dataset(session, NULL);
    refuses_line(session, "ablate ref64", EB_NO_DATASET, "no dataset is loaded");
}

WITH_SESSION(each_engines_flags_can_be_listed)
{
    static const struct {
        const char *line, *first;
        size_t rows;
    } cases[] = {{"ablate list", "tile-order", 26},
                 {"ablate preset=best list", "tile-order", 26},
                 {"ablate ref64 list", "integers", 2},
                 {"ablate wmma list", NULL, 0}};
    eb_session_set_dataset(session, NULL);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        eb_report *report = report_of(session, cases[k].line);
        assert_int_equal(rows_of(report, "switches"), cases[k].rows);
        if (cases[k].first)
            cell_is(report, "switches", 0, "switch", cases[k].first);
        eb_report_free(report);
    }
}

/* ---- ε by other engines ---- */

WITH_SESSION(curves_and_targets_name_the_engine_they_are_of)
{
    eb_report *report = report_of(session, "tune 16 engine=fasted[sm_80]");
    field_is(report, "engine", "fasted");
    assert_true(notes(report, "distances are fasted[tensor=sm_80]'s, not the truth's"));
    eb_report_free(report);
    report = report_of(session, "tune 16");
    field_is(report, "engine", "exact");
    assert_false(notes(report, "not the truth's"));
    double eps = session->eps;
    eb_report_free(report);
    /* The truth is the truth with any options. */
    eb_report_free(report_of(session, "tune 16 engine=ref64[-filter]"));
    assert_true(session->eps == eps);
    refuses_line(session, "tune 16 engine=ref64[x]", EB_USAGE, "ref64: no option \"x\"");
}

/* ---- set ---- */

WITH_SESSION(defaults_hold_for_the_session)
{
    eb_report *report = report_of(session, "set fasted.tensor=sm_80");
    field_is(report, "tensor", "sm_80");
    field_is(report, "fasted", "tensor=sm_80");
    eb_report_free(report);
    report = report_of(session, "join fasted eps=3");
    field_is(report, "spec", "fasted[tensor=sm_80]");
    eb_report_free(report);
    report = report_of(session, "join fasted[tensor=sm_90] eps=3"); /* what is typed goes before */
    field_is(report, "spec", "fasted");
    eb_report_free(report);
    report = report_of(session, "set fasted.tensor sm_90");
    field_is(report, "tensor", "sm_90");
    assert_false(has_key(report, "fasted")); /* as the engine has it: nothing to tell */
    eb_report_free(report);
    report = report_of(session, "set ref64.filter=off");
    field_is(report, "ref64", "-filter");
    eb_report_free(report);
    report = report_of(session, "compare fasted ref64 S=16");
    field_is(report, "reference", "ref64[-filter]");
    eb_report_free(report);
    report = report_of(session, "join ref64[filter] eps=3");
    field_is(report, "spec", "ref64");
    eb_report_free(report);
}

/* No note is due for a default without effect: nobody asked for it here. */
WITH_SESSION(defaults_without_effect_are_silent)
{
    eb_report_free(report_of(session, "set fasted.preset=paper-swizzle"));
    eb_report *report = report_of(session, "join fasted eps=3");
    field_is(report, "spec", "fasted[paper,-swizzle]");
    assert_false(notes(report, "no effect"));
    eb_report_free(report);
}

WITH_SESSION(short_settings_are_an_engines_defaults)
{
    static const struct {
        const char *line, *tensor, *preset, *items; /* NULL: nothing */
    } cases[] = {{"set", "sm_90", "best", NULL},
                 {"set tensor=sm_80", "sm_80", "best", "tensor=sm_80"},
                 {"set preset=best-symmetric", "sm_80", "best-symmetric", "-symmetric,tensor=sm_80"},
                 {"set preset paper", "sm_80", "paper", "paper,tensor=sm_80"},
                 {"set fasted.swizzle=off", "sm_80", "paper-swizzle", "paper,-swizzle,tensor=sm_80"},
                 {"set fasted.swizzle on tensor sm_90", "sm_90", "paper", "paper"},
                 {"set preset=best-swizzle fasted.preset=best", "sm_90", "best", NULL}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        eb_report *report = report_of(session, cases[k].line);
        field_is(report, "tensor", cases[k].tensor);
        field_is(report, "preset", cases[k].preset);
        assert_true(has_key(report, "fasted") == (cases[k].items != NULL));
        if (cases[k].items)
            field_is(report, "fasted", cases[k].items);
        eb_report_free(report);
    }
}

WITH_SESSION(a_default_that_means_nothing_changes_nothing)
{
    static const struct {
        const char *line;
        eb_code code;
        const char *sentence;
    } cases[] = {
        {"set trials=9 fasted.swizle=off", EB_USAGE, "fasted: no option \"swizle\"; did you mean swizzle?"},
        {"set trials=9 fasted.tensor=sm_70", EB_USAGE, "fasted: no tensor \"sm_70\"; did you mean sm_80?"},
        {"set trials=9 fasted.tensr=sm_80", EB_USAGE, "fasted: no option \"tensr\"; did you mean tensor?"},
        {"set trials=9 fsted.tensor=sm_80", EB_NO_ENGINE, "no engine \"fsted\"; did you mean fasted?"},
        {"set trials=9 fasted.preset=paper-async-copy", EB_USAGE, "fasted: switch pipeline needs async-copy"},
        {"set trials=9 fasted.device=cpu", EB_USAGE, "fasted: no option \"device\""},
        {"set trials=9 wmma.foo=1", EB_USAGE, "wmma: no option \"foo\"; there are none here"},
        {"set trials=9 preset=papr", EB_USAGE, "no preset \"papr\"; did you mean paper?"},
        {"set preset=paper tensor=sm_80 ref64.filter=off fasted.tensor=sm_70", EB_USAGE, "no tensor \"sm_70\""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        refuses_line(session, cases[k].line, cases[k].code, cases[k].sentence);
    eb_report *report = report_of(session, "set");
    field_is(report, "tensor", "sm_90");
    field_is(report, "preset", "best");
    assert_true(eb_value_number(eb_report_find_field(report, "trials")) == 1);
    for (size_t k = 0; k < eb_engine_count(); k++)
        assert_false(has_key(report, eb_engine_at(k)->name));
    eb_report_free(report);
}

/* ---- help ---- */

WITH_SESSION(help_explains_engines)
{
    for (size_t k = 0; k < eb_engine_count(); k++) {
        char line[64];
        const eb_engine *engine = eb_engine_at(k);
        (void)snprintf(line, sizeof line, "help %s", engine->name);
        eb_report *report = report_of(session, line);
        assert_non_null(report->raw);
        assert_int_equal(strncmp(report->raw, engine->name, strlen(engine->name)), 0);
        eb_report_free(report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_join_tells_what_ran),
        cmocka_unit_test(options_take_effect_or_are_said_to_have_none),
        cmocka_unit_test(a_spec_that_means_nothing_is_refused_with_a_hint),
        cmocka_unit_test(the_spec_says_where_it_runs),
        cmocka_unit_test(the_session_says_where_it_runs_otherwise),
        cmocka_unit_test(an_engine_runs_where_it_can),
        cmocka_unit_test(an_engine_gets_what_the_session_has_to_lend),
        cmocka_unit_test(without_a_truth_there_are_differences),
        cmocka_unit_test(against_the_truth_there_are_errors),
        cmocka_unit_test(the_reference_is_the_most_exact_engine),
        cmocka_unit_test(three_engines_stand_side_by_side),
        cmocka_unit_test(people_see_engines_called_by_one_name),
        cmocka_unit_test(people_see_the_one_form_that_tells_all),
        cmocka_unit_test(accuracy_and_hist_show_the_engine_that_is_asked_for),
        cmocka_unit_test(lists_of_engines_to_compare_are_checked),
        cmocka_unit_test(flags_are_left_out_one_at_a_time),
        cmocka_unit_test(flags_are_added_and_left_out_in_sets),
        cmocka_unit_test(ways_that_contradict_are_refused),
        cmocka_unit_test(what_cannot_be_left_out_is_refused),
        cmocka_unit_test(each_engines_flags_can_be_listed),
        cmocka_unit_test(curves_and_targets_name_the_engine_they_are_of),
        cmocka_unit_test(defaults_hold_for_the_session),
        cmocka_unit_test(defaults_without_effect_are_silent),
        cmocka_unit_test(short_settings_are_an_engines_defaults),
        cmocka_unit_test(a_default_that_means_nothing_changes_nothing),
        cmocka_unit_test(help_explains_engines),
    };
    return cmocka_run_group_tests_name("shell: specs", tests, NULL, NULL);
}
