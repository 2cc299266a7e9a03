/* decide: decides which candidates are hits, by the exact engine's sums. If only pairs are wanted, not distances, pairs
 * that the bound is sure of are hits without a sum. */
#pragma once

#include <cmath>
#include <cstring>

#include "kernels/filters/filter.cuh"
#include "kernels/rows/pairs.cuh"

namespace eb {

/* The result of one call, on the device. */
struct decided_tally {
    unsigned long long here, band; /* unsure pairs: in the current piece; in all pieces */
    unsigned int share;            /* bits of an FP32 number: the largest share of the bound */
};

/* Adds the result to the figures. alone: only unsure pairs were measured. */
inline void report_decided(eb_figures *figures, uint64_t candidates, bool alone, const decided_tally &result,
                           double seconds)
{
    static constexpr eb_figure time = {"recheck_s", "pairs decided by FP64", EB_SECONDS, EB_FIGURE_PART, 0},
                               met = {"candidates", "candidates", EB_PLAIN, EB_FIGURE_FACT, 0},
                               rechecked = {"rechecked", "decided by FP64", EB_PLAIN, EB_FIGURE_FACT, 0},
                               undecided = {"band", "undecided by the bound", EB_PLAIN, EB_FIGURE_FACT, 0},
                               worst = {"bound_share", "the bound's worst observed share", EB_PLAIN, EB_FIGURE_FACT, 0};
    const double before = figures ? eb_figures_value(figures, worst.key) : 0;
    float share = 0;
    static_assert(sizeof share == sizeof result.share);
    std::memcpy(&share, &result.share, sizeof share);
    eb_figures_add(figures, &met, static_cast<double>(candidates));
    eb_figures_add(figures, &time, seconds);
    eb_figures_add(figures, &rechecked, static_cast<double>(alone ? result.band : candidates));
    eb_figures_add(figures, &undecided, static_cast<double>(result.band));
    eb_figures_set(figures, &worst, std::fmax(before, static_cast<double>(share))); /* fmax ignores a NaN in `before` */
}

/* Gives consecutive positions to the lanes of a warp that vote yes, over several rounds. */
template <uint32_t rounds> struct round_of_votes {
    unsigned votes[rounds];
    uint32_t total = 0;
    __device__ void take(uint32_t round, bool yes)
    {
        votes[round] = __ballot_sync(~0u, yes);
        total += __popc(votes[round]);
    }
    __device__ unsigned long long claim(unsigned long long *counter, uint32_t lane) const
    {
        unsigned long long at = 0;
        if (lane == 0 && total > 0)
            at = atomicAdd(counter, static_cast<unsigned long long>(total));
        return __shfl_sync(~0u, at, 0);
    }
};

/* Candidates of a lane. */
constexpr uint32_t classified_at_once = 4;

/* Appends sure pairs to the hits, and the others to the band, which has room for all. */
template <class filter>
static __global__ void classify(const uint2 *pair, const typename filter::numbers::squared *found, uint64_t count,
                                filter_panel<filter> a, filter_panel<filter> b, typename filter::bound bound,
                                hit_buffer<double> hits, hit_buffer<typename filter::numbers::squared> band)
{
    constexpr uint32_t rounds = classified_at_once;
    const uint32_t lane = threadIdx.x % 32, before = (1u << lane) - 1;
    const uint64_t warp = (blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x) / 32;
    round_of_votes<rounds> sure, unsure;
    uint2 mine[rounds];
    typename filter::numbers::squared near[rounds];
#pragma unroll
    for (uint32_t r = 0; r < rounds; r++) {
        const uint64_t x = (warp * rounds + r) * 32 + lane;
        const bool there = x < count;
        mine[r] = there ? pair[x] : make_uint2(0, 0);
        near[r] = there ? found[x] : 0;
        const bool yes = there && filter::surely(near[r], a.at(mine[r].x), b.at(mine[r].y), bound);
        sure.take(r, yes);
        unsure.take(r, there && !yes);
    }
    unsigned long long hit = sure.claim(hits.found, lane), open = unsure.claim(band.found, lane);
#pragma unroll
    for (uint32_t r = 0; r < rounds; r++) {
        if (sure.votes[r] >> lane & 1)
            store_at(hits, hit + __popc(sure.votes[r] & before), mine[r], static_cast<double>(near[r]));
        if (unsure.votes[r] >> lane & 1)
            store_at(band, open + __popc(unsure.votes[r] & before), mine[r], near[r]);
        hit += __popc(sure.votes[r]);
        open += __popc(unsure.votes[r]);
    }
}

/* Appends those of the measured pairs that are within ε to the hits. s: [count] the pairs' exact squared distances.
 * counted: the number of pairs on the device, all of them unsure; NULL: there are `count` pairs, and the unsure ones
 * among them are counted. */
template <class filter>
static __global__ void settle(const uint2 *pair, const typename filter::numbers::squared *found, const double *s,
                              uint64_t count, const unsigned long long *counted, filter_panel<filter> a,
                              filter_panel<filter> b, filter_question<filter> question, hit_buffer<double> hits,
                              decided_tally *tally)
{
    const uint64_t x = blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const bool there = x < (counted && *counted < count ? *counted : count);
    if (!__any_sync(~0u, there))
        return;
    const uint2 mine = there ? pair[x] : make_uint2(0, 0);
    const double squared = there ? s[x] : 0;
    float share = 0;
    bool open = there;
    if (there) {
        const typename filter::measured i = a.at(mine.x), j = b.at(mine.y);
        share = filter::share(found[x], squared, question.scale, i, j, question.bound);
        open = counted || !filter::surely(found[x], i, j, question.bound);
    }
    append<false>(hits, there && squared <= question.threshold, mine.x, mine.y, squared, lane);
    const unsigned worst = __reduce_max_sync(~0u, __float_as_uint(fmaxf(share, 0.0f)));
    const unsigned opens = __ballot_sync(~0u, open);
    if (lane == 0) {
        atomicMax(&tally->share, worst);
        if (opens != 0)
            atomicAdd(&tally->band, static_cast<unsigned long long>(__popc(opens)));
    }
}

/* Appends the hits among the candidates to `hits`. alone: the hits' s are not used. Adds its time and the numbers of
 * pairs to the context's figures. */
template <class filter> class filter_decider {
  public:
    using panel = filter_panel<filter>;
    using squared = typename filter::numbers::squared;

    eb_code decide(const pair_store<squared> &candidates, const panel &a, const panel &b,
                   const filter_question<filter> &question, bool alone, pair_store<double> &hits, cudaStream_t stream,
                   const eb_context *context, eb_status *status)
    {
        const uint64_t held = candidates.held();
        uint64_t all = 0;
        decided_tally result{};
        double seconds = 0;
        stopwatch watch;
        EB_TRY(hits.grow(hits.held() + held, hits.held() / 2, stream, status));
        EB_TRY(reserve(held, alone, status));
        EB_TRY(watch.start(stream, status));
        EB_CUDA(cudaMemsetAsync(tally_.get(), 0, sizeof result, stream), deciding);
        for (uint64_t first = 0; first < held; first += decided_at_once) {
            const uint64_t count = held - first < decided_at_once ? held - first : decided_at_once;
            EB_TRY(decide_piece(candidates.buffer().pair + first, candidates.buffer().squared + first, count, a, b,
                                question, alone, hits, stream, status));
        }
        EB_CUDA(cudaMemcpyAsync(&result, tally_.get(), sizeof result, cudaMemcpyDeviceToHost, stream), deciding);
        EB_TRY(watch.stop(stream, &seconds, status));
        EB_TRY(hits.counted(&all, stream, status));
        hits.keep(all);
        report_decided(context->figures, held, alone, result, seconds);
        return EB_OK;
    }

  private:
    static constexpr const char *deciding = "deciding pairs near ε";
    static constexpr uint32_t threads = 256;

    eb_code reserve(uint64_t held, bool alone, eb_status *status)
    {
        const uint64_t at_once = held < decided_at_once ? held : decided_at_once;
        EB_TRY(tally_.reserve(1, deciding, status));
        EB_TRY(s_.reserve(at_once, deciding, status));
        EB_TRY(alone ? pair_.reserve(at_once, deciding, status) : EB_OK);
        return alone ? found_.reserve(at_once, deciding, status) : EB_OK;
    }

    eb_code decide_piece(const uint2 *pair, const squared *found, uint64_t count, const panel &a, const panel &b,
                         const filter_question<filter> &question, bool alone, pair_store<double> &hits,
                         cudaStream_t stream, eb_status *status)
    {
        decided_tally *const now = tally_.get();
        const unsigned long long *counted = nullptr;
        if (alone) {
            EB_CUDA(cudaMemsetAsync(&now->here, 0, sizeof now->here, stream), deciding);
            classify<<<blocks_for(count, threads * classified_at_once), threads, 0, stream>>>(
                pair, found, count, a, b, question.bound, hits.buffer(),
                hit_buffer<squared>{&now->here, count, pair_.get(), found_.get()});
            EB_CUDA(cudaGetLastError(), deciding);
            pair = pair_.get();
            found = found_.get();
            counted = &now->here;
        }
        EB_TRY(measure_pairs(pair, count, counted, a.stored, b.stored, s_.get(), stream, status));
        settle<<<blocks_for(count, threads), threads, 0, stream>>>(pair, found, s_.get(), count, counted, a, b,
                                                                   question, hits.buffer(), now);
        EB_CUDA(cudaGetLastError(), deciding);
        return EB_OK;
    }

    device_array<double> s_;
    device_array<uint2> pair_; /* the band's */
    device_array<squared> found_;
    device_array<decided_tally> tally_;
};

} // namespace eb
