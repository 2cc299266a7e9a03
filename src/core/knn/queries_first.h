/* queries_first: a problem's points as a search for neighbours wants them: the queries first, in a given order, so that
 * a group of them is a range of rows. A self-join goes on with all other base points: index and symmetric half serve it
 * as they serve any. Few queries are a set of their own, where the engine joins two.
 */
#pragma once

#include "core/knn/request.h"

/* A dataset of these rows, that says of itself what the whole one does: so all are scaled alike. Its rows are the
 * caller's to free. */
eb_code eb_pick_rows(const eb_dataset *from, const uint32_t *row, size_t n, unsigned threads, eb_job *job,
                     eb_dataset *out, eb_status *status);

typedef struct eb_queries_first {
    bool self;
    eb_dataset left;         /* a copy */
    const eb_dataset *right; /* of two sets: base */
    uint32_t *row;           /* self: [base n] base row by place */
} eb_queries_first;

/* query: [asking], by place. */
eb_code eb_queries_first_make(const eb_knn_request *request, bool self, const uint32_t *query, size_t asking,
                              unsigned threads, eb_job *job, eb_queries_first *out, eb_status *status);
void eb_queries_first_free(eb_queries_first *ordered); /* frees what it holds */
