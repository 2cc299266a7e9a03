/* fasted: the engine on CUDA: FP16 tensor cores with FP32 sums, dist² = s_i + s_j − 2a (fasted_kernel.cuh). */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "kernels/fasted_prepare.cuh"
#include "kernels/fasted_variants.cuh"
#include "kernels/intervals.cuh"
#include "kernels/results.cuh"
#include "kernels/upload.cuh"

extern "C" {
#include "kernels/cuda_engines.h"
}

namespace eb {

namespace {

constexpr size_t tile_rows_most = 128;
constexpr size_t queries_at_once = 128; /* rows a dense launch takes: one row of block tiles */

struct fasted_state {
    const eb_dataset *ds;
    uint32_t switches;
    uint64_t memory_limit;
    size_t n, d, n_padded, d_padded;
    cudaStream_t stream = nullptr;
    device_array<__half> points, query_points;
    unsigned sms = 0;
    device_array<float> norm, dense;
    device_array<float2> level, query_level;
    hit_store<float> hits;
    launch_pace pace;
    char description[160] = "";

    ~fasted_state()
    {
        if (stream)
            (void)cudaStreamDestroy(stream);
    }
};

/* q ≤ ε·ε compared exactly is q ≤ T, T the largest FP32 not above fl(ε·ε). */
float threshold_for(double eps)
{
    const double e = eb_squared_threshold(eps);
    if (e >= 3.4028234663852886e38)
        return 3.4028234663852886e38f;
    const float t = static_cast<float>(e);
    return static_cast<double>(t) > e ? std::nextafterf(t, 0.0f) : t;
}

const fasted_variant *find(uint32_t switches, output writes)
{
    const fasted_variant *found = find_fasted_best(switches, writes);
    return found ? found : find_fasted_paper(switches, writes);
}

/* The compiled variant for these switches; NULL: not compiled. A variant that appends hits also counts, given no room. */
const fasted_variant *choose(uint32_t switches, output writes)
{
    const fasted_variant *found = find(switches, writes);
    return found || writes != output::count ? found : find(switches, output::hits);
}

f16_panel panel(const fasted_state &s, size_t first, size_t count)
{
    return {s.points.get() + first * s.d_padded, s.level.get() + first, static_cast<uint32_t>(count), static_cast<uint32_t>(first)};
}

eb_code set_threshold(fasted_state &s, float threshold, eb_status *status)
{
    levels_of<<<static_cast<unsigned>((s.n_padded + 255) / 256), 256, 0, s.stream>>>(
        s.norm.get(), static_cast<uint32_t>(s.n), static_cast<uint32_t>(s.n_padded), threshold, s.level.get());
    EB_CUDA(cudaGetLastError(), "preparing the norms");
    return EB_OK;
}

/* Runs a variant over all tiles of a × b. */
template <class settle_launch>
eb_code run_variant(fasted_state &s, const fasted_variant &v, fasted_arguments args, eb_job *job, eb_timing *timing,
                    eb_status *status, settle_launch settle)
{
    const uint32_t rows = static_cast<uint32_t>(v.rows);
    args.d_padded = static_cast<uint32_t>(s.d_padded);
    args.tile_rows = (args.a.count + rows - 1) / rows;
    args.tile_columns = (args.b.count + rows - 1) / rows;
    const uint64_t tiles = tile_count(args.tile_rows, args.tile_columns, v.squares, v.symmetric);
    int resident = 0;
    EB_CUDA(cudaFuncSetAttribute(v.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, v.shared_bytes), "preparing the kernel");
    EB_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, v.kernel, v.threads, static_cast<size_t>(v.shared_bytes)),
            "asking how many blocks fit an SM");
    const tile_kernel<fasted_arguments> k{v.kernel, v.threads, v.shared_bytes, s.sms * static_cast<unsigned>(resident)};
    return run_tiles(k, tiles, args.a.count, args, s.pace, s.stream, job, timing, status, settle);
}

eb_code prepare_points(fasted_state &s, eb_job *job, eb_timing *timing, eb_status *status)
{
    EB_TRY(s.points.reserve(s.n_padded * s.d_padded, "making room for the points", status));
    EB_TRY(s.norm.reserve(s.n_padded, "making room for the norms", status));
    EB_TRY(s.level.reserve(s.n_padded, "making room for the norms", status));
    EB_TRY(upload_f16(s.ds, 0, s.n, s.n_padded, s.d_padded, s.points.get(), s.stream, job, timing, status));
    stopwatch watch;
    double seconds = 0;
    EB_TRY(watch.start(s.stream, status));
    norms_of<<<static_cast<unsigned>((s.n_padded + prepare_points_a_block - 1) / prepare_points_a_block), 32, 0, s.stream>>>(
        s.points.get(), static_cast<uint32_t>(s.n), static_cast<uint32_t>(s.n_padded), static_cast<uint32_t>(s.d_padded),
        s.norm.get());
    EB_CUDA(cudaGetLastError(), "computing the norms");
    EB_TRY(watch.stop(s.stream, &seconds, status));
    eb_timing_add(&timing->norms_s, seconds);
    return EB_OK;
}

