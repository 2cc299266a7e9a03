#include "kernels/quantised/images.cuh"

#include <algorithm>
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

/* With the rest they fill rows of 128 and 256 bytes, and a multiple of 128 is what products take. */
constexpr size_t few_axes = 127, many_axes = 255, judged = 2048;
/* What axes save at least, seconds; of d axes as strong as each other, how many are too many; and of the time, what is
 * left with axes at most. */
constexpr double least_saved_s = 8e-3, most_alike = 1.0 / 6, worth = 0.9;

/* Of sampled pairs: those that pass, those that are sure, near and close ones (kernels/filters/grouping.h). */
struct pair_tally {
    unsigned long long candidates, sure, near, close;
};

/* A block for each sampled point, with those before it. */
__global__ void __launch_bounds__(128)
    judge_pairs(const uint8_t *points, const eb_quantised_point *known, uint32_t d_padded, point_pick pick,
                eb_quantised_bound bound, pair_tally *tally)
{
    const uint32_t i = blockIdx.x, chunks = d_padded / sizeof(uint4);
    const uint64_t row = pick.row(i);
    const eb_quantised_point mine = known[row];
    const eb_quantised_level level = eb_quantised_level_of(mine, bound);
    const uint4 *a = reinterpret_cast<const uint4 *>(points + row * d_padded);
    uint32_t candidates = 0, sure = 0, near = 0, close = 0;
    for (uint32_t j = threadIdx.x; j < i; j += blockDim.x) {
        const uint64_t other = pick.row(j);
        const eb_quantised_point theirs = known[other];
        const uint4 *b = reinterpret_cast<const uint4 *>(points + other * d_padded);
        int product = 0;
        for (uint32_t k = 0; k < chunks; k++) {
            const uint4 x = a[k], y = b[k];
            product = __dp4a(static_cast<int>(x.x), static_cast<int>(y.x), product);
            product = __dp4a(static_cast<int>(x.y), static_cast<int>(y.y), product);
            product = __dp4a(static_cast<int>(x.z), static_cast<int>(y.z), product);
            product = __dp4a(static_cast<int>(x.w), static_cast<int>(y.w), product);
        }
        const eb_quantised_level at = eb_quantised_level_of(theirs, bound);
        const double squared = static_cast<double>(mine.square) + theirs.square - 2.0 * product, apart = sqrt(squared);
        candidates +=
            static_cast<uint32_t>(level.s) + static_cast<uint32_t>(at.s) - 2 * static_cast<uint32_t>(product) <=
            2 * static_cast<uint32_t>(bound.most);
        sure += eb_quantised_surely(squared, mine.moved + theirs.moved, bound.surely) != 0;
        near += apart <= static_cast<double>(EB_GROUPING_NEAR) * bound.within;
        close += apart <= static_cast<double>(EB_GROUPING_CLOSE) * bound.within;
    }
    candidates = __reduce_add_sync(~0u, candidates);
    sure = __reduce_add_sync(~0u, sure);
    near = __reduce_add_sync(~0u, near);
    close = __reduce_add_sync(~0u, close);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&tally->candidates, static_cast<unsigned long long>(candidates));
        atomicAdd(&tally->sure, static_cast<unsigned long long>(sure));
        atomicAdd(&tally->near, static_cast<unsigned long long>(near));
        atomicAdd(&tally->close, static_cast<unsigned long long>(close));
    }
}

eb_code judge(const byte_images &of, const point_pick &pick, size_t rows, const eb_quantised_bound &bound,
              pair_tally *out, cudaStream_t stream, eb_status *status)
{
    device_array<pair_tally> tally;
    EB_TRY(tally.reserve(1, choosing, status));
    EB_CUDA(cudaMemsetAsync(tally.get(), 0, sizeof *out, stream), choosing);
    judge_pairs<<<static_cast<unsigned>(rows), 128, 0, stream>>>(of.points, of.known,
                                                                 static_cast<uint32_t>(of.d_padded), pick, bound,
                                                                 tally.get());
    EB_CUDA(cudaGetLastError(), choosing);
    EB_CUDA(cudaMemcpyAsync(out, tally.get(), sizeof *out, cudaMemcpyDeviceToHost, stream), choosing);
    EB_CUDA(cudaStreamSynchronize(stream), choosing);
    return EB_OK;
}

