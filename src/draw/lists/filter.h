/* filter: which rows of a table a person wants to see: "slowdown>1.2, engine~exact, kind=outlier". Rows must fulfil all
 * comparisons.
 *
 * A comparison is COLUMN, a relation and a value; without COLUMN and relation, some visible cell must contain the text.
 * Relations: = != < <= > >=, and ~ !~ (contains, contains not). Texts are compared without regard to case. A value may
 * have the unit that a screen shows: 4ms, 5%, 2GiB. Commas within brackets or quotes belong to the value. A missing
 * value is n/a: `= n/a` finds it, < and > never do; != and !~ are the opposites of = and ~.
 */
#pragma once

#include "draw/lists/columns.h"

typedef enum eb_relation {
    EB_HAS,
    EB_HAS_NOT,
    EB_EQUAL,
    EB_UNEQUAL,
    EB_LESS,
    EB_AT_MOST,
    EB_MORE,
    EB_AT_LEAST
} eb_relation;

typedef struct eb_condition {
    size_t column; /* EB_ANY_COLUMN: any that people see */
    eb_relation relation;
    char *value;   /* heap */
    double number; /* the value in the column's base unit; NAN: it is no number */
} eb_condition;
#define EB_ANY_COLUMN SIZE_MAX

typedef struct eb_filter {
    size_t count;
    eb_condition *condition; /* heap */
} eb_filter;

/* EB_USAGE: an unknown column, or a comparison without a value. On failure there is nothing to free. */
eb_code eb_filter_read(eb_column_set set, const char *text, eb_filter *out, eb_status *status);
void eb_filter_free(eb_filter *filter);

/* EB_USAGE: a column of numbers cannot be compared with the value, as in kernel_s>fast. */
eb_code eb_filter_check(const eb_filter *filter, const eb_table *table, eb_status *status);

bool eb_filter_takes(const eb_filter *filter, const eb_table *table, size_t row);

/* True if there is no value: n/a, or a number that is none. */
bool eb_value_missing(eb_value value);
