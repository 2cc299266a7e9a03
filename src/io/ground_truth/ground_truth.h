/* ground_truth: the true neighbours of a query set, from a file: big-ann-benchmarks' (.ibin, .bin), or a matrix of ids
 * in any format that points may have (.ivecs, .npy, x.hdf5:/neighbors).
 */
#pragma once

#include "core/data/ground_truth.h"
#include "io/reader.h"

/* Where they are in the bytes: queries × k little-endian ids of 32 bits, then, where there are any, as many FP32
 * distances. */
typedef struct eb_neighbour_bytes {
    size_t queries, k;
    const unsigned char *ids, *distances; /* distances NULL: there are none */
} eb_neighbour_bytes;

/* big-ann-benchmarks': uint32 queries, uint32 k, the ids, the distances or nothing. A pure function over the bytes. */
eb_code eb_read_neighbours(const eb_bytes *bytes, eb_neighbour_bytes *out, eb_status *status);

/* What ends in .ibin or .bin, or in nothing known, is read as above, each also as .gz; else it is loaded as points are.
 * Not verified. */
eb_code eb_load_ground_truth(const char *what, eb_job *job, eb_ground_truth **out, eb_status *status);

/* The distances beside it, queries × k, from another object of an HDF5 file or archive. EB_BAD_FORMAT where they are
 * not as many. */
eb_code eb_load_stated(eb_ground_truth *truth, const char *what, eb_job *job, eb_status *status);
