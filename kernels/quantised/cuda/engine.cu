/* quantised: the 8-bit filter on CUDA, a way of `exact` (core/engine/way.h). Integer tensor cores sum the products of
 * rounded points exactly; the levels of the filter (kernels/filters) miss no pair within ε (bound.h). */
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "kernels/filters/rules.cuh"
#include "kernels/integers/cuda/kernels.cuh"
#include "kernels/quantised/cuda/images.cuh"

extern "C" {
#include "core/engine/way.h"
#include "kernels/quantised/frame.h"
}

namespace eb {

namespace {

class byte_filter {
  public:
    using numbers = byte_numbers;
    using known = eb_quantised_point;
    using bound = eb_quantised_bound;
    using sums = eb_quantised_sums;
    using measured = known_and_level<known, numbers>;
    static constexpr uint32_t at_once = 4;
    static constexpr unsigned candidates_a_pair = 4;

    static __device__ __forceinline__ uint8_t take(sums &sums, double y)
    {
        const double near = eb_quantised_near(y);
        eb_quantised_add(&sums, y, near);
        return static_cast<uint8_t>(static_cast<int>(near));
    }
    static __device__ sums add_lanes(const sums &s)
    {
        return {add_over_warp(s.error), add_over_warp(s.length), __reduce_add_sync(~0u, s.square)};
    }
    static __device__ known known_of(const sums &s, uint32_t d) { return eb_quantised_point_of(s, d); }
    static __device__ float key(const known &p) { return eb_quantised_key(p); }
    static __device__ int2 level(const known &p, const bound &of)
    {
        const eb_quantised_level mine = eb_quantised_level_of(p, of);
        return make_int2(mine.h, mine.s);
    }
    static __device__ bool surely(uint32_t found, const measured &i, const measured &j, const bound &of)
    {
        return eb_quantised_surely(squared(found, i, j), i.known.moved + j.known.moved, of.surely);
    }
    static __device__ float share(uint32_t found, double s, double scale, const measured &i, const measured &j,
                                  const bound &of)
    {
        return __double2float_ru(
            eb_quantised_share(squared(found, i, j), sqrt(s) * scale, i.known.moved + j.known.moved, of.surely));
    }

    using products = byte_products<true>;
    static __device__ float2 distance(int product, const known &i, const known &pivot, const bound &)
    {
        const double squared = static_cast<double>(i.square) + pivot.square - 2 * static_cast<double>(product);
        return around(squared, squared, i.moved);
    }
    static float reach_of(const bound &of) { return std::nextafterf(static_cast<float>(of.within), INFINITY); }

    explicit byte_filter(const eb_options &options)
        : kernels_(switched_on(options, "warpgroup")), /* tests switch it off */
          centred_(switched_on(options, "centre")), images_(options)
    {
    }
    byte_filter(const byte_filter &) = delete;
    byte_filter &operator=(const byte_filter &) = delete;
    ~byte_filter() { eb_quantised_frame_free(&frame_); }

    eb_code frame(const eb_dataset *ds, eb_status *status)
    {
        return eb_quantised_frame_make(ds, centred_, &frame_, status);
    }
    const double *centre() const { return frame_.centre; }
    double scale() const { return frame_.scale; }
    int exponent() const
    {
        constexpr int most = 960; /* 2^most times a step is finite */
        return std::max(-most, std::min(most, frame_.exponent));
    }
    bound bound_of(double eps, unsigned d) const { return eb_quantised_bound_of(eps, frame_.scale, d); }
    uint32_t threshold(const bound &of) const { return 2 * static_cast<uint32_t>(of.most); }

    static constexpr bool shortens = true, looks_again = true;
    bool always_shortens() const { return images_.always(); }
    /* points: as many as `of`, or more, of which it has a sample. */
    eb_code shorten(const filter_side<byte_filter> &of, size_t points, const eb_question &question,
                    const eb_context &context, cudaStream_t stream, eb_status *status)
    {
        return images_.choose(framed(of), {of.points, of.known, of.d_padded, frame_.scale}, points, question, context,
                              stream, status);
    }
    size_t short_columns() const { return images_.axes() ? images_.axes()->columns() : 0; }
    double short_scale() const { return images_.axes()->scale(); }
    bound short_bound_of(double eps) const { return images_.axes()->bound_of(eps); }
    eb_code make_short(const filter_side<byte_filter> &of, uint8_t *points, known *known_of, float *key_of,
                       cudaStream_t stream, eb_status *status)
    {
        const eb_code failed =
            images_.axes()->round(framed(of), eb_pick_from(0), of.count, points, known_of, key_of, stream, status);
        images_.axes()->release();
        return failed;
    }

    const byte_kernels &kernels() const { return kernels_; }
    byte_kernels &kernels() { return kernels_; }
    byte_variant variant(bool symmetric, size_t d, size_t points) const
    {
        return kernels_.variant({true, symmetric, output::hits}, d, points);
    }
    int describe(char *buffer, size_t size) const
    {
        return std::snprintf(buffer, size, "8 bits with a proven bound (%s), FP64 where it leaves pairs open",
                             kernels_.instruction());
    }

  private:
    framed_points framed(const filter_side<byte_filter> &of) const
    {
        return {of.stored, of.count, of.centre, exponent()};
    }
    static __device__ double squared(uint32_t found, const measured &i, const measured &j)
    {
        return eb_quantised_squared(found, i.known, i.level.y, j.known, j.level.y);
    }

    byte_kernels kernels_;
    bool centred_;
    eb_quantised_frame frame_{};
    image_choice images_;
};

} // namespace

} // namespace eb

extern "C" {
extern const eb_implementation eb_quantised_cuda;
const eb_implementation eb_quantised_cuda =
    eb::implementation_of<eb::tiled_engine<eb::filter_rules<eb::byte_filter>>>();
}
