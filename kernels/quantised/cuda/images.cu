#include "kernels/quantised/cuda/images.cuh"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "kernels/filters/filter.cuh"
#include "kernels/filters/grouping.h"

extern "C" {
#include "kernels/quantised/cost.h"
}

namespace eb {

namespace {

constexpr const char *choosing = "choosing between axes and coordinates";

/* With ρ the axes fill rows of 128 and 256 bytes; products take multiples of 128. */
constexpr size_t few_axes = 127, many_axes = 255, judged = 2048;
/* least_saved_s: seconds of products that axes must save. most_alike: fraction of d above which equally strong axes are
 * too many. worth: fraction of the time that must be left at most, of the part that axes can shorten; this part is
 * three quarters of a question's time. */
constexpr double least_saved_s = 8e-3, most_alike = 1.0 / 16, worth = 0.85;

/* Sampled pairs that pass, that are sure, and that are near or close (kernels/filters/grouping.h). */
struct pair_tally {
    uint32_t candidates, sure, near, close;
};

constexpr uint32_t tile = 64, words_at_once = 32, judges = 256, a_thread = 4;
constexpr uint32_t a_line = tile / a_thread; /* threads */

/* Copies some words of a tile's points to shared memory, zeros past their end. */
__device__ void stage(const byte_images &of, const eb_pick &pick, uint32_t rows, uint32_t first, uint32_t word,
                      int (*out)[words_at_once + 1])
{
    const uint32_t lane = threadIdx.x % words_at_once, words = static_cast<uint32_t>(of.d_padded / sizeof(int));
    for (uint32_t r = threadIdx.x / words_at_once; r < tile; r += judges / words_at_once) {
        const bool there = first + r < rows && word + lane < words;
        out[r][lane] =
            there ? reinterpret_cast<const int *>(of.points + eb_pick_row(pick, first + r) * of.d_padded)[word + lane]
                  : 0;
    }
}

__device__ void judge_pair(int product, const eb_quantised_point &i, const eb_quantised_point &j,
                           const eb_quantised_bound &bound, pair_tally &tally)
{
    const uint32_t both = static_cast<uint32_t>(eb_quantised_level_of(i, bound).s) +
                          static_cast<uint32_t>(eb_quantised_level_of(j, bound).s);
    const double squared = static_cast<double>(i.square) + j.square - 2.0 * product, apart = sqrt(squared);
    tally.candidates += both - 2 * static_cast<uint32_t>(product) <= 2 * static_cast<uint32_t>(bound.most);
    tally.sure += eb_quantised_surely(squared, i.moved + j.moved, bound.surely) != 0;
    tally.near += apart <= static_cast<double>(EB_GROUPING_NEAR) * bound.within;
    tally.close += apart <= static_cast<double>(EB_GROUPING_CLOSE) * bound.within;
}

/* Counts the pairs of each sampled point with those before it. A block has a tile of pairs, a thread 4 × 4. */
__global__ void __launch_bounds__(judges)
    judge_pairs(byte_images of, eb_pick pick, uint32_t rows, eb_quantised_bound bound, pair_tally *tally)
{
    __shared__ int a[tile][words_at_once + 1], b[tile][words_at_once + 1];
    const uint32_t row0 = blockIdx.y * tile, column0 = blockIdx.x * tile, row = threadIdx.x / a_line,
                   column = threadIdx.x % a_line;
    int product[a_thread][a_thread] = {};
    if (column0 > row0)
        return;
    for (uint32_t word = 0; word * sizeof(int) < of.d_padded; word += words_at_once) {
        stage(of, pick, rows, row0, word, a);
        stage(of, pick, rows, column0, word, b);
        __syncthreads();
        for (uint32_t k = 0; k < words_at_once; k++)
#pragma unroll
            for (uint32_t y = 0; y < a_thread; y++)
#pragma unroll
                for (uint32_t x = 0; x < a_thread; x++)
                    product[y][x] = __dp4a(a[row + y * a_line][k], b[column + x * a_line][k], product[y][x]);
        __syncthreads();
    }
    pair_tally mine{};
#pragma unroll
    for (uint32_t y = 0; y < a_thread; y++)
#pragma unroll
        for (uint32_t x = 0; x < a_thread; x++) {
            const uint32_t i = row0 + row + y * a_line, j = column0 + column + x * a_line;
            if (j < i && i < rows)
                judge_pair(product[y][x], of.known[eb_pick_row(pick, i)], of.known[eb_pick_row(pick, j)], bound, mine);
        }
    mine = {__reduce_add_sync(~0u, mine.candidates), __reduce_add_sync(~0u, mine.sure),
            __reduce_add_sync(~0u, mine.near), __reduce_add_sync(~0u, mine.close)};
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&tally->candidates, mine.candidates);
        atomicAdd(&tally->sure, mine.sure);
        atomicAdd(&tally->near, mine.near);
        atomicAdd(&tally->close, mine.close);
    }
}

