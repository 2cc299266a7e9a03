/* ted_kernel: TED-Join's arithmetic, ‖p‖² + ‖q‖² − 2⟨p,q⟩ in FP64 on tensor cores, with FASTED's tiling.
 *
 *   block tile 128 × 128, 8 warps of 64 × 32, slices of 16 dimensions (128-byte rows), 4 stages of cp.async.
 *
 * What limits it: the FP64 tensor pipe (66 TFLOPS on H200 with m16n8k16). Per slice a warp reads (64 + 32)·128 B = 12
 * KB for 32768 FMAs: 96 of 260 clocks of shared memory bandwidth for each of the four sub-cores' share.
 */
#ifndef EB_KERNELS_FP64_TED_KERNEL_CUH
#define EB_KERNELS_FP64_TED_KERNEL_CUH

#include "kernels/fp64/ref64_kernel.cuh"

namespace eb {

constexpr int ted_tile = 128, ted_threads = 256, ted_stages = 4;
constexpr int ted_warp_rows = 64, ted_warp_columns = 32;
constexpr int ted_row_blocks = ted_warp_rows / 16, ted_column_blocks = ted_warp_columns / 8;
constexpr int ted_shared_bytes = ted_stages * 2 * ted_tile * row_bytes;

__device__ __forceinline__ double load_one(uint32_t address)
{
    double value;
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(value) : "r"(address));
    return value;
}

template <bool symmetric, output writes>
__global__ void __launch_bounds__(ted_threads, 1) ted_tiles(const f64_arguments args)
{
    extern __shared__ __align__(1024) unsigned char shared_raw[];
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    const int g = lane / 4, t = lane % 4;
    const tile at =
        tile_at<true, symmetric>(args.first_tile + blockIdx.x, args.tile_rows, args.tile_columns, args.list);
    if (!at.inside)
        return;
    const uint32_t row0 = at.row * ted_tile, column0 = at.column * ted_tile;
    const size_t stride = static_cast<size_t>(args.d_padded) * sizeof(double);
    const int warp_row = warp / 4 * ted_warp_rows, warp_column = warp % 4 * ted_warp_columns;

    double d[ted_row_blocks][ted_column_blocks][4] = {};
    for_each_slice<ted_tile, ted_threads, ted_stages, swizzle_f64>(
        reinterpret_cast<const unsigned char *>(args.a.points) + row0 * stride,
        reinterpret_cast<const unsigned char *>(args.b.points) + column0 * stride, stride,
        static_cast<int>(args.d_padded) / 16, shared_address(shared_raw), thread, [&](uint32_t stage) {
            /* Dimension t + 4·e of a row is the (t%2)-th double of chunk 2·e + t/2; rows here are g plus multiples
             * of 8. */
            const uint32_t a_row = stage + static_cast<uint32_t>((warp_row + g) * row_bytes + t % 2 * 8);
            const uint32_t b_row = stage + static_cast<uint32_t>((ted_tile + warp_column + g) * row_bytes + t % 2 * 8);
            uint32_t place[4];
#pragma unroll
            for (int e = 0; e < 4; e++)
                place[e] = static_cast<uint32_t>((2 * e + t / 2) ^ swizzle_f64::of(g)) * 16;
            double b[ted_column_blocks][4];
#pragma unroll
            for (int c = 0; c < ted_column_blocks; c++)
#pragma unroll
                for (int e = 0; e < 4; e++)
                    b[c][e] = load_one(b_row + c * 8 * row_bytes + place[e]);
#pragma unroll
            for (int m = 0; m < ted_row_blocks; m++) {
                double a[8];
#pragma unroll
                for (int e = 0; e < 8; e++)
                    a[e] = load_one(a_row + (m * 16 + e % 2 * 8) * row_bytes + place[e / 2]);
#pragma unroll
                for (int c = 0; c < ted_column_blocks; c++)
                    mma_f64(d[m][c], a, b[c]);
            }
        });

    uint32_t counted = 0;
    double2 norm_column[ted_column_blocks];
#pragma unroll
    for (int c = 0; c < ted_column_blocks; c++)
        norm_column[c] = *reinterpret_cast<const double2 *>(args.b.norm + column0 + warp_column + c * 8 + 2 * t);
#pragma unroll
    for (int m = 0; m < ted_row_blocks; m++) {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const uint32_t row = row0 + static_cast<uint32_t>(warp_row + m * 16 + half * 8 + g);
            const double norm_row = args.a.norm[row];
#pragma unroll
            for (int c = 0; c < ted_column_blocks; c++) {
#pragma unroll
                for (int e = 0; e < 2; e++) {
                    const uint32_t column = column0 + static_cast<uint32_t>(warp_column + c * 8 + 2 * t + e);
                    const double sum = __dadd_rn(norm_row, e ? norm_column[c].y : norm_column[c].x);
                    const double q = fmax(__dsub_rn(sum, 2.0 * d[m][c][2 * half + e]), 0.0);
                    counted += settle_pair<symmetric, writes>(args, row, column, q, lane);
                }
            }
        }
    }
    if constexpr (writes == output::count)
        add_count(args.out.found, counted, lane);
}

} // namespace eb

#endif
