/* A block takes 128 points and goes through all vectors, 128 at a time: eight warps, four by two, each 32 points by 64
 * vectors. A slice of both is 128 rows of 128 bytes, 64 coordinates; while one is multiplied the next is on its way,
 * also from one tile of vectors to the next. From its accumulators a lane keeps for each of its four points the least
 * and the second least h − ⟨x, c⟩. It has six instructions an element for that, beside d/64 of mma: at d = 128 both
 * take about as long.
 */
#include "kernels/inverted/cuda/filter.cuh"

#include <algorithm>

#include "kernels/inverted/near_bound.h"
#include "kernels/parts/stage.cuh"

extern "C" {
#include "core/data/dataset.h"
}

namespace eb {
namespace {

constexpr int tile = 128, threads = 256, slice = row_bytes / 2; /* rows; coordinates */
constexpr int tile_bytes = tile * row_bytes, stage_bytes = 2 * tile_bytes, shared_bytes = 2 * stage_bytes;
constexpr int warp_rows = 32, warp_columns = 64, row_blocks = warp_rows / 16, column_blocks = warp_columns / 8;
constexpr eb_swizzle by_rows = EB_SWIZZLE_ROWS;

unsigned blocks_for(size_t count, size_t each) { return static_cast<unsigned>((count + each - 1) / each); }

/* ---- rows in FP16 ---- */

/* Non-negative floats are in the order of their bits. */
__device__ void raise(unsigned *bits, float to) { atomicMax(bits, __float_as_uint(to)); }

__global__ void greatest_value(const float *value, size_t count, unsigned *bits)
{
    float most = 0;
    for (size_t at = static_cast<size_t>(blockIdx.x) * threads + threadIdx.x; at < count;
         at += static_cast<size_t>(gridDim.x) * threads)
        most = fmaxf(most, fabsf(value[at]));
    for (int apart = 16; apart > 0; apart /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, apart));
    if (threadIdx.x % 32 == 0)
        raise(bits, most);
}

struct rounding_task {
    f32_rows from;
    double scale, ratio; /* ratio: of h, S/T/2; 0: no h */
    size_t padded, d_padded;
    __half *value;
    float *length, *moved, *half_square;
    unsigned *greatest_bits; /* length, moved, half_square */
};

/* A warp rounds a row. Lengths are rounded up. */
__global__ void __launch_bounds__(threads) round_rows(rounding_task t)
{
    const size_t row = static_cast<size_t>(blockIdx.x) * (threads / 32) + threadIdx.x / 32;
    const bool there = row < t.from.count;
    double square = 0, away = 0;
    if (row >= t.padded)
        return;
    for (size_t k = threadIdx.x % 32; k < t.d_padded; k += 32) {
        const double x = there && k < t.from.d ? t.scale * static_cast<double>(t.from.value[row * t.from.d + k]) : 0;
        const __half rounded = __double2half(x);
        const double lost = x - static_cast<double>(__half2float(rounded));
        t.value[row * t.d_padded + k] = rounded;
        square += x * x;
        away += lost * lost;
    }
    for (int apart = 16; apart > 0; apart /= 2) {
        square += __shfl_xor_sync(~0u, square, apart);
        away += __shfl_xor_sync(~0u, away, apart);
    }
    if (threadIdx.x % 32 != 0)
        return;
    const float length = __double2float_ru(sqrt(square) * (1 + 0x1p-30)),
                moved = __double2float_ru(sqrt(away) * (1 + 0x1p-30));
    t.length[row] = length;
    t.moved[row] = moved;
    if (t.ratio == 0)
        return;
    const float half_square = there ? __double2float_rn(square * t.ratio) : INFINITY;
    t.half_square[row] = half_square;
    if (!there)
        return;
    raise(t.greatest_bits, length);
    raise(t.greatest_bits + 1, moved);
    raise(t.greatest_bits + 2, half_square);
}

/* ---- the filter ---- */

struct filter_task {
    const unsigned char *points, *vectors;
    size_t stride, count;
    int tiles, slices; /* of vectors; of a row */
    const float *half_square, *length, *moved;
    eb_near_bound bound;
    uint32_t *place, *unsure;
    unsigned long long *key;
};

/* The least and the second least of some vectors' q. */
struct nearest_two {
    float best, second;
    uint32_t where;