eb_code judge(const byte_images &of, const eb_pick &pick, size_t rows, const eb_quantised_bound &bound, pair_tally *out,
              cudaStream_t stream, eb_status *status)
{
    device_array<pair_tally> tally;
    EB_TRY(tally.reserve(1, choosing, status));
    EB_CUDA(cudaMemsetAsync(tally.get(), 0, sizeof *out, stream), choosing);
    const unsigned tiles = static_cast<unsigned>((rows + tile - 1) / tile);
    judge_pairs<<<dim3(tiles, tiles), judges, 0, stream>>>(of, pick, static_cast<uint32_t>(rows), bound, tally.get());
    EB_CUDA(cudaGetLastError(), choosing);
    EB_CUDA(cudaMemcpyAsync(out, tally.get(), sizeof *out, cudaMemcpyDeviceToHost, stream), choosing);
    EB_CUDA(cudaStreamSynchronize(stream), choosing);
    return EB_OK;
}

/* True if FP64 is fast enough for axes: on GPUs made for graphics it is not. */
bool computes_f64(const eb_context &context)
{
    int ratio = 0;
    return cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, context.device->index) ==
               cudaSuccess &&
           ratio <= 4;
}

/* Estimates the part of a question's seconds that depends on the images. */
struct estimate {
    const double *limit;
    double n, d, row_bytes;
    bool alone;
    double pairs_a_sampled;

    double pairs() const { return n * (n - 1) / 2; }
    double products(size_t columns) const { return eb_byte_products_s(limit, pairs(), static_cast<double>(columns)); }
    double decided(const pair_tally &sampled) const
    {
        const double candidates = static_cast<double>(sampled.candidates) * pairs_a_sampled,
                     sure = alone ? static_cast<double>(sampled.sure) * pairs_a_sampled : 0;
        return eb_quantised_candidates_s(candidates, candidates - sure, d, row_bytes);
    }
    double along(size_t columns, const pair_tally &sampled) const
    {
        return products(columns) + eb_quantised_axes_s(limit, n, d, static_cast<double>(columns)) + decided(sampled);
    }
};

/* A guess for twice as many axes: the geometric mean of the candidates of all coordinates and of few axes. */
pair_tally between(const pair_tally &all, const pair_tally &few)
{
    return {static_cast<uint32_t>(std::sqrt(static_cast<double>(all.candidates) * few.candidates)), 0, 0, 0};
}

