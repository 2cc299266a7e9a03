#include "core/experiment/recall.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "core/knn/knn.h"
#include "core/knn/request.h"
#include "core/sample/band.h"

/* ---- the truth ---- */

/* Allocates the arrays, and lists all rows of both sets if the queries are a set of their own. */
static eb_code begin_truth(const eb_dataset *asked, size_t queries, size_t n, size_t k, eb_recall_truth *out,
                           eb_status *status)
{
    const size_t rows = queries + n;
    *out = (eb_recall_truth){.asked = asked, .queries = queries, .n = n, .k = k};
    out->query = malloc(rows * sizeof *out->query);
    out->reach = malloc(queries * sizeof *out->reach);
    if (!out->query || !out->reach) {
        eb_recall_truth_free(out);
        return eb_fail_memory(status, "queries", rows * sizeof *out->query + queries * sizeof *out->reach);
    }
    out->base = out->query + queries;
    for (size_t i = 0; asked && i < rows; i++)
        out->query[i] = (uint32_t)(i < queries ? i : i - queries);
    return EB_OK;
}

eb_code eb_recall_check(size_t n, size_t queries, size_t k, eb_status *status)
{
    if (queries >= 1 && queries < n && k >= 1 && k <= n - queries)
        return EB_OK;
    return eb_fail(status, EB_USAGE,
                   "the k = %zu nearest of %zu queries taken out of the dataset need %zu points; the dataset has %zu",
                   k, queries, queries + k, n);
}

static eb_code find_reach(const eb_setup *truth, const eb_dataset *ds, uint64_t seed, eb_job *job, eb_recall_truth *out,
                          eb_status *status)
{
    const eb_knn_request request = {.setup = truth,
                                    .base = ds,
                                    .queries = out->asked,
                                    .rows = out->asked ? NULL : out->query,
                                    .count = out->queries,
                                    .taken_out = out->asked ? 0 : out->queries,
                                    .k = out->k,
                                    .seed = seed};
    eb_knn nearest;
    EB_TRY(eb_knn_find(&request, job, &nearest, status));
    for (size_t q = 0; q < out->queries; q++)
        out->reach[q] = nearest.near[q * out->k + out->k - 1].far;
    eb_knn_free(&nearest);
    return EB_OK;
}

eb_code eb_recall_truth_find(const eb_setup *truth, const eb_dataset *ds, const eb_dataset *asked, size_t queries,
                             size_t k, uint64_t seed, eb_job *job, eb_recall_truth *out, eb_status *status)
{
    *out = (eb_recall_truth){.asked = asked};
    if (!asked)
        EB_TRY(eb_recall_check(ds->n, queries, k, status));
    EB_TRY(begin_truth(asked, asked ? asked->n : queries, asked ? ds->n : ds->n - queries, k, out, status));
    eb_code failed = asked ? EB_OK : eb_knn_draw(ds->n, queries, eb_random_of(seed), out->query, status);
    if (!failed)
        failed = find_reach(truth, ds, seed, job, out, status);
    if (failed)
        eb_recall_truth_free(out);
    return failed;
}

eb_code eb_recall_truth_given(const eb_ground_truth *given, const eb_dataset *ds, const eb_dataset *asked, size_t k,
                              eb_job *job, eb_recall_truth *out, eb_status *status)
{
    eb_code failed = EB_OK;
    EB_TRY(begin_truth(asked, asked->n, ds->n, k, out, status));
    eb_job_phase(job, "nearest", asked->n);
    for (size_t q = 0; !failed && q < asked->n; q++) {
        out->reach[q] = eb_ground_truth_reach(given, ds, asked, q, k);
        eb_job_advance(job, 1);
        failed = eb_job_check(job, status);
    }
    if (failed)
        eb_recall_truth_free(out);
    return failed;
}

size_t eb_recall_truth_agree(const eb_recall_truth *truth, const eb_recall_truth *computed)
{
    size_t agree = 0;
    for (size_t q = 0; q < computed->queries; q++)
        agree += truth->reach[q] == computed->reach[q];
    return agree;
}

void eb_recall_truth_free(eb_recall_truth *truth)
{
    free(truth->query);
    free(truth->reach);
    *truth = (eb_recall_truth){.query = NULL};
}

/* ---- recall ---- */

static size_t right_of_query(const eb_recall_truth *truth, const eb_dataset *ds, size_t query, const uint32_t *found)
{
    const eb_dataset *asked = truth->asked ? truth->asked : ds;
    const int exponent = eb_scaling_of(asked, ds).exponent;
    const double unit = ldexp(1, -exponent);
    size_t right = 0;
    for (size_t k = 0; k < truth->k; k++)
        right += found[k] != EB_NO_POINT &&
                 eb_distance_of(eb_truth_distance2_between(asked, truth->query[query], ds, found[k], exponent), unit) <=
                     truth->reach[query];
    return right;
}

eb_recall eb_recall_of(const eb_recall_truth *truth, const eb_dataset *ds, const uint32_t *found)
{
    const double count = (double)truth->queries, k = (double)truth->k;
    double sum = 0, squares = 0; /* sums of whole numbers are exact in any order */
    for (size_t q = 0; q < truth->queries; q++) {
        const double right = (double)right_of_query(truth, ds, q, found + q * truth->k);
        sum += right;
        squares += right * right;
    }
    const double mean = sum / (count * k), variance = fmax(squares / (count * k * k) - mean * mean, 0);
    const eb_band in = eb_band_of_share(mean, variance, truth->queries, 1);
    return (eb_recall){mean, in.low, in.high};
}
