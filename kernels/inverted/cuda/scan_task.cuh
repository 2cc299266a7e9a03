/* scan_task: the arguments of a scan (scan.cuh): an inverted file on the device, queries, and the output. */
#pragma once

#include "kernels/inverted/cuda/lists.cuh"
#include "kernels/inverted/cuda/select.cuh"

extern "C" {
#include "core/inverted/question.h"
}

namespace eb {

constexpr unsigned codes_at_once = EB_CODES_AT_ONCE; /* codes of a point that a lane loads together */

/* An inverted file on the device. Layout of codes: by block of 32 points, by group of 16 subspaces, by lane, the
 * group's codes side by side. Layout of books: by subspace, by coordinate, 256 entries. */
struct file_view {
    const float *centroids, *books, *reach; /* reach: [m] of books */
    const uint64_t *blocks;
    const uint32_t *counts, *rows;
    const uint4 *codes;
    unsigned d, m, piece, code_groups;
};

struct near_points {
    near_key *key;   /* [queries × room] */
    uint32_t *count; /* [queries] number of points found, also those without room */
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
    unsigned most_points; /* most points of a list to scan */
    double scale;
    unsigned long long *lookups;
};

} // namespace eb
