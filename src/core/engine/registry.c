/* Looking up an engine by its name: apart from engine.c, so that who only says what an engine is needs no registry. */
#include "core/engine/engine.h"

#include <string.h>

#include "core/base/lookup.h"

static const char *name_at(const void *context, size_t index)
{
    (void)context;
    return eb_engine_at(index)->name;
}

/* NULL: none was called so. Whole names only: prefixes are for those that are offered. */
static const eb_engine *called_formerly(const char *name, size_t length)
{
    for (size_t k = 0; k < eb_engine_count(); k++) {
        const eb_engine *engine = eb_engine_at(k);
        if (engine->formerly && strlen(engine->formerly) == length && memcmp(engine->formerly, name, length) == 0)
            return engine;
    }
    return NULL;
}

eb_code eb_engine_find(const char *name, size_t length, const eb_engine **out, eb_status *status)
{
    eb_names names = {"engine", eb_engine_count(), name_at, NULL};
    eb_status why;
    size_t index;
    const eb_engine *then = called_formerly(name, length);
    if (!then && eb_lookup(&names, name, length, &index, &why))
        return eb_fail(status, EB_NO_ENGINE, "%s", why.message);
    *out = then ? then : eb_engine_at(index);
    return EB_OK;
}
