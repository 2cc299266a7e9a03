/* scan_task: what a scan (scan.cuh) is asked for: an inverted file on the device, queries, and where points go. */
#pragma once

#include "kernels/inverted/cuda/lists.cuh"
#include "kernels/inverted/cuda/select.cuh"

extern "C" {
#include "core/inverted/question.h"
}

namespace eb {

constexpr unsigned codes_at_once = EB_CODES_AT_ONCE; /* a lane loads so many of its point's codes together */

/* An inverted file on the device. Codes: of each block of 32 points, of each 16 subspaces, a lane's codes side by side;
 * books: of each subspace, of each coordinate, 256 entries. */
struct file_view {
    const float *centroids, *books, *reach; /* reach: [m] of books */
    const uint64_t *blocks;
    const uint32_t *counts, *rows;
    const uint4 *codes;
    unsigned d, m, piece, code_groups;
};

struct near_points {
    near_key *key;   /* [queries × room] */
    uint32_t *count; /* [queries] how many there were, room or not */
    uint32_t room;
};

struct scan_task {
    file_view file;
    const float *queries; /* [× d] */
    const list_item *items;
    const uint32_t *item_count, *pairs;
    uint32_t *next_item;
    const float *limit; /* [queries] */
    near_points out;
    unsigned most_points; /* of a list */
    double scale;
    unsigned long long *lookups;
};

} // namespace eb
