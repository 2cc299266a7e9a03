#include "core/report/find.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const eb_item *eb_report_find(const eb_report *report, eb_item_kind kind, const eb_column *key)
{
    for (size_t k = 0; report && k < report->items; k++)
        if (report->item[k]->kind == kind && strcmp(report->item[k]->key, key->key) == 0)
            return report->item[k];
    return NULL;
}

const eb_table *eb_report_find_table(const eb_report *report, const eb_column *key)
{
    const eb_item *item = eb_report_find(report, EB_TABLE, key);
    return item ? &item->as.table : NULL;
}

const eb_series *eb_report_find_series(const eb_report *report, const eb_column *key)
{
    const eb_item *item = eb_report_find(report, EB_SERIES, key);
    return item ? &item->as.series : NULL;
}

const eb_series *eb_report_find_turns(const eb_report *report)
{
    for (size_t k = 0; report && k < report->items; k++)
        if (report->item[k]->kind == EB_SERIES && report->item[k]->as.series.in_turns)
            return &report->item[k]->as.series;
    return NULL;
}

const eb_record *eb_report_find_record(const eb_report *report, const eb_column *key)
{
    const eb_item *item = eb_report_find(report, EB_RECORD, key);
    return item ? &item->as.record : NULL;
}

eb_value eb_report_find_field(const eb_report *report, const eb_column *key)
{
    const eb_item *item = eb_report_find(report, EB_FIELD, key);
    return item ? item->as.field.value : eb_na();
}

eb_value eb_record_find(const eb_record *record, const eb_column *key)
{
    for (size_t k = 0; record && k < record->fields; k++)
        if (strcmp(record->field[k].key, key->key) == 0)
            return record->field[k].value;
    return eb_na();
}

int eb_table_find_column(const eb_table *table, const eb_column *key)
{
    for (size_t k = 0; table && k < table->columns; k++)
        if (strcmp(table->column[k].key, key->key) == 0)
            return (int)k;
    return -1;
}

eb_value eb_table_value(const eb_table *table, size_t row, const eb_column *key)
{
    int column = eb_table_find_column(table, key);
    return column < 0 || row >= table->rows ? eb_na() : table->cell[row * table->columns + (size_t)column];
}

double eb_value_number(eb_value value)
{
    switch (value.kind) {
    case EB_INTEGER: return (double)value.as.integer;
    case EB_UNSIGNED: return (double)value.as.u64;
    case EB_REAL: return value.as.real;
    default: return NAN;
    }
}

const char *eb_report_warning(const eb_report *report)
{
    return report && report->notes > 0 && eb_is_warning(report->note[0]) ? report->note[0] : NULL;
}

const char *eb_report_conclusion(const eb_report *report) { return report ? report->conclusion : NULL; }

const char *eb_value_text_or(eb_value value, const char *otherwise)
{
    return value.kind == EB_TEXT ? value.as.text : otherwise;
}

/* ---- some of a table's columns ---- */

static const char separators[] = ", ";

/* Returns the next name at or after *at, and moves *at past it; NULL: no more names. */
static const char *next_name(const char **at, size_t *length)
{
    const char *name = *at + strspn(*at, separators);
    *length = strcspn(name, separators);
    *at = name + *length;
    return *length > 0 ? name : NULL;
}

static bool is_called(const char *text, const char *name, size_t length)
{
    return text && strlen(text) == length && strncmp(text, name, length) == 0;
}

static bool is_column(const eb_column *column, const char *name, size_t length)
{
    return column->title && (is_called(column->key, name, length) || is_called(column->title, name, length));
}

/* The index of the column; table->columns if there is none. */
static size_t find_column(const eb_table *table, const char *name, size_t length)
{
    size_t c = 0;
    while (c < table->columns && !is_column(&table->column[c], name, length))
        c++;
    return c;
}

/* The name of a column in messages: its title if that is one word, else its key. */
static const char *name_of(const eb_column *column)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    return strspn(column->title, letters) == strlen(column->title) ? column->title : column->key;
}

eb_code eb_pick_check(const char *names, const eb_column *const *column, size_t count, eb_status *status)
{
    char there[512] = "";
    size_t used = 0, found = 0, length;
    const char *at = names;
    for (size_t c = 0; c < count; c++) {
        if (!column[c]->title)
            continue;
        int written = snprintf(there + used, sizeof there - used, "%s%s", used > 0 ? ", " : "", name_of(column[c]));
        used += written > 0 && (size_t)written < sizeof there - used ? (size_t)written : 0;
    }
    for (const char *name; (name = next_name(&at, &length)) != NULL; found++) {
        size_t c = 0;
        while (c < count && !is_column(column[c], name, length))
            c++;
        if (c == count)
            return eb_fail(status, EB_USAGE, "no column `%.*s`; there are: %s", (int)(length < 80 ? length : 80), name,
                           there);
    }
    return found > 0 ? EB_OK
                     : eb_fail(status, EB_USAGE, "expected columns, as run,engine,kernels; there are: %s", there);
}

bool eb_pick(const eb_table *from, const char *first, const char *names, eb_table *out)
{
    size_t *chosen = calloc(from->columns + 1, sizeof *chosen), count = 0, length;
    const char *at = names;
    *out = (eb_table){.rows = from->rows, .row_capacity = from->rows};
    if (!chosen)
        return false;
    size_t leading = find_column(from, first, strlen(first));
    if (leading < from->columns)
        chosen[count++] = leading;
    for (const char *name; (name = next_name(&at, &length)) != NULL;) {
        size_t c = find_column(from, name, length);
        bool twice = c == from->columns;
        for (size_t k = 0; k < count && !twice; k++)
            twice = chosen[k] == c;
        if (!twice)
            chosen[count++] = c;
    }
    out->columns = count;
    out->column = calloc(count + 1, sizeof *out->column);
    out->cell = calloc(from->rows * count + 1, sizeof *out->cell);
    bool made = out->column && out->cell;
    for (size_t k = 0; k < count && made; k++) {
        out->column[k] = from->column[chosen[k]];
        for (size_t r = 0; r < from->rows; r++)
            out->cell[r * count + k] = from->cell[r * from->columns + chosen[k]];
    }
    free(chosen);
    if (!made)
        eb_pick_free(out);
    return made;
}

void eb_pick_free(eb_table *picked)
{
    free(picked->column);
    free(picked->cell);
    *picked = (eb_table){.columns = 0};
}
