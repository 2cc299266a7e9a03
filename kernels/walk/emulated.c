#include "kernels/walk/emulated.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/engine/shared_pairs.h"

/* Beyond this multiple of ε so many candidates are no hits that it pays to sift them. */
#define WIDE_REACH 1.05

#define GREATEST_EPS 0x1p500 /* its square is far from FP64's greatest number */

static eb_code find(void *state, const eb_question *question, const eb_collector *to, eb_status *status);

/* ---- opening ---- */

/* The engine on the CPU, with its default options and the context's threads. */
static void lend(eb_emulated *e, const eb_engine *exact, const eb_context *context)
{
    static const eb_device cpu = {.kind = EB_DEVICE_CPU, .name = "cpu"};
    e->candidates = exact->on[EB_DEVICE_CPU].run;
    e->lent = (eb_context){.device = &cpu,
                           .devices = 1,
                           .threads = context->threads,
                           .deciding = context->deciding,
                           .job = context->job};
    eb_options_default(&exact->options, &e->lent.options);
}

eb_code eb_emulated_open(eb_emulated *e, const eb_engine *exact, const eb_problem *problem, const eb_context *context,
                         eb_status *status)
{
    const bool self = eb_is_self_join(problem);
    e->first_column = self ? 0 : problem->left->n;
    e->places = problem->left->n + (self ? 0 : problem->right->n);
    e->finder = (eb_finder){problem, context, find};
    e->moved = calloc(e->places, sizeof *e->moved);
    e->width = calloc(e->places, sizeof *e->width);
    if (!e->moved || !e->width)
        return eb_fail_memory(status, "the points' bounds", 2 * e->places * sizeof *e->moved);
    lend(e, exact, context);
    return EB_OK;
}

void eb_emulated_close(eb_emulated *e)
{
    if (e->opened)
        e->candidates->close(e->opened);
    free(e->moved);
    free(e->width);
}

/* ---- how far apart the stored points of a hit can be ---- */

static double reach_of(double limit, double moved, double width)
{
    return sqrt(limit * (1 + 0x1p-22) + 2 * width) + 2 * moved; /* s may be rounded to FP32 last */
}

/* exact's verdict is by FP64's sums, within (d + 2)·2^-52 of the squared distance. */
static double rounding_of(const eb_emulated *e) { return 1 + (double)(e->finder.problem->left->d + 16) * 0x1p-51; }

/* The reach if no point is left out. */
static double reach_of_all(const eb_emulated *e, double limit)
{
    double most = 0;
    for (size_t k = 0; k < e->places; k++)
        most = fmax(most, e->moved[k] + sqrt(e->width[k]));
    return fmin(reach_of(limit, most, most * most), GREATEST_EPS / 2);
}

