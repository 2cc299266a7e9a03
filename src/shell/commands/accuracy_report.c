#include "shell/commands/accuracy_report.h"

#include <stdlib.h>

size_t eb_possible_bins(size_t bins)
{
    size_t best = 1;
    for (size_t d = 1; d <= EB_FINE_BINS; d++) {
        size_t distance = d > bins ? d - bins : bins - d, least = best > bins ? best - bins : bins - best;
        if (EB_FINE_BINS % d == 0 && distance < least)
            best = d;
    }
    return best;
}

eb_code eb_histogram_coarsen(const eb_histogram *fine, size_t bins, eb_histogram *out, eb_status *status)
{
    *out = (eb_histogram){0};
    if (bins == 0 || fine->bins % bins != 0)
        return eb_fail(status, EB_INTERNAL, "%zu bins cannot be made of %zu", bins, fine->bins);
    uint64_t *count = calloc(bins, sizeof *count);
    if (!count)
        return eb_fail_memory(status, "a histogram", bins * sizeof *count);
    for (size_t k = 0; k < fine->bins; k++)
        count[k / (fine->bins / bins)] += fine->count[k];
    *out = (eb_histogram){.bins = bins,
                          .low = fine->low,
                          .high = fine->high,
                          .count = count,
                          .under = fine->under,
                          .over = fine->over};
    return EB_OK;
}

void eb_report_accuracy(eb_report *report, const eb_accuracy *accuracy)
{
    const eb_accuracy *a = accuracy;
    eb_record *r = eb_report_record(report, "accuracy", "Accuracy");
    eb_record_field(r, "overlap", "overlap, self left out, mean", EB_PERCENT, a ? eb_real(a->overlap) : eb_na());
    eb_record_field(r, "overlap_min", "overlap, least of a point", EB_PERCENT, a ? eb_real(a->overlap_min) : eb_na());
    eb_record_field(r, "error_mean", "distance error, mean", EB_PLAIN, a ? eb_real(a->error_mean) : eb_na());
    eb_record_field(r, "error_std", "distance error, deviation", EB_PLAIN, a ? eb_real(a->error_std) : eb_na());
    eb_record_field(r, "error_max", "distance error, greatest", EB_PLAIN, a ? eb_real(a->error_max) : eb_na());
    if (a && a->error_nan > 0)
        eb_record_field(r, "error_nan", "errors that are NaN", EB_PLAIN, eb_uint(a->error_nan));
    eb_record_field(r, "common", "pairs in both results", EB_PLAIN, a ? eb_uint(a->common) : eb_na());
    eb_record_field(r, "only_fast", "pairs only the fast one has", EB_PLAIN, a ? eb_uint(a->only_fast) : eb_na());
    eb_record_field(r, "only_true", "pairs only the truth has", EB_PLAIN, a ? eb_uint(a->only_true) : eb_na());
    if (a && a->error_nan > 0)
        eb_report_note(report, "%llu pairs have an error that is NaN; mean, deviation and histogram leave them out",
                       (unsigned long long)a->error_nan);
}

static void add_errors(eb_report *report, const eb_histogram *h, double *x, double *y, bool logarithmic)
{
    double width = (h->high - h->low) / (double)h->bins;
    for (size_t k = 0; k < h->bins; k++) {
        x[k] = h->low + ((double)k + 0.5) * width;
        y[k] = (double)h->count[k];
    }
    eb_series *series =
        eb_report_series(report, "errors", "Distance error: fast - true", EB_BARS, h->bins, x, y, NULL, NULL);
    eb_series_axes(series, "error", "distance error", false, "pairs", "pairs", logarithmic);
    if (series) {
        series->under = (double)h->under;
        series->over = (double)h->over;
    }
}

eb_code eb_report_errors(eb_report *report, const eb_accuracy *accuracy, size_t bins, bool logarithmic,
                         eb_status *status)
{
    eb_histogram h;
    if (accuracy->common == 0) {
        eb_report_note(report, "no pair is in both results: there is no distance error to draw");
        return EB_OK;
    }
    eb_code failed = eb_histogram_coarsen(&accuracy->errors, bins, &h, status);
    if (failed)
        return failed;
    double *axes = calloc(2 * bins, sizeof *axes);
    if (axes)
        add_errors(report, &h, axes, axes + bins, logarithmic);
    else
        failed = eb_fail_memory(status, "a histogram's axes", 2 * bins * sizeof *axes);
    free(axes);
    free(h.count);
    return failed;
}

void eb_report_overlaps(eb_report *report, const eb_accuracy *accuracy)
{
    double x[EB_OVERLAP_BINS], y[EB_OVERLAP_BINS];
    for (size_t k = 0; k < EB_OVERLAP_BINS; k++) {
        x[k] = ((double)k + 0.5) / EB_OVERLAP_BINS;
        y[k] = (double)accuracy->overlap_bins[k];
    }
    eb_series *series =
        eb_report_series(report, "overlaps", "Points by their overlap", EB_BARS, EB_OVERLAP_BINS, x, y, NULL, NULL);
    eb_series_axes(series, "overlap", "overlap", false, "points", "points", false);
}

void eb_report_boundary(eb_report *report, const eb_accuracy *accuracy, size_t most)
{
    eb_table *table = eb_report_table(report, "boundary", "Pairs nearest to ε, with both verdicts");
    eb_table_column(table, "i", "i", EB_IDENTITY);
    eb_table_column(table, "j", "j", EB_IDENTITY);
    eb_table_column(table, "dist_true", "true", EB_PLAIN);
    eb_table_column(table, "dist_fast", "fast", EB_PLAIN);
    eb_table_column(table, "margin_true", "true - ε", EB_PLAIN);
    eb_table_column(table, "margin_fast", "fast - ε", EB_PLAIN);
    eb_table_column(table, "in_true", "in true", EB_PLAIN);
    eb_table_column(table, "in_fast", "in fast", EB_PLAIN);
    for (size_t k = 0; k < accuracy->boundary_count && k < most; k++) {
        const eb_boundary_pair *pair = &accuracy->boundary[k];
        eb_table_row(table,
                     (eb_value[]){eb_uint(pair->i), eb_uint(pair->j), eb_real(pair->dist_true),
                                  eb_real(pair->dist_fast), eb_real(pair->dist_true - accuracy->eps),
                                  eb_real(pair->dist_fast - accuracy->eps), eb_bool(pair->in_true),
                                  eb_bool(pair->in_fast)},
                     8);
    }
}
