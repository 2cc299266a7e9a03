/* launches: runs a kernel over block tiles in launches of about 50 ms, with a check of the cancel flag between them. A
 * launch that finds more pairs than there is room for runs again: with more room, or if the room cannot grow, with
 * fewer tiles. EB_NO_MEMORY if even one tile is too much; the caller then takes fewer rows. */
#pragma once

#include "kernels/device/gpu.cuh"
#include "kernels/device/nvml.cuh"

namespace eb {

/* Chooses the number of block tiles of the next launch from the time of earlier launches. Launches of different sizes
 * reveal the constant cost of a launch (microseconds, or seconds under a profiler that replays it). The tiles then take
 * at least as long as that, since fewer tiles would not make the launch shorter. */
class launch_pace {
  public:
    uint64_t next(uint64_t left) const { return left <= tiles_ + tiles_ / 2 ? left : tiles_; } /* no small rest */
    void took(uint64_t tiles, double seconds);

    /* Raises the number of tiles to at_once, which run at the same time: fewer would not be faster. */
    void fill(uint64_t at_once)
    {
        fewest_ = at_once > fewest_ && at_once < most_ ? at_once : fewest_;
        tiles_ = tiles_ < fewest_ ? fewest_ : tiles_;
    }

    /* Call before another join by the same kernel, whose tiles may take longer because they have more hits. */
    void begin_again();

    /* Expected time of a launch by the last launch's pace; 0: unknown. */
    double expected_s(uint64_t tiles) const { return static_cast<double>(tiles) * tile_s_; }

    /* Halves the number of tiles after a launch without enough room. False if it was one tile. */
    bool take_fewer(uint64_t tiles);

  private:
    static constexpr uint64_t fewest_tiles = 64;
    uint64_t tiles_ = 2048, fewest_ = fewest_tiles;
    uint64_t most_ = ~uint64_t{0}; /* more tiles would find more pairs than there is room for */
    uint64_t before_ = 0;          /* tiles of an earlier launch; 0: none */
    double before_s_ = 0, overhead_s_ = 0, tile_s_ = 0;
};

/* The pace of the kernel's last run over points of d_padded dimensions, or a new pace. It is kept while the process
 * lives, so that a trial of some 40 ms is one launch. */
launch_pace last_pace(int device, const void *kernel, size_t d_padded);
void keep_pace(int device, const void *kernel, size_t d_padded, const launch_pace &pace);

/* A call of NVML takes some milliseconds, so shorter launches and runs are not measured with it. During a launch the
 * host is idle; the energy before and after all launches is read within the run's own time. */
constexpr double watched_launch_s = 0.02, metered_run_s = 0.5;

/* Adds NVML's readings of launches to the figures. */
class launch_watch {
  public:
    explicit launch_watch(int device) : device_(device) {}
    void before(); /* only the first call has an effect */
    void during(eb_figures *figures) const;
    void after(eb_figures *figures) const;

  private:
    int device_;
    bool metered_ = false;
    double energy_j_ = 0; /* energy at the start */
};

/* A kernel over block tiles. Every engine's kernel takes one struct with first_tile and end_tile. */
template <class arguments> struct tile_kernel {
    kernel_handle<arguments> kernel;
    int threads, shared_bytes;
    unsigned most_workers;        /* persistent workers that share the tiles; 0: one worker per tile */
    unsigned blocks_a_worker = 1; /* a worker is a block, or a cluster of this many */
};

/* Number of blocks of a kernel that the device runs at the same time; 0: unknown. */
unsigned blocks_at_once(const void *kernel, int threads, int shared_bytes, int device);

/* The tiles of a share: all, or of P parts the p-th piece of the first half and the p-th from the end of the second.
 * Where points are ordered, the first tiles have the most pairs; each part has as many of these as of the last. Kernels
 * that can (variant.cuh) leave out other parts' tiles one by one. */
struct tile_part {
    uint64_t begin[2], end[2];
    uint64_t count() const { return end[0] - begin[0] + end[1] - begin[1]; }
};

constexpr tile_part all_tiles(uint64_t tiles) { return {{0, tiles}, {tiles, tiles}}; }

inline tile_part tiles_of(const eb_share &share, uint64_t tiles)
{
    if (share.parts == 1)
        return all_tiles(tiles);
    const uint64_t half = tiles / 2, rest = tiles - half, part = share.part, back = share.parts - 1 - share.part;
    return {{half * part / share.parts, half + rest * back / share.parts},
            {half * (part + 1) / share.parts, half + rest * (back + 1) / share.parts}};
}

/* Runs the kernel over a part of the tiles. After each launch, settle(args, &fits) reads the results; if they did not
 * fit, settle makes room and the same tiles run again. Adds to kernel_s; advances the job by `rows` in all. */
template <class arguments, class settle_launch>
eb_code run_tiles(const tile_kernel<arguments> &k, const tile_part &part, uint64_t rows, arguments args,
                  launch_pace &pace, int device, cudaStream_t stream, const eb_context *context, eb_status *status,
                  settle_launch settle)
{
    EB_CUDA(cudaFuncSetAttribute(k.kernel.get(), cudaFuncAttributeMaxDynamicSharedMemorySize, k.shared_bytes),
            "preparing the kernel");
    launch_watch watch(device);
    stopwatch time;
    uint64_t advanced = 0, ran = 0;
    if (k.most_workers == 0)
        pace.fill(blocks_at_once(k.kernel.get(), k.threads, k.shared_bytes, device) / k.blocks_a_worker);
    for (uint64_t piece = 0, first = part.begin[0]; piece < 2;) {
        const uint64_t end = part.end[piece];
        if (first == end) {
            piece++;
            first = part.begin[1];
            continue;
        }
        EB_TRY(eb_job_check(context->job, status));
        const uint64_t count = pace.next(end - first);
        args.first_tile = first;
        args.end_tile = first + count;
        const uint64_t workers = k.most_workers > 0 && k.most_workers < count ? k.most_workers : count;
        const bool ask = pace.expected_s(count) >= watched_launch_s;
        if (pace.expected_s(part.count() - ran) >= metered_run_s)
            watch.before();
        EB_TRY(time.start(stream, status));
        void *given[] = {&args};
        EB_CUDA(cudaLaunchKernel(k.kernel.get(), dim3(static_cast<unsigned>(workers) * k.blocks_a_worker),
                                 dim3(static_cast<unsigned>(k.threads)), given, static_cast<size_t>(k.shared_bytes),
                                 stream),
                "starting the join kernel");
        EB_TRY(time.mark(stream, status));
        if (ask)
            watch.during(context->figures);
        double seconds = 0;
        EB_TRY(time.read(&seconds, status));
        eb_figures_add(context->figures, &eb_figure_kernel, seconds);
        pace.took(count, seconds);
        bool fits = true;
        const eb_code settled = settle(args, &fits);
        if (settled == EB_NO_MEMORY && pace.take_fewer(count))
            continue;
        EB_TRY(settled);
        if (fits) {
            first += count;
            ran += count;
            const double done = static_cast<double>(ran) / static_cast<double>(part.count());
            const uint64_t due = static_cast<uint64_t>(static_cast<double>(rows) * done);
            eb_job_advance(context->job, due - advanced);
            advanced = due;
        }
    }
    watch.after(context->figures);
    return EB_OK;
}

} // namespace eb
