/* warpgroup: FASTED's tiles on Hopper's own instructions: wgmma from shared memory, copies by the TMA unit (wgmma.cuh).
 *
 *        cluster tile 256 × 256: two blocks          one block: 128 × 256, two warpgroups of 64 × 256 that compute, one
 * that copies ┌───────────────────────────┐ A 0  │  block 0                  │   a stage: A 128 × 64 and B 256 × 64
 * FP16 = 48 KB; four stages. ├───────────────────────────┤   Each block brings its own A, and half of B for both blocks
 * (multicast): 32 KB from L2 A 1  │  block 1                  │   for 128 · 256 · 64 products, half of what the
 * mma.sync kernel's tiles ask for. └───────────────────────────┘ B, shared by both
 *
 * The rows of the operands lie in shared memory as everywhere here (stage.cuh), which is also what wgmma wants. Its
 * sums are mma.sync's, bit for bit. The epilogue is kernel.cuh's: to it a warp's tile is 16 × 256.
 *
 * A stage goes round: the copying thread waits until all 16 computing warps of the cluster have left it (`empty`),
 * announces 48 KB and starts the copies; the computing warps wait for the bytes (`full`), keep one slice of wgmma in
 * flight, and leave the slice before.
 *
 * What limits it: at d ≤ 256 the epilogue, which only the other warpgroup hides; above, and soon, the power limit.
 * Rates: tests/bench/gpu.md.
 */
#ifndef EB_KERNELS_FASTED_WARPGROUP_CUH
#define EB_KERNELS_FASTED_WARPGROUP_CUH

#include "kernels/fasted/epilogue.cuh"
#include "kernels/fasted/walk.cuh"
#include "kernels/parts/wgmma.cuh"

namespace eb {

/* Known to device code from sm_90 on only; elsewhere the kernel has no body. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define EB_PAIRS_OF_BLOCKS __cluster_dims__(2, 1, 1)
#else
#define EB_PAIRS_OF_BLOCKS
#endif

template <uint32_t set, output output_> struct warpgroup_shape {
    static constexpr bool on(uint32_t bit) { return (set & bit) == bit; }
    static constexpr output writes = output_;
    static constexpr bool squares = on(EB_TILE_ORDER), symmetric = on(EB_SYMMETRIC), early = on(EB_EARLY_TEST),
                          aggregate = on(EB_AGGREGATE), queued = on(EB_CANDIDATE_QUEUE);

    static constexpr int cluster = 2, rows = 128, columns = 256, side = cluster * rows; /* side: of a cluster's tile */
    static constexpr int slice = 64, stages = 4, groups = 2, group_rows = rows / groups;
    static constexpr int threads = 128 * (1 + groups);
    static constexpr int a_bytes = rows * row_bytes, b_bytes = columns * row_bytes, stage_bytes = a_bytes + b_bytes;
    static constexpr int row_blocks = 1, column_blocks = columns / 8; /* of a warp: 16 × 256 */
    static constexpr int levels = rows + columns;
    static constexpr int queue = 64;
    static constexpr int level_bytes = groups * levels * 8, queue_bytes = 4 * groups * queue * (8 + 8 + 4);
    static constexpr int shared_bytes = stages * stage_bytes + level_bytes + queue_bytes + 2 * stages * 8;
    static_assert(side == columns, "a cluster's tile is square, so that a triangle of tiles is a triangle of pairs");
};

/* The thread that copies: every slice of every tile of the cluster, as stages become empty. */
template <class shape>
__device__ __forceinline__ void copy_slices(const fasted_arguments &args, uint32_t stages, uint32_t full,
                                            uint32_t empty)
{
    const uint32_t rank = block_in_cluster(), slices = args.d_padded / shape::slice;
    uint32_t place = 0, round = 0;
    for (tile_walk<shape> walk(args, blockIdx.x / shape::cluster, gridDim.x / shape::cluster); !walk.done();
         walk.next()) {
        const uint32_t row = walk.at.row * shape::side + rank * shape::rows;
        const uint32_t column = walk.at.column * shape::side + rank * (shape::columns / shape::cluster);
        for (uint32_t k = 0; k < slices; k++) {
            const uint32_t stage = stages + place * shape::stage_bytes;
            barrier_wait(empty + place * 8, round & 1 ^ 1);
            barrier_announce(full + place * 8, shape::stage_bytes);
            copy_box(stage, &args.a_map, k * shape::slice, row, full + place * 8);
            copy_box_to((1u << shape::cluster) - 1, stage + shape::a_bytes + rank * (shape::b_bytes / shape::cluster),
                        &args.b_map, k * shape::slice, column, full + place * 8);
            if (++place == shape::stages) {
                place = 0;
                round++;
            }
        }
    }
}

