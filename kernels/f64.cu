/* f64: the two FP64 engines on CUDA. ref64: direct differences on CUDA cores, the truth. ted: tensor cores, TED-Join's expansion,
 * with FASTED's tiling and any d. They share everything but the kernel.
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "kernels/intervals.cuh"
#include "kernels/results.cuh"
#include "kernels/ted_kernel.cuh"
#include "kernels/upload.cuh"

extern "C" {
#include "kernels/cuda_engines.h"
}

namespace eb {

namespace {

constexpr size_t tile_side = 128;
constexpr size_t queries_at_once = 128;
static_assert(tile_side == ref64_tile && tile_side == ted_tile && ref64_threads == ted_threads);

enum class arithmetic { direct, expansion };

struct f64_kernel {
    void (*kernel)(f64_arguments);
    int shared_bytes;
    bool symmetric;
};

template <output writes, bool symmetric> f64_kernel kernel_of(arithmetic how)
{
    if (how == arithmetic::direct)
        return {ref64_tiles<symmetric, writes>, ref64_shared_bytes, symmetric};
    return {ted_tiles<symmetric, writes>, ted_shared_bytes, symmetric};
}

struct f64_state {
    arithmetic how;
    const eb_dataset *ds;
    uint64_t memory_limit;
    size_t n, n_padded, d_padded;
    cudaStream_t stream = nullptr;
    device_array<double> points, norm, query_points, query_norm, dense;
    hit_store<double> hits;
    launch_pace pace;

    ~f64_state()
    {
        if (stream)
            (void)cudaStreamDestroy(stream);
    }
};

/* ‖p‖² as an FMA chain, k ascending: what the tensor core computes for a point with itself. */
__global__ void f64_norms(const double *points, size_t n_padded, size_t d_padded, double *norm)
{
    const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    if (i >= n_padded)
        return;
    double s = 0;
    for (size_t k = 0; k < d_padded; k++) {
        const double p = points[i * d_padded + k];
        s = __fma_rn(p, p, s);
    }
    norm[i] = s;
}

f64_panel panel(const f64_state &s, size_t first, size_t count)
{
    return {s.points.get() + first * s.d_padded, s.norm.get() + first, static_cast<uint32_t>(count), static_cast<uint32_t>(first)};
}

template <class settle_launch>
eb_code run_kernel(f64_state &s, const f64_kernel &k, f64_arguments args, eb_job *job, eb_timing *timing, eb_status *status,
                   settle_launch settle)
{
    args.d_padded = static_cast<uint32_t>(s.d_padded);
    args.tile_rows = static_cast<uint32_t>((args.a.count + tile_side - 1) / tile_side);
    args.tile_columns = static_cast<uint32_t>((args.b.count + tile_side - 1) / tile_side);
    const uint64_t tiles = tile_count(args.tile_rows, args.tile_columns, true, k.symmetric);
    const tile_kernel<f64_arguments> tiled{k.kernel, ref64_threads, k.shared_bytes, 0};
    return run_tiles(tiled, tiles, args.a.count, args, s.pace, s.stream, job, timing, status, settle);
}

eb_code open_as(arithmetic how, const eb_device *device, const eb_dataset *ds, const eb_engine_options *options, eb_job *job,
                eb_timing *timing, void **out, eb_status *status)
{
    EB_CUDA(cudaSetDevice(device->index), "choosing the GPU");
    f64_state *s = new (std::nothrow) f64_state;
    if (!s)
        return eb_fail_memory(status, "the engine", sizeof *s);
    *out = s;
    s->how = how;
    s->ds = ds;
    s->memory_limit = options->memory_limit;
    s->n = ds->n;
    s->n_padded = round_up(ds->n, tile_side) + tile_side; /* a row range may begin anywhere and still read whole tiles */
    s->d_padded = round_up(ds->d, 16);
    EB_CUDA(cudaStreamCreate(&s->stream), "making a stream");
    EB_TRY(s->points.reserve(s->n_padded * s->d_padded, "making room for the points", status));
    EB_TRY(s->norm.reserve(s->n_padded, "making room for the norms", status));
    EB_TRY(upload_f64(ds, 0, ds->n, s->n_padded, s->d_padded, s->points.get(), s->stream, job, timing, status));
    if (how == arithmetic::direct)
        return EB_OK;
    stopwatch watch;
    double seconds = 0;
    EB_TRY(watch.start(s->stream, status));
    f64_norms<<<static_cast<unsigned>((s->n_padded + 127) / 128), 128, 0, s->stream>>>(s->points.get(), s->n_padded, s->d_padded,
                                                                                       s->norm.get());
    EB_CUDA(cudaGetLastError(), "computing the norms");
    EB_TRY(watch.stop(s->stream, &seconds, status));
    eb_timing_add(&timing->norms_s, seconds);
    return EB_OK;
}