    __device__ void take(float q, uint32_t number)
    {
        const bool less = q < best;
        second = fminf(second, fmaxf(best, q));
        best = less ? q : best;
        where = less ? number : where;
    }
    __device__ void take(const nearest_two &other)
    {
        second = fminf(fminf(second, other.second), fmaxf(best, other.best));
        where = other.best < best ? other.where : where;
        best = fminf(best, other.best);
    }
};

__device__ void multiply(float (&sum)[row_blocks][column_blocks][4], uint32_t stage, int warp, int lane)
{
    const uint32_t a_row = stage + static_cast<uint32_t>((warp / 2 * warp_rows + eb_a_row(lane)) * row_bytes);
    const uint32_t b_row =
        stage + static_cast<uint32_t>(tile_bytes + (warp % 2 * warp_columns + eb_b_row(lane)) * row_bytes);
#pragma unroll
    for (int step = 0; step < slice / 16; step++) {
        uint32_t a[row_blocks][4];
#pragma unroll
        for (int m = 0; m < row_blocks; m++)
            load_matrices(a[m], a_row + m * 16 * row_bytes + eb_a_place(by_rows, step, lane));
#pragma unroll
        for (int c = 0; c < column_blocks; c += 2) {
            uint32_t b[4];
            load_matrices(b, b_row + c * 8 * row_bytes + eb_b_place(by_rows, step, lane));
#pragma unroll
            for (int m = 0; m < row_blocks; m++) {
                mma_f16(sum[m][c], a[m], b[0], b[1]);
                mma_f16(sum[m][c + 1], a[m], b[2], b[3]);
            }
        }
    }
}

/* Takes a tile's sums and clears them. first: the number of the lane's first vector. */
__device__ void take_sums(float (&sum)[row_blocks][column_blocks][4], const float *half_square, uint32_t first,
                          nearest_two (&nearest)[2 * row_blocks])
{
#pragma unroll
    for (int c = 0; c < column_blocks; c++) {
        const uint32_t number = first + static_cast<uint32_t>(c) * 8;
        const float2 h = *reinterpret_cast<const float2 *>(half_square + number);
#pragma unroll
        for (int m = 0; m < row_blocks; m++)
#pragma unroll
            for (int half = 0; half < 2; half++) {
                nearest_two &of = nearest[2 * m + half];
                of.take(__fsub_rn(h.x, sum[m][c][2 * half]), number);
                of.take(__fsub_rn(h.y, sum[m][c][2 * half + 1]), number + 1);
                sum[m][c][2 * half] = sum[m][c][2 * half + 1] = 0;
            }
    }
}

/* Decides a point, or lists it among those that FP32 must decide. */
__device__ void decide(const filter_task &t, size_t point, const nearest_two &of)
{
    const double width =
        eb_near_width(t.bound, static_cast<double>(t.length[point]), static_cast<double>(t.moved[point]));
    if (static_cast<double>(of.second) - static_cast<double>(of.best) > width) {
        t.place[point] = of.where;
        return;
    }
    const uint32_t at = atomicAdd(t.unsure, 1u);
    t.unsure[1 + at] = static_cast<uint32_t>(point);
    t.key[at] = ~0ull;
    t.place[point] = EB_NO_POINT;
}

__global__ void __launch_bounds__(threads, 2) filter_nearest(filter_task t)
{
    extern __shared__ __align__(128) unsigned char shared[];
    const uint32_t room = shared_address(shared);
    const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
    const size_t first = static_cast<size_t>(blockIdx.x) * tile;
    const unsigned char *points = thread_source(t.points + first * t.stride, t.stride, thread),
                        *vectors = thread_source(t.vectors, t.stride, thread);
    float sum[row_blocks][column_blocks][4] = {};
    nearest_two nearest[2 * row_blocks];
    for (nearest_two &of : nearest)
        of = {INFINITY, INFINITY, 0};
    int to_slice = 0, from_slice = 0;
    const auto fill = [&](int step) {
        const size_t along = static_cast<size_t>(to_slice) * row_bytes;
        const uint32_t to = room + static_cast<uint32_t>(step % 2 * stage_bytes);
        fill_rows<tile, threads, swizzled<by_rows>, true>(points + along, t.stride, to, thread);
        fill_rows<tile, threads, swizzled<by_rows>, true>(vectors + along, t.stride, to + tile_bytes, thread);
        if (++to_slice == t.slices) {
            to_slice = 0;
            vectors += tile * t.stride;
        }
    };
    const int steps = t.tiles * t.slices;
    uint32_t number = static_cast<uint32_t>(warp % 2 * warp_columns + lane % 4 * 2);
    fill(0);
    copy_commit();
    for (int step = 0; step < steps; step++) {
        if (step + 1 < steps)
            fill(step + 1);
        copy_commit();
        copy_wait<1>();
        __syncthreads(); /* the slice has arrived */
        multiply(sum, room + static_cast<uint32_t>(step % 2 * stage_bytes), warp, lane);
        if (++from_slice == t.slices) {
            from_slice = 0;
            take_sums(sum, t.half_square, number, nearest);
            number += tile;
        }
        __syncthreads(); /* its stage may be filled again */
    }
    nearest_two *rows = reinterpret_cast<nearest_two *>(shared); /* [2 × tile]: of the left and the right warps */
#pragma unroll
    for (int k = 0; k < 2 * row_blocks; k++) {
        for (int apart = 1; apart < 4; apart *= 2)
            nearest[k].take({__shfl_xor_sync(~0u, nearest[k].best, apart),
                             __shfl_xor_sync(~0u, nearest[k].second, apart),
                             __shfl_xor_sync(~0u, nearest[k].where, apart)});
        if (lane % 4 == 0)
            rows[warp % 2 * tile + warp / 2 * warp_rows + k * 8 + lane / 4] = nearest[k];
    }
    __syncthreads();
    if (thread < tile && first + static_cast<size_t>(thread) < t.count) {
        nearest_two of = rows[thread];
        of.take(rows[tile + thread]);
        decide(t, first + static_cast<size_t>(thread), of);
    }
}

/* ---- afterwards ---- */

/* s of the points that the filter decided. */
__global__ void measure_decided(f32_rows points, f32_rows vectors, const uint32_t *place, float *s)
{
    const size_t point = static_cast<size_t>(blockIdx.x) * threads + threadIdx.x;
    if (point >= points.count || place[point] == EB_NO_POINT)
        return;
    const float *x = points.value + point * points.d, *c = vectors.value + place[point] * vectors.d;
    float sum = 0;
    for (size_t k = 0; k < points.d; k++) {
        const float away = __fsub_rn(x[k], c[k]);
        sum = __fadd_rn(sum, __fmul_rn(away, away));
    }
    s[point] = sum;
}

__global__ void take_settled(const uint32_t *unsure, const unsigned long long *key, uint32_t *place, float *s)
{
    for (uint32_t at = blockIdx.x * threads + threadIdx.x; at < *unsure; at += gridDim.x * threads) {
        place[unsure[1 + at]] = static_cast<uint32_t>(key[at]);
        if (s)
            s[unsure[1 + at]] = __uint_as_float(static_cast<unsigned>(key[at] >> 32));
    }
}

} // namespace

