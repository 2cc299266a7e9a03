/* rows: a join whose rows stay with the ranks. Each rank makes the rows that it owns (owner.h) and gives them to its
 * keeper, which may write them to a file; rank 0 hears only what the keepers tell.
 */
#pragma once

#include "core/engine/problem.h"
#include "core/ranks/keep/keeper.h"

typedef struct eb_keep_plan {
    double eps;
    size_t row_begin, row_end; /* of this question */
    size_t least; /* rows that a rank gets, unless fewer are left: so that few rows make few tables; 0: equal ranges */
    eb_distances distances;
    uint64_t memory_limit; /* bytes for building the tables of the ranks of one host; 0: no limit */
    uint64_t expected;     /* entries of all rows; 0: unknown */
    eb_row_keeper keep;
    const void *order; /* [order_size] for the keepers of all ranks */
    size_t order_size;
} eb_keep_plan;

/* For a problem of several ranks (eb_ranks_of). kept: [ranks] what each rank's keeper has told. After a failure too,
 * since some ranks may have kept their rows: EB_NO_MEMORY if a table does not fit the limit, and fewer rows may do. */
eb_code eb_rows_keep(eb_opened *opened, const eb_keep_plan *plan, eb_kept *kept, eb_status *status);
