/* The command language and the renderers, tested by tests/unit/cases/: `parse` (how lines parse), `completion` (what
 * Tab offers), `render` (how reports and values are written). */
#include <math.h>

#include "draw/format.h"
#include "shell/language/candidates.h"
#include "shell/language/command.h"
#include "shell/render/render.h"
#include "tests/unit/report_cases.h"

#include "tests/unit/own_folder.h"

/* ---- lines: parse LINE COMMAND and its arguments; refuse LINE MESSAGE [CODE] ---- */

static eb_call *call;

static void let_go(void)
{
    eb_call_free(call);
    call = NULL;
}

static void parse(const case_step *s)
{
    const char *rest;
    eb_status status = {0};
    let_go();
    if (eb_parse(s->field[0], &rest, &call, &status))
        fail_msg("%s", status.message);
    assert_non_null(call);
    assert_string_equal(call->command->name, s->field[1]);
}

static void refuse(const case_step *s)
{
    const char *rest;
    eb_status status = {0};
    let_go();
    eb_code failed = eb_parse(s->field[0], &rest, &call, &status);
    assert_string_equal(eb_code_name(failed), s->fields > 2 ? s->field[2] : eb_code_name(EB_USAGE));
    assert_int_equal(status.code, failed);
    assert_null(call);
    assert_string_equal(status.message, s->field[1]);
}

static void text(const case_step *s)
{
    const char *found = eb_call_text(call, s->field[0]);
    assert_string_equal(found ? found : "~", s->field[1]);
}

static void number(const case_step *s)
{
    assert_true(eb_call_number(call, s->field[0], NAN) == strtod(s->field[1], NULL));
}

static void integer(const case_step *s)
{
    assert_true(eb_call_integer(call, s->field[0], -7) == strtoll(s->field[1], NULL, 10));
}

static void size(const case_step *s)
{
    assert_true(eb_call_size(call, s->field[0], 0) == strtoull(s->field[1], NULL, 10));
}

static void flag(const case_step *s)
{
    assert_string_equal(eb_call_flag(call, s->field[0]) ? "on" : "off", s->field[1]);
}

static void has(const case_step *s) { assert_true(eb_call_has(call, s->field[0])); }

static void lacks(const case_step *s)
{
    assert_false(eb_call_has(call, s->field[0]));
    assert_int_equal(eb_call_integer(call, s->field[0], 77), 77);
}

static void numbers(const case_step *s)
{
    static double expected[REPORT_POINTS];
    const double *found;
    size_t count = 0;
    (void)report_numbers(s, 1, expected, &count);
    assert_int_equal(eb_call_numbers(call, s->field[0], &found), count);
    for (size_t k = 0; k < count; k++)
        assert_true(found[k] == expected[k]);
}

/* ---- completion: offers LINE NAME…, withholds LINE NAME…, about LINE NAME TEXT, place LINE KIND… ---- */

static const eb_candidate *candidate(const eb_candidates *list, const char *name)
{
    for (size_t k = 0; k < list->count; k++)
        if (strcmp(list->candidate[k].name, name) == 0)
            return &list->candidate[k];
    return NULL;
}

static void offered(const case_step *s, bool expected)
{
    eb_candidates list;
    assert_true(eb_complete(s->field[0], strlen(s->field[0]), &list));
    for (size_t k = 1; k < s->fields; k++)
        if ((candidate(&list, s->field[k]) != NULL) != expected)
            fail_msg("%s is %soffered", s->field[k], expected ? "not " : "");
    eb_candidates_free(&list);
}

static void offers(const case_step *s) { offered(s, true); }
static void withholds(const case_step *s) { offered(s, false); }

static void about(const case_step *s)
{
    eb_candidates list;
    assert_true(eb_complete(s->field[0], strlen(s->field[0]), &list));
    const eb_candidate *found = candidate(&list, s->field[1]);
    assert_non_null(found);
    assert_non_null(strstr(found->about, s->field[2]));
    eb_candidates_free(&list);
}

