/* certified FP16: a way (core/engine/way.h) on CUDA. The kernels of kernels/fasted join points rounded to FP16, in a
 * frame of their own, at levels that no pair within ε misses (bound.h); what passes is decided by the bound, or by the
 * FP64 truth from the points as they are stored. */
#include <cstdio>

#include "kernels/certified/decide.cuh"
#include "kernels/certified/prepare.cuh"
#include "kernels/fasted/chosen.cuh"
#include "kernels/tiled/engine.cuh"

extern "C" {
#include "core/engine/way.h"
#include "kernels/certified/frame.h"
}

namespace eb {

namespace {

constexpr const char *framing = "rounding points to FP16", *making_room = "making room for what is known of points";

class certified_rules {
  public:
    using point = __half;
    using squared = double;
    using candidate = float;
    using panel = certified_panel;
    using arguments = fasted_arguments;
    static constexpr size_t side_of_tile = 128, depth = 64;
    static constexpr double flops = 2;
    static constexpr bool unsure = false;

    struct side : side_levels<f16_products> {
        static constexpr size_t bytes_a_row = sizeof(eb_certified_point) + 2 * sizeof(float) + side_levels::bytes_a_row;
        device_array<eb_certified_point> known;
        device_array<float> key, width;   /* key: ‖ŷ‖², which points are ordered by */
        device_array<unsigned char> rows; /* as they are stored */
        stored_points stored{};           /* those, or another side's in this one's order */
        eb_code reserve(size_t count, eb_status *status)
        {
            EB_TRY(known.reserve(count, making_room, status));
            EB_TRY(key.reserve(count, making_room, status));
            EB_TRY(width.reserve(count, making_room, status));
            return side_levels::reserve(count, status);
        }
    };

    explicit certified_rules(const eb_options &options)
        : kernels_(EB_PRESET_BEST), block_(has_warpgroups() ? 16 : 8), centred_(switched_on(options, "centre")),
          scaled_(switched_on(options, "scale"))
    {
    }
    certified_rules(const certified_rules &) = delete;
    certified_rules &operator=(const certified_rules &) = delete;
    ~certified_rules() { eb_certified_frame_free(&frame_); }

    bool symmetric() const { return kernels_.symmetric(); }
    bool sorts(size_t points, size_t d_padded) const { return kernels_.sorts(points, d_padded); }
    eb_limit limit() const { return kernels_.limit(); }

    int describe(char *buffer, size_t size) const
    {
        return std::snprintf(buffer, size, "FP16 with a proven bound (%s), FP64 where it leaves pairs open",
                             kernels_.instruction());
    }

    eb_code begin(const eb_problem &problem, const eb_context &, eb_status *status)
    {
        d_ = static_cast<unsigned>(problem.left->d);
        EB_TRY(eb_certified_frame_make(problem.left, centred_, scaled_, &frame_, status));
        EB_TRY(centre_.reserve(d_, framing, status));
        EB_CUDA(cudaMemcpy(centre_.get(), frame_.centre, d_ * sizeof(double), cudaMemcpyHostToDevice), framing);
        return EB_OK;
    }

    eb_code load(const eb_dataset *from, size_t first, size_t count, size_t padded, size_t d_padded, __half *points,
                 side &of, cudaStream_t stream, const eb_context *context, eb_status *status) const
    {
        const size_t row_bytes = from->d * eb_dtype_size(from->dtype);
        stopwatch watch;
        double seconds = 0;
        EB_TRY(of.rows.reserve(count * row_bytes, "making room for the points", status));
        of.stored = {of.rows.get(), from->dtype, d_, row_bytes, nullptr, 0};
        EB_TRY(upload_rows(from, first, count, of.rows.get(), stream, context, status));
        EB_TRY(watch.start(stream, status));
        EB_CUDA(cudaMemsetAsync(points + count * d_padded, 0, (padded - count) * d_padded * sizeof(__half), stream),
                framing);
        frame_any(of, static_cast<uint32_t>(count), static_cast<uint32_t>(d_padded), points, stream);
        EB_CUDA(cudaGetLastError(), framing);
        EB_TRY(watch.stop(stream, &seconds, status));
        eb_figures_add(context->figures, &eb_figure_convert, seconds);
        return EB_OK;
    }

