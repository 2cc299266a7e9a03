/* build: an inverted file of a dataset's rows, on the CPU: one that is kept (core/inverted/index.h), or built.
 *
 * Centroids are trained on a sample of the rows, books on residuals of another, by k-means; all rows are then assigned
 * and encoded. The same seed gives the same file, bit for bit, on any number of threads and by any instruction set.
 */
#pragma once

#include "core/inverted/index.h"
#include "kernels/inverted/cpu/kmeans.h"

/* *out is the caller's, to be freed with eb_inverted_free. assigner: who finds the nearest lists; NULL: the threads.
 * EB_USAGE for a shape that cannot be (eb_inverted_check). Phases: "lists", "books", "codes". */
eb_code eb_inverted_build(const eb_inverted_request *request, const eb_assigner *assigner, unsigned threads,
                          eb_job *job, eb_inverted_file *out, eb_status *status);

typedef struct eb_index_got {
    eb_index *index; /* held: eb_index_release */
    bool kept;       /* it was there; else it was built just now */
} eb_index_got;

/* EB_NO_MEMORY where building takes more than memory_limit (0: none). */
eb_code eb_index_get(const eb_inverted_request *request, const eb_assigner *assigner, uint64_t memory_limit,
                     unsigned threads, eb_job *job, eb_index_got *out, eb_status *status);
