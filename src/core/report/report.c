#include "core/report/report.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

eb_value eb_real(double x) { return isfinite(x) ? (eb_value){.kind = EB_REAL, .as.real = x} : eb_na(); }

eb_value eb_text(const char *text) { return text ? (eb_value){.kind = EB_TEXT, .as.text = text} : eb_na(); }

eb_report *eb_report_new(const char *command)
{
    eb_report *report = calloc(1, sizeof *report);
    if (!report)
        return NULL;
    report->command = strdup(command);
    if (!report->command) {
        free(report);
        return NULL;
    }
    return report;
}

bool eb_report_ok(const eb_report *report) { return report && !report->out_of_memory; }

/* ---- copies; the report remembers a failed allocation ---- */

static char *copy_text(eb_report *report, const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy)
        report->out_of_memory = true;
    return copy;
}

static eb_value copy_value(eb_report *report, eb_value value)
{
    if (value.kind == EB_TEXT) {
        value.as.text = copy_text(report, value.as.text);
        if (!value.as.text)
            return eb_na();
    }
    return value;
}

static void free_value(eb_value value)
{
    if (value.kind == EB_TEXT)
        free((void *)value.as.text); /* the report's own copy */
}

static double *copy_doubles(eb_report *report, const double *values, size_t count)
{
    double *copy = calloc(count ? count : 1, sizeof *copy);
    if (!copy)
        report->out_of_memory = true;
    else if (count > 0)
        memcpy(copy, values, count * sizeof *copy);
    return copy;
}

/* Makes room for one more element at the end of an array. False: out of memory, which the report remembers. */
static bool grow(eb_report *report, void **array, size_t count, size_t size)
{
    void *grown = realloc(*array, (count + 1) * size);
    if (!grown) {
        report->out_of_memory = true;
        return false;
    }
    *array = grown;
    return true;
}

/* ---- items ---- */

static void free_item(eb_item *item)
{
    if (!item)
        return;
    free(item->key);
    free(item->title);
    switch (item->kind) {
    case EB_FIELD: free_value(item->as.field.value); break;
    case EB_RECORD:
        for (size_t k = 0; k < item->as.record.fields; k++) {
            eb_field *field = &item->as.record.field[k];
            free(field->key);
            free(field->title);
            free_value(field->value);
        }
        free(item->as.record.field);
        break;
    case EB_TABLE: {
        eb_table *table = &item->as.table;
        for (size_t k = 0; k < table->rows * table->columns; k++)
            free_value(table->cell[k]);
        for (size_t k = 0; k < table->columns; k++) {
            free((void *)table->column[k].key);
            free((void *)table->column[k].title);
        }
        free(table->cell);
        free(table->column);
        break;
    }
    case EB_SERIES: {
        eb_series *series = &item->as.series;
        free(series->x_key);
        free(series->y_key);
        free(series->x_title);
        free(series->y_title);
        free(series->x);
        free(series->y);
        free(series->low);
        free(series->mark);
        free(series->names);
        free(series->high);
        free(series->z_key);
        free(series->z_title);
        free(series->z);
        break;
    }
    }
    free(item);
}

void eb_report_free(eb_report *report)
{
    if (!report)
        return;
    for (size_t k = 0; k < report->items; k++)
        free_item(report->item[k]);
    for (size_t k = 0; k < report->notes; k++)
        free(report->note[k]);
    free(report->item);
    free(report->note);
    free(report->raw);
    free(report->dataset);
    free(report->flow);
    free(report->conclusion);
    free(report->command);
    free(report);
}

/* Whether a list with commas between its names has this one. */
static bool is_listed(const char *names, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = names;; at++) {
        const size_t name = strcspn(at, ",");
        if (name == length && strncmp(at, key, length) == 0)
            return true;
        at += name;
        if (*at == '\0')
            return false;
    }
}

bool eb_table_show_only(eb_table *table, const char *names)
{
    size_t wanted = 1, found = 0;
    for (const char *at = names; *at; at++)
        wanted += *at == ',';
    for (size_t k = 0; k < table->columns; k++)
        if (is_listed(names, table->column[k].key)) {
            found++;
        } else {
            free((void *)table->column[k].title);
            table->column[k].title = NULL;
        }
    return found == wanted;
}

