#include "core/study/beyond.h"

#include <math.h>
#include <stdlib.h>

#include "core/data/scaling.h"
#include "core/join/join.h"
#include "core/study/boundary.h"

/* Few pairs, or few of them near, say little of how many there are a little farther out: with many points one looks no
 * farther than this. */
#define FARTHEST (1.0 / 64)
#define WIDE (1.0 / 4) /* where few points tie */
enum { MANY_POINTS = 4096, MEMORY_SHARE = 8 };

typedef struct search {
    const eb_comparison *c;
    double eps, beyond; /* beyond: the least distance that is farther from ε than a tie */
    uint64_t ties;
    eb_nearest nearest[EB_MOST_COMPARED]; /* of the compared */
} search;

/* A row's columns ascend. */
static bool holds(const eb_neighbours *table, size_t row, uint32_t column)
{
    uint64_t from = table->offsets[row], to = table->offsets[row + 1];
    while (from < to) {
        uint64_t middle = from + (to - from) / 2;
        if (table->columns[middle] == column)
            return true;
        if (table->columns[middle] < column)
            from = middle + 1;
        else
            to = middle;
    }
    return false;
}

/* Pairs that a table holds were offered already. */
static void offer(search *s, size_t row, uint32_t column, double distance)
{
    const eb_comparison *c = s->c;
    const eb_boundary_pair pair = {.i = (uint32_t)row, .j = column, .dist_fast = (double)NAN, .dist_true = distance};
    if (holds(c->run[c->reference].table, row, column))
        return;
    for (size_t k = 0; k < c->count; k++)
        if (c->compared[k] && eb_nearest_wants(&s->nearest[k], distance) && !holds(c->run[k].table, row, column))
            eb_nearest_offer(&s->nearest[k], &pair);
}

static eb_code take_batch(void *context, eb_neighbours *batch, eb_status *status)
{
    search *s = context;
    (void)status;
    double from = s->eps * (1 - EB_TIE); /* whether it is beyond is the table's word */
    for (size_t r = 0; r < batch->rows; r++)
        for (uint64_t k = batch->offsets[r]; k < batch->offsets[r + 1]; k++) {
            double distance = eb_neighbours_distance(batch, k);
            if (batch->columns[k] <= batch->first_row + r || distance < from)
                continue;
            offer(s, batch->first_row + r, batch->columns[k], distance);
            s->ties += distance <= s->eps * (1 + EB_TIE);
            if (distance > s->eps * (1 + EB_TIE) && distance < s->beyond)
                s->beyond = distance;
        }
    eb_neighbours_free(batch);
    return EB_OK;
}

/* As far as the farthest that is known; a list that is not full knows too little. */
static double reach_of(const eb_comparison *c, size_t n, double eps, size_t room)
{
    double reach = 0, most = n < MANY_POINTS ? eps : eps * FARTHEST, gap = n < MANY_POINTS ? eps * WIDE : most;
    for (size_t k = 0; k < c->count; k++) {
        const eb_accuracy *a = &c->accuracy[k];
        bool full = c->compared[k] && a->boundary_count == room;
        if (c->compared[k])
            reach = fmax(reach, full ? fabs(a->boundary[room - 1].dist_true - eps) : eps * FARTHEST);
        if (c->compared[k] && a->ties > 1)
            reach = fmax(reach, gap);
    }
    return fmin(reach, most);
}

static eb_code look(const eb_compare_request *q, search *s, double wide, eb_job *job, eb_status *status)
{
    eb_opened opened;
    eb_problem problem = eb_self_join(q->dataset);
    eb_join_result result;
    const eb_comparison *c = s->c;
    const eb_join_plan plan = {.question.eps = wide,
                               .distances = EB_DISTANCES_F64,
                               .memory_limit = q->memory_limit / MEMORY_SHARE,
                               .expected_pairs = c->run[c->reference].pairs,
                               .phase = "pairs beyond ε"};
    EB_TRY(eb_problem_open(&q->setup[c->reference], &problem, job, &opened, status));
    eb_code failed = eb_join_run(&opened, &plan, take_batch, s, &result, status);
    eb_problem_close(&opened);
    return failed;
}

/* The list as it is, to be added to. */
static eb_code begin_list(const eb_accuracy *a, double eps, size_t room, eb_nearest *out, eb_status *status)
{
    EB_TRY(eb_nearest_new(eps, room, out, status));
    for (size_t k = 0; k < a->boundary_count; k++)
        eb_nearest_offer(out, &a->boundary[k]);
    return EB_OK;
}

static void end_list(eb_nearest *nearest, eb_accuracy *a)
{
    eb_nearest_sort(nearest);
    free(a->boundary);
    a->boundary = nearest->pair;
    a->boundary_count = nearest->count;
    nearest->pair = NULL;
}

eb_code eb_look_beyond(const eb_compare_request *q, eb_comparison *c, size_t room, eb_job *job, eb_status *status)
{
    search s = {.c = c, .eps = q->eps, .beyond = INFINITY};
    double reach = reach_of(c, q->dataset->n, q->eps, room);
    eb_code failed = EB_OK;
    if (!(reach > 0) || !isfinite(q->eps + reach))
        return EB_OK;
    for (size_t k = 0; k < c->count && !failed; k++)
        if (c->compared[k])
            failed = begin_list(&c->accuracy[k], q->eps, room, &s.nearest[k], status);
    const double wide = nextafter(q->eps + reach, INFINITY);
    if (!failed)
        failed = look(q, &s, wide, job, status);
    for (size_t k = 0; k < c->count; k++) {
        if (!failed && c->compared[k]) {
            end_list(&s.nearest[k], &c->accuracy[k]);
            c->accuracy[k].beyond = fmin(s.beyond, wide);
            c->accuracy[k].ties = s.ties;
        }
        eb_nearest_free(&s.nearest[k]);
    }
    return failed == EB_NO_MEMORY ? EB_OK : failed;
}
