#include "kernels/upload/arriving.cuh"

#include "kernels/upload/upload.cuh"

extern "C" {
#include "core/base/clock.h"
#include "core/base/thread.h"
}

namespace eb {

namespace {

constexpr const char *arriving = "uploading points";
constexpr eb_figure hidden_time = {"hidden_upload_s", "upload beside other work", EB_SECONDS, EB_FIGURE_FACT, 0};

} // namespace

void *arriving_rows::copy(void *self)
{
    arriving_rows &mine = *static_cast<arriving_rows *>(self);
    mine.failed_ = guarded(&mine.failure_, [&]() -> eb_code {
        eb_status *const status = &mine.failure_;
        EB_CUDA(cudaSetDevice(mine.context_.device->index), "choosing the GPU");
        return upload_rows(mine.ds_, 0, mine.ds_->n, mine.to_, nullptr, &mine.context_, &mine.marks_, status);
    });
    mine.ended_s_ = eb_now_s();
    mine.marks_.end();
    return nullptr;
}

eb_code arriving_rows::start(const eb_dataset *ds, unsigned char *to, const eb_context *context, eb_status *status)
{
    ds_ = ds;
    to_ = to;
    context_ = *context;
    context_.figures = nullptr;
    context_.team = nullptr;
    figures_ = context->figures;
    waited_s_ = 0;
    EB_TRY(marks_.begin(0, 1, status)); /* forgets that an earlier upload ended */
    began_s_ = eb_now_s();
    EB_CUDA(cudaStreamSynchronize(cudaStreamLegacy), arriving); /* the memory is taken in that stream's order */
    started_ = eb_thread_start(&thread_, copy, this) == 0;
    return started_ ? EB_OK : eb_fail(status, EB_NO_MEMORY, "the system refuses a thread that uploads points");
}

eb_code arriving_rows::wait(size_t least, size_t *there, eb_status *status)
{
    const double start_s = eb_now_s();
    EB_TRY(marks_.wait(least, there, status));
    const double waited_s = eb_now_s() - start_s;
    eb_figures_add(figures_, &eb_figure_upload, waited_s);
    waited_s_ += waited_s;
    if (*there >= least)
        return EB_OK;
    (void)pthread_join(thread_, nullptr);
    started_ = false;
    return eb_fail(status, failed_, "%s", failure_.message);
}

void arriving_rows::stop()
{
    if (!started_)
        return;
    (void)pthread_join(thread_, nullptr);
    started_ = false;
    const double hidden_s = ended_s_ - began_s_ - waited_s_;
    eb_figures_add(figures_, &hidden_time, hidden_s > 0 ? hidden_s : 0);
}

} // namespace eb
