#include "shell/precision/speeds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/model/machine.h"
#include "shell/commands/run_report.h"

eb_speed eb_speed_of(const eb_trying *t, size_t rung)
{
    const eb_run *run = eb_trying_run_of(t, rung);
    if (!run)
        return (eb_speed){(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    const eb_run_numbers of = eb_run_numbers_of(run);
    return (eb_speed){of.kernel.median, of.total.median, of.tflops_derived, of.limit_share};
}

bool eb_speeds_known(const eb_trying *t)
{
    bool known = false;
    for (size_t k = 0; k < t->rungs; k++)
        known |= eb_trying_run_of(t, k) != NULL;
    return known;
}

/* The GPU that joins. */
static const char *gpu_of(const eb_trying *t)
{
    size_t k = 0;
    while (k < t->rungs && !eb_trying_run_of(t, k))
        k++;
    return k < t->rungs ? eb_trying_run_of(t, k)->setup.device.model : "";
}

/* ---- the table ---- */

static void add_row(const eb_trying *t, size_t k, const char *name, double rate_model, eb_table *table)
{
    const eb_speed speed = eb_speed_of(t, k);
    EB_ROW(table, eb_text(name), eb_real(speed.kernel_s), eb_real(speed.tflops), eb_real(rate_model),
           eb_real(speed.limit_share), eb_real(speed.total_s), eb_text(t->setup[k].spec));
}

void eb_report_speeds(const eb_trying *t, eb_report *report)
{
    char title[sizeof(eb_device){0}.model + 40];
    if (!eb_speeds_known(t))
        return;
    (void)snprintf(title, sizeof title, "How fast each is, measured on %s", gpu_of(t));
    eb_table *table = EB_TABLE(report, EB_F(speeds), title, EB_F(rung), EB_F(kernel_s), EB_F(tflops_derived),
                               EB_F(rate_model), EB_F(limit_share), EB_F(total_s), EB_HIDDEN(spec));
    for (size_t k = 0; k < t->rungs; k++)
        add_row(t, k, t->rung[k].rung->title, t->rung[k].rate, table);
    if (eb_trying_run_of(t, t->rungs))
        add_row(t, t->rungs, t->setup[t->rungs].spec, (double)NAN, table);
}

/* ---- the picture ---- */

/* Where a rung loses nothing, half of what one wrong pair of all that were looked at would be. */
static double lost(const eb_trying *t, size_t k, double overlap)
{
    const eb_accuracy *a = eb_trying_accuracy(t, k);
    const double pairs = (double)(a && a->common > 0 ? a->common : t->pairs);
    return isnan(overlap) ? (double)NAN : fmax(1 - overlap, pairs > 0 ? 0.5 / pairs : (double)NAN);
}

double eb_lost_share(const eb_trying *t, size_t k) { return lost(t, k, eb_trying_overlap(t, k)); }

/* Measured rungs at their rate; beside each what the model and the prediction say of it. */
static void add_measured(const eb_trying *t, eb_series *series)
{
    eb_series_modelled(series);
    for (size_t k = 0; k < t->rungs; k++) {
        const char letter = (char)('a' + k);
        const double overlap = t->rung[k].prediction.overlap;
        eb_series_name(series, letter, t->rung[k].rung->title);
        if (eb_trying_run_of(t, k))
            eb_series_add(series, eb_speed_of(t, k).tflops, eb_lost_share(t, k), 0, letter);
        if (t->rung[k].rate > 0 && !isnan(overlap))
            eb_series_add(series, t->rung[k].rate, lost(t, k, overlap), 0, eb_series_model_of(letter));
    }
}

/* By the model's rate, or by bytes where it knows none. */
static void add_modelled(const eb_session *session, const eb_trying *t, bool rated, eb_series *series)
{
    for (size_t k = 0; k < t->rungs; k++) {
        const double bytes = (double)t->rung[k].rung->bytes * (double)session->dataset->d;
        eb_series_name(series, (char)('a' + k), t->rung[k].rung->title);
        eb_series_add(series, rated ? t->rung[k].rate : bytes, eb_lost_share(t, k), 0, (char)('a' + k));
    }
}

void eb_report_pareto(const eb_session *session, const eb_trying *t, eb_report *report)
{
    const bool measured = eb_speeds_known(t);
    bool rated = true;
    for (size_t k = 0; k < t->rungs; k++)
        rated = rated && t->rung[k].rate > 0;
    eb_series *series = eb_report_dots(report, EB_F(pareto),
                                       measured ? "Share lost by rate, circles by the model: lower right is better"
                                       : rated  ? "Share lost by the model's rate: lower right is better"
                                                : "Share lost by bytes a point: lower left is better",
                                       EB_POINTS);
    eb_series_axes(series,
                   measured ? EB_F(tflops_derived)
                   : rated  ? EB_F(rate_model)
                            : EB_F(point_bytes),
                   true, EB_F(lost_share), true);
    if (measured)
        add_measured(t, series);
    else
        add_modelled(session, t, rated, series);
}

/* ---- notes ---- */

static void note_lacking(const eb_trying *t, eb_report *report)
{
    char names[256] = "";
    for (size_t k = 0; k < t->rungs; k++) {
        const size_t used = strlen(names);
        if (t->rung[k].lacking)
            (void)snprintf(names + used, sizeof names - used, "%s%s", used ? "; " : "", t->rung[k].rung->title);
    }
    if (names[0])
        eb_report_note(report, "predicted only: %s: %s", names, t->lacks);
}

void eb_note_speeds(const eb_trying *t, eb_report *report)
{
    bool modelled = false;
    for (size_t k = 0; k < t->rungs; k++) {
        modelled |= t->rung[k].rate > 0;
        if (eb_trying_run_of(t, k))
            eb_note_limit(report, eb_trying_run_of(t, k));
    }
    if (eb_speeds_known(t))
        eb_report_note(
            report,
            "derived rate: of one join that makes the table of neighbours with FP64 distances, counting each "
            "pair as 2·d operations%s%s",
            modelled ? "; model's rate: the same, predicted for " : "", modelled ? t->machine->title : "");
    else if (modelled)
        eb_report_note(report, "model's rate: predicted for a kernel on %s, counting each pair as 2·d operations%s",
                       t->machine->title, t->on_gpu ? "" : "; no such kernel is measured here");
    note_lacking(t, report);
}
