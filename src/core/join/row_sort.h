/* row_sort: puts one row of a neighbour table in ascending order of columns, distances moving along.
 *
 * Engines walk tiles in order, so a row arrives as a few ascending runs, nearly sorted where threads interleave.
 * Finding the runs and merging them costs one look at a row that is in order already, and n·log(n) at worst.
 */
#pragma once

#include "core/join/neighbours.h"

/* Bytes of 8-byte aligned scratch that rows of up to `longest` entries need; less than 16 per entry and 64 more. */
size_t eb_row_sort_scratch_bytes(size_t longest, eb_distances kept);

/* distances: of the kind kept. Equal columns stay in the order they came. */
void eb_row_sort(uint32_t *columns, void *distances, eb_distances kept, size_t count, void *scratch);