/* Moves item k to the end of another report. */
static bool move_item(eb_report *from, size_t k, eb_report *to)
{
    eb_item *item = from->item[k];
    if (!grow(to, (void **)&to->item, to->items, sizeof(void *)))
        return false;
    if (item->kind == EB_TABLE)
        item->as.table.report = to;
    else if (item->kind == EB_RECORD)
        item->as.record.report = to;
    to->item[to->items++] = item;
    memmove(&from->item[k], &from->item[k + 1], (--from->items - k) * sizeof(void *));
    return true;
}

bool eb_report_hand_on(eb_report *from, const eb_column *key, const char *title, eb_report *to)
{
    bool found = false;
    for (size_t k = 0; k < from->items;) {
        eb_item *item = from->item[k];
        if (item->kind == EB_FIELD || strcmp(item->key, key->key) != 0) {
            k++;
            continue;
        }
        if (!move_item(from, k, to))
            return false;
        if (title && title[0] != '\0') {
            free(item->title);
            item->title = copy_text(to, title);
        }
        found = true;
    }
    return found;
}

bool eb_report_hand_on_first(eb_report *from, const eb_column *key, eb_report *to)
{
    for (size_t k = 0; k < from->items; k++)
        if (from->item[k]->kind != EB_FIELD && strcmp(from->item[k]->key, key->key) == 0)
            return move_item(from, k, to);
    return false;
}

void eb_report_hand_on_all(eb_report *from, eb_report *to)
{
    while (from->items > 0 && move_item(from, 0, to))
        continue;
}

void eb_report_rename(eb_report *report, size_t first, const eb_column *key)
{
    for (size_t k = first; eb_report_ok(report) && k < report->items; k++) {
        assert(report->item[k]->kind != EB_FIELD);
        char *copy = copy_text(report, key->key);
        if (!copy)
            return;
        free(report->item[k]->key);
        report->item[k]->key = copy;
    }
}

void eb_report_page(eb_report *report)
{
    if (eb_report_ok(report) && report->items > 0)
        report->item[report->items - 1]->page = true;
}

static eb_item *add_item(eb_report *report, eb_item_kind kind, const char *key, const char *title)
{
    if (!eb_report_ok(report))
        return NULL;
    eb_item *item = calloc(1, sizeof *item);
    if (!item) {
        report->out_of_memory = true;
        return NULL;
    }
    item->kind = kind;
    item->key = copy_text(report, key);
    item->title = copy_text(report, title);
    if (report->out_of_memory || !grow(report, (void **)&report->item, report->items, sizeof(eb_item *))) {
        free_item(item);
        return NULL;
    }
    report->item[report->items++] = item;
    return item;
}

void eb_report_field(eb_report *report, const eb_column *field, eb_value value)
{
    eb_item *item = add_item(report, EB_FIELD, field->key, field->title);
    if (item)
        item->as.field =
            (eb_field){.key = item->key, .title = item->title, .unit = field->unit, .value = copy_value(report, value)};
}

eb_record *eb_report_record(eb_report *report, const eb_column *key, const char *title)
{
    eb_item *item = add_item(report, EB_RECORD, key->key, title);
    if (!item)
        return NULL;
    item->as.record.report = report;
    return &item->as.record;
}

void eb_record_field(eb_record *record, const eb_column *field, eb_value value)
{
    if (!record || !grow(record->report, (void **)&record->field, record->fields, sizeof(eb_field)))
        return;
    eb_report *report = record->report;
    record->field[record->fields++] = (eb_field){.key = copy_text(report, field->key),
                                                 .title = copy_text(report, field->title),
                                                 .unit = field->unit,
                                                 .value = copy_value(report, value)};
}

void eb_report_fields(eb_report *report, const eb_told *told, size_t count)
{
    for (size_t k = 0; k < count; k++)
        eb_report_field(report, told[k].field, told[k].value);
}

void eb_record_fields(eb_record *record, const eb_told *told, size_t count)
{
    for (size_t k = 0; k < count; k++)
        eb_record_field(record, told[k].field, told[k].value);
}

eb_table *eb_report_table(eb_report *report, const eb_column *key, const char *title)
{
    eb_item *item = add_item(report, EB_TABLE, key->key, title);
    if (!item)
        return NULL;
    item->as.table.report = report;
    return &item->as.table;
}

