#include "kernels/certified/decide.cuh"

#include <cmath>
#include <cstring>

namespace eb {

namespace {

constexpr const char *deciding = "deciding pairs near ε";
constexpr uint32_t candidates_a_lane = 4, threads = 256;

const eb_figure recheck_time = {"recheck_s", "pairs decided by FP64", EB_SECONDS, EB_FIGURE_PART, 0};
const eb_figure candidates_met = {"candidates", "candidates", EB_PLAIN, EB_FIGURE_FACT, 0};
const eb_figure rechecked = {"rechecked", "decided by FP64", EB_PLAIN, EB_FIGURE_FACT, 0};
const eb_figure undecided = {"band", "undecided by the bound", EB_PLAIN, EB_FIGURE_FACT, 0};
const eb_figure worst_share = {"bound_share", "the bound's worst observed share", EB_PLAIN, EB_FIGURE_FACT, 0};

unsigned blocks_for(uint64_t items, uint32_t a_block) { return static_cast<unsigned>((items + a_block - 1) / a_block); }

/* Whether candidate x is within ε without a look at its points. */
__device__ bool is_sure(const certified_panel &a, const certified_panel &b, uint2 pair, float q, double surely)
{
    return eb_certified_surely(q, a.width[pair.x - a.first], b.width[pair.y - b.first], surely);
}

/* A warp's lanes that say yes take places one behind the other, in each of several rounds. */
struct round_of_votes {
    unsigned votes[candidates_a_lane];
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

/* Sure pairs become hits; the others the band, which has room for all. */
__global__ void classify(const uint2 *pair, const float *q, uint64_t count, certified_panel a, certified_panel b,
                         double surely, hit_buffer<double> hits, hit_buffer<float> band)
{
    const uint32_t lane = threadIdx.x % 32, before = (1u << lane) - 1;
    const uint64_t warp = (blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x) / 32;
    round_of_votes sure, unsure;
    uint2 mine[candidates_a_lane];
    float near[candidates_a_lane];
#pragma unroll
    for (uint32_t r = 0; r < candidates_a_lane; r++) {
        const uint64_t x = (warp * candidates_a_lane + r) * 32 + lane;
        const bool there = x < count;
        mine[r] = there ? pair[x] : make_uint2(0, 0);
        near[r] = there ? q[x] : 0;
        const bool yes = there && is_sure(a, b, mine[r], near[r], surely);
        sure.take(r, yes);
        unsure.take(r, there && !yes);
    }
    unsigned long long hit = sure.claim(hits.found, lane), open = unsure.claim(band.found, lane);
#pragma unroll
    for (uint32_t r = 0; r < candidates_a_lane; r++) {
        if (sure.votes[r] >> lane & 1)
            store_at(hits, hit + __popc(sure.votes[r] & before), mine[r], static_cast<double>(near[r]));
        if (unsure.votes[r] >> lane & 1)
            store_at(band, open + __popc(unsure.votes[r] & before), mine[r], near[r]);
        hit += __popc(sure.votes[r]);
        open += __popc(unsure.votes[r]);
    }
}

/* Of the bound, what this pair's q was off by. A q of 0 may have been less. */
__device__ float share_of(const certified_panel &a, const certified_panel &b, uint2 pair, float q, double squared,
                          double loss)
{
    const uint32_t i = pair.x - a.first, j = pair.y - b.first;
    if (q == 0)
        return 0;
    return eb_float_above(eb_certified_share(q, squared, a.known[i], b.known[j], a.level[i].y, b.level[j].y, loss));
}

/* Pairs that the truth has measured: those within become hits. `counted` NULL: there are `count`, and it is looked at
 * which of them the bound had left open. */
__global__ void settle(const uint2 *pair, const float *q, const double *s, uint64_t count,
                       const unsigned long long *counted, certified_panel a, certified_panel b,
                       certified_question question, hit_buffer<double> hits, unsigned long long *band,
                       unsigned int *worst)
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
        share = share_of(a, b, mine, q[x], squared * question.scale * question.scale, question.bound.loss);
        open = counted || !is_sure(a, b, mine, q[x], question.bound.surely);
    }
    append<false>(hits, there && squared <= question.threshold, mine.x, mine.y, squared, lane);
    const unsigned worst_here = __reduce_max_sync(~0u, __float_as_uint(fmaxf(share, 0.0f)));
    const unsigned opens = __ballot_sync(~0u, open);
    if (lane == 0) {
        atomicMax(worst, worst_here);
        if (opens != 0)
            atomicAdd(band, static_cast<unsigned long long>(__popc(opens)));
    }
}

void raise(eb_figures *figures, const eb_figure *which, double value)
{
    const double before = figures ? eb_figures_value(figures, which->key) : 0;
    eb_figures_set(figures, which, std::isnan(before) ? value : std::fmax(before, value));
}

} // namespace

