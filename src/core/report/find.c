#include "core/report/find.h"

#include <math.h>
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
