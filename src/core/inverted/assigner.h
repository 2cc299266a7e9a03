/* assigner: of many points the nearest of k vectors each: what building an inverted file spends most of its time in, so
 * that who has something faster than the host's threads may do it (kernels/inverted).
 *
 * s ← s + t·t, t = point − vector, both rounded to FP32, coordinates ascending; of equal ones the first vector. The
 * same bits from everyone.
 */
#ifndef EB_CORE_INVERTED_ASSIGNER_H
#define EB_CORE_INVERTED_ASSIGNER_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

/* Used by one caller at a time. Vectors and points are finite. */
typedef struct eb_assigner {
    void *state;
    /* The points of the calls that follow: count × d. They stay where they are and as they are meanwhile. */
    eb_code (*take)(void *state, const float *points, size_t count, size_t d, eb_status *status);
    /* vectors: k × d; place, s: [count] */
    eb_code (*find)(void *state, const float *vectors, size_t k, uint32_t *place, float *s, eb_status *status);
} eb_assigner;

#endif
