/* build: an inverted file of a dataset's rows, on the CPU.
 *
 * Centroids are trained on a sample of the rows (by default 128 for each list), books on residuals of another (256
 * for each of the 256 entries), by k-means; all rows are then assigned and encoded. The same seed gives the same file,
 * bit for bit, on any number of threads and by any instruction set.
 */
#ifndef EB_KERNELS_INVERTED_CPU_BUILD_H
#define EB_KERNELS_INVERTED_CPU_BUILD_H

#include "core/base/job.h"
#include "core/inverted/assigner.h"
#include "core/inverted/inverted.h"

#define EB_INVERTED_ROUNDS 25u

typedef struct eb_inverted_request {
    const eb_dataset *points;
    const uint32_t *rows; /* [n] which of its rows, ascending: those that are no queries */
    size_t n;
    eb_inverted_shape shape;
    unsigned rounds;                 /* of k-means; 0: EB_INVERTED_ROUNDS */
    size_t list_sample, book_sample; /* rows; 0: as above */
    uint64_t seed;
    const eb_assigner *assigner; /* who finds the nearest lists; NULL: the threads */
} eb_inverted_request;

/* What is meant where a request has 0. */
typedef struct eb_inverted_training {
    unsigned rounds;
    size_t list_sample, book_sample;
} eb_inverted_training;
eb_inverted_training eb_inverted_training_of(const eb_inverted_request *request);

/* What building takes at most, the file included. */
uint64_t eb_inverted_build_bytes(const eb_inverted_request *request);

/* *out is the caller's, to be freed with eb_inverted_free. EB_USAGE for a shape that cannot be (eb_inverted_check).
 * Phases: "lists", "books", "codes". */
eb_code eb_inverted_build(const eb_inverted_request *request, unsigned threads, eb_job *job, eb_inverted_file *out,
                          eb_status *status);

#endif
