/* accuracy_report: what reports say about a comparison: overlap, distance error, its histogram, the pairs nearest to
 * ε. */
#pragma once

#include "core/experiment/compare.h"
#include "core/report/report.h"

/* A comparison's errors are binned finely, so that `hist` can draw them in (nearly) any number of bins: this many, a
 * number of many divisors. Reports and the log get EB_SHOWN_BINS of them. */
#define EB_FINE_BINS 100800u
#define EB_SHOWN_BINS 200u

/* The divisor of EB_FINE_BINS nearest to `bins`. */
size_t eb_possible_bins(size_t bins);

/* Neighbouring bins taken together; `bins` divides those of `fine`. The caller frees out->count. */
eb_code eb_histogram_coarsen(const eb_histogram *fine, size_t bins, eb_histogram *out, eb_status *status);

/* Against a truth or a certified engine errors are errors; else they are differences, and called so. */
bool eb_has_truth(const eb_comparison *comparison);

/* *view is the comparison as it is to be shown: with self pairs or without. What it took to count them is kept in *c.
 * eb_view_free, also where it failed, before *c goes. */
eb_code eb_view_make(eb_comparison *c, bool self_pairs, const eb_dataset *dataset, eb_job *job, eb_comparison *view,
                     eb_status *status);
void eb_view_free(eb_comparison *view);

/* "in" or "out": whether self pairs are among the pairs. */
const char *eb_self_words(bool self_pairs);

/* Run k against the reference as record "accuracy": all n/a where it was not compared. Title NULL: for programs only.
 */
void eb_report_accuracy(eb_report *report, const char *title, const eb_comparison *comparison, size_t k);

/* The same of all runs but the reference, as table "accuracies"; people see it where there are several. */
void eb_report_accuracies(eb_report *report, const eb_comparison *comparison);

/* Pairs too near to ε for the truth's own arithmetic (core/accuracy/uncertainty.h), as record "undecided"; people see
 * it where there are some. */
void eb_report_undecided(eb_report *report, const eb_comparison *comparison);

/* Fields: mean, deviation and greatest of the distance errors. */
void eb_report_moments(eb_report *report, const eb_comparison *comparison, size_t k);

/* Series "errors" in `bins` bins; nothing when no pair was in both results. */
eb_code eb_report_errors(eb_report *report, const eb_comparison *comparison, size_t k, size_t bins, bool logarithmic,
                         eb_status *status);

/* Series "overlaps": points by their overlap. */
void eb_report_overlaps(eb_report *report, const eb_accuracy *accuracy);

/* Table "boundary": the `most` pairs nearest to ε, with both verdicts. */
void eb_report_boundary(eb_report *report, const eb_comparison *comparison, size_t k, size_t most);
