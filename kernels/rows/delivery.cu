#include "kernels/rows/delivery.cuh"

#include <atomic>
#include <condition_variable>
#include <mutex>

extern "C" {
#include "core/base/pages.h"
#include "core/base/parallel.h"
}

namespace eb {

namespace {

constexpr const char *downloading = "downloading the neighbour table";
constexpr size_t most_copying = 8; /* they fill the link of every host measured so far */

/* From three members of a team on, the slots of all copying threads together must stay in the host's caches: slices of
 * 1 MiB, and half of the threads copying, took two thirds of the time on four H200s, more on one and two (team.md). */
constexpr unsigned crowd = 3;

struct slice {
    size_t chunk;
    const unsigned char *from;
    unsigned char *to;
    size_t bytes;
};

size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* A copy costs the link some 10 µs beside its bytes. Many bytes are cut into large slices, few bytes into small ones
 * for all threads. Fresh pages are cleared slice by slice, ahead of copies. */
size_t slice_bytes_for(size_t bytes, bool fresh, bool crowded)
{
    constexpr size_t mega = size_t{1} << 20;
    static_assert(8 * mega <= pinned_slot_bytes);
    if (crowded)
        return mega;
    if (fresh || (bytes >= 12 * mega && bytes < 96 * mega))
        return 4 * mega;
    return bytes < 12 * mega ? mega : 8 * mega;
}

/* Cuts chunk k's part of an array into slices. */
void cut(const delivered_array &array, size_t k, uint64_t begin, uint64_t end, bool fresh, bool crowded,
         std::vector<slice> &out)
{
    const unsigned char *from = static_cast<const unsigned char *>(array.made[k % 2]);
    const size_t last = end * array.entry_bytes,
                 each = slice_bytes_for(last - begin * array.entry_bytes, fresh, crowded);
    for (size_t at = begin * array.entry_bytes; at < last;) {
        const size_t edge = (at / each + 1) * each, next = edge < last ? edge : last;
        out.push_back({k, from + (at - begin * array.entry_bytes), array.to + at, next - at});
        at = next;
    }
}

class row_delivery {
  public:
    row_delivery(const delivered_rows &rows, const eb_context *context)
        : rows_(rows), context_(context), crowded_(context->team && context->team_members >= crowd)
    {
    }
    row_delivery(const row_delivery &) = delete;
    row_delivery &operator=(const row_delivery &) = delete;
    ~row_delivery()
    {
        for (cudaEvent_t event : ready_)
            if (event)
                (void)cudaEventDestroy(event);
    }

    eb_code run(eb_status *status)
    {
        const size_t chunks = rows_.begin.size() - 1;
        std::vector<std::atomic<size_t>> left(chunks);
        left_.swap(left);
        std::vector<std::atomic<bool>> made(chunks);
        made_.swap(made);
        for (size_t k = 0; k < chunks; k++) {
            const size_t before = slices_.size();
            for (const delivered_array &array : rows_.arrays)
                cut(array, k, rows_.begin[k], rows_.begin[k + 1], rows_.fresh, crowded_, slices_);
            left_[k] = slices_.size() - before;
        }
        std::vector<std::atomic<bool>> paged(slices_.size());
        paged_.swap(paged);
        for (cudaEvent_t &event : ready_)
            EB_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), downloading);
        for (size_t k = 0; k < 2; k++)
            EB_TRY(make(k, status));
        const unsigned threads = share_out(context_->threads);
        return eb_parallel(threads, threads, work, this, nullptr, status);
    }

  private:
    /* A slice whose download is enqueued and not yet stored. */
    struct pending {
        size_t slice = 0, slot = 0;
        bool is = false;
    };

    /* Divides the threads into those that copy and those that make pages. With fresh memory, five of eight threads
     * (in a crowd half) make pages ahead of the copying threads, because clearing takes longer than copying. */
    unsigned share_out(unsigned most)
    {
        const size_t slices = slices_.size(), threads = smaller(most, 2 * most_copying);
        const size_t copying = rows_.fresh ? ((crowded_ ? 4 : 3) * threads + 7) / 8 : threads;
        copying_ = smaller(smaller(copying, most_copying), slices);
        return static_cast<unsigned>(rows_.fresh ? smaller(threads, 2 * slices) : copying_);
    }

    static eb_code work(void *context, uint64_t task, unsigned, eb_status *status)
    {
        row_delivery &all = *static_cast<row_delivery *>(context);
        if (task >= all.copying_)
            return all.make_pages_ahead(status);
        const eb_code failed = guarded(status, [&] { return all.take_slices(status); });
        if (failed)
            all.stop();
        return failed;
    }

