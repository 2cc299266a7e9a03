#include "kernels/fasted/cpu/rung.h"

eb_rung eb_fasted_rung(const eb_options *options)
{
    eb_rung rung = {.number = EB_F16_NUMBER,
                    .parts = 1,
                    .centred = eb_option_choice(options, "centre") == 1,
                    .exponent = (eb_exponent)eb_option_choice(options, "exponent"),
                    .norms = (eb_fasted_norms)eb_option_choice(options, "norms")};
    const eb_core core = eb_option_choice(options, "tensor") == 0 ? EB_CORE_SM80 : EB_CORE_SM90;
    (void)eb_adder_of(rung.number, EB_SUMS_F32, EB_PATH_AUTO, core, &rung.adder, NULL); /* every core has FP16 */
    return rung;
}
