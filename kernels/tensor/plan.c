/* plan: describes to the machine model (core/model/kernel.h) a kernel that multiplies in a rung's number type: FASTED's
 * tiles (kernels/fasted/kernel_plan.h), in FP64 those of ted. Its tests are taken to
 * cost what FASTED's do; the registers of these kernels and the halves of promoted tiles are not modelled, so that the
 * plan says `compiled` of none. */
#include "kernels/ted/plan.h"
#include "core/engine/engine.h"
#include "kernels/fasted/kernel_plan.h"
#include "kernels/tensor/rung.h"

static bool by_warpgroups(const eb_options *options, const eb_machine *machine)
{
    return eb_option_choice(options, "path") != EB_PATH_MMA && machine->wgmma[eb_rate_of(eb_rung_number(options))] > 0;
}

static eb_code check_machine(const eb_options *options, const eb_machine *machine, eb_status *status)
{
    const eb_number number = eb_rung_number(options);
    if (!(machine->mma[eb_rate_of(number)] > 0))
        return eb_fail(status, EB_NO_ENGINE, "%s has no tensor cores for %s%s", machine->title,
                       eb_number_type_of(number)->title,
                       eb_rate_of(number) == EB_RATE_FP8 ? ", which need compute capability 8.9 (L40, H100)" : "");
    if (eb_option_choice(options, "path") == EB_PATH_WGMMA && !eb_machine_has_wgmma(machine))
        return eb_fail(status, EB_NO_ENGINE, "%s has no wgmma, which only compute capability 9.0 has; take path=auto",
                       machine->title);
    return EB_OK;
}

/* Plain S8 has the kernels of engine exact's way integers (cuda/rules.cuh). */
static bool is_bytes(const eb_rung *rung)
{
    return rung->number == EB_S8 && rung->parts == 1 && !rung->debiased && !rung->step_a_point;
}

/* Products of numbers for a product of coordinates: those of the smallest parts are left out (cpu/chain.c). */
static unsigned products_of(unsigned parts) { return parts * (parts + 1) / 2; }

eb_code eb_tensor_plan(const eb_options *, size_t, size_t, const eb_machine *, eb_kernel_plan *, eb_status *);

eb_code eb_tensor_plan(const eb_options *options, size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out,
                       eb_status *status)
{
    eb_rung rung;
    EB_TRY(check_machine(options, machine, status));
    EB_TRY(eb_rung_on(options, eb_core_of_architecture((int)(10 * machine->compute + 0.5)), &rung, status));
    if (rung.number == EB_F64_NUMBER) {
        EB_TRY(eb_plan_f64_tiles(n, d, machine, out, status));
        out->compiled = false;
        return EB_OK;
    }
    const bool bytes = is_bytes(&rung), ordered = rung.parts == 1 && !rung.step_a_point; /* cuda/rules.cuh */
    const uint32_t of_warpgroup = EB_OF_WARPGROUP, four = EB_FOUR_GROUPS, sorted = EB_SORTED_NORMS;
    uint32_t set = EB_PRESET_BEST & ~(by_warpgroups(options, machine) ? 0 : of_warpgroup);
    set &= ~(bytes ? 0 : four) & ~(ordered ? 0 : sorted);
    const eb_arithmetic arithmetic = {.number = rung.number,
                                      .parts = rung.parts,
                                      .products = products_of(rung.parts),
                                      .promote = rung.promote,
                                      .all_depths = bytes};
    return eb_plan_tiles(set, &arithmetic, n, d, machine, out, status);
}
