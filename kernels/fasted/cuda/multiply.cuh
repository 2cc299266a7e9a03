/* multiply: multiplies one slice in shared memory on the tensor cores: ldmatrix to fragments, mma.sync to
 * accumulators. */
#pragma once

#include "kernels/fasted/cuda/shape.cuh"

namespace eb {

template <class shape> struct fragments {
    uint32_t a[shape::row_blocks][4], b[(shape::column_blocks + 1) / 2][4];
};

template <class shape> __device__ __forceinline__ uint32_t a_place(int step, int lane)
{
    return eb_a_place(shape::places::swizzle, step, lane);
}
template <class shape> __device__ __forceinline__ uint32_t b_place(int step, int lane)
{
    return eb_b_place(shape::places::swizzle, step, lane);
}

template <class shape>
__device__ __forceinline__ void load_fragments(fragments<shape> &f, uint32_t a_row, uint32_t b_row, int step, int lane)
{
#pragma unroll
    for (int m = 0; m < shape::row_blocks; m++)
        load_matrices(f.a[m], a_row + m * 16 * row_bytes + a_place<shape>(step, lane));
#pragma unroll
    for (int c = 0; c < shape::column_blocks; c += 2)
        if constexpr (shape::wide && shape::column_blocks > 1) {
            load_matrices(f.b[c / 2], b_row + c * 8 * row_bytes + b_place<shape>(step, lane));
        } else {
            load_two_matrices(f.b[c / 2][0], f.b[c / 2][1], b_row + c * 8 * row_bytes + b_place<shape>(step, lane));
            if (c + 1 < shape::column_blocks)
                load_two_matrices(f.b[c / 2][2], f.b[c / 2][3],
                                  b_row + (c + 1) * 8 * row_bytes + b_place<shape>(step, lane));
        }
}

/* outer: the sums outside of types that have some. */
template <class shape, class outer_type>
__device__ __forceinline__ void multiply(const typename shape::arguments &args,
                                         typename shape::value (&d)[shape::row_blocks][shape::column_blocks][4],
                                         const fragments<shape> &f, outer_type &outer)
{
    if constexpr (shape::arithmetic::chained) {
        shape::arithmetic::multiply_fragments(args, d, f.a, f.b);
        outer.step(args, d);
    } else {
#pragma unroll
        for (int m = 0; m < shape::row_blocks; m++)
#pragma unroll
            for (int c = 0; c < shape::column_blocks; c++)
                shape::arithmetic::multiply(d[m][c], f.a[m], f.b[c / 2][c % 2 * 2], f.b[c / 2][c % 2 * 2 + 1]);
    }
}

/* d += A·B over one slice, 128 bytes of every row. Without register reuse every mma loads its own fragments. feed()
 * starts the copies of a later slice. It runs after the first loads, so that these do not wait for its address
 * arithmetic. */
template <class shape, class outer_type, class feed_type>
__device__ __forceinline__ void multiply_slice(const typename shape::arguments &args,
                                               typename shape::value (&d)[shape::row_blocks][shape::column_blocks][4],
                                               outer_type &outer, uint32_t a_row, uint32_t b_row, int lane,
                                               feed_type feed)
{
    constexpr int steps = row_bytes / 32;
    if constexpr (shape::reuse && !shape::buffered) {
        fragments<shape> f;
#pragma unroll 1 /* if unrolled, the assembler would load ahead anyway */
        for (int step = 0; step < steps; step++) {
            load_fragments<shape>(f, a_row, b_row, step, lane);
            if (step == 0)
                feed();
            multiply<shape>(args, d, f, outer);
        }
    } else if constexpr (shape::reuse) {
        fragments<shape> f[2];
        load_fragments<shape>(f[0], a_row, b_row, 0, lane);
        feed();
#pragma unroll
        for (int step = 0; step < steps; step++) {
            if (step + 1 < steps)
                load_fragments<shape>(f[(step + 1) % 2], a_row, b_row, step + 1, lane);
            multiply<shape>(args, d, f[step % 2], outer);
        }
    } else {
        feed();
#pragma unroll 1
        for (int step = 0; step < steps; step++)
#pragma unroll
            for (int m = 0; m < shape::row_blocks; m++)
#pragma unroll
                for (int c = 0; c < shape::column_blocks; c++) {
                    uint32_t a[4], b[4];
                    __syncwarp(); /* otherwise the assembler reuses earlier loads */
                    load_matrices(a, a_row + m * 16 * row_bytes + a_place<shape>(step, lane));
                    load_matrices(b, b_row + c / 2 * 16 * row_bytes + b_place<shape>(step, lane));
                    shape::arithmetic::multiply(d[m][c], a, b[c % 2 * 2], b[c % 2 * 2 + 1]);
                }
    }
}

} // namespace eb
