/* join: plan → batches → sink. Runs an opened engine over all its left points in row ranges whose tables fit the memory
 * limit, hands each finished table on in row order, and proves that nothing was dropped: the sum of entries handed on
 * must equal the pairs found, and every pair of a self-join must have come under both its ends.
 *
 * A range whose table exceeds the limit is halved and done again; the batches before it stay done. Only a single row
 * that does not fit ends the join: EB_NO_MEMORY, with the row and what it needs.
 */
#pragma once

#include "core/engine/problem.h"
#include "core/join/neighbours.h"

/* Takes one finished batch (consecutive rows, ascending). Ownership passes to the consumer, on failure too. */
typedef eb_code (*eb_batch_consumer)(void *context, eb_neighbours *batch, eb_status *status);

typedef struct eb_join_plan {
    eb_question question;
    eb_distances distances;  /* that the tables keep */
    bool whole;              /* one batch or EB_NO_MEMORY, no halving */
    uint64_t memory_limit;   /* bytes for building one batch's table; 0: none */
    uint64_t expected_pairs; /* |R| if known or estimated, 0: unknown; decides the first row range */
    const char *phase;       /* static text for the job's progress, one unit a row; NULL: "join" */
} eb_join_plan;

typedef struct eb_join_result {
    uint64_t pairs; /* |R| */
    size_t batches; /* row ranges it took */
} eb_join_result;

/* The engine adds its figures to the opened ones, join what building the tables took. */
eb_code eb_join_run(eb_opened *opened, const eb_join_plan *plan, eb_batch_consumer consumer, void *context,
                    eb_join_result *out, eb_status *status);

/* As eb_join_run, the batches moved into one table of `entries` entries that is there beforehand; the plan's memory
 * limit is what the batches may take beside it. Copying counts as eb_figure_table. The caller frees *out;
 * EB_INTERNAL when the batches are more than was said. */
eb_code eb_join_collect(eb_opened *opened, const eb_join_plan *plan, uint64_t entries, eb_neighbours **out,
                        eb_join_result *result, eb_status *status);
