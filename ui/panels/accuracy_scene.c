#include "ui/panels/accuracy_scene.h"
#include "core/report/find.h"

#include <math.h>

static const char *const sources[] = {"compare", "accuracy", "hist"};
enum { SOURCES = sizeof sources / sizeof sources[0] };

/* Parts of an older comparison do not stand beside those of a newer one. */
static bool is_current(const eb_desk *desk, const char *command)
{
    return eb_desk_report_stamp(desk, command) >= eb_desk_report_stamp(desk, "compare");
}

static const char *text_or(eb_value value, const char *otherwise)
{
    return value.kind == EB_TEXT ? value.as.text : otherwise;
}

/* The newest report that has the part wins. */
static void take_parts(eb_accuracy_scene *s, const eb_desk *desk, const char *command)
{
    const eb_report *r = eb_desk_report(desk, command);
    unsigned long stamp = eb_desk_report_stamp(desk, command);
    if (!r || !is_current(desk, command))
        return;
    const eb_series *errors = eb_report_find_series(r, "errors"), *overlaps = eb_report_find_series(r, "overlaps");
    const eb_record *figures = eb_report_find_record(r, "accuracy");
    const eb_table *pairs = eb_report_find_table(r, "boundary"), *runs = eb_report_find_table(r, "runs");
    if (errors && stamp > s->errors_stamp) {
        s->errors = errors;
        s->errors_stamp = stamp;
    }
    s->overlaps = overlaps ? overlaps : s->overlaps;
    s->figures = figures ? figures : s->figures;
    if (pairs && (!s->pairs || pairs->rows >= s->pairs->rows)) {
        s->pairs = pairs;
        s->pairs_stamp = stamp;
    }
    s->fast = text_or(eb_report_find_field(r, "fast"), text_or(eb_table_value(runs, 0, "engine"), s->fast));
    s->truth = text_or(eb_report_find_field(r, "truth"), text_or(eb_table_value(runs, 1, "engine"), s->truth));
    double eps = eb_value_number(eb_report_find_field(r, "eps"));
    s->eps = isnan(eps) ? s->eps : eps;
    s->any = true;
    s->stale = eb_desk_report_serial(desk, command) != eb_desk_facts(desk)->dataset_serial;
}

eb_accuracy_scene eb_accuracy_look(const eb_desk *desk)
{
    eb_accuracy_scene s = {.eps = NAN, .fast = "", .truth = ""};
    for (size_t k = 0; k < SOURCES; k++)
        take_parts(&s, desk, sources[k]);
    return s;
}
