/* pairs: the pairs that launches found, kept on the device between them; and pairs of which a kernel was not sure, with
 * the stage that decides them by the truth.
 */
#pragma once

#include "kernels/device/gpu.cuh"
#include "kernels/parts/hits.cuh"
#include "kernels/tiled/truth.cuh"

namespace eb {

template <class squared_type> class pair_store {
  public:
    /* Room for at least this many pairs; forgets what is there. limit: most bytes it may ever take, for fewer pairs if
     * need be; 0: none. */
    eb_code prepare(uint64_t capacity, uint64_t limit_bytes, cudaStream_t stream, eb_status *status);
    hit_buffer<squared_type> buffer() const { return {found_.get(), capacity_, pair_.get(), squared_.get()}; }
    uint64_t held() const { return held_; }
    uint64_t capacity() const { return capacity_; }

    /* Room to begin with for a join of `rows` rows, within the limit: S = 64 fits without growing. */
    static uint64_t first_room(size_t rows) { return rows * 64 + (uint64_t{1} << 20); }

    /* The device's counter: more than the capacity when a launch found more than there was room for. */
    eb_code counted(uint64_t *found, cudaStream_t stream, eb_status *status);

    /* After a launch that found so many, earlier ones included: they are kept; or forgotten, the earlier ones kept. */
    void keep(uint64_t found) { held_ = found; }
    eb_code forget(cudaStream_t stream, eb_status *status);

    /* Room for so many in all, those held kept, and for some ahead as far as the limit goes. EB_NO_MEMORY beyond the
     * limit, and on a full device. */
    eb_code grow(uint64_t needed, uint64_t ahead, cudaStream_t stream, eb_status *status);
    eb_code clear(cudaStream_t stream, eb_status *status);

  private:
    device_array<uint2> pair_;
    device_array<squared_type> squared_;
    device_array<unsigned long long> found_;
    unsigned long long found_host_ = 0; /* not pinned: to pin 8 bytes takes a millisecond */
    uint64_t capacity_ = 0, held_ = 0, limit_bytes_ = 0;

    eb_code make_room(uint64_t capacity, eb_status *status);
};

/* After a launch, for both lists together: fits when both had room, and both keep what came; else both forget, and what
 * was too small has grown. `unsure` may be NULL. */
template <class squared_type>
eb_code settle_pairs(pair_store<squared_type> &hits, pair_store<squared_type> *unsure, bool *fits, cudaStream_t stream,
                     eb_status *status);

/* Pairs that are decided at once, so that their s take little room. */
constexpr uint64_t decided_at_once = uint64_t{1} << 22;

/* Decides the pairs held in `unsure` by the truth (truth.cuh: s ≤ threshold), adds those within to `hits`, which has
 * grown before where it had to, and empties `unsure`. */
template <class squared_type>
eb_code decide_pairs(pair_store<squared_type> &unsure, const stored_points &a, const stored_points &b, double threshold,
                     pair_store<squared_type> &hits, cudaStream_t stream, eb_status *status);

} // namespace eb
