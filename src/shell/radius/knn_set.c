#include "shell/radius/knn_set.h"

#include <stdlib.h>

#include "core/experiment/recall.h"

static bool has_truth(const eb_session *session, size_t k) { return session->truth && session->truth->k >= k; }

/* few: a view of the first queries, which *out points to. */
static eb_code find_right(eb_session *session, const eb_knn_request *request, const eb_dataset *few, eb_job *job,
                          eb_recall_truth *out, eb_status *status)
{
    eb_setup truth;
    if (has_truth(session, request->k))
        return eb_recall_truth_given(session->truth, request->base, few, request->k, job, out, status);
    EB_TRY(eb_session_truth(session, &truth, status));
    return eb_recall_truth_find(&truth, request->base, few, few->n, request->k, request->seed, job, out, status);
}

static eb_code recall_of(const eb_recall_truth *right, const eb_dataset *base, const eb_knn *found, double *recall,
                         eb_status *status)
{
    const size_t count = right->queries * found->k;
    uint32_t *rows = malloc(count * sizeof *rows);
    if (!rows)
        return eb_fail_memory(status, "neighbours", count * sizeof *rows);
    for (size_t j = 0; j < count; j++)
        rows[j] = found->near[j].row;
    *recall = eb_recall_of(right, base, rows).mean;
    free(rows);
    return EB_OK;
}

/* The truth's own neighbours tell of those that were loaded. */
static void judge_given(const eb_recall_truth *right, const eb_knn *found, eb_report *report)
{
    size_t agreed = 0;
    for (size_t q = 0; q < right->queries; q++)
        agreed += right->reach[q] == found->near[(q + 1) * found->k - 1].far;
    eb_report_field(report, "truth_agreed", "queries whose true neighbours reach as far", EB_PLAIN, eb_uint(agreed));
    if (agreed < right->queries)
        eb_report_note(
            report,
            "warning: of %zu queries %zu have nearer neighbours than those loaded as true: these are not the "
            "nearest of these points",
            right->queries, right->queries - agreed);
}

eb_code eb_report_set_recall(eb_session *session, const eb_knn_request *request, const eb_knn *found, size_t checked,
                             eb_job *job, eb_report *report, eb_status *status)
{
    const bool given = has_truth(session, request->k);
    eb_dataset few = *request->queries;
    eb_recall_truth right;
    double recall = 0;
    few.n = given || checked > few.n ? few.n : checked;
    if (few.n == 0)
        return EB_OK;
    EB_TRY(find_right(session, request, &few, job, &right, status));
    eb_code failed = recall_of(&right, request->base, found, &recall, status);
    if (!failed) {
        if (given)
            eb_report_field(report, "truth_source", "true neighbours", EB_PLAIN, eb_text(session->truth->source));
        eb_report_field(report, "checked", "queries checked", EB_PLAIN, eb_uint(few.n));
        eb_report_field(report, "recall", "recall, of the truth's nearest", EB_PLAIN, eb_real(recall));
    }
    if (!failed && given && eb_setup_exactness(request->setup) == EB_TRUTH)
        judge_given(&right, found, report);
    eb_recall_truth_free(&right);
    return failed;
}
