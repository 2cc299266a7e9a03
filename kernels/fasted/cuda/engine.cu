/* fasted on CUDA: FP16 tensor cores with FP32 sums, dist² = s_i + s_j − 2a (kernel.cuh, warpgroup.cuh). */
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "kernels/fasted/cuda/kernel_choice.cuh"
#include "kernels/fasted/cuda/prepare.cuh"
#include "kernels/fasted/cuda/subsets.cuh"
#include "kernels/tensor/cuda/prepare.cuh"
#include "kernels/tensor/cuda/thresholds.cuh"
#include "kernels/tiled/engine.cuh"

extern "C" {
#include "core/engine/spec.h"
#include "kernels/fasted/cpu/rung.h"
}

namespace eb {

namespace {

/* "fasted[paper,-swizzle]" */
std::string spec_of(const eb_options &options)
{
    char text[EB_OPTIONS_TEXT];
    const std::string items = eb_options_text(&options, text, sizeof text);
    return items.empty() ? "fasted" : "fasted[" + items + "]";
}

class fasted_rules {
  public:
    using side = side_norms<f16_products>;
    using point = __half;
    using squared = float;
    using panel = f16_panel;
    using arguments = fasted_arguments;
    static constexpr size_t side_of_tile = 128, depth = 64;
    static constexpr double flops = 2;
    static constexpr bool unsure = false;

    explicit fasted_rules(const eb_options &options)
        : kernels_(eb_fasted_switches(&options)),
          norms_(static_cast<eb_fasted_norms>(eb_option_choice(&options, "norms"))), rung_(eb_fasted_rung(&options))
    {
        (void)eb_options_text(&options, asked_, sizeof asked_);
    }

    eb_code begin(const eb_problem &problem, const eb_context &context, eb_status *status)
    {
        EB_TRY(kernels_.begin(spec_of(context.options).c_str(), context, status));
        return prepared() ? points_.begin(&rung_, "fasted", &problem, &context, nullptr, status) : EB_OK;
    }

    size_t padded(size_t d) const { return round_up(d, depth); }
    size_t products(size_t d) const { return d; }
    size_t bytes_a_row(size_t d) const { return padded(d) * sizeof(point) + side::bytes_a_row; }
    size_t staging(const eb_dataset *points) const { return prepared() ? preparing_bytes(points) : 0; }
    double scale() const { return points_.unit(); }

    eb_code load(const eb_dataset *from, const uint32_t *number, size_t first, size_t count, size_t padded,
                 size_t d_padded, __half *points, side &of, cudaStream_t stream, const eb_context *context,
                 eb_status *status)
    {
        stopwatch watch;
        double seconds = 0;
        if (prepared())
            EB_TRY(points_.load(from, number, first, count,
                                {reinterpret_cast<unsigned char *>(points), nullptr, padded, nullptr, nullptr, nullptr},
                                stream, status));
        else
            EB_TRY(upload_points(from, number, first, count, padded, d_padded, points, stream, context, status));
        EB_TRY(watch.start(stream, status));
        EB_TRY(norms(points, count, padded, d_padded, of.norm.get(), stream, status));
        EB_TRY(watch.stop(stream, &seconds, status));
        eb_figures_add(context->figures, &eb_figure_norms, seconds);
        return EB_OK;
    }

    bool may_take_rows(size_t points, size_t d_padded) const
    {
        return !prepared() && kernels_.has_rectangles() && !kernels_.waits_to_sort(points, d_padded);
    }
    eb_code expect_rows(const eb_dataset *from, size_t padded, size_t d_padded, __half *points, side &,
                        unsigned char **rows, cudaStream_t stream, eb_status *status)
    {
        return staged_.expect(from, padded, d_padded, points, rows, stream, status);
    }
    eb_code take_rows(const eb_dataset *from, size_t first, size_t count, size_t padded, size_t d_padded,
                      __half *points, side &of, cudaStream_t stream, eb_status *status)
    {
        EB_TRY(staged_.convert(from, first, count, d_padded, points, stream, status));
        return norms(points + first * d_padded, count, padded, d_padded, of.norm.get() + first, stream, status);
    }

    bool symmetric() const { return kernels_.symmetric(); }
    bool sorts(size_t points, size_t d_padded) const { return kernels_.sorts(points, d_padded); }
    eb_limit limit() const { return kernels_.limit(); }

