/* kmeans: Lloyd's algorithm (Least squares quantization in PCM, 1982) from distinct random points.
 *
 * The same seed gives the same bits for any number of threads and instruction set: distances come from kernels.h, means
 * are FP64 sums in the points' order. A centroid without points moves to the point that is farthest from its own
 * centroid, as long as a point has a distance above 0. With fewer points than centroids all points become centroids,
 * and the last one is repeated.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/job.h"

/* Finds, for many points, the nearest of k vectors, and their codes. Building spends most of its time there, so that a
 * GPU may replace the host's threads. The distance is s ← s + t·t with t = point − vector, both operations rounded to
 * FP32, coordinates ascending; of equally near vectors the first is taken. Every implementation gives the same bits.
 * Only one caller may use it at a time. Vectors and points must be finite. */
typedef struct eb_assigner {
    void *state;
    /* Sets the points of the following calls: count × d. They must stay valid and unchanged until the next call. */
    eb_code (*take)(void *state, const float *points, size_t count, size_t d, eb_status *status);
    /* vectors: k × d; place, s: [count]; s may be NULL */
    eb_code (*find)(void *state, const float *vectors, size_t k, uint32_t *place, float *s, eb_status *status);
    /* Cuts each point's difference to the vector that `find` found last into m pieces, and finds for each piece the
     * nearest of the 256 entries of its book. books: m × 256 × d/m; codes: [count × m]. `take` comes next. */
    eb_code (*encode)(void *state, const float *books, size_t m, uint8_t *codes, eb_status *status);
} eb_assigner;

typedef struct eb_kmeans_request {
    const float *points; /* count × d, `stride` floats apart; finite */
    size_t stride, count, d, k;
    unsigned rounds;
    uint64_t seed;
    const eb_assigner *assigner; /* requires stride = d; NULL: the host's threads */
} eb_kmeans_request;

/* centroids: k × d. Progress: one unit per round, in the caller's phase. */
eb_code eb_kmeans(const eb_kmeans_request *request, unsigned threads, eb_job *job, float *centroids, eb_status *status);