double eb_emulated_reach_eps(const void *state, double eps)
{
    const eb_emulated *e = state;
    double moved = 0, width = 0;
    for (size_t k = 0; k < e->places; k++) {
        moved = fmax(moved, e->moved[k]);
        width = fmax(width, e->width[k]);
    }
    const double reach = reach_of(eb_squared_threshold(eps), moved, width) * rounding_of(e);
    return reach < GREATEST_EPS ? reach : INFINITY;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The points whose reach is above `cut` are left out. */
static void leave_out(const eb_emulated *e, double limit, double cut, eb_emulated_reach *out)
{
    *out = (eb_emulated_reach){.eps = 0};
    for (size_t k = 0; k < e->places; k++) {
        if (reach_of(limit, e->moved[k], e->width[k]) > cut)
            continue;
        out->moved = fmax(out->moved, e->moved[k]);
        out->width = fmax(out->width, e->width[k]);
    }
    for (size_t k = 0; k < e->places; k++)
        out->left_out += e->moved[k] > out->moved || e->width[k] > out->width;
    out->eps = reach_of(limit, out->moved, out->width) * rounding_of(e);
}

/* A point that is left out costs `places` pairs. One in a thousand of them may reduce the reach of the others; if the
 * reach of all is as good, none is. */
eb_code eb_emulated_reach_of(const eb_emulated *e, double eps, eb_emulated_reach *out, eb_status *status)
{
    const double limit = eb_squared_threshold(eps);
    double *reach = malloc(e->places * sizeof *reach);
    if (!reach)
        return eb_fail_memory(status, "the points' bounds", e->places * sizeof *reach);
    for (size_t k = 0; k < e->places; k++)
        reach[k] = reach_of(limit, e->moved[k], e->width[k]);
    qsort(reach, e->places, sizeof *reach, ascending);
    const double most = reach[e->places - 1], usual = reach[e->places - 1 - e->places / 1000];
    free(reach);
    leave_out(e, limit, usual < 0.98 * most ? usual : most, out);
    if (!(out->eps < GREATEST_EPS))
        out->eps = INFINITY;
    return EB_OK;
}

eb_code eb_emulated_search_eps(void *state, double eps, double *out, eb_status *status)
{
    eb_emulated_reach reach;
    EB_TRY(eb_emulated_reach_of(state, eps, &reach, status));
    *out = reach.eps;
    return EB_OK;
}

/* ---- pairs of places, computed in batches ---- */

typedef struct finding {
    const eb_emulated *e;
    const eb_collector *to;
    double limit;
    eb_emulated_reach reach;
    double rounding;               /* of the reach */
    const eb_shared_pairs *shared; /* NULL: `exact` is asked */
    _Atomic uint64_t *computed;    /* pairs */
    bool sifts;                    /* candidates go through the engine's `near` first */
} finding;

static bool is_left_out(const finding *f, size_t place)
{
    return f->e->moved[place] > f->reach.moved || f->e->width[place] > f->reach.width;
}

typedef struct batch {
    size_t count;
    uint32_t rows[EB_EMULATED_BATCH], columns[EB_EMULATED_BATCH];
    double s[EB_EMULATED_BATCH];
} batch;

static eb_code decide(const finding *f, unsigned thread, batch *b, eb_status *status)
{
    const uint32_t first = (uint32_t)f->e->first_column;
    if (f->sifts)
        b->count = f->e->near(f->e, b->rows, b->columns, b->count, f->limit);
    atomic_fetch_add_explicit(f->computed, b->count, memory_order_relaxed);
    f->e->squared(f->e, b->rows, b->columns, b->count, b->s);
    for (size_t k = 0; k < b->count; k++)
        if (b->s[k] <= f->limit)
            EB_TRY(eb_collect(f->to, thread, (eb_hit){b->rows[k], b->columns[k] - first, b->s[k]}, status));
    b->count = 0;
    return EB_OK;
}

static eb_code add(const finding *f, unsigned thread, batch *b, size_t row, size_t column, eb_status *status)
{
    b->rows[b->count] = (uint32_t)row;
    b->columns[b->count++] = (uint32_t)column;
    return b->count == EB_EMULATED_BATCH ? decide(f, thread, b, status) : EB_OK;
}

static eb_code candidates(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status)
{
    const finding *f = context;
    batch b = {.count = 0};
    for (size_t k = 0; k < count; k++) {
        const size_t row = hits[k].i, column = f->e->first_column + hits[k].j;
        if (!is_left_out(f, row) && !is_left_out(f, column))
            EB_TRY(add(f, thread, &b, row, column, status));
    }
    return decide(f, thread, &b, status);
}

/* ---- shared candidates ---- */

enum { BLOCK = 1 << 14 /* candidates of a task */ };

/* False if the stored points are too far apart for a hit of these two. */
static bool may_hit(const finding *f, size_t row, size_t column, double least)
{
    const eb_emulated *e = f->e;
    const double width = e->width[row] + e->width[column], moved = e->moved[row] + e->moved[column];
    const double reach = (sqrt(f->limit * (1 + 0x1p-22) + width) + moved) * f->rounding;
    return !(least > reach * reach);
}

/* True if a pair has an end in the rows that are asked for. */
static bool is_asked_for(const finding *f, const eb_shared_pair *pair)
{
    return !f->to->some_rows || eb_is_row(f->to, pair->i) || (f->to->self && eb_is_row(f->to, pair->j));
}

static eb_code shared_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const finding *f = context;
    const eb_shared_list *list = f->shared->list;
    for (; task >= (list->count + BLOCK - 1) / BLOCK; list++)
        task -= (list->count + BLOCK - 1) / BLOCK;
    const size_t begin = (size_t)task * BLOCK, end = begin + BLOCK < list->count ? begin + BLOCK : list->count;
    batch b = {.count = 0};
    for (const eb_shared_pair *k = list->pair + begin; k < list->pair + end; k++) {
        const size_t row = k->i, column = f->e->first_column + k->j;
        if (is_asked_for(f, k) && !is_left_out(f, row) && !is_left_out(f, column) &&
            may_hit(f, row, column, (double)k->least))
            EB_TRY(add(f, thread, &b, row, column, status));
    }
    return decide(f, thread, &b, status);
}

