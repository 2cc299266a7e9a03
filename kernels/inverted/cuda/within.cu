#include "kernels/inverted/cuda/within.cuh"

#include <algorithm>

extern "C" {
#include "core/base/clock.h"
#include "core/base/parallel.h"
}

namespace eb {
namespace {

constexpr unsigned threads = 256;
constexpr size_t found_at_once = size_t{4} << 20; /* points copied to the host at a time; a query's are not divided */

static_assert(sizeof(eb_near_point) == sizeof(near_key), "a key is a point, its row in the low bits");

/* Counts the non-empty lists, and their points, over all pairs of query and list. */
__global__ void __launch_bounds__(threads)
    count_candidates(const uint32_t *chosen, size_t pairs, const uint32_t *counts, unsigned long long *lists)
{
    unsigned long long scanned = 0, points = 0;
    for (size_t pair = static_cast<size_t>(blockIdx.x) * threads + threadIdx.x; pair < pairs;
         pair += static_cast<size_t>(gridDim.x) * threads) {
        const uint32_t here = counts[chosen[pair]];
        scanned += here > 0;
        points += here;
    }
    for (unsigned apart = 16; apart > 0; apart /= 2) {
        scanned += __shfl_xor_sync(~0u, scanned, apart);
        points += __shfl_xor_sync(~0u, points, apart);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(lists, scanned);
        atomicAdd(lists + 1, points);
    }
}

/* A block copies a query's keys to their place after the previous query's keys. offsets: [queries + 1]. */
__global__ void __launch_bounds__(threads)
    pack_keys(const near_key *from, uint32_t room, const uint64_t *offsets, near_key *to)
{
    const near_key *key = from + static_cast<size_t>(blockIdx.x) * room;
    const uint64_t first = offsets[blockIdx.x];
    const uint32_t count = static_cast<uint32_t>(offsets[blockIdx.x + 1] - first);
    for (uint32_t i = threadIdx.x; i < count; i += threads)
        to[first + i] = key[i];
}

/* Points found for queries first, first + 1, …, on the host. */
struct handing {
    const eb_inverted_callback *callback;
    const eb_near_point *point;
    const uint64_t *offset;
    size_t first;
};

eb_code take_one(void *context, uint64_t query, unsigned thread, eb_status *status)
{
    const handing &h = *static_cast<const handing *>(context);
    return h.callback->take(h.callback->context, h.first + query, thread, h.point + h.offset[query],
                            h.offset[query + 1] - h.offset[query], status);
}

} // namespace

/* ---- a batch ---- */

eb_code within_search::read_counters(const within_means &by, size_t count, eb_status *status)
{
    uint64_t counter[4];
    double seconds = 0;
    host_counts_.resize(count);
    EB_CUDA(cudaMemcpy(host_counts_.data(), counts_.get(), count * sizeof(uint32_t), cudaMemcpyDeviceToHost),
            "copying how many points were found");
    EB_CUDA(cudaMemcpy(counter, counters_.get(), sizeof counter, cudaMemcpyDeviceToHost), "copying counters");
    EB_TRY(watch_.read(&seconds, status));
    by.work->lookups += counter[1];
    by.work->kernel_s += seconds;
    seen_[0] = counter[2], seen_[1] = counter[3];
    return EB_OK;
}

eb_code within_search::scan(const within_means &by, const queries_within &asked, size_t first, size_t count,
                            eb_status *status)
{
    const file_view &f = *by.file;
    const eb_inverted_question &q = *by.question;
    const size_t pairs = count * q.nprobe;
    const scan_shape &shape = pairs >= by.worth ? *by.many : *by.few;
    room_ = static_cast<uint32_t>(std::min<size_t>(by.room / count, UINT32_MAX));
    EB_TRY(by.queries->reserve(count * f.d, "queries", status));
    EB_TRY(counts_.reserve(count, "how many points were found", status));
    EB_TRY(limits_.reserve(count, "limits", status));
    EB_TRY(counters_.reserve(4, "counters", status));
    host_limits_.assign(count, asked.limit);
    EB_CUDA(cudaMemcpyAsync(by.queries->get(), asked.query + first * f.d, count * f.d * sizeof *asked.query,
                            cudaMemcpyHostToDevice),
            "copying queries");
    EB_CUDA(cudaMemcpyAsync(limits_.get(), host_limits_.data(), count * sizeof(float), cudaMemcpyHostToDevice),
            "setting limits");
    EB_CUDA(cudaMemsetAsync(counts_.get(), 0, count * sizeof(uint32_t)), "clearing counters");
    EB_CUDA(cudaMemsetAsync(counters_.get(), 0, 4 * sizeof(uint64_t)), "clearing counters");
    EB_TRY(by.lists->choose({by.queries->get(), count, f.d}, {f.centroids, by.nlist, f.d},
                            static_cast<unsigned>(q.nprobe), status));
    EB_TRY(by.lists->group({false, 0}, f.counts, shape.side_by_side, status)); /* all pairs, nearest lists included */
    unsigned long long *counter = reinterpret_cast<unsigned long long *>(counters_.get());
    EB_TRY(watch_.start(cudaStreamLegacy, status));
    EB_TRY(launch_scan(shape,
                       {f,
                        by.queries->get(),
                        by.lists->items(),
                        by.lists->item_count(),
                        by.lists->pairs(),
                        reinterpret_cast<uint32_t *>(counters_.get()),
                        limits_.get(),
                        {by.keys->get(), counts_.get(), room_},
                        UINT32_MAX,
                        q.scale,
                        counter + 1},
                       by.units, status));
    EB_TRY(watch_.mark(cudaStreamLegacy, status));
    count_candidates<<<by.units, threads>>>(by.lists->nearest(), pairs, f.counts, counter + 2);
    EB_CUDA(cudaGetLastError(), "counting candidates");
    by.work->blocks = shape.blocks, by.work->shared_bytes = shape.shared_bytes;
    by.work->side_by_side = shape.side_by_side;
    return read_counters(by, count, status);
}

uint32_t within_search::most_found() const { return *std::max_element(host_counts_.begin(), host_counts_.end()); }

/* The number of first queries whose points fit together. */
size_t within_search::fitting(const within_means &by) const
{
    size_t count = 0;
    for (uint64_t most = 1; count < host_counts_.size(); count++) {
        most = std::max<uint64_t>(most, host_counts_[count]);
        if (most > by.room / (count + 1))
            break;
    }
    return count;
}

/* ---- passing points on ---- */

/* Passes the points of the batch's queries begin … end − 1 to the callback. */
eb_code within_search::hand_some(const within_means &by, const queries_within &asked, size_t first, size_t begin,
                                 size_t end, eb_status *status)
{
    const size_t queries = end - begin;
    const double start_s = eb_now_s();
    host_offsets_.assign(1, 0);
    for (size_t at = begin; at < end; at++)
        host_offsets_.push_back(host_offsets_.back() + host_counts_[at]);
    const uint64_t points = host_offsets_.back();
    EB_TRY(offsets_.reserve(queries + 1, "where points go", status));
    EB_TRY(packed_.reserve(std::max<size_t>(points, found_at_once), "points on their way", status));
    EB_TRY(found_.reserve(std::max<size_t>(points, found_at_once), "points on their way", status));
    EB_CUDA(cudaMemcpyAsync(offsets_.get(), host_offsets_.data(), (queries + 1) * sizeof(uint64_t),
                            cudaMemcpyHostToDevice),
            "telling where points go");
    if (points > 0) {
        pack_keys<<<static_cast<unsigned>(queries), threads>>>(by.keys->get() + begin * room_, room_, offsets_.get(),
                                                               packed_.get());
        EB_CUDA(cudaGetLastError(), "packing points");
        EB_CUDA(cudaMemcpy(found_.get(), packed_.get(), points * sizeof(near_key), cudaMemcpyDeviceToHost),
                "copying points");
    }
    handing h = {asked.callback, found_.get(), host_offsets_.data(), first + begin};
    const double copied_s = eb_now_s();
    by.work->copy_s += copied_s - start_s;
    const eb_code failed = eb_parallel(by.threads, queries, take_one, &h, by.job, status);
    by.work->take_s += eb_now_s() - copied_s;
    return failed;
}

eb_code within_search::hand_over(const within_means &by, const queries_within &asked, size_t first, eb_status *status)
{
    by.work->lists += seen_[0];
    by.work->points += seen_[1];
    for (size_t begin = 0, end = 0; begin < host_counts_.size(); begin = end) {
        uint64_t points = 0;
        do
            points += host_counts_[end++];
        while (end < host_counts_.size() && points + host_counts_[end] <= found_at_once);
        EB_TRY(hand_some(by, asked, first, begin, end, status));
    }
    return EB_OK;
}

eb_code within_search::find(const within_means &by, const queries_within &asked, eb_status *status)
{
    size_t batch = by.batch;
    for (size_t first = 0; first < asked.count;) {
        EB_TRY(eb_job_check(by.job, status));
        EB_TRY(scan(by, asked, first, std::min(batch, asked.count - first), status));
        if (most_found() > room_) {
            batch = fitting(by);
            if (batch == 0)
                return eb_fail(status, EB_INTERNAL, "a query found more points than the lists hold");
            EB_TRY(scan(by, asked, first, batch, status));
            if (most_found() > room_)
                return eb_fail(status, EB_INTERNAL, "the same queries found more points when they were asked again");
        }
        EB_TRY(hand_over(by, asked, first, status));
        first += host_counts_.size();
        if (most_found() <= by.room / (2 * batch))
            batch = std::min(2 * batch, by.batch);
    }
    return EB_OK;
}

} // namespace eb
