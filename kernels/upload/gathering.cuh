/* gathering: the members of a team upload the same rows together. Each slice of rows travels over one link only, to the
 * member that takes it first, and from there to the others over NVLink.
 *
 *   enter ─▶ take slices, upload them ─▶ uploaded() ─▶ bring_others() ─▶ leave()
 *
 * A member enters when it needs the rows. One that comes alone uploads all of them, and nobody waits for who has not
 * come: members that are there at the same time share what is left. A member leaves when all that are there have their
 * rows, so its memory may change afterwards. If an upload fails, its slices are free again.
 */
#pragma once

#include <memory>

#include "kernels/device/gpu.cuh"

namespace eb {

/* Which rows, as stored or as which numbers; equal for all members. */
struct gathered_rows_key {
    const void *team, *rows;
    size_t stride, first, count, d, row_bytes; /* row_bytes: on the device */
    size_t slice_rows;
    bool operator==(const gathered_rows_key &other) const;
};

class gathering {
  public:
    /* base: where this member's rows go on its device. */
    gathering(const gathered_rows_key &key, const eb_context *context, unsigned char *base);
    gathering(const gathering &) = delete;
    gathering &operator=(const gathering &) = delete;
    ~gathering(); /* leaves */

    uint64_t slices() const;

    /* The slice of a task, where members begin at different places; false: another member has taken it. Any thread. */
    bool take(uint64_t task, uint64_t *slice);

    /* This member's slices are complete on its device. */
    void uploaded();

    /* Copies the other members' slices as they become complete. *all false: an upload failed, and its slices must be
     * taken again. */
    eb_code bring_others(cudaStream_t stream, bool *all, eb_figures *figures, eb_status *status);

    void leave();

  private:
    struct shared;
    std::shared_ptr<shared> shared_;
    unsigned me_ = 0;
    bool left_ = false;
    uint64_t brought_ = 0; /* slices before this one are here */
    void end();
};

} // namespace eb
