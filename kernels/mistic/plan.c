/* plan: describes mistic's kernel to the machine model (core/model/kernel.h). */
#include "kernels/indexed/plan.h"
#include "core/engine/decide.h"

/* Registers by ptxas of CUDA 13.0. */
enum { F32_80 = 86, F32_90 = 91, F64 = 128 };

eb_code eb_mistic_plan(const eb_options *, size_t, size_t, const eb_machine *, eb_kernel_plan *, eb_status *);

eb_code eb_mistic_plan(const eb_options *options, size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out,
                       eb_status *status)
{
    const bool single = eb_options_single(options);
    const unsigned registers = !single ? F64 : machine->compute >= 9 ? F32_90 : F32_80;
    if (eb_option_choice(options, "threads") > 0)
        return eb_fail(
            status, EB_NO_ENGINE,
            "the model describes mistic with threads=shared only, where a warp's points share what it reads");
    EB_TRY(eb_plan_differences(single, registers, n, d, machine, out, status));
    if (eb_option_on(options, "unidirectional"))
        out->candidates = (double)n / 2;
    return EB_OK;
}
