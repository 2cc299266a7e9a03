#include "kernels/boxes/cuda/fill.cuh"

#include <utility>

namespace eb {

namespace {

constexpr const char *filling = "filling rows";
constexpr uint32_t warps = 8;

/* The distances of a lane's point to points of another leaf. d = 0: any number of dimensions. */
template <uint32_t d> class lane_point {
  public:
    __device__ lane_point(const leaf_view &v) : v_(v) {}

    __device__ void load(uint32_t leaf)
    {
        mine_ = at(leaf) + threadIdx.x % 32;
        if constexpr (d > 0)
#pragma unroll
            for (uint32_t k = 0; k < d; k++)
                p_[k] = mine_[k * size_t{32}];
    }

    /* The exact engine's s of this lane's point and point j of a leaf. */
    __device__ double squared(uint32_t leaf, uint32_t j) const
    {
        const double *q = at(leaf) + j;
        double s = 0;
        if constexpr (d > 0) {
#pragma unroll
            for (uint32_t k = 0; k < d; k++)
                s = add_square(s, p_[k], q[k * size_t{32}]);
        } else {
            for (uint32_t k = 0; k < v_.d; k++)
                s = add_square(s, mine_[k * size_t{32}], q[k * size_t{32}]);
        }
        return s;
    }

  private:
    __device__ const double *at(uint32_t leaf) const
    {
        return v_.coordinate + eb_at_dimension(leaf * EB_LEAF, 0, d > 0 ? d : v_.d);
    }

    const leaf_view &v_;
    const double *mine_ = nullptr;
    double p_[d > 0 ? d : 1];
};

/* The row of a lane's point, and the position of the row's next entry. */
class lane_row {
  public:
    __device__ lane_row(const fill_work &w) : w_(w) {}

    /* Reserves `count` entries in the row of the lane's point of a leaf. False if there is nothing to write: no entry,
     * or the row is not in the range, or it has no room for them. */
    __device__ bool begin(uint32_t leaf, uint32_t count)
    {
        const uint32_t row = w_.leaves.point[leaf * size_t{EB_LEAF} + threadIdx.x % 32];
        if (count == 0 || row < w_.row_begin || row >= w_.row_end)
            return false;
        const size_t r = row - w_.row_begin;
        const uint32_t before = atomicAdd(w_.filled + r, count);
        at_ = w_.offset[r] - w_.offset[0] + before;
        if (at_ + count <= w_.offset[r + 1] - w_.offset[0])
            return true;
        atomicMin(w_.bad, static_cast<unsigned long long>(w_.bad_base + r));
        return false;
    }

    /* Writes an entry for each bit. */
    template <uint32_t d> __device__ void put(const lane_point<d> &point, uint32_t leaf, uint32_t bits)
    {
        for (; bits; bits &= bits - 1, at_++) {
            const uint32_t j = __ffs(bits) - 1;
            w_.column[at_] = w_.leaves.point[leaf * size_t{EB_LEAF} + j];
            if (w_.squared)
                w_.squared[at_] = point.squared(leaf, j);
        }
    }

  private:
    const fill_work &w_;
    uint64_t at_ = 0;
};

/* Number of entries of this lane's point of leaf a in the pairs x, x + 1, … that begin with leaf a. */
__device__ uint32_t entries_of_leaf(const fill_work &w, uint64_t x, uint64_t end, uint32_t a)
{
    uint32_t count = 0;
    for (; x < end && w.pair[x].x == a; x++)
        count += __popc(w.mask[x * 32 + threadIdx.x % 32]);
    return count;
}

/* A warp takes consecutive pairs of leaves. For each it writes the rows of a, then, with the mask transposed, those of
 * b. */
template <uint32_t d> __global__ void __launch_bounds__(32 * warps) fill(const fill_work w)
{
    const uint64_t first = (blockIdx.x * uint64_t{warps} + threadIdx.x / 32) * EB_VERDICT_PAIRS;
    const uint64_t end = first + EB_VERDICT_PAIRS < w.pairs ? first + EB_VERDICT_PAIRS : w.pairs;
    lane_point<d> above(w.leaves), below(w.leaves);
    lane_row row(w);
    bool puts = false;
    for (uint64_t x = first; x < end; x++) {
        const uint2 pair = w.pair[x];
        const uint32_t mask = w.mask[x * 32 + threadIdx.x % 32];
        if (x == first || w.pair[x - 1].x != pair.x) {
            puts = row.begin(pair.x, entries_of_leaf(w, x, end, pair.x));
            if (puts)
                above.load(pair.x);
        }
        if (puts)
            row.put(above, pair.y, mask);
        if (pair.x == pair.y)
            continue;
        const uint32_t others = transposed(mask);
        lane_row other(w);
        if (other.begin(pair.y, __popc(others))) {
            below.load(pair.y);
            other.put(below, pair.x, others);
        }
    }
}

/* dimension: 0, 1, …, most_few. */
template <uint32_t... dimension>
void launch(const fill_work &work, cudaStream_t stream, std::integer_sequence<uint32_t, dimension...>)
{
    constexpr uint64_t a_block = warps * EB_VERDICT_PAIRS;
    static constexpr void (*kernel[])(fill_work) = {fill<dimension>...};
    const unsigned blocks = static_cast<unsigned>((work.pairs + a_block - 1) / a_block);
    kernel[work.leaves.d <= most_few ? work.leaves.d : 0]<<<blocks, 32 * warps, 0, stream>>>(work);
}

__global__ void append_pairs(leaf_view v, const uint2 *pair, const uint32_t *mask, uint64_t pairs,
                             hit_buffer<double> hits)
{
    const uint64_t x = blockIdx.x * uint64_t{warps} + threadIdx.x / 32;
    const uint32_t lane = threadIdx.x % 32;
    if (x >= pairs)
        return;
    const uint2 two = pair[x];
    uint32_t bits = mask[x * 32 + lane];
    if (two.x == two.y)
        bits &= ~1u << lane; /* j > i */
    const uint32_t mine = __popc(bits), all = __reduce_add_sync(~0u, mine);
    if (all == 0)
        return;
    unsigned long long at = mine > 0 ? atomicAdd(hits.found, static_cast<unsigned long long>(mine)) : 0;
    lane_point<0> point(v);
    point.load(two.x);
    for (; bits; bits &= bits - 1, at++) {
        const uint32_t j = __ffs(bits) - 1;
        const uint32_t i = v.point[two.x * size_t{EB_LEAF} + lane], other = v.point[two.y * size_t{EB_LEAF} + j];
        store_at(hits, at, make_uint2(i, other), point.squared(two.y, j));
    }
}

} // namespace

eb_code fill_entries(const fill_work &work, cudaStream_t stream, eb_status *status)
{
    if (work.pairs > 0)
        launch(work, stream, std::make_integer_sequence<uint32_t, most_few + 1>());
    EB_CUDA(cudaGetLastError(), filling);
    return EB_OK;
}

eb_code append_hits(const leaf_view &leaves, const uint2 *pair, const uint32_t *mask, uint64_t pairs,
                    const hit_buffer<double> &hits, cudaStream_t stream, eb_status *status)
{
    const unsigned blocks = static_cast<unsigned>((pairs + warps - 1) / warps);
    if (pairs > 0)
        append_pairs<<<blocks, 32 * warps, 0, stream>>>(leaves, pair, mask, pairs, hits);
    EB_CUDA(cudaGetLastError(), "collecting pairs");
    return EB_OK;
}

} // namespace eb
