#include "kernels/boxes/cuda/verdicts.cuh"

#include <utility>

namespace eb {

namespace {

constexpr uint32_t no_leaf = ~0u;
/* In a block of the kernel for d dimensions; 0: for more than most_few. */
EB_BOTH uint32_t warps_of(uint32_t d) { return eb_verdict_warps(d == 0 ? most_few + 1 : d); }

/* Stores a warp's masks, and counts entries and degrees. All lanes call each function together. */
class mask_visitor {
  public:
    __device__ mask_visitor(const verdict_work &w, found_counts *block) : w_(w), block_(block) {}

    __device__ void begin_leaf(uint32_t a)
    {
        end_leaf();
        leaf_ = a;
        wanted_ = is_wanted(a);
    }

    __device__ void take(uint64_t x, uint2 pair, uint32_t mask)
    {
        if (w_.mask)
            w_.mask[x * 32 + lane_] = mask;
        if (!__any_sync(~0u, mask != 0))
            return;
        const bool two = pair.x != pair.y;
        const uint32_t mine = __popc(mask);
        const uint32_t other = two && (w_.degree || !w_.whole) ? __popc(transposed(mask)) : 0;
        if (w_.whole)
            entries_ += two ? 2 * mine : mine;
        else
            entries_ += (wanted_ ? mine : 0) + (other > 0 && is_wanted(pair.y) ? other : 0);
        degree_ += mine;
        if (w_.degree && other > 0)
            atomicAdd(w_.degree + pair.y * size_t{EB_LEAF} + lane_, other);
    }

    __device__ void finish(uint32_t candidates)
    {
        end_leaf();
        const uint32_t entries = __reduce_add_sync(~0u, entries_);
        if (lane_ == 0) {
            atomicAdd(&block_->entries, static_cast<unsigned long long>(entries));
            atomicAdd(&block_->candidates, static_cast<unsigned long long>(candidates) * EB_LEAF);
        }
    }

  private:
    __device__ bool is_wanted(uint32_t leaf) const
    {
        const uint32_t row = w_.whole ? 0 : w_.leaves.point[leaf * size_t{EB_LEAF} + lane_];
        return row >= w_.row_begin && row < w_.row_end;
    }
    __device__ void end_leaf()
    {
        if (w_.degree && degree_ > 0)
            atomicAdd(w_.degree + leaf_ * size_t{EB_LEAF} + lane_, degree_);
        degree_ = 0;
    }

