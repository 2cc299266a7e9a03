#include "kernels/inverted/nearest.cuh"

#include "kernels/device/implementation.cuh"

extern "C" {
#include "kernels/inverted/inverted.h"
}

namespace eb {
namespace {

constexpr unsigned tile = 128, per_thread = 8, slice = 8, side = tile / per_thread, threads = side * side;

/* A slice of both, coordinate by coordinate, so that a thread reads what it needs of one in two loads of 16 bytes. */
struct slices {
    float point[slice][tile + 4], vector[slice][tile + 4]; /* + 4: a warp stores to 32 banks */
};

/* Rows first … first + 127, coordinates k … k + 7; what there is none of is 0, on both sides. */
__device__ void load_slice(const f32_rows &rows, size_t first, size_t k, float (*to)[tile + 4])
{
    for (unsigned at = threadIdx.x; at < tile * slice; at += threads) {
        const unsigned row = at / slice, t = at % slice;
        const bool there = first + row < rows.count && k + t < rows.d;
        to[t][row] = there ? rows.value[(first + row) * rows.d + k + t] : 0;
    }
}

/* A thread's points are x … x + 3 and 64 + x … of the tile, x = 4 · its number; vectors likewise. */
__device__ unsigned place_of(unsigned thread, unsigned at) { return at / 4 * (tile / 2) + thread * 4 + at % 4; }

__device__ void load_eight(const float *from, unsigned thread, float *to)
{
    const float4 low = *reinterpret_cast<const float4 *>(from + thread * 4),
                 high = *reinterpret_cast<const float4 *>(from + tile / 2 + thread * 4);
    to[0] = low.x, to[1] = low.y, to[2] = low.z, to[3] = low.w;
    to[4] = high.x, to[5] = high.y, to[6] = high.z, to[7] = high.w;
}

/* The tile's sums: sum[i][j] from point i to vector j of this thread's. */
__device__ void sum_tile(const f32_rows &points, const f32_rows &vectors, size_t first_point, size_t first_vector,
                         slices &room, float sum[per_thread][per_thread])
{
    const unsigned px = threadIdx.x / side, vx = threadIdx.x % side;
    for (unsigned i = 0; i < per_thread; i++)
        for (unsigned j = 0; j < per_thread; j++)
            sum[i][j] = 0;
    for (size_t k = 0; k < points.d; k += slice) {
        __syncthreads();
        load_slice(points, first_point, k, room.point);
        load_slice(vectors, first_vector, k, room.vector);
        __syncthreads();
#pragma unroll
        for (unsigned t = 0; t < slice; t++) {
            float p[per_thread], v[per_thread];
            load_eight(room.point[t], px, p);
            load_eight(room.vector[t], vx, v);
#pragma unroll
            for (unsigned i = 0; i < per_thread; i++)
#pragma unroll
                for (unsigned j = 0; j < per_thread; j++) {
                    const float away = __fsub_rn(p[i], v[j]);
                    sum[i][j] = __fadd_rn(sum[i][j], __fmul_rn(away, away));
                }
        }
    }
}

__device__ void take_nearer(float s, uint32_t place, float &best, uint32_t &where)
{
    if (s < best || (s == best && place < where)) {
        best = s;
        where = place;
    }
}

__global__ void __launch_bounds__(threads) find_nearest(f32_rows points, f32_rows vectors, uint32_t *place, float *s)
{
    __shared__ slices room;
    const size_t first = static_cast<size_t>(blockIdx.x) * tile;
    const unsigned px = threadIdx.x / side, vx = threadIdx.x % side;
    float best[per_thread], sum[per_thread][per_thread];
    uint32_t where[per_thread];
    for (unsigned i = 0; i < per_thread; i++) {
        best[i] = INFINITY;
        where[i] = 0;
    }
    for (size_t v = 0; v < vectors.count; v += tile) {
        sum_tile(points, vectors, first, v, room, sum);
#pragma unroll
        for (unsigned i = 0; i < per_thread; i++)
#pragma unroll
            for (unsigned j = 0; j < per_thread; j++)
                if (v + place_of(vx, j) < vectors.count)
                    take_nearer(sum[i][j], static_cast<uint32_t>(v + place_of(vx, j)), best[i], where[i]);
    }
    for (unsigned i = 0; i < per_thread; i++) {
        for (unsigned apart = side / 2; apart > 0; apart /= 2)
            take_nearer(__shfl_xor_sync(~0u, best[i], apart), __shfl_xor_sync(~0u, where[i], apart), best[i], where[i]);
        const size_t point = first + place_of(px, i);
        if (vx == 0 && point < points.count) {
            place[point] = where[i];
            s[point] = best[i];
        }
    }
}

__global__ void __launch_bounds__(threads) write_distances(f32_rows points, f32_rows vectors, float *out)
{
    __shared__ slices room;
    const size_t first = static_cast<size_t>(blockIdx.y) * tile, v = static_cast<size_t>(blockIdx.x) * tile;
    const unsigned px = threadIdx.x / side, vx = threadIdx.x % side;
    float sum[per_thread][per_thread];
    sum_tile(points, vectors, first, v, room, sum);
#pragma unroll
    for (unsigned i = 0; i < per_thread; i++)
#pragma unroll
        for (unsigned j = 0; j < per_thread; j++) {
            const size_t point = first + place_of(px, i), vector = v + place_of(vx, j);
            if (point < points.count && vector < vectors.count)
                out[point * vectors.count + vector] = sum[i][j];
        }
}

unsigned tiles_of(size_t count) { return static_cast<unsigned>((count + tile - 1) / tile); }

/* ---- for building ---- */

struct finder {
    explicit finder(int of) : device(of) {}
    int device;
    size_t count = 0, d = 0;
    device_array<float> points, vectors, s;
    device_array<uint32_t> place;
};

template <class doing> eb_code entered(void *state, eb_status *status, doing call)
{
    return guarded(status, [&]() -> eb_code {
        finder &f = *static_cast<finder *>(state);
        EB_CUDA(cudaSetDevice(f.device), "choosing the GPU");
        return call(f);
    });
}

eb_code take(void *state, const float *points, size_t count, size_t d, eb_status *status)
{
    return entered(state, status, [&](finder &f) -> eb_code {
        f.count = count, f.d = d;
        EB_TRY(f.points.reserve(count * d, "points to assign", status));
        EB_TRY(f.place.reserve(count, "lists of points", status));
        EB_TRY(f.s.reserve(count, "distances of points", status));
        EB_CUDA(cudaMemcpy(f.points.get(), points, count * d * sizeof *points, cudaMemcpyHostToDevice),
                "copying points");
        return EB_OK;
    });
}

eb_code find(void *state, const float *vectors, size_t k, uint32_t *place, float *s, eb_status *status)
{
    return entered(state, status, [&](finder &f) -> eb_code {
        EB_TRY(f.vectors.reserve(k * f.d, "centroids", status));
        EB_CUDA(cudaMemcpy(f.vectors.get(), vectors, k * f.d * sizeof *vectors, cudaMemcpyHostToDevice),
                "copying centroids");
        EB_TRY(launch_nearest({f.points.get(), f.count, f.d}, {f.vectors.get(), k, f.d}, f.place.get(), f.s.get(),
                              status));
        EB_CUDA(cudaMemcpy(place, f.place.get(), f.count * sizeof *place, cudaMemcpyDeviceToHost), "copying lists");
        EB_CUDA(cudaMemcpy(s, f.s.get(), f.count * sizeof *s, cudaMemcpyDeviceToHost), "copying distances");
        return EB_OK;
    });
}

} // namespace

eb_code launch_nearest(const f32_rows &points, const f32_rows &vectors, uint32_t *place, float *s, eb_status *status)
{
    find_nearest<<<tiles_of(points.count), threads>>>(points, vectors, place, s);
    EB_CUDA(cudaGetLastError(), "starting the search for nearest vectors");
    return EB_OK;
}

eb_code launch_distances(const f32_rows &points, const f32_rows &vectors, float *out, eb_status *status)
{
    write_distances<<<dim3(tiles_of(vectors.count), tiles_of(points.count)), threads>>>(points, vectors, out);
    EB_CUDA(cudaGetLastError(), "starting distances to vectors");
    return EB_OK;
}

} // namespace eb

extern "C" eb_code eb_assigner_cuda_open(const eb_device *device, eb_assigner *out, eb_status *status)
{
    *out = eb_assigner{nullptr, nullptr, nullptr};
    const eb_options none = {};
    EB_TRY(eb::probe_architecture(device, &none, status));
    return eb::guarded(status, [&]() -> eb_code {
        EB_CUDA(cudaSetDevice(device->index), "choosing the GPU");
        EB_TRY(eb::keep_device_memory(device->index, status));
        *out = eb_assigner{new eb::finder(device->index), eb::take, eb::find};
        return EB_OK;
    });
}

extern "C" void eb_assigner_cuda_close(eb_assigner *nearest)
{
    eb::finder *f = static_cast<eb::finder *>(nearest->state);
    if (f)
        (void)cudaSetDevice(f->device);
    delete f;
    nearest->state = nullptr;
}
