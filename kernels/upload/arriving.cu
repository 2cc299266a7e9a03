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

/* Every part is on all GPUs before the next one begins. */
eb_code arriving_rows::copy_parts(eb_status *status)
{
    const size_t row_bytes = ds_->d * eb_dtype_size(ds_->dtype), n = ds_->n;
    cudaStream_t stream = nullptr; /* kernels wait for the default one */
    EB_TRY(marks_.begin(n, part_, status));
    EB_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), arriving);
    eb_code failed = EB_OK;
    for (size_t first = 0; first < n && !failed; first += part_) {
        const size_t count = n - first < part_ ? n - first : part_;
        failed = upload_rows(ds_, first, count, to_ + first * row_bytes, stream, &context_, nullptr, status);
        failed = failed ? failed : marks_.mark(first / part_, stream, status);
    }
    (void)cudaStreamDestroy(stream);
    return failed;
}

void *arriving_rows::copy(void *self)
{
    arriving_rows &mine = *static_cast<arriving_rows *>(self);
    mine.failed_ = guarded(&mine.failure_, [&]() -> eb_code {
        eb_status *const status = &mine.failure_;
        EB_CUDA(cudaSetDevice(mine.context_.device->index), "choosing the GPU");
        return mine.context_.team
                   ? mine.copy_parts(status)
                   : upload_rows(mine.ds_, 0, mine.ds_->n, mine.to_, nullptr, &mine.context_, &mine.marks_, status);
    });
    mine.ended_s_ = eb_now_s();
    mine.marks_.end();
    return nullptr;
}

eb_code arriving_rows::start(const eb_dataset *ds, unsigned char *to, size_t part, const eb_context *context,
                             eb_status *status)
{
    ds_ = ds;
    to_ = to;
    part_ = part;
    context_ = *context;
    context_.figures = nullptr;
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
