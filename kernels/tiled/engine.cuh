/* engine: what every CUDA engine does alike: rows of points on the device, kernels over block tiles of the distance
 * matrix, hits to rows, intervals or dense distances. An engine adds its rules: how points are prepared and which
 * kernel runs.
 *
 * Points that fit lie on the device as a whole. Otherwise the dataset is streamed: blocks of rows meet in pairs, one
 * block of each side on the device, the other uploaded again for every pair. A block of b rows costs b·d values of
 * upload and b²·d of work, so that with blocks of 10⁵ rows and more the link is not what limits.
 *
 * rules:
 *   point, squared, panel, arguments           types; side_of_tile, depth: what rows and dimensions are padded to
 *   side                                       what a block of rows needs beside its points: reserve(rows), bytes_a_row
 *   rules(options), usable(status)             EB_NO_ENGINE when nothing is compiled for these options
 *   symmetric()                                a whole join looks at each pair once
 *   variant(writes, symmetric)                 the kernel
 *   threshold(eps)                             as arguments.threshold
 *   norms(points, count, padded, d_padded, side, stream)       after an upload
 *   level(side, count, padded, threshold, stream)              before a kernel with that threshold
 *   view(points, side, at, count, first)       rows [at, at + count) of a block as a panel, numbered from `first`
 *   complete(variant, arguments, status)       what else this kernel wants to know; arguments.a and .b are set
 *   describe(buffer, size)
 */
#ifndef EB_KERNELS_TILED_ENGINE_CUH
#define EB_KERNELS_TILED_ENGINE_CUH

#include <cstdio>
#include <new>
#include <vector>

#include "kernels/parts/tile_order.cuh"
#include "kernels/tiled/intervals.cuh"
#include "kernels/tiled/results.cuh"
#include "kernels/tiled/upload.cuh"

namespace eb {

/* A kernel over tiles of side × side pairs. */
template <class arguments> struct tile_variant {
    void (*kernel)(arguments);
    int side, threads, shared_bytes;
    bool squares, symmetric; /* the order and number of its tiles (tile_order.cuh) */
    bool persistent;         /* as many workers as the device holds at a time share the tiles */
    int cluster = 1;         /* blocks that are one worker */
};

/* Workers of a persistent kernel that the device holds at a time. */
template <class arguments>
eb_code most_workers(const tile_variant<arguments> &v, unsigned sms, unsigned *most, eb_status *status)
{
    const char *what = "asking how many blocks fit an SM";
    const size_t shared_bytes = static_cast<size_t>(v.shared_bytes);
    int workers = 0;
    EB_CUDA(cudaFuncSetAttribute(v.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, v.shared_bytes),
            "preparing the kernel");
    if (v.cluster == 1) {
        EB_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&workers, v.kernel, v.threads, shared_bytes), what);
        workers *= static_cast<int>(sms);
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
        EB_CUDA(cudaOccupancyMaxActiveClusters(&workers, v.kernel, &launch), what);
    }
    *most = static_cast<unsigned>(workers);
    return workers > 0 ? EB_OK : eb_fail(status, EB_NO_DEVICE, "a block of this kernel does not fit an SM of this GPU");
}

/* Bytes this process can still get on the current device, what its pool holds unused included. */
eb_code free_device_bytes(uint64_t *bytes, eb_status *status);

/* Rows a block of a streamed dataset has; `rows` itself when they all fit. budget: bytes for
 * everything on the device. */
eb_code choose_block_rows(size_t rows, size_t bytes_a_row, uint64_t budget, size_t *block_rows, eb_status *status);

/* Rows[0…m) of a dataset, one behind the other, as a dataset of their own (with nothing but its points). */
class gathered_rows {
  public:
    void gather(const eb_dataset *ds, const uint32_t *rows, size_t m);
    const eb_dataset *dataset() const { return &dataset_; }

  private:
    std::vector<unsigned char> bytes_;
    eb_dataset dataset_{};
};