    const verdict_work &w_;
    found_counts *block_;
    uint32_t lane_ = threadIdx.x % 32, leaf_ = no_leaf, degree_ = 0, entries_ = 0;
    bool wanted_ = false;
};

/* Computes the masks of pairs of leaves, one after the other, for d dimensions. d = 0: any number of dimensions. */
template <uint32_t d> class leaf_meeting {
  public:
    static constexpr uint32_t slice = d == 0 ? most_few : d, words = eb_verdict_words(slice);

    __device__ leaf_meeting(const verdict_work &w, double2 *shared)
        : w_(w), shared_(shared), limit_(eb_box_threshold(w.threshold))
    {
    }

    __device__ void begin_leaf(uint32_t a)
    {
        a_ = a;
        if constexpr (d > 0)
            load(a, 0);
    }

    /* The mask of the leaf of begin_leaf and leaf b. */
    __device__ uint32_t meet(uint32_t b, uint32_t *candidates)
    {
        if constexpr (d > 0)
            return meet_few(b, candidates);
        else
            return meet_many(b, candidates);
    }

  private:
    __device__ const double *coordinates(uint32_t leaf) const
    {
        return w_.leaves.coordinate + eb_at_dimension(leaf * EB_LEAF, 0, dimensions()) + lane_;
    }
    __device__ uint32_t dimensions() const { return d > 0 ? d : w_.leaves.d; }

    __device__ void load(uint32_t a, uint32_t first)
    {
        const double *from = coordinates(a);
#pragma unroll
        for (uint32_t k = 0; k < slice; k++)
            p_[k] = d > 0 || first + k < w_.leaves.d ? from[(first + k) * size_t{32}] : 0;
    }

    /* Adds the slice's dimensions to s of this lane's point and point j of b. */
    __device__ double add_slice(double s, uint32_t j) const
    {
        const double2 *q = shared_ + j * words;
#pragma unroll
        for (uint32_t k = 0; k < slice; k += 2) {
            const double2 two = q[k / 2];
            s = add_square(s, p_[k], two.x);
            if (k + 1 < slice)
                s = add_square(s, p_[k + 1], two.y);
        }
        return s;
    }

    __device__ uint32_t meet_few(uint32_t b, uint32_t *candidates)
    {
        const double *from = coordinates(b);
        const double2 *box = w_.leaves.box[0] + eb_at_dimension(a_, 0, d);
        double2 *row = shared_ + lane_ * words;
        double q[d], near = 0;
#pragma unroll
        for (uint32_t k = 0; k < d; k++) {
            q[k] = from[k * size_t{32}];
            const double2 around = box[k * size_t{32}];
            near = eb_add_gap(near, eb_gap(around.x, around.y, q[k], q[k]));
        }
        __syncwarp();
#pragma unroll
        for (uint32_t k = 0; k < d; k += 2)
            row[k / 2] = make_double2(q[k], k + 1 < d ? q[k + 1 < d ? k + 1 : k] : 0);
        uint32_t left = __ballot_sync(~0u, near <= limit_), mask = 0;
        *candidates += __popc(left);
        __syncwarp();
        while (left) { /* two at a time, to hide the latency of a sum */
            const uint32_t one = __ffs(left) - 1;
            left &= left - 1;
            const uint32_t two = left ? __ffs(left) - 1 : one;
            left &= left - 1;
            const double s = add_slice(0, one), t = add_slice(0, two);
            mask |= s <= w_.threshold ? 1u << one : 0;
            mask |= t <= w_.threshold ? 1u << two : 0;
        }
        return mask;
    }

    __device__ bool is_near(uint32_t b) const
    {
        const double *from = coordinates(b);
        const double2 *box = w_.leaves.box[0] + eb_at_dimension(a_, 0, w_.leaves.d);
        double near = 0;
        for (uint32_t k = 0; k < w_.leaves.d && near <= limit_; k++) {
            const double q = from[k * size_t{32}];
            near = eb_add_gap(near, eb_gap(box[k * size_t{32}].x, box[k * size_t{32}].y, q, q));
        }
        return near <= limit_;
    }

    __device__ uint32_t meet_many(uint32_t b, uint32_t *candidates)
    {
        const double *from = coordinates(b);
        double2 *row = shared_ + lane_ * words;
        uint32_t left = __ballot_sync(~0u, is_near(b)), mask = 0;
        double s[EB_LEAF] = {};
        *candidates += __popc(left);
        for (uint32_t first = 0; first < w_.leaves.d && left; first += slice) {
            load(a_, first);
            __syncwarp();
#pragma unroll
            for (uint32_t k = 0; k < slice; k += 2) {
                const uint32_t at = first + k;
                row[k / 2] = make_double2(at < w_.leaves.d ? from[at * size_t{32}] : 0,
                                          at + 1 < w_.leaves.d ? from[(at + 1) * size_t{32}] : 0);
            }
            __syncwarp();
            mask = 0;
#pragma unroll
            for (uint32_t j = 0; j < EB_LEAF; j += 2) {
                if (!(left >> j & 3))
                    continue;
                s[j] = add_slice(s[j], j);
                s[j + 1] = add_slice(s[j + 1], j + 1);
                mask |= s[j] <= w_.threshold ? 1u << j : 0;
                mask |= s[j + 1] <= w_.threshold ? 2u << j : 0;
            }
            left &= __reduce_or_sync(~0u, mask);
        }
        return mask & left;
    }

    const verdict_work &w_;
    double2 *shared_; /* this warp's slice of leaf b, point by point */
    double limit_;
    uint32_t lane_ = threadIdx.x % 32, a_ = no_leaf;
    double p_[slice];
};

template <uint32_t d> __global__ void __launch_bounds__(32 * warps_of(d), d == 0 ? 3 : 1) verdicts(const verdict_work w)
{
    constexpr uint32_t warps = warps_of(d);
    __shared__ double2 shared[warps][EB_LEAF * leaf_meeting<d>::words];
    __shared__ found_counts block;
    const uint32_t warp = threadIdx.x / 32;
    const uint64_t first = (blockIdx.x * uint64_t{warps} + warp) * EB_VERDICT_PAIRS;
    const uint64_t end = first + EB_VERDICT_PAIRS < w.pairs ? first + EB_VERDICT_PAIRS : w.pairs;
    if (threadIdx.x == 0)
        block = {0, 0};
    __syncthreads();
    leaf_meeting<d> meeting(w, shared[warp]);
    mask_visitor visitor(w, &block);
    uint32_t a = no_leaf, candidates = 0;
    for (uint64_t x = first; x < end; x++) {
        const uint2 pair = w.pair[x];
        if (pair.x != a) {
            a = pair.x;
            meeting.begin_leaf(a);
            visitor.begin_leaf(a);
        }
        visitor.take(x, pair, meeting.meet(pair.y, &candidates));
    }
    visitor.finish(candidates);
    __syncthreads();
    if (threadIdx.x == 0 && block.candidates > 0) {
        atomicAdd(&w.found->entries, block.entries);
        atomicAdd(&w.found->candidates, block.candidates);
    }
}

/* dimension: 0, 1, …, most_few. */
template <uint32_t... dimension>
void launch(const verdict_work &work, cudaStream_t stream, std::integer_sequence<uint32_t, dimension...>)
{
    static constexpr void (*kernel[])(verdict_work) = {verdicts<dimension>...};
    const uint32_t d = work.leaves.d <= most_few ? work.leaves.d : 0, warps = warps_of(d);
    const uint64_t a_block = uint64_t{warps} * EB_VERDICT_PAIRS;
    kernel[d]<<<static_cast<unsigned>((work.pairs + a_block - 1) / a_block), 32 * warps, 0, stream>>>(work);
}

} // namespace

eb_code find_verdicts(const verdict_work &work, cudaStream_t stream, eb_status *status)
{
    if (work.pairs > 0)
        launch(work, stream, std::make_integer_sequence<uint32_t, most_few + 1>());
    EB_CUDA(cudaGetLastError(), "looking at pairs of leaves");
    return EB_OK;
}

} // namespace eb
