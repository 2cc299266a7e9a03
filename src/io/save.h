/* save: writes a neighbour table, in row batches so that it may be larger than memory.
 *
 * The format follows the name: .npz (scipy CSR: indptr, indices, data, shape, format), .ivecs (per row: count, ids), .csv
 * (i,j,distance), .h5/.hdf5 (indptr, indices, distances), .range (big-ann range ground truth: u32 n, u32 total, n × u32
 * counts, ids, f32 distances). The file appears under its name only when complete (temporary file, fsync, rename).
 */
#ifndef EB_IO_SAVE_H
#define EB_IO_SAVE_H

#include "core/neighbours.h"

typedef struct eb_saver eb_saver;

/* n: points. EB_USAGE for an unknown extension, naming the known ones. */
eb_code eb_saver_open(const char *path, size_t n, eb_saver **out, eb_status *status);

/* The next rows: batch->first_row must be the number of rows written so far. Does not take ownership. */
eb_code eb_saver_rows(eb_saver *saver, const eb_neighbours *batch, eb_status *status);

/* Completes the file. Fails unless n rows were written. Frees the saver in any case. */
eb_code eb_saver_close(eb_saver *saver, eb_status *status);

/* Gives up: removes the temporary file, frees the saver. NULL is fine. */
void eb_saver_abandon(eb_saver *saver);

#endif
