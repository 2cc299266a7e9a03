/* plan: describes the kernels of byte products (cuda/kernels.cuh), FASTED's best with other numbers, to the machine
 * model (core/model/kernel.h). */
#include "kernels/fasted/plan.h"
#include "core/engine/engine.h"
#include "kernels/fasted/kernel_plan.h"
#include "kernels/fasted/thresholds.h"

/* Clocks of an SM for a tile of two groups beyond its slices, and for a pair found: fitted to kernels with and without
 * pairs (gpu.md, 2026-11-27). */
static const double tests = 745, pair = 60;

eb_code eb_integers_plan(const eb_options *, size_t, size_t, const eb_machine *, eb_kernel_plan *, eb_status *);

eb_code eb_integers_plan(const eb_options *options, size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out,
                         eb_status *status)
{
    static const eb_arithmetic bytes = {.number = EB_S8, .parts = 1, .products = 1, .all_depths = true};
    const uint32_t best = eb_fasted_switches_there((uint32_t)EB_PRESET_BEST, eb_machine_has_wgmma(machine));
    (void)options;
    EB_TRY(eb_plan_tiles(best, &bytes, n, d, machine, out, status));
    out->arrives = !eb_order_is_worth_waiting(out->point_bytes, n, out->warpgroups);
    if (!(out->variant & EB_FOUR_GROUPS)) {
        out->tile_clocks = tests;
        out->pair_clocks = pair;
    }
    out->assumes = "all coordinates are whole numbers that fit a byte; other points are refused";
    return EB_OK;
}
