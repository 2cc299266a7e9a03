/* report_cases: reports as blocks of a case file, with one step per item of a report (report_verbs). "~" stands for a
 * missing title or text. Values: n/a, true, false, 'text, 12 (a count), +12 or -12 (an integer), 1.5 or 2.0 (a real).
 * Header-only. */
#pragma once

#include "core/report/report.h"
#include "tests/unit/cases.h"
#include "tests/unit/named.h"
#include "tests/unit/test.h"

enum { REPORT_POINTS = 1000 };

static struct {
    eb_report *report;
    eb_table *table;
    eb_record *record;
    eb_series *series;
} made;

static inline const char *report_text(const char *text) { return strcmp(text, "~") == 0 ? NULL : text; }

static inline int report_word(const char *word, const char *words)
{
    const char *at = words;
    for (int k = 0; *at; k++, at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == strlen(word) && strncmp(at, word, strlen(word)) == 0)
            return k;
    fail_msg("\"%s\" is none of %s", word, words);
    return 0;
}

static inline eb_unit report_unit(const char *word)
{
    return (eb_unit)report_word(word, "plain seconds bytes hertz teraflops percent ratio joules watts identity");
}

static inline eb_value report_value(const char *text)
{
    if (strcmp(text, "n/a") == 0)
        return eb_na();
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return eb_bool(text[0] == 't');
    if (text[0] == '\'')
        return eb_text(text + 1);
    if (strpbrk(text, ".en"))
        return eb_real(strtod(text, NULL));
    return text[0] == '+' || text[0] == '-' ? eb_int(strtoll(text, NULL, 10)) : eb_uint(strtoull(text, NULL, 10));
}

/* The numbers of a field; NULL if it is "~" or absent. */
static inline const double *report_numbers(const case_step *s, size_t k, double *to, size_t *count)
{
    if (k >= s->fields || !report_text(s->field[k]))
        return NULL;
    char *at = s->field[k], *end;
    for (*count = 0;; at = end) {
        double x = strtod(at, &end);
        if (end == at)
            return to;
        assert_true(*count < REPORT_POINTS);
        to[(*count)++] = x;
    }
}

static inline void report_field(const case_step *s)
{
    eb_report_field(made.report, EB_NAMED(s->field[0], report_text(s->field[1]), report_unit(s->field[2])),
                    report_value(s->field[3]));
}

static inline void report_record(const case_step *s)
{
    made.record = eb_report_record(made.report, EB_KEY(s->field[0]), report_text(s->field[1]));
}

static inline void report_in_record(const case_step *s)
{
    eb_record_field(made.record, EB_NAMED(s->field[0], report_text(s->field[1]), report_unit(s->field[2])),
                    report_value(s->field[3]));
}

static inline void report_table(const case_step *s)
{
    made.table = eb_report_table(made.report, EB_KEY(s->field[0]), report_text(s->field[1]));
    for (size_t k = 2; k < s->fields; k++)
        switch (report_word(s->field[k], "turned timeline memory")) {
        case 0: eb_table_turn(made.table); break;
        case 1: eb_table_draw(made.table, EB_AS_TIMELINE); break;
        default: eb_table_draw(made.table, EB_AS_MEMORY); break;
        }
}

static inline void report_column(const case_step *s)
{
    eb_table_column(made.table, EB_NAMED(s->field[0], report_text(s->field[1]), report_unit(s->field[2])));
}

static inline void report_row(const case_step *s)
{
    eb_value cells[CASE_FIELDS];
    for (size_t k = 0; k < s->fields; k++)
        cells[k] = report_value(s->field[k]);
    eb_table_row(made.table, cells, s->fields);
}

static inline void report_series(const case_step *s)
{
    static double of[4][REPORT_POINTS];
    const double *numbers[4];
    size_t points = 0, count;
    for (size_t k = 0; k < 4; k++)
        if ((numbers[k] = report_numbers(s, 3 + k, of[k], &count))) {
            assert_true(k == 0 || count == points);
            points = count;
        }
    made.series = eb_report_series(made.report, EB_KEY(s->field[0]), report_text(s->field[1]),
                                   (eb_series_shape)report_word(s->field[2], "line bars points heat"), points,
                                   numbers[0], numbers[1], numbers[2], numbers[3]);
}

static inline void report_axes(const case_step *s)
{
    eb_series_axes(made.series, EB_NAMED(s->field[0], s->field[1], EB_PLAIN), report_word(s->field[2], "linear log"),
                   EB_NAMED(s->field[3], s->field[4], EB_PLAIN), report_word(s->field[5], "linear log"));
}

