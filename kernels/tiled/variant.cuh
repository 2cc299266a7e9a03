/* variant: a kernel over block tiles as an engine's rules give it, how many numbers its tiles have, and how many
 * workers the device holds of it.
 *
 * What rules give:
 * - point, squared, panel, arguments: types; side_of_tile, depth: what rows and dimensions are padded to
 * - flops: done for each coordinate of a pair; limit(): which of the device's limits its rate is held against
 * - unsure: arguments has a list `unsure` as well, of pairs that the truth must decide; exact(panel, d, d_padded): the
 *   panel's points in FP64, for the truth
 * - begin(problem, context, status): comes first, where there is one; may refuse the points
 * - candidate: what kernels write beside a pair where hits are made of them afterwards. load(…) makes points and sides
 * of rows, which stay as they are stored beside them; decide(…) makes hits of candidates; stored(panel): the points of
 * a panel for the truth; candidates_a_pair: for how many there is room at first. No norms(…), no dense variant
 * - side: what a block of rows needs beside its points: reserve(rows), bytes_a_row; norms(…) fills it after an upload,
 *   level(…) makes it ready for a threshold
 * - symmetric(): a whole join looks at each pair once
 * - sorts(points, d_padded): whole joins are to see the points in another order, which order(…) makes; of rules with
 *   candidates order(…) may find that none helps, and near_tiles(…) lists the tiles that are worth a look in that order
 * - variant(writes, symmetric, d, points): the kernel, for so many right points; complete(variant, arguments, status):
 *   what else it wants to know once arguments.a and .b are set
 * - threshold(eps): as arguments.threshold
 * - view(points, side, at, count, first): rows [at, at + count) of a block as a panel, numbered from `first`
 * - describe(buffer, size)
 */
#pragma once

#include "kernels/device/gpu.cuh"
#include "kernels/parts/tile_order.cuh"

namespace eb {

/* A kernel over tiles of side × columns pairs: square ones, where they are triangles' or a list's. */
template <class arguments> struct tile_variant {
    kernel_handle<arguments> kernel;
    int side, threads, shared_bytes;
    bool squares, symmetric; /* the order and number of its tiles (tile_order.cuh) */
    bool persistent;         /* as many workers as the device holds at a time share the tiles */
    int cluster = 1;         /* blocks that are one worker */
    int columns = side;
    int resident = 0;      /* persistent: blocks an SM, should more find room; 0: as many as do */
    tile_bands bands = {}; /* its tiles come in runs, of which there are bands (tile_order.cuh) */
};

/* How many numbers there are for tiles, or runs of them. */
template <class arguments> uint64_t numbers_of(const tile_variant<arguments> &v, uint32_t rows, uint32_t columns)
{
    return v.bands.height > 0 ? eb_run_count(rows, columns, v.bands, v.symmetric)
                              : eb_block_tile_count(rows, columns, v.squares, v.symmetric);
}

/* Workers of a persistent kernel that the device holds at a time. */
template <class arguments>
eb_code most_workers(const tile_variant<arguments> &v, unsigned sms, unsigned *most, eb_status *status)
{
    const char *what = "asking how many blocks fit an SM";
    const size_t shared_bytes = static_cast<size_t>(v.shared_bytes);
    int workers = 0;
    EB_CUDA(cudaFuncSetAttribute(v.kernel.get(), cudaFuncAttributeMaxDynamicSharedMemorySize, v.shared_bytes),
            "preparing the kernel");
    if (v.cluster == 1) {
        EB_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&workers, v.kernel.get(), v.threads, shared_bytes), what);
        workers = static_cast<int>(sms) * (v.resident > 0 && v.resident < workers ? v.resident : workers);
    } else {
        cudaLaunchConfig_t launch{};
        cudaLaunchAttribute cluster{};
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim.x = static_cast<unsigned>(v.cluster);
        cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
        launch.gridDim = dim3(sms / static_cast<unsigned>(v.cluster) * static_cast<unsigned>(v.cluster));
        launch.blockDim = dim3(static_cast<unsigned>(v.threads));
        launch.dynamicSmemBytes = shared_bytes;
        launch.attrs = &cluster;
        launch.numAttrs = 1;
        EB_CUDA(cudaOccupancyMaxActiveClusters(&workers, v.kernel.get(), &launch), what);
    }
    *most = static_cast<unsigned>(workers);
    return workers > 0 ? EB_OK : eb_fail(status, EB_NO_DEVICE, "a block of this kernel does not fit an SM of this GPU");
}

} // namespace eb
