/* ted on CUDA: TED-Join's expansion on FP64 tensor cores. ted has FASTED's tiling and any d, or is TED-Join-Brute as
 * published (paper.cuh); ted-index is the published kernel over a grid. */
#include <memory>

#include "kernels/grid/index.cuh"
#include "kernels/indexed/candidate_counter.cuh"
#include "kernels/indexed/images.cuh"
#include "kernels/indexed/verdict.h"
#include "kernels/ted/cuda/expansion.cuh"
#include "kernels/ted/cuda/paper.cuh"

namespace eb {

namespace {

/* ---- as published ---- */

/* TED-Join as published, as rules of an engine with an index (indexed/engine.cuh). Without a grid all points are one
 * cell. */
template <bool has_grid> class ted_paper_rules {
  public:
    using arguments = ted_paper_arguments;

    explicit ted_paper_rules(const eb_options &options)
        : short_circuit_(eb_option_on(&options, "short-circuit")), truth_(eb_truth_decides(&options)),
          shape_(static_cast<shape>(eb_option_choice(&options, "shape"))), index_(grid_of(options))
    {
    }

    static size_t bytes_a_point(size_t d)
    {
        const size_t d_padded = round_up(d, shape_16_8_16::step);
        return point_images::bytes_a_point(d_padded) + grid_index::bytes_a_point + d_padded / 2 * sizeof(double);
    }
    const char *describe() const { return description_; }
    bool by_truth() const { return truth_; }
    threshold_of verdict() const { return eb_root_threshold_f64; }
    bool limit(eb_limit *limit) const
    {
        *limit = EB_LIMIT_MMA_F64;
        return true;
    }

    /* Let R be the largest ‖p‖². All partial sums of a pair stay below 4R. They have fewer than 2d + 16 roundings, and
     * 8 for each four dimensions' part (32 for 16 dimensions'); FP64's own sum is off by d + 2. */
    double wider(double threshold, size_t d) const
    {
        return eb_wider_threshold(threshold, d) + 8 * (static_cast<double>(d) + 16) * 4 * largest_norm_ * 0x1p-53;
    }

    eb_code prepare(const double *points, size_t n, size_t d, const eb_context *, cudaStream_t stream,
                    eb_status *status)
    {
        spread_of_points spread;
        n_ = n;
        d_ = d;
        EB_TRY(find_spread(points, n, d, &spread, stream, status));
        EB_TRY(index_.prepare(points, n, d, spread, stream, status));
        EB_TRY(images_.make(points, n, d, index_.order(), round_up(d, step()), false, stream, status));
        largest_norm_ = largest_norm(spread);
        return norms(images_.stored(), stored_norm_, stream, status);
    }

    eb_code index(double eps, cudaStream_t stream, eb_status *status)
    {
        EB_TRY(index_.make(has_grid ? eps : INFINITY, stream, status));
        EB_TRY(images_.place(index_.point(), stream, status));
        if (has_grid)
            index_.describe(description_, sizeof description_);
        return norms(images_.sorted(), sorted_norm_, stream, status);
    }

    uint64_t tiles() const { return (index_.groups() + paper_warps - 1) / paper_warps; }

    void complete(ted_paper_arguments &args) const
    {
        args.cells = index_.view();
        args.groups = index_.groups();
        args.image = static_cast<const double *>(images_.sorted());
        args.norm = sorted_norm_.get();
        args.d = static_cast<uint32_t>(d_);
        args.d_padded = static_cast<uint32_t>(images_.d_padded());
        args.short_circuit = short_circuit_;
        args.counted = looks_.on_device();
    }

    tile_kernel<ted_paper_arguments> kernel(output writes) const
    {
        return shape_ == shape::wide    ? kernel_of<shape_16_8_16>(writes)
               : shape_ == shape::usual ? kernel_of<shape_8_8_4>(writes)
                                        : kernel_of<shape_differences>(writes);
    }

    eb_code dense(const uint32_t *rows, size_t m, double *out, cudaStream_t stream, eb_status *status) const
    {
        ted_paper_arguments args{};
        args.image = static_cast<const double *>(images_.stored());
        args.norm = stored_norm_.get();
        args.d = static_cast<uint32_t>(d_);
        args.d_padded = static_cast<uint32_t>(images_.d_padded());
        constexpr size_t a_block = size_t{32} * paper_warps;
        const size_t queries = wide() ? shape_16_8_16::rows : shape_8_8_4::rows;
        const dim3 blocks(static_cast<unsigned>((n_ + a_block - 1) / a_block),
                          static_cast<unsigned>((m + queries - 1) / queries));
        const auto kernel = wide()                   ? ted_paper_dense<shape_16_8_16>
                            : shape_ == shape::usual ? ted_paper_dense<shape_8_8_4>
                                                     : ted_paper_dense<shape_differences>;
        kernel<<<blocks, paper_threads, 0, stream>>>(args, static_cast<uint32_t>(n_), rows, static_cast<uint32_t>(m),
                                                     out);
        EB_CUDA(cudaGetLastError(), "computing distances from queries");
        return EB_OK;
    }

    eb_code begin_counting(cudaStream_t stream, eb_status *status) { return looks_.begin(stream, status); }
    eb_code launched(bool fitted, cudaStream_t stream, eb_status *status)
    {
        return looks_.launched(fitted, stream, status);
    }
    eb_code report(eb_figures *figures, cudaStream_t stream, eb_status *status)
    {
        const double n = static_cast<double>(n_);
        if (has_grid)
            index_.report(figures);
        eb_figures_set(figures, &eb_figure_coordinate, sizeof(double));
        return looks_.report(figures, n_, n * n, 2, stream, status);
    }

  private:
    enum class shape { usual, wide, differences }; /* as the option's choices */

    static grid_settings grid_of(const eb_options &options)
    {
        const uint32_t rows = eb_option_choice(&options, "shape") == 1 ? shape_16_8_16::rows : shape_8_8_4::rows;
        const uint32_t queries = std::min(rows, static_cast<uint32_t>(eb_option_number(&options, "queries")));
        if (!has_grid)
            return {1, queries, false, false};
        return {static_cast<uint32_t>(eb_option_number(&options, "k")), queries, eb_option_on(&options, "reorder"),
                true};
    }

    bool wide() const { return shape_ == shape::wide; }
    uint32_t step() const { return wide() ? shape_16_8_16::step : shape_8_8_4::step; }

    template <class of> static tile_kernel<ted_paper_arguments> kernel_of(output writes)
    {
        return {writes == output::count ? ted_paper_join<of, output::count> : ted_paper_join<of, output::hits>,
                paper_threads, 0, 0};
    }

    /* An upper bound of ‖p‖². */
    static double largest_norm(const spread_of_points &spread)
    {
        double sum = 0;
        for (size_t k = 0; k < spread.low.size(); k++)
            sum += std::max(spread.low[k] * spread.low[k], spread.high[k] * spread.high[k]);
        return sum * (1 + 0x1p-20);
    }

    eb_code norms(const void *image, device_array<double> &out, cudaStream_t stream, eb_status *status)
    {
        const size_t steps = n_ * images_.d_padded() / step();
        EB_TRY(out.reserve(steps, "making room for the norms", status));
        const auto kernel = wide() ? partial_norms<shape_16_8_16> : partial_norms<shape_8_8_4>;
        kernel<<<4096, 256, 0, stream>>>(static_cast<const double *>(image), steps, out.get());
        EB_CUDA(cudaGetLastError(), "computing the norms");
        return EB_OK;
    }

    bool short_circuit_, truth_;
    shape shape_;
    size_t n_ = 0, d_ = 0;
    double largest_norm_ = 0;
    grid_index index_;
    point_images images_;
    device_array<double> stored_norm_, sorted_norm_;
    candidate_counter looks_;
    char description_[96] = "";
};

/* ---- the engines ---- */

bool as_published(const eb_options &options) { return eb_option_choice(&options, "kernel") == 0; }

eb_code probe_ted(const eb_device *device, const eb_options *options, eb_status *status)
{
    if (!as_published(*options) && eb_truth_decides(options))
        return eb_fail(status, EB_USAGE, "decide=truth needs the published kernel: ted[paper,decide=truth]");
    return probe_architecture(device, options, status);
}

/* The published kernel or FASTED's tiling, by the option `kernel`. */
class ted_engine {
    using tiled = tiled_engine<f64_rules<ted_expansion>>;
    using published = indexed_engine<ted_paper_rules<false>>;

