/* wmma on CUDA: FP64 tensor cores through the documented WMMA interface, in plain tiles. This is the teaching baseline,
 * to be read before ted/cuda/kernel.cuh. It uses TED-Join's expansion (its §IV-C), but is neither TED-Join's kernel nor
 * the WMMA-Ref of the TED-Join paper's Fig. 3; the latter is NVIDIA's double-precision tensor-core GEMM, which writes
 * the whole n × n matrix.
 *
 * ‖p − q‖² = ‖p‖² + ‖q‖² − 2⟨p,q⟩: the norms are computed before, and the tensor core computes the inner products of 8
 * × 8 pairs, four dimensions a step: D (8 × 8) += A (8 × 4) · B (4 × 8).
 *
 * Block tile: 32 × 32 pairs, rows points p, columns points q; 4 warps. A warp owns one stripe of 8 rows, four
 * accumulators of 8 × 8 side by side. One step loads A once (its 8 points, 4 dimensions) and multiplies it by four B.
 *
 * Data path, for each slice of 16 dimensions: global → registers → shared memory (both panels) → fragments → tensor
 * core. Nothing overlaps within a block: load, barrier, compute, barrier. The other blocks of the SM fill the waits.
 *
 * B is the points themselves: point j is column j of B, so that the row-major array of points is B column-major, and
 * nothing is transposed. WMMA does not document which lane holds which element of a fragment. So the inner products are
 * stored to shared memory, where the epilogue finds them by row and column. It gives each lane one column.
 *
 * What limits it: shared memory, and the waits at the barriers. A step reads 5 fragments of 256 bytes for 4 · 256 FMAs.
 * ted/cuda/kernel.cuh with its warp tiles of 64 × 32 reads less than a third of that per FMA, and with its block tiles
 * a fourth of the global memory. The order of sums (k ascending, one IEEE FMA each) and the epilogue are ted's, so the
 * bits are the same, too.
 */
#include <mma.h>

#include "kernels/tiled/fp64_rules.cuh"
#include "kernels/wmma/shape.h"

