#include "core/join/distances.h"

#include "core/base/lookup.h"

static const char *const names[] =
    {[EB_DISTANCES_NONE] = "none", [EB_DISTANCES_F64] = "f64", [EB_DISTANCES_F32] = "f32"};

const char *eb_distances_name(eb_distances kept) { return names[kept]; }

eb_distances eb_distances_find(const char *name)
{
    return (eb_distances)eb_index_of_name(names, sizeof names / sizeof names[0], name, EB_DISTANCES_F64);
}

eb_code eb_distances_check(eb_distances kept, const eb_engine *engine, eb_status *status)
{
    if (kept != EB_DISTANCES_F32 || engine->f32_distances)
        return EB_OK;
    return eb_fail(
        status, EB_USAGE,
        "%s computes distances in FP64, and keeping them in FP32 would round them: distances must be none or "
        "f64; found f32",
        engine->name);
}