eb_code f64_count(void *state, double eps, eb_job *job, eb_timing *timing, uint64_t *pairs, eb_status *status)
{
    f64_state &s = *static_cast<f64_state *>(state);
    f64_arguments args{};
    args.threshold = eb_squared_threshold(eps);
    EB_TRY(s.hits.prepare(1, 0, s.stream, status));
    args.a = args.b = panel(s, 0, s.n);
    args.out = s.hits.buffer();
    EB_TRY(run_kernel(s, kernel_of<output::count, true>(s.how), args, job, timing, status,
                     [](f64_arguments &, bool *) { return EB_OK; }));
    uint64_t found = 0;
    EB_TRY(s.hits.counted(&found, s.stream, status));
    *pairs = 2 * found + s.n;
    return EB_OK;
}

eb_code f64_join(void *state, double eps, size_t row_begin, size_t row_end, const eb_sink *sink, eb_job *job, eb_timing *timing,
                 eb_status *status)
{
    f64_state &s = *static_cast<f64_state *>(state);
    const bool whole = row_begin == 0 && row_end == s.n;
    const f64_kernel k = whole ? kernel_of<output::hits, true>(s.how) : kernel_of<output::hits, false>(s.how);
    f64_arguments args{};
    args.threshold = eb_squared_threshold(eps);
    EB_TRY(s.hits.prepare(hit_store<double>::first_room(row_end - row_begin), s.memory_limit, s.stream, status));
    args.a = panel(s, row_begin, row_end - row_begin);
    args.b = panel(s, 0, s.n);
    args.out = s.hits.buffer();
    EB_TRY(run_kernel(s, k, args, job, timing, status, [&](f64_arguments &now, bool *fits) {
        const eb_code code = s.hits.settle(fits, s.stream, status);
        now.out = s.hits.buffer();
        return code;
    }));
    return deliver_rows(s.hits, s.n, row_begin, row_end, k.symmetric, sink, s.stream, job, timing, status);
}

eb_code f64_histogram(void *state, eb_distance_pass *pass, eb_job *job, eb_timing *timing, eb_status *status)
{
    f64_state &s = *static_cast<f64_state *>(state);
    f64_arguments args{};
    args.threshold = eb_squared_threshold(pass->eps[pass->edges - 1]);
    EB_TRY(s.hits.prepare(hit_store<double>::first_room(s.n), s.memory_limit, s.stream, status));
    args.a = args.b = panel(s, 0, s.n);
    args.out = s.hits.buffer();
    interval_counter<double> intervals;
    EB_TRY(intervals.prepare(pass, s.stream, status));
    EB_TRY(run_kernel(s, kernel_of<output::hits, true>(s.how), args, job, timing, status, [&](f64_arguments &now, bool *fits) {
        EB_TRY(s.hits.settle(fits, s.stream, status));
        now.out = s.hits.buffer();
        if (!*fits)
            return EB_OK;
        EB_TRY(intervals.take(s.hits, s.stream, status));
        return s.hits.clear(s.stream, status);
    }));
    return intervals.finish(pass, s.stream, status);
}

