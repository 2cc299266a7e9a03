/* The last comparison. */
#include "shell/commands/accuracy_report.h"
#include "shell/commands/commands.h"

enum { SHOWN_BOUNDARY_PAIRS = 20 };

static eb_code need_comparison(const eb_session *session, eb_status *status)
{
    return session->compared
               ? EB_OK
               : eb_fail(status, EB_NOT_FOUND, "nothing is compared yet; `compare fasted ref64 S=64` does it");
}

static void describe_comparison(const eb_session *session, eb_report *report)
{
    const eb_accuracy *a = &session->accuracy;
    eb_report_field(report, "fast", "fast engine", EB_PLAIN, eb_text(session->fast_name));
    eb_report_field(report, "truth", "truth", EB_PLAIN, eb_text(session->truth_name));
    eb_report_field(report, "n", "points n", EB_PLAIN, eb_uint(a->n));
    eb_report_field(report, "eps", "ε", EB_PLAIN, eb_real(a->eps));
    eb_report_field(report, "pairs_fast", "pairs |R|, fast", EB_PLAIN, eb_uint(a->pairs_fast));
    eb_report_field(report, "pairs_true", "pairs |R|, true", EB_PLAIN, eb_uint(a->pairs_true));
}

eb_code eb_cmd_accuracy(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)call, (void)job;
    eb_code failed = need_comparison(session, status);
    if (failed)
        return failed;
    describe_comparison(session, report);
    eb_report_accuracy(report, &session->accuracy);
    eb_report_overlaps(report, &session->accuracy);
    eb_report_boundary(report, &session->accuracy, SHOWN_BOUNDARY_PAIRS);
    eb_report_note(report,
                   "overlap: neighbours in both results over neighbours in either, self left out (FASTED, Eq. 3)");
    return EB_OK;
}

eb_code eb_cmd_hist(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)job;
    const eb_accuracy *a = &session->accuracy;
    size_t wanted = (size_t)eb_call_integer(call, "bins", EB_SHOWN_BINS), bins = eb_possible_bins(wanted);
    eb_code failed = need_comparison(session, status);
    if (failed)
        return failed;
    eb_report_field(report, "fast", "fast engine", EB_PLAIN, eb_text(session->fast_name));
    eb_report_field(report, "truth", "truth", EB_PLAIN, eb_text(session->truth_name));
    eb_report_field(report, "eps", "ε", EB_PLAIN, eb_real(a->eps));
    eb_report_field(report, "common", "pairs in both results", EB_PLAIN, eb_uint(a->common));
    eb_report_field(report, "error_mean", "error, mean", EB_PLAIN, eb_real(a->error_mean));
    eb_report_field(report, "error_std", "error, deviation", EB_PLAIN, eb_real(a->error_std));
    eb_report_field(report, "error_max", "error, greatest", EB_PLAIN, eb_real(a->error_max));
    eb_report_field(report, "bins", "bins", EB_PLAIN, eb_uint(bins));
    eb_report_field(report, "low", "from", EB_PLAIN, eb_real(a->errors.low));
    eb_report_field(report, "high", "to", EB_PLAIN, eb_real(a->errors.high));
    if (bins != wanted)
        eb_report_note(report, "%zu bins, the number nearest to %zu that divides the %u that are kept", bins, wanted,
                       EB_FINE_BINS);
    return eb_report_errors(report, a, bins, eb_call_flag(call, "log"), status);
}
