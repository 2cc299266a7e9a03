/* stream: the pairs of a self-join as they are found, each once, with the place of its distance on a grid of ε. Nothing
 * is kept: single hits go on at once, an engine's whole rows from the room that it was lent for them; where that is too
 * small, rows are asked for in ranges.
 *
 * The level of a pair is the first ε of the grid that takes it in by the pair test, exactly, whatever the engine gives.
 */
#pragma once

#include "core/engine/problem.h"

typedef struct eb_link {
    uint32_t i, j;
    uint32_t level;
} eb_link;

/* Called from any of `threads` threads at once, `thread` < threads telling which. */
typedef void (*eb_link_consumer)(void *context, unsigned thread, const eb_link *links, size_t count);

typedef struct eb_stream {
    const double *eps; /* [levels] strictly ascending, ≥ 0 */
    size_t levels;     /* ≥ 1 */
    const char *phase; /* static text for the job's progress, one unit a row */
    eb_link_consumer consumer;
    void *context;
    uint64_t room; /* bytes that whole rows may take on their way, the memory limit at most; 0: some (streaming.h) */
} eb_stream;

/* Every pair i ≠ j within the greatest ε, once, either way round. EB_USAGE for a grid that does not ascend; EB_INTERNAL
 * where the engine breaks a promise (a pair outside the points, a pair under one of its ends only). */
eb_code eb_stream_run(eb_opened *opened, const eb_stream *stream, eb_status *status);
