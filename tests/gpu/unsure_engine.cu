/* unsure_engine: a test engine that computes in FP32 and is unsure of pairs near ε, which it appends to the second list
 * for an exact verdict. It is slow: a thread computes its pairs one after another. */
#include "kernels/tiled/fp64_rules.cuh"

/* Width of the unsure band around ε beyond the error of FP32, as a share of s. Tests widen the band to get long
 * lists. */
extern "C" {
double eb_unsure_band = 0;
}

namespace eb {

namespace {

struct unsure_arguments : f64_arguments {
    hit_buffer<double> unsure;
    double band;
};

constexpr int unsure_threads = 256;

template <bool symmetric, output writes> __global__ void unsure_tiles(const unsure_arguments args)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const tile at =
        tile_at<true, symmetric>(args.first_tile + blockIdx.x, args.tile_rows, args.tile_columns, args.list);
    if (!at.inside)
        return;
    uint32_t counted = 0;
    for (uint32_t p = threadIdx.x; p < f64_tile * f64_tile; p += unsure_threads) {
        const uint32_t row = at.row * f64_tile + p / f64_tile, column = at.column * f64_tile + p % f64_tile;
        const bool real = row < args.a.count && column < args.b.count;
        float s = 0;
        for (uint32_t k = 0; k < args.d_padded && real; k++) {
            const float t = static_cast<float>(args.a.points[static_cast<size_t>(row) * args.d_padded + k]) -
                            static_cast<float>(args.b.points[static_cast<size_t>(column) * args.d_padded + k]);
            s = __fmaf_rn(t, t, s);
        }
        const uint32_t i = args.a.first + row, j = args.b.first + column;
        const bool pair = real && (symmetric ? i < j : i != j);
        const double low = s * (1 - args.band) - 1e-40, high = s * (1 + args.band) + 1e-40;
        const bool hit = pair && high <= args.threshold;
        counted += append<writes == output::count>(args.out, hit, i, j, static_cast<double>(s), lane);
        (void)append<false>(args.unsure, pair && !hit && low <= args.threshold, i, j, 0.0, lane);
    }
    if constexpr (writes == output::count)
        add_count(args.out.found, counted, lane);
}

struct no_arithmetic {
    static constexpr bool uses_norms = false;
    static constexpr size_t depth = 2;
    static constexpr double flops = 3;
    static constexpr eb_limit limit = EB_LIMIT_F64;
};

class unsure_rules : public f64_rules<no_arithmetic> {
  public:
    using arguments = unsure_arguments;
    static constexpr bool unsure = true;

    explicit unsure_rules(const eb_options &options) : f64_rules(options) {}

    tile_variant<unsure_arguments> variant(output, bool symmetric, size_t, size_t) const
    {
        const auto kernel = symmetric ? unsure_tiles<true, output::hits> : unsure_tiles<false, output::hits>;
        return {kernel, f64_tile, unsure_threads, 0, true, symmetric, false};
    }

    /* Differences and sums of FP32 coordinates lose at most d + 2 half ulps. */
    eb_code complete(const tile_variant<unsure_arguments> &, unsure_arguments &args, eb_status *) const
    {
        args.band = (args.d_padded + 4) * 0x1p-23 + eb_unsure_band;
        return EB_OK;
    }

    stored_points exact(const f64_panel &of, size_t d, size_t d_padded) const
    {
        return {of.points, EB_F64, static_cast<uint32_t>(d), d_padded * sizeof(double), nullptr, of.first};
    }
};

} // namespace

} // namespace eb

extern "C" const eb_implementation eb_unsure_cuda = eb::implementation_of<eb::tiled_engine<eb::unsure_rules>>();
