/* pace: keeps the copying threads of all clusters in step (switch in-step), so that L2 still has a slice of a panel
 * that one cluster has copied when the others copy it.
 *
 * Each cluster counts the steps of `slices` slices that it begins. Before a step it waits until all clusters have begun
 * the step before: then all copy from a few slices of their panels. Long rows alone gain (thresholds.h): of 100,000 ×
 * 4096 a quarter as many bytes come from DRAM, and the power that this takes goes into the clock (tests/bench/gpu.md).
 *
 * Nothing depends on it but time. A cluster stops waiting for the rest of the launch once it has waited for long,
 * because the others need not be resident: another kernel may hold their SMs.
 */
#pragma once

#include <cstdint>

namespace eb {

class pacer {
  public:
    static constexpr uint32_t steps = 16; /* counted apart */
    static constexpr uint32_t counters = steps + 1;

    /* begun: [counters] {clusters that have begun step 0, 16, 32 …; step 1, 17, … ; …; clusters that are done}, 0
     * between launches; nullptr: nobody waits. */
    __device__ pacer(uint32_t *begun, uint32_t clusters) : begun_(begun), clusters_(clusters) {}

    /* Call before each slice. */
    __device__ __forceinline__ void slice()
    {
        if (!begun_)
            return;
        if (left_ == 0) {
            begin_step();
            left_ = slices;
        }
        left_--;
    }

    /* Call for a run without tiles: it takes as many steps as a tile, so that all clusters copy the same slices of
     * their panels. */
    __device__ __forceinline__ void pass(uint32_t of)
    {
        for (uint32_t k = 0; begun_ && k < of; k++)
            slice();
    }

    /* Call once at the end. */
    __device__ __forceinline__ void leave()
    {
        constexpr uint32_t never_behind = 1u << 24; /* a launch has fewer steps */
        if (!begun_)
            return;
        for (uint32_t s = 0; s < steps; s++)
            atomicAdd(begun_ + s, never_behind);
        __threadfence();
        if (atomicInc(begun_ + steps, clusters_ - 1) == clusters_ - 1)
            for (uint32_t s = 0; s < steps; s++)
                begun_[s] = 0;
    }

  private:
    static constexpr uint32_t slices = 8;
    static constexpr int most_tries = 256; /* of some 0.7 µs */

    __device__ __forceinline__ void begin_step()
    {
        asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(begun_ + step_ % steps) : "memory");
        if (step_ > 0)
            await(step_ - 1);
        step_++;
    }

    __device__ __forceinline__ void await(uint32_t step)
    {
        const uint32_t *counter = begun_ + step % steps, wanted = clusters_ * (step / steps + 1);
        for (int tries = 0; waits_; tries++) {
            uint32_t found;
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(found) : "l"(counter) : "memory");
            if (static_cast<int32_t>(found - wanted) >= 0)
                return;
            waits_ = tries < most_tries;
        }
    }

    uint32_t *begun_;
    uint32_t clusters_, step_ = 0, left_ = 0;
    bool waits_ = true;
};

} // namespace eb
