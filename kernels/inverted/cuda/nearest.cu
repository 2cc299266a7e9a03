#include "kernels/inverted/cuda/nearest.cuh"

#include <algorithm>

#include "kernels/device/implementation.cuh"
#include "kernels/inverted/cuda/select.cuh"

extern "C" {
#include "core/inverted/inverted.h"
}

namespace eb {
namespace {

constexpr unsigned side = 16, threads = side * side;

/* Some coordinates of rows that are `stride` apart. number: which rows; NULL: the first ones. */
struct strided_rows {
    strided_rows(const f32_rows &rows) : value(rows.value), count(rows.count), d(rows.d), stride(rows.d) {}
    __device__ strided_rows(const float *from, size_t rows, size_t coordinates, size_t apart,
                            const uint32_t *which = nullptr)
        : value(from), count(rows), d(coordinates), stride(apart), number(which)
    {
    }
    const float *value;
    size_t count, d, stride;
    const uint32_t *number = nullptr;
};

/* A thread computes each × each pairs of a tile; a block takes side · each points and as many vectors, `slice`
 * coordinates at a time. */
template <unsigned each, unsigned slice> struct tile_of {
    static constexpr unsigned rows = side * each, padded = rows + 4; /* + 4: a warp stores to 32 banks */

    /* A slice of points and of vectors, coordinate by coordinate: a thread reads four values of a coordinate at a time.
     */
    float point[slice][padded], vector[slice][padded];

    /* The tile's row of a thread's at-th value: four rows side by side, and four in the other half. */
    static __device__ unsigned place(unsigned thread, unsigned at) { return at / 4 * (rows / 2) + thread * 4 + at % 4; }

    /* Loads rows first …, coordinates k …; rows and coordinates beyond the ends are 0, for points and vectors. */
    static __device__ void load(const strided_rows &from, size_t first, size_t k, float (*to)[padded])
    {
        for (unsigned at = threadIdx.x; at < rows * slice; at += threads) {
            const unsigned row = at / slice, t = at % slice;
            const bool there = first + row < from.count && k + t < from.d;
            const size_t where = there && from.number ? from.number[first + row] : first + row;
            to[t][row] = there ? from.value[where * from.stride + k + t] : 0;
        }
    }

    static __device__ void take(const float *from, unsigned thread, float to[each])
    {
#pragma unroll
        for (unsigned half = 0; half < each / 4; half++) {
            const float4 four = *reinterpret_cast<const float4 *>(from + place(thread, 4 * half));
            to[4 * half] = four.x, to[4 * half + 1] = four.y, to[4 * half + 2] = four.z, to[4 * half + 3] = four.w;
        }
    }

    /* sum[i][j]: squared distance from the thread's point i to its vector j. */
    __device__ void sums(const strided_rows &points, const strided_rows &vectors, size_t first_point,
                         size_t first_vector, float sum[each][each])
    {
        for (unsigned i = 0; i < each; i++)
            for (unsigned j = 0; j < each; j++)
                sum[i][j] = 0;
        for (size_t k = 0; k < points.d; k += slice) {
            __syncthreads();
            load(points, first_point, k, point);
            load(vectors, first_vector, k, vector);
            __syncthreads();
#pragma unroll
            for (unsigned t = 0; t < slice; t++) {
                float p[each], v[each];
                take(point[t], threadIdx.x / side, p);
                take(vector[t], threadIdx.x % side, v);
#pragma unroll
                for (unsigned i = 0; i < each; i++)
#pragma unroll
                    for (unsigned j = 0; j < each; j++) {
                        const float away = __fsub_rn(p[i], v[j]);
                        sum[i][j] = __fadd_rn(sum[i][j], __fmul_rn(away, away));
                    }
            }
        }
    }
};

__device__ void take_nearer(float s, uint32_t place, float &best, uint32_t &where)
{
    if (s < best || (s == best && place < where)) {
        best = s;
        where = place;
    }
}

constexpr unsigned many = 8, few = 4, usual_slice = 8;

/* Calls take(point, place, s) once for each of a tile's points. A thread's vectors ascend, so that of equally near ones
 * it keeps the first. */
template <unsigned slice, class taking>
__device__ void each_nearest(tile_of<many, slice> &room, const strided_rows &points, const strided_rows &vectors,
                             size_t first, taking take)
{
    using tile = tile_of<many, slice>;
    const unsigned px = threadIdx.x / side, vx = threadIdx.x % side;
    float best[many], sum[many][many];
    uint32_t where[many];
    for (unsigned i = 0; i < many; i++) {
        best[i] = INFINITY;
        where[i] = 0;
    }
    for (size_t v = 0; v < vectors.count; v += tile::rows) {
        room.sums(points, vectors, first, v, sum);
#pragma unroll
        for (unsigned i = 0; i < many; i++)
#pragma unroll
            for (unsigned j = 0; j < many; j++)
                if (v + tile::place(vx, j) < vectors.count && sum[i][j] < best[i]) {
                    best[i] = sum[i][j];
                    where[i] = static_cast<uint32_t>(v + tile::place(vx, j));
                }
    }
    for (unsigned i = 0; i < many; i++) {
        for (unsigned apart = side / 2; apart > 0; apart /= 2)
            take_nearer(__shfl_xor_sync(~0u, best[i], apart), __shfl_xor_sync(~0u, where[i], apart), best[i], where[i]);
        const size_t point = first + tile::place(px, i);
        if (vx == 0 && point < points.count)
            take(point, where[i], best[i]);
    }
}

__global__ void __launch_bounds__(threads)
    find_nearest(strided_rows points, strided_rows vectors, uint32_t *place, float *s)
{
    using tile = tile_of<many, usual_slice>;
    __shared__ tile room;
    each_nearest(room, points, vectors, static_cast<size_t>(blockIdx.x) * tile::rows,
                 [&](size_t point, uint32_t nearest, float least) {
                     place[point] = nearest;
                     if (s)
                         s[point] = least;
                 });
}

/* blockIdx.y: a part of the vectors. */
__global__ void __launch_bounds__(threads)
    settle_nearest(f32_rows points, const uint32_t *which, f32_rows vectors, unsigned long long *key)
{
    using tile = tile_of<many, usual_slice>;
    __shared__ tile room;
    const size_t tiles = (vectors.count + tile::rows - 1) / tile::rows, part = (tiles + gridDim.y - 1) / gridDim.y,
                 begin = min(blockIdx.y * part * tile::rows, vectors.count),
                 end = min(begin + part * tile::rows, vectors.count);
    if (begin == end)
        return;
    for (size_t first = static_cast<size_t>(blockIdx.x) * tile::rows; first < *which; first += gridDim.x * tile::rows)
        each_nearest(room, {points.value, *which, points.d, points.d, which + 1},
                     {vectors.value + begin * vectors.d, end - begin, vectors.d, vectors.d}, first,
                     [&](size_t at, uint32_t nearest, float s) {
                         atomicMin(&key[at], key_of(s, static_cast<uint32_t>(begin) + nearest));
                     });
}

/* ---- codes ---- */

__global__ void take_centroids(code_task t)
{
    const size_t at = static_cast<size_t>(blockIdx.x) * threads + threadIdx.x, point = at / t.d;
    if (point < t.count)
        t.points[at] = __fsub_rn(t.points[at], t.centroids[t.place[point] * t.d + at % t.d]);
}

/* A block finds the codes of one piece for a tile of points; the blocks of a tile are next to each other, so that its
 * points are read from memory once. A slice is no longer than a short piece. */
template <unsigned slice> __global__ void __launch_bounds__(threads) find_codes(code_task t)
{
    using tile = tile_of<many, slice>;
    __shared__ tile room;
    const size_t j = blockIdx.x % t.m, piece = t.d / t.m;
    each_nearest(room, {t.points + j * piece, t.count, piece, t.d},
                 {t.books + j * EB_BOOK_ENTRIES * piece, EB_BOOK_ENTRIES, piece, piece},
                 static_cast<size_t>(blockIdx.x / t.m) * tile::rows, [&](size_t point, uint32_t nearest, float) {
                     t.codes[point * t.m + j] = static_cast<uint8_t>(nearest);
                 });
}

/* ---- all distances ---- */

template <unsigned each>
__global__ void __launch_bounds__(threads) write_distances(strided_rows points, strided_rows vectors, float *out)
{
    using tile = tile_of<each, usual_slice>;
    __shared__ tile room;
    const size_t first = static_cast<size_t>(blockIdx.y) * tile::rows, v = static_cast<size_t>(blockIdx.x) * tile::rows;
    float sum[each][each];
    room.sums(points, vectors, first, v, sum);
#pragma unroll
    for (unsigned i = 0; i < each; i++)
#pragma unroll
        for (unsigned j = 0; j < each; j++) {
            const size_t point = first + tile::place(threadIdx.x / side, i),
                         vector = v + tile::place(threadIdx.x % side, j);
            if (point < points.count && vector < vectors.count)
                out[point * vectors.count + vector] = sum[i][j];
        }
}

template <unsigned each> unsigned tiles_for(size_t count)
{
    constexpr size_t rows = tile_of<each, usual_slice>::rows;
    return static_cast<unsigned>((count + rows - 1) / rows);
}

} // namespace

eb_code launch_nearest(const f32_rows &points, const f32_rows &vectors, uint32_t *place, float *s, eb_status *status)
{
    find_nearest<<<tiles_for<many>(points.count), threads>>>(points, vectors, place, s);
    EB_CUDA(cudaGetLastError(), "starting the search for nearest vectors");
    return EB_OK;
}

eb_code launch_settle(const f32_rows &points, const uint32_t *which, const f32_rows &vectors, unsigned long long *key,
                      eb_status *status)
{
    constexpr unsigned most_blocks = 512, parts = 8;
    const dim3 blocks(std::min(tiles_for<many>(points.count), most_blocks),
                      std::min(tiles_for<many>(vectors.count), parts));
    settle_nearest<<<blocks, threads>>>(points, which, vectors, key);
    EB_CUDA(cudaGetLastError(), "starting the search for nearest vectors");
    return EB_OK;
}

eb_code launch_codes(const code_task &t, eb_status *status)
{
    const size_t piece = t.d / t.m;
    take_centroids<<<static_cast<unsigned>((t.count * t.d + threads - 1) / threads), threads>>>(t);
    const auto kernel = piece <= 2 ? find_codes<2> : piece <= 4 ? find_codes<4> : find_codes<usual_slice>;
    kernel<<<static_cast<unsigned>(tiles_for<many>(t.count) * t.m), threads>>>(t);
    EB_CUDA(cudaGetLastError(), "starting the encoding");
    return EB_OK;
}

/* Takes large tiles if there are enough of them for the GPU, otherwise smaller ones. */
eb_code launch_distances(const f32_rows &points, const f32_rows &vectors, float *out, eb_status *status)
{
    constexpr unsigned enough = 512;
    if (tiles_for<many>(points.count) * tiles_for<many>(vectors.count) >= enough)
        write_distances<many>
            <<<dim3(tiles_for<many>(vectors.count), tiles_for<many>(points.count)), threads>>>(points, vectors, out);
    else
        write_distances<few>
            <<<dim3(tiles_for<few>(vectors.count), tiles_for<few>(points.count)), threads>>>(points, vectors, out);
    EB_CUDA(cudaGetLastError(), "starting distances to vectors");
    return EB_OK;
}

} // namespace eb
