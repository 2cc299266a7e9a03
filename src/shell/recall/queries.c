#include "shell/recall/queries.h"

enum { CHECKED = 16 };

/* The first few are computed as well: a file may be right about its order, and not about what is nearest. */
static eb_code check_given(const eb_setup *truth, const eb_dataset *ds, uint64_t seed, eb_job *job,
                           eb_recall_given *given, const eb_recall_truth *found, eb_status *status)
{
    eb_recall_truth computed;
    eb_dataset few = *found->asked;
    few.n = few.n < CHECKED ? few.n : CHECKED;
    EB_TRY(eb_recall_truth_find(truth, ds, &few, few.n, found->k, seed, job, &computed, status));
    given->checked = few.n;
    given->agreed = eb_recall_truth_agree(found, &computed);
    eb_recall_truth_free(&computed);
    return EB_OK;
}

eb_code eb_recall_find_set(const eb_setup *truth, const eb_session *session, const eb_dataset *asked, size_t k,
                           uint64_t seed, eb_job *job, eb_recall_given *given, eb_recall_truth *out, eb_status *status)
{
    const eb_dataset *ds = session->dataset;
    *given = (eb_recall_given){.queries = asked->source};
    if (session->truth && session->truth->k < k)
        given->k = session->truth->k;
    if (!session->truth || given->k > 0)
        return eb_recall_truth_find(truth, ds, asked, asked->n, k, seed, job, out, status);
    given->truth = session->truth->source;
    EB_TRY(eb_recall_truth_given(session->truth, ds, asked, k, job, out, status));
    return check_given(truth, ds, seed, job, given, out, status);
}

void eb_report_given(eb_report *report, const eb_recall_given *given)
{
    if (given->queries)
        eb_report_field(report, EB_F(query_set_source), eb_text(given->queries));
    if (given->k > 0)
        eb_report_note(report,
                       "the truth was computed: of the true neighbours loaded there are %zu a query, fewer than k",
                       given->k);
    if (!given->truth)
        return;
    EB_FIELDS(report, {EB_F(truth_source), eb_text(given->truth)}, {EB_F(truth_checked), eb_uint(given->checked)},
              {EB_HIDDEN(truth_agreed), eb_uint(given->agreed)});
    if (given->agreed < given->checked)
        eb_report_note(report,
                       "warning: of the first %zu queries, computed as well, %zu have nearer neighbours than the file "
                       "says, so that recall is told too high",
                       given->checked, given->checked - given->agreed);
    else
        eb_report_note(report,
                       "the true neighbours are the file's; those of the first %zu queries were computed, too, "
                       "and reach as far",
                       given->checked);
}
