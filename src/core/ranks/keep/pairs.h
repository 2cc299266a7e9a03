/* pairs: what one rank makes of the pairs that it finds, for DBSCAN, and how it is sent to rank 0. For clusters.c, in
 * rank 0, and server/clusters.c, in the others.
 */
#pragma once

#include "core/cluster/gather.h"
#include "core/ranks/letter.h"

/* A point that is not core at every level, and what it is near to: a core point of a cluster, or the level from which
 * on there is one. */
typedef struct eb_near {
    uint32_t point, to;
} eb_near;

/* At one level: unites the ends of the part's pairs of core points in the gathering's forest. *near: [*count] the
 * others' pairs with core points, one for each point and set; the caller frees it. */
eb_code eb_unite_ends(const eb_opened *opened, const eb_question *question, const eb_share *part,
                      const eb_gathering *gathering, eb_near **near, size_t *count, eb_status *status);

/* ---- a gathering on its way to rank 0 ---- */

/* Leaves of each point's counts, from the smallest level on, at most `most` pairs. left_out: [levels] the others. */
void eb_clip_counts(const eb_gathering *gathering, uint32_t most, uint64_t *left_out);

/* Takes the links out of each level's forest that connect what smaller levels connect. At most n − 1 stay in all levels
 * together. Memory: 4 bytes a point. */
eb_code eb_thin_forests(const eb_gathering *gathering, unsigned threads, eb_job *job, eb_status *status);

/* Send the counts, or the parents in the forests, that differ from what they are without pairs: 8 bytes each, but at
 * most 4 bytes a point and level. */
eb_code eb_send_counts(const eb_transport *transport, uint64_t number, const eb_gathering *gathering,
                       eb_status *status);
eb_code eb_send_roots(const eb_transport *transport, uint64_t number, const eb_gathering *gathering, eb_status *status);

/* Calls take() for the values of such a letter, with their places in the gathering's array. EB_INTERNAL unless places
 * are in it and values below n. */
eb_code eb_take_values(const eb_letter *letter, const eb_gathering *gathering,
                       void (*take)(void *context, uint64_t at, uint32_t value), void *context, eb_status *status);

/* ---- and from there ---- */

/* The level from which on each point is core, in as few bits as any takes. */
void eb_pack_levels(eb_packet *packet, const eb_gathering *gathering);
eb_code eb_unpack_levels(eb_packet *packet, const eb_gathering *gathering, eb_status *status);
