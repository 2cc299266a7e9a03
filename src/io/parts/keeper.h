/* keeper: several ranks write the parts of a folder that rank 0 has open. Each rank writes the rows that it made as a
 * part of its own (core/ranks/keep/rows.h), and tells rank 0 what is in it. All ranks need the folder under the same
 * path, on one file system.
 */
#pragma once

#include "core/ranks/keep/keeper.h"
#include "io/parts/parts.h"

/* What rank 0 says to the keepers; *out is freed with free(). Lets other processes write to the folder, which nobody
 * else may write until it is closed. */
eb_code eb_parts_order(eb_parts *parts, void **out, size_t *size, eb_status *status);

/* The keeper of a rank (eb_row_keeper): writes the rows as one part. Rows that are a part already: EB_INTERNAL. */
eb_code eb_parts_keep(const void *order, size_t size, const eb_neighbours *rows, unsigned threads, eb_job *job,
                      eb_kept *told, eb_status *status);

/* In rank 0: adds the part that a rank has written. EB_IO if its files are not in this folder. */
eb_code eb_parts_take(eb_parts *parts, unsigned rank, const eb_kept *told, eb_status *status);
