/* candidate_counter: counts candidates and the dimensions summed for them in kernels, and reports them as figures. */
#pragma once

#include "kernels/device/gpu.cuh"

extern "C" {
#include "core/engine/figure.h"
}

namespace eb {

class candidate_counter {
  public:
    static constexpr size_t sums = 2; /* candidates; dimensions summed for all candidates */
    unsigned long long *on_device() const { return counted_.get(); }

    eb_code begin(cudaStream_t stream, eb_status *status)
    {
        kept_[0] = kept_[1] = 0;
        EB_TRY(counted_.reserve(sums, counting, status));
        return write(stream, status);
    }

    /* A launch that did not fit is repeated and counts once. */
    eb_code launched(bool fitted, cudaStream_t stream, eb_status *status)
    {
        return fitted ? read(stream, status) : write(stream, status);
    }

    /* pairs: the number of pairs that brute force would test. flops: per dimension. */
    eb_code report(eb_figures *figures, size_t n, double pairs, double flops, cudaStream_t stream, eb_status *status)
    {
        static const eb_figure a_point = {"candidates_a_point", "candidates a point", EB_PLAIN, EB_FIGURE_FACT, 0},
                               pruned = {"pruned_share", "pairs not looked at", EB_PERCENT, EB_FIGURE_FACT, 0},
                               depth = {"dimensions_looked_at", "dimensions a candidate", EB_PLAIN, EB_FIGURE_FACT, 0};
        EB_TRY(read(stream, status));
        const double candidates = static_cast<double>(kept_[0]), looked = static_cast<double>(kept_[1]);
        eb_figures_set(figures, &a_point, candidates / static_cast<double>(n));
        eb_figures_set(figures, &pruned, 1 - candidates / pairs);
        eb_figures_set(figures, &depth, candidates > 0 ? looked / candidates : 0);
        eb_figures_add(figures, &eb_figure_executed_flops, flops * looked);
        return EB_OK;
    }

  private:
    static constexpr const char *counting = "counting candidates";

    eb_code read(cudaStream_t stream, eb_status *status)
    {
        EB_CUDA(cudaMemcpyAsync(kept_, counted_.get(), sizeof kept_, cudaMemcpyDeviceToHost, stream), counting);
        EB_CUDA(cudaStreamSynchronize(stream), counting);
        return EB_OK;
    }

    eb_code write(cudaStream_t stream, eb_status *status)
    {
        EB_CUDA(cudaMemcpyAsync(counted_.get(), kept_, sizeof kept_, cudaMemcpyHostToDevice, stream), counting);
        EB_CUDA(cudaStreamSynchronize(stream), counting);
        return EB_OK;
    }

    device_array<unsigned long long> counted_;
    unsigned long long kept_[sums] = {0, 0};
};

} // namespace eb
