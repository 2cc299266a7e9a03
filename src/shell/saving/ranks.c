/* ranks: joins the rows of a table in parts with several ranks, each of which writes its own rows (io/parts/keeper.h).
 */
#include <stdlib.h>

#include "core/ranks/keep/rows.h"
#include "io/parts/keeper.h"
#include "shell/saving/saving.h"

typedef struct rounds {
    saving *s;
    eb_opened *opened;
    eb_keep_plan plan;
    size_t rows; /* of a round, at most */
    eb_kept *kept;
} rounds;

/* What the ranks have written counts after a failure too. */
static eb_code take_parts(rounds *r, eb_status *status)
{
    saving *s = r->s;
    for (unsigned rank = 0; rank < s->ranks; rank++) {
        if (r->kept[rank].size == 0)
            continue;
        EB_TRY(eb_parts_take(s->parts, rank, &r->kept[rank], status));
        s->written++;
        s->batches++;
    }
    return EB_OK;
}

/* Rounds that are missing. */
static unsigned missing(const rounds *r)
{
    unsigned count = 0;
    for (size_t from = 0, first; eb_parts_gap(r->s->parts, from, r->rows, &first, &from);)
        count++;
    return count;
}

static eb_code join_round(rounds *r, size_t first, size_t end, eb_status *status)
{
    saving *s = r->s;
    eb_status later = {.message = ""};
    r->plan.row_begin = first;
    r->plan.row_end = end;
    eb_job_phase(s->job, "joining a round of parts", end - first);
    EB_TRY(eb_session_check_dataset(s->session, status));
    const eb_code failed = eb_rows_keep(r->opened, &r->plan, r->kept, status);
    const eb_code lost = take_parts(r, failed ? &later : status);
    return failed ? failed : lost;
}

/* Rounds of fewer rows, since the tables of `rows` did not fit. */
static eb_code shorten(rounds *r, size_t rows, const eb_status *why, eb_status *status)
{
    const saving *s = r->s;
    const size_t left = s->session->dataset->n - eb_parts_rows(s->parts);
    r->rows = rows / 2;
    r->plan.least = 0;
    if (eb_parts_count(s->parts) + (left / r->rows + 1) * s->ranks > EB_PARTS_MOST)
        return eb_fail(status, EB_NO_MEMORY, "%s; a table has at most %u parts, and smaller ones would be more",
                       why->message, EB_PARTS_MOST);
    return EB_OK;
}

static eb_code join_rounds(rounds *r, eb_status *status)
{
    saving *s = r->s;
    unsigned round = 0, of = missing(r);
    for (size_t first, end; eb_parts_gap(s->parts, 0, r->rows, &first, &end);) {
        eb_status why = {.message = ""};
        EB_TRY(eb_job_check(s->job, status));
        eb_job_step(s->job, 0, "round", ++round, of);
        const eb_code failed = join_round(r, first, end, &why);
        if (failed == EB_NO_MEMORY && end - first > 1) {
            EB_TRY(shorten(r, end - first, &why, status));
            round = 0;
            of = missing(r);
        } else if (failed == EB_CANCELLED) {
            return eb_fail(status, failed, "%s", why.message);
        } else if (failed) {
            return eb_fail(status, failed, "%s; finished parts: %zu; the same command joins the others", why.message,
                           eb_parts_count(s->parts));
        }
    }
    eb_job_step(s->job, 0, NULL, 0, 0);
    return EB_OK;
}

eb_code eb_saving_join_by_ranks(saving *s, eb_opened *opened, const eb_budget *budget, eb_status *status)
{
    const eb_parts_request *request = s->request;
    void *order = NULL;
    rounds r = {.s = s,
                .opened = opened,
                .plan = {.eps = request->eps,
                         .least = s->rows_a_part,
                         .distances = request->distances,
                         .memory_limit = budget->tables,
                         .expected = request->pairs,
                         .keep = eb_parts_keep},
                .rows = s->rows_a_part * s->ranks};
    EB_TRY(eb_parts_order(s->parts, &order, &r.plan.order_size, status));
    r.plan.order = order;
    r.kept = malloc(s->ranks * sizeof *r.kept);
    const eb_code failed =
        r.kept ? join_rounds(&r, status) : eb_fail_memory(status, "the ranks' parts", s->ranks * sizeof *r.kept);
    free(r.kept);
    free(order);
    return failed;
}
