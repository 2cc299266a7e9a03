/* join: running an opened engine over its left points in batches. Each batch is a range of rows whose table fits
 * the memory limit. Finished tables are passed to a consumer in row order. Checks prove that nothing was dropped: the
 * entries must equal the pairs found, and a self-join's pairs must occur under both ends.
 *
 * A range whose table exceeds the limit is halved and repeated; earlier batches stay done. Only a single row that does
 * not fit ends the join: EB_NO_MEMORY, with the row and its demand.
 */
#pragma once

#include "core/engine/problem.h"
#include "core/join/neighbours.h"

/* Receives one finished batch (consecutive rows, ascending), and owns it, also if it fails. */
typedef eb_code (*eb_batch_consumer)(void *context, eb_neighbours *batch, eb_status *status);

typedef struct eb_join_plan {
    eb_question question;
    size_t row_begin;        /* the rows to join: row_begin … row_end − 1 */
    size_t row_end;          /* 0: all rows */
    eb_distances distances;  /* kept in the tables */
    bool whole;              /* a single batch or EB_NO_MEMORY, no halving */
    uint64_t memory_limit;   /* bytes for building one batch's table; 0: no limit */
    uint64_t expected_pairs; /* |R| if known or estimated, for the first range of rows; 0: unknown */
    const char *phase;       /* static text for the job's progress, one unit a row; NULL: "join" */
} eb_join_plan;

typedef struct eb_join_result {
    uint64_t pairs; /* |R|, or the entries of the plan's rows */
    size_t batches; /* ranges of rows */
} eb_join_result;

/* The engine adds its figures to opened->figures; the time of building tables is added as eb_figure_table. */
eb_code eb_join_run(eb_opened *opened, const eb_join_plan *plan, eb_batch_consumer consumer, void *context,
                    eb_join_result *out, eb_status *status);

/* Like eb_join_run, but copies the batches into one table of `entries` entries, allocated first. The plan's memory
 * limit holds for the batches beside that table. Copying counts as eb_figure_table. The caller frees *out. EB_INTERNAL
 * if the batches have more than `entries` entries. */
eb_code eb_join_collect(eb_opened *opened, const eb_join_plan *plan, uint64_t entries, eb_neighbours **out,
                        eb_join_result *result, eb_status *status);
