/* plan: describes the products of the FP16 filter, which FASTED's best kernels compute, to the machine model
 * (core/model/kernel.h). */
#include "core/engine/engine.h"
#include "kernels/fasted/kernel_plan.h"
#include "kernels/fasted/switches.h"

eb_code eb_certified_plan(const eb_options *, size_t, size_t, const eb_machine *, eb_kernel_plan *, eb_status *);

eb_code eb_certified_plan(const eb_options *options, size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out,
                          eb_status *status)
{
    (void)options;
    EB_TRY(eb_plan_fasted((uint32_t)EB_PRESET_BEST, n, d, machine, out, status));
    out->filters = true;
    out->assumes = "all tiles are multiplied; clusters let some be left out";
    return EB_OK;
}
