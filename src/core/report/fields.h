/* fields: all values that reports contain, one row each in field_rows.h: the key that scripts see in JSON, the title
 * that people see, the unit, and the glossary term that explains the value. EB_F(kernel_s) is such a field; a name
 * without a row does not compile. Two rows share a key if JSON has the same key with another meaning in another table.
 */
#pragma once

#include <stdbool.h>

#include "core/base/unit.h"

typedef struct eb_column {
    const char *key, *title; /* inside a report: the report's copies; title NULL: only programs see the value */
    eb_unit unit;
} eb_column;

enum {
#define F(name, title, unit, meaning) EB_FIELD_##name,
#define V(name, key, title, unit, meaning) EB_FIELD_##name,
#define N(name) EB_FIELD_##name,
#include "core/report/field_rows.h"
    EB_FIELDS
};

extern const eb_column eb_fields[EB_FIELDS][2];        /* [1]: the same field without a title */
extern const char *const eb_field_meanings[EB_FIELDS]; /* a term of the glossary; "": the title is enough */

/* The base unit as the log writes it: "s", "J", "byte", …; "" for a plain number. */
const char *eb_unit_symbol(eb_unit unit);

bool eb_field_is_identity(const char *key); /* whether numbers of this key identify something and count nothing */

#define EB_F(name) (&eb_fields[EB_FIELD_##name][0])
#define EB_HIDDEN(name) (&eb_fields[EB_FIELD_##name][1])
#define EB_F_IF(seen, name) (&eb_fields[EB_FIELD_##name][(seen) ? 0 : 1])
#define EB_LIST(...) {__VA_ARGS__} /* static const eb_column *const fields[] = EB_LIST(EB_F(run), EB_F(eps)); */
