/* The glossary: a term is found by each of its names, and every title in a report is explained or plain. */

#include "core/engine/device.h"
#include "core/report/find.h"
#include "shell/language/command.h"
#include "shell/language/glossary.h"
#include "store/store.h"
#include "tests/unit/cases.h"
#include "tests/unit/sanitized.h"
#include "tests/unit/shell_session.h"
#include "tests/unit/store_log.h"
#include "tests/unit/test.h"

/* True if the title explains itself. */
static bool is_plain(const char *title)
{
    const eb_engine *engine;
    bool plain = eb_engine_find(title, strcspn(title, "["), &engine, NULL) == EB_OK; /* `help ENGINE` explains it */
    for (size_t k = 0; k < EB_FIELDS; k++)
        plain |= eb_fields[k]->title && !eb_field_meanings[k][0] && strcmp(eb_fields[k]->title, title) == 0;
    return plain;
}

/* Panels that explain the terms of their commands' reports. */
static const char *const panels[] = {"data", "tune", "compare", "accuracy", "counters", "lab", "log"};

static size_t unexplained;

static void explained(const char *line, const char *panel, const char *title)
{
    const eb_term *term = title ? eb_term_of_title(title) : NULL;
    if (!title || !title[0] || is_plain(title))
        return;
    unexplained += !term || (panel && !eb_term_is_on(term, panel));
    if (!term)
        print_error("\"%s\": \"%s\" is no term of the glossary, and not plain\n", line, title);
    else if (panel && !eb_term_is_on(term, panel))
        print_error("\"%s\": \"%s\" is not among the terms of %s\n", line, term->name, panel);
}

static void every_title_explained(const char *line, const char *panel, const eb_report *report)
{
    for (size_t k = 0; k < report->items; k++) {
        const eb_item *item = report->item[k];
        if (item->kind == EB_FIELD)
            explained(line, panel, item->title);
        for (size_t f = 0; item->kind == EB_RECORD && item->title && f < item->as.record.fields; f++)
            explained(line, panel, item->as.record.field[f].title);
        for (size_t c = 0; item->kind == EB_TABLE && item->title && c < item->as.table.columns; c++)
            explained(line, panel, item->as.table.column[c].title);
        if (item->kind != EB_SERIES || !item->title)
            continue;
        explained(line, panel, item->as.series.x_title);
        explained(line, panel, item->as.series.y_title);
    }
}

static const char *panel_of(const char *line)
{
    char name[32];
    const eb_command *command;
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(line, " "), line);
    return eb_command_find(name, &command, NULL) == EB_OK ? command->panel : NULL;
}

static eb_session *session_with_a_log(void)
{
    const eb_build build = {"0", "0", "0", "0"};
    eb_status status = {.message = ""};
    eb_session *session = session_with_points();
    if (eb_store_open(in_folder("log.db"), &session->store, &status) ||
        eb_store_session_begin(session->store, &build, &session->session_row, &status))
        fail_msg("%s", status.message);
    return session;
}

TEST_WITH(titles_are_explained, make_folder, remove_folder)
{
    if (EB_SANITIZED)
        skip(); /* slow under sanitizers; goldens run the same commands */
    eb_session *session = session_with_a_log();
    case_read("titles");
    const case_block *lines = case_block_named("commands whose titles are explained");
    for (size_t k = 0; k < lines->steps; k++) {
        const char *line = case_file.step[lines->first + k].verb;
        eb_status status = {.message = ""};
        eb_report *report = eb_report_new("test");
        assert_int_equal(eb_store_command_begin(session->store, session->session_row, line, &session->command_row,
                                                &status),
                         EB_OK);
        if (run_line(session, line, report, &status))
            fail_msg("%s: %s", line, status.message);
        every_title_explained(line, panel_of(line), report);
        eb_report_free(report);
    }
    eb_session_free(session);
    if (unexplained > 0)
        fail_msg("%zu titles are not explained", unexplained);
}

/* A name belongs to one term, every explanation is a sentence, and every term belongs to a panel. */
TEST(terms_are_sound)
{
    for (size_t k = 0; k < eb_term_count(); k++) {
        const eb_term *term = eb_term_at(k);
        bool shown = false;
        for (size_t p = 0; p < sizeof panels / sizeof panels[0]; p++)
            shown = shown || eb_term_is_on(term, panels[p]);
        if (!shown || strlen(term->means) < 20 || term->means[strlen(term->means) - 1] != '.')
            fail_msg("%s: on no panel, or explained by no sentence", term->name);
        for (const char *at = term->also; at && *at; at += strcspn(at, ";"), at += *at == ';') {
            char *word = strndup(at, strcspn(at, ";"));
            if (eb_term_find(word) != term)
                fail_msg("%s is another word for %s, and for %s", word, term->name, eb_term_find(word)->name);
            free(word);
        }
        assert_ptr_equal(eb_term_find(term->name), term);
        for (size_t c = 0; c < eb_command_count(); c++) /* no term hides a command's abbreviation */
            if (strcmp(eb_command_at(c)->abbreviation, term->name) == 0)
                fail_msg("%s is short for %s", term->name, eb_command_at(c)->name);
    }
    for (size_t k = 0; k < EB_FIELDS; k++)
        if (eb_field_meanings[k][0] && !eb_term_find(eb_field_meanings[k]))
            fail_msg("%s means \"%s\", which is no term", eb_fields[k]->key, eb_field_meanings[k]);
    assert_string_equal(eb_term_find("kernel_s")->name, "kernels"); /* found by its key in JSON */
    assert_null(eb_term_find("xyzzy"));
    assert_null(eb_term_find(""));
    assert_null(eb_term_find("t"));
    assert_null(eb_term_of_title("xyzzy, median"));
    assert_string_equal(eb_term_of_title("kernels, median")->name, "kernels");
    assert_string_equal(eb_term_of_title("end to end, time taken")->name, "time taken");
    assert_false(eb_term_is_on(eb_term_find("ties"), "data"));
}

RUN_TESTS
