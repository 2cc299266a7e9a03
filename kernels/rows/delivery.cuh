/* delivery: downloads arrays that are made in chunks on the device; a chunk's download overlaps with making the next.
 *
 *   device    chunk 0 | chunk 1 | wait 0 | chunk 2 | …      two alternating buffers, one stream
 *   link              | 0 0 0 0 | 1 1 1 1 | 2 2 …           slices of 1 to 8 MB; each thread has its own pinned slots
 *   threads             slice: enqueue its download, store (unpack) the one before it
 *   other threads       with fresh memory: make the pages of later slices
 *
 * Slices begin at multiples of their size in the host's array, so that two threads never write to the same large page.
 * Stores bypass the caches. What limits it: the link (55 GB/s on an H200's host); with fresh pages, clearing them.
 * Large tables travel packed (packed.h).
 */
#pragma once

#include <functional>
#include <vector>

#include "kernels/device/pinned.cuh"
#include "kernels/rows/packed.h"

namespace eb {

/* One array to deliver: its entry x is copied to to + x · entry_bytes. */
struct delivered_array {
    const void *made[2]; /* on the device: the buffers of even and of odd chunks */
    unsigned char *to;
    size_t entry_bytes;
    eb_packed form = {EB_NOT_PACKED, 0}; /* in which it travels, if there is room on the device to pack it */
};

struct delivered_rows {
    std::vector<delivered_array> arrays;
    std::vector<uint64_t> begin; /* chunk k has entries begin[k] … begin[k + 1] − 1 */
    bool fresh;                  /* the host's pages do not exist yet */

    /* Enqueues on `stream` the work that makes a chunk in its buffer. Calls never overlap. */
    std::function<eb_code(size_t chunk, eb_status *status)> make;
    cudaStream_t stream;
};

/* Delivers with up to context->threads threads; returns when all is stored. Cancelling takes effect between slices. */
eb_code deliver(const delivered_rows &rows, const eb_context *context, eb_status *status);

} // namespace eb
