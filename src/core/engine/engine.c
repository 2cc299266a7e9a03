#include "core/engine/engine.h"

const char *eb_exactness_name(eb_exactness exactness)
{
    static const char *const names[] =
        {[EB_TRUTH] = "truth", [EB_CERTIFIED] = "certified", [EB_APPROXIMATE] = "approximate"};
    return names[exactness];
}
