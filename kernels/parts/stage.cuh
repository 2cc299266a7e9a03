/* stage: fills a slice of points in shared memory (layout: places.h), and runs a ring of such stages. */
#pragma once

#include "kernels/parts/mma.cuh"
#include "kernels/parts/places.h"

namespace eb {

constexpr int row_bytes = EB_ROW_BYTES, row_chunks = EB_ROW_CHUNKS;

template <eb_swizzle which> struct swizzled {
    static constexpr eb_swizzle swizzle = which;
    __device__ static constexpr int of(int row) { return eb_swizzle_of(which, row); }
};
using swizzle_f64 = swizzled<EB_SWIZZLE_F64>;

/* A thread copies the same chunk of every (threads / 8)-th row. Returns the address of its first chunk in global
 * memory. */
__device__ __forceinline__ const unsigned char *thread_source(const unsigned char *from, size_t stride, int thread)
{
    return from + static_cast<size_t>(eb_filled_row(thread)) * stride +
           static_cast<size_t>(eb_filled_chunk(thread)) * EB_CHUNK_BYTES;
}

/* Copies `rows` rows of 128 bytes, `stride` bytes apart, into shared memory at `to`. from: this thread's source. If the
 * step between a thread's rows is a multiple of 8, its place in the row is fixed. Asynchronous: the caller commits and
 * waits. chunks: number of chunks that a row has. */
template <int rows, int threads, class swizzle, bool async>
__device__ __forceinline__ void fill_rows(const unsigned char *from, size_t stride, uint32_t to, int thread,
                                          int chunks = row_chunks)
{
    constexpr int step = threads / row_chunks;
    static_assert(threads % row_chunks == 0 && rows % step == 0);
    const int row = thread / row_chunks, chunk = thread % row_chunks;
    if (chunk >= chunks)
        return;
    to += static_cast<uint32_t>(row * row_bytes);
#pragma unroll
    for (int r = 0; r < rows; r += step) {
        const unsigned char *source = from + static_cast<size_t>(r) * stride;
        const uint32_t target = to + r * row_bytes + eb_chunk_place(swizzle::swizzle, row + r % 8, chunk);
        if constexpr (async) {
            copy_async(target, source);
        } else {
            const uint4 value = *reinterpret_cast<const uint4 *>(source);
            asm volatile("st.shared.v4.b32 [%0], {%1,%2,%3,%4};" ::"r"(target), "r"(value.x), "r"(value.y),
                         "r"(value.z), "r"(value.w));
        }
    }
}

/* Runs body(stage address, chunks) for each slice of the rows at a and b, which are `stride` bytes long and apart.
 * chunks is 8, or fewer in the last slice. stages − 1 slices are in flight while one is computed. Every slice passes a
 * barrier, so that earlier writes to shared memory are visible to body. */
template <int rows_a, int rows_b, int threads, int stages, class swizzle, class body_type>
__device__ __forceinline__ void for_each_slice(const unsigned char *a, const unsigned char *b, size_t stride,
                                               uint32_t shared, int thread, body_type body)
{
    constexpr int stage_bytes = (rows_a + rows_b) * row_bytes;
    static_assert(stages > 1);
    const int all_chunks = static_cast<int>(stride / 16), slices = (all_chunks + row_chunks - 1) / row_chunks;
    const auto chunks_of = [&](int slice) { return min(row_chunks, all_chunks - slice * row_chunks); };
    a = thread_source(a, stride, thread);
    b = thread_source(b, stride, thread);
    auto fill = [&](int slice, int place) {
        const size_t along = static_cast<size_t>(slice) * row_bytes;
        const uint32_t to = shared + static_cast<uint32_t>(place * stage_bytes);
        fill_rows<rows_a, threads, swizzle, true>(a + along, stride, to, thread, chunks_of(slice));
        fill_rows<rows_b, threads, swizzle, true>(b + along, stride, to + rows_a * row_bytes, thread, chunks_of(slice));
    };
#pragma unroll
    for (int s = 0; s < stages - 1; s++) {
        if (s < slices)
            fill(s, s);
        copy_commit();
    }
    int reading = 0, writing = stages - 1;
    for (int k = 0; k < slices; k++) {
        copy_wait<stages - 2>();
        __syncthreads(); /* slice k has arrived, and all threads are done with the stage to be refilled */
        if (k + stages - 1 < slices)
            fill(k + stages - 1, writing);
        copy_commit();
        body(shared + static_cast<uint32_t>(reading * stage_bytes), chunks_of(k));
        reading = reading + 1 == stages ? 0 : reading + 1;
        writing = writing + 1 == stages ? 0 : writing + 1;
    }
}

} // namespace eb
