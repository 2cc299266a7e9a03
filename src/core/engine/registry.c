/* Looking up an engine by its name: apart from engine.c, so that who only says what an engine is needs no registry. */
#include "core/engine/engine.h"

#include "core/base/lookup.h"

static const char *name_at(const void *context, size_t index)
{
    (void)context;
    return eb_engine_at(index)->name;
}

eb_code eb_engine_find(const char *name, size_t length, const eb_engine **out, eb_status *status)
{
    eb_names names = {"engine", eb_engine_count(), name_at, NULL};
    eb_status why;
    size_t index;
    if (eb_lookup(&names, name, length, &index, &why))
        return eb_fail(status, EB_NO_ENGINE, "%s", why.message);
    *out = eb_engine_at(index);
    return EB_OK;
}
