/* delivery: from chunks in device memory to where they belong on the host: downloaded while the next chunk is made.
 *
 *   device    chunk 0 | chunk 1 | wait 0 | chunk 2 | …      two buffers in turn, one stream
 *   link              | 0 0 0 0 | 1 1 1 1 | 2 2 …           slices of 1 to 8 MB, each thread into its own pinned slots
 *   threads             slice: enqueue its download, store the one before it
 *   other threads       into fresh memory: make the pages of slices ahead of them
 *
 * Slices are cut where the host's array has multiples of them, so that threads stay out of each other's large pages.
 * Stores go past the caches. Limit: the link (55 GB/s on a H200's host); with fresh pages, clearing them.
 */
#pragma once

#include <functional>
#include <vector>

#include "kernels/device/pinned.cuh"

namespace eb {

/* One array on its way: entry x of it goes to to + x · entry_bytes. */
struct delivered_array {
    const void *made[2]; /* on the device: where chunks lie, even ones in the first buffer, odd ones in the second */
    unsigned char *to;
    size_t entry_bytes;
};

struct delivered_rows {
    std::vector<delivered_array> arrays;
    std::vector<uint64_t> begin; /* chunk k is entries begin[k] … begin[k + 1] − 1 */
    bool fresh;                  /* the host's pages are not there yet */

    /* Enqueues on `stream` what makes chunk k in its buffer. Two threads never make at once. */
    std::function<eb_code(size_t chunk, eb_status *status)> make;
    cudaStream_t stream;
};

/* By up to context->threads threads; returns when all has arrived. A cancel is heard between slices. */
eb_code deliver(const delivered_rows &rows, const eb_context *context, eb_status *status);

} // namespace eb