static inline void report_heat(const case_step *s)
{
    size_t count;
    made.series->z = calloc(REPORT_POINTS, sizeof *made.series->z);
    assert_non_null(made.series->z);
    (void)report_numbers(s, 3, made.series->z, &count);
    eb_series_heat(made.series, EB_NAMED(s->field[0], s->field[1], report_unit(s->field[2])));
}

static inline void report_listing(const case_step *s) { (void)s, eb_table_draw(made.table, EB_AS_CODE); }
static inline void report_marks(const case_step *s) { eb_series_marks(made.series, s->field[0]); }
static inline void report_turns(const case_step *s) { (void)s, eb_series_turns(made.series); }

static inline void report_outside(const case_step *s)
{
    made.series->under = strtod(s->field[0], NULL);
    made.series->over = strtod(s->field[1], NULL);
}

static inline void report_note(const case_step *s) { eb_report_note(made.report, "%s", s->field[0]); }
static inline void report_conclude(const case_step *s) { eb_report_conclude(made.report, "%s", s->field[0]); }
static inline void report_page(const case_step *s) { (void)s, eb_report_page(made.report); }

static inline void report_raw(const case_step *s)
{
    if (s->fields > 1)
        eb_report_flow(made.report, s->field[0], s->field[1]);
    else
        eb_report_raw(made.report, s->field[0]);
}

/* A report from the named block, whose first step is the command. The caller frees it. */
static inline eb_report *report_named(const char *name)
{
    static const case_verb verbs[] = {
        {"field", 4, report_field},   {"record", 2, report_record},     {"in", 4, report_in_record},
        {"table", 2, report_table},   {"column", 3, report_column},     {"row", 0, report_row},
        {"series", 5, report_series}, {"axes", 6, report_axes},         {"heat", 4, report_heat},
        {"marks", 1, report_marks},   {"turns", 0, report_turns},       {"outside", 2, report_outside},
        {"note", 1, report_note},     {"conclude", 1, report_conclude}, {"page", 0, report_page},
        {"raw", 1, report_raw},       {"listing", 0, report_listing},
    };
    const case_block *block = case_block_named(name);
    const case_step *step = &case_file.step[block->first];
    assert_true(block->steps > 0 && strcmp(step->verb, "command") == 0 && step->fields == 1);
    made.report = eb_report_new(step->field[0]);
    for (size_t k = 1; k < block->steps; k++)
        case_do(step + k, verbs, sizeof verbs / sizeof verbs[0]);
    assert_true(eb_report_ok(made.report));
    return made.report;
}

/* ---- a report as steps ---- */

static const char *const report_units[] = {"plain",   "seconds", "bytes",  "hertz", "teraflops",
                                           "percent", "ratio",   "joules", "watts", "identity"};

static inline void report_put_text(FILE *out, const char *text)
{
    (void)fputs("\t", out);
    for (const char *c = text ? text : "~"; *c; c++)
        if (*c == '\n' || *c == '\t' || *c == '\\')
            fprintf(out, "\\%c", *c == '\n' ? 'n' : *c == '\t' ? 't' : '\\');
        else
            (void)putc(*c, out);
}

static inline void report_put_value(FILE *out, eb_value v)
{
    char number[40];
    switch (v.kind) {
    case EB_NA: report_put_text(out, "n/a"); break;
    case EB_BOOL: report_put_text(out, v.as.boolean ? "true" : "false"); break;
    case EB_INTEGER: fprintf(out, "\t%+lld", (long long)v.as.integer); break;
    case EB_UNSIGNED: fprintf(out, "\t%llu", (unsigned long long)v.as.u64); break;
    case EB_REAL:
        (void)snprintf(number, sizeof number, "%.9g", v.as.real);
        fprintf(out, "\t%s%s", number, strpbrk(number, ".en") ? "" : ".0");
        break;
    case EB_TEXT:
        (void)fputs("\t'", out);
        for (const char *c = v.as.text; *c; c++)
            (void)(*c == '\n' ? fputs("\\n", out) : putc(*c, out));
        break;
    }
}

static inline void report_put_field(FILE *out, const char *verb, const eb_field *f)
{
    (void)fputs(verb, out);
    report_put_text(out, f->key);
    report_put_text(out, f->title);
    report_put_text(out, report_units[f->unit]);
    report_put_value(out, f->value);
    (void)putc('\n', out);
}

