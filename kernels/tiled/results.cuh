/* results: what happens to hits after a kernel found them: more tiles, more room, then a CSR table on the device and
 * rows to the host's sink.
 *
 * Launches are cut so that one takes about 50 ms: the cancel flag is looked at between them. A launch that found more
 * hits than there is room for is redone after the room has grown; if it cannot grow, with fewer tiles; if those cannot
 * be fewer, EB_NO_MEMORY, and the caller takes fewer rows.
 */
#ifndef EB_KERNELS_TILED_RESULTS_CUH
#define EB_KERNELS_TILED_RESULTS_CUH

#include "kernels/device/gpu.cuh"
#include "kernels/device/nvml.cuh"
#include "kernels/parts/hits.cuh"

namespace eb {

/* How many block tiles the next launch takes; learns from how long the last one took. */
class launch_pace {
  public:
    uint64_t next(uint64_t left) const { return tiles_ < left ? tiles_ : left; }
    void took(uint64_t tiles, double seconds);

    /* How long so many will take, by the last launch; 0: nobody knows. */
    double expected_s(uint64_t tiles) const { return static_cast<double>(tiles) * tile_s_; }

    /* A launch of so many tiles found more than there is room for: take half. False: they cannot be fewer. */
    bool take_fewer(uint64_t tiles);

  private:
    uint64_t tiles_ = 2048;
    double tile_s_ = 0;
};

/* Launches shorter than this are not watched: asking NVML takes some milliseconds itself. */
constexpr double watched_launch_s = 0.01;

/* A kernel over block tiles: every engine's kernel takes one struct that has first_tile and end_tile. */
template <class arguments> struct tile_kernel {
    void (*kernel)(arguments);
    int threads, shared_bytes;
    unsigned most_workers;        /* persistent workers share the tiles; 0: one a tile */
    unsigned blocks_a_worker = 1; /* a worker is a block, or a cluster of so many */
};

/* Runs it over tiles 0 … tiles − 1. After each launch, settle(args, &fits) reads the results; when they did not fit it
 * has made room, and the same tiles run again. Adds to kernel_s; advances the job by `rows` in all. */
template <class arguments, class settle_launch>
eb_code run_tiles(const tile_kernel<arguments> &k, uint64_t tiles, uint64_t rows, arguments args, launch_pace &pace,
                  cudaStream_t stream, eb_job *job, eb_timing *timing, eb_status *status, settle_launch settle)
{
    EB_CUDA(cudaFuncSetAttribute(k.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, k.shared_bytes),
            "preparing the kernel");
    int device = 0;
    EB_CUDA(cudaGetDevice(&device), "asking for the GPU");
    gpu_sample before{};
    bool watched = false;
    stopwatch watch;
    uint64_t advanced = 0;
    for (uint64_t first = 0; first < tiles;) {
        EB_TRY(eb_job_check(job, status));
        const uint64_t count = pace.next(tiles - first);
        args.first_tile = first;
        args.end_tile = first + count;
        const uint64_t workers = k.most_workers > 0 && k.most_workers < count ? k.most_workers : count;
        const bool ask = pace.expected_s(count) >= watched_launch_s;
        if (ask && !watched) {
            before = sample_gpu(device);
            watched = true;
        }
        EB_TRY(watch.start(stream, status));
        k.kernel<<<static_cast<unsigned>(workers) * k.blocks_a_worker, static_cast<unsigned>(k.threads),
                   static_cast<size_t>(k.shared_bytes), stream>>>(args);
        EB_CUDA(cudaGetLastError(), "starting the join kernel");
        EB_TRY(watch.mark(stream, status));
        if (ask) {
            const gpu_sample now = sample_gpu(device); /* while it runs */
            timing->sm_clock_hz = now.sm_clock_hz;
            timing->throttle |= now.throttle;
        }
        double seconds = 0;
        EB_TRY(watch.read(&seconds, status));
        eb_timing_add(&timing->kernel_s, seconds);
        pace.took(count, seconds);
        bool fits = true;
        const eb_code settled = settle(args, &fits);
        if (settled == EB_NO_MEMORY && pace.take_fewer(count))
            continue;
        EB_TRY(settled);
        if (fits) {
            first += count;
            const uint64_t due = static_cast<uint64_t>(static_cast<double>(rows) *
                                                       (static_cast<double>(first) / static_cast<double>(tiles)));
            eb_job_advance(job, due - advanced);
            advanced = due;
        }
    }
    const double joules = watched ? sample_gpu(device).energy_j - before.energy_j : 0;
    if (joules > 0) /* its counter moves some ten times a second: a short run may see no step, which is not no energy */
        eb_timing_add(&timing->energy_j, joules);
    return EB_OK;
}

template <class squared_type> class hit_store {
  public:
    /* Room for at least this many hits; forgets what is there. limit: most bytes it may ever take, 0: what the device
     * has. */
    eb_code prepare(uint64_t capacity, uint64_t limit_bytes, cudaStream_t stream, eb_status *status);
    hit_buffer<squared_type> buffer() const { return {found_.get(), capacity_, pair_.get(), squared_.get()}; }
    uint64_t held() const { return held_; }

    /* Room to begin with for a join of `rows` rows, within the limit: S = 64 fits without growing. */
    static uint64_t first_room(size_t rows) { return rows * 64 + (uint64_t{1} << 20); }

    /* The device's counter, for kernels that only count. */
    eb_code counted(uint64_t *found, cudaStream_t stream, eb_status *status);

    /* After a launch: fits says whether all its hits are there (they are kept), or were forgotten and there is more
     * room now. */
    eb_code settle(bool *fits, cudaStream_t stream, eb_status *status);
    eb_code clear(cudaStream_t stream, eb_status *status);

  private:
    eb_code grow(uint64_t wanted, cudaStream_t stream, eb_status *status);

    device_array<uint2> pair_;
    device_array<squared_type> squared_;
    device_array<unsigned long long> found_;
    pinned_array<unsigned long long> found_host_;
    uint64_t capacity_ = 0, held_ = 0, limit_bytes_ = 0;
};

/* Builds the rows [row_begin, row_end) of the neighbour table from the hits held (mirrored: a hit (i, j) also stands
 * for (j, i); rows outside the range are left out), self pairs added, columns ascending, and hands them to sink->rows
 * in order. Adds to table_s and download_s. */
template <class squared_type>
eb_code deliver_rows(const hit_store<squared_type> &hits, size_t n, size_t row_begin, size_t row_end, bool mirrored,
                     const eb_sink *sink, cudaStream_t stream, eb_job *job, eb_timing *timing, eb_status *status);

} // namespace eb

#endif
