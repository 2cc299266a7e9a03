/* queries_first: reorders a problem's points so that the queries come first, in a given order, and a group of queries
 * is a range of rows. In a self-join all other base points follow, so an engine's index and symmetric half work as
 * usual. A few queries can instead be a set of their own, if the engine joins two sets.
 */
#pragma once

#include "core/knn/request.h"

/* Copies these rows into a dataset that keeps all other properties of the whole one, so that every copy is scaled
 * alike. The caller frees out->rows. */
eb_code eb_pick_rows(const eb_dataset *from, const uint32_t *row, size_t n, unsigned threads, eb_job *job,
                     eb_dataset *out, eb_status *status);

typedef struct eb_queries_first {
    bool self;
    eb_dataset left;         /* a copy of the reordered points */
    const eb_dataset *right; /* two sets: the base points */
    uint32_t *row;           /* self: [base n] base row at each place */
} eb_queries_first;

/* query: [asking], in the order of places. */
eb_code eb_queries_first_make(const eb_knn_request *request, bool self, const uint32_t *query, size_t asking,
                              unsigned threads, eb_job *job, eb_queries_first *out, eb_status *status);
void eb_queries_first_free(eb_queries_first *ordered); /* frees what *ordered holds */