eb_code certified_decider::reserve(uint64_t held, bool alone, eb_status *status)
{
    const uint64_t at_once = held < decided_at_once ? held : decided_at_once;
    EB_TRY(tally_.reserve(1, deciding, status));
    EB_TRY(s_.reserve(at_once, deciding, status));
    EB_TRY(alone ? pair_.reserve(at_once, deciding, status) : EB_OK);
    return alone ? q_.reserve(at_once, deciding, status) : EB_OK;
}

eb_code certified_decider::decide(const pair_store<float> &candidates, const certified_panel &a,
                                  const certified_panel &b, const certified_question &question, bool alone,
                                  pair_store<double> &hits, cudaStream_t stream, const eb_context *context,
                                  eb_status *status)
{
    const uint64_t held = candidates.held();
    uint64_t found = 0;
    tally result{};
    double seconds = 0;
    stopwatch watch;
    eb_figures_add(context->figures, &candidates_met, static_cast<double>(held));
    EB_TRY(hits.grow(hits.held() + held, hits.held() / 2, stream, status));
    EB_TRY(reserve(held, alone, status));
    EB_TRY(watch.start(stream, status));
    EB_CUDA(cudaMemsetAsync(tally_.get(), 0, sizeof result, stream), deciding);
    tally *const now = tally_.get();
    for (uint64_t first = 0; first < held; first += decided_at_once) {
        const uint64_t count = held - first < decided_at_once ? held - first : decided_at_once;
        const uint2 *pair = candidates.buffer().pair + first;
        const float *q = candidates.buffer().squared + first;
        const unsigned long long *counted = nullptr;
        if (alone) {
            EB_CUDA(cudaMemsetAsync(&now->here, 0, sizeof now->here, stream), deciding);
            classify<<<blocks_for(count, threads * candidates_a_lane), threads, 0, stream>>>(
                pair, q, count, a, b, question.bound.surely, hits.buffer(),
                hit_buffer<float>{&now->here, count, pair_.get(), q_.get()});
            EB_CUDA(cudaGetLastError(), deciding);
            pair = pair_.get();
            q = q_.get();
            counted = &now->here;
        }
        EB_TRY(measure_pairs(pair, count, counted, a.stored, b.stored, s_.get(), stream, status));
        settle<<<blocks_for(count, threads), threads, 0, stream>>>(pair, q, s_.get(), count, counted, a, b, question,
                                                                   hits.buffer(), &now->band, &now->share);
        EB_CUDA(cudaGetLastError(), deciding);
    }
    EB_CUDA(cudaMemcpyAsync(&result, now, sizeof result, cudaMemcpyDeviceToHost, stream), deciding);
    EB_TRY(watch.stop(stream, &seconds, status));
    EB_TRY(hits.counted(&found, stream, status));
    hits.keep(found);
    float share = 0;
    static_assert(sizeof share == sizeof result.share);
    std::memcpy(&share, &result.share, sizeof share);
    eb_figures_add(context->figures, &recheck_time, seconds);
    eb_figures_add(context->figures, &rechecked, static_cast<double>(alone ? result.band : held));
    eb_figures_add(context->figures, &undecided, static_cast<double>(result.band));
    raise(context->figures, &worst_share, static_cast<double>(share));
    return EB_OK;
}

} // namespace eb
