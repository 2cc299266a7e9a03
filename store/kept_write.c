/* kept_write: writes a report as JSON for the log. Numbers of tables and fields are exact; those of series have as many
 * digits as a plot shows. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/json.h"
#include "store/kept.h"
#include "store/kept_words.h"

/* ---- values ---- */

static void put_text(FILE *out, const char *text)
{
    json_t *json = text ? eb_json_text(text) : json_null();
    if (json_dumpf(json, out, JSON_ENCODE_ANY) != 0)
        (void)fputs("null", out);
    json_decref(json);
}

/* Writes a real so that it is read as one: with a point or an exponent. */
static void put_real(FILE *out, double x, int digits)
{
    char text[32];
    if (!isfinite(x)) {
        (void)fputs("null", out);
        return;
    }
    (void)snprintf(text, sizeof text, "%.*g", digits, x);
    (void)fprintf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void put_value(FILE *out, eb_value value)
{
    switch (value.kind) {
    case EB_NA: (void)fputs("null", out); return;
    case EB_BOOL: (void)fputs(value.as.boolean ? "true" : "false", out); return;
    case EB_INTEGER: (void)fprintf(out, "%lld", (long long)value.as.integer); return;
    case EB_UNSIGNED:
        if (value.as.u64 <= INT64_MAX)
            (void)fprintf(out, "%llu", (unsigned long long)value.as.u64);
        else
            put_real(out, (double)value.as.u64, 17);
        return;
    case EB_REAL: put_real(out, value.as.real, 17); return;
    case EB_TEXT: put_text(out, value.as.text); return;
    }
}

static void put_name(FILE *out, const char *key, const char *title, eb_unit unit)
{
    (void)fputs("\"key\":", out);
    put_text(out, key);
    (void)fputs(",\"title\":", out);
    put_text(out, title);
    (void)fprintf(out, ",\"unit\":\"%s\"", eb_kept_units[unit]);
}

/* ---- items ---- */

static void put_field(FILE *out, const eb_field *field)
{
    put_name(out, field->key, field->title, field->unit);
    (void)fputs(",\"value\":", out);
    put_value(out, field->value);
}

static void put_record(FILE *out, const eb_record *record)
{
    (void)fputs(",\"fields\":[", out);
    for (size_t k = 0; k < record->fields; k++) {
        (void)fputs(k ? ",{" : "{", out);
        put_field(out, &record->field[k]);
        (void)fputc('}', out);
    }
    (void)fputc(']', out);
}

static size_t kept_rows(const eb_table *table) { return table->rows < EB_KEPT_ROWS ? table->rows : EB_KEPT_ROWS; }

static void put_row(FILE *out, const eb_table *table, size_t row)
{
    (void)fputs(row ? ",[" : "[", out);
    for (size_t c = 0; c < table->columns; c++) {
        if (c > 0)
            (void)fputc(',', out);
        put_value(out, table->cell[row * table->columns + c]);
    }
    (void)fputc(']', out);
}

static void put_table(FILE *out, const eb_table *table)
{
    (void)fprintf(out, "%s,\"look\":\"%s\",\"columns\":[", table->turned ? ",\"turned\":true" : "",
                  eb_kept_looks[table->look]);
    for (size_t c = 0; c < table->columns; c++) {
        (void)fputs(c ? ",{" : "{", out);
        put_name(out, table->column[c].key, table->column[c].title, table->column[c].unit);
        (void)fputc('}', out);
    }
    (void)fputs("],\"rows\":[", out);
    for (size_t r = 0; r < kept_rows(table); r++)
        put_row(out, table, r);
    (void)fputc(']', out);
}

/* Points between two that are kept. Only a single line is thinned: groups and cells have no order. */
static size_t step_of(const eb_series *series)
{
    const bool line = series->shape == EB_LINE && !series->mark;
    return line && series->points > EB_KEPT_POINTS ? (series->points + EB_KEPT_POINTS - 1) / EB_KEPT_POINTS : 1;
}

static void put_numbers(FILE *out, const char *key, const double *value, const eb_series *series)
{
    enum { DIGITS = 9 };
    const size_t step = step_of(series);
    (void)fprintf(out, "\"%s\":[", key);
    for (size_t k = 0; k < series->points; k += step) {
        if (k > 0)
            (void)fputc(',', out);
        put_real(out, value[k], DIGITS);
    }
    if (series->points > 0 && (series->points - 1) % step != 0) {
        (void)fputc(',', out);
        put_real(out, value[series->points - 1], DIGITS);
    }
    (void)fputc(']', out);
}

static void put_axis(FILE *out, const char *axis, const eb_column *name, bool log, const double *value,
                     const eb_series *series)
{
    (void)fprintf(out, ",\"%s\":{", axis);
    put_name(out, name->key, name->title, name->unit);
    (void)fprintf(out, "%s,", log ? ",\"log\":true" : "");
    put_numbers(out, "values", value, series);
    (void)fputc('}', out);
}

static void put_series(FILE *out, const eb_series *s)
{
    (void)fprintf(out, ",\"shape\":\"%s\"%s", eb_kept_shapes[s->shape], s->in_turns ? ",\"turns\":true" : "");
    put_axis(out, "x", &(eb_column){s->x_key, s->x_title, s->x_unit}, s->x_log, s->x, s);
    put_axis(out, "y", &(eb_column){s->y_key, s->y_title, s->y_unit}, s->y_log, s->y, s);
    if (s->z)
        put_axis(out, "z", &(eb_column){s->z_key, s->z_title, s->z_unit}, false, s->z, s);
    if (s->low && s->high) {
        (void)fputc(',', out);
        put_numbers(out, "low", s->low, s);
        (void)fputc(',', out);
        put_numbers(out, "high", s->high, s);
    }
    if (s->mark)
        (void)fprintf(out, ",\"mark\":\"%.*s\"", (int)s->points, s->mark);
    if (s->names) {
        (void)fputs(",\"names\":", out);
        put_text(out, s->names);
    }
    if (s->shape == EB_BARS) {
        (void)fputs(",\"under\":", out);
        put_real(out, s->under, 17);
        (void)fputs(",\"over\":", out);
        put_real(out, s->over, 17);
    }
}

static void put_item(FILE *out, const eb_item *item)
{
    (void)fprintf(out, "{\"kind\":\"%s\",", eb_kept_kinds[item->kind]);
    if (item->kind == EB_FIELD)
        put_field(out, &item->as.field);
    else
        put_name(out, item->key, item->title, EB_PLAIN);
    if (item->kind == EB_RECORD)
        put_record(out, &item->as.record);
    else if (item->kind == EB_TABLE)
        put_table(out, &item->as.table);
    else if (item->kind == EB_SERIES)
        put_series(out, &item->as.series);
    (void)fprintf(out, "%s}", item->page ? ",\"page\":true" : "");
}

/* ---- the report ---- */

static void put_notes(FILE *out, const eb_report *report)
{
    const char *comma = "";
    char cut[256];
    (void)fputs("],\"notes\":[", out);
    for (size_t k = 0; k < report->notes; k++, comma = ",") {
        (void)fputs(comma, out);
        put_text(out, report->note[k]);
    }
    for (size_t k = 0; k < report->items; k++) {
        const eb_item *item = report->item[k];
        if (item->kind != EB_TABLE || kept_rows(&item->as.table) == item->as.table.rows)
            continue;
        (void)snprintf(cut, sizeof cut, "the log kept the first %d of the %zu rows of \"%.150s\"", EB_KEPT_ROWS,
                       item->as.table.rows, item->title && item->title[0] ? item->title : item->key);
        (void)fputs(comma, out);
        put_text(out, cut);
        comma = ",";
    }
    (void)fputc(']', out);
}

static void put_report(FILE *out, const eb_report *report)
{
    (void)fputs("{\"command\":", out);
    put_text(out, report->command);
    (void)fputs(",\"dataset\":", out);
    put_text(out, report->dataset);
    (void)fputs(",\"items\":[", out);
    for (size_t k = 0; k < report->items; k++) {
        (void)fputs(k ? ",\n" : "\n", out);
        put_item(out, report->item[k]);
    }
    put_notes(out, report);
    if (report->raw) {
        (void)fputs(",\"text\":", out);
        put_text(out, report->raw);
    }
    (void)fputs("}\n", out);
}

eb_code eb_kept_write(const eb_report *report, char **text, eb_status *status)
{
    size_t length = 0;
    *text = NULL;
    FILE *memory = open_memstream(text, &length);
    if (!memory)
        return eb_fail_memory(status, "a report to keep", 1);
    put_report(memory, report);
    const bool whole = ferror(memory) == 0;
    if (fclose(memory) == 0 && whole && length <= EB_KEPT_BYTES)
        return EB_OK;
    free(*text);
    *text = NULL;
    return whole ? EB_OK : eb_fail_memory(status, "a report to keep", length);
}
