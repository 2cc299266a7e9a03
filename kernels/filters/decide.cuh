/* decide: decides which candidates are hits, by the exact engine's sums. If only pairs are wanted, not distances, pairs
 * that the bound is sure of are hits without a sum. A second look may rule candidates out before. */
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>

#include "kernels/filters/second_look.cuh"
#include "kernels/rows/pairs.cuh"

namespace eb {

/* The result of one call, on the device. */
struct decided_tally {
    unsigned long long here, rest; /* of a piece: unsure pairs; those that FP64 measures after a second look */
    unsigned long long looked, measured, band; /* pairs looked at again; measured by FP64; and unsure of these */
    unsigned int share;                        /* bits of an FP32 number: the largest share of the bound */
};

/* Adds the result to the figures. */
inline void report_decided(eb_figures *figures, uint64_t candidates, const decided_tally &result, double seconds)
{
    static constexpr eb_figure time = {"recheck_s", "pairs decided by FP64", EB_SECONDS, EB_FIGURE_PART, 0},
                               met = {"candidates", "candidates", EB_PLAIN, EB_FIGURE_FACT, 0},
                               again = {"looked_again", "looked at again in FP16", EB_PLAIN, EB_FIGURE_FACT, 0},
                               rechecked = {"rechecked", "decided by FP64", EB_PLAIN, EB_FIGURE_FACT, 0},
                               undecided = {"band", "undecided by the bound", EB_PLAIN, EB_FIGURE_FACT, 0},
                               worst = {"bound_share", "the bound's worst observed share", EB_PLAIN, EB_FIGURE_FACT, 0};
    const double before = figures ? eb_figures_value(figures, worst.key) : 0;
    float share = 0;
    static_assert(sizeof share == sizeof result.share);
    std::memcpy(&share, &result.share, sizeof share);
    eb_figures_add(figures, &met, static_cast<double>(candidates));
    eb_figures_add(figures, &time, seconds);
    if (result.looked > 0)
        eb_figures_add(figures, &again, static_cast<double>(result.looked));
    eb_figures_add(figures, &rechecked, static_cast<double>(result.measured));
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

/* Drops the pairs that FP16 shows to be farther than ε. With `alone`, those that it shows to be within ε are hits. The
 * others are appended to `rest`, which has room for all. A warp has 32 pairs. counted: as below. */
template <class squared>
static __global__ void look_again(const uint2 *pair, const squared *found, uint64_t count,
                                  const unsigned long long *counted, second_points points, stored_points a,
                                  stored_points b, bool alone, hit_buffer<double> hits, hit_buffer<squared> rest,
                                  decided_tally *tally)
{
    const uint32_t lane = threadIdx.x % 32, before = (1u << lane) - 1;
    const uint64_t first = (blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x) / 32 * 32, x = first + lane;
    const uint64_t end = counted && *counted < count ? *counted : count;
    if (first >= end)
        return;
    const bool there = x < end;
    const uint2 mine = there ? pair[x] : make_uint2(0, 0);
    const uint32_t i = there ? second_points::row_of(a, mine.x) : 0, j = there ? second_points::row_of(b, mine.y) : 0;
    const uint32_t pairs = end - first < 32 ? static_cast<uint32_t>(end - first) : 32;
    const eb_second_verdict verdict = points.look(i, j, pairs);
    const bool within = there && alone && verdict == EB_SECOND_WITHIN;
    round_of_votes<1> sure, open;
    sure.take(0, within);
    open.take(0, there && !within && verdict != EB_SECOND_APART);
    const unsigned long long hit = sure.claim(hits.found, lane), at = open.claim(rest.found, lane);
    if (within)
        store_at(hits, hit + __popc(sure.votes[0] & before), mine, 0.0);
    else if (open.votes[0] >> lane & 1)
        store_at(rest, at + __popc(open.votes[0] & before), mine, found[x]);
    if (lane == 0)
        atomicAdd(&tally->looked, static_cast<unsigned long long>(pairs));
}

/* Appends those of the measured pairs that are within ε to the hits. s: [count] the pairs' exact squared distances.
 * counted: the number of pairs on the device; NULL: there are `count`. unsure: all of them are; else the unsure ones
 * among them are counted. */
template <class filter>
static __global__ void settle(const uint2 *pair, const typename filter::numbers::squared *found, const double *s,
                              uint64_t count, const unsigned long long *counted, bool unsure, filter_panel<filter> a,
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
        open = unsure || !filter::surely(found[x], i, j, question.bound);
    }
    append<false>(hits, there && squared <= question.threshold, mine.x, mine.y, squared, lane);
    const unsigned worst = __reduce_max_sync(~0u, __float_as_uint(fmaxf(share, 0.0f)));
    const unsigned opens = __ballot_sync(~0u, open), all = __ballot_sync(~0u, there);
    if (lane == 0) {
        atomicMax(&tally->share, worst);
        atomicAdd(&tally->measured, static_cast<unsigned long long>(__popc(all)));
        if (opens != 0)
            atomicAdd(&tally->band, static_cast<unsigned long long>(__popc(opens)));
    }
}

/* Appends the hits among the candidates to `hits`. alone: the hits' s are not used. again: looks at pairs again in
 * FP16; nullptr: does not. Adds its time and the numbers of pairs to the context's figures. */
template <class filter> class filter_decider {
  public:
    using panel = filter_panel<filter>;
    using squared = typename filter::numbers::squared;

    eb_code decide(const pair_store<squared> &candidates, const panel &a, const panel &b,
                   const filter_question<filter> &question, bool alone, second_look *again, pair_store<double> &hits,
                   cudaStream_t stream, const eb_context *context, eb_status *status)
    {
        const uint64_t held = candidates.held();
        uint64_t all = 0;
        decided_tally result{};
        double seconds = 0;
        stopwatch watch;
        EB_TRY(hits.grow(hits.held() + held, hits.held() / 2, stream, status));
        EB_TRY(reserve(held, alone, again != nullptr, status));
        EB_TRY(watch.start(stream, status));
        EB_CUDA(cudaMemsetAsync(tally_.get(), 0, sizeof result, stream), deciding);
        for (uint64_t first = 0; first < held; first += decided_at_once) {
            const uint64_t count = held - first < decided_at_once ? held - first : decided_at_once;
            const bool looks = again && (alone || again->spares());
            EB_TRY(decide_piece(candidates.buffer().pair + first, candidates.buffer().squared + first, count, a, b,
                                question, alone, looks ? again : nullptr, hits, stream, status));
            if (looks && !alone && !again->learned()) {
                EB_CUDA(cudaMemcpyAsync(&result, tally_.get(), sizeof result, cudaMemcpyDeviceToHost, stream),
                        deciding);
                EB_CUDA(cudaStreamSynchronize(stream), deciding);
                again->learn(result.looked, result.measured);
            }
        }
        EB_CUDA(cudaMemcpyAsync(&result, tally_.get(), sizeof result, cudaMemcpyDeviceToHost, stream), deciding);
        EB_TRY(watch.stop(stream, &seconds, status));
        EB_TRY(hits.counted(&all, stream, status));
        hits.keep(all);
        report_decided(context->figures, held, result, seconds);
        return EB_OK;
    }

  private:
    static constexpr const char *deciding = "deciding pairs near ε";
    static constexpr uint32_t threads = 256;

    eb_code reserve(uint64_t held, bool alone, bool again, eb_status *status)
    {
        const uint64_t at_once = held < decided_at_once ? held : decided_at_once;
        EB_TRY(tally_.reserve(1, deciding, status));
        EB_TRY(s_.reserve(at_once, deciding, status));
        EB_TRY(alone ? band_.reserve(at_once, status) : EB_OK);
        return again ? rest_.reserve(at_once, status) : EB_OK;
    }

    eb_code decide_piece(const uint2 *pair, const squared *found, uint64_t count, const panel &a, const panel &b,
                         const filter_question<filter> &question, bool alone, const second_look *again,
                         pair_store<double> &hits, cudaStream_t stream, eb_status *status)
    {
        decided_tally *const now = tally_.get();
        const unsigned long long *counted = nullptr;
        const auto go_on_with = [&](const some_pairs &those, const unsigned long long *number) {
            pair = those.pair.get();
            found = those.found.get();
            counted = number;
        };
        EB_CUDA(cudaMemsetAsync(now, 0, offsetof(decided_tally, looked), stream), deciding);
        if (alone) {
            classify<<<blocks_for(count, threads * classified_at_once), threads, 0, stream>>>(
                pair, found, count, a, b, question.bound, hits.buffer(),
                hit_buffer<squared>{&now->here, count, band_.pair.get(), band_.found.get()});
            EB_CUDA(cudaGetLastError(), deciding);
            go_on_with(band_, &now->here);
        }
        if (again) {
            look_again<<<blocks_for(count, threads), threads, 0, stream>>>(pair, found, count, counted, again->seen(),
                                                                           a.stored, b.stored, alone, hits.buffer(),
                                                                           hit_buffer<squared>{&now->rest, count,
                                                                                               rest_.pair.get(),
                                                                                               rest_.found.get()},
                                                                           now);
            EB_CUDA(cudaGetLastError(), deciding);
            go_on_with(rest_, &now->rest);
        }
        EB_TRY(measure_pairs(pair, count, counted, a.stored, b.stored, s_.get(), stream, status));
        settle<<<blocks_for(count, threads), threads, 0, stream>>>(pair, found, s_.get(), count, counted, alone, a, b,
                                                                   question, hits.buffer(), now);
        EB_CUDA(cudaGetLastError(), deciding);
        return EB_OK;
    }

    struct some_pairs {
        device_array<uint2> pair;
        device_array<squared> found;
        eb_code reserve(uint64_t count, eb_status *status)
        {
            EB_TRY(pair.reserve(count, deciding, status));
            return found.reserve(count, deciding, status);
        }
    };

    device_array<double> s_;
    some_pairs band_, rest_; /* that the filter is not sure of; that a second look leaves */
    device_array<decided_tally> tally_;
};

} // namespace eb