template <class rules> class tiled_engine {
  public:
    static eb_code open(const eb_device *device, const eb_dataset *ds, const eb_engine_options *options, eb_job *job,
                        eb_timing *timing, void **out, eb_status *status)
    {
        return guarded(status, [&]() -> eb_code {
            EB_CUDA(cudaSetDevice(device->index), "choosing the GPU");
            tiled_engine *engine = new tiled_engine(ds, options);
            *out = engine;
            return engine->begin(device, job, timing, status);
        });
    }

    static eb_code count(void *state, double eps, eb_job *job, eb_timing *timing, uint64_t *pairs, eb_status *status)
    {
        return guarded(status, [&] {
            return static_cast<tiled_engine *>(state)->count_pairs(eps, job, timing, pairs, status);
        });
    }

    static eb_code join(void *state, double eps, size_t row_begin, size_t row_end, const eb_sink *sink, eb_job *job,
                        eb_timing *timing, eb_status *status)
    {
        return guarded(status, [&] {
            return static_cast<tiled_engine *>(state)->join_rows(eps, row_begin, row_end, sink, job, timing, status);
        });
    }

    static eb_code histogram(void *state, eb_distance_pass *pass, eb_job *job, eb_timing *timing, eb_status *status)
    {
        return guarded(status,
                       [&] { return static_cast<tiled_engine *>(state)->count_intervals(pass, job, timing, status); });
    }

    static eb_code distances(void *state, const uint32_t *rows, size_t m, double *out, eb_job *job, eb_status *status)
    {
        return guarded(status,
                       [&] { return static_cast<tiled_engine *>(state)->measure_queries(rows, m, out, job, status); });
    }

    static void close(void *state) { delete static_cast<tiled_engine *>(state); }
    static const char *describe(const void *state) { return static_cast<const tiled_engine *>(state)->description_; }

    static uint64_t memory_needed(size_t n, size_t d, eb_dtype)
    {
        return padded_rows(n) * static_cast<uint64_t>(bytes_a_row(round_up(d, rules::depth)));
    }

    ~tiled_engine()
    {
        if (stream_)
            (void)cudaStreamDestroy(stream_);
    }

  private:
    using point = typename rules::point;
    using squared = typename rules::squared;
    using panel = typename rules::panel;
    using arguments = typename rules::arguments;
    using threshold_type = decltype(arguments::threshold);

    /* A block of rows on the device. */
    struct block {
        device_array<point> points;
        typename rules::side side;
        size_t first = 0, count = 0, padded = 0;
    };

    tiled_engine(const eb_dataset *ds, const eb_engine_options *options)
        : rules_(*options), ds_(ds), n_(ds->n), d_padded_(round_up(ds->d, rules::depth)),
          memory_limit_(options->memory_limit)
    {
    }

    /* One tile more than needed: a row range may begin anywhere and still read whole tiles. */
    static size_t padded_rows(size_t rows) { return round_up(rows, rules::side_of_tile) + rules::side_of_tile; }
    static size_t bytes_a_row(size_t d_padded) { return d_padded * sizeof(point) + rules::side::bytes_a_row; }
    bool resident() const { return block_rows_ == n_; }

    eb_code begin(const eb_device *device, eb_job *job, eb_timing *timing, eb_status *status)
    {
        EB_TRY(rules_.usable(status));
        int sms = 0;
        EB_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device->index),
                "asking the GPU for its size");
        sms_ = static_cast<unsigned>(sms);
        EB_TRY(keep_device_memory(device->index, status));
        EB_CUDA(cudaStreamCreate(&stream_), "making a stream");
        uint64_t budget = 0;
        EB_TRY(free_device_bytes(&budget, status));
        if (memory_limit_ > 0 && memory_limit_ < budget)
            budget = memory_limit_;
        const size_t row_bytes = bytes_a_row(d_padded_);
        EB_TRY(choose_block_rows(n_, row_bytes, budget, &block_rows_, status));
        const uint64_t points = (resident() ? 1 : 2) * padded_rows(block_rows_) * static_cast<uint64_t>(row_bytes);
        hits_limit_ = memory_limit_ == 0 ? 0 : memory_limit_ > points ? memory_limit_ - points : 1;
        describe_self();
        /* Streamed or not, every row is seen once here: what cannot be computed rightly is refused before anything
         * runs. */
        for (size_t first = 0; first < n_; first += block_rows_)
            EB_TRY(load(blocks_[0], first, smaller(block_rows_, n_ - first), job, timing, status));
        return EB_OK;
    }

    void describe_self()
    {
        const int written = rules_.describe(description_, sizeof description_);
        if (!resident() && written >= 0 && static_cast<size_t>(written) < sizeof description_)
            (void)std::snprintf(description_ + written, sizeof description_ - static_cast<size_t>(written),
                                "%sthe points do not fit the GPU's memory: streamed in %zu blocks of %zu",
                                written > 0 ? "; " : "", (n_ + block_rows_ - 1) / block_rows_, block_rows_);
    }

    static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

    eb_code load(block &into, size_t first, size_t count, eb_job *job, eb_timing *timing, eb_status *status)
    {
        return load_from(into, ds_, first, count, job, timing, status);
    }

    eb_code load_from(block &into, const eb_dataset *from, size_t first, size_t count, eb_job *job, eb_timing *timing,
                      eb_status *status)
    {
        into.first = first;
        into.count = count;
        into.padded = padded_rows(count);
        EB_TRY(into.points.reserve(into.padded * d_padded_, "making room for the points", status));
        EB_TRY(into.side.reserve(into.padded, status));
        EB_TRY(
            upload_points(from, first, count, into.padded, d_padded_, into.points.get(), stream_, job, timing, status));
        stopwatch watch;
        double seconds = 0;
        EB_TRY(watch.start(stream_, status));
        EB_TRY(rules_.norms(into.points.get(), count, into.padded, d_padded_, into.side, stream_, status));
        EB_TRY(watch.stop(stream_, &seconds, status));
        eb_timing_add(&timing->norms_s, seconds);
        return EB_OK;
    }

    eb_code level(block &of, threshold_type threshold, eb_status *status)
    {
        return rules_.level(of.side, of.count, of.padded, threshold, stream_, status);
    }

    panel view(const block &of, size_t at, size_t count) const
    {
        return rules_.view(of.points.get() + at * d_padded_, of.side, at, count, of.first + at);
    }

    /* Calls meet(a, b, diagonal, rows) until rows [row_begin, row_end) have met all points. triangle: pairs of blocks
     * on one side of the diagonal only, `diagonal` where a block meets itself. `rows` is the progress that this call
     * makes, of row_end − row_begin in all. */
    template <class meeting>
    eb_code meet_all(size_t row_begin, size_t row_end, bool triangle, threshold_type threshold, eb_job *job,
                     eb_timing *timing, eb_status *status, meeting meet)
    {
        block &a = blocks_[0], &b = blocks_[1];
        if (resident()) {
            EB_TRY(level(a, threshold, status));
            return meet(view(a, row_begin, row_end - row_begin), view(a, 0, n_), triangle, row_end - row_begin);
        }
        for (size_t first = row_begin; first < row_end; first += block_rows_) {
            const size_t rows = smaller(block_rows_, row_end - first), begin = triangle ? first : 0;
            EB_TRY(load(a, first, rows, job, timing, status));
            EB_TRY(level(a, threshold, status));
            for (size_t other = begin; other < n_; other += block_rows_) {
                const size_t count = smaller(block_rows_, n_ - other);
                const bool diagonal = triangle && other == first;
                if (!diagonal) {
                    EB_TRY(load(b, other, count, job, timing, status));
                    EB_TRY(level(b, threshold, status));
                }
                const size_t done = scaled(rows, other - begin, n_ - begin),
                             now = scaled(rows, other + count - begin, n_ - begin);
                EB_TRY(meet(view(a, 0, rows), view(diagonal ? a : b, 0, count), diagonal, now - done));
            }
        }
        return EB_OK;
    }

    static size_t scaled(size_t rows, size_t part, size_t whole)
    {
        return static_cast<size_t>(static_cast<double>(rows) *
                                   (static_cast<double>(part) / static_cast<double>(whole)));
    }

    template <class settle_launch>
    eb_code run(const tile_variant<arguments> &v, arguments args, uint64_t rows, eb_job *job, eb_timing *timing,
                eb_status *status, settle_launch settle)
    {
        const uint32_t side = static_cast<uint32_t>(v.side);
        args.d_padded = static_cast<uint32_t>(d_padded_);
        args.tile_rows = (args.a.count + side - 1) / side;
        args.tile_columns = (args.b.count + side - 1) / side;
        tile_kernel<arguments> k{v.kernel, v.threads, v.shared_bytes, 0};
        k.blocks_a_worker = static_cast<unsigned>(v.cluster);
        if (v.persistent)
            EB_TRY(most_workers(v, sms_, &k.most_workers, status));
        EB_TRY(rules_.complete(v, args, status));
        const uint64_t tiles = tile_count(args.tile_rows, args.tile_columns, v.squares, v.symmetric);
        return run_tiles(k, tiles, rows, args, pace_, stream_, job, timing, status, settle);
    }

    eb_code count_pairs(double eps, eb_job *job, eb_timing *timing, uint64_t *pairs, eb_status *status)
    {
        const bool triangle = rules_.symmetric();
        arguments args{};
        args.threshold = rules_.threshold(eps);
        EB_TRY(hits_.prepare(1, 0, stream_, status));
        args.out = hits_.buffer();
        args.out.capacity = 0;
        EB_TRY(meet_all(0, n_, triangle, args.threshold, job, timing, status,
                        [&](const panel &a, const panel &b, bool diagonal, size_t rows) {
                            args.a = a;
                            args.b = b;
                            return run(rules_.variant(output::count, diagonal), args, rows, job, timing, status,
                                       [](arguments &, bool *) { return EB_OK; });
                        }));
        uint64_t found = 0;
        EB_TRY(hits_.counted(&found, stream_, status));
        *pairs = found * (triangle ? 2 : 1) + n_;
        return EB_OK;
    }

    /* Hits of all tiles, with take() after each launch that fitted. */
    template <class taking>
    eb_code find_hits(double eps, size_t row_begin, size_t row_end, bool triangle, eb_job *job, eb_timing *timing,
                      eb_status *status, taking take)
    {
        arguments args{};
        args.threshold = rules_.threshold(eps);
        EB_TRY(hits_.prepare(hit_store<squared>::first_room(row_end - row_begin), hits_limit_, stream_, status));
        return meet_all(row_begin, row_end, triangle, args.threshold, job, timing, status,
                        [&](const panel &a, const panel &b, bool diagonal, size_t rows) {
                            args.a = a;
                            args.b = b;
                            args.out = hits_.buffer();
                            return run(rules_.variant(output::hits, diagonal), args, rows, job, timing, status,
                                       [&](arguments &now, bool *fits) {
                                           EB_TRY(hits_.settle(fits, stream_, status));
                                           now.out = hits_.buffer();
                                           return *fits ? take() : EB_OK;
                                       });
                        });
    }

    eb_code join_rows(double eps, size_t row_begin, size_t row_end, const eb_sink *sink, eb_job *job, eb_timing *timing,
                      eb_status *status)
    {
        const bool triangle = rules_.symmetric() && row_begin == 0 && row_end == n_;
        EB_TRY(find_hits(eps, row_begin, row_end, triangle, job, timing, status, [] { return EB_OK; }));
        return deliver_rows(hits_, n_, row_begin, row_end, triangle, sink, stream_, job, timing, status);
    }

    eb_code count_intervals(eb_distance_pass *pass, eb_job *job, eb_timing *timing, eb_status *status)
    {
        interval_counter<squared> intervals;
        EB_TRY(intervals.prepare(pass, stream_, status));
        EB_TRY(find_hits(pass->eps[pass->edges - 1], 0, n_, true, job, timing, status, [&] {
            EB_TRY(intervals.take(hits_, stream_, status));
            return hits_.clear(stream_, status);
        }));
        return intervals.finish(pass, stream_, status);
    }

    /* Queries are gathered into a block of their own and met with all points by the dense kernel. */
    eb_code measure_queries(const uint32_t *rows, size_t m, double *out, eb_job *job, eb_status *status)
    {
        const size_t room = size_t{1} << 28, fitting = room / block_rows_;
        const size_t at_once = fitting < 1 ? 1 : smaller(fitting, rules::side_of_tile);
        eb_timing ignored = eb_timing_none();
        EB_TRY(dense_.reserve(at_once * block_rows_, "computing distances from queries", status));
        dense_host_.resize(at_once * block_rows_);
        for (size_t first = 0; first < m; first += at_once) {
            EB_TRY(eb_job_check(job, status));
            const size_t count = smaller(at_once, m - first);
            gathered_rows gathered;
            gathered.gather(ds_, rows + first, count);
            EB_TRY(load_from(queries_, gathered.dataset(), 0, count, nullptr, &ignored, status));
            EB_TRY(level(queries_, 0, status));
            for (size_t other = 0; other < n_; other += block_rows_)
                EB_TRY(measure_block(count, other, out + first * n_, status));
            for (size_t k = 0; k < count; k++)
                out[(first + k) * n_ + rows[first + k]] = 0;
        }
        return EB_OK;
    }

    eb_code measure_block(size_t queries, size_t first, double *out, eb_status *status)
    {
        const char *what = "computing distances from queries";
        const size_t count = smaller(block_rows_, n_ - first);
        eb_timing ignored = eb_timing_none();
        block &b = blocks_[resident() ? 0 : 1];
        if (!resident())
            EB_TRY(load(b, first, count, nullptr, &ignored, status));
        EB_TRY(level(b, 0, status)); /* levels hold the norms, whatever the threshold */
        arguments args{};
        args.a = view(queries_, 0, queries);
        args.b = view(b, 0, count);
        args.dense = dense_.get();
        EB_TRY(run(rules_.variant(output::dense, false), args, 0, nullptr, &ignored, status,
                   [](arguments &, bool *) { return EB_OK; }));
        EB_CUDA(cudaMemcpyAsync(dense_host_.data(), dense_.get(), queries * count * sizeof(squared),
                                cudaMemcpyDeviceToHost, stream_),
                what);
        EB_CUDA(cudaStreamSynchronize(stream_), what);
        for (size_t k = 0; k < queries; k++)
            for (size_t j = 0; j < count; j++)
                out[k * n_ + first + j] = static_cast<double>(dense_host_[k * count + j]);
        return EB_OK;
    }

    rules rules_;
    const eb_dataset *ds_;
    size_t n_, d_padded_, block_rows_ = 0;
    uint64_t memory_limit_, hits_limit_ = 0;
    unsigned sms_ = 0;
    cudaStream_t stream_ = nullptr;
    block blocks_[2], queries_; /* resident: blocks_[0] holds everything */
    device_array<squared> dense_;
    std::vector<squared> dense_host_;
    hit_store<squared> hits_;
    launch_pace pace_;
    char description_[256] = "";
};

} // namespace eb

#endif
