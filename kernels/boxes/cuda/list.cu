#include "kernels/boxes/cuda/masks.cuh"

#include <algorithm>

#include "kernels/sort/sort.cuh"

namespace eb {

namespace {

constexpr const char *listing = "listing pairs of leaves";
constexpr unsigned warps = 8;

/* Tests whether two boxes are near. Stops when the chain exceeds the limit. */
__device__ bool are_near(const leaf_view &v, uint32_t leaf, int level, uint32_t other, double limit)
{
    const double2 *one = v.box[0] + eb_at_dimension(leaf, 0, v.d), *two = v.box[level] + eb_at_dimension(other, 0, v.d);
    double s = 0;
    for (uint32_t k = 0; k < v.d && s <= limit; k++) {
        const double2 a = one[k * size_t{32}], b = two[k * size_t{32}];
        s = eb_add_gap(s, eb_gap(a.x, a.y, b.x, b.y));
    }
    return s <= limit;
}

/* Calls put(b, at) in each lane whose leaf b ≥ leaf is near; `at` numbers these leaves from 0. Returns their number. */
template <class take> __device__ uint32_t walk(const leaf_view &v, uint32_t leaf, double limit, take put)
{
    const uint32_t lane = threadIdx.x % 32, before = (1u << lane) - 1;
    uint32_t found = 0;
    for (uint32_t high = leaf / 1024 / 32 * 32; high < v.boxes[2]; high += 32) {
        const uint32_t top = high + lane;
        uint32_t tops = __ballot_sync(~0u, top >= leaf / 1024 && top < v.boxes[2] && are_near(v, leaf, 2, top, limit));
        for (; tops; tops &= tops - 1) {
            const uint32_t middle = (high + __ffs(tops) - 1) * 32 + lane;
            uint32_t middles =
                __ballot_sync(~0u, middle >= leaf / 32 && middle < v.boxes[1] && are_near(v, leaf, 1, middle, limit));
            for (; middles; middles &= middles - 1) {
                const uint32_t b = (middle - lane + __ffs(middles) - 1) * 32 + lane;
                const bool near = b >= leaf && b < v.boxes[0] && are_near(v, leaf, 0, b, limit);
                const uint32_t those = __ballot_sync(~0u, near);
                if (near)
                    put(b, found + __popc(those & before));
                found += __popc(those);
            }
        }
    }
    return found;
}

__global__ void count_pairs(leaf_view v, double limit, unsigned long long *count)
{
    const uint32_t leaf = blockIdx.x * warps + threadIdx.x / 32;
    if (leaf > v.boxes[0])
        return;
    const uint32_t found = leaf < v.boxes[0] ? walk(v, leaf, limit, [](uint32_t, uint32_t) {}) : 0;
    if (threadIdx.x % 32 == 0)
        count[leaf] = found;
}

__global__ void write_pairs(leaf_view v, double limit, list_slice slice, const unsigned long long *begin, uint2 *pair)
{
    const uint32_t leaf = slice.leaf_begin + blockIdx.x * warps + threadIdx.x / 32;
    if (leaf >= slice.leaf_end)
        return;
    uint2 *const out = pair + (begin[leaf] - slice.first);
    (void)walk(v, leaf, limit, [&](uint32_t b, uint32_t at) { out[at] = make_uint2(leaf, b); });
}

} // namespace

eb_code leaf_list::plan(const leaf_view &leaves, double threshold, uint64_t most, cudaStream_t stream,
                        eb_status *status)
{
    const size_t count = leaves.boxes[0];
    sort_room scratch;
    brought_ = ~uint64_t{0};
    EB_TRY(begin_.reserve(count + 1, listing, status));
    limit_ = eb_box_threshold(threshold);
    const unsigned blocks = static_cast<unsigned>(count / warps + 1);
    count_pairs<<<blocks, warps * 32, 0, stream>>>(leaves, limit_, begin_.get());
    EB_CUDA(cudaGetLastError(), listing);
    EB_TRY(sum_before(begin_.get(), begin_.get(), count + 1, scratch, listing, stream, status));
    EB_CUDA(cudaMemcpyAsync(&pairs_, begin_.get() + count, sizeof pairs_, cudaMemcpyDeviceToHost, stream), listing);
    EB_CUDA(cudaStreamSynchronize(stream), listing);
    slices_.assign(1, {0, pairs_, 0, leaves.boxes[0]});
    return pairs_ <= most ? EB_OK : cut(leaves.boxes[0], most, stream, status);
}

eb_code leaf_list::cut(uint32_t leaves, uint64_t most, cudaStream_t stream, eb_status *status)
{
    std::vector<unsigned long long> begin(leaves + size_t{1});
    EB_CUDA(cudaMemcpyAsync(begin.data(), begin_.get(), begin.size() * sizeof begin[0], cudaMemcpyDeviceToHost, stream),
            listing);
    EB_CUDA(cudaStreamSynchronize(stream), listing);
    slices_.clear();
    for (uint32_t leaf = 0; leaf < leaves;) {
        const auto behind = std::upper_bound(begin.begin() + leaf, begin.end(), begin[leaf] + most);
        const uint32_t end = static_cast<uint32_t>(behind - begin.begin()) - 1;
        if (end == leaf)
            return eb_fail(status, EB_NO_MEMORY,
                           "a leaf of 32 points is near %llu others; the GPU's memory limit has room for %llu",
                           begin[leaf + 1] - begin[leaf], static_cast<unsigned long long>(most));
        slices_.push_back({begin[leaf], begin[end] - begin[leaf], leaf, end});
        leaf = end;
    }
    return EB_OK;
}

eb_code leaf_list::bring(const leaf_view &leaves, const list_slice &slice, cudaStream_t stream, eb_status *status)
{
    if (brought_ == slice.first)
        return EB_OK;
    EB_TRY(pair_.reserve(slice.count, listing, status));
    const unsigned blocks = (slice.leaf_end - slice.leaf_begin + warps - 1) / warps;
    write_pairs<<<blocks, warps * 32, 0, stream>>>(leaves, limit_, slice, begin_.get(), pair_.get());
    EB_CUDA(cudaGetLastError(), listing);
    brought_ = slice.first;
    return EB_OK;
}

} // namespace eb
