/* rounds: engines that round points: how far they move them, and what they refuse. */
#include <math.h>
#include <stdio.h>

#include "core/engine/engine.h"

static eb_code add_set(const eb_rounding *rounding, const eb_dataset *ds, double far, unsigned threads, eb_job *job,
                       eb_rounded *out, eb_status *status)
{
    eb_rounded found;
    if (rounding->holds >> ds->dtype & 1)
        return EB_OK;
    EB_TRY(eb_rounding_find(rounding, ds, far, threads, job, &found, status));
    out->overflow += found.overflow;
    out->moved += found.moved;
    out->moved_most = fmax(out->moved_most, found.moved_most);
    return EB_OK;
}

eb_code eb_rounding_moves(const eb_rounding *rounding, const eb_problem *problem, double far, unsigned threads,
                          eb_job *job, eb_rounded *out, eb_status *status)
{
    *out = (eb_rounded){0};
    EB_TRY(add_set(rounding, problem->left, far, threads, job, out, status));
    return eb_is_self_join(problem) ? EB_OK : add_set(rounding, problem->right, far, threads, job, out, status);
}

eb_code eb_engine_moves(const eb_engine *engine, const eb_options *options, const eb_problem *problem, double far,
                        unsigned threads, eb_job *job, eb_rounded *out, eb_status *status)
{
    if (engine->moves)
        return engine->moves(options, problem, far, threads, job, out, status);
    if (engine->rounding)
        return eb_rounding_moves(engine->rounding, problem, far, threads, job, out, status);
    *out = (eb_rounded){0};
    return EB_OK;
}

#define MOST_PREPARED 0x1p500 /* squares of larger values exceed FP64's range, so that engines cannot scale them */

static const eb_engine *engine_of(const eb_rounding *rounding)
{
    for (size_t k = 0; k < eb_engine_count(); k++)
        if (eb_engine_at(k)->rounding == rounding)
            return eb_engine_at(k);
    return NULL;
}

eb_code eb_rounding_refuse(const eb_rounding *rounding, eb_device_kind kind, size_t row, size_t column, double value,
                           eb_status *status)
{
    const eb_engine *engine = engine_of(rounding);
    char advice[160] = "scale the points";
    if (engine && engine->fits && fabs(value) < MOST_PREPARED)
        (void)snprintf(advice, sizeof advice, "`set %s%s.%s` lets it scale the points",
                       kind == EB_DEVICE_CPU ? "" : "device=cpu ", engine->name, engine->fits);
    return eb_fail(status, EB_BAD_VALUE, "row %zu, column %zu: %.6g exceeds %s's largest finite value, %g; %s", row,
                   column, value, rounding->name, rounding->greatest, advice);
}
