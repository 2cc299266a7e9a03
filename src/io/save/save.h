/* save: writes a neighbour table in batches of rows, so the table may be larger than memory.
 *
 * The format follows the name: .npz (scipy CSR: indptr, indices, data, shape, format), .ivecs (per row: count, ids),
 * .csv (i,j,distance), .h5/.hdf5 (indptr, indices, distances), .range (big-ann range ground truth: u32 n, u32 total, n
 * × u32 counts, ids, f32 distances). Every format stores the table unchanged, self pairs included. A table without
 * distances gives no distance column (.csv), no distances (.h5) or ones as data (.npz), and cannot become .range. FP32
 * distances give 9 digits (.csv) or FP32 arrays.
 *
 * Facts and labels must be set before the first rows. Facts about the origin go to a member `provenance` (.npz: a JSON
 * object as bytes), to attributes of the root (.h5) or to comments before the header (.csv). Labels go to `labels`
 * (int32, per point) and `label_names` (.npz, .h5), or to the columns label_i and label_j (.csv). .ivecs and .range
 * store neither.
 *
 * The file appears under its name only when it is complete (core/files/new_file.h); a failure leaves an older file
 * unchanged. Memory is bounded for any size: arrays wait in unnamed files beside the target.
 */
#pragma once

#include "core/cluster/dbscan.h"
#include "core/data/labels.h"
#include "core/files/new_file.h"
#include "core/join/neighbours.h"
#include "core/knn/knn.h"
#include "io/save/facts.h"

typedef struct eb_saver eb_saver;

/* Opens a file for a table of n points whose distances are kept as `kept`. EB_USAGE for an unknown extension, naming
 * the known ones, and for a format that needs distances if the table has none. */
eb_code eb_saver_open(const char *path, size_t n, eb_distances kept, eb_saver **out, eb_status *status);

/* From now on writing tests the job's cancel flag (EB_CANCELLED), and each row written advances the job by one unit of
 * the caller's phase. Completing the file, which copies the parts, is a phase of its own, "completing". */
void eb_saver_watch(eb_saver *saver, eb_job *job);

/* The facts that the file will store. */
eb_facts *eb_saver_facts(eb_saver *saver);

/* Sets the points' labels, which the saver borrows until it is closed; NULL: none. */
void eb_saver_label(eb_saver *saver, const eb_labels *labels);

/* True if the format can store facts and labels. */
bool eb_saver_tells(const eb_saver *saver);

/* Writes the next rows. batch->first_row must be the number of rows written so far. The caller keeps the batch. After a
 * failure only eb_saver_abandon may follow. */
eb_code eb_saver_rows(eb_saver *saver, const eb_neighbours *batch, eb_status *status);

/* Completes the file; fails unless n rows were written. Always frees the saver. */
eb_code eb_saver_close(eb_saver *saver, eb_status *status);

/* Removes the temporary file and frees the saver. NULL is allowed. */
void eb_saver_abandon(eb_saver *saver);

/* A file with a label for each point. The format follows the name: .npy, an int32 array for NumPy's load; .csv, a line
 * for each point with point,label,neighbours,core. The label of noise is -1. */
typedef struct eb_list_file eb_list_file;
typedef eb_list_file eb_label_file;

/* EB_USAGE for an unknown ending. */
eb_code eb_label_file_open(const char *path, eb_label_file **out, eb_status *status);

/* Writes and completes the file. Always frees it. */
eb_code eb_label_file_write(eb_label_file *file, const eb_dbscan *found, eb_status *status);

void eb_label_file_abandon(eb_label_file *file); /* NULL is allowed */

/* A file with the k nearest neighbours of each query. The format follows the name: .ivecs, k ids for each query, as in
 * the TEXMEX ground truths; .ibin, big-ann's ground truth: u32 queries, u32 k, queries × k u32 ids, then as many f32
 * distances (not squares); .csv, a line for each neighbour with query,rank,point,distance. Every query has k places. A
 * place without a neighbour has the id −1 (2³² − 1 if unsigned) and the distance ∞; in .csv two empty cells. */
typedef eb_list_file eb_nearest_file;

/* EB_USAGE for an unknown ending. */
eb_code eb_nearest_file_open(const char *path, eb_nearest_file **out, eb_status *status);

/* Writes and completes the file. query: [queries] the names of the queries in .csv; NULL: their numbers. Always frees
 * the file. */
eb_code eb_nearest_file_write(eb_nearest_file *file, const eb_knn *nearest, const uint32_t *query, eb_job *job,
                              eb_status *status);

void eb_nearest_file_abandon(eb_nearest_file *file); /* NULL is allowed */
