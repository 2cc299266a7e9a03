#include "kernels/inverted/cuda/lists.cuh"

#include "kernels/inverted/cuda/select.cuh"

namespace eb {
namespace {

constexpr unsigned threads = 256;

unsigned blocks_for(size_t count) { return static_cast<unsigned>((count + threads - 1) / threads); }

/* A block chooses the lists of a query. */
__global__ void __launch_bounds__(threads)
    choose_lists(const float *distances, unsigned lists, unsigned nprobe, uint32_t *chosen)
{
    __shared__ select_room room;
    __shared__ unsigned taken;
    const float *s = distances + static_cast<size_t>(blockIdx.x) * lists;
    uint32_t *out = chosen + static_cast<size_t>(blockIdx.x) * nprobe;
    const auto key_at = [s](unsigned list) { return key_of(s[list], list); };
    if (threadIdx.x == 0)
        taken = 1;
    survey_keys(key_at, lists, room);
    const near_key bound = wanted_bound(key_at, lists, nprobe, room);
    for (unsigned list = threadIdx.x; list < lists; list += threads) {
        const near_key key = key_at(list);
        if (key <= bound)
            out[key == room.least ? 0 : atomicAdd(&taken, 1u)] = list;
    }
}

struct chosen_pairs {
    const uint32_t *chosen, *counts;
    size_t queries;
    unsigned nprobe;
    pair_choice which;
};

/* True if the pair of query and list is to be scanned. */
__device__ bool list_of(const chosen_pairs &p, size_t pair, uint32_t &list)
{
    list = p.chosen[pair];
    const bool nearest = pair % p.nprobe == 0, wanted = nearest == p.which.nearest_only;
    return p.counts[list] > 0 && (wanted || (nearest && p.counts[list] > p.which.scanned));
}

__global__ void count_pairs(chosen_pairs p, uint32_t *per_list)
{
    const size_t pair = static_cast<size_t>(blockIdx.x) * threads + threadIdx.x;
    uint32_t list;
    if (pair < p.queries * p.nprobe && list_of(p, pair, list))
        atomicAdd(&per_list[list], 1u);
}

__global__ void place_pairs(chosen_pairs p, const uint32_t *begin, uint32_t *cursor, uint32_t *pairs)
{
    const size_t pair = static_cast<size_t>(blockIdx.x) * threads + threadIdx.x;
    uint32_t list;
    if (pair < p.queries * p.nprobe && list_of(p, pair, list))
        pairs[begin[list] + atomicAdd(&cursor[list], 1u)] = static_cast<uint32_t>(pair / p.nprobe);
}

__global__ void count_items(const uint32_t *per_list, size_t lists, unsigned side_by_side, uint32_t *items)
{
    const size_t list = static_cast<size_t>(blockIdx.x) * threads + threadIdx.x;
    if (list <= lists)
        items[list] = list < lists ? (per_list[list] + side_by_side - 1) / side_by_side : 0;
}

__global__ void write_items(const uint32_t *per_list, const uint32_t *begin, const uint32_t *item_begin, size_t lists,
                            unsigned side_by_side, list_item *items)
{
    const size_t list = static_cast<size_t>(blockIdx.x) * threads + threadIdx.x;
    if (list >= lists)
        return;
    for (uint32_t at = 0, item = item_begin[list]; at < per_list[list]; at += side_by_side, item++) {
        const uint32_t left = per_list[list] - at;
        items[item] = {static_cast<uint32_t>(list), begin[list] + at, left < side_by_side ? left : side_by_side};
    }
}

} // namespace

eb_code list_groups::choose(const f32_rows &queries, const f32_rows &centroids, unsigned nprobe, eb_status *status)
{
    queries_ = queries.count, lists_ = centroids.count, nprobe_ = nprobe;
    EB_TRY(distances_.reserve(queries_ * lists_, "distances to lists", status));
    EB_TRY(chosen_.reserve(queries_ * nprobe, "lists to look at", status));
    EB_TRY(launch_distances(queries, centroids, distances_.get(), status));
    choose_lists<<<static_cast<unsigned>(queries_), threads>>>(distances_.get(), static_cast<unsigned>(lists_), nprobe,
                                                               chosen_.get());
    EB_CUDA(cudaGetLastError(), "starting the choice of lists");
    return EB_OK;
}

eb_code list_groups::group(const pair_choice &which, const uint32_t *counts, unsigned side_by_side, eb_status *status)
{
    const size_t pairs = queries_ * nprobe_;
    const chosen_pairs p = {chosen_.get(), counts, queries_, nprobe_, which};
    EB_TRY(per_list_.reserve(2 * (lists_ + 1), "lists", status));
    EB_TRY(begin_.reserve(lists_ + 1, "lists", status));
    EB_TRY(per_list_items_.reserve(lists_ + 1, "lists", status));
    EB_TRY(item_begin_.reserve(lists_ + 1, "lists", status));
    EB_TRY(pairs_.reserve(pairs, "pairs of queries and lists", status));
    EB_TRY(items_.reserve(pairs, "pairs of queries and lists", status));
    uint32_t *cursor = per_list_.get() + lists_ + 1;
    EB_CUDA(cudaMemsetAsync(per_list_.get(), 0, 2 * (lists_ + 1) * sizeof(uint32_t)), "clearing lists");
    count_pairs<<<blocks_for(pairs), threads>>>(p, per_list_.get());
    EB_TRY(sum_before(per_list_.get(), begin_.get(), lists_ + 1, scratch_, "grouping by lists", nullptr, status));
    count_items<<<blocks_for(lists_ + 1), threads>>>(per_list_.get(), lists_, side_by_side, per_list_items_.get());
    EB_TRY(sum_before(per_list_items_.get(), item_begin_.get(), lists_ + 1, scratch_, "grouping by lists", nullptr,
                      status));
    place_pairs<<<blocks_for(pairs), threads>>>(p, begin_.get(), cursor, pairs_.get());
    write_items<<<blocks_for(lists_), threads>>>(per_list_.get(), begin_.get(), item_begin_.get(), lists_, side_by_side,
                                                 items_.get());
    EB_CUDA(cudaGetLastError(), "grouping by lists");
    return EB_OK;
}

} // namespace eb