/* Step `place LINE KIND…`: whether files are offered, whether the word may go on (open), whether nothing is offered,
 * and whether names are distinct. */
static void place(const case_step *s)
{
    eb_candidates list;
    assert_true(eb_complete(s->field[0], strlen(s->field[0]), &list));
    for (size_t k = 1; k < s->fields; k++)
        switch (report_word(s->field[k], "open closed files no-files nothing distinct")) {
        case 0: assert_true(list.open); break;
        case 1: assert_false(list.open); break;
        case 2: assert_true(list.files); break;
        case 3: assert_false(list.files); break;
        case 4: assert_true(list.count == 0 && !list.files); break;
        default:
            for (size_t c = 0; c < list.count; c++)
                assert_ptr_equal(candidate(&list, list.candidate[c].name), &list.candidate[c]);
            break;
        }
    eb_candidates_free(&list);
}

/* Step `file NAME` with a text: enters a fresh folder for the rest of the case and writes the text to NAME there. */
static char root[4096], written[64];

static void file(const case_step *s)
{
    assert_non_null(getcwd(root, sizeof root));
    assert_int_equal(make_folder(NULL), 0);
    (void)snprintf(written, sizeof written, "%s", s->field[0]);
    FILE *out = fopen(written, "w");
    assert_non_null(out);
    (void)fputs(s->text, out);
    assert_int_equal(fclose(out), 0);
}

static void end(void)
{
    let_go();
    if (!written[0])
        return;
    assert_int_equal(remove(written), 0);
    assert_int_equal(remove_folder(NULL), 0);
    assert_int_equal(chdir(root), 0);
    written[0] = '\0';
}

/* ---- renderers: render REPORT MODE [unicode] [width=N] and the text; value VALUE UNIT TEXT; failure MODE TEXT ---- */

static void rendered_is(const eb_report *report, const eb_render_options *options, const char *expected)
{
    char *found = NULL;
    size_t bytes = 0;
    eb_status status = {0};
    FILE *out = open_memstream(&found, &bytes);
    assert_non_null(out);
    if (eb_render(out, report, options, &status))
        fail_msg("%s", status.message);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(found, expected);
    free(found);
}

static void render(const case_step *s)
{
    static const eb_mode modes[] = {EB_MODE_TEXT, EB_MODE_JSON, EB_MODE_CSV, EB_MODE_MARKDOWN};
    eb_render_options options = {.mode = modes[report_word(s->field[1], "text json csv markdown")]};
    for (size_t k = 2; k < s->fields; k++) {
        options.unicode |= strcmp(s->field[k], "unicode") == 0;
        if (strncmp(s->field[k], "width=", 6) == 0)
            options.width = (unsigned)strtoul(s->field[k] + 6, NULL, 10);
    }
    eb_report *report = report_named(s->field[0]);
    rendered_is(report, &options, s->text ? s->text : "");
    eb_report_free(report);
}

static void value(const case_step *s)
{
    char buffer[64];
    eb_value shown = report_value(s->field[0]);
    assert_string_equal(eb_format_value(buffer, sizeof buffer, shown, report_unit(s->field[1])), s->field[2]);
}

static const case_verb verbs[] = {
    {"parse", 2, parse},     {"refuse", 2, refuse},   {"text", 2, text},     {"number", 2, number},
    {"integer", 2, integer}, {"size", 2, size},       {"flag", 2, flag},     {"has", 1, has},
    {"lacks", 1, lacks},     {"numbers", 2, numbers}, {"offers", 2, offers}, {"withholds", 2, withholds},
    {"about", 3, about},     {"place", 2, place},     {"file", 1, file},     {"render", 2, render},
    {"value", 3, value},
};

int main(void)
{
    static const char *const files[] = {"parse", "completion", "render"};
    int failed = 0;
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++)
        failed += CASE_RUN_ALL(files[k], verbs, NULL, end);
    return failed;
}
