/* fields: what reports tell, a row each (field_rows.h): its key, which scripts see in JSON, the title that people see,
 * its unit, and the term of the glossary that explains it. EB_F(kernel_s) is one; a name without a row does not
 * compile. A row may share the key of another where the same key means something else in another table, and JSON keeps
 * it.
 */
#pragma once

#include <stdbool.h>

#include "core/base/unit.h"

typedef struct eb_column {
    const char *key, *title; /* the report's copies once inside a report; title NULL: for programs */
    eb_unit unit;
} eb_column;

enum {
#define F(name, title, unit, meaning) EB_FIELD_##name,
#define V(name, key, title, unit, meaning) EB_FIELD_##name,
#define N(name) EB_FIELD_##name,
#include "core/report/field_rows.h"
    EB_FIELDS
};

extern const eb_column eb_fields[EB_FIELDS][2];        /* [1]: people do not see it */
extern const char *const eb_field_meanings[EB_FIELDS]; /* a term of the glossary; "": the title says it */

bool eb_field_is_identity(const char *key); /* whether a field of this key counts nothing, but names something */

#define EB_F(name) (&eb_fields[EB_FIELD_##name][0])
#define EB_HIDDEN(name) (&eb_fields[EB_FIELD_##name][1])
#define EB_F_IF(seen, name) (&eb_fields[EB_FIELD_##name][(seen) ? 0 : 1])
#define EB_LIST(...) {__VA_ARGS__} /* static const eb_column *const fields[] = EB_LIST(EB_F(run), EB_F(eps)); */
