#include "core/join/collect.h"

#include "core/base/clock.h"
#include "core/base/pages.h"
#include "core/base/parallel.h"

typedef struct collector {
    eb_neighbours *table;
    uint64_t capacity; /* entries */
    size_t rows;       /* filled */
    unsigned threads;
    eb_figures *figures;
} collector;

/* A batch on its way into the table. */
typedef struct copying {
    eb_neighbours *table;
    const eb_neighbours *batch;
    uint64_t before; /* entries of the table */
} copying;

static eb_code copy_entries(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    (void)status;
    const copying *c = context;
    uint64_t all = c->batch->offsets[c->batch->rows], at = task * EB_ENTRIES_A_TASK;
    size_t count = (size_t)(all - at < EB_ENTRIES_A_TASK ? all - at : EB_ENTRIES_A_TASK);
    eb_copy_past_caches(c->table->columns + c->before + at, c->batch->columns + at, count * sizeof *c->batch->columns);
    if (c->table->kept)
        eb_copy_past_caches(eb_neighbours_distances_from(c->table, c->before + at),
                            eb_neighbours_distances_from(c->batch, at), count * eb_distances_width(c->table->kept));
    return EB_OK;
}

static eb_code copy_batch(collector *c, const eb_neighbours *batch, eb_status *status)
{
    uint64_t before = c->table->offsets[c->rows], more = batch->offsets[batch->rows], entries = before + more;
    if (more > c->capacity - before || batch->rows > c->table->rows - c->rows)
        return eb_fail(status, EB_INTERNAL, "row %zu brings the table to %llu entries; %llu were counted",
                       batch->first_row + batch->rows, (unsigned long long)entries, (unsigned long long)c->capacity);
    for (size_t r = 0; r < batch->rows; r++)
        c->table->offsets[c->rows + r + 1] = before + batch->offsets[r + 1];
    copying copy = {c->table, batch, before};
    c->rows += batch->rows;
    return eb_parallel(c->threads, (more + EB_ENTRIES_A_TASK - 1) / EB_ENTRIES_A_TASK, copy_entries, &copy, NULL,
                       status);
}

static eb_code collect(void *context, eb_neighbours *batch, eb_status *status)
{
    collector *c = context;
    double start = eb_now_s();
    eb_code failed = copy_batch(c, batch, status);
    eb_neighbours_free(batch);
    eb_figures_add(c->figures, &eb_figure_table, eb_now_s() - start);
    return failed;
}

eb_code eb_join_collect(eb_opened *opened, const eb_join_plan *plan, uint64_t entries, eb_neighbours **out,
                        eb_join_result *result, eb_status *status)
{
    size_t n = opened->problem.left->n;
    collector c = {.capacity = entries, .threads = opened->context.threads, .figures = &opened->figures};
    eb_code failed = eb_neighbours_new(n, 0, n, entries, plan->distances, &c.table, status);
    if (!failed)
        failed = eb_join_run(opened, plan, collect, &c, result, status);
    if (!failed)
        *out = c.table;
    else
        eb_neighbours_free(c.table);
    return failed;
}
