/* streaming: a join whose pairs are looked at as they come and kept nowhere. Single hits go on at once, an engine's
 * whole rows from the room that is lent for them; where that is too small, rows are asked for in shorter ranges.
 */
#pragma once

#include "core/engine/problem.h"

/* A left point's row, as the engine made it: columns ascending, of a self-join the point itself among them. */
typedef struct eb_streamed_row {
    uint32_t row;
    size_t count;
    const uint32_t *columns; /* [count], below the number of right points */
    const double *s;         /* [count] squared distances as the engine computed them; NULL: not wanted */
} eb_streamed_row;

/* Both are called from any of the engine's threads at once, `thread` < context.threads telling which. */
typedef struct eb_streaming {
    eb_opened *opened;
    bool squared;  /* rows come with their s */
    uint64_t room; /* bytes that whole rows may take on their way, the memory limit at most; 0: EB_STREAMING_ROOM */
    /* As a sink's, of the rows that `share` says. */
    eb_code (*hits)(void *context, unsigned thread, const eb_share *share, const eb_hit *hits, size_t count,
                    eb_status *status);
    eb_code (*row)(void *context, unsigned thread, const eb_streamed_row *row, eb_status *status); /* each row once */
    void *context;
    const char *phase; /* static text for the job's progress, one unit a row, which the caller begins */
} eb_streaming;

#define EB_STREAMING_ROOM ((uint64_t)512 << 20)

/* Every pair of the rows begin … end − 1. EB_INTERNAL where the engine breaks a promise (a pair outside the points,
 * rows it was not asked for, rows left out, rows and hits). */
eb_code eb_stream_rows(const eb_streaming *streaming, const eb_question *question, size_t begin, size_t end,
                       eb_status *status);
