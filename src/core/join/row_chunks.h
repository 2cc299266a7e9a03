/* row_chunks: a table's rows in chunks, made one after the other: small ones first, so that those who take them on need
 * not wait long, then larger ones, so that making them costs little beside their entries.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Entries of the k-th chunk, at most `most`: a row that has more is a chunk of its own. */
static inline uint64_t eb_chunk_room(size_t k, uint64_t most)
{
    const uint64_t first = (uint64_t)1 << 22;
    const uint64_t room = first << (k < 3 ? k : 3);
    return room < most ? room : most;
}

/* Where a chunk ends that begins with row `first` of `rows`: as many rows as have up to `room` entries together, at
 * least one. offsets: [rows + 1], where each row's entries begin. */
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