static eb_code take_shared(finding *f, eb_status *status)
{
    const eb_context *context = f->e->finder.context;
    uint64_t blocks = 0;
    for (unsigned k = 0; k < f->shared->lists; k++)
        blocks += (f->shared->list[k].count + BLOCK - 1) / BLOCK;
    return eb_parallel(context->threads, blocks, shared_block, f, context->job, status);
}

/* ---- points whose pairs are all computed ---- */

/* Parts of a share take points in turns, because in a self-join a later point has fewer pairs left. */
static bool is_of_part(const finding *f, uint64_t point)
{
    const eb_share *share = &f->to->share;
    return point % share->parts == share->part;
}

/* All pairs of a left point but those of a self-join that an earlier point has visited: points of the share if every
 * row is visited, otherwise points that are left out. */
static eb_code all_of_row(const finding *f, unsigned thread, size_t row, bool every, eb_status *status)
{
    const eb_emulated *e = f->e;
    batch b = {.count = 0};
    for (size_t column = e->first_column; column < e->places; column++) {
        const bool earlier = f->to->self && column < row;
        if (f->to->self && column == row)
            continue;
        if (earlier && (every ? eb_is_row(f->to, column) : is_left_out(f, column)))
            continue;
        EB_TRY(add(f, thread, &b, row, column, status));
    }
    return decide(f, thread, &b, status);
}

/* The pairs of a right point of two sets with the left points that are not left out. */
static eb_code all_of_column(const finding *f, unsigned thread, size_t column, eb_status *status)
{
    batch b = {.count = 0};
    for (size_t row = 0; row < f->e->first_column; row++)
        if (!is_left_out(f, row))
            EB_TRY(add(f, thread, &b, row, column, status));
    return decide(f, thread, &b, status);
}

static eb_code left_out_point(void *context, uint64_t place, unsigned thread, eb_status *status)
{
    const finding *f = context;
    if (!is_left_out(f, place) || !is_of_part(f, place))
        return EB_OK;
    if (f->e->first_column && place >= f->e->first_column)
        return all_of_column(f, thread, place, status);
    return all_of_row(f, thread, place, false, status);
}

static eb_code every_pair_of(void *context, uint64_t row, unsigned thread, eb_status *status)
{
    const finding *f = context;
    if (!eb_is_row(f->to, row) || !is_of_part(f, row))
        return EB_OK;
    EB_TRY(all_of_row(f, thread, row, true, status));
    eb_job_advance(f->e->finder.context->job, 1);
    return EB_OK;
}

/* ---- a question ---- */

static const eb_figure finding_candidates = {"candidates_s", "candidates", EB_SECONDS, EB_FIGURE_PART, 0};

