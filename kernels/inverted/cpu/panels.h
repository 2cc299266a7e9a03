/* panels: k vectors of d coordinates as vectors of lanes want them: 16 side by side, coordinate by coordinate. Places
 * beyond k are infinitely far from everything.
 */
#ifndef EB_KERNELS_INVERTED_CPU_PANELS_H
#define EB_KERNELS_INVERTED_CPU_PANELS_H

#include <stddef.h>

#include "core/base/status.h"

#define EB_PANEL 16u

typedef struct eb_panels {
    size_t k, d;
    float *value; /* [⌈k/16⌉ × d × 16] */
} eb_panels;

static inline size_t eb_panels_count(size_t k) { return (k + EB_PANEL - 1) / EB_PANEL; }

eb_code eb_panels_make(size_t k, size_t d, eb_panels *out, eb_status *status);
void eb_panels_fill(eb_panels *panels, const float *vectors); /* k × d */
void eb_panels_free(eb_panels *panels);

#endif
