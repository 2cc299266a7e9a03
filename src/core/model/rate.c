#include "core/model/rate.h"

#include <math.h>

#include "core/model/predict.h"

/* Tiles replayed: some hundred for each worker. DRAM's share of the bytes is then that of a long run, or less where
 * workers with fixed shares drift apart; what DRAM costs the clock is then too little, at worst 10 % of the rate. */
enum { REPLAYED_TILES = 1 << 14 };

/* Ends the plan after its first tiles. Its time remains that of all tiles. */
static void shorten(eb_kernel_plan *plan)
{
    const double tiles = eb_tiles_inside(plan), runs = ceil((double)plan->numbers * REPLAYED_TILES / tiles);
    if (tiles > REPLAYED_TILES)
        plan->numbers = (uint64_t)runs;
}

static eb_code predict_rate(const eb_engine *engine, const eb_options *options, size_t n, size_t d, double selectivity,
                            const eb_machine *machine, double *derived_flops, eb_status *status)
{
    eb_kernel_plan plan;
    eb_prediction prediction;
    if (!engine->plan)
        return eb_fail(status, EB_NO_ENGINE, "the model does not know the kernels of %s", engine->name);
    EB_TRY(engine->plan(options, n, d, machine, &plan, status));
    plan.selectivity = selectivity;
    shorten(&plan);
    EB_TRY(eb_predict(&plan, machine, 0, NULL, &prediction, status));
    *derived_flops = prediction.derived_flops / prediction.kernel_s;
    return EB_OK;
}

eb_code eb_model_rate(const eb_engine *engine, const eb_options *options, size_t n, size_t d, double selectivity,
                      const eb_machine *machine, double *derived_flops, eb_status *status)
{
    *derived_flops = NAN;
    const eb_code failed = predict_rate(engine, options, n, d, selectivity, machine, derived_flops, status);
    return failed == EB_NO_ENGINE || failed == EB_NO_DEVICE ? EB_OK : failed;
}