void eb_table_column(eb_table *table, const eb_column *column)
{
    if (!table)
        return;
    assert(table->rows == 0);
    eb_report *report = table->report;
    if (grow(report, (void **)&table->column, table->columns, sizeof(eb_column)))
        table->column[table->columns++] =
            (eb_column){copy_text(report, column->key), copy_text(report, column->title), column->unit};
}

void eb_table_columns(eb_table *table, const eb_column *const *columns, size_t count)
{
    for (size_t k = 0; k < count; k++)
        eb_table_column(table, columns[k]);
}

eb_table *eb_table_of(eb_report *report, const eb_column *key, const char *title, const eb_column *const *columns,
                      size_t count)
{
    eb_table *table = eb_report_table(report, key, title);
    eb_table_columns(table, columns, count);
    return table;
}

void eb_table_row(eb_table *table, const eb_value *cells, size_t count)
{
    if (!table || table->report->out_of_memory)
        return;
    assert(count == table->columns);
    if (!eb_array_grow(&table->cell, table->rows, &table->row_capacity, table->columns * sizeof *table->cell, 8)) {
        table->report->out_of_memory = true;
        return;
    }
    for (size_t k = 0; k < count; k++)
        table->cell[table->rows * table->columns + k] = copy_value(table->report, cells[k]);
    table->rows++;
}

void eb_table_turn(eb_table *table)
{
    if (table)
        table->turned = true;
}

void eb_table_draw(eb_table *table, eb_look look)
{
    if (table)
        table->look = look;
}

eb_series *eb_report_series(eb_report *report, const eb_column *key, const char *title, eb_series_shape shape,
                            size_t points, const double *x, const double *y, const double *low, const double *high)
{
    eb_item *item = add_item(report, EB_SERIES, key->key, title);
    if (!item)
        return NULL;
    item->as.series = (eb_series){
        .shape = shape,
        .points = points,
        .x_key = copy_text(report, "x"),
        .y_key = copy_text(report, "y"),
        .x_title = copy_text(report, "x"),
        .y_title = copy_text(report, "y"),
        .x = copy_doubles(report, x, points),
        .y = copy_doubles(report, y, points),
        .low = low ? copy_doubles(report, low, points) : NULL,
        .high = high ? copy_doubles(report, high, points) : NULL,
        .under = NAN,
        .over = NAN,
    };
    return &item->as.series;
}

eb_series *eb_report_dots(eb_report *report, const eb_column *key, const char *title, eb_series_shape shape)
{
    return eb_report_series(report, key, title, shape, 0, NULL, NULL, NULL, NULL);
}

static void add_note(eb_report *report, const char *format, va_list args)
{
    char *text = NULL;
    if (!eb_report_ok(report) || !grow(report, (void **)&report->note, report->notes, sizeof(char *)))
        return;
    if (vasprintf(&text, format, args) < 0)
        report->out_of_memory = true;
    else
        report->note[report->notes++] = text;
}

void eb_report_note(eb_report *report, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_note(report, format, args);
    va_end(args);
}

void eb_report_warn(eb_report *report, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    size_t notes = report ? report->notes : 0, at = 0;
    eb_report_note(report, "warning: %s", length < 0 ? "" : text);
    free(length < 0 ? NULL : text);
    if (!eb_report_ok(report) || report->notes == notes)
        return;
    char *added = report->note[notes];
    while (at < notes && eb_is_warning(report->note[at]))
        at++;
    memmove(report->note + at + 1, report->note + at, (notes - at) * sizeof *report->note);
    report->note[at] = added;
}

void eb_report_conclude(eb_report *report, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    if (!eb_report_ok(report))
        return;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    free(report->conclusion);
    report->conclusion = length > 0 ? text : NULL;
    report->out_of_memory |= length < 0;
    free(length == 0 ? text : NULL);
}

void eb_report_raw(eb_report *report, const char *text)
{
    if (!eb_report_ok(report))
        return;
    free(report->raw);
    free(report->flow);
    report->raw = copy_text(report, text);
    report->flow = NULL;
}

void eb_report_dataset(eb_report *report, const char *name)
{
    if (!eb_report_ok(report))
        return;
    free(report->dataset);
    report->dataset = copy_text(report, name);
}

void eb_report_flow(eb_report *report, const char *text, const char *flow)
{
    eb_report_raw(report, text);
    if (eb_report_ok(report))
        report->flow = copy_text(report, flow);
}

bool eb_is_warning(const char *note) { return strncmp(note, "warning: ", strlen("warning: ")) == 0; }
