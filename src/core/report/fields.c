#include "core/report/fields.h"

#include <string.h>

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

const char *eb_unit_symbol(eb_unit unit)
{
    static const char *const symbols[] =
        {[EB_SECONDS] = "s", [EB_BYTES] = "byte", [EB_HERTZ] = "Hz",   [EB_TERAFLOPS] = "TFLOPS",
         [EB_JOULES] = "J",  [EB_WATTS] = "W",    [EB_IDENTITY] = NULL};
    return symbols[unit] ? symbols[unit] : "";
}

bool eb_field_is_identity(const char *key)
{
    for (size_t k = 0; k < EB_FIELDS; k++)
        if (eb_fields[k][0].unit == EB_IDENTITY && strcmp(eb_fields[k][0].key, key) == 0)
            return true;
    return false;
}
