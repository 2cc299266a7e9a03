/* build: builds an inverted file of a dataset's rows on the CPU, or finds one that is kept (core/inverted/index.h).
 *
 * Centroids are trained by k-means on a sample of the rows, books on the residuals of another sample; all rows are then
 * assigned and encoded. Encoding takes longest: 256 · d products a row, beside nlist · d for the assignment, but by
 * pieces too short for vector units. The same seed gives the same file, bit for bit, for any number of threads and
 * instruction set.
 */
#pragma once

#include "core/inverted/index.h"
#include "kernels/inverted/cpu/kmeans.h"

/* The caller frees *out with eb_inverted_free. assigner: finds lists and codes; NULL: the host's threads do. times
 * may be NULL. EB_USAGE for an impossible shape (eb_inverted_check). Phases: "lists", "books", "codes". */
eb_code eb_inverted_build(const eb_inverted_request *request, const eb_assigner *assigner, unsigned threads,
                          eb_job *job, eb_inverted_file *out, eb_index_times *times, eb_status *status);

typedef struct eb_index_got {
    eb_index *index; /* held until eb_index_release */
    bool kept;       /* true: it was kept; false: it has just been built */
} eb_index_got;

/* EB_NO_MEMORY if building would take more than memory_limit bytes (0: no limit). */
eb_code eb_index_get(const eb_inverted_request *request, const eb_assigner *assigner, uint64_t memory_limit,
                     unsigned threads, eb_job *job, eb_index_got *out, eb_status *status);
