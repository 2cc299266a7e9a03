/* certified: the FP16 filter on CUDA, a way of `exact` (core/engine/way.h). Points are rounded to FP16 in a frame
 * (frame.h); the levels of the filter (kernels/filters) miss no pair within ε (bound.h). */
#include <cmath>
#include <cstdio>

#include "kernels/certified/bound.h"
#include "kernels/fasted/cuda/kernel_choice.cuh"
#include "kernels/filters/rules.cuh"

extern "C" {
#include "core/engine/way.h"
#include "kernels/certified/frame.h"
}

namespace eb {

namespace {

class f16_filter : public f16_rounding {
  public:
    using known = eb_certified_point;
    using bound = eb_certified_bound;
    using measured = known_and_level<known, numbers>;
    static constexpr unsigned candidates_a_pair = 1;
    static constexpr bool shortens = false, looks_again = false;

    static __device__ known known_of(const sums &s, uint32_t d) { return eb_certified_point_of(s, d); }
    static __device__ float key(const known &p) { return static_cast<float>(p.square); }
    static __device__ float2 level(const known &p, const bound &of)
    {
        const eb_certified_level mine = eb_certified_level_of(p, of);
        return make_float2(mine.h, mine.s);
    }
    static __device__ float2 level_each(const known &p, const bound &of, double squared, double scale, unsigned d)
    {
        const eb_certified_level mine = eb_certified_level_each(p, eb_certified_within(squared, scale, d), of);
        return make_float2(mine.h, mine.s);
    }
    static __device__ bool surely(float q, const measured &i, const measured &j, const bound &of)
    {
        return eb_certified_surely(q, eb_certified_width(i.known, i.level.y, of),
                                   eb_certified_width(j.known, j.level.y, of), of.surely);
    }
    /* 0 for q = 0, which may stand for a negative value. */
    static __device__ float share(float q, double s, double scale, const measured &i, const measured &j,
                                  const bound &of)
    {
        if (q == 0)
            return 0;
        return eb_float_above(
            eb_certified_share(q, s * scale * scale, i.known, j.known, i.level.y, j.level.y, of.loss));
    }

    using products = f16_products;
    static __device__ float2 distance(float product, const known &i, const known &pivot, const bound &of)
    {
        const double sum = i.square + pivot.square, squared = sum - 2 * static_cast<double>(product);
        return around(squared - of.loss * sum, squared + of.loss * sum, i.moved);
    }
    static float reach_of(const bound &of) { return eb_float_above(of.within); }

    explicit f16_filter(const eb_options &options)
        : kernels_(EB_PRESET_BEST), block_(has_warpgroups() ? 16 : 8), centred_(switched_on(options, "centre")),
          scaled_(switched_on(options, "scale"))
    {
    }
    f16_filter(const f16_filter &) = delete;
    f16_filter &operator=(const f16_filter &) = delete;
    ~f16_filter() { eb_certified_frame_free(&frame_); }

    eb_code frame(const eb_dataset *ds, eb_status *status)
    {
        return eb_certified_frame_make(ds, centred_, scaled_, &frame_, status);
    }
    const double *centre() const { return frame_.centre; }
    double scale() const { return std::ldexp(1.0, frame_.exponent); }
    bound bound_of(double eps, unsigned d) const { return eb_certified_bound_of(eps, scale(), d, block_); }
    float threshold(const bound &of) const { return eb_certified_threshold(of); }

    const fasted_kernels &kernels() const { return kernels_; }
    fasted_kernels &kernels() { return kernels_; }
    tile_variant<fasted_arguments> variant(bool symmetric, size_t d, size_t points) const
    {
        return kernels_.variant(output::hits, symmetric, d, points);
    }
    int describe(char *buffer, size_t size) const
    {
        return std::snprintf(buffer, size, "FP16 with a proven bound (%s), FP64 where it leaves pairs open",
                             kernels_.instruction());
    }

  private:
    fasted_kernels kernels_;
    unsigned block_; /* products that a tensor core sums at once */
    bool centred_, scaled_;
    eb_certified_frame frame_{};
};

} // namespace

} // namespace eb

extern "C" {
extern const eb_implementation eb_certified_cuda;
const eb_implementation eb_certified_cuda =
    eb::implementation_with_nearest<eb::tiled_engine<eb::filter_rules<eb::f16_filter>>>();
}
