#include "shell/commands/accuracy_report.h"

#include "core/report/find.h"
#include "shell/commands/run_report.h"
#include "shell/commands/sample_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- self pairs, in or out ---- */

eb_code eb_view_make(eb_comparison *c, bool self_pairs, const eb_dataset *dataset, eb_job *job, eb_comparison *view,
                     eb_status *status)
{
    eb_code failed = EB_OK;
    *view = *c;
    view->self_pairs = self_pairs;
    for (size_t k = 0; self_pairs && k < c->count; k++)
        view->compared[k] = false;
    for (size_t k = 0; self_pairs && k < c->count && !failed; k++) {
        if (!c->compared[k])
            continue;
        failed = eb_comparison_with_self(c, k, dataset, job, &view->accuracy[k], status);
        view->compared[k] = !failed;
    }
    return failed;
}

void eb_view_free(eb_comparison *view)
{
    for (size_t k = 0; view->self_pairs && k < view->count; k++)
        if (view->compared[k])
            eb_accuracy_free(&view->accuracy[k]);
}

const char *eb_self_words(bool self_pairs) { return self_pairs ? "in" : "out"; }

static void note_lost_selves(eb_report *report, const eb_comparison *c, size_t k)
{
    const eb_accuracy *a = &c->accuracy[k];
    if (a->self_pairs && a->self_common < a->n)
        eb_report_note(report, "%llu points are more than ε from themselves by the arithmetic of %s",
                       (unsigned long long)(a->n - a->self_common), c->run[k].setup.spec);
}

/* ---- figures ---- */

bool eb_has_truth(const eb_comparison *c) { return eb_setup_exactness(&c->run[c->reference].setup) != EB_APPROXIMATE; }

/* Fields of the moments: [0] against an approximate engine, [1] against an exact one. */
static const struct moments {
    const eb_column *mean, *std, *max;
} moments[] = {{EB_F(difference_mean), EB_F(difference_std), EB_F(difference_max)},
               {EB_F(error_mean), EB_F(error_std), EB_F(error_max)}};

void eb_report_moments(eb_report *report, const eb_comparison *c, size_t k)
{
    const struct moments *m = &moments[eb_has_truth(c)];
    const eb_accuracy *a = &c->accuracy[k];
    EB_FIELDS(report, {EB_F(self_pairs), eb_text(eb_self_words(c->self_pairs))}, {m->mean, eb_real(a->error_mean)},
              {m->std, eb_real(a->error_std)}, {m->max, eb_real(a->error_max)});
}

void eb_report_accuracy(eb_report *report, const char *title, const eb_comparison *c, size_t k)
{
    const struct moments *m = &moments[eb_has_truth(c)];
    const eb_accuracy *a = c->compared[k] ? &c->accuracy[k] : NULL;
    char words[EB_SAMPLE_WORDS], text[EB_SAMPLE_WORDS + 64];
    const bool sampled = c->rows.count > 0;
    (void)snprintf(text, sizeof text, "%s%s", title ? title : "", eb_sample_words(c, words));
    eb_record *r = eb_report_record(report, EB_F(accuracy), title ? text : NULL);
    EB_RECORD_FIELDS(r, {EB_F(self_pairs), eb_text(eb_self_words(c->self_pairs))},
                     {EB_F(overlap), a ? eb_real(a->overlap) : eb_na()});
    if (sampled)
        EB_RECORD_FIELDS(r, {EB_F(overlap_from), a ? eb_real(a->overlap_in.low) : eb_na()},
                         {EB_F(overlap_to), a ? eb_real(a->overlap_in.high) : eb_na()});
    EB_RECORD_FIELDS(r, {EB_F(overlap_min), a ? eb_real(a->overlap_min) : eb_na()},
                     {m->mean, a ? eb_real(a->error_mean) : eb_na()});
    if (sampled)
        EB_RECORD_FIELDS(r, {EB_F(mean_from), a ? eb_real(a->error_in.low) : eb_na()},
                         {EB_F(mean_to), a ? eb_real(a->error_in.high) : eb_na()});
    EB_RECORD_FIELDS(r, {m->std, a ? eb_real(a->error_std) : eb_na()}, {m->max, a ? eb_real(a->error_max) : eb_na()});
    if (a && a->error_nan > 0)
        eb_record_field(r, EB_F(error_nan), eb_uint(a->error_nan));
    EB_RECORD_FIELDS(r, {EB_F(common), a ? eb_uint(a->common) : eb_na()},
                     {EB_F(only_fast), a ? eb_uint(a->only_fast) : eb_na()},
                     {eb_has_truth(c) ? EB_F(only_true) : EB_F(only_other), a ? eb_uint(a->only_true) : eb_na()});
    if (a && a->self_pairs)
        eb_record_field(r, EB_F(self_common), eb_uint(a->self_common));
    if (a)
        note_lost_selves(report, c, k);
    if (a && a->error_nan > 0)
        eb_report_note(report, "%llu pairs have an error that is NaN; mean, deviation and histogram leave them out",
                       (unsigned long long)a->error_nan);
}

