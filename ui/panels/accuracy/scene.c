#include "ui/panels/accuracy/scene.h"

#include <math.h>
#include <string.h>

#include "core/report/find.h"

static const char *const sources[] = {"compare", "accuracy", "hist"};
enum { SOURCES = sizeof sources / sizeof sources[0] };

/* True if the command's last report belongs to the newest comparison. */
static bool is_current(const eb_desk *desk, const char *command)
{
    return eb_desk_report_stamp(desk, command) >= eb_desk_report_stamp(desk, "compare");
}

/* The engine that a report is about; "" if the report does not name one. */
static const char *fast_of(const eb_report *r)
{
    const eb_table *accuracies = eb_report_find_table(r, EB_F(accuracies));
    return eb_value_text_or(eb_report_find_field(r, EB_F(fast)),
                            eb_value_text_or(eb_table_value(accuracies, 0, EB_F(spec)), ""));
}

/* "in" or "out": whether the report counts self pairs; "" if it does not say. */
static const char *self_of(const eb_report *r)
{
    const eb_record *figures = eb_report_find_record(r, EB_F(accuracy));
    return eb_value_text_or(eb_report_find_field(r, EB_F(self_pairs)),
                            eb_value_text_or(eb_record_find(figures, EB_F(self_pairs)), ""));
}

static bool same_sample(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Finds the engine that the newest report is about, among several compared ones, and whether self pairs count. */
static void find_newest(const eb_desk *desk, eb_accuracy_scene *s)
{
    unsigned long newest = 0;
    for (size_t k = 0; k < SOURCES; k++) {
        const eb_report *r = eb_desk_report(desk, sources[k]);
        unsigned long stamp = eb_desk_report_stamp(desk, sources[k]);
        if (fast_of(r)[0] && stamp > newest && is_current(desk, sources[k])) {
            s->fast = fast_of(r);
            s->self = self_of(r);
            s->sample = eb_number_of(r, EB_F(sample));
            newest = stamp;
        }
    }
}

/* Takes the parts of the command's report; a part of a newer report replaces one of an older report. */
static void take_parts(eb_accuracy_scene *s, const eb_desk *desk, const char *command)
{
    const eb_report *r = eb_desk_report(desk, command);
    unsigned long stamp = eb_desk_report_stamp(desk, command);
    const char *fast = fast_of(r);
    if (!r || !is_current(desk, command) || (fast[0] && strcmp(fast, s->fast) != 0))
        return;
    const bool drawn = same_sample(eb_number_of(r, EB_F(sample)), s->sample);
    const bool as_asked = drawn && strcmp(self_of(r), s->self) == 0;
    /* Against an engine that is not exact, errors are called differences. */
    const eb_item *errors = eb_report_find(r, EB_SERIES, EB_F(errors)),
                  *others = eb_report_find(r, EB_SERIES, EB_F(differences));
    const eb_series *overlaps = eb_report_find_series(r, EB_F(overlaps));
    const eb_record *figures = eb_report_find_record(r, EB_F(accuracy));
    const eb_record *undecided = eb_report_find_record(r, EB_F(undecided));
    const eb_table *pairs = eb_report_find_table(r, EB_F(boundary));
    errors = errors ? errors : others;
    if (errors && as_asked && stamp > s->errors_stamp) {
        s->errors = &errors->as.series;
        s->errors_title = errors->title;
        s->errors_stamp = stamp;
    }
    s->overlaps = overlaps && as_asked ? overlaps : s->overlaps;
    s->figures = figures && as_asked ? figures : s->figures;
    s->undecided = undecided ? undecided : s->undecided;
    s->warning = eb_report_warning(r) ? eb_report_warning(r) : s->warning;
    if (pairs && drawn && (!s->pairs || pairs->rows >= s->pairs->rows)) {
        s->pairs = pairs;
        s->pairs_stamp = stamp;
    }
    s->truth = eb_value_text_or(eb_report_find_field(r, EB_F(truth)),
                                eb_value_text_or(eb_report_find_field(r, EB_F(reference)), s->truth));
    double eps = eb_number_of(r, EB_F(eps));
    s->eps = isnan(eps) ? s->eps : eps;
    s->n = fmax(s->n, eb_number_of(r, EB_F(n)));
    s->any = true;
    s->stale = eb_desk_report_serial(desk, command) != eb_desk_facts(desk)->dataset_serial;
}

eb_accuracy_scene eb_accuracy_scene_of(const eb_desk *desk)
{
    eb_accuracy_scene s = {.eps = NAN,
                           .sample = NAN,
                           .n = NAN,
                           .errors_title = "Distance error: fast - true",
                           .fast = "",
                           .truth = "",
                           .self = ""};
    find_newest(desk, &s);
    s.self_chosen = strcmp(s.self, self_of(eb_desk_report(desk, "compare"))) != 0;
    s.sample_chosen = !same_sample(s.sample, eb_number_of(eb_desk_report(desk, "compare"), EB_F(sample)));
    s.several = eb_report_find_table(eb_desk_report(desk, "compare"), EB_F(targets)) != NULL;
    const char *first = fast_of(eb_desk_report(desk, "compare"));
    s.other = first[0] && strcmp(first, s.fast) != 0;
    for (size_t k = 0; k < SOURCES; k++)
        take_parts(&s, desk, sources[k]);
    return s;
}
