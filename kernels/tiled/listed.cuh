/* listed: uploads a schedule's list (core/engine/schedule.h) as tiles of a kernel. */
#pragma once

#include <vector>

#include "kernels/device/gpu.cuh"

namespace eb {

/* The tiles of a list that belong to a pair of blocks, on the device, numbered from the blocks' first tiles. */
class listed_tiles {
  public:
    ~listed_tiles() { eb_tile_list_free(&all_); }
    void forget()
    {
        eb_tile_list_free(&all_);
        side_ = 0;
    }

    /* Selects the tiles of rows [a, a + rows) and columns [b, b + columns). All bounds but the ends are multiples of
     * `side`. Neighbouring tiles become runs of up to `chunk` tiles (run_at); chunk 0: no runs. */
    eb_code place(const eb_schedule &schedule, const eb_order *order, size_t side, size_t a, size_t rows, size_t b,
                  size_t columns, unsigned chunk, cudaStream_t stream, eb_status *status);
    const uint2 *get() const { return on_device_.get(); }
    uint64_t count() const { return here_.size(); }
    uint64_t tiles() const { return tiles_; }

  private:
    size_t side_ = 0; /* side of the tiles in all_; 0: all_ is empty */
    eb_tile_list all_{};
    uint64_t tiles_ = 0;
    std::vector<uint2> here_;
    device_array<uint2> on_device_;
};

} // namespace eb
