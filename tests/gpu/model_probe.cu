/* model_probe: facts about fasted's kernels from the driver, to compare with the machine model. */
#include "kernels/fasted/cuda/kernel_choice.cuh"
#include "kernels/fasted/cuda/subsets.cuh"

namespace {

eb_code find(uint32_t switches, eb::fasted_variant *out, eb_status *status)
{
    const eb::fasted_variant *v = eb::find_fasted_hopper(switches, eb::output::hits, 4);
    v = v ? v : eb::find_fasted_best(switches, eb::output::hits);
    if (v) {
        *out = *v;
        return EB_OK;
    }
    int device = 0;
    if (!eb::is_fasted_subset(switches))
        return eb_fail(status, EB_NO_ENGINE, "there is no kernel for %#x", switches);
    EB_CUDA(cudaGetDevice(&device), "asking which GPU is used");
    const eb::fasted_asked asked = {switches, "a subset"};
    EB_TRY(eb::prepare_fasted_subsets({asked}, device, 1, nullptr, status));
    return eb::find_fasted_subset(asked, out, status);
}

} // namespace

/* Reports on the kernel that appends hits, on the current device: registers of a thread, bytes of shared memory
 * including static, number of workers resident on the device. EB_NO_ENGINE: no such kernel. */
extern "C" eb_code test_kernel_facts(uint32_t switches, unsigned sms, unsigned *registers, unsigned *shared_bytes,
                                     unsigned *workers, eb_status *status)
{
    eb::fasted_variant v{};
    EB_TRY(find(switches, &v, status));
    cudaFuncAttributes facts;
    EB_CUDA(cudaFuncGetAttributes(&facts, v.tiles.kernel.get()), "asking for a kernel's attributes");
    *registers = static_cast<unsigned>(facts.numRegs);
    *shared_bytes = static_cast<unsigned>(facts.sharedSizeBytes) + static_cast<unsigned>(v.tiles.shared_bytes);
    return eb::most_workers(v.tiles, sms, workers, status);
}