/* Where FP64 is as slow as it is on GPUs that are made for pictures, nothing is won. */
bool computes_f64(const eb_context &context)
{
    int ratio = 0;
    return cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, context.device->index) ==
               cudaSuccess &&
           ratio <= 4;
}

/* Of a question's time, what depends on images. */
struct estimate {
    const double *limit;
    double n, d, row_bytes;
    bool alone;
    double pairs_a_sampled;

    double pairs() const { return n * (n - 1) / 2; }
    double products(size_t columns) const
    {
        return eb_quantised_products_s(limit, pairs(), static_cast<double>(columns));
    }
    double decided(const pair_tally &sampled) const
    {
        const double candidates = static_cast<double>(sampled.candidates) * pairs_a_sampled,
                     sure = alone ? static_cast<double>(sampled.sure) * pairs_a_sampled : 0;
        return eb_quantised_candidates_s(candidates, candidates - sure, row_bytes);
    }
    double along(size_t columns, const pair_tally &sampled) const
    {
        return products(columns) + eb_quantised_axes_s(limit, n, d, static_cast<double>(columns)) + decided(sampled);
    }
};

/* Images of the judged points alone. */
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
    EB_TRY(axes.round(of, pick_spread(of.count, judged, true), judged, points.get(), known.get(), key.get(), stream,
                      status));
    return judge({points.get(), known.get(), axes.padded(), axes.scale()}, pick_from(0), judged,
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

eb_code image_choice::choose(const framed_points &of, const byte_images &plain, const eb_question &question,
                             const eb_context &context, cudaStream_t stream, eb_status *status)
{
    double alike = 0;
    chosen_ = nullptr;
    if (never() || of.stored.d > principal_axes::most_d)
        return EB_OK;
    if (!always()) {
        const eb_code failed = compare(of, plain, question, context, stream, status);
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

eb_code image_choice::compare(const framed_points &of, const byte_images &plain, const eb_question &question,
                              const eb_context &context, cudaStream_t stream, eb_status *status)
{
    const double sampled = 0.5 * judged * (judged - 1), n = static_cast<double>(of.count);
    const estimate time = {context.device->limit,
                           n,
                           static_cast<double>(of.stored.d),
                           static_cast<double>(of.stored.row_bytes),
                           question.pairs_alone,
                           n * (n - 1) / 2 / sampled};
    pair_tally all{}, few{}, many{};
    double alike = 0;
    if (time.products(of.stored.d) - time.products(few_axes + 1) < least_saved_s || of.count < 4 * judged ||
        context.memory_limit != 0 || !computes_f64(context))
        return EB_OK;
    EB_TRY(few_.sample(of, &alike, stream, status));
    if (alike > most_alike * static_cast<double>(of.stored.d))
        return EB_OK;
    EB_TRY(judge(plain, pick_spread(of.count, judged, true), judged,
                 eb_quantised_bound_of(question.eps, plain.scale, of.stored.d), &all, stream, status));
    if (eb_grouping_helps(sampled, static_cast<double>(all.near), static_cast<double>(all.close)))
        return EB_OK;
    EB_TRY(try_axes(few_, few_axes, of, question, &few, stream, status));
    const double without = time.products(of.stored.d) + time.decided(all), with_few = time.along(few_axes + 1, few);
    double least = worth * without;
    if (with_few < least) {
        least = with_few;
        chosen_ = &few_;
    }
    /* As many candidates as with all coordinates would be good. */
    if (of.stored.d > many_axes + 1 && time.along(many_axes + 1, all) < worth * least) {
        EB_TRY(many_.sample(of, &alike, stream, status));
        EB_TRY(try_axes(many_, many_axes, of, question, &many, stream, status));
        if (time.along(many_axes + 1, many) < least)
            chosen_ = &many_;
    }
    return EB_OK;
}

} // namespace eb
