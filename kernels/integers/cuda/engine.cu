/* integers: an exact join of points that are bytes on CUDA, a way of `exact` (core/engine/way.h). Integer tensor cores
 * sum products without rounding, so that FASTED's kernels (kernels/fasted) find the exact pairs directly. */
#include <cstdio>

#include "kernels/fasted/cuda/levels.cuh"
#include "kernels/integers/cuda/kernels.cuh"
#include "kernels/tiled/engine.cuh"

extern "C" {
#include "kernels/integers/bytes.h"
}

namespace eb {

namespace {

constexpr const char *preparing = "preparing the norms";

/* ---- squared norms s and levels {h, s} (byte_levels.h) ---- */

constexpr unsigned rows_prepared_a_block = 8; /* one for each warp */

/* Subtracts `shift` from each of four bytes. Only the first `left` are coordinates; the others are padding and become
 * 0. */
__device__ uint32_t less(uint32_t word, uint32_t shift, int left)
{
    const uint32_t there = left >= 4 ? ~0u : left <= 0 ? 0 : (1u << 8 * left) - 1;
    return __vsub4(word, shift * 0x01010101u) & there;
}

/* Subtracts `shift` from every coordinate and sums the squares. */
template <bool is_signed>
__global__ void __launch_bounds__(32 * rows_prepared_a_block)
    norms_of_bytes(uint8_t *points, uint32_t n, uint32_t n_padded, uint32_t d, uint32_t d_padded, uint32_t shift,
                   int *norm)
{
    const uint32_t row = blockIdx.x * rows_prepared_a_block + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= n_padded)
        return;
    uint32_t *words = reinterpret_cast<uint32_t *>(points + static_cast<size_t>(row) * d_padded);
    int s = 0;
    for (uint32_t w = lane; row < n && w < d_padded / 4; w += 32) {
        uint32_t word = words[w];
        if (shift != 0)
            words[w] = word = less(word, shift, static_cast<int>(d) - static_cast<int>(4 * w));
        if constexpr (is_signed)
            s = __dp4a(static_cast<int>(word), static_cast<int>(word), s);
        else
            s = static_cast<int>(__dp4a(word, word, static_cast<uint32_t>(s)));
    }
    s = __reduce_add_sync(~0u, s);
    if (lane == 0)
        norm[row] = s;
}

/* Places past the last point get a level that never passes. */
__global__ void __launch_bounds__(levels_of_columns<int>::points)
    levels_of_bytes(const int *norm, uint32_t n, uint32_t n_padded, uint32_t threshold, int2 *level,
                    levels_of_columns<int> *columns)
{
    const uint32_t i = blockIdx.x * levels_of_columns<int>::points + threadIdx.x;
    keep_level(i < n ? make_int2(eb_bytes_level(norm[i], threshold), norm[i])
                     : make_int2(EB_BYTES_NEVER_H, EB_BYTES_NEVER_S),
               n_padded, level, columns);
}

/* The same where each point has a threshold of its own, own[i]. */
__global__ void __launch_bounds__(levels_of_columns<int>::points)
    levels_of_bytes_each(const int *norm, uint32_t n, uint32_t n_padded, uint32_t threshold, const double *own,
                         int2 *level, levels_of_columns<int> *columns)
{
    const uint32_t i = blockIdx.x * levels_of_columns<int>::points + threadIdx.x;
    int2 mine = make_int2(EB_BYTES_NEVER_H, EB_BYTES_NEVER_S);
    if (i < n) {
        const uint32_t at_most = static_cast<uint32_t>(own[i]);
        mine.x = eb_bytes_level_each(norm[i], at_most, threshold);
        mine.y = static_cast<int>(static_cast<uint32_t>(norm[i]) + (threshold - at_most));
    }
    keep_level(mine, n_padded, level, columns);
}

/* ---- the engine ---- */

class byte_rules {
  public:
    using side = side_norms<byte_numbers>;
    using point = uint8_t;
    using squared = uint32_t;
    using panel = byte_panel;
    using arguments = byte_arguments;
    static constexpr size_t side_of_tile = 128, depth = 128;
    static constexpr double flops = 2;
    static constexpr bool unsure = false;

    explicit byte_rules(const eb_options &options)
        : kernels_(switched_on(options, "warpgroup")) /* tests switch it off */
    {
    }

    /* Reads every value before any is uploaded, because blocks, sides and queries share one form. */
    eb_code begin(const eb_problem &problem, const eb_context &context, eb_status *status)
    {
        d_ = static_cast<uint32_t>(problem.left->d);
        return eb_byte_form_find(&problem, context.threads, context.job, &form_, status);
    }

    bool symmetric() const { return true; }
    bool sorts(size_t points, size_t d_padded) const { return kernels_.sorts(points, d_padded); }
    eb_limit limit() const { return kernels_.limit(); }

