/* ref64_kernel: the FP64 truth on CUDA cores: t = pₖ − qₖ, s ← fma(t, t, s), k ascending, s ≤ ε·ε.
 *
 *   block tile 128 × 128 pairs, 256 threads, 8 × 8 pairs a thread: 64 independent chains hide the FP64 latency, and 16
 * loads of 16 bytes (two dimensions) feed 256 FP64 instructions. A thread's rows are 16 apart and its columns 16 apart,
 * so that the 8 lanes of a load phase read 8 neighbouring rows: different places of the swizzle.
 *
 * What limits it: the FP64 pipe, two instructions a dimension and pair (one DADD, one DFMA). Padding dimensions are
 * zero in every point: t = 0 leaves s as it is, bit for bit.
 */
#ifndef EB_KERNELS_FP64_REF64_KERNEL_CUH
#define EB_KERNELS_FP64_REF64_KERNEL_CUH

#include "kernels/parts/hits.cuh"
#include "kernels/parts/stage.cuh"
#include "kernels/parts/tile_order.cuh"

namespace eb {

/* One side of the join: points row-major, padded with zeros to whole tiles of 128 points and
 * slices of 16 dimensions. */
struct f64_panel {
    const double *points;
    const double *norm; /* ted: ‖p‖²; ref64 does not look */
    uint32_t count;     /* points, padding apart */
    uint32_t first;     /* number of its first point in the dataset */
};

struct f64_arguments {
    f64_panel a, b;
    uint32_t d_padded, tile_rows, tile_columns;
    uint64_t first_tile, end_tile;
    const uint2 *list; /* the tiles there are; nullptr: all, or the triangle */
    double threshold;  /* fl(ε·ε) */
    hit_buffer<double> out;
    double *dense; /* dense: s of every pair, row-major, b.count a row */
};

/* What both FP64 kernels do with a pair once its squared distance is known. All lanes together. Returns the warp's
 * hits. */
template <bool symmetric, output writes>
__device__ __forceinline__ uint32_t settle_pair(const f64_arguments &args, uint32_t row, uint32_t column, double s,
                                                int lane)
{
    const bool real = row < args.a.count && column < args.b.count;
    if constexpr (writes == output::dense) {
        if (real)
            args.dense[static_cast<size_t>(row) * args.b.count + column] = s;
        return 0;
    } else {
        const uint32_t i = args.a.first + row, j = args.b.first + column;
        const bool hit = s <= args.threshold && real && (symmetric ? i < j : i != j);
        return append<writes == output::count>(args.out, hit, i, j, s, lane);
    }
}

constexpr int ref64_tile = 128, ref64_threads = 256, ref64_stages = 3;
constexpr int ref64_pairs = 8; /* a thread's pairs along each side: 128 / 16 */
constexpr int ref64_shared_bytes = ref64_stages * 2 * ref64_tile * row_bytes;

__device__ __forceinline__ double2 load_two(uint32_t address)
{
    double2 value;
    asm volatile("ld.shared.v2.f64 {%0,%1}, [%2];" : "=d"(value.x), "=d"(value.y) : "r"(address));
    return value;
}

template <bool symmetric, output writes>
__global__ void __launch_bounds__(ref64_threads, 1) ref64_tiles(const f64_arguments args)
{
    extern __shared__ __align__(1024) unsigned char shared_raw[];
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
    const tile at =
        tile_at<true, symmetric>(args.first_tile + blockIdx.x, args.tile_rows, args.tile_columns, args.list);
    if (!at.inside)
        return;
    const uint32_t row0 = at.row * ref64_tile, column0 = at.column * ref64_tile;
    const size_t stride = static_cast<size_t>(args.d_padded) * sizeof(double);

    /* 16 × 16 threads over the tile; a warp is 4 rows by 8 columns of them. */
    const int warp = thread / 32, ty = warp / 2 * 4 + lane / 8, tx = warp % 2 * 8 + lane % 8;
    double s[ref64_pairs][ref64_pairs] = {};
    for_each_slice<ref64_tile, ref64_threads, ref64_stages, swizzle_f64>(
        reinterpret_cast<const unsigned char *>(args.a.points) + row0 * stride,
        reinterpret_cast<const unsigned char *>(args.b.points) + column0 * stride, stride,
        static_cast<int>(args.d_padded) / 16, shared_address(shared_raw), thread, [&](uint32_t stage) {
            /* Rows ty + 16·m and tx + 16·c: 16 is a multiple of 8, so the swizzle is that of ty and tx. */
            const uint32_t a = stage + static_cast<uint32_t>(ty * row_bytes);
            const uint32_t b = stage + static_cast<uint32_t>((ref64_tile + tx) * row_bytes);
#pragma unroll
            for (int chunk = 0; chunk < row_chunks; chunk++) {
                double2 p[ref64_pairs];
#pragma unroll
                for (int m = 0; m < ref64_pairs; m++)
                    p[m] = load_two(a + m * 16 * row_bytes + static_cast<uint32_t>(chunk ^ swizzle_f64::of(ty)) * 16);
#pragma unroll
                for (int c = 0; c < ref64_pairs; c++) {
                    const double2 q =
                        load_two(b + c * 16 * row_bytes + static_cast<uint32_t>(chunk ^ swizzle_f64::of(tx)) * 16);
#pragma unroll
                    for (int m = 0; m < ref64_pairs; m++) {
                        const double t = __dsub_rn(p[m].x, q.x);
                        s[m][c] = __fma_rn(t, t, s[m][c]);
                    }
#pragma unroll
                    for (int m = 0; m < ref64_pairs; m++) {
                        const double t = __dsub_rn(p[m].y, q.y);
                        s[m][c] = __fma_rn(t, t, s[m][c]);
                    }
                }
            }
        });

    uint32_t counted = 0;
#pragma unroll
    for (int m = 0; m < ref64_pairs; m++) {
#pragma unroll
        for (int c = 0; c < ref64_pairs; c++) {
            const uint32_t row = row0 + static_cast<uint32_t>(ty + 16 * m),
                           column = column0 + static_cast<uint32_t>(tx + 16 * c);
            counted += settle_pair<symmetric, writes>(args, row, column, s[m][c], lane);
        }
    }
    if constexpr (writes == output::count)
        add_count(args.out.found, counted, lane);
}

} // namespace eb

#endif
