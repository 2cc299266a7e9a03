/* streaming: a join whose pairs are processed as they come, without a table. Single hits are passed on at once. Whole
 * rows of an engine are first written to a buffer of limited size; if it is too small, the rows are joined in shorter
 * ranges.
 */
#pragma once

#include "core/engine/problem.h"

/* The row of a left point: columns ascending, in a self-join with the point itself. */
typedef struct eb_streamed_row {
    uint32_t row;
    size_t count;
    const uint32_t *columns; /* [count], below the number of right points */
    const double *s;         /* [count] squared distances as the engine computed them; NULL: not requested */
} eb_streamed_row;

/* hits() and row() may be called from several threads at once, with different `thread` < context.threads. */
typedef struct eb_streaming {
    eb_opened *opened;
    bool squared;  /* rows need their s */
    uint64_t room; /* bytes of the buffer for whole rows, at most the memory limit; 0: EB_STREAMING_ROOM */
    /* Like a sink's hits(), for the rows of the share. */
    eb_code (*hits)(void *context, unsigned thread, const eb_share *share, const eb_hit *hits, size_t count,
                    eb_status *status);
    eb_code (*row)(void *context, unsigned thread, const eb_streamed_row *row, eb_status *status); /* each row once */
    /* Forgets all pairs of the call, which come anew: a team has lost a device after single hits were passed on. (Rows
     * need no such call: a range is asked for again, and rows that have come are skipped.) NULL: the call fails. */
    eb_code (*anew)(void *context, eb_status *status);
    void *context;
    const char *phase; /* static text for the job's progress, one unit a row; the caller begins the phase */
} eb_streaming;

#define EB_STREAMING_ROOM ((uint64_t)512 << 20)

/* Passes on every pair of rows begin … end − 1. EB_INTERNAL if the engine violates its contract: pairs outside the
 * points, rows outside the range, missing rows, or both rows and hits. */
eb_code eb_stream_rows(const eb_streaming *streaming, const eb_question *question, size_t begin, size_t end,
                       eb_status *status);
