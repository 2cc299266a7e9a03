/* distances: which distances a neighbour table keeps: those of the engine in FP64, in FP32, or none. FP32 only where
 * the engine computes in FP32 itself, so that nobody takes a rounded truth for the truth.
 */
#ifndef EB_CORE_JOIN_DISTANCES_H
#define EB_CORE_JOIN_DISTANCES_H

#include "core/engine/engine.h"

typedef enum eb_distances { EB_DISTANCES_NONE, EB_DISTANCES_F64, EB_DISTANCES_F32 } eb_distances;

#define EB_DISTANCES_CHOICES "none|f32|f64"

const char *eb_distances_name(eb_distances kept);

/* The kind of this name, one of the choices; NULL: EB_DISTANCES_F64. */
eb_distances eb_distances_find(const char *name);

static inline size_t eb_distances_width(eb_distances kept) /* bytes an entry */
{
    return kept == EB_DISTANCES_NONE ? 0 : kept == EB_DISTANCES_F64 ? sizeof(double) : sizeof(float);
}

/* EB_USAGE: FP32 of an engine whose own distances are FP64. */
eb_code eb_distances_check(eb_distances kept, const eb_engine *engine, eb_status *status);

#endif
