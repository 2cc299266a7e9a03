#include "core/join/join.h"

#include <math.h>

#include "core/base/clock.h"
#include "core/base/pages.h"
#include "core/base/parallel.h"
#include "core/team/team.h"

typedef struct joiner {
    eb_opened *opened;
    const eb_join_plan *plan;
    eb_job *job;
    size_t n;          /* left points */
    size_t begin, end; /* rows to join */
    uint64_t entries;  /* of all finished batches */
} joiner;

/* Estimates how many rows with this many entries fit the memory limit; at least 1. A tenth of the limit is left free,
 * since neighbours are not spread evenly. */
static size_t rows_that_fit(const joiner *j, double entries_per_row)
{
    const eb_join_plan *plan = j->plan;
    uint64_t a_million = 1000000;
    double bytes =
        (double)eb_neighbours_build_bytes((size_t)a_million, 0, plan->distances) / (double)a_million +
        entries_per_row * ((double)eb_neighbours_build_bytes(0, a_million, plan->distances) / (double)a_million);
    double rows = floor(0.9 * (double)plan->memory_limit / bytes);
    return rows < 1 ? 1 : rows >= (double)j->n ? j->n : (size_t)rows;
}

/* Returns the size of the first range of rows. A whole self-join costs half as much as the same rows in ranges, since
 * each pair is tested from one side only, so it is tried unless it is known not to fit. In a whole self-join a hit
 * makes two entries, so buffered hits take half the memory that they take in a range. */
static size_t first_range(const joiner *j)
{
    const eb_join_plan *plan = j->plan;
    const size_t wanted = j->end - j->begin;
    if (plan->memory_limit == 0 || plan->expected_pairs == 0 || plan->whole)
        return wanted;
    uint64_t table = eb_neighbours_bytes(j->n, plan->expected_pairs, plan->distances);
    uint64_t range = eb_neighbours_build_bytes(j->n, plan->expected_pairs, plan->distances);
    if (wanted == j->n && table + (range - table) / 2 <= plan->memory_limit)
        return j->n;
    size_t rows = rows_that_fit(j, (double)plan->expected_pairs / (double)j->n);
    return rows < wanted ? rows : wanted < j->n ? wanted : j->n - j->n / 2;
}

static const char *phase_of(const joiner *j) { return j->plan->phase ? j->plan->phase : "join"; }

/* Joins one range of rows: engine → builder → table. */
static eb_code try_range(joiner *j, size_t begin, size_t end, eb_neighbours **out, eb_status *status)
{
    eb_opened *opened = j->opened;
    eb_neighbours_builder *builder = NULL;
    eb_neighbours_request request = {.n = j->n,
                                     .others = opened->problem.right->n,
                                     .self = eb_is_self_join(&opened->problem),
                                     .row_begin = begin,
                                     .row_end = end,
                                     .threads = opened->context.threads,
                                     .distances = j->plan->distances,
                                     .exponent = opened->scaling.exponent,
                                     .memory_limit = j->plan->memory_limit};
    EB_TRY(eb_neighbours_builder_new(&request, &builder, status));
    eb_sink sink = eb_neighbours_builder_sink(builder);
    eb_question question = j->plan->question;
    question.expected = j->plan->expected_pairs;
    question.pairs_alone = j->plan->distances == EB_DISTANCES_NONE;
    question.ascending = request.self && end - begin < j->n;
    eb_share share = eb_share_rows(begin, end);
    eb_code failed = eb_ask_join(opened, &question, &share, &sink, status);
    double start = eb_now_s();
    if (!failed)
        failed = eb_neighbours_builder_finish(builder, j->job, out, status);
    eb_neighbours_builder_free(builder);
    eb_figures_add(&opened->figures, &eb_figure_table, eb_now_s() - start);
    return failed;
}

/* A team that loses a device starts the range again with the others. */
static eb_code join_range(joiner *j, size_t begin, size_t end, eb_neighbours **out, eb_status *status)
{
    eb_code failed = try_range(j, begin, end, out, status);
    while (failed && eb_team_can_ask_again(j->opened->run, j->opened->state)) {
        eb_job_phase(j->job, phase_of(j), j->end - begin); /* the lost progress is counted again */
        failed = try_range(j, begin, end, out, status);
    }
    return failed;
}

/* The number of rows of the next range, from the density of the last one; at most twice as many rows. */
static size_t next_range(const joiner *j, size_t rows, uint64_t entries)
{
    if (j->plan->memory_limit == 0)
        return rows;
    size_t fitting = rows_that_fit(j, (double)entries / (double)rows);
    return fitting < 2 * rows ? fitting : 2 * rows;
}

static eb_code run_batches(joiner *j, eb_batch_consumer consumer, void *context, size_t *batches, eb_status *status)
{
    const char *phase = phase_of(j);
    size_t begin = j->begin, rows = first_range(j);
    eb_job_phase(j->job, phase, j->end - j->begin);
    while (begin < j->end) {
        size_t end = j->end - begin < rows ? j->end : begin + rows;
        eb_neighbours *batch = NULL;
        eb_code failed = eb_job_check(j->job, status);
        if (!failed)
            failed = join_range(j, begin, end, &batch, status);
        if (failed == EB_NO_MEMORY && end - begin > 1 && !j->plan->whole) {
            rows = (end - begin) / 2;
            eb_job_phase(j->job, phase, j->end - begin); /* the failed range's progress is counted again */
            continue;
        }
        if (failed)
            return failed;
        uint64_t entries = batch->offsets[batch->rows];
        j->entries += entries;
        (*batches)++;
        EB_TRY(consumer(context, batch, status));
        rows = next_range(j, end - begin, entries);
        begin = end;
    }
    return EB_OK;
}

eb_code eb_join_run(eb_opened *opened, const eb_join_plan *plan, eb_batch_consumer consumer, void *context,
                    eb_join_result *out, eb_status *status)
{
    const size_t n = opened->problem.left->n;
    joiner j = {.opened = opened,
                .plan = plan,
                .job = opened->context.job,
                .n = n,
                .begin = plan->row_end ? plan->row_begin : 0,
                .end = plan->row_end ? plan->row_end : n};
    size_t batches = 0;
    EB_TRY(run_batches(&j, consumer, context, &batches, status));
    /* Each batch's builder has checked stored = found. Across batches: R contains each pair of a self-join in both
     * directions, so the number of entries without self pairs is even, whatever the ranges. */
    if (!plan->row_end && eb_is_self_join(&opened->problem) && (j.entries - j.n) % 2 != 0)
        return eb_fail(status, EB_INTERNAL,
                       "%s found %llu ordered pairs of different points: an odd number, so one was dropped",
                       opened->setup->engine->name, (unsigned long long)(j.entries - j.n));
    *out = (eb_join_result){.pairs = j.entries, .batches = batches};
    return EB_OK;
}

/* ---- collecting all batches in one table ---- */

typedef struct collector {
    eb_neighbours *table;
    uint64_t capacity; /* entries */
    size_t rows;       /* filled */
    unsigned threads;
    eb_figures *figures;
} collector;

/* A batch that is being copied into the table. */
typedef struct copying {
    eb_neighbours *table;
    const eb_neighbours *batch;
    uint64_t before; /* entries already in the table */
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
