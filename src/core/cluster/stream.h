/* stream: passes each pair of a self-join on as it is found, with the level of its distance on a grid of ε. Pairs are
 * not stored. Single hits are passed on at once, an engine's whole rows through a buffer; if the buffer is too
 * small, rows are asked for in ranges.
 *
 * The level of a pair is the first ε of the grid that includes the pair by the pair test, exactly.
 */
#pragma once

#include "core/engine/problem.h"

typedef struct eb_link {
    uint32_t i, j;
    uint32_t level;
} eb_link;

/* Called from several threads at once, with `thread` < context.threads. */
typedef void (*eb_link_consumer)(void *context, unsigned thread, const eb_link *links, size_t count);

typedef struct eb_stream {
    const double *eps; /* [levels] strictly ascending, ≥ 0 */
    size_t levels;     /* ≥ 1 */
    const char *phase; /* static text for the job's progress, one unit a row */
    bool both;         /* each pair comes as (i, j) and as (j, i), with whole rows those of one i together */
    eb_link_consumer consumer;
    /* Brings the consumer back to where no pair has come: a team has lost a device, and all pairs come anew. NULL: the
     * stream fails then. */
    eb_code (*anew)(void *context, eb_status *status);
    void *context;
    uint64_t room; /* bytes for whole rows on their way, at most the memory limit; 0: the default of streaming.h */
} eb_stream;

/* Every pair i ≠ j within the largest ε: once, either way round, or both ways. EB_USAGE if the grid does not ascend;
 * EB_INTERNAL if the engine breaks a promise (a pair outside the points, or a pair in only one of its two rows). */
eb_code eb_stream_run(eb_opened *opened, const eb_stream *stream, eb_status *status);

/* Every pair of a part of the tiles, as single hits, from an engine's join. Of `stream` it needs levels, both, consumer
 * and eps, the last as the engine has it (scaled). For ranks. */
eb_code eb_stream_part(const eb_opened *opened, const eb_question *question, const eb_share *part,
                       const eb_stream *stream, eb_status *status);