    int describe(char *buffer, size_t size) const
    {
        return std::snprintf(buffer, size, "8-bit integers, exact sums (%s)", kernels_.instruction());
    }

    uint32_t threshold(double eps) const { return eb_bytes_threshold(eb_squared_threshold(eps)); }

    byte_variant variant(output writes, bool symmetric, size_t d, size_t points) const
    {
        return kernels_.variant({form_.is_signed, symmetric, writes}, d, points);
    }
    eb_code complete(const byte_variant &v, byte_arguments &args, eb_status *status)
    {
        return kernels_.complete(v, args, status);
    }

    bool may_take_rows(size_t points, size_t d_padded) const { return !kernels_.waits_to_sort(points, d_padded); }
    eb_code expect_rows(const eb_dataset *from, size_t padded, size_t d_padded, uint8_t *points, side &,
                        unsigned char **rows, cudaStream_t stream, eb_status *status)
    {
        return staged_.expect(from, padded, d_padded, points, rows, stream, status);
    }
    eb_code take_rows(const eb_dataset *from, size_t first, size_t count, size_t padded, size_t d_padded,
                      uint8_t *points, side &of, cudaStream_t stream, eb_status *status)
    {
        EB_TRY(staged_.convert(from, first, count, d_padded, points, stream, status));
        return norms_at(points + first * d_padded, count, padded, d_padded, of.norm.get() + first, stream, status);
    }

    eb_code norms(uint8_t *points, size_t count, size_t padded, size_t d_padded, side &of, cudaStream_t stream,
                  eb_status *status) const
    {
        return norms_at(points, count, padded, d_padded, of.norm.get(), stream, status);
    }
    eb_code norms_at(uint8_t *points, size_t count, size_t padded, size_t d_padded, int *norm, cudaStream_t stream,
                     eb_status *status) const
    {
        const auto kernel = form_.is_signed ? norms_of_bytes<true> : norms_of_bytes<false>;
        constexpr unsigned a_block = rows_prepared_a_block;
        const uint32_t rows = static_cast<uint32_t>(padded), shift = static_cast<uint32_t>(form_.shift) & 0xff;
        kernel<<<(rows + a_block - 1) / a_block, 32 * a_block, 0, stream>>>(points, static_cast<uint32_t>(count), rows,
                                                                            d_, static_cast<uint32_t>(d_padded), shift,
                                                                            norm);
        EB_CUDA(cudaGetLastError(), preparing);
        return EB_OK;
    }

    /* Sorts the integer norms as FP32 numbers: for numbers ≥ 0 both have the order of their bits. */
    eb_code order(const side &from, size_t count, size_t block, side &to, uint32_t *point, cudaStream_t stream,
                  eb_status *status) const
    {
        EB_TRY(order_by(keys(from), count, block, point, stream, status));
        return pick(from, point, count, to, stream, status);
    }
    const float *keys(const side &of) const { return reinterpret_cast<const float *>(of.norm.get()); }

    eb_code level(side &of, size_t count, size_t padded, uint32_t threshold, cudaStream_t stream,
                  eb_status *status) const
    {
        levels_of_bytes<<<side::blocks_of(padded), side::points, 0, stream>>>(of.norm.get(),
                                                                              static_cast<uint32_t>(count),
                                                                              static_cast<uint32_t>(padded), threshold,
                                                                              of.level.get(), of.columns.get());
        EB_CUDA(cudaGetLastError(), preparing);
        return EB_OK;
    }

    bool may_level_each() const { return d_ <= EB_BYTES_MOST_EACH_D; }
    eb_code level_each(side &of, size_t count, size_t padded, uint32_t threshold, const double *own,
                       cudaStream_t stream, eb_status *status) const
    {
        levels_of_bytes_each<<<side::blocks_of(padded), side::points, 0, stream>>>(of.norm.get(),
                                                                                   static_cast<uint32_t>(count),
                                                                                   static_cast<uint32_t>(padded),
                                                                                   threshold, own, of.level.get(),
                                                                                   of.columns.get());
        EB_CUDA(cudaGetLastError(), preparing);
        return EB_OK;
    }
    eb_code pick(const side &from, const uint32_t *point, size_t count, side &to, cudaStream_t stream,
                 eb_status *status) const
    {
        return gather_values(keys(from), point, count, reinterpret_cast<float *>(to.norm.get()), stream, status);
    }

    byte_panel view(const uint8_t *points, const side &of, size_t at, size_t count, size_t first) const
    {
        return of.panel(points, at, count, first);
    }

  private:
    byte_kernels kernels_;
    uint32_t d_ = 0;
    eb_byte_form form_{};
    staged_rows<unsigned char> staged_;
};

} // namespace

} // namespace eb

extern "C" {
extern const eb_implementation eb_integers_cuda;
const eb_implementation eb_integers_cuda = eb::implementation_with_nearest<eb::tiled_engine<eb::byte_rules>>();
}
