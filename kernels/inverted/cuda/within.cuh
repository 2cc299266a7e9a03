/* within: finds all points of the queries' lists whose distance is within one limit.
 *
 * The queries of a batch share the room for points equally. The number of points that each query found is known even
 * without room for them. If a part is too small, the longest run of first queries that fits is scanned again as a batch
 * of its own, and the following batches have that size. A single query has room for all points.
 */
#pragma once

#include <vector>

#include "kernels/inverted/cuda/scan.cuh"

extern "C" {
#include "kernels/inverted/cuda.h"
}

namespace eb {

/* The searcher's resources and settings. */
struct within_means {
    const eb_inverted_question *question;
    const file_view *file;
    const scan_shape *few, *many; /* scans for fewer than `worth` pairs of query and list, and for more */
    size_t worth, batch, nlist;   /* batch: most queries at a time */
    size_t room;                  /* keys that fit; at least one for each place of the lists */
    unsigned units, threads;
    eb_job *job;
    list_groups *lists;
    device_array<float> *queries;
    device_array<near_key> *keys;
    eb_inverted_work *work; /* the search adds its work */
};

struct queries_within {
    const float *query; /* [count × d] */
    size_t count;
    float limit;
    const eb_inverted_callback *callback;
};

class within_search {
  public:
    eb_code find(const within_means &by, const queries_within &asked, eb_status *status);

  private:
    eb_code scan(const within_means &by, const queries_within &asked, size_t first, size_t count, eb_status *status);
    eb_code read_counters(const within_means &by, size_t count, eb_status *status);
    size_t fitting(const within_means &by) const;
    uint32_t most_found() const;
    eb_code hand_over(const within_means &by, const queries_within &asked, size_t first, eb_status *status);
    eb_code hand_some(const within_means &by, const queries_within &asked, size_t first, size_t begin, size_t end,
                      eb_status *status);

    uint32_t room_ = 0;                         /* keys per query of the batch */
    device_array<uint32_t> counts_;             /* [queries] */
    device_array<float> limits_;                /* [queries] */
    device_array<uint64_t> counters_, offsets_; /* the next item; look-ups; lists; points */
    device_array<near_key> packed_;             /* the queries' keys without gaps */
    pinned_array<eb_near_point> found_;         /* the same on the host */
    stopwatch watch_;
    uint64_t seen_[2] = {}; /* lists and points that the batch has scanned */
    std::vector<uint32_t> host_counts_;
    std::vector<float> host_limits_;
    std::vector<uint64_t> host_offsets_;
};

} // namespace eb