/* {h, s} of a point, or what never passes where there is none. */
__device__ __forceinline__ float2 level_at(const f16_panel &panel, uint32_t at)
{
    return at < panel.count ? panel.level[at] : make_float2(__int_as_float(0x7f800000), __int_as_float(0x7f800000));
}

/* A warpgroup that computes its 64 rows of every tile. */
template <class shape>
__device__ __forceinline__ void compute_tiles(const fasted_arguments &args, int group, uint32_t stages, uint32_t full,
                                              uint32_t empty, float2 *levels, hit_queue &queue)
{
    const int thread = static_cast<int>(threadIdx.x) % 128, lane = thread % 32;
    const uint32_t rank = block_in_cluster(), slices = args.d_padded / shape::slice;
    uint32_t place = 0, round = 0;
    auto leave = [&](uint32_t stage) { /* tells both blocks' copying threads */
                                       if (lane < shape::cluster)
                                           barrier_arrive_in(empty + stage * 8, static_cast<uint32_t>(lane));
    };
    for (tile_walk<shape> walk(args, blockIdx.x / shape::cluster, gridDim.x / shape::cluster); !walk.done();
         walk.next()) {
        const uint32_t row0 = walk.at.row * shape::side + rank * shape::rows, column0 = walk.at.column * shape::side;
        const float2 mine[3] = {level_at(args.b, column0 + thread), level_at(args.b, column0 + 128 + thread),
                                level_at(args.a, row0 + group * shape::group_rows + thread % shape::group_rows)};
        float d[shape::column_blocks][4];
        uint32_t before = 0;
        for (uint32_t k = 0; k < slices; k++) {
            barrier_wait(full + place * 8, round & 1);
            const uint32_t stage = stages + place * shape::stage_bytes;
            const uint64_t a = operand(stage + static_cast<uint32_t>(group * shape::group_rows * row_bytes)),
                           b = operand(stage + shape::a_bytes);
            wgmma_fence();
#pragma unroll
            for (int step = 0; step < shape::slice / 16; step++)
                wgmma_f16(d, a + step * operand_step, b + step * operand_step, k > 0 || step > 0);
            wgmma_commit();
            wgmma_wait<1>();
            if (k > 0)
                leave(before);
            before = place;
            if (++place == shape::stages) {
                place = 0;
                round++;
            }
        }
        wgmma_wait<0>();
        leave(before);
        group_barrier(1 + group, 128); /* everyone is done with the levels of the tile before */
        levels[shape::rows + thread] = mine[0];
        levels[shape::rows + 128 + thread] = mine[1];
        if (thread < shape::group_rows)
            levels[group * shape::group_rows + thread] = mine[2];
        group_barrier(1 + group, 128);
        const float(&tile)[1][shape::column_blocks][4] =
            reinterpret_cast<const float(&)[1][shape::column_blocks][4]>(d);
        emit<shape>(args, tile, levels, queue, row0, column0, group * shape::group_rows + thread / 32 * 16, 0, lane);
    }
    if constexpr (shape::writes == output::count)
        add_count(args.out.found, __reduce_add_sync(~0u, queue.counted), lane);
    else if (shape::aggregate && queue.waiting > 0)
        flush(args, queue, lane);
}

template <class shape>
__global__ void EB_PAIRS_OF_BLOCKS __launch_bounds__(shape::threads, 1)
    fasted_warpgroups(const __grid_constant__ fasted_arguments args)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ __align__(1024) unsigned char shared[];
    const int role = static_cast<int>(threadIdx.x) / 128;
    const uint32_t stages = shared_address(shared), full = stages + shape::shared_bytes - 2 * shape::stages * 8;
    const uint32_t empty = full + shape::stages * 8;
    if (threadIdx.x == 0) {
        for (uint32_t s = 0; s < shape::stages; s++) {
            barrier_make(full + s * 8, 1);
            barrier_make(empty + s * 8, shape::cluster * shape::groups * 4);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster_barrier();
    if (role == 0) {
        give_registers<40>();
        if (threadIdx.x == 0)
            copy_slices<shape>(args, stages, full, empty);
    } else {
        take_registers<232>();
        const int group = role - 1, warp = static_cast<int>(threadIdx.x) / 32 - 4;
        constexpr int queues = 4 * shape::groups * shape::queue;
        float2 *levels = reinterpret_cast<float2 *>(shared + shape::stages * shape::stage_bytes);
        candidate *candidates = reinterpret_cast<candidate *>(levels + shape::groups * shape::levels);
        uint2 *pairs = reinterpret_cast<uint2 *>(candidates + queues);
        float *squared = reinterpret_cast<float *>(pairs + queues);
        hit_queue queue{candidates + warp * shape::queue, pairs + warp * shape::queue, squared + warp * shape::queue, 0,
                        0};
        compute_tiles<shape>(args, group, stages, full, empty, levels + group * shape::levels, queue);
    }
    cluster_barrier(); /* no block leaves while the other may still write to it */
#endif
}

} // namespace eb

#endif
