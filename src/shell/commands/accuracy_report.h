/* accuracy_report: reports the accuracy of a comparison: overlap, distance errors and their histogram, and the pairs
 * nearest to ε. */
#pragma once

#include "shell/session.h"

#include "core/experiment/compare.h"
#include "core/report/report.h"

/* A comparison bins its errors into EB_FINE_BINS bins. The number has many divisors, so that `hist` can merge the bins
 * into (nearly) any number. Reports and the log get EB_SHOWN_BINS bins. */
#define EB_FINE_BINS 100800u
#define EB_SHOWN_BINS 200u

/* The divisor of EB_FINE_BINS nearest to `bins`. */
size_t eb_possible_bins(size_t bins);

/* Merges neighbouring bins of `fine` into `bins`, which must divide fine->bins. The caller frees out->count. */
eb_code eb_histogram_coarsen(const eb_histogram *fine, size_t bins, eb_histogram *out, eb_status *status);

/* True if the reference is exact (truth or certified). Otherwise reports call the errors differences. */
bool eb_has_truth(const eb_comparison *comparison);

/* Makes *view, the comparison to show: with self pairs or without. *c caches what counting the self pairs computed.
 * Call eb_view_free before *c is freed, also after an error. */
eb_code eb_view_make(eb_comparison *c, bool self_pairs, const eb_dataset *dataset, eb_job *job, eb_comparison *view,
                     eb_status *status);
void eb_view_free(eb_comparison *view);

/* "in" if self pairs are counted, else "out". */
const char *eb_self_words(bool self_pairs);

/* Record "accuracy": run k against the reference; all values are n/a if run k was not compared. title NULL: hidden from
 * people, kept in data output. */
void eb_report_accuracy(eb_report *report, const char *title, const eb_comparison *comparison, size_t k);

/* Table "accuracies": the same for all runs but the reference. People see it if there are at least two such runs. */
void eb_report_accuracies(eb_report *report, const eb_comparison *comparison);

/* Record "undecided": pairs too near to ε for the truth's own arithmetic (core/accuracy/uncertainty.h). People see the
 * record if there are such pairs. */
void eb_report_undecided(eb_report *report, const eb_comparison *comparison);

/* Fields: mean, standard deviation and maximum of the distance errors. */
void eb_report_moments(eb_report *report, const eb_comparison *comparison, size_t k);

/* Series "errors" in `bins` bins; only a note if no pair is in both results. */
eb_code eb_report_errors(eb_report *report, const eb_comparison *comparison, size_t k, size_t bins, bool logarithmic,
                         eb_status *status);

/* Series "overlaps": a histogram of the points' overlaps with run k. */
void eb_report_overlaps(eb_report *report, const eb_comparison *comparison, size_t k);

/* Table "boundary": the `most` pairs nearest to ε, with both verdicts. labels: those of the points; may be NULL. */
void eb_report_boundary(eb_report *report, const eb_comparison *comparison, const eb_labels *labels, size_t k,
                        size_t most);

/* The session owns c from here on; the earlier comparison is freed. NULL: the last comparison has no accuracy, and the
 * earlier one must not be shown in its place. */
void eb_comparison_keep(eb_session *session, eb_comparison *c);

/* Compares the session's compared engines again, if argument sample= asks for other points than were compared. One
 * trial each. */
eb_code eb_compare_again(eb_session *session, const eb_call *call, eb_job *job, eb_status *status);

/* Logs the accuracy of run k, with EB_SHOWN_BINS histogram bins as in reports; not that of a sample, which would be
 * mistaken for that of all points. */
void eb_accuracy_log(eb_session *session, const eb_comparison *c, size_t k);