    /* The kernels' threshold; what follows is of this ε. */
    float threshold(double eps)
    {
        const double scale = std::ldexp(1.0, frame_.exponent);
        question_ = {eb_certified_bound_of(eps, scale, d_, block_), eb_squared_threshold(eps), scale};
        return eb_certified_threshold(question_.bound);
    }

    tile_variant<fasted_arguments> variant(output, bool symmetric, size_t d, size_t points) const
    {
        return kernels_.variant(output::hits, symmetric, d, points);
    }
    eb_code complete(const tile_variant<fasted_arguments> &v, fasted_arguments &args, eb_status *status)
    {
        return kernels_.complete(v, args, status);
    }

    eb_code order(const side &from, size_t count, side &to, uint32_t *point, cudaStream_t stream,
                  eb_status *status) const
    {
        EB_TRY(order_by(from.key.get(), count, point, stream, status));
        gather_known<<<static_cast<unsigned>((count + 255) / 256), 256, 0, stream>>>(from.known.get(), point, count,
                                                                                     to.known.get());
        EB_CUDA(cudaGetLastError(), framing);
        to.stored = from.stored;
        to.stored.point = point;
        return EB_OK;
    }

    eb_code level(side &of, size_t count, size_t padded, float, cudaStream_t stream, eb_status *status) const
    {
        certified_levels<<<side::blocks_of(padded), column_levels::points, 0, stream>>>(of.known.get(),
                                                                                        static_cast<uint32_t>(count),
                                                                                        static_cast<uint32_t>(padded),
                                                                                        question_.bound, of.level.get(),
                                                                                        of.width.get(),
                                                                                        of.columns.get());
        EB_CUDA(cudaGetLastError(), "preparing the levels");
        return EB_OK;
    }

    certified_panel view(const __half *points, const side &of, size_t at, size_t count, size_t first) const
    {
        stored_points stored = of.stored;
        stored.first = static_cast<uint32_t>(first);
        if (stored.point)
            stored.point += at;
        else
            stored.rows = static_cast<const unsigned char *>(stored.rows) + at * stored.row_bytes;
        return {of.panel(points, at, count, first), of.known.get() + at, of.width.get() + at, stored};
    }
    stored_points stored(const certified_panel &of) const { return of.stored; }

    eb_code decide(const pair_store<float> &candidates, const certified_panel &a, const certified_panel &b, bool alone,
                   pair_store<double> &hits, cudaStream_t stream, const eb_context *context, eb_status *status)
    {
        return decider_.decide(candidates, a, b, question_, alone, hits, stream, context, status);
    }

  private:
    template <class stored>
    void frame_as(side &of, uint32_t count, uint32_t d_padded, __half *points, cudaStream_t stream) const
    {
        frame_rows<stored>
            <<<(count + points_framed_a_block - 1) / points_framed_a_block, 32 * points_framed_a_block, 0, stream>>>(
                reinterpret_cast<const stored *>(of.rows.get()), d_, d_padded, count,
                {centre_.get(), std::ldexp(1.0, frame_.exponent)}, points, of.known.get(), of.key.get());
    }

    void frame_any(side &of, uint32_t count, uint32_t d_padded, __half *points, cudaStream_t stream) const
    {
#define EB_FRAME(stored) frame_as<stored>(of, count, d_padded, points, stream)
        switch (of.stored.dtype) {
        case EB_F16: EB_FRAME(f16_bits); break;
        case EB_F32: EB_FRAME(float); break;
        case EB_F64: EB_FRAME(double); break;
        case EB_U8: EB_FRAME(unsigned char); break;
        case EB_I8: EB_FRAME(signed char); break;
        case EB_I16: EB_FRAME(short); break;
        case EB_I32: EB_FRAME(int); break;
        }
#undef EB_FRAME
    }

    fasted_kernels kernels_;
    unsigned block_, d_ = 0; /* block: products that a tensor core sums at once */
    bool centred_, scaled_;
    eb_certified_frame frame_{};
    device_array<double> centre_;
    certified_question question_{};
    certified_decider decider_;
};

} // namespace

} // namespace eb

extern "C" {
extern const eb_implementation eb_certified_cuda;
const eb_implementation eb_certified_cuda = eb::implementation_of<eb::tiled_engine<eb::certified_rules>>();
}
