/* launches: a kernel over block tiles, run in launches of about 50 ms: the cancel flag is looked at between them. A
 * launch that found more than there is room for is done again after the room has grown; if it cannot grow, with fewer
 * tiles; if those cannot be fewer, EB_NO_MEMORY, and the caller takes fewer rows.
 */
#pragma once

#include "kernels/device/gpu.cuh"
#include "kernels/device/nvml.cuh"

namespace eb {

/* How many block tiles the next launch takes; learns from how long the last ones took. What a launch takes beside its
 * tiles (microseconds; under a profiler that runs it again and again, seconds) is told from launches of different size:
 * the tiles then take at least as long, since fewer would not make it shorter. */
class launch_pace {
  public:
    uint64_t next(uint64_t left) const { return left <= tiles_ + tiles_ / 2 ? left : tiles_; } /* no small rest */
    void took(uint64_t tiles, double seconds);

    /* A launch of fewer would not be shorter: so many run at once. */
    void fill(uint64_t at_once)
    {
        fewest_ = at_once > fewest_ && at_once < most_ ? at_once : fewest_;
        tiles_ = tiles_ < fewest_ ? fewest_ : tiles_;
    }

    /* Before another join by the same kernel, whose tiles may take longer: they may have more hits. */
    void begin_again();

    /* How long so many will take, by the last launch; 0: nobody knows. */
    double expected_s(uint64_t tiles) const { return static_cast<double>(tiles) * tile_s_; }

    /* A launch of so many tiles found more than there is room for: take half. False: they cannot be fewer. */
    bool take_fewer(uint64_t tiles);

  private:
    static constexpr uint64_t fewest_tiles = 64;
    uint64_t tiles_ = 2048, fewest_ = fewest_tiles;
    uint64_t most_ = ~uint64_t{0}; /* more would find more than there is room for */
    uint64_t before_ = 0;          /* tiles of an earlier launch, 0: none */
    double before_s_ = 0, overhead_s_ = 0, tile_s_ = 0;
};

/* The pace at which a kernel was last run over points of so many dimensions; a new one, where it never was. Kept as
 * long as the process lives, so that a trial of some 40 ms is one launch. */
launch_pace last_pace(int device, const void *kernel, size_t d_padded);
void keep_pace(int device, const void *kernel, size_t d_padded, const launch_pace &pace);

/* Asking NVML takes some milliseconds: launches and runs that are shorter are not asked about. While a launch runs the
 * host has nothing else to do; the energy before and after all of them is asked for in the run's own time. */
constexpr double watched_launch_s = 0.02, metered_run_s = 0.5;

/* What NVML says of launches, into the figures. */
class launch_watch {
  public:
    explicit launch_watch(int device) : device_(device) {}
    void before(); /* the first call counts */
    void during(eb_figures *figures) const;
    void after(eb_figures *figures) const;

  private:
    int device_;
    bool metered_ = false;
    double energy_j_ = 0; /* before */
};

/* A kernel over block tiles: every engine's kernel takes one struct that has first_tile and end_tile. */
template <class arguments> struct tile_kernel {
    kernel_handle<arguments> kernel;
    int threads, shared_bytes;
    unsigned most_workers;        /* persistent workers share the tiles; 0: one a tile */
    unsigned blocks_a_worker = 1; /* a worker is a block, or a cluster of so many */
};

/* How many blocks of a kernel the device runs at once; 0: it does not say. */
unsigned blocks_at_once(const void *kernel, int threads, int shared_bytes, int device);

/* Runs it over tiles [begin, end). After each launch, settle(args, &fits) reads the results; when they did not fit it
 * has made room, and the same tiles run again. Adds to kernel_s; advances the job by `rows` in all. */
template <class arguments, class settle_launch>
eb_code run_tiles(const tile_kernel<arguments> &k, uint64_t begin, uint64_t end, uint64_t rows, arguments args,
                  launch_pace &pace, int device, cudaStream_t stream, const eb_context *context, eb_status *status,
                  settle_launch settle)
{
    EB_CUDA(cudaFuncSetAttribute(k.kernel.get(), cudaFuncAttributeMaxDynamicSharedMemorySize, k.shared_bytes),
            "preparing the kernel");
    launch_watch watch(device);
    stopwatch time;
    uint64_t advanced = 0;
    if (k.most_workers == 0)
        pace.fill(blocks_at_once(k.kernel.get(), k.threads, k.shared_bytes, device) / k.blocks_a_worker);
    for (uint64_t first = begin; first < end;) {
        EB_TRY(eb_job_check(context->job, status));
        const uint64_t count = pace.next(end - first);
        args.first_tile = first;
        args.end_tile = first + count;
        const uint64_t workers = k.most_workers > 0 && k.most_workers < count ? k.most_workers : count;
        const bool ask = pace.expected_s(count) >= watched_launch_s;
        if (pace.expected_s(end - first) >= metered_run_s)
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
            const double done = static_cast<double>(first - begin) / static_cast<double>(end - begin);
            const uint64_t due = static_cast<uint64_t>(static_cast<double>(rows) * done);
            eb_job_advance(context->job, due - advanced);
            advanced = due;
        }
    }
    watch.after(context->figures);
    return EB_OK;
}

} // namespace eb
