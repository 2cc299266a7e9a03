/* pinned: lanes between the host's pageable memory and a device, one for each host thread that moves data.
 *
 * A copy between pageable memory and a device goes through the driver's own staging at a fraction of the link's rate. A
 * thread with a lane fills one slot while the other is on its way: it waits for the slot's event, uses the slot,
 * enqueues the copy on the lane's stream and records the event again. Lanes are made once (pages populated, then
 * registered, at a twentieth of what cudaMallocHost takes) and lent; those given back wait for the next borrower until
 * the process ends.
 */
#pragma once

#include "kernels/device/gpu.cuh"

namespace eb {

constexpr size_t pinned_slots = 2, pinned_slot_bytes = size_t{8} << 20;

struct pinned_lane {
    int device = 0;
    unsigned char *slot[pinned_slots] = {}; /* pinned_slot_bytes each, on whole pages */
    cudaEvent_t used[pinned_slots] = {};    /* recorded behind a slot's last copy; one never recorded counts as done */
    cudaStream_t stream = nullptr;          /* waits for no other stream of its own accord */
};

/* A lane on loan. What is still on its way when it is given back is waited for. */
class borrowed_lane {
  public:
    borrowed_lane() = default;
    borrowed_lane(const borrowed_lane &) = delete;
    borrowed_lane &operator=(const borrowed_lane &) = delete;
    ~borrowed_lane();

    /* One of the thread's current device (each thread sets its own); asked for again it is there already. */
    eb_code borrow(eb_status *status);
    pinned_lane &operator*() const { return *lane_; }
    pinned_lane *operator->() const { return lane_; }

  private:
    pinned_lane *lane_ = nullptr;
};

} // namespace eb