static inline void report_put_table(FILE *out, const eb_table *t)
{
    for (size_t k = 0; k < t->columns; k++) {
        (void)fputs("column", out);
        report_put_text(out, t->column[k].key);
        report_put_text(out, t->column[k].title);
        report_put_text(out, report_units[t->column[k].unit]);
        (void)putc('\n', out);
    }
    for (size_t k = 0; k < t->rows * t->columns; k++) {
        (void)fputs(k % t->columns == 0 ? "row" : "", out);
        report_put_value(out, t->cell[k]);
        (void)fputs(k % t->columns == t->columns - 1 ? "\n" : "", out);
    }
}

static inline void report_put_numbers(FILE *out, const double *x, size_t count)
{
    (void)fputs(x ? "\t" : "\t~", out);
    for (size_t k = 0; x && k < count; k++)
        fprintf(out, "%s%.9g", k ? " " : "", x[k]);
}

static inline void report_put_series(FILE *out, const eb_series *e)
{
    static const char *const shapes[] = {"line", "bars", "points", "heat"};
    report_put_text(out, shapes[e->shape]);
    report_put_numbers(out, e->x, e->points);
    report_put_numbers(out, e->y, e->points);
    if (e->low || e->high) {
        report_put_numbers(out, e->low, e->points);
        report_put_numbers(out, e->high, e->points);
    }
    (void)fputs("\naxes", out);
    report_put_text(out, e->x_key);
    report_put_text(out, e->x_title);
    report_put_text(out, e->x_log ? "log" : "linear");
    report_put_text(out, e->y_key);
    report_put_text(out, e->y_title);
    report_put_text(out, e->y_log ? "log" : "linear");
    (void)putc('\n', out);
    if (e->shape == EB_HEAT) {
        (void)fputs("heat", out);
        report_put_text(out, e->z_key);
        report_put_text(out, e->z_title);
        report_put_text(out, report_units[e->z_unit]);
        report_put_numbers(out, e->z, e->points);
        (void)putc('\n', out);
    }
    if (e->mark)
        fprintf(out, "marks\t%.*s\n", (int)e->points, e->mark);
    if (e->under == e->under || e->over == e->over)
        fprintf(out, "outside\t%.9g\t%.9g\n", e->under, e->over);
}

/* Returns the steps on the heap. */
static inline char *report_steps(const eb_report *report)
{
    static const char *const looks[] = {"", "\ttimeline", "\tmemory"};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fprintf(out, "command\t%s\n", report->command);
    for (size_t k = 0; k < report->items; k++) {
        const eb_item *item = report->item[k];
        if (item->kind == EB_FIELD) {
            report_put_field(out, "field", &item->as.field);
            continue;
        }
        (void)fputs(item->kind == EB_RECORD ? "record" : item->kind == EB_TABLE ? "table" : "series", out);
        report_put_text(out, item->key);
        report_put_text(out, item->title);
        if (item->kind == EB_TABLE)
            fprintf(out, "%s%s", item->as.table.turned ? "\tturned" : "", looks[item->as.table.look]);
        if (item->kind != EB_SERIES)
            (void)putc('\n', out);
        for (size_t f = 0; item->kind == EB_RECORD && f < item->as.record.fields; f++)
            report_put_field(out, "in", &item->as.record.field[f]);
        if (item->kind == EB_TABLE)
            report_put_table(out, &item->as.table);
        if (item->kind == EB_SERIES)
            report_put_series(out, &item->as.series);
    }
    for (size_t k = 0; k < report->notes; k++) {
        (void)fputs("note", out);
        report_put_text(out, report->note[k]);
        (void)putc('\n', out);
    }
    if (report->conclusion)
        fprintf(out, "conclude\t%s\n", report->conclusion);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* The report must equal that of the block NAME in tests/unit/cases/FILE, with numbers to nine digits. Frees the report.
 * With EPSBENCH_WRITE_CASES=1 a missing block is appended; read it before committing. */
static inline void report_is(eb_report *report, const char *file, const char *name)
{
    if (!case_file.path || strcmp(strrchr(case_file.path, '/') + 1, file) != 0)
        case_read(file);
    char *found = report_steps(report);
    if (getenv("EPSBENCH_WRITE_CASES") && !case_has_block(name)) {
        FILE *out = fopen(case_file.path, "a");
        assert_non_null(out);
        fprintf(out, "\n@ %s\n%s", name, found);
        assert_int_equal(fclose(out), 0);
    } else {
        eb_report *made_of_it = report_named(name);
        char *expected = report_steps(made_of_it);
        if (strcmp(found, expected) != 0)
            fail_msg("%s: found\n%s\nexpected\n%s", name, found, expected);
        free(expected);
        eb_report_free(made_of_it);
    }
    free(found);
    eb_report_free(report);
}