/* Finds axes, and judges them by the images of the sampled points. */
eb_code try_axes(principal_axes &axes, size_t wanted, const framed_points &of, const eb_question &question,
                 pair_tally *out, cudaStream_t stream, eb_status *status)
{
    device_array<uint8_t> points;
    device_array<eb_quantised_point> known;
    device_array<float> key;
    EB_TRY(axes.find(of, wanted, stream, status));
    EB_TRY(points.reserve(judged * axes.padded(), choosing, status));
    EB_TRY(known.reserve(judged, choosing, status));
    EB_TRY(key.reserve(judged, choosing, status));
    EB_TRY(axes.round(of, eb_pick_spread(of.count, judged, for_looking), judged, points.get(), known.get(), key.get(),
                      stream, status));
    return judge({points.get(), known.get(), axes.padded(), axes.scale()}, eb_pick_from(0), judged,
                 axes.bound_of(question.eps), out, stream, status);
}

} // namespace

image_choice::image_choice(const eb_options &options) : wanted_(0)
{
    const eb_option *option = options.list ? eb_option_find(options.list, "axes") : nullptr;
    char word[16] = "none";
    if (option)
        (void)eb_choice_at(option->choices, eb_option_choice(&options, "axes"), word, sizeof word);
    wanted_ = std::strcmp(word, "auto") == 0 ? -1 : static_cast<int>(std::strtol(word, nullptr, 10));
}

eb_code image_choice::choose(const framed_points &of, const byte_images &plain, size_t points,
                             const eb_question &question, const eb_context &context, cudaStream_t stream,
                             eb_status *status)
{
    double alike = 0;
    chosen_ = nullptr;
    if (never() || of.stored.d > principal_axes::most_d)
        return EB_OK;
    if (!always()) {
        const eb_code failed = compare(of, plain, points, question, context, stream, status);
        for (principal_axes *axes : {&few_, &many_})
            if (axes != chosen_)
                axes->release();
        return failed;
    }
    EB_TRY(few_.sample(of, &alike, stream, status));
    EB_TRY(few_.find(of, static_cast<size_t>(wanted_), stream, status));
    chosen_ = &few_;
    return EB_OK;
}

eb_code image_choice::compare(const framed_points &of, const byte_images &plain, size_t points,
                              const eb_question &question, const eb_context &context, cudaStream_t stream,
                              eb_status *status)
{
    const double sampled = 0.5 * judged * (judged - 1), n = static_cast<double>(points);
    const estimate time = {context.device->limit,
                           n,
                           static_cast<double>(of.stored.d),
                           static_cast<double>(of.stored.row_bytes),
                           question.pairs_alone,
                           n * (n - 1) / 2 / sampled};
    pair_tally all{}, few{}, many{};
    double alike = 0;
    if (time.products(of.stored.d) - time.products(few_axes + 1) < least_saved_s || points < 4 * judged ||
        context.memory_limit != 0 || !computes_f64(context))
        return EB_OK;
    EB_TRY(few_.sample(of, &alike, stream, status));
    if (alike > most_alike * static_cast<double>(of.stored.d))
        return EB_OK;
    EB_TRY(judge(plain, eb_pick_spread(of.count, judged, for_looking), judged,
                 eb_quantised_bound_of(question.eps, plain.scale, of.stored.d), &all, stream, status));
    if (eb_grouping_helps(sampled, static_cast<double>(all.near), static_cast<double>(all.close)))
        return EB_OK;
    const double enough = worth * (time.products(of.stored.d) + time.decided(all));
    if (time.along(few_axes + 1, all) > enough) /* even if they had no more candidates */
        return EB_OK;
    EB_TRY(try_axes(few_, few_axes, of, question, &few, stream, status));
    const double with_few = time.along(few_axes + 1, few), least = std::fmin(enough, with_few);
    if (with_few < enough)
        chosen_ = &few_;
    if (of.stored.d <= many_axes + 1 || time.along(many_axes + 1, between(all, few)) > worth * least)
        return EB_OK;
    EB_TRY(many_.sample(of, &alike, stream, status));
    EB_TRY(try_axes(many_, many_axes, of, question, &many, stream, status));
    if (time.along(many_axes + 1, many) < least)
        chosen_ = &many_;
    return EB_OK;
}

} // namespace eb
