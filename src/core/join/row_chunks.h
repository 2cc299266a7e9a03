/* row_chunks: dividing a table's rows into chunks that are made one after the other. The first chunks are small, so
 * that their consumer can start soon; later ones are larger, so that the cost per chunk matters little.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Number of entries of chunk k, at most `most`. A row with more entries is a chunk of its own. */
static inline uint64_t eb_chunk_room(size_t k, uint64_t most)
{
    const uint64_t first = (uint64_t)1 << 22;
    const uint64_t room = first << (k < 3 ? k : 3);
    return room < most ? room : most;
}

/* The end of the chunk that begins with row `first`: it has as many rows as have at most `room` entries together, and
 * at least one. offsets: [rows + 1]. */
static inline size_t eb_chunk_end(const uint64_t *offsets, size_t rows, size_t first, uint64_t room)
{
    size_t fits = first + 1, beyond = rows + 1;
    while (fits + 1 < beyond) {
        const size_t middle = fits + (beyond - fits) / 2;
        if (offsets[middle] - offsets[first] <= room)
            fits = middle;
        else
            beyond = middle;
    }
    return fits;
}
