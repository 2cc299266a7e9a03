/* few: the FP64 reference's kernel for points of at most 16 dimensions, compiled for each number of dimensions, so that
 * no padding is computed. Sums, padding and verdicts are those of kernel.cuh.
 *
 * A block tile is 128 × 128 pairs of one warp: there are no barriers, and a tile's fixed cost is divided among 512
 * pairs of each lane. A lane keeps 4 rows in registers, 32 apart. Columns are stored in shared memory as in global
 * memory, and all lanes read the same column: 16 bytes, two dimensions, for 4 pairs of each lane. Four columns are
 * settled at a time.
 *
 * The limit is the FP64 pipe: 2·d instructions a pair. It takes an instruction every other clock of a sub-core; the
 * first test of settle.cuh and the loads use the clocks between.
 */
#pragma once

#include "kernels/ref64/cuda/kernel.cuh"

namespace eb {

constexpr int few_most_d = EB_REF64_FEW_MOST_D, few_threads = EB_REF64_FEW_THREADS;
constexpr int few_rows = ref64_tile / few_threads; /* of a lane */
constexpr int few_columns = 4;                     /* settled at a time */

template <int d, output writes> __global__ void __launch_bounds__(few_threads) few_tiles(const f64_arguments args)
{
    constexpr int chunks = eb_ref64_few_chunks(d);
    extern __shared__ __align__(1024) unsigned char shared_raw[];
    __shared__ waiting_hits<double> hits;
    const int lane = static_cast<int>(threadIdx.x);
    const tile at = tile_of(args, blockIdx.x);
    if (!at.inside)
        return;
    const uint32_t row0 = at.row * ref64_tile, column0 = at.column * ref64_tile;
    const double2 *rows = reinterpret_cast<const double2 *>(args.a.points) + static_cast<size_t>(row0) * chunks;
    const double2 *columns = reinterpret_cast<const double2 *>(args.b.points) + static_cast<size_t>(column0) * chunks;
    const uint32_t shared = shared_address(shared_raw);

#pragma unroll
    for (int x = 0; x < ref64_tile * chunks; x += few_threads)
        copy_async(shared + static_cast<uint32_t>(x + lane) * 16, columns + x + lane);
    copy_commit();
    double2 p[few_rows][chunks];
#pragma unroll
    for (int m = 0; m < few_rows; m++)
#pragma unroll
        for (int k = 0; k < chunks; k++)
            p[m][k] = rows[(m * few_threads + lane) * chunks + k];
    copy_wait<0>();
    __syncwarp();

    settler<writes> settle(args, &hits, lane);
#pragma unroll 1
    for (int first = 0; first < ref64_tile; first += few_columns) {
        double s[few_rows][few_columns] = {};
#pragma unroll
        for (int c = 0; c < few_columns; c++) {
#pragma unroll
            for (int k = 0; k < chunks; k++) {
                const double2 q = load_two(shared + static_cast<uint32_t>((first + c) * chunks + k) * 16);
#pragma unroll
                for (int m = 0; m < few_rows; m++)
                    s[m][c] = add_difference(s[m][c], p[m][k].x, q.x);
                if (2 * k + 1 < d)
#pragma unroll
                    for (int m = 0; m < few_rows; m++)
                        s[m][c] = add_difference(s[m][c], p[m][k].y, q.y);
            }
        }
        settle.take(
            s, [&](int m) { return row0 + static_cast<uint32_t>(m * few_threads + lane); },
            [&](int c) { return column0 + static_cast<uint32_t>(first + c); });
    }
    settle.finish();
}

} // namespace eb
