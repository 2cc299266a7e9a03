/* variant: a kernel over block tiles as an engine's rules describe it, the number of its tiles, and the number of
 * workers that fit the device.
 *
 * Members of rules:
 * - point, squared, panel, arguments: types; side_of_tile, depth: rows and dimensions are padded to multiples of these
 * - flops: operations per coordinate of a pair; limit(): the device's limit that the rate is compared with
 * - unsure: true if arguments has a second list `unsure` of pairs that FP64 must decide; exact(panel, d, d_padded): the
 *   panel's points in FP64 for that
 * - begin(problem, context, status): optional; runs first and may refuse the points
 * - candidate: optional; the type that kernels write beside a pair if hits are made from candidates afterwards. Such
 *   rules have no norms(…) and no dense variant, but load(…), which makes points and sides from rows and also keeps the
 *   rows as stored; decide(…), which makes hits from candidates; stored(panel), a panel's stored points;
 *   candidates_a_pair, the room for candidates per expected pair at first
 * - products(d): optional; the numbers that a point of d coordinates has in a product. Such rules have no norms(…) but
 *   load(…), which prepares points and sides from stored rows, padded(d), the length of a prepared row in points,
 *   bytes_a_row(d), staging(points), bytes needed meanwhile, and scale(), by which their squared distances are
 * multiplied
 * - take_rows(…): optional; prepares rows [first, first + count) of all points, sides included, once they are on the
 *   device. With it: may_take_rows(points, d_padded); expect_rows(…), which makes room and says where rows go, as
 * stored; with candidates judge_order(…), which tells by a sample whether order(…) or short images need all points
 * first
 * - side: data of a block of rows beside its points, with reserve(rows) and bytes_a_row; norms(…) fills it after an
 *   upload, level(…) adapts it to a threshold
 * - level_each(side, …, squared): optional; levels of left points that have an ε of their own (nearest.cuh). With it:
 *   may_level_each(); keys(side), by which points are ordered; pick(side, point, …, side), its data at other places
 * - symmetric(): true if a whole join visits each pair once
 * - sorts(points, d_padded): true if whole joins use another order of the points, which order(…) makes; with
 *   candidates, order(…) may find no useful order, and near_tiles(…) lists the tiles worth visiting in that order
 * - variant(writes, symmetric, d, points): the kernel for that many right points; complete(variant, arguments, status)
 *   sets its other arguments after arguments.a and .b
 * - threshold(eps): value for arguments.threshold
 * - view(points, side, at, count, first): rows [at, at + count) of a block as a panel, numbered from `first`
 * - describe(buffer, size)
 */
#pragma once

#include <type_traits>
#include <vector>

#include "kernels/device/gpu.cuh"
#include "kernels/parts/tile_order.cuh"

namespace eb {

/* A kernel over tiles of side × columns pairs. Tiles of triangles and lists are square. */
template <class arguments> struct tile_variant {
    kernel_handle<arguments> kernel;
    int side, threads, shared_bytes;
    bool squares, symmetric; /* order and number of its tiles (tile_order.cuh) */
    bool persistent;         /* the tiles are shared by as many workers as the device holds at a time */
    int cluster = 1;         /* blocks per worker */
    int columns = side;
    int resident = 0;      /* persistent: most blocks per SM; 0: as many as fit */
    tile_bands bands = {}; /* if it has bands, its tiles come in runs (tile_order.cuh) */
    int copied_bytes = 0;  /* of a row, at a time, if the TMA unit copies: 128, 64 or 32 */
};

/* Detects arguments of kernels that can leave out the tiles of other parts (fasted/cuda/arguments.cuh). */
template <class arguments, class = void> constexpr bool in_parts = false;
template <class arguments> constexpr bool in_parts<arguments, std::void_t<decltype(&arguments::parts)>> = true;

/* Number of tiles, or of runs of tiles. */
template <class arguments> uint64_t numbers_of(const tile_variant<arguments> &v, uint32_t rows, uint32_t columns)
{
    return v.bands.height > 0 ? eb_run_count(rows, columns, v.bands, v.symmetric)
                              : eb_block_tile_count(rows, columns, v.squares, v.symmetric);
}

/* Number of workers of a persistent kernel that the device holds at a time. */
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

/* The answers for kernels that an engine asked about, since a run has many launches. */
class known_workers {
  public:
    template <class arguments>
    eb_code ask(const tile_variant<arguments> &v, unsigned sms, unsigned *most, eb_status *status)
    {
        for (const auto &known : known_)
            if (known.kernel == v.kernel.get()) {
                *most = known.most;
                return EB_OK;
            }
        EB_TRY(most_workers(v, sms, most, status));
        known_.push_back({v.kernel.get(), *most});
        return EB_OK;
    }

  private:
    struct answer {
        const void *kernel;
        unsigned most;
    };
    std::vector<answer> known_;
};

} // namespace eb