eb_code fasted_open(const eb_device *device, const eb_dataset *ds, const eb_engine_options *options, eb_job *job,
                    eb_timing *timing, void **out, eb_status *status)
{
    EB_CUDA(cudaSetDevice(device->index), "choosing the GPU");
    fasted_state *s = new (std::nothrow) fasted_state;
    if (!s)
        return eb_fail_memory(status, "the engine", sizeof *s);
    *out = s;
    s->ds = ds;
    s->switches = options->switches;
    s->memory_limit = options->memory_limit;
    s->n = ds->n;
    s->d = ds->d;
    /* One tile more than needed: a row range may begin anywhere and still read whole tiles. */
    s->n_padded = round_up(ds->n, tile_rows_most) + tile_rows_most;
    s->d_padded = round_up(ds->d, 64);
    char text[128];
    eb_switches_format(options->switches, text, sizeof text);
    (void)std::snprintf(s->description, sizeof s->description, "preset %s, mma.sync, FP32 sums", text);
    if (!choose(s->switches, output::hits))
        return eb_fail(status, EB_NO_ENGINE,
                       "no kernel is compiled for %s; compiled: paper, best, and each without one switch", text);
    int sms = 0;
    EB_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device->index), "asking the GPU for its size");
    s->sms = static_cast<unsigned>(sms);
    EB_CUDA(cudaStreamCreate(&s->stream), "making a stream");
    return prepare_points(*s, job, timing, status);
}

eb_code fasted_count(void *state, double eps, eb_job *job, eb_timing *timing, uint64_t *pairs, eb_status *status)
{
    fasted_state &s = *static_cast<fasted_state *>(state);
    const fasted_variant &v = *choose(s.switches, output::count);
    fasted_arguments args{};
    args.threshold = threshold_for(eps);
    EB_TRY(set_threshold(s, args.threshold, status));
    EB_TRY(s.hits.prepare(1, 0, s.stream, status));
    args.a = args.b = panel(s, 0, s.n);
    args.out = s.hits.buffer();
    args.out.capacity = 0;
    EB_TRY(run_variant(s, v, args, job, timing, status, [](fasted_arguments &, bool *) { return EB_OK; }));
    uint64_t found = 0;
    EB_TRY(s.hits.counted(&found, s.stream, status));
    *pairs = found * (v.symmetric ? 2 : 1) + s.n;
    return EB_OK;
}

eb_code fasted_join(void *state, double eps, size_t row_begin, size_t row_end, const eb_sink *sink, eb_job *job,
                    eb_timing *timing, eb_status *status)
{
    fasted_state &s = *static_cast<fasted_state *>(state);
    const bool whole = row_begin == 0 && row_end == s.n;
    const uint32_t switches = whole ? s.switches : s.switches & ~EB_SYMMETRIC;
    const fasted_variant *v = choose(switches, output::hits);
    if (!v)
        v = choose(EB_PRESET_BEST & ~EB_SYMMETRIC, output::hits);
    fasted_arguments args{};
    args.threshold = threshold_for(eps);
    EB_TRY(set_threshold(s, args.threshold, status));
    EB_TRY(s.hits.prepare(hit_store<float>::first_room(row_end - row_begin), s.memory_limit, s.stream, status));
    args.a = panel(s, row_begin, row_end - row_begin);
    args.b = panel(s, 0, s.n);
    args.out = s.hits.buffer();
    EB_TRY(run_variant(s, *v, args, job, timing, status, [&](fasted_arguments &now, bool *fits) {
        const eb_code code = s.hits.settle(fits, s.stream, status);
        now.out = s.hits.buffer();
        return code;
    }));
    return deliver_rows(s.hits, s.n, row_begin, row_end, v->symmetric, sink, s.stream, job, timing, status);
}

eb_code fasted_histogram(void *state, eb_distance_pass *pass, eb_job *job, eb_timing *timing, eb_status *status)
{
    fasted_state &s = *static_cast<fasted_state *>(state);
    const fasted_variant &v = *choose(EB_PRESET_BEST, output::hits);
    fasted_arguments args{};
    args.threshold = threshold_for(pass->eps[pass->edges - 1]);
    EB_TRY(set_threshold(s, args.threshold, status));
    EB_TRY(s.hits.prepare(hit_store<float>::first_room(s.n), s.memory_limit, s.stream, status));
    args.a = args.b = panel(s, 0, s.n);
    args.out = s.hits.buffer();
    interval_counter<float> intervals;
    EB_TRY(intervals.prepare(pass, s.stream, status));
    EB_TRY(run_variant(s, v, args, job, timing, status, [&](fasted_arguments &now, bool *fits) {
        EB_TRY(s.hits.settle(fits, s.stream, status));
        now.out = s.hits.buffer();
        if (!*fits)
            return EB_OK;
        EB_TRY(intervals.take(s.hits, s.stream, status));
        return s.hits.clear(s.stream, status);
    }));
    return intervals.finish(pass, s.stream, status);
}