static eb_code open_exact(eb_emulated *e, eb_status *status)
{
    e->lent.job = e->finder.context->job;
    return e->opened ? EB_OK : e->candidates->open(e->finder.problem, &e->lent, &e->opened, status);
}

static eb_question question_of(const finding *f, const eb_question *question)
{
    eb_question wider = *question;
    wider.eps = f->reach.eps;
    wider.expected = 0;
    wider.pairs_alone = true;
    return wider;
}

/* Opens `exact` and lets it choose its way for this question, by asking for no rows. Its time is not the join's: a
 * forecast from a small part of the work would take it for the part's. */
static eb_code prepare_exact(eb_emulated *e, const finding *f, const eb_question *question, eb_status *status)
{
    const double start = eb_now_s();
    const eb_question wider = question_of(f, question);
    const eb_share none = eb_share_rows(0, 0);
    uint64_t entries;
    EB_TRY(open_exact(e, status));
    if (question->schedule.kind != EB_SCHEDULE_LIST)
        EB_TRY(e->candidates->count(e->opened, &wider, &none, &entries, status));
    eb_figures_add(e->finder.context->figures, &eb_figure_setup, eb_now_s() - start);
    return EB_OK;
}

static eb_code ask_candidates(eb_emulated *e, finding *f, const eb_question *question, eb_status *status)
{
    const eb_sink sink = {.context = f, .hits = candidates};
    const eb_question wider = question_of(f, question);
    return e->candidates->join(e->opened, &wider, &f->to->share, &sink, status);
}

/* Sets f->shared if the problem's shared candidates are of use: not to a part of the work, whose time stands for the
 * whole. Finds them first, in time of their own. */
static eb_code share(eb_emulated *e, finding *f, eb_status *status)
{
    const eb_context *context = e->finder.context;
    eb_shared_pairs *c = e->finder.problem->shared;
    const double start = eb_now_s();
    if (!c || !eb_shared_are_planned(c) || f->to->share.parts > 1 || isinf(f->reach.eps))
        return EB_OK;
    if (c->within < 0 && !c->refused) {
        EB_TRY(open_exact(e, status));
        EB_TRY(eb_shared_find(c, e->candidates, e->opened, e->finder.problem, &e->lent, status));
        eb_figures_add(context->figures, &finding_candidates, eb_now_s() - start);
    }
    if (c->within < f->reach.eps)
        return EB_OK;
    f->shared = c;
    eb_emulated_reach all;
    leave_out(e, f->limit, INFINITY, &all);
    if (all.eps <= c->within)
        f->reach = all;
    return EB_OK;
}

static eb_code find_near(eb_emulated *e, finding *f, const eb_question *question, eb_status *status)
{
    const eb_context *context = e->finder.context;
    EB_TRY(f->shared ? take_shared(f, status) : ask_candidates(e, f, question, status));
    if (f->reach.left_out == 0)
        return EB_OK;
    return eb_parallel(context->threads, e->places, left_out_point, f, context->job, status);
}

static eb_code find_within(eb_emulated *e, finding *f, const eb_question *question, eb_status *status)
{
    const eb_context *context = e->finder.context;
    if (!isinf(f->reach.eps))
        return find_near(e, f, question, status);
    return eb_parallel(context->threads, e->finder.problem->left->n, every_pair_of, f, context->job, status);
}

static eb_code find(void *state, const eb_question *question, const eb_collector *to, eb_status *status)
{
    eb_emulated *e = state;
    _Atomic uint64_t computed = 0;
    finding f = {.e = e,
                 .to = to,
                 .limit = eb_squared_threshold(question->eps),
                 .rounding = rounding_of(e),
                 .computed = &computed};
    EB_TRY(eb_emulated_reach_of(e, question->eps, &f.reach, status));
    if (question->schedule.kind == EB_SCHEDULE_LIST) /* `exact` finds the listed pairs, all of them if need be */
        f.reach = (eb_emulated_reach){.eps = reach_of_all(e, f.limit), .moved = INFINITY, .width = INFINITY};
    else
        EB_TRY(share(e, &f, status));
    e->shared = f.shared != NULL;
    f.sifts = e->near && f.reach.eps > WIDE_REACH * question->eps;
    if (!f.shared && !isinf(f.reach.eps))
        EB_TRY(prepare_exact(e, &f, question, status));
    const double start = eb_now_s();
    const eb_code failed = find_within(e, &f, question, status);
    eb_figures_add(e->finder.context->figures, &eb_figure_kernel, eb_now_s() - start);
    eb_figures_add(e->finder.context->figures, &eb_figure_executed_flops,
                   2 * (double)computed * (double)e->finder.problem->left->d);
    return failed;
}

