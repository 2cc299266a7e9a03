/* wmma_ref: wmma-ref on CUDA, WMMA-Ref of the FASTED and TED-Join papers: FP64 tensor cores write all n × n squared
 * distances to the device's memory, and a second kernel scans them. A matrix that does not fit is refused. */
#include "kernels/indexed/append.cuh"
#include "kernels/indexed/verdict.h"
#include "kernels/ted/cuda/kernel.cuh"
#include "kernels/tiled/fp64_rules.cuh"

namespace eb {

namespace {

struct scan_arguments : indexed_arguments {
    const double *matrix; /* n × n */
    uint32_t n;
};

constexpr int scan_threads = 256;

/* A block scans one row of the matrix. */
template <output writes> __global__ void __launch_bounds__(scan_threads) scan_row(const scan_arguments a)
{
    const uint32_t i = static_cast<uint32_t>(a.first_tile + blockIdx.x);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const double *row = a.matrix + static_cast<size_t>(i) * a.n;
    uint32_t counted = 0;
    if (i < a.row_begin || i >= a.row_end)
        return;
    for (uint32_t base = a.whole ? i / scan_threads * scan_threads : 0; base < a.n; base += scan_threads) {
        const uint32_t j = base + threadIdx.x;
        const double s = j < a.n ? row[j] : INFINITY;
        const bool hit = s <= a.threshold && (a.whole ? j > i : j != i);
        counted += append<writes == output::count>(a.out, hit, i, j, s, lane);
    }
    if (writes == output::count)
        add_count(a.out.found, counted, lane);
}

class matrix_rules {
  public:
    using arguments = scan_arguments;

    explicit matrix_rules(const eb_options &) {}

    /* Excludes the matrix, because n is not known here; check_room tests the whole. */
    static size_t bytes_a_point(size_t d) { return round_up(d, 4) * sizeof(double) + sizeof(double); }
    static const char *describe() { return "all squared distances in the GPU's memory, then a scan of them"; }
    static bool by_truth() { return false; }
    static threshold_of verdict() { return eb_root_threshold_f64; }
    static double wider(double threshold, size_t) { return threshold; }
    static bool limit(eb_limit *limit)
    {
        *limit = EB_LIMIT_MMA_F64;
        return true;
    }

    eb_code prepare(const double *points, size_t n, size_t d, const eb_context *context, cudaStream_t stream,
                    eb_status *status)
    {
        n_ = n;
        d_padded_ = round_up(d, 4);
        EB_TRY(check_room(context, status));
        const size_t padded = round_up(n, f64_tile);
        EB_TRY(points_.reserve(padded * d_padded_, "making room for the points", status));
        EB_TRY(norm_.reserve(padded, "making room for the norms", status));
        EB_CUDA(cudaMemsetAsync(points_.get(), 0, padded * d_padded_ * sizeof(double), stream), multiplying);
        EB_CUDA(cudaMemcpy2DAsync(points_.get(), d_padded_ * sizeof(double), points, d * sizeof(double),
                                  d * sizeof(double), n, cudaMemcpyDeviceToDevice, stream),
                multiplying);
        f64_norms<<<static_cast<unsigned>((padded + 127) / 128), 128, 0, stream>>>(points_.get(), padded, d_padded_,
                                                                                   norm_.get());
        EB_CUDA(cudaGetLastError(), "computing the norms");
        EB_TRY(matrix_.reserve(n * n, "making room for all distances", status));
        return multiply(context, stream, status);
    }

    static eb_code index(double, cudaStream_t, eb_status *) { return EB_OK; }
    uint64_t tiles() const { return n_; }
    void complete(scan_arguments &args) const
    {
        args.matrix = matrix_.get();
        args.n = static_cast<uint32_t>(n_);
    }
    static tile_kernel<scan_arguments> kernel(output writes)
    {
        return {writes == output::count ? scan_row<output::count> : scan_row<output::hits>, scan_threads, 0, 0};
    }

    eb_code dense(const uint32_t *rows, size_t m, double *out, cudaStream_t stream, eb_status *status) const
    {
        std::vector<uint32_t> row(m);
        EB_CUDA(cudaMemcpyAsync(row.data(), rows, m * sizeof(uint32_t), cudaMemcpyDeviceToHost, stream), multiplying);
        EB_CUDA(cudaStreamSynchronize(stream), multiplying);
        for (size_t q = 0; q < m; q++)
            EB_CUDA(cudaMemcpyAsync(out + q * n_, matrix_.get() + row[q] * n_, n_ * sizeof(double),
                                    cudaMemcpyDeviceToDevice, stream),
                    multiplying);
        return EB_OK;
    }

    static eb_code begin_counting(cudaStream_t, eb_status *) { return EB_OK; }
    static eb_code launched(bool, cudaStream_t, eb_status *) { return EB_OK; }
    eb_code report(eb_figures *figures, cudaStream_t, eb_status *) const
    {
        static const eb_figure bytes = {"matrix_bytes", "distances in memory", EB_BYTES, EB_FIGURE_FACT, 0};
        const double n = static_cast<double>(n_);
        eb_figures_set(figures, &bytes, n * n * sizeof(double));
        eb_figures_set(figures, &eb_figure_coordinate, sizeof(double));
        return EB_OK;
    }

  private:
    static constexpr const char *multiplying = "computing all distances";

    eb_code check_room(const eb_context *context, eb_status *status) const
    {
        uint64_t free = 0;
        EB_TRY(free_device_bytes(&free, status));
        if (context->memory_limit > 0 && context->memory_limit < free)
            free = context->memory_limit;
        const double needed =
            (static_cast<double>(n_) + 2 * static_cast<double>(d_padded_)) * static_cast<double>(n_) * sizeof(double);
        if (needed <= static_cast<double>(free))
            return EB_OK;
        return eb_fail(status, EB_NO_MEMORY,
                       "wmma-ref writes all %zu × %zu squared distances: %.1f GB on the GPU, where there are %.1f GB",
                       n_, n_, 1e-9 * needed, 1e-9 * static_cast<double>(free));
    }

    eb_code multiply(const eb_context *context, cudaStream_t stream, eb_status *status)
    {
        const uint32_t n = static_cast<uint32_t>(n_), side = static_cast<uint32_t>((n_ + f64_tile - 1) / f64_tile);
        const int device = context->device->index;
        const tile_kernel<f64_arguments> kernel = {ted_tiles<output::dense>, ted_threads, ted_shared_bytes, 0,
                                                   ted_halves};
        const void *key = kernel.kernel.get();
        f64_arguments args{};
        args.a = args.b = {points_.get(), norm_.get(), n, 0};
        args.d_padded = static_cast<uint32_t>(d_padded_);
        args.tile_rows = args.tile_columns = side;
        args.dense = matrix_.get();
        eb_figures_add(context->figures, &eb_figure_executed_flops,
                       2.0 * static_cast<double>(n_) * static_cast<double>(n_) * static_cast<double>(d_padded_));
        launch_pace pace = last_pace(device, key, d_padded_);
        const eb_code failed =
            run_tiles(kernel, all_tiles(eb_block_tile_count(side, side, true, false)), 0, args, pace, device, stream,
                      context, status, [](f64_arguments &, bool *) { return EB_OK; });
        keep_pace(device, key, d_padded_, pace);
        return failed;
    }

    size_t n_ = 0, d_padded_ = 0;
    device_array<double> points_, norm_, matrix_;
};

} // namespace

} // namespace eb

extern "C" const eb_implementation eb_wmma_ref_cuda = eb::implementation_of<eb::indexed_engine<eb::matrix_rules>>();
