/* save: writes a neighbour table, in row batches so that it may be larger than memory.
 *
 * The format follows the name: .npz (scipy CSR: indptr, indices, data, shape, format), .ivecs (per row: count, ids),
 * .csv (i,j,distance), .h5/.hdf5 (indptr, indices, distances), .range (big-ann range ground truth: u32 n, u32 total, n
 * × u32 counts, ids, f32 distances). Every format holds the table as it is, self pairs included; a table without
 * distances has no distance column (.csv), no distances (.h5) or ones for data (.npz), and cannot become .range. One
 * that keeps them in FP32 gets 9 digits (.csv) or FP32 arrays.
 *
 * Told before the first rows, a file also says where it comes from: .npz in a member `provenance`, a JSON object as
 * bytes, .h5 in attributes of its root, .csv in comments before its header. And what the points are called: .npz and
 * .h5 in `labels` (int32, per point) and `label_names`, .csv in two more columns, label_i and label_j. .ivecs and
 * .range have no room for either.
 *
 * The file appears under its name only when complete (core/files/new_file.h); a failure leaves what was there before.
 * Memory is bounded whatever the size: arrays wait in unnamed files beside it.
 */
#ifndef EB_IO_SAVE_SAVE_H
#define EB_IO_SAVE_SAVE_H

#include "core/data/labels.h"
#include "core/join/neighbours.h"

typedef struct eb_saver eb_saver;

/* A table of n points that keeps such distances. EB_USAGE for an unknown extension, naming the known ones, and for a
 * format that needs distances where there will be none. */
eb_code eb_saver_open(const char *path, size_t n, eb_distances kept, eb_saver **out, eb_status *status);

/* From now on the job's cancel flag is looked at while writing (EB_CANCELLED), and each row written advances it by one
 * unit of the phase that the caller set. Completing the file copies what is written already: a phase of its own,
 * "completing". */
void eb_saver_watch(eb_saver *saver, eb_job *job);

/* A fact for the file to keep; the key is static text, the value is copied: made printable, cut after 4000 bytes. */
eb_code eb_saver_tell(eb_saver *saver, const char *key, const char *text, eb_status *status);
eb_code eb_saver_tell_number(eb_saver *saver, const char *key, double number, eb_status *status);

/* What the points are called, kept until the saver is closed; NULL: nothing. */
void eb_saver_label(eb_saver *saver, const eb_labels *labels);

/* Whether the format has room for facts and labels. */
bool eb_saver_tells(const eb_saver *saver);

/* The next rows: batch->first_row must be the number of rows written so far. Does not take ownership. After a failure
 * only eb_saver_abandon is left. */
eb_code eb_saver_rows(eb_saver *saver, const eb_neighbours *batch, eb_status *status);

/* Completes the file. Fails unless n rows were written. Frees the saver in any case. */
eb_code eb_saver_close(eb_saver *saver, eb_status *status);

/* Gives up: removes the temporary file, frees the saver. NULL is fine. */
void eb_saver_abandon(eb_saver *saver);

#endif