/* Queries are gathered into a panel of their own and met with all points by the dense kernel. */
eb_code f64_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_job *job, eb_status *status)
{
    f64_state &s = *static_cast<f64_state *>(state);
    const char *what = "computing distances from queries";
    EB_TRY(s.query_points.reserve(queries_at_once * s.d_padded, what, status));
    EB_TRY(s.query_norm.reserve(queries_at_once, what, status));
    EB_TRY(s.dense.reserve(queries_at_once * s.n, what, status));
    EB_CUDA(cudaMemsetAsync(s.query_points.get(), 0, queries_at_once * s.d_padded * sizeof(double), s.stream), what);
    EB_CUDA(cudaMemsetAsync(s.query_norm.get(), 0, queries_at_once * sizeof(double), s.stream), what);
    eb_timing ignored = eb_timing_none();
    for (size_t first = 0; first < m; first += queries_at_once) {
        EB_TRY(eb_job_check(job, status));
        const size_t count = m - first < queries_at_once ? m - first : queries_at_once;
        for (size_t k = 0; k < count; k++) {
            const size_t row = rows[first + k];
            EB_CUDA(cudaMemcpyAsync(s.query_points.get() + k * s.d_padded, s.points.get() + row * s.d_padded,
                                    s.d_padded * sizeof(double), cudaMemcpyDeviceToDevice, s.stream),
                    what);
            EB_CUDA(cudaMemcpyAsync(s.query_norm.get() + k, s.norm.get() + row, sizeof(double), cudaMemcpyDeviceToDevice, s.stream), what);
        }
        f64_arguments args{};
        args.a = {s.query_points.get(), s.query_norm.get(), static_cast<uint32_t>(count), 0};
        args.b = panel(s, 0, s.n);
        args.dense = s.dense.get();
        EB_TRY(run_kernel(s, kernel_of<output::dense, false>(s.how), args, nullptr, &ignored, status,
                         [](f64_arguments &, bool *) { return EB_OK; }));
        EB_CUDA(cudaMemcpyAsync(out + first * s.n, s.dense.get(), count * s.n * sizeof(double), cudaMemcpyDeviceToHost, s.stream), what);
        EB_CUDA(cudaStreamSynchronize(s.stream), what);
        for (size_t k = 0; k < count; k++)
            out[(first + k) * s.n + rows[first + k]] = 0;
    }
    return EB_OK;
}

eb_code f64_probe(const eb_device *device, eb_status *status)
{
    int architecture = 0;
    if (std::sscanf(device->architecture, "sm_%d", &architecture) == 1 && architecture >= 80)
        return EB_OK;
    return eb_fail(status, EB_NO_ENGINE, "%s (%s) is older than sm_80, the oldest this build has code for", device->model,
                   device->architecture);
}

uint64_t f64_memory_needed(size_t n, size_t d, eb_dtype)
{
    return (round_up(n, tile_side) + tile_side) * (round_up(d, 16) + 1) * sizeof(double);
}

void f64_close(void *state) { delete static_cast<f64_state *>(state); }

/* Per pair and dimension: a subtraction and an FMA. */
double direct_flops(size_t n, size_t d, const eb_engine_options *)
{
    return 1.5 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(d);
}

double expansion_flops(size_t n, size_t d, const eb_engine_options *)
{
    return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(d);
}

} // namespace

} // namespace eb

extern "C" const eb_engine eb_engine_ref64_cuda = {
    "ref64",
    "the truth: FP64 differences on CUDA cores",
    EB_DEVICE_CUDA,
    true,
    eb::f64_probe,
    eb::f64_memory_needed,
    [](const eb_device *device, const eb_dataset *ds, const eb_engine_options *options, eb_job *job, eb_timing *timing, void **out,
       eb_status *status) { return eb::open_as(eb::arithmetic::direct, device, ds, options, job, timing, out, status); },
    eb::f64_count,
    eb::f64_join,
    eb::f64_histogram,
    eb::f64_distances,
    eb::f64_close,
    eb::direct_flops,
    nullptr,
    EB_LIMIT_F64,
};

extern "C" const eb_engine eb_engine_ted_cuda = {
    "ted",
    "FP64 tensor cores, ‖p‖² + ‖q‖² − 2⟨p,q⟩ (TED-Join's arithmetic, FASTED's tiling)",
    EB_DEVICE_CUDA,
    false,
    eb::f64_probe,
    eb::f64_memory_needed,
    [](const eb_device *device, const eb_dataset *ds, const eb_engine_options *options, eb_job *job, eb_timing *timing, void **out,
       eb_status *status) { return eb::open_as(eb::arithmetic::expansion, device, ds, options, job, timing, out, status); },
    eb::f64_count,
    eb::f64_join,
    eb::f64_histogram,
    eb::f64_distances,
    eb::f64_close,
    eb::expansion_flops,
    nullptr,
    EB_LIMIT_TENSOR_F64,
};
