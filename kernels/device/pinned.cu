#include "kernels/device/pinned.cuh"

#include <mutex>
#include <vector>

extern "C" {
#include "core/base/pages.h"
}

namespace eb {

namespace {

constexpr const char *making = "making pinned buffers";

struct lane_shelf {
    std::mutex lock;
    std::vector<pinned_lane *> free;
};

lane_shelf &shelf()
{
    static lane_shelf *shelf = new lane_shelf; /* never freed: the driver may be gone before static objects are */
    return *shelf;
}

pinned_lane *from_shelf(int device)
{
    const std::lock_guard<std::mutex> alone(shelf().lock);
    std::vector<pinned_lane *> &free = shelf().free;
    for (size_t k = free.size(); k-- > 0;)
        if (free[k]->device == device) {
            pinned_lane *lane = free[k];
            free.erase(free.begin() + static_cast<std::ptrdiff_t>(k));
            return lane;
        }
    return nullptr;
}

eb_code register_slots(pinned_lane &lane, eb_status *status)
{
    constexpr size_t bytes = pinned_slots * pinned_slot_bytes;
    void *pages = eb_pages_map(bytes);
    if (!pages)
        return eb_fail_memory(status, "a pinned buffer", bytes);
    eb_pages_populate(pages, bytes);
    const cudaError_t error = cudaHostRegister(pages, bytes, cudaHostRegisterDefault);
    if (error != cudaSuccess) {
        eb_pages_unmap(pages, bytes);
        (void)cudaGetLastError();
        return eb_fail(status, EB_NO_MEMORY, "the system refuses to pin %zu bytes for copies to and from the GPU: %s",
                       bytes, cudaGetErrorString(error));
    }
    for (size_t s = 0; s < pinned_slots; s++)
        lane.slot[s] = static_cast<unsigned char *>(pages) + s * pinned_slot_bytes;
    return EB_OK;
}

void dismantle(pinned_lane *lane)
{
    for (size_t s = 0; s < pinned_slots; s++)
        if (lane->used[s])
            (void)cudaEventDestroy(lane->used[s]);
    if (lane->stream)
        (void)cudaStreamDestroy(lane->stream);
    if (lane->slot[0]) {
        (void)cudaHostUnregister(lane->slot[0]);
        eb_pages_unmap(lane->slot[0], pinned_slots * pinned_slot_bytes);
    }
    delete lane;
}

eb_code make_lane(pinned_lane &lane, eb_status *status)
{
    EB_CUDA(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking), making);
    for (size_t s = 0; s < pinned_slots; s++)
        EB_CUDA(cudaEventCreateWithFlags(&lane.used[s], cudaEventDisableTiming), making);
    return register_slots(lane, status);
}

} // namespace

eb_code borrowed_lane::borrow(eb_status *status)
{
    int device = 0;
    if (lane_)
        return EB_OK;
    EB_CUDA(cudaGetDevice(&device), making);
    lane_ = from_shelf(device);
    if (lane_)
        return EB_OK;
    pinned_lane *lane = new pinned_lane;
    lane->device = device;
    const eb_code failed = make_lane(*lane, status);
    if (failed)
        dismantle(lane);
    else
        lane_ = lane;
    return failed;
}

borrowed_lane::~borrowed_lane()
{
    if (!lane_)
        return;
    (void)cudaStreamSynchronize(lane_->stream);
    const std::lock_guard<std::mutex> alone(shelf().lock);
    shelf().free.push_back(lane_);
}

} // namespace eb
