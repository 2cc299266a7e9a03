/* pinned: lanes that copy between the host's pageable memory and a device, one lane for each host thread that copies.
 *
 * The driver's own staging of pageable memory reaches a fraction of the link's rate. A thread with a lane fills one
 * slot while the other slot's copy is in flight: it waits for the slot's event, uses the slot, enqueues the copy on the
 * lane's stream and records the event again. Lanes are made once (pages populated, then registered, in a twentieth of
 * the time of cudaMallocHost) and reused until the process ends.
 */
#pragma once

#include "kernels/device/gpu.cuh"

namespace eb {

constexpr size_t pinned_slots = 2, pinned_slot_bytes = size_t{8} << 20;

struct pinned_lane {
    int device = 0;
    unsigned char *slot[pinned_slots] = {}; /* pinned_slot_bytes each, page-aligned */
    cudaEvent_t used[pinned_slots] = {}; /* recorded after a slot's last copy; an event never recorded counts as done */
    cudaStream_t stream = nullptr;       /* non-blocking: does not wait for other streams */
};

/* A borrowed lane. Its destructor waits for copies still in flight and returns the lane. */
class borrowed_lane {
  public:
    borrowed_lane() = default;
    borrowed_lane(const borrowed_lane &) = delete;
    borrowed_lane &operator=(const borrowed_lane &) = delete;
    ~borrowed_lane();

    /* Borrows a lane of the thread's current device (each thread sets its own). Later calls do nothing. */
    eb_code borrow(eb_status *status);
    pinned_lane &operator*() const { return *lane_; }
    pinned_lane *operator->() const { return lane_; }

  private:
    pinned_lane *lane_ = nullptr;
};

} // namespace eb
