#include "shell/radius/radius.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shell/conclude/words.h"

eb_code eb_pass_engine(eb_session *session, const eb_call *call, eb_setup *setup, eb_report *report, eb_status *status)
{
    const char *spec = eb_call_text(call, "engine");
    eb_code failed = spec ? eb_session_setup(session, spec, setup, status) : eb_session_truth(session, setup, status);
    if (failed)
        return failed;
    bool tells = strcmp(setup->spec, setup->engine->name) != 0;
    EB_FIELDS(report, {EB_F(engine), eb_text(setup->engine->name)}, {EB_F_IF(tells, spec_typed), eb_text(setup->spec)},
              {EB_F(device), eb_text(setup->device.name)}, {EB_F(n), eb_uint(session->dataset->n)},
              {EB_F(d), eb_uint(session->dataset->d)});
    if (setup->note[0] != '\0')
        eb_report_note(report, "%s", setup->note);
    return EB_OK;
}

/* ---- the sampled curve ---- */

/* The part of the curve that rises: from the first bin with hits to the bin with 99.9 % of them. */
static void telling_part(const eb_curve *curve, size_t *first, size_t *end)
{
    *first = 0;
    *end = curve->points;
    while (*first < *end && !(curve->s[*first] > 0))
        ++*first;
    double most = curve->points > 0 ? curve->s[curve->points - 1] : 0;
    while (*end > *first + 1 && curve->s[*end - 2] >= 0.999 * most)
        --*end;
}

void eb_report_curve(const eb_curve *curve, eb_report *report)
{
    size_t first, end;
    telling_part(curve, &first, &end);
    size_t points = end - first;
    double *band = calloc(points ? 2 * points : 1, sizeof *band);
    if (!band) {
        report->out_of_memory = true;
        return;
    }
    double *low = band, *high = band + points;
    for (size_t k = 0; k < points; k++)
        eb_curve_band(curve, first + k, &low[k], &high[k]);
    eb_series *series = eb_report_series(report, EB_F(curve), "Sampled S(ε)", EB_LINE, points, curve->eps + first,
                                         curve->s + first, low, high);
    eb_series_axes(series, EB_F(eps), true, EB_F(selectivity_sampled), true);
    free(band);
}

void eb_report_point(eb_report *report, const eb_dataset *ds, size_t point)
{
    EB_FIELDS(report, {EB_F(point), eb_uint(point)},
              {EB_F_IF(ds->labels, label), eb_text(eb_label_if_any(ds->labels, point))});
}

enum { SHOWN = 20000 }; /* points of a k-distance curve in a report */

/* Shows all points, or if there are many, some that are evenly spaced, both ends and the elbow among them. */
static void show_k_distances(eb_report *report, const eb_k_distance *curve)
{
    const size_t last = curve->queries - 1, shown = curve->queries < SHOWN ? curve->queries : SHOWN;
    eb_series *series = eb_report_dots(report, EB_F(kdistance), "Core distance, sorted", EB_LINE);
    eb_series_axes(series, EB_F(share_of_cores), false, EB_F(eps), false);
    for (size_t k = 0, next = 0; k < shown; k++) {
        const size_t at = shown < 2 ? 0 : k * last / (shown - 1);
        if (next <= curve->elbow && curve->elbow < at)
            eb_series_add(series, curve->share[curve->elbow], curve->eps[curve->elbow], 0, 0);
        eb_series_add(series, curve->share[at], curve->eps[at], 0, 0);
        next = at + 1;
    }
    if (shown < curve->queries)
        eb_report_note(report, "the curve has %zu points; the picture and its data show %d of them, evenly spaced",
                       curve->queries, SHOWN);
}

void eb_report_k_distance(eb_report *report, const eb_k_distance *curve)
{
    EB_FIELDS(report, {EB_F(elbow), eb_real(curve->eps[curve->elbow])},
              {EB_F(elbow_share), eb_real(curve->share[curve->elbow])});
    show_k_distances(report, curve);
    if (curve->queries == curve->n)
        eb_report_note(report, "every point was a query: the curve is exact");
}
