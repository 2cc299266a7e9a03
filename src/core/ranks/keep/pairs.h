/* pairs: what DBSCAN needs of the pairs that one rank finds. They are neither stored nor sent. For clusters.c, in rank
 * 0, and server/clusters.c, in the others.
 */
#pragma once

#include "core/cluster/forest.h"
#include "core/engine/problem.h"
#include "core/ranks/letter.h"

/* Adds each end of the part's pairs to counts: [n]. */
eb_code eb_count_ends(const eb_opened *opened, const eb_question *question, const eb_share *part,
                      _Atomic uint32_t *counts, eb_status *status);

/* A point that is not core, and a core point of a cluster that it is near to. */
typedef struct eb_near {
    uint32_t point, core;
} eb_near;

static inline bool eb_is_core_bit(const unsigned char *core, size_t i) { return core[i / 8] >> (i % 8) & 1; }

/* Unites the ends of the part's pairs of core points (a bit a point) in the forest. *near: [*count] the others' pairs
 * with core points, one for each point and set; the caller frees it. */
eb_code eb_unite_ends(const eb_opened *opened, const eb_question *question, const eb_share *part,
                      const unsigned char *core, eb_tree *forest, eb_near **near, size_t *count, eb_status *status);

/* ---- numbers of points on their way to rank 0 ---- */

/* Sends values[i] of the points where it differs from what it is without pairs: 0, or in a forest i. At most 4 bytes a
 * point. */
eb_code eb_send_point_values(const eb_transport *transport, uint64_t number, const _Atomic uint32_t *values, size_t n,
                             bool forest, eb_status *status);

/* Calls take() for the values of a letter. EB_INTERNAL unless points and values are below n. */
eb_code eb_take_point_values(const eb_letter *letter, size_t n,
                             void (*take)(void *context, uint32_t point, uint32_t value), void *context,
                             eb_status *status);
