#include "kernels/upload/gathering.cuh"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "kernels/device/peers.cuh"

namespace eb {

namespace {
constexpr int nobody = -1;
}

bool gathered_rows_key::operator==(const gathered_rows_key &other) const
{
    return team == other.team && rows == other.rows && stride == other.stride && first == other.first &&
           count == other.count && d == other.d && row_bytes == other.row_bytes && slice_rows == other.slice_rows;
}

struct gathering::shared {
    struct member {
        int device;
        unsigned char *base;
        uint64_t begin; /* the slice it begins at */
        enum { at_work, complete, gone } state;
    };
    struct slice {
        int owner = nobody; /* the member that has taken it */
        bool done = false;  /* it is on the owner's device */
    };
    gathered_rows_key key;
    std::vector<slice> slices;
    std::vector<member> members;
    std::mutex lock;
    std::condition_variable changed;

    size_t bytes_of(uint64_t slice) const
    {
        const size_t begin = slice * key.slice_rows, rows = std::min(key.slice_rows, key.count - begin);
        return rows * key.row_bytes;
    }
    /* Nobody but `me` still needs rows. */
    bool all_complete(unsigned me) const
    {
        for (unsigned k = 0; k < members.size(); k++)
            if (k != me && members[k].state == member::at_work)
                return false;
        return true;
    }
    void give_up(unsigned me, bool even_done)
    {
        for (slice &one : slices)
            if (one.owner == static_cast<int>(me) && (even_done || !one.done))
                one = slice{};
        changed.notify_all();
    }

    static std::mutex &list_lock()
    {
        static std::mutex lock;
        return lock;
    }
    static std::vector<std::shared_ptr<shared>> &list()
    {
        static std::vector<std::shared_ptr<shared>> all;
        return all;
    }
};

gathering::gathering(const gathered_rows_key &key, const eb_context *context, unsigned char *base)
{
    const std::lock_guard<std::mutex> alone(shared::list_lock());
    for (const std::shared_ptr<shared> &other : shared::list())
        if (other->key == key)
            shared_ = other;
    const uint64_t slices = (key.count + key.slice_rows - 1) / key.slice_rows;
    if (!shared_) {
        shared_ = std::make_shared<shared>();
        shared_->key = key;
        shared_->slices.resize(slices);
        shared::list().push_back(shared_);
    }
    const std::lock_guard<std::mutex> here(shared_->lock);
    me_ = static_cast<unsigned>(shared_->members.size());
    shared_->members.push_back(
        {context->device->index, base, slices * context->team_member / context->team_members, shared::member::at_work});
}

gathering::~gathering()
{
    if (!left_)
        end();
}

uint64_t gathering::slices() const { return shared_->slices.size(); }

bool gathering::take(uint64_t task, uint64_t *slice)
{
    const std::lock_guard<std::mutex> alone(shared_->lock);
    *slice = (shared_->members[me_].begin + task) % shared_->slices.size();
    if (shared_->slices[*slice].owner != nobody)
        return false;
    shared_->slices[*slice].owner = static_cast<int>(me_);
    return true;
}

void gathering::uploaded()
{
    const std::lock_guard<std::mutex> alone(shared_->lock);
    for (shared::slice &one : shared_->slices)
        one.done = one.done || one.owner == static_cast<int>(me_);
    shared_->changed.notify_all();
}

eb_code gathering::bring_others(cudaStream_t stream, bool *all, eb_figures *figures, eb_status *status)
{
    shared &s = *shared_;
    std::unique_lock<std::mutex> here(s.lock);
    const shared::member mine = s.members[me_];
    *all = true;
    for (uint64_t k = brought_, next; k < s.slices.size(); k = next) {
        s.changed.wait(here, [&] { return s.slices[k].owner == nobody || s.slices[k].done; });
        next = k + 1;
        if (s.slices[k].owner == nobody) {
            *all = false;
            brought_ = k;
            break;
        }
        size_t bytes = s.bytes_of(k);
        for (; next < s.slices.size() && s.slices[next].done && s.slices[next].owner == s.slices[k].owner; next++)
            bytes += s.bytes_of(next); /* one copy for a run of slices */
        const shared::member from = s.members[static_cast<size_t>(s.slices[k].owner)];
        const size_t at = k * s.key.slice_rows * s.key.row_bytes;
        if (from.base == mine.base)
            continue;
        here.unlock();
        EB_TRY(copy_from_peer(mine.base + at, mine.device, from.base + at, from.device, bytes,
                              "copying points from another GPU", stream, status));
        if (from.device != mine.device)
            eb_figures_add(figures, &eb_figure_peer, static_cast<double>(bytes));
        here.lock();
    }
    here.unlock();
    EB_CUDA(cudaStreamSynchronize(stream), "copying points from another GPU");
    return EB_OK;
}

void gathering::leave() { end(); }

/* Slices that are not done are free for others at once. Waits for the members that still read the others. */
void gathering::end()
{
    left_ = true;
    {
        std::unique_lock<std::mutex> here(shared_->lock);
        shared_->members[me_].state = shared::member::complete;
        shared_->give_up(me_, false);
        shared_->changed.wait(here, [&] { return shared_->all_complete(me_); });
        shared_->members[me_].state = shared::member::gone;
        shared_->give_up(me_, true);
    }
    const std::lock_guard<std::mutex> alone(shared::list_lock());
    const std::lock_guard<std::mutex> here(shared_->lock);
    for (const shared::member &m : shared_->members)
        if (m.state != shared::member::gone)
            return;
    auto &all = shared::list();
    all.erase(std::remove(all.begin(), all.end(), shared_), all.end());
}

} // namespace eb
