#include "kernels/rows/exchange.cuh"

#include "kernels/device/peers.cuh"

extern "C" {
#include "core/base/clock.h"
#include "core/team/meeting.h"
}

namespace eb {

namespace {

constexpr const char *exchanging = "exchanging pairs with other GPUs";
constexpr uint64_t read_at_once = uint64_t{1} << 24; /* pairs: 256 MB with their squared distances */
constexpr unsigned threads = 256;

unsigned blocks_for(uint64_t items) { return static_cast<unsigned>((items + threads - 1) / threads); }

__global__ void translate(uint2 *pair, uint64_t count, pairs_meaning m)
{
    const uint64_t x = blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x;
    if (x < count)
        pair[x] = points_of(m, pair[x]);
}

/* Appends the pairs with an end in the rows wanted. A block reserves room for all its pairs with one atomic. */
template <class T>
__global__ void __launch_bounds__(threads)
    take_wanted(const uint2 *pair, const T *squared, uint64_t count, pairs_meaning m, hit_buffer<T> out)
{
    __shared__ unsigned long long begin;
    __shared__ uint32_t of_warp[threads / 32];
    const uint64_t x = blockIdx.x * static_cast<uint64_t>(threads) + threadIdx.x;
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint2 mine = x < count ? pair[x] : make_uint2(0, 0);
    const bool wanted = x < count && wanted_ends(m, mine) > 0;
    const uint32_t votes = __ballot_sync(~0u, wanted);
    if (lane == 0)
        of_warp[warp] = __popc(votes);
    __syncthreads();
    if (threadIdx.x == 0) {
        uint32_t all = 0;
        for (uint32_t w = 0; w < threads / 32; w++) {
            const uint32_t those = of_warp[w];
            of_warp[w] = all;
            all += those;
        }
        begin = all > 0 ? atomicAdd(out.found, static_cast<unsigned long long>(all)) : 0;
    }
    __syncthreads();
    if (wanted)
        store_at(out, begin + of_warp[warp] + __popc(votes & ((1u << lane) - 1)), mine, squared[x]);
}

/* What a member shows: tiles it has cut, or pairs it has found. */
struct shown {
    enum { tiles, pairs, waiting, nothing } what;
    uint64_t count;
    int device;
    const uint2 *pair;
    const void *squared;
};

static_assert(sizeof(shown) <= EB_MEETING_ITEM);

/* all: [EB_MOST_MEMBERS] what each member shows. */
eb_code meet(const eb_share &share, const shown &mine, shown *all, eb_status *status)
{
    const unsigned members = eb_meeting_members(share.meeting);
    EB_TRY(eb_meeting_show(share.meeting, share.part % members, &mine, sizeof mine, all, status));
    for (unsigned k = 0; k < members; k++)
        if (all[k].what != mine.what)
            return eb_fail(status, EB_INTERNAL,
                           "the GPUs of the team cut the points into different blocks; "
                           "`set gpu_memory=20G` gives them equal memory");
    return EB_OK;
}

/* Reads other members' pairs piece by piece into memory of this device. */
template <class T> class reader {
  public:
    reader(int device, cudaStream_t stream) : device_(device), stream_(stream) {}

    eb_code bring(const shown &from, uint64_t first, uint64_t count, const uint2 **pair, const T **squared,
                  eb_figures *figures, eb_status *status)
    {
        const T *values = static_cast<const T *>(from.squared);
        *pair = from.pair + first;
        *squared = values + first;
        if (from.device == device_)
            return EB_OK;
        EB_TRY(pair_.reserve(read_at_once, exchanging, status));
        EB_TRY(squared_.reserve(read_at_once, exchanging, status));
        EB_TRY(copy_from_peer(pair_.get(), device_, *pair, from.device, count * sizeof(uint2), exchanging, stream_,
                              status));
        EB_TRY(copy_from_peer(squared_.get(), device_, *squared, from.device, count * sizeof(T), exchanging, stream_,
                              status));
        eb_figures_add(figures, &eb_figure_peer, static_cast<double>(count * (sizeof(uint2) + sizeof(T))));
        *pair = pair_.get();
        *squared = squared_.get();
        return EB_OK;
    }

  private:
    int device_;
    cudaStream_t stream_;
    device_array<uint2> pair_;
    device_array<T> squared_;
};

/* Appends what is wanted of a piece; more room is made if there was too little. */
template <class T>
eb_code append_wanted(const uint2 *pair, const T *squared, uint64_t count, const pairs_meaning &m, pair_store<T> &own,
                      cudaStream_t stream, eb_status *status)
{
    for (;;) {
        uint64_t found = 0;
        take_wanted<T><<<blocks_for(count), threads, 0, stream>>>(pair, squared, count, m, own.buffer());
        EB_CUDA(cudaGetLastError(), exchanging);
        EB_TRY(own.counted(&found, stream, status));
        if (found <= own.capacity()) {
            own.keep(found);
            return EB_OK;
        }
        EB_TRY(own.forget(stream, status));
        EB_TRY(own.grow(found, found / 8, stream, status));
    }
}

template <class T>
eb_code gather(const shown *all, unsigned members, unsigned member, const pairs_meaning &m, pair_store<T> &own,
               cudaStream_t stream, const eb_context *context, eb_status *status)
{
    reader<T> others(all[member].device, stream);
    uint64_t pairs = 0;
    for (unsigned k = 0; k < members; k++)
        pairs += all[k].count;
    EB_TRY(own.prepare(pairs / members * (m.mirrored ? 2 : 1) + pairs / 16 + (1 << 20), 0, stream, status));
    for (unsigned k = 0; k < members; k++) { /* each begins with another member's */
        const shown &from = all[(member + k) % members];
        for (uint64_t done = 0; done < from.count; done += read_at_once) {
            const uint64_t count = from.count - done < read_at_once ? from.count - done : read_at_once;
            const uint2 *pair = nullptr;
            const T *squared = nullptr;
            EB_TRY(eb_job_check(context->job, status));
            EB_TRY(others.bring(from, done, count, &pair, &squared, context->figures, status));
            EB_TRY(append_wanted(pair, squared, count, m, own, stream, status));
        }
    }
    return EB_OK;
}

} // namespace

bool computes_all_parts(const eb_share &share)
{
    return share.meeting && share.parts == eb_meeting_members(share.meeting);
}

template <class T>
eb_code exchange_pairs(const pair_store<T> &hits, const eb_share &share, pair_store<T> &own, pairs_meaning &meaning,
                       cudaStream_t stream, const eb_context *context, eb_status *status)
{
    static const eb_figure waiting = {"wait_s", "waiting for other GPUs", EB_SECONDS, EB_FIGURE_PART, 0},
                           time = {"exchange_s", "pairs between GPUs", EB_SECONDS, EB_FIGURE_PART, 0};
    const unsigned members = eb_meeting_members(share.meeting), member = share.part % members;
    shown all[EB_MOST_MEMBERS];
    if (hits.held() > 0 && (meaning.point || meaning.first_column > 0))
        translate<<<blocks_for(hits.held()), threads, 0, stream>>>(hits.buffer().pair, hits.held(), meaning);
    EB_CUDA(cudaGetLastError(), exchanging);
    EB_CUDA(cudaStreamSynchronize(stream), exchanging);
    meaning.point = nullptr;
    meaning.first_column = 0;
    meaning.row_begin = rows_before(share, member);
    meaning.row_end = rows_before(share, member + 1);
    const shown mine{shown::pairs, hits.held(), context->device->index, hits.buffer().pair, hits.buffer().squared};
    const double start = eb_now_s();
    EB_TRY(meet(share, mine, all, status));
    const double met = eb_now_s();
    EB_TRY(gather(all, members, member, meaning, own, stream, context, status));
    const double gathered = eb_now_s();
    const shown done{shown::nothing, 0, 0, nullptr, nullptr};
    EB_TRY(meet(share, done, all, status)); /* all have read */
    eb_figures_add(context->figures, &waiting, met - start + eb_now_s() - gathered);
    eb_figures_add(context->figures, &time, gathered - met);
    return EB_OK;
}

eb_code agree_to_wait(const eb_share &share, bool *waits, eb_status *status)
{
    const shown mine{shown::waiting, *waits, 0, nullptr, nullptr};
    shown all[EB_MOST_MEMBERS];
    if (!share.meeting)
        return EB_OK;
    EB_TRY(meet(share, mine, all, status));
    for (unsigned k = 0; k < eb_meeting_members(share.meeting); k++)
        *waits = *waits || all[k].count > 0;
    return EB_OK;
}

eb_code agree_on_tiles(const eb_share &share, uint64_t tiles, bool ordered, eb_status *status)
{
    const shown mine{shown::tiles, 2 * tiles + ordered, 0, nullptr, nullptr};
    shown all[EB_MOST_MEMBERS];
    bool same = true;
    if (!share.meeting)
        return EB_OK;
    EB_TRY(meet(share, mine, all, status));
    for (unsigned k = 0; k < eb_meeting_members(share.meeting); k++)
        same = same && all[k].count == mine.count;
    return same ? EB_OK
                : eb_fail(status, EB_INTERNAL,
                          "the GPUs of the team cut the points into different tiles, one of them into %llu; "
                          "`set gpu_memory=20G` gives them equal memory",
                          static_cast<unsigned long long>(tiles));
}

#define INSTANCE(T)                                                                                                    \
    template eb_code exchange_pairs(const pair_store<T> &, const eb_share &, pair_store<T> &, pairs_meaning &,         \
                                    cudaStream_t, const eb_context *, eb_status *);
INSTANCE(float)
INSTANCE(double)
INSTANCE(uint32_t)
#undef INSTANCE

} // namespace eb
