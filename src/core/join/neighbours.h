/* neighbours: the neighbour table, a join's result in CSR form, and the sink that builds it.
 *
 * Row r of a table holds the neighbours of point first_row + r: columns ascending, self included (distance 0), so the
 * entries of a full table number exactly |R|. distances are √s as the engine computed s. Building: hits are buffered
 * per thread without locks, then counted, placed and sorted in parallel; a pair inside the row range is stored under
 * both its ends. Whatever breaks the engine's promise (a pair twice, outside the range, a row missing) is EB_INTERNAL,
 * not a table.
 */
#ifndef EB_CORE_JOIN_NEIGHBOURS_H
#define EB_CORE_JOIN_NEIGHBOURS_H

#include "core/engine/engine.h"

typedef struct eb_neighbours {
    size_t n; /* points of the dataset */
    size_t first_row, rows;
    uint64_t *offsets; /* [rows + 1], offsets[0] = 0 */
    uint32_t *columns; /* [offsets[rows]] */
    double *distances; /* [offsets[rows]], or NULL when not kept */
} eb_neighbours;

/* A table with its arrays allocated, offsets[0] = 0, the rest not filled. */
eb_code eb_neighbours_new(size_t n, size_t first_row, size_t rows, uint64_t entries, bool distances,
                          eb_neighbours **out, eb_status *status);
void eb_neighbours_free(eb_neighbours *table); /* NULL is fine */

/* Bytes a table of `entries` entries needs, and the most that building it takes at once, the table included (beside
 * some KiB per thread). UINT64_MAX when the number is beyond that. */
uint64_t eb_neighbours_bytes(size_t rows, uint64_t entries, bool distances);
uint64_t eb_neighbours_build_bytes(size_t rows, uint64_t entries, bool distances);

typedef struct eb_table_builder eb_table_builder;

/* A builder for rows [row_begin, row_end) of n, fed by `threads` engine threads. memory_limit in bytes (0: none) holds
 * for everything the builder allocates, the finished table included: a hit that would exceed it fails with
 * EB_NO_MEMORY, and the caller halves the row range. */
eb_code eb_table_builder_new(size_t n, size_t row_begin, size_t row_end, unsigned threads, bool distances,
                             uint64_t memory_limit, eb_table_builder **out, eb_status *status);

/* Takes single hits from any thread, or whole rows from one; not both in one join. */
eb_sink eb_table_builder_sink(eb_table_builder *builder);

/* Ordered pairs received so far, self pairs of the range included. */
uint64_t eb_table_builder_found(const eb_table_builder *builder);

/* Builds the table (threads in parallel), once; EB_INTERNAL when stored and found counts differ. The builder must still
 * be freed. */
eb_code eb_table_builder_finish(eb_table_builder *builder, eb_job *job, eb_neighbours **out, eb_status *status);
void eb_table_builder_free(eb_table_builder *builder); /* NULL is fine */

#endif
