/* plan: describes gds's kernel to the machine model (core/model/kernel.h). */
#include "kernels/indexed/plan.h"
#include "core/engine/decide.h"

/* Registers by ptxas of CUDA 13.0. */
enum { F32_80 = 62, F32_90 = 64, F64 = 80 };

eb_code eb_gds_plan(const eb_options *, size_t, size_t, const eb_machine *, eb_kernel_plan *, eb_status *);

eb_code eb_gds_plan(const eb_options *options, size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out,
                    eb_status *status)
{
    const bool single = eb_options_single(options);
    const unsigned registers = !single ? F64 : machine->compute >= 9 ? F32_90 : F32_80;
    EB_TRY(eb_plan_differences(single, registers, n, d, machine, out, status));
    if (eb_option_on(options, "unidirectional"))
        out->candidates = (double)n / 2;
    return EB_OK;
}