eb_code half_rows::take(const f32_rows &rows, double point_scale, eb_status *status)
{
    constexpr unsigned all = sizeof(greatest) / sizeof(unsigned);
    padded = (rows.count + tile - 1) / tile * tile;
    d_padded = (rows.d + slice - 1) / slice * slice;
    EB_TRY(value.reserve(padded * d_padded, "points in FP16", status));
    EB_TRY(length.reserve(padded, "lengths of points", status));
    EB_TRY(moved.reserve(padded, "lengths of points", status));
    EB_TRY(half_square.reserve(point_scale > 0 ? padded : 1, "lengths of points", status));
    EB_TRY(greatest_bits.reserve(all, "lengths of points", status));
    EB_CUDA(cudaMemsetAsync(greatest_bits.get(), 0, sizeof most), "clearing lengths");
    greatest_value<<<std::min(blocks_for(rows.count * rows.d, threads), 1024u), threads>>>(rows.value,
                                                                                           rows.count * rows.d,
                                                                                           greatest_bits.get());
    EB_CUDA(cudaMemcpy(&most, greatest_bits.get(), sizeof most, cudaMemcpyDeviceToHost), "copying lengths");
    scale = eb_near_scale(static_cast<double>(most.value));
    round_rows<<<blocks_for(padded, threads / 32), threads>>>({rows, scale, point_scale / scale / 2, padded, d_padded,
                                                               value.get(), length.get(), moved.get(),
                                                               half_square.get(), greatest_bits.get() + 1});
    EB_CUDA(cudaGetLastError(), "rounding points to FP16");
    if (point_scale > 0)
        EB_CUDA(cudaMemcpy(&most, greatest_bits.get(), sizeof most, cudaMemcpyDeviceToHost), "copying lengths");
    return EB_OK;
}