    const eb_context *context_;
    std::unique_ptr<tiled> tiled_;
    std::unique_ptr<published> published_;

    template <class function> auto call(function f) const { return tiled_ ? f(*tiled_) : f(*published_); }

  public:
    ted_engine(const eb_problem *problem, const eb_context *context) : context_(context)
    {
        if (as_published(context->options))
            published_ = std::make_unique<published>(problem, context);
        else
            tiled_ = std::make_unique<tiled>(problem, context);
    }

    const eb_context &context() const { return *context_; }
    const char *describe() const
    {
        return call([](const auto &engine) { return engine.describe(); });
    }

    /* The options are not known here, so this is the larger of both. */
    static uint64_t memory_needed(size_t n, size_t d, eb_dtype dtype)
    {
        return std::max(tiled::memory_needed(n, d, dtype), published::memory_needed(n, d, dtype));
    }

    eb_code begin(eb_status *status)
    {
        return call([&](auto &engine) { return engine.begin(status); });
    }
    eb_code count(const eb_question &question, const eb_share &share, uint64_t *entries, eb_status *status)
    {
        return call([&](auto &engine) { return engine.count(question, share, entries, status); });
    }
    eb_code join(const eb_question &question, const eb_share &share, const eb_sink *sink, eb_status *status)
    {
        return call([&](auto &engine) { return engine.join(question, share, sink, status); });
    }
    eb_code histogram(eb_distance_pass *pass, eb_status *status)
    {
        return call([&](auto &engine) { return engine.histogram(pass, status); });
    }
    eb_code distances(const uint32_t *rows, size_t m, double *out, eb_status *status)
    {
        return call([&](auto &engine) { return engine.distances(rows, m, out, status); });
    }
    eb_code bins(const uint32_t *rows, size_t m, eb_bins *out, eb_status *status)
    {
        return call([&](auto &engine) { return engine.bins(rows, m, out, status); });
    }
};

} // namespace

} // namespace eb

extern "C" const eb_implementation eb_ted_cuda = eb::implementation_of<eb::ted_engine>(eb::probe_ted);

/* Defined here because the engine uses the published kernels too; a separate unit would compile them again. */
extern "C" const eb_implementation eb_ted_index_cuda =
    eb::implementation_of<eb::indexed_engine<eb::ted_paper_rules<true>>>();
