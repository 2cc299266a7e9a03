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
#pragma once

#include "core/cluster/dbscan.h"
#include "core/data/labels.h"
#include "core/files/new_file.h"
#include "core/join/neighbours.h"
#include "core/knn/knn.h"

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

/* A label for every point. The format follows the name: .npy, an int32 array as NumPy's load reads it; .csv, a line a
 * point: point,label,neighbours,core. Noise is -1. */
typedef struct eb_label_file eb_label_file;

/* EB_USAGE for another ending. */
eb_code eb_label_file_open(const char *path, eb_label_file **out, eb_status *status);

/* Writes and completes it. Frees it in any case. */
eb_code eb_label_file_write(eb_label_file *file, const eb_dbscan *found, eb_status *status);

void eb_label_file_abandon(eb_label_file *file); /* NULL is fine */

/* The k nearest of every query. The format follows the name: .ivecs, a line of ids a query, as the TEXMEX ground
 * truths; .ibin, big-ann's ground truth: u32 queries, u32 k, queries × k u32 ids, then as many f32 distances (not
 * squares); .csv, a line a neighbour: query,rank,point,distance. Every query has k places: those behind its last
 * neighbour have the id −1 (2³² − 1 where it is unsigned) and the distance ∞, in .csv two empty cells. */
typedef struct eb_nearest_file eb_nearest_file;

/* EB_USAGE for another ending. */
eb_code eb_nearest_file_open(const char *path, eb_nearest_file **out, eb_status *status);

/* query: [queries] what .csv calls the queries; NULL: by their number. Writes and completes it; frees it always. */
eb_code eb_nearest_file_write(eb_nearest_file *file, const eb_knn *nearest, const uint32_t *query, eb_job *job,
                              eb_status *status);

void eb_nearest_file_abandon(eb_nearest_file *file); /* NULL is fine */
