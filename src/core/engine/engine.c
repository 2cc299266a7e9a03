/* engine: the registry of engines, and lookup by name. */
#include "core/engine/engine.h"

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
