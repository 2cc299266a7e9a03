#include "kernels/rows/near.cuh"

#include <cstring>

#include "kernels/parts/pick.h"

namespace eb {

namespace {

constexpr const char *selecting = "selecting the nearest";
constexpr unsigned queries_a_block = 4, threads = 32 * queries_a_block;

/* Numbers ≥ 0 are ordered as their bits. */
constexpr unsigned long long no_neighbour = 0x7ff0000000000000ull; /* infinity */

unsigned blocks_for(uint64_t items, unsigned a_block = 256)
{
    return static_cast<unsigned>((items + a_block - 1) / a_block);
}

__device__ bool excludes(const near_rule &rule, size_t query, uint32_t column)
{
    const uint32_t point = rule.point ? rule.point[column] : column;
    return (rule.own && rule.own[query] == point) || (rule.nobody && rule.nobody[point]);
}

__device__ unsigned long long bits_of(double s, const near_rule &rule)
{
    return s <= rule.most ? static_cast<unsigned long long>(__double_as_longlong(s)) : no_neighbour;
}

/* The k-th smallest of n numbers; no_neighbour or more if there are fewer. All lanes call it together. */
template <class value_of>
__device__ unsigned long long kth_smallest(value_of value, uint64_t n, uint32_t k, uint32_t lane)
{
    unsigned long long least = 0;
    for (int bit = 62; bit >= 0; bit--) {
        const unsigned long long trial = least | 1ull << bit;
        uint32_t below = 0;
        for (uint64_t x = lane; x < n; x += 32)
            below += value(x) < trial;
        if (__reduce_add_sync(~0u, below) < k)
            least = trial;
    }
    return least;
}

__device__ double reach_from(unsigned long long bits)
{
    return __longlong_as_double(static_cast<long long>(bits < no_neighbour ? bits : no_neighbour));
}

template <class T>
__global__ void __launch_bounds__(threads)
    reach_of_columns(const T *s, size_t queries, uint32_t columns, near_rule rule, double *reach)
{
    const size_t q = blockIdx.x * static_cast<size_t>(queries_a_block) + threadIdx.x / 32;
    const uint32_t lane = threadIdx.x % 32;
    if (q >= queries)
        return;
    const T *mine = s + q * columns;
    const auto value = [&](uint64_t c) {
        return excludes(rule, q, static_cast<uint32_t>(c)) ? no_neighbour : bits_of(static_cast<double>(mine[c]), rule);
    };
    const unsigned long long kth = kth_smallest(value, columns, rule.k, lane);
    if (lane == 0)
        reach[q] = reach_from(kth);
}

__device__ double marked(double) { return __longlong_as_double(static_cast<long long>(no_neighbour)); }
__device__ uint32_t marked(uint32_t) { return ~0u; }
__device__ double corrected(double s, double, double) { return s; }
__device__ uint32_t corrected(uint32_t s, uint32_t threshold, double reach)
{
    return s - (threshold - static_cast<uint32_t>(reach));
}

template <class T>
__global__ void correct(hit_buffer<T> pairs, uint64_t count, uint32_t first_query, uint32_t first_column,
                        near_rule rule, T threshold, const double *reach)
{
    const uint64_t x = blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x;
    if (x >= count)
        return;
    const uint2 pair = pairs.pair[x];
    const uint32_t query = pair.x - first_query, column = pair.y - first_column;
    pairs.squared[x] =
        excludes(rule, query, column) ? marked(pairs.squared[x]) : corrected(pairs.squared[x], threshold, reach[query]);
    if (rule.point)
        pairs.pair[x].y = first_column + rule.point[column];
}

/* One query's row. */
struct near_row {
    const uint32_t *column;
    const double *s;
    uint64_t count;
};

__device__ near_row row_at(const near_rows &rows, size_t q)
{
    const unsigned long long begin = rows.offset[q] - rows.offset[rows.first];
    return {rows.column + begin, rows.s + begin, rows.offset[q + 1] - rows.offset[q]};
}

__global__ void __launch_bounds__(threads) reach_in_rows(near_rows rows, near_rule rule, double *reach)
{
    const size_t q = rows.first + blockIdx.x * static_cast<size_t>(queries_a_block) + threadIdx.x / 32;
    const uint32_t lane = threadIdx.x % 32;
    if (q >= rows.end)
        return;
    const near_row row = row_at(rows, q);
    const unsigned long long kth =
        kth_smallest([&](uint64_t x) { return bits_of(row.s[x], rule); }, row.count, rule.k, lane);
    if (lane == 0 && kth < no_neighbour)
        reach[q] = reach_from(kth);
}

__device__ bool is_farther(const eb_near_row &a, const eb_near_row &b)
{
    return a.far > b.far || (a.far == b.far && a.row > b.row);
}

/* Of the numbers that equal the k-th, the first columns are taken. */
__device__ uint32_t collect(const near_row &row, const near_rule &rule, uint32_t lane, eb_near_row *to)
{
    const auto value = [&](uint64_t x) { return bits_of(row.s[x], rule); };
    const unsigned long long kth = kth_smallest(value, row.count, rule.k, lane);
    const unsigned long long end = kth < no_neighbour ? kth : no_neighbour;
    uint32_t below = 0, taken = 0, before = (1u << lane) - 1;
    for (uint64_t x = lane; x < row.count; x += 32)
        below += value(x) < end;
    uint32_t ties = kth < no_neighbour ? rule.k - __reduce_add_sync(~0u, below) : 0;
    for (uint64_t base = 0; base < row.count; base += 32) {
        const uint64_t x = base + lane;
        const unsigned long long mine = x < row.count ? value(x) : no_neighbour;
        const uint32_t tied = __ballot_sync(~0u, mine == end && kth < no_neighbour);
        const bool takes = mine < end || (tied >> lane & 1 && __popc(tied & before) < ties);
        const uint32_t votes = __ballot_sync(~0u, takes);
        if (takes)
            to[taken + __popc(votes & before)] = {row.s[x], row.column[x]};
        taken += __popc(votes);
        const uint32_t used = __popc(tied);
        ties -= used < ties ? used : ties;
    }
    return taken;
}

/* The farthest comes first: a row in this order is a heap. */
__global__ void __launch_bounds__(threads)
    select_in_rows(near_rows rows, near_rule rule, eb_near_row *near, uint32_t *count, eb_near_row *room)
{
    const size_t at = blockIdx.x * static_cast<size_t>(queries_a_block) + threadIdx.x / 32, q = rows.first + at;
    const uint32_t lane = threadIdx.x % 32;
    if (q >= rows.end)
        return;
    eb_near_row *const mine = room + at * rule.k, *const to = near + q * rule.k;
    const uint32_t taken = collect(row_at(rows, q), rule, lane, mine);
    __syncwarp();
    for (uint32_t x = lane; x < taken; x += 32) {
        const eb_near_row one = mine[x];
        uint32_t farther = 0;
        for (uint32_t y = 0; y < taken; y++)
            farther += is_farther(mine[y], one);
        to[farther] = one;
    }
    if (lane == 0)
        count[q] = taken;
}

__global__ void mark(const uint32_t *point, size_t count, unsigned char *marked)
{
    const size_t k = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    if (k < count)
        marked[point[k]] = 1;
}

__global__ void draw(const uint32_t *point, eb_pick pick, size_t count, uint32_t *out)
{
    const size_t k = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    if (k < count)
        out[k] = point[eb_pick_row(pick, k)];
}

__global__ void find_greatest(const double *value, size_t count, unsigned long long *greatest)
{
    unsigned long long mine = 0;
    for (size_t k = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; k < count;
         k += static_cast<size_t>(gridDim.x) * blockDim.x) {
        const unsigned long long bits = static_cast<unsigned long long>(__double_as_longlong(value[k]));
        mine = bits > mine ? bits : mine;
    }
    atomicMax(greatest, mine);
}

} // namespace

template <class T>
eb_code reach_of_all(const T *s, size_t queries, size_t columns, const near_rule &rule, double *reach,
                     cudaStream_t stream, eb_status *status)
{
    reach_of_columns<<<blocks_for(queries, queries_a_block), threads, 0, stream>>>(s, queries,
                                                                                   static_cast<uint32_t>(columns), rule,
                                                                                   reach);
    EB_CUDA(cudaGetLastError(), selecting);
    return EB_OK;
}

template <class T>
eb_code correct_pairs(const hit_buffer<T> &pairs, uint64_t count, uint32_t first_query, uint32_t first_column,
                      const near_rule &rule, T threshold, const double *reach, cudaStream_t stream, eb_status *status)
{
    if (count > 0)
        correct<<<blocks_for(count), 256, 0, stream>>>(pairs, count, first_query, first_column, rule, threshold, reach);
    EB_CUDA(cudaGetLastError(), selecting);
    return EB_OK;
}

eb_code reach_of_rows(const near_rows &rows, const near_rule &rule, double *reach, cudaStream_t stream,
                      eb_status *status)
{
    reach_in_rows<<<blocks_for(rows.end - rows.first, queries_a_block), threads, 0, stream>>>(rows, rule, reach);
    EB_CUDA(cudaGetLastError(), selecting);
    return EB_OK;
}

eb_code select_near(const near_rows &rows, const near_rule &rule, eb_near_row *near, uint32_t *count, eb_near_row *room,
                    cudaStream_t stream, eb_status *status)
{
    select_in_rows<<<blocks_for(rows.end - rows.first, queries_a_block), threads, 0, stream>>>(rows, rule, near, count,
                                                                                               room);
    EB_CUDA(cudaGetLastError(), selecting);
    return EB_OK;
}

eb_code mark_points(const uint32_t *point, size_t count, size_t points, unsigned char *marked, cudaStream_t stream,
                    eb_status *status)
{
    EB_CUDA(cudaMemsetAsync(marked, 0, points, stream), selecting);
    mark<<<blocks_for(count), 256, 0, stream>>>(point, count, marked);
    EB_CUDA(cudaGetLastError(), selecting);
    return EB_OK;
}

eb_code draw_points(const uint32_t *point, size_t n, size_t count, uint32_t *out, cudaStream_t stream,
                    eb_status *status)
{
    draw<<<blocks_for(count), 256, 0, stream>>>(point, eb_pick_spread(n, count, 0), count, out);
    EB_CUDA(cudaGetLastError(), selecting);
    return EB_OK;
}

eb_code greatest_of(const double *value, size_t count, unsigned long long *room, double *greatest, cudaStream_t stream,
                    eb_status *status)
{
    unsigned long long bits = 0;
    static_assert(sizeof bits == sizeof *greatest);
    EB_CUDA(cudaMemsetAsync(room, 0, sizeof *room, stream), selecting);
    find_greatest<<<256, 256, 0, stream>>>(value, count, room);
    EB_CUDA(cudaGetLastError(), selecting);
    EB_CUDA(cudaMemcpyAsync(&bits, room, sizeof bits, cudaMemcpyDeviceToHost, stream), selecting);
    EB_CUDA(cudaStreamSynchronize(stream), selecting);
    std::memcpy(greatest, &bits, sizeof bits);
    return EB_OK;
}

#define EB_NEAR(squared)                                                                                               \
    template eb_code reach_of_all(const squared *, size_t, size_t, const near_rule &, double *, cudaStream_t,          \
                                  eb_status *);                                                                        \
    template eb_code correct_pairs(const hit_buffer<squared> &, uint64_t, uint32_t, uint32_t, const near_rule &,       \
                                   squared, const double *, cudaStream_t, eb_status *)
EB_NEAR(double);
EB_NEAR(uint32_t);

} // namespace eb
