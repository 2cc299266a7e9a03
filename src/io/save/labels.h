/* labels: writes a label for every point. The format follows the name: .npy, an int32 array as NumPy's load reads it;
 * .csv, a line a point: point,label,neighbours,core. Noise is -1. The file appears when it is complete, or not at all
 * (core/files/new_file.h).
 */
#ifndef EB_IO_SAVE_LABELS_H
#define EB_IO_SAVE_LABELS_H

#include "core/cluster/dbscan.h"
#include "core/files/new_file.h"

typedef struct eb_label_file eb_label_file;

/* EB_USAGE for another ending. */
eb_code eb_label_file_open(const char *path, eb_label_file **out, eb_status *status);

/* Writes and completes it. Frees it in any case. */
eb_code eb_label_file_write(eb_label_file *file, const eb_dbscan *found, eb_status *status);

void eb_label_file_abandon(eb_label_file *file); /* NULL is fine */

#endif
