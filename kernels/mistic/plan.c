/* plan: describes mistic's kernel to the machine model (core/model/kernel.h). */
#include "kernels/indexed/plan.h"
#include "core/engine/decide.h"

/* Registers by ptxas of CUDA 13.0; THREADS_*: of lanes that share a query, the more of sm_80 and sm_90. */
enum { F32_80 = 86, F32_90 = 91, F64 = 128, THREADS_F32 = 54, THREADS_F64 = 62 };

eb_code eb_mistic_plan(const eb_options *, size_t, size_t, const eb_machine *, eb_kernel_plan *, eb_status *);

eb_code eb_mistic_plan(const eb_options *options, size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out,
                       eb_status *status)
{
    const bool single = eb_options_single(options);
    const unsigned registers = !single ? F64 : machine->compute >= 9 ? F32_90 : F32_80;
    const size_t threads = eb_option_choice(options, "threads"); /* 0: shared; 1, 2, 3 …: 1, 2, 4 … */
    EB_TRY(eb_plan_differences(single, registers, n, d, machine, out, status));
    if (threads > 0) {
        eb_plan_by_threads(1u << (threads - 1), single ? THREADS_F32 : THREADS_F64, out);
        out->unmeasured = single || (threads != 1 && threads != 4) ? "threads= other than 1 and 8, or in FP32" : NULL;
    }
    if (eb_option_on(options, "unidirectional"))
        out->candidates = (double)n / 2;
    return EB_OK;
}