/* Queries are gathered into a panel of their own and met with all points by the dense variant. */
eb_code fasted_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_job *job, eb_status *status)
{
    fasted_state &s = *static_cast<fasted_state *>(state);
    const char *what = "computing distances from queries";
    const fasted_variant &v = *find(EB_PRESET_BEST, output::dense);
    EB_TRY(s.query_points.reserve(queries_at_once * s.d_padded, what, status));
    EB_TRY(s.query_level.reserve(queries_at_once, what, status));
    EB_TRY(s.dense.reserve(queries_at_once * s.n, what, status));
    EB_CUDA(cudaMemsetAsync(s.query_points.get(), 0, queries_at_once * s.d_padded * sizeof(__half), s.stream), what);
    float *host = static_cast<float *>(std::malloc(queries_at_once * s.n * sizeof(float)));
    if (!host)
        return eb_fail_memory(status, "distances from queries", queries_at_once * s.n * sizeof(float));
    eb_timing ignored = eb_timing_none();
    eb_code code = set_threshold(s, 0, status); /* levels hold the norms, whatever the threshold */
    auto batch = [&](size_t first, size_t count) -> eb_code {
        for (size_t k = 0; k < count; k++) {
            const size_t row = rows[first + k];
            EB_CUDA(cudaMemcpyAsync(s.query_points.get() + k * s.d_padded, s.points.get() + row * s.d_padded,
                                    s.d_padded * sizeof(__half), cudaMemcpyDeviceToDevice, s.stream),
                    what);
            EB_CUDA(cudaMemcpyAsync(s.query_level.get() + k, s.level.get() + row, sizeof(float2), cudaMemcpyDeviceToDevice, s.stream), what);
        }
        fasted_arguments args{};
        args.a = {s.query_points.get(), s.query_level.get(), static_cast<uint32_t>(count), 0};
        args.b = panel(s, 0, s.n);
        args.dense = s.dense.get();
        EB_TRY(run_variant(s, v, args, nullptr, &ignored, status, [](fasted_arguments &, bool *) { return EB_OK; }));
        EB_CUDA(cudaMemcpyAsync(host, s.dense.get(), count * s.n * sizeof(float), cudaMemcpyDeviceToHost, s.stream), what);
        EB_CUDA(cudaStreamSynchronize(s.stream), what);
        for (size_t k = 0; k < count; k++) {
            for (size_t j = 0; j < s.n; j++)
                out[(first + k) * s.n + j] = static_cast<double>(host[k * s.n + j]);
            out[(first + k) * s.n + rows[first + k]] = 0;
        }
        return EB_OK;
    };
    for (size_t first = 0; first < m && code == EB_OK; first += queries_at_once) {
        code = eb_job_check(job, status);
        if (code == EB_OK)
            code = batch(first, m - first < queries_at_once ? m - first : queries_at_once);
    }
    std::free(host);
    return code;
}

eb_code fasted_probe(const eb_device *device, eb_status *status)
{
    int architecture = 0;
    if (std::sscanf(device->architecture, "sm_%d", &architecture) == 1 && architecture >= 80)
        return EB_OK;
    return eb_fail(status, EB_NO_ENGINE, "%s (%s) has no FP16 mma with 16-deep steps; FASTED needs sm_80 or newer", device->model,
                   device->architecture);
}

uint64_t fasted_memory_needed(size_t n, size_t d, eb_dtype)
{
    return (round_up(n, tile_rows_most) + tile_rows_most) * (round_up(d, 64) * sizeof(__half) + 2 * sizeof(float));
}

double fasted_executed_flops(size_t n, size_t d, const eb_engine_options *options)
{
    const double pairs = static_cast<double>(n) * static_cast<double>(n);
    return (options->switches & EB_SYMMETRIC ? 1.0 : 2.0) * pairs * static_cast<double>(d);
}

} // namespace

} // namespace eb

extern "C" const eb_engine eb_engine_fasted_cuda = {
    "fasted",
    "FP16 tensor cores with FP32 sums, ‖p‖² + ‖q‖² − 2⟨p,q⟩ (FASTED, ICPP'25)",
    EB_DEVICE_CUDA,
    false,
    eb::fasted_probe,
    eb::fasted_memory_needed,
    eb::fasted_open,
    eb::fasted_count,
    eb::fasted_join,
    eb::fasted_histogram,
    eb::fasted_distances,
    [](void *state) { delete static_cast<eb::fasted_state *>(state); },
    eb::fasted_executed_flops,
    [](const void *state) -> const char * { return static_cast<const eb::fasted_state *>(state)->description; },
    EB_LIMIT_TENSOR_F16,
};