namespace eb {

namespace {

namespace wmma = nvcuda::wmma;

constexpr int fragment_side = EB_WMMA_SIDE, fragment_depth = EB_WMMA_DEPTH;
constexpr int wmma_warps = EB_WMMA_WARPS, wmma_threads = EB_WMMA_THREADS;
constexpr int wmma_tile = EB_WMMA_TILE;
constexpr int stripe_fragments = wmma_tile / fragment_side;
constexpr int slice = EB_WMMA_SLICE; /* points are padded to a multiple of it */

/* A row of a staged panel takes 20 doubles, not 16: 160 bytes are 40 banks, so that the 4 rows of 32 bytes that a
 * half-warp's fragment load reads begin at banks 0, 8, 16 and 24. WMMA requires fragments at multiples of 32 bytes: 160
 * is one, and so are 4 dimensions. */
constexpr int staged_stride = EB_WMMA_STRIDE;
constexpr int product_stride = EB_WMMA_PRODUCT_STRIDE;

static_assert(wmma_tile == 32, "the epilogue gives every lane one column");
static_assert(f64_tile % wmma_tile == 0, "padding reaches to whole tiles");
static_assert(slice % fragment_depth == 0);
static_assert(staged_stride * sizeof(double) % 32 == 0 && product_stride * sizeof(double) % 32 == 0);

using fragment_a =
    wmma::fragment<wmma::matrix_a, fragment_side, fragment_side, fragment_depth, double, wmma::row_major>;
using fragment_b =
    wmma::fragment<wmma::matrix_b, fragment_side, fragment_side, fragment_depth, double, wmma::col_major>;
using fragment_sum = wmma::fragment<wmma::accumulator, fragment_side, fragment_side, fragment_depth, double>;

struct staged_panel {
    double row[wmma_tile][staged_stride];
};

/* Copies 16 dimensions of 32 points: a thread copies two neighbouring doubles; 8 threads per row, 16 rows at a time. */
__device__ __forceinline__ void stage_panel(staged_panel &to, const double *from, size_t d_padded, int thread)
{
    constexpr int rows_at_once = wmma_threads / (slice / 2);
    const int column = eb_wmma_filled_column(thread);
    for (int row = eb_wmma_filled_row(thread); row < wmma_tile; row += rows_at_once)
        *reinterpret_cast<double2 *>(&to.row[row][column]) =
            *reinterpret_cast<const double2 *>(from + row * d_padded + column);
}

template <output writes> __global__ void __launch_bounds__(wmma_threads) wmma_tiles(const f64_arguments args)
{
    __shared__ __align__(32) staged_panel p, q;
    __shared__ __align__(32) double product[wmma_tile][product_stride];
    __shared__ waiting_hits<double> hits[wmma_warps];
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    const tile at = tile_of(args, blockIdx.x);
    if (!at.inside)
        return;
    const uint32_t row0 = at.row * wmma_tile, column0 = at.column * wmma_tile;
    const int stripe = warp * fragment_side; /* this warp's first row within the tile */

    /* Computes the inner products of the stripe. */
    fragment_sum sum[stripe_fragments];
    for (int c = 0; c < stripe_fragments; c++)
        wmma::fill_fragment(sum[c], 0.0);
    for (uint32_t k = 0; k < args.d_padded; k += slice) {
        stage_panel(p, args.a.points + static_cast<size_t>(row0) * args.d_padded + k, args.d_padded, thread);
        stage_panel(q, args.b.points + static_cast<size_t>(column0) * args.d_padded + k, args.d_padded, thread);
        __syncthreads(); /* both panels have arrived */
        for (int step = 0; step < slice; step += fragment_depth) {
            fragment_a a;
            wmma::load_matrix_sync(a, &p.row[stripe][step], staged_stride);
            for (int c = 0; c < stripe_fragments; c++) {
                fragment_b b;
                wmma::load_matrix_sync(b, &q.row[c * fragment_side][step], staged_stride);
                wmma::mma_sync(sum[c], a, b, sum[c]);
            }
        }
        __syncthreads(); /* all threads are done with the panels */
    }
    for (int c = 0; c < stripe_fragments; c++)
        wmma::store_matrix_sync(&product[stripe][c * fragment_side], sum[c], product_stride, wmma::mem_row_major);
    __syncwarp(); /* a warp reads its own stripe only */

    /* Lane l tests the pairs of column l with the stripe's 8 rows. */
    const uint32_t column = column0 + static_cast<uint32_t>(lane);
    const double norm_column = args.b.norm[column];
    double s[fragment_side][1];
    for (int r = 0; r < fragment_side; r++) {
        const double norms = __dadd_rn(args.a.norm[row0 + static_cast<uint32_t>(stripe + r)], norm_column);
        s[r][0] = __dsub_rn(norms, 2.0 * product[stripe + r][lane]);
    }
    settler<writes> settle(args, &hits[warp], lane);
    settle.take(s, [&](int r) { return row0 + static_cast<uint32_t>(stripe + r); }, [&](int) { return column; });
    settle.finish();
}

struct wmma_expansion {
    static constexpr bool uses_norms = true;
    static constexpr size_t depth = slice;
    static constexpr double flops = 2;
    static constexpr eb_limit limit = EB_LIMIT_MMA_F64;
    template <output writes> static tile_variant<f64_arguments> kernel(size_t, bool symmetric)
    {
        return {wmma_tiles<writes>, wmma_tile, wmma_threads, 0, true, symmetric, false};
    }
};

} // namespace

} // namespace eb

extern "C" const eb_implementation eb_wmma_cuda =
    eb::implementation_of<eb::tiled_engine<eb::f64_rules<eb::wmma_expansion>>>();
