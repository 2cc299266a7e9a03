/* ground_truth: loads the true neighbours of a query set from a file: big-ann-benchmarks' .ibin and .bin, or a matrix
 * of ids in any format of points (.ivecs, .npy, x.hdf5:/neighbors). */
#pragma once

#include "core/data/ground_truth.h"
#include "io/reader.h"

/* Positions in the bytes: queries × k little-endian ids of 32 bits, and as many FP32 distances if the file has them. */
typedef struct eb_neighbour_bytes {
    size_t queries, k;
    const unsigned char *ids, *distances; /* distances NULL: the file has none */
} eb_neighbour_bytes;

/* Reads big-ann-benchmarks' format: uint32 queries, uint32 k, the ids, then the distances or nothing. A pure function
 * of the bytes. */
eb_code eb_read_neighbours(const eb_bytes *bytes, eb_neighbour_bytes *out, eb_status *status);

/* A file whose name ends in .ibin, .bin or no known ending, or in one of these and .gz, is read with
 * eb_read_neighbours. Any other file is loaded as points are loaded. The ids are not verified. */
eb_code eb_load_ground_truth(const char *what, eb_job *job, eb_ground_truth **out, eb_status *status);

/* Loads the distances, queries × k, from another object of an HDF5 file or an archive. EB_BAD_FORMAT if their number
 * differs. */
eb_code eb_load_stated(eb_ground_truth *truth, const char *what, eb_job *job, eb_status *status);
