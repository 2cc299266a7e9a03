#include "core/report/fields.h"

#include <stddef.h>

const eb_column eb_fields[EB_FIELDS][2] = {
#define F(name, title, unit, meaning) {{#name, title, EB_##unit}, {#name, 0, EB_##unit}},
#define V(name, key, title, unit, meaning) {{#key, title, EB_##unit}, {#key, 0, EB_##unit}},
#define N(name) {{#name, 0, EB_PLAIN}, {#name, 0, EB_PLAIN}},
#include "core/report/field_rows.h"
};

const char *const eb_field_meanings[EB_FIELDS] = {
#define F(name, title, unit, meaning) meaning,
#define V(name, key, title, unit, meaning) meaning,
#define N(name) "",
#include "core/report/field_rows.h"
};
