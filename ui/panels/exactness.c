#include "ui/panels/exactness.h"

#include <stdio.h>
#include <string.h>

#include "core/engine/engine.h"

int eb_put_exactness(eb_canvas *canvas, eb_rect row, int x, size_t count, const char *const *specs, const char *between)
{
    char text[160] = "";
    for (size_t k = 0; k < count; k++) {
        const eb_engine *engine;
        size_t used = strlen(text);
        if (eb_engine_find(specs[k], strcspn(specs[k], "["), &engine, NULL))
            return 0;
        (void)snprintf(text + used, sizeof text - used, "%s%s", k > 0 ? between : "  ",
                       eb_exactness_name(engine->exactness));
    }
    if (x + (int)strlen(text) > row.x + row.width)
        return 0;
    return eb_put(canvas, row, x, row.y, EB_ROLE_DIM, text);
}
