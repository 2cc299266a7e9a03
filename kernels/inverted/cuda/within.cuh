/* within: all points of the lists that queries look at whose distance is within one limit.
 *
 * A query of a batch has an equal part of the room for what is found. How many points it found is known with or without
 * room for them: where one has too little, as many of the first queries as have enough are looked at again, alone, and
 * the batches that follow are as small. A single query has room for all points.
 */
#pragma once

#include <vector>

#include "kernels/inverted/cuda/scan.cuh"

extern "C" {
#include "kernels/inverted/cuda.h"
}

namespace eb {

/* What a searcher lends. */
struct within_means {
    const eb_inverted_question *question;
    const file_view *file;
    const scan_shape *few, *many; /* how to scan for fewer pairs of query and list than `worth`, for so many */
    size_t worth, batch, nlist;   /* batch: queries at a time, at most */
    size_t room;                  /* of keys; for all places at least */
    unsigned units, threads;
    eb_job *job;
    list_groups *lists;
    device_array<float> *queries;
    device_array<near_key> *keys;
    eb_inverted_work *work; /* is added to */
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

    uint32_t room_ = 0;                         /* of a query of the batch */
    device_array<uint32_t> counts_;             /* [queries] */
    device_array<float> limits_;                /* [queries] */
    device_array<uint64_t> counters_, offsets_; /* the next item; look-ups; lists; points */
    device_array<near_key> packed_;             /* one query's keys behind the other's */
    pinned_array<eb_near_point> found_;         /* the same here */
    stopwatch watch_;
    uint64_t seen_[2] = {}; /* lists, points of the batch */
    std::vector<uint32_t> host_counts_;
    std::vector<float> host_limits_;
    std::vector<uint64_t> host_offsets_;
};

} // namespace eb