/* ---- distances ---- */

typedef struct measuring {
    const eb_emulated *e;
    const uint32_t *rows;
    double *out;
    size_t columns, blocks; /* right points; blocks of them */
} measuring;

static eb_code measure_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread, (void)status;
    const measuring *m = context;
    const size_t query = (size_t)(task / m->blocks), first = (size_t)(task % m->blocks) * EB_EMULATED_BATCH;
    const size_t count = m->columns - first < EB_EMULATED_BATCH ? m->columns - first : EB_EMULATED_BATCH;
    uint32_t rows[EB_EMULATED_BATCH], columns[EB_EMULATED_BATCH];
    double *out = m->out + query * m->columns + first;
    for (size_t k = 0; k < count; k++) {
        rows[k] = m->rows[query];
        columns[k] = (uint32_t)(m->e->first_column + first + k);
    }
    m->e->squared(m->e, rows, columns, count, out);
    if (eb_is_self_join(m->e->finder.problem) && m->rows[query] - first < count)
        out[m->rows[query] - first] = 0;
    if ((task + 1) % m->blocks == 0)
        eb_job_advance(m->e->finder.context->job, 1);
    return EB_OK;
}

eb_code eb_emulated_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    const eb_emulated *e = state;
    const eb_context *context = e->finder.context;
    const size_t columns = e->finder.problem->right->n, blocks = (columns + EB_EMULATED_BATCH - 1) / EB_EMULATED_BATCH;
    measuring all = {e, rows, out, columns, blocks};
    for (size_t q = 0; q < m; q++)
        if (rows[q] >= e->finder.problem->left->n)
            return eb_fail(status, EB_INTERNAL, "distances from point %u of %zu", rows[q], e->finder.problem->left->n);
    return eb_parallel(context->threads, (uint64_t)m * blocks, measure_block, &all, context->job, status);
}

typedef struct listed {
    const eb_emulated *e;
    const uint32_t *rows, *columns;
    size_t count;
    double *s;
} listed;

static eb_code measure_listed(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    const listed *l = context;
    const size_t first = (size_t)task * EB_EMULATED_BATCH;
    const size_t count = l->count - first < EB_EMULATED_BATCH ? l->count - first : EB_EMULATED_BATCH;
    uint32_t columns[EB_EMULATED_BATCH];
    for (size_t k = 0; k < count; k++) {
        if (l->rows[first + k] >= l->e->finder.problem->left->n ||
            l->columns[first + k] >= l->e->finder.problem->right->n)
            return eb_fail(status, EB_INTERNAL, "a pair of points %u and %u", l->rows[first + k],
                           l->columns[first + k]);
        columns[k] = (uint32_t)l->e->first_column + l->columns[first + k];
    }
    l->e->squared(l->e, l->rows + first, columns, count, l->s + first);
    return EB_OK;
}

eb_code eb_emulated_pairs(void *state, const uint32_t *rows, const uint32_t *columns, size_t count, double *s,
                          eb_status *status)
{
    const eb_emulated *e = state;
    const eb_context *context = e->finder.context;
    listed l = {e, rows, columns, count, s};
    return eb_parallel(context->threads, (count + EB_EMULATED_BATCH - 1) / EB_EMULATED_BATCH, measure_listed, &l,
                       context->job, status);
}
