/* nearest: writes the k nearest of every query. The format follows the name: .ivecs, a line of ids a query, as the
 * TEXMEX ground truths; .ibin, big-ann's ground truth: u32 queries, u32 k, queries × k u32 ids, then as many f32
 * distances (not squares); .csv, a line a neighbour: query,rank,point,distance. Every query has k places: those behind
 * its last neighbour have the id −1 (2³² − 1 where it is unsigned) and the distance ∞, in .csv two empty cells. The
 * file appears when it is complete, or not at all (core/files/new_file.h).
 */
#ifndef EB_IO_SAVE_NEAREST_H
#define EB_IO_SAVE_NEAREST_H

#include "core/files/new_file.h"
#include "core/knn/knn.h"

typedef struct eb_nearest_file eb_nearest_file;

/* EB_USAGE for another ending. */
eb_code eb_nearest_file_open(const char *path, eb_nearest_file **out, eb_status *status);

/* query: [queries] what .csv calls the queries; NULL: by their number. Writes and completes it; frees it always. */
eb_code eb_nearest_file_write(eb_nearest_file *file, const eb_knn *nearest, const uint32_t *query, eb_job *job,
                              eb_status *status);

void eb_nearest_file_abandon(eb_nearest_file *file); /* NULL is fine */

#endif