    eb_code make_pages_ahead(eb_status *status)
    {
        for (size_t x = next_paged_++; x < slices_.size() && !stopped_; x = next_paged_++) {
            EB_TRY(eb_job_check(context_->job, status));
            make_pages(x);
        }
        return EB_OK;
    }

    /* Makes a slice's pages unless another thread has begun to. Copying threads do not wait for the threads ahead of
     * them. */
    void make_pages(size_t x)
    {
        if (rows_.fresh && !paged_[x].exchange(true))
            eb_pages_populate(slices_[x].to, slices_[x].bytes);
    }

    eb_code take_slices(eb_status *status)
    {
        borrowed_lane lane;
        pending before;
        size_t waits_for = SIZE_MAX; /* the chunk that the lane's stream already waits for */
        EB_CUDA(cudaSetDevice(context_->device->index), downloading);
        EB_TRY(lane.borrow(status));
        for (size_t x = next_++; x < slices_.size() && !stopped_; x = next_++) {
            EB_TRY(eb_job_check(context_->job, status));
            if (!made_[slices_[x].chunk]) { /* the chunk may depend on this thread's pending slice */
                EB_TRY(store(*lane, before, status));
                await(slices_[x].chunk);
            }
            if (stopped_)
                break;
            const pending now{x, 1 - before.slot, true};
            EB_TRY(enqueue(*lane, now, &waits_for, status));
            EB_TRY(store(*lane, before, status));
            before = now;
        }
        return store(*lane, before, status);
    }

    eb_code enqueue(const pinned_lane &lane, const pending &p, size_t *waits_for, eb_status *status)
    {
        const slice &s = slices_[p.slice];
        if (*waits_for != s.chunk)
            EB_CUDA(cudaStreamWaitEvent(lane.stream, ready_[s.chunk % 2], 0), downloading);
        *waits_for = s.chunk;
        EB_CUDA(cudaMemcpyAsync(lane.slot[p.slot], s.from, s.bytes, cudaMemcpyDeviceToHost, lane.stream), downloading);
        EB_CUDA(cudaEventRecord(lane.used[p.slot], lane.stream), downloading);
        return EB_OK;
    }

    /* Stores a pending slice. A chunk's last slice frees its buffer for the next chunk but one. */
    eb_code store(const pinned_lane &lane, pending &p, eb_status *status)
    {
        if (!p.is)
            return EB_OK;
        const slice &s = slices_[p.slice];
        make_pages(p.slice);
        EB_CUDA(cudaEventSynchronize(lane.used[p.slot]), downloading);
        if (--left_[s.chunk] == 0)
            EB_TRY(make(s.chunk + 2, status));
        eb_copy_past_caches(s.to, lane.slot[p.slot], s.bytes);
        p.is = false;
        return EB_OK;
    }

    eb_code make(size_t chunk, eb_status *status)
    {
        if (chunk >= made_.size())
            return EB_OK;
        const std::lock_guard<std::mutex> alone(lock_);
        EB_TRY(rows_.make(chunk, status));
        EB_CUDA(cudaEventRecord(ready_[chunk % 2], rows_.stream), downloading);
        made_[chunk] = true;
        changed_.notify_all();
        return EB_OK;
    }

    void await(size_t chunk)
    {
        std::unique_lock<std::mutex> alone(lock_);
        changed_.wait(alone, [&] { return stopped_ || made_[chunk].load(); });
    }

    void stop()
    {
        const std::lock_guard<std::mutex> alone(lock_);
        stopped_ = true;
        changed_.notify_all();
    }

    const delivered_rows &rows_;
    const eb_context *context_;
    bool crowded_;
    std::vector<slice> slices_;
    size_t copying_ = 1; /* threads that copy; the others make pages */
    std::atomic<size_t> next_{0}, next_paged_{0};
    std::vector<std::atomic<bool>> paged_;  /* slices whose pages are made or being made */
    std::vector<std::atomic<size_t>> left_; /* per chunk: slices still on the device */
    cudaEvent_t ready_[2] = {};             /* recorded after a buffer's chunk */
    std::mutex lock_;                       /* for make() and changed_ */
    std::condition_variable changed_;
    std::vector<std::atomic<bool>> made_; /* chunks that are enqueued */
    std::atomic<bool> stopped_{false};
};

} // namespace

eb_code deliver(const delivered_rows &rows, const eb_context *context, eb_status *status)
{
    return row_delivery(rows, context).run(status);
}

} // namespace eb
