/* What the driver says of fasted's kernels, to hold the machine model's word against. */
#include "kernels/fasted/chosen.cuh"

namespace {

const eb::fasted_variant *find(uint32_t switches)
{
    const eb::fasted_variant *v = eb::find_fasted_hopper(switches, eb::output::hits);
    v = v ? v : eb::find_fasted_best(switches, eb::output::hits);
    return v ? v : eb::find_fasted_paper(switches, eb::output::hits);
}

} // namespace

/* Of the kernel that appends hits, on the current device: registers of a thread, bytes of shared memory with what is
 * static, workers that the device holds. EB_NO_ENGINE: none is compiled. */
extern "C" eb_code test_kernel_facts(uint32_t switches, unsigned sms, unsigned *registers, unsigned *shared_bytes,
                                     unsigned *workers, eb_status *status)
{
    const eb::fasted_variant *v = find(switches);
    if (!v)
        return eb_fail(status, EB_NO_ENGINE, "no kernel is compiled for %#x", switches);
    cudaFuncAttributes facts;
    EB_CUDA(cudaFuncGetAttributes(&facts, v->kernel), "asking for a kernel's attributes");
    *registers = static_cast<unsigned>(facts.numRegs);
    *shared_bytes = static_cast<unsigned>(facts.sharedSizeBytes) + static_cast<unsigned>(v->shared_bytes);
    const eb::tile_variant<eb::fasted_arguments> tiles = {v->kernel,  v->rows,      v->threads, v->shared_bytes,
                                                          v->squares, v->symmetric, true,       v->cluster,
                                                          v->columns, v->resident,  v->bands};
    return eb::most_workers(tiles, sms, workers, status);
}
