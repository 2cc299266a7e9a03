/* engine: the registry of engines, lookup by name, and what engines have in common that round points. */
#include "core/engine/engine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/lookup.h"

static struct {
    const eb_engine *const *engine;
    size_t count;
} registry;

void eb_registry_set(const eb_engine *const *engines, size_t count)
{
    registry.engine = engines;
    registry.count = count;
}

size_t eb_engine_count(void) { return registry.count; }

const eb_engine *eb_engine_at(size_t index) { return registry.engine[index]; }

static const char *name_at(const void *context, size_t index)
{
    (void)context;
    return eb_engine_at(index)->name;
}

static bool rounds_anew(size_t engine)
{
    const eb_rounding *rounding = registry.engine[engine]->rounding;
    for (size_t k = 0; k < engine; k++)
        if (registry.engine[k]->rounding == rounding)
            return false;
    return rounding != NULL;
}

const eb_engine *eb_rounding_engine(size_t index)
{
    for (size_t k = 0; k < registry.count; k++)
        if (rounds_anew(k) && index-- == 0)
            return registry.engine[k];
    return NULL;
}

eb_code eb_engine_find(const char *name, size_t length, const eb_engine **out, eb_status *status)
{
    eb_names names = {"engine", eb_engine_count(), name_at, NULL, NULL};
    eb_status why;
    size_t index;
    if (eb_lookup(&names, name, length, &index, &why))
        return eb_fail(status, EB_NO_ENGINE, "%s", why.message);
    *out = eb_engine_at(index);
    return EB_OK;
}

const char *eb_published_why_of(const eb_engine *engine, const char *option)
{
    for (const eb_published_why *why = engine->published_why; why && why->option; why++)
        if (strcmp(why->option, option) == 0)
            return why->why;
    return NULL;
}

const char *eb_exactness_name(eb_exactness exactness)
{
    static const char *const names[] =
        {[EB_TRUTH] = "truth", [EB_CERTIFIED] = "certified", [EB_APPROXIMATE] = "approximate"};
    return names[exactness];
}

/* ---- engines that round points: how far they move them, and what they refuse ---- */

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
