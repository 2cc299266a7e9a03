/* shape: what a search on a GPU (cuda/) is made of, for the kernels and for the machine model (ivfpq/plan.c): the
 * threads of a block, its shared memory, and when queries share look-ups.
 */
#pragma once

#include "kernels/parts/both.h"

enum {
    EB_SCAN_LOADED = 4, /* entries of a book that a lane loads at a time */
    EB_SCAN_ARRAYS = 5, /* of a query, beside its residual and its bounds */
    EB_SCAN_BATCH = 16384,
    EB_SCAN_BATCH_DISTANCES = 1 << 26, /* from the queries of a batch to all lists */
    EB_SCAN_WORTH_PACKING = 2,         /* from this many queries a list on, queries share look-ups */
};

/* Threads of a block, and the blocks per SM that registers must allow. bytes: of an entry; queries: side by side. Large
 * tables allow few blocks, so these have more threads. */
EB_BOTH unsigned eb_scan_threads(unsigned bytes, unsigned queries) { return bytes * queries == 4 ? 512 : 256; }

EB_BOTH unsigned eb_scan_blocks(unsigned bytes, unsigned queries, bool any_piece)
{
    return (queries > 1 ? 2u : bytes == 4 ? 3u : 5u) - (any_piece ? 1u : 0u);
}

/* Numbers of 4 bytes in a block's shared memory beside the tables. */
EB_BOTH unsigned eb_scan_room(unsigned d, unsigned m, unsigned queries)
{
    return (d + 2 * m + EB_SCAN_ARRAYS) * queries + 1;
}
