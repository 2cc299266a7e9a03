/* find: reading values of a report by key. */
#pragma once

#include "core/report/report.h"

/* NULL or EB_NA if the report is NULL or lacks the key. */
const eb_item *eb_report_find(const eb_report *report, eb_item_kind kind, const eb_column *key);
const eb_table *eb_report_find_table(const eb_report *report, const eb_column *key);
const eb_series *eb_report_find_series(const eb_report *report, const eb_column *key);
const eb_series *eb_report_find_turns(const eb_report *report); /* the first series with in_turns (report.h) */
const eb_record *eb_report_find_record(const eb_report *report, const eb_column *key);
eb_value eb_report_find_field(const eb_report *report, const eb_column *key);
eb_value eb_record_find(const eb_record *record, const eb_column *key);
/* The index of the key's column; −1: none. */
int eb_table_find_column(const eb_table *table, const eb_column *key);
eb_value eb_table_value(const eb_table *table, size_t row, const eb_column *key); /* EB_NA: no such column or row */
double eb_value_number(eb_value value);                                           /* NAN: the value is no number */
const char *eb_value_text_or(eb_value value, const char *otherwise); /* `otherwise` if the value is no text */
#define eb_value_text(value) eb_value_text_or((value), "")

/* Text or number of a field (_of) or a cell (_at); "" or NAN if it is missing. */
#define eb_text_of(report, key) eb_value_text(eb_report_find_field((report), (key)))
#define eb_number_of(report, key) eb_value_number(eb_report_find_field((report), (key)))
#define eb_text_at(table, row, key) eb_value_text(eb_table_value((table), (row), (key)))
#define eb_number_at(table, row, key) eb_value_number(eb_table_value((table), (row), (key)))

const char *eb_report_conclusion(const eb_report *report); /* NULL: none */
const char *eb_report_warning(const eb_report *report);    /* the first; NULL: none */
