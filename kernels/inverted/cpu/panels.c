#include "kernels/inverted/cpu/panels.h"

#include <math.h>
#include <stdlib.h>

eb_code eb_panels_make(size_t k, size_t d, eb_panels *out, eb_status *status)
{
    const size_t bytes = eb_panels_count(k) * EB_PANEL * d * sizeof(float);
    *out = (eb_panels){k, d, malloc(bytes)};
    return out->value ? EB_OK : eb_fail_memory(status, "centroids side by side", bytes);
}

void eb_panels_fill(eb_panels *panels, const float *vectors)
{
    const size_t places = eb_panels_count(panels->k) * EB_PANEL, d = panels->d;
    for (size_t c = 0; c < places; c++)
        for (size_t t = 0; t < d; t++)
            panels->value[(c / EB_PANEL * d + t) * EB_PANEL + c % EB_PANEL] =
                c < panels->k ? vectors[c * d + t] : INFINITY;
}

void eb_panels_free(eb_panels *panels)
{
    free(panels->value);
    *panels = (eb_panels){0};
}