void eb_report_undecided(eb_report *report, const eb_comparison *c)
{
    const eb_run *truth = &c->run[c->reference];
    eb_run_numbers f = eb_run_numbers_of(truth);
    if (isnan(f.truth_error))
        return;
    bool told = eb_value_number(f.undecided_found) > 0 || eb_value_number(f.undecided_missed) > 0;
    eb_record *r = eb_report_record(report, EB_F(undecided), told ? "What FP64 itself cannot decide" : NULL);
    EB_RECORD_FIELDS(r, {EB_F(truth_error), eb_real(f.truth_error)}, {EB_F(undecided_found), f.undecided_found},
                     {EB_F(undecided_missed), f.undecided_missed});
}

void eb_report_accuracies(eb_report *report, const eb_comparison *c)
{
    const struct moments *m = &moments[eb_has_truth(c)];
    char words[EB_SAMPLE_WORDS], title[EB_SPEC_TEXT + EB_SAMPLE_WORDS + 32];
    const bool sampled = c->rows.count > 0;
    (void)snprintf(title, sizeof title, "Accuracy against %s%s", c->run[c->reference].setup.spec,
                   eb_sample_words(c, words));
    eb_table *table = eb_report_table(report, EB_F(accuracies), c->count > 2 ? title : NULL);
    eb_table_turn(table);
    EB_COLUMNS(table, EB_F(spec), EB_F(self_pairs), EB_F(overlap));
    if (sampled)
        EB_COLUMNS(table, EB_F(overlap_from), EB_F(overlap_to));
    EB_COLUMNS(table, EB_F(overlap_min), m->mean, m->std, m->max, EB_F(common), EB_F(only_fast), EB_F(only_true));
    for (size_t k = 0; k < c->count; k++) {
        const eb_accuracy *a = &c->accuracy[k];
        eb_value cells[12] = {eb_text(c->run[k].setup.spec), eb_text(eb_self_words(c->self_pairs)),
                              eb_real(a->overlap)};
        const eb_value rest[] = {eb_real(a->overlap_min), eb_real(a->error_mean), eb_real(a->error_std),
                                 eb_real(a->error_max),   eb_uint(a->common),     eb_uint(a->only_fast),
                                 eb_uint(a->only_true)};
        size_t used = 3;
        if (sampled) {
            cells[used++] = eb_real(a->overlap_in.low);
            cells[used++] = eb_real(a->overlap_in.high);
        }
        memcpy(cells + used, rest, sizeof rest);
        if (c->compared[k])
            eb_table_row(table, cells, used + sizeof rest / sizeof *rest);
    }
}

/* ---- histograms and boundary pairs ---- */

static void add_errors(eb_report *report, const eb_comparison *c, const eb_histogram *h, bool logarithmic)
{
    const double width = (h->high - h->low) / (double)h->bins;
    const bool truth = eb_has_truth(c);
    char words[EB_SAMPLE_WORDS], title[EB_SAMPLE_WORDS + 48];
    (void)snprintf(title, sizeof title, "%s%s",
                   truth ? "Distance error: fast - true" : "Distance difference: fast - other",
                   eb_sample_words(c, words));
    eb_series *series = eb_report_dots(report, truth ? EB_F(errors) : EB_F(differences), title, EB_BARS);
    eb_series_axes(series, truth ? EB_F(error) : EB_F(difference), false, EB_F(pairs_in_bin), logarithmic);
    for (size_t k = 0; k < h->bins; k++)
        eb_series_add(series, h->low + ((double)k + 0.5) * width, (double)h->count[k], 0, 0);
    if (series) {
        series->under = (double)h->under;
        series->over = (double)h->over;
    }
}

