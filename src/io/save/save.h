/* save: writes a neighbour table, in row batches so that it may be larger than memory.
 *
 * The format follows the name: .npz (scipy CSR: indptr, indices, data, shape, format), .ivecs (per row: count, ids),
 * .csv (i,j,distance), .h5/.hdf5 (indptr, indices, distances), .range (big-ann range ground truth: u32 n, u32 total, n
 * × u32 counts, ids, f32 distances). Every format holds the table as it is, self pairs included; a table without
 * distances has no distance column (.csv), no distances (.h5) or ones for data (.npz), and cannot become .range. One
 * that keeps them in FP32 gets 9 digits (.csv) or FP32 arrays.
 *
 * The file appears under its name only when complete (core/base/new_file.h); a failure leaves what was there before.
 * Memory is bounded whatever the size: arrays wait in unnamed files beside it.
 */
#ifndef EB_IO_SAVE_SAVE_H
#define EB_IO_SAVE_SAVE_H

#include "core/join/neighbours.h"

typedef struct eb_saver eb_saver;

/* A table of n points that keeps such distances. EB_USAGE for an unknown extension, naming the known ones, and for a
 * format that needs distances where there will be none. */
eb_code eb_saver_open(const char *path, size_t n, eb_distances kept, eb_saver **out, eb_status *status);

/* From now on the job's cancel flag is looked at while writing (EB_CANCELLED), and each row written advances it by one
 * unit of the phase that the caller set. Completing the file copies what is written already: a phase of its own,
 * "completing". */
void eb_saver_watch(eb_saver *saver, eb_job *job);

/* The next rows: batch->first_row must be the number of rows written so far. Does not take ownership. After a failure
 * only eb_saver_abandon is left. */
eb_code eb_saver_rows(eb_saver *saver, const eb_neighbours *batch, eb_status *status);

/* Completes the file. Fails unless n rows were written. Frees the saver in any case. */
eb_code eb_saver_close(eb_saver *saver, eb_status *status);

/* Gives up: removes the temporary file, frees the saver. NULL is fine. */
void eb_saver_abandon(eb_saver *saver);

#endif