    int describe(char *buffer, size_t size) const
    {
        char power[EB_FRAME_TEXT];
        return std::snprintf(buffer, size, "preset %s, %s, FP32 sums%s", asked_[0] ? asked_ : "best",
                             kernels_.instruction(), eb_frame_text(&points_.frame(), power));
    }

    /* q·scale ≤ fl(ε·ε) exactly if q ≤ T, the largest such FP32 number. */
    float threshold(double eps) const { return largest_within<float>(scale(), eb_squared_threshold(eps)); }

    tile_variant<fasted_arguments> variant(output writes, bool symmetric, size_t d, size_t points) const
    {
        return kernels_.variant(writes, symmetric, d, points);
    }
    eb_code complete(const tile_variant<fasted_arguments> &v, fasted_arguments &args, eb_status *status)
    {
        return kernels_.complete(v, args, status);
    }

    eb_code norms(const __half *points, size_t count, size_t padded, size_t d_padded, float *norm, cudaStream_t stream,
                  eb_status *status) const
    {
        const auto kernel = norms_ == EB_NORMS_FP64    ? norms_of<EB_NORMS_FP64, double>
                            : norms_ == EB_NORMS_CHAIN ? norms_of<EB_NORMS_CHAIN, float>
                                                       : norms_of<EB_NORMS_AUTHORS, float>;
        kernel<<<static_cast<unsigned>((padded + prepare_points_a_block - 1) / prepare_points_a_block), 32, 0,
                 stream>>>(points, static_cast<uint32_t>(count), static_cast<uint32_t>(padded),
                           static_cast<uint32_t>(d_padded), norm);
        EB_CUDA(cudaGetLastError(), "computing the norms");
        return EB_OK;
    }

    /* Orders a block's points by their norms: point[k] is the point at place k. */
    eb_code order(const side &from, size_t count, size_t block, side &to, uint32_t *point, cudaStream_t stream,
                  eb_status *status) const
    {
        EB_TRY(order_by(from.norm.get(), count, block, point, stream, status));
        return gather_values(from.norm.get(), point, count, to.norm.get(), stream, status);
    }

    eb_code level(side &of, size_t count, size_t padded, float threshold, cudaStream_t stream, eb_status *status) const
    {
        levels_of<<<side::blocks_of(padded), column_levels::points, 0, stream>>>(of.norm.get(),
                                                                                 static_cast<uint32_t>(count),
                                                                                 static_cast<uint32_t>(padded),
                                                                                 threshold, of.level.get(),
                                                                                 of.columns.get());
        EB_CUDA(cudaGetLastError(), "preparing the norms");
        return EB_OK;
    }

    f16_panel view(const __half *points, const side &of, size_t at, size_t count, size_t first) const
    {
        return of.panel(points, at, count, first);
    }

  private:
    bool prepared() const { return eb_rung_prepares(&rung_); }

    fasted_kernels kernels_;
    eb_fasted_norms norms_;
    eb_rung rung_;
    point_preparer points_; /* of points that are centred or scaled */
    staged_rows<__half> staged_;
    char asked_[EB_OPTIONS_TEXT];
};

eb_code fasted_probe(const eb_device *device, const eb_options *options, eb_status *status)
{
    EB_TRY(probe_architecture(device, options, status));
    return guarded(status, [&]() -> eb_code {
        return fasted_kernels::check(eb_fasted_switches(options), architecture_of(device) == 90,
                                     spec_of(*options).c_str(), status);
    });
}

/* Compiles all kernels of an ablation at once. */
eb_code fasted_prepare(const eb_setup *const *setups, size_t count, eb_job *job, eb_status *status)
{
    return guarded(status, [&]() -> eb_code {
        std::vector<fasted_asked> asked;
        const eb_setup &first = *setups[0];
        for (size_t k = 0; k < count; k++)
            asked.push_back({eb_fasted_switches_there(eb_fasted_switches(&setups[k]->options),
                                                      architecture_of(&setups[k]->device) == 90),
                             setups[k]->spec});
        const unsigned threads = first.resources.threads;
        return prepare_fasted_subsets(asked, first.device.index, threads > 0 ? threads : 1, job, status);
    });
}

} // namespace

} // namespace eb

extern "C" const eb_implementation eb_fasted_cuda = eb::implementation_with_self<eb::tiled_engine<eb::fasted_rules>>(
    eb::implementation_of<eb::tiled_engine<eb::fasted_rules>>(eb::fasted_probe, eb::fasted_prepare));
