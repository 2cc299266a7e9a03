/* pick: some of a table's columns, in an order that a person chose, by key or by title: "run,engine,kernels". */
#ifndef EB_CORE_REPORT_PICK_H
#define EB_CORE_REPORT_PICK_H

#include "core/base/status.h"
#include "core/report/report.h"

/* EB_USAGE: a name that is none of the columns' (only those with a title are looked at), or none at all. */
eb_code eb_pick_check(const char *names, const eb_column *const *column, size_t count, eb_status *status);

/* A table of `first`, where it is not named, and the columns named; names there are none of are passed over. Rows are
 * the same; texts and titles stay the other table's. False: out of memory. Freed with eb_pick_free. */
bool eb_pick(const eb_table *from, const char *first, const char *names, eb_table *out);
void eb_pick_free(eb_table *picked); /* frees what eb_pick made; an empty table afterwards */

#endif