eb_code eb_report_errors(eb_report *report, const eb_comparison *c, size_t k, size_t bins, bool logarithmic,
                         eb_status *status)
{
    eb_histogram h;
    const eb_accuracy *accuracy = &c->accuracy[k];
    if (accuracy->common + accuracy->self_common == 0) {
        eb_report_note(report, "no pair is in both results: there is no distance error to draw");
        return EB_OK;
    }
    EB_TRY(eb_histogram_coarsen(&accuracy->errors, bins, &h, status));
    add_errors(report, c, &h, logarithmic);
    free(h.count);
    return EB_OK;
}

void eb_report_overlaps(eb_report *report, const eb_comparison *c, size_t k)
{
    const eb_accuracy *accuracy = &c->accuracy[k];
    char words[EB_SAMPLE_WORDS], title[EB_SAMPLE_WORDS + 32];
    (void)snprintf(title, sizeof title, "Points by their overlap%s", eb_sample_words(c, words));
    eb_series *series = eb_report_dots(report, EB_F(overlaps), title, EB_BARS);
    eb_series_axes(series, EB_F(overlap), false, EB_F(points), false);
    for (size_t bin = 0; bin < EB_OVERLAP_BINS; bin++)
        eb_series_add(series, ((double)bin + 0.5) / EB_OVERLAP_BINS, (double)accuracy->overlap_bins[bin], 0, 0);
}

void eb_report_boundary(eb_report *report, const eb_comparison *c, const eb_labels *labels, size_t k, size_t most)
{
    const eb_accuracy *accuracy = &c->accuracy[k];
    bool truth = eb_has_truth(c);
    char words[EB_SAMPLE_WORDS], title[EB_SAMPLE_WORDS + 48];
    (void)snprintf(title, sizeof title, "Pairs nearest to ε, with both verdicts%s", eb_sample_words(c, words));
    eb_table *table = EB_TABLE(report, EB_F(boundary), title, EB_F(i), EB_F(j), EB_F_IF(labels, label_i),
                               EB_F_IF(labels, label_j), truth ? EB_F(dist_true) : EB_F(dist_other), EB_F(dist_fast),
                               truth ? EB_F(margin_true) : EB_F(margin_other), EB_F(margin_fast),
                               truth ? EB_F(in_true) : EB_F(in_other), EB_F(in_fast));
    for (size_t p = 0; p < accuracy->boundary_count && p < most; p++) {
        const eb_boundary_pair *pair = &accuracy->boundary[p];
        EB_ROW(table, eb_uint(pair->i), eb_uint(pair->j), eb_text(eb_label_if_any(labels, pair->i)),
               eb_text(eb_label_if_any(labels, pair->j)), eb_real(pair->dist_true), eb_real(pair->dist_fast),
               eb_real(pair->dist_true - accuracy->eps), eb_real(pair->dist_fast - accuracy->eps),
               eb_bool(pair->in_true), eb_bool(pair->in_fast));
    }
}

/* ---- keeping and logging ---- */

void eb_comparison_keep(eb_session *session, eb_comparison *c)
{
    if (session->comparison)
        eb_comparison_free(session->comparison);
    free(session->comparison);
    session->comparison = c;
}

void eb_accuracy_log(eb_session *session, const eb_comparison *c, size_t k)
{
    eb_status failure;
    eb_accuracy shown = c->accuracy[k];
    if (!eb_session_logs(session))
        return;
    eb_code failed = eb_histogram_coarsen(&c->accuracy[k].errors, EB_SHOWN_BINS, &shown.errors, &failure);
    if (!failed)
        failed = eb_store_accuracy(session->store, c->run[k].row, c->run[c->reference].row, &shown, &failure);
    if (failed)
        eb_session_log_failed(session, &failure);
    free(shown.errors.count);
}
