#include "kernels/rows/delivery.cuh"

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "kernels/rows/pack.cuh"

extern "C" {
#include "core/base/pages.h"
#include "core/base/parallel.h"
}

namespace eb {

namespace {

constexpr const char *downloading = "downloading the neighbour table";
/* They fill the link of every host measured so far. */
constexpr size_t most_copying = 8, most_unpacking = 12;

/* From three members of a team on, the slots of all copying threads together must stay in the host's caches: slices of
 * 1 MiB, and half of the threads copying, took two thirds of the time on four H200s, more on one and two (team.md). */
constexpr unsigned crowd = 3;

struct slice {
    size_t chunk, array;
    const unsigned char *made, *packed; /* packed: nullptr if the array is not packed */
    unsigned char *to;
    size_t count; /* of entries */
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

/* What packs an array on the device: a buffer for even and one for odd chunks. */
struct packing {
    size_t array;
    device_array<unsigned char> packed[2];
    std::vector<packed_chunk> chunk;
};

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
        std::vector<std::atomic<bool>> misfits(chunks);
        misfits_.swap(misfits);
        for (size_t a = 0; a < rows_.arrays.size(); a++)
            EB_TRY(plan_packing(a, status));
        for (size_t k = 0; k < chunks; k++) {
            const size_t before = slices_.size();
            for (size_t a = 0; a < rows_.arrays.size(); a++)
                cut(a, k);
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
        bool is = false, packed = false;
    };

    /* Entries of a slice of an array in chunk k; slices begin at its multiples. */
    size_t each_of(const delivered_array &array, size_t k) const
    {
        const size_t bytes = (rows_.begin[k + 1] - rows_.begin[k]) * array.entry_bytes;
        return slice_bytes_for(bytes, rows_.fresh, crowded_) / array.entry_bytes;
    }

    /* Without room on the device the array travels as it is. */
    eb_code plan_packing(size_t a, eb_status *status)
    {
        const delivered_array &array = rows_.arrays[a];
        size_t room[2] = {0, 0};
        eb_status full{};
        packing p;
        p.array = a;
        if (array.form.packing == EB_NOT_PACKED)
            return EB_OK;
        for (size_t k = 0; k + 1 < rows_.begin.size(); k++) {
            const packed_chunk c{array.form,         array.made[k % 2], rows_.begin[k],
                                 rows_.begin[k + 1], each_of(array, k), nullptr};
            const size_t bytes = c.slices() * c.apart();
            room[k % 2] = bytes > room[k % 2] ? bytes : room[k % 2];
            p.chunk.push_back(c);
        }
        for (size_t b = 0; b < 2; b++) {
            const eb_code failed = p.packed[b].reserve(room[b], "packing rows", &full);
            if (failed == EB_NO_MEMORY)
                return EB_OK;
            if (failed)
                return eb_fail(status, failed, "%s", full.message);
        }
        for (size_t k = 0; k < p.chunk.size(); k++)
            p.chunk[k].packed = p.packed[k % 2].get();
        packings_.push_back(std::move(p));
        return EB_OK;
    }

    const packed_chunk *packed_chunk_of(size_t a, size_t k) const
    {
        for (const packing &p : packings_)
            if (p.array == a)
                return &p.chunk[k];
        return nullptr;
    }

    /* Cuts chunk k's part of an array into slices. */
    void cut(size_t a, size_t k)
    {
        const delivered_array &array = rows_.arrays[a];
        const packed_chunk *packed = packed_chunk_of(a, k);
        const unsigned char *made = static_cast<const unsigned char *>(array.made[k % 2]);
        const uint64_t begin = rows_.begin[k], end = rows_.begin[k + 1], each = each_of(array, k);
        for (uint64_t at = begin; at < end;) {
            const uint64_t edge = (at / each + 1) * each, next = edge < end ? edge : end;
            slices_.push_back({k, a, made + (at - begin) * array.entry_bytes,
                               packed ? packed->packed + (at / each - begin / each) * packed->apart() : nullptr,
                               array.to + at * array.entry_bytes, next - at});
            at = next;
        }
    }

