#include "ui/panels/exactness.h"

#include <stdio.h>
#include <string.h>

#include "core/engine/spec.h"
#include "draw/utf8.h"

int eb_put_exactness(eb_canvas *canvas, eb_rect row, int x, size_t count, const char *const *specs, const char *between)
{
    char text[160] = "";
    for (size_t k = 0; k < count; k++) {
        eb_spec spec;
        size_t used = strlen(text);
        if (eb_spec_parse(specs[k], NULL, &spec, NULL))
            return 0;
        (void)snprintf(text + used, sizeof text - used, "%s%s", k > 0 ? between : "  ",
                       eb_exactness_name(eb_exactness_of(spec.engine, &spec.options)));
    }
    if (x + (int)strlen(text) > row.x + row.width)
        return 0;
    return eb_put(canvas, row, x, row.y, EB_ROLE_DIM, text);
}

/* True if a spec such as "fasted[paper,norms=chain]" names the option, or only its value, as choices may be typed. */
static bool says(const char *spec, const char *name, const char *value)
{
    char item[64];
    const char *brackets = strchr(spec, '[');
    (void)snprintf(item, sizeof item, "%.60s=", name);
    return brackets && (strstr(brackets, item) || strstr(brackets, value));
}

/* True for the value of an option that does nothing. */
static bool is_idle(const char *value) { return strcmp(value, "none") == 0 || strcmp(value, "off") == 0; }

int eb_put_unsaid(eb_canvas *canvas, eb_rect row, int x, const char *spec, const char *device)
{
    char item[128], value[96];
    const char *name;
    const int begin = x;
    eb_spec parsed;
    eb_device_kind kind;
    int index;
    if (eb_spec_parse(spec, NULL, &parsed, NULL) || eb_device_parse(device, &kind, &index, NULL))
        return 0;
    for (size_t k = 0; eb_options_item(&parsed.options, 1u << kind, k, &name, value, sizeof value); k++) {
        if (x == begin)
            (void)snprintf(item, sizeof item, "  %s: %s %s", parsed.engine->name, name, value);
        else
            (void)snprintf(item, sizeof item, ", %s %s", name, value);
        if (!is_idle(value) && !says(spec, name, value) && x + eb_text_width(item) <= row.x + row.width)
            x += eb_put(canvas, row, x, row.y, EB_ROLE_DIM, item);
    }
    return x - begin;
}