eb_code near_filter::take(const f32_rows &points, eb_status *status)
{
    EB_TRY(unsure_.reserve(1 + points.count, "points to decide", status));
    EB_TRY(key_.reserve(points.count, "points to decide", status));
    return points_.take(points, 0, status);
}

eb_code near_filter::find(const f32_rows &points, const f32_rows &vectors, uint32_t *place, float *s, eb_status *status)
{
    EB_TRY(vectors_.take(vectors, points_.scale, status));
    const half_rows::greatest &most = vectors_.most;
    if (!eb_near_fits(points.d, static_cast<double>(points_.most.value), static_cast<double>(most.value)))
        return launch_nearest(points, vectors, place, s, status);
    const filter_task task = {reinterpret_cast<const unsigned char *>(points_.value.get()),
                              reinterpret_cast<const unsigned char *>(vectors_.value.get()),
                              points_.d_padded * sizeof(__half),
                              points.count,
                              static_cast<int>(vectors_.padded / tile),
                              static_cast<int>(points_.d_padded / slice),
                              vectors_.half_square.get(),
                              points_.length.get(),
                              points_.moved.get(),
                              eb_near_bound_of(points.d, points_.scale, vectors_.scale,
                                               static_cast<double>(most.length), static_cast<double>(most.moved),
                                               static_cast<double>(most.half_square)),
                              place,
                              unsure_.get(),
                              key_.get()};
    EB_CUDA(cudaMemsetAsync(unsure_.get(), 0, sizeof(uint32_t)), "clearing counters");
    EB_CUDA(cudaFuncSetAttribute(filter_nearest, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
            "asking for shared memory");
    filter_nearest<<<static_cast<unsigned>(points_.padded / tile), threads, shared_bytes>>>(task);
    EB_CUDA(cudaGetLastError(), "starting the search for nearest vectors");
    if (s)
        measure_decided<<<blocks_for(points.count, threads), threads>>>(points, vectors, place, s);
    EB_TRY(launch_settle(points, unsure_.get(), vectors, key_.get(), status));
    take_settled<<<std::min(blocks_for(points.count, threads), 1024u), threads>>>(unsure_.get(), key_.get(), place, s);
    EB_CUDA(cudaGetLastError(), "taking nearest vectors");
    return EB_OK;
}

} // namespace eb