    /* Divides the threads into those that copy and those that make pages. With fresh memory, five of eight threads
     * (in a crowd half) make pages ahead of the copying threads, because clearing takes longer than copying. */
    unsigned share_out(unsigned most)
    {
        const size_t slices = slices_.size(), threads = smaller(most, 2 * most_copying);
        const size_t copying = rows_.fresh ? ((crowded_ ? 4 : 3) * threads + 7) / 8 : threads;
        copying_ = smaller(smaller(copying, packings_.empty() ? most_copying : most_unpacking), slices);
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
            eb_pages_populate(slices_[x].to, slices_[x].count * array_of(slices_[x]).entry_bytes);
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
            const pending now{x, 1 - before.slot, true, travels_packed(slices_[x])};
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
        return download(lane, p, status);
    }

    eb_code download(const pinned_lane &lane, const pending &p, eb_status *status) const
    {
        const slice &s = slices_[p.slice];
        const delivered_array &array = array_of(s);
        const void *from = p.packed ? s.packed : s.made;
        const size_t bytes = p.packed ? eb_packed_places_of(&array.form, s.count).bytes : s.count * array.entry_bytes;
        EB_CUDA(cudaMemcpyAsync(lane.slot[p.slot], from, bytes, cudaMemcpyDeviceToHost, lane.stream), downloading);
        EB_CUDA(cudaEventRecord(lane.used[p.slot], lane.stream), downloading);
        return EB_OK;
    }

    /* Stores a pending slice. A chunk's last slice frees its buffer for the next chunk but one. */
    eb_code store(const pinned_lane &lane, pending &p, eb_status *status)
    {
        if (!p.is)
            return EB_OK;
        const slice &s = slices_[p.slice];
        const delivered_array &array = array_of(s);
        make_pages(p.slice);
        EB_CUDA(cudaEventSynchronize(lane.used[p.slot]), downloading);
        if (p.packed && !eb_packed_fits(&array.form, lane.slot[p.slot], s.count)) {
            misfit_ = true;
            p.packed = false;
            EB_TRY(download(lane, p, status));
            EB_CUDA(cudaEventSynchronize(lane.used[p.slot]), downloading);
        }
        if (--left_[s.chunk] == 0)
            EB_TRY(make(s.chunk + 2, status));
        if (p.packed)
            eb_packed_store(&array.form, lane.slot[p.slot], s.count, s.to);
        else
            eb_copy_past_caches(s.to, lane.slot[p.slot], s.count * array.entry_bytes);
        p.is = false;
        return EB_OK;
    }

    eb_code make(size_t chunk, eb_status *status)
    {
        if (chunk >= made_.size())
            return EB_OK;
        const std::lock_guard<std::mutex> alone(lock_);
        EB_TRY(rows_.make(chunk, status));
        EB_TRY(pack(chunk, status));
        EB_CUDA(cudaEventRecord(ready_[chunk % 2], rows_.stream), downloading);
        made_[chunk] = true;
        changed_.notify_all();
        return EB_OK;
    }

    /* Once a slice of FP64 values has not fitted its form, those of later chunks travel as they are: more may not fit.
     */
    eb_code pack(size_t k, eb_status *status)
    {
        misfits_[k] = misfit_.load();
        for (const packing &p : packings_)
            if (may_pack(rows_.arrays[p.array], k))
                EB_TRY(pack_chunk(p.chunk[k], rows_.stream, status));
        return EB_OK;
    }
    bool may_pack(const delivered_array &array, size_t k) const
    {
        return array.form.packing != EB_PACKED_F64 || !misfits_[k];
    }
    bool travels_packed(const slice &s) const { return s.packed && may_pack(array_of(s), s.chunk); }

    const delivered_array &array_of(const slice &s) const { return rows_.arrays[s.array]; }

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
    std::vector<packing> packings_;
    std::vector<std::atomic<bool>> misfits_; /* chunks whose FP64 values are not packed */
    std::atomic<bool> misfit_{false};
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
