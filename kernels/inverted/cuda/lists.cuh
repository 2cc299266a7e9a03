/* lists: chooses the lists of queries, and groups queries that share a list.
 *
 * Each query of a batch chooses its nprobe nearest lists, nearest first. Pairs (query, list) are then grouped by list
 * into items of a few queries; a block of the scan takes an item at a time.
 */
#pragma once

#include "kernels/inverted/cuda/nearest.cuh"
#include "kernels/sort/sort.cuh"

namespace eb {

struct list_item {
    uint32_t list, first, queries; /* pairs first … first + queries − 1 */
};

/* The pairs to scan: all, or only those of each query's nearest list. A nearest list longer than `scanned` is scanned
 * again with all. */
struct pair_choice {
    bool nearest_only;
    uint32_t scanned;
};

class list_groups {
  public:
    /* queries and centroids are on the device; counts: [centroids.count] numbers of points of the lists. */
    eb_code choose(const f32_rows &queries, const f32_rows &centroids, unsigned nprobe, eb_status *status);
    eb_code group(const pair_choice &which, const uint32_t *counts, unsigned side_by_side, eb_status *status);

    const uint32_t *nearest() const { return chosen_.get(); } /* [queries × nprobe] */
    const uint32_t *pairs() const { return pairs_.get(); }    /* the query of each pair */
    const list_item *items() const { return items_.get(); }
    const uint32_t *item_count() const { return item_begin_.get() + lists_; }

  private:
    size_t queries_ = 0, lists_ = 0;
    unsigned nprobe_ = 0;
    device_array<float> distances_;
    device_array<uint32_t> chosen_, per_list_, begin_, per_list_items_, item_begin_, pairs_;
    device_array<list_item> items_;
    sort_room scratch_;
};

} // namespace eb
