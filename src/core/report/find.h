/* find: what is in a report, by key. */
#ifndef EB_CORE_REPORT_FIND_H
#define EB_CORE_REPORT_FIND_H

#include "core/report/report.h"

/* NULL or EB_NA when it is not there (a NULL report, too). */
const eb_item *eb_report_find(const eb_report *report, eb_item_kind kind, const char *key);
const eb_table *eb_report_find_table(const eb_report *report, const char *key);
const eb_series *eb_report_find_series(const eb_report *report, const char *key);
const eb_series *eb_report_find_turns(const eb_report *report); /* the first whose cells have turns (report.h) */
const eb_record *eb_report_find_record(const eb_report *report, const char *key);
eb_value eb_report_find_field(const eb_report *report, const char *key);
eb_value eb_record_find(const eb_record *record, const char *key);
/* The column of that key, −1: none. */
int eb_table_find_column(const eb_table *table, const char *key);
eb_value eb_table_value(const eb_table *table, size_t row, const char *key); /* EB_NA: no such column or row */
double eb_value_number(eb_value value);                                      /* NAN: no number */

const char *eb_report_conclusion(const eb_report *report); /* NULL: none */
const char *eb_report_warning(const eb_report *report);    /* the first; NULL: none */

#endif
