/* arriving: copies a dataset's rows to the device in the background, in their order, so that kernels work on the first
 * rows while the last are on their way. The members of a team upload each part of the rows together (gathering.cuh). */
#pragma once

#include <pthread.h>

#include "kernels/upload/marks.cuh"

namespace eb {

/* All rows of a dataset, on their way to the device. */
class arriving_rows {
  public:
    arriving_rows() = default;
    arriving_rows(const arriving_rows &) = delete;
    arriving_rows &operator=(const arriving_rows &) = delete;
    ~arriving_rows() { stop(); }

    /* Starts to copy the rows, as stored and packed, to `to` on the current device. Dataset, context and `to` stay
     * until stop(). part: rows that a team uploads at a time. */
    eb_code start(const eb_dataset *ds, unsigned char *to, size_t part, const eb_context *context, eb_status *status);
    bool started() const { return started_; }

    /* Waits until the first `least` rows are there; the time counts as the upload's. *there: how many are. */
    eb_code wait(size_t least, size_t *there, eb_status *status);

    /* Waits for the end of all copies, and adds the time that they took beside other work to the figures. */
    void stop();

  private:
    static void *copy(void *self);
    eb_code copy_parts(eb_status *status);

    slice_marks marks_;
    const eb_dataset *ds_ = nullptr;
    unsigned char *to_ = nullptr;
    size_t part_ = 0;
    eb_context context_{}; /* without figures, which are not for several threads */
    eb_figures *figures_ = nullptr;
    pthread_t thread_{};
    bool started_ = false;
    double began_s_ = 0, waited_s_ = 0;
    /* the thread's, until it ended */
    double ended_s_ = 0;
    eb_code failed_ = EB_OK;
    eb_status failure_{};
};

} // namespace eb
