#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/boxes/cuda/leaves.cuh"
#include "kernels/sort/cub.cuh"
#include "kernels/sort/sort.cuh"

#include <cub/block/block_radix_sort.cuh>

namespace eb {

namespace {

constexpr const char *ordering = "ordering the points";
constexpr int sampled = 1024, outside = sampled / 200; /* sampled points at either end that may be outliers */
constexpr uint32_t most_widest = 16;
constexpr int bisecting_threads = EB_SEGMENT / 2, warp_places = 64; /* a thread has two places */
constexpr unsigned most_groups = EB_SEGMENT / warp_places;

/* The widest dimensions, widest first, and the range of most points in each. */
struct widest_dimensions {
    uint32_t count, dimension[most_widest];
    double low[most_widest], high[most_widest];
    double unit; /* 1 / the range of the widest */
};

__global__ void __launch_bounds__(sampled) survey(const double *points, size_t n, size_t d, double2 *spread)
{
    using block_sort = cub::BlockRadixSort<double, sampled, 1>;
    __shared__ typename block_sort::TempStorage scratch;
    __shared__ double sorted[sampled];
    const size_t k = blockIdx.x, row = threadIdx.x * n / sampled;
    double x[1] = {points[row * d + k]};
    block_sort(scratch).Sort(x);
    sorted[threadIdx.x] = x[0];
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    const double low = sorted[outside], high = sorted[sampled - 1 - outside];
    spread[k] = low < high ? make_double2(low, high) : make_double2(sorted[0], sorted[sampled - 1]);
}

__global__ void morton_codes(const double *points, size_t n, size_t d, widest_dimensions widest, uint64_t *code,
                             uint32_t *point)
{
    const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    if (i >= n)
        return;
    const uint32_t dimensions = min(widest.count, EB_MORTON_DIMENSIONS);
    uint32_t cell[EB_MORTON_DIMENSIONS];
#pragma unroll
    for (uint32_t k = 0; k < EB_MORTON_DIMENSIONS; k++)
        cell[k] = k < dimensions ? eb_cell_of(points[i * d + widest.dimension[k]], widest.low[k], widest.high[k],
                                              eb_cell_bits(dimensions))
                                 : 0;
    code[i] = eb_morton_code(cell, dimensions);
    point[i] = static_cast<uint32_t>(i);
}

/* An integer that orders as the float does. */
__device__ uint32_t ordered_bits(float x)
{
    const uint32_t bits = __float_as_uint(x);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__device__ float of_ordered_bits(uint32_t bits)
{
    return __uint_as_float(bits & 0x80000000u ? bits & 0x7fffffffu : ~bits);
}

/* A segment, its points numbered within it. Parts have at least 64 places, so that each has one or more whole warps. */
struct segment {
    uint64_t key[EB_SEGMENT]; /* high half: coordinate; low half: number */
    uint32_t point[EB_SEGMENT];
    uint32_t low[most_widest][most_groups], high[most_widest][most_groups]; /* of each part */
};

__device__ uint32_t number_at(const segment &s, uint32_t place) { return static_cast<uint32_t>(s.key[place]); }

/* A coordinate relative to the range of its dimension. FP32's rounding only moves a cut. */
__device__ uint32_t coordinate(const double *points, size_t d, const widest_dimensions &widest, uint32_t which,
                               uint32_t point)
{
    const double x = points[point * d + widest.dimension[which]];
    return ordered_bits(static_cast<float>((x - widest.low[which]) * widest.unit));
}

__device__ void measure_parts(segment &s, const double *points, size_t d, const widest_dimensions &widest,
                              uint32_t places)
{
    const uint32_t t = threadIdx.x, part = 2 * t / places;
    for (uint32_t x = t; x < widest.count * most_groups; x += bisecting_threads) {
        s.low[x / most_groups][x % most_groups] = ~0u;
        s.high[x / most_groups][x % most_groups] = 0;
    }
    __syncthreads();
    const uint32_t p = s.point[number_at(s, 2 * t)], q = s.point[number_at(s, 2 * t + 1)];
    for (uint32_t k = 0; k < widest.count; k++) {
        const uint32_t x = p == no_point ? ~0u : coordinate(points, d, widest, k, p),
                       y = q == no_point ? x : coordinate(points, d, widest, k, q);
        const uint32_t low = __reduce_min_sync(~0u, min(x, y));
        const uint32_t high = __reduce_max_sync(~0u, p == no_point ? 0 : max(x, y));
        if (t % 32 == 0) {
            atomicMin(&s.low[k][part], low);
            atomicMax(&s.high[k][part], high);
        }
    }
    __syncthreads();
}

__device__ uint32_t widest_of_part(const segment &s, const widest_dimensions &widest, uint32_t part)
{
    uint32_t best = 0;
    float most = -1;
    for (uint32_t k = 0; k < widest.count; k++) {
        const float width =
            s.low[k][part] <= s.high[k][part] ? of_ordered_bits(s.high[k][part]) - of_ordered_bits(s.low[k][part]) : 0;
        if (width > most) {
            best = k;
            most = width;
        }
    }
    return best;
}

/* Sorts each part by its keys, ascending, by a bitonic network over all parts at once. */
__device__ void sort_parts(segment &s, uint32_t places)
{
    for (uint32_t run = 2; run <= places; run *= 2)
        for (uint32_t step = run / 2; step > 0; step /= 2) {
            const uint32_t low = 2 * threadIdx.x - (threadIdx.x & (step - 1)), high = low + step;
            const bool ascending = (low & (places - 1) & run) == 0;
            const uint64_t x = s.key[low], y = s.key[high];
            if ((x > y) == ascending) {
                s.key[low] = y;
                s.key[high] = x;
            }
            __syncthreads();
        }
}

__global__ void __launch_bounds__(bisecting_threads)
    bisect(const double *points, size_t n, size_t d, widest_dimensions widest, uint32_t *point)
{
    __shared__ segment s;
    const size_t first = blockIdx.x * static_cast<size_t>(EB_SEGMENT);
    const uint32_t t = threadIdx.x;
    for (uint32_t x = t; x < EB_SEGMENT; x += bisecting_threads) {
        s.point[x] = first + x < n ? point[first + x] : no_point;
        s.key[x] = x;
    }
    __syncthreads();
    for (uint32_t places = EB_SEGMENT; places > EB_LEAF; places /= 2) {
        measure_parts(s, points, d, widest, places);
        const uint32_t across = widest_of_part(s, widest, 2 * t / places);
        for (uint32_t x = 2 * t; x < 2 * t + 2; x++) {
            const uint32_t number = number_at(s, x), p = s.point[number];
            const uint32_t at = p == no_point ? ~0u : coordinate(points, d, widest, across, p);
            s.key[x] = static_cast<uint64_t>(at) << 32 | number;
        }
        __syncthreads();
        sort_parts(s, places);
    }
    const size_t padded = (n + EB_LEAF - 1) / EB_LEAF * EB_LEAF;
    for (uint32_t x = t; x < EB_SEGMENT; x += bisecting_threads)
        if (first + x < padded)
            point[first + x] = s.point[number_at(s, x)];
}

unsigned blocks_for(size_t items, size_t a_block = 256)
{
    return static_cast<unsigned>((items + a_block - 1) / a_block);
}

eb_code find_widest(const double *points, size_t n, size_t d, widest_dimensions *out, cudaStream_t stream,
                    eb_status *status)
{
    device_array<double2> spread;
    std::vector<double2> at(d);
    std::vector<uint32_t> dimension(d);
    EB_TRY(spread.reserve(d, ordering, status));
    survey<<<static_cast<unsigned>(d), sampled, 0, stream>>>(points, n, d, spread.get());
    EB_CUDA(cudaGetLastError(), ordering);
    EB_CUDA(cudaMemcpyAsync(at.data(), spread.get(), d * sizeof(double2), cudaMemcpyDeviceToHost, stream), ordering);
    EB_CUDA(cudaStreamSynchronize(stream), ordering);
    auto width = [&](uint32_t k) { return at[k].y - at[k].x; };
    std::iota(dimension.begin(), dimension.end(), 0u);
    out->count = static_cast<uint32_t>(std::min<size_t>(d, most_widest));
    std::partial_sort(dimension.begin(), dimension.begin() + out->count, dimension.end(),
                      [&](uint32_t a, uint32_t b) { return width(a) > width(b) || (width(a) == width(b) && a < b); });
    for (uint32_t k = 0; k < out->count; k++) {
        out->dimension[k] = dimension[k];
        out->low[k] = at[dimension[k]].x;
        out->high[k] = at[dimension[k]].y;
    }
    out->unit = width(dimension[0]) > 0 ? 1 / width(dimension[0]) : 1;
    return EB_OK;
}

} // namespace

eb_code order_in_leaves(const double *points, size_t n, size_t d, device_array<uint32_t> &point, cudaStream_t stream,
                        eb_status *status)
{
    const size_t padded = round_up(n, EB_LEAF);
    device_array<uint64_t> code, code_sorted;
    device_array<uint32_t> stored;
    sort_room scratch;
    widest_dimensions widest;
    EB_TRY(find_widest(points, n, d, &widest, stream, status));
    EB_TRY(code.reserve(n, ordering, status));
    EB_TRY(code_sorted.reserve(n, ordering, status));
    EB_TRY(stored.reserve(n, ordering, status));
    EB_TRY(point.reserve(padded, ordering, status));
    morton_codes<<<blocks_for(n), 256, 0, stream>>>(points, n, d, widest, code.get(), stored.get());
    EB_CUDA(cudaGetLastError(), ordering);
    const uint32_t dimensions = std::min(widest.count, EB_MORTON_DIMENSIONS);
    const int bits = static_cast<int>(eb_cell_bits(dimensions) * dimensions);
    EB_TRY(sort_pairs(code.get(), code_sorted.get(), stored.get(), point.get(), n, bits, scratch, ordering, stream,
                      status));
    bisect<<<blocks_for(n, EB_SEGMENT), bisecting_threads, 0, stream>>>(points, n, d, widest, point.get());
    EB_CUDA(cudaGetLastError(), ordering);
    return EB_OK;
}

} // namespace eb
