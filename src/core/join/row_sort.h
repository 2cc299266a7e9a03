/* row_sort: sorting a row of a neighbour table by column, together with its distances.
 *
 * Engines process tiles in order, so a row consists of a few ascending runs, nearly sorted where threads interleave.
 * The runs are found and merged: one pass over a row that is sorted already, O(n log n) at worst.
 */
#pragma once

#include "core/join/neighbours.h"

/* Bytes of scratch, 8-byte aligned, for rows of up to `longest` entries: less than 16 per entry and 64 more. */
size_t eb_row_sort_scratch_bytes(size_t longest, eb_distances kept);

/* Sorts a row by column, stably. distances: entries of the kind `kept`. */
void eb_row_sort(uint32_t *columns, void *distances, eb_distances kept, size_t count, void *scratch);
