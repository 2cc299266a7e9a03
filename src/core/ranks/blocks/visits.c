#include "core/ranks/blocks/visits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"

const eb_figure eb_figure_held = {"held_bytes", "points held by a rank, at most", EB_BYTES, EB_FIGURE_FACT, 0};
static const eb_figure waiting = {"passing_s", "waiting for points", EB_SECONDS, EB_FIGURE_PART, 0};

/* ---- one problem ---- */

static bool adds_up(const eb_figure *figure)
{
    bool adds = figure->role == EB_FIGURE_PART;
    for (size_t k = 0; k < EB_MOST_ADDING && !adds; k++)
        adds = strcmp(figure->key, eb_adding_figure(k)) == 0;
    return adds;
}

static void add_figures(eb_figures *to, const eb_figures *from)
{
    for (size_t k = 0; k < from->count; k++) {
        const eb_figure *figure = &from->figure[k];
        if (adds_up(figure))
            eb_figures_add(to, figure, figure->value);
        else
            eb_figures_set(to, figure, figure->value);
    }
}

static void keep_description(eb_blocks *b, const eb_opened *opened)
{
    const char *how = opened->run->describe ? opened->run->describe(opened->state) : "";
    (void)snprintf(b->description, sizeof b->description, "%s", how);
}

eb_code eb_visit_problem(eb_visits *v, const eb_problem *problem, eb_rows rows, const eb_rectangle *of,
                         eb_status *status)
{
    eb_blocks *b = v->b;
    eb_opened opened;
    const eb_share share = {rows.begin, rows.end, v->part, v->parts, NULL};
    EB_TRY(eb_problem_open_here(b->request.setup, problem, b->opened->context.job, &opened, status));
    const eb_code failed = v->visit(v, &opened, &share, of, status);
    if (!failed)
        keep_description(b, &opened);
    eb_problem_close(&opened);
    add_figures(b->opened->context.figures, &opened.figures);
    return failed;
}

eb_dataset eb_blocks_slice(const eb_dataset *of, size_t first, size_t n)
{
    eb_dataset part = *of;
    part.rows = eb_row(of, first);
    part.n = n;
    return part;
}

static eb_code visit_rectangle(eb_visits *v, const eb_rectangle *of, const eb_dataset *right, size_t right_first,
                               eb_status *status)
{
    const eb_blocks *b = v->b;
    const size_t rows = of->left.end - of->left.begin;
    const eb_dataset one = eb_blocks_slice(&b->request.left, of->left.begin - b->own.begin, rows),
                     other = eb_blocks_slice(right, of->right.begin - right_first, of->right.end - of->right.begin);
    const eb_problem problem = {.left = &one, .right = &other};
    return eb_visit_problem(v, &problem, (eb_rows){0, rows}, of, status);
}

/* The rank's block with itself. */
static eb_code visit_own(eb_visits *v, eb_status *status)
{
    const eb_blocks *b = v->b;
    const eb_deal *deal = &v->deal;
    const eb_rows rows = {deal->row_begin > b->own.begin ? deal->row_begin : b->own.begin,
                          deal->row_end < b->own.end ? deal->row_end : b->own.end};
    const eb_problem problem = eb_self_join(&b->request.left);
    if (eb_rows_empty(rows))
        return EB_OK;
    return eb_visit_problem(v, &problem, (eb_rows){rows.begin - b->own.begin, rows.end - b->own.begin}, NULL, status);
}

/* ---- all steps ---- */

static bool passes(const eb_blocks *b, const eb_deal_step *step)
{
    return step->other != eb_blocks_rank(b) && !eb_rows_empty(step->needed);
}

/* Asks for the block of the first step from *step on that needs one. */
static eb_code ask_ahead(const eb_visits *v, unsigned *step, eb_status *status)
{
    const eb_blocks *b = v->b;
    for (; *step < eb_deal_steps(&v->deal); (*step)++) {
        eb_deal_step of;
        eb_deal_at(&v->deal, eb_blocks_rank(b), *step, &of);
        if (passes(b, &of))
            return eb_post_ask(b->request.post, of.other, of.needed, eb_row_bytes(b->request.problem.right), status);
    }
    return EB_OK;
}

static eb_code wait_for(eb_visits *v, const eb_deal_step *step, eb_dataset *out, eb_status *status)
{
    const eb_blocks *b = v->b;
    const unsigned char *rows;
    const double start_s = eb_now_s();
    EB_TRY(eb_post_wait(b->request.post, step->other, &rows, status));
    v->waited_s += eb_now_s() - start_s;
    *out = *b->request.problem.right;
    out->n = step->needed.end - step->needed.begin;
    out->rows = rows;
    out->stride = eb_row_bytes(out);
    return EB_OK;
}

static eb_code visit_step(eb_visits *v, unsigned at, unsigned *asked, eb_status *status)
{
    const eb_blocks *b = v->b;
    eb_deal_step step;
    eb_dataset right = b->request.right;
    eb_deal_at(&v->deal, eb_blocks_rank(b), at, &step);
    const bool passing = passes(b, &step);
    size_t first = eb_block_of(v->deal.others, step.other, eb_blocks_ranks(b)).begin;
    if (passing) {
        EB_TRY(wait_for(v, &step, &right, status));
        first = step.needed.begin;
    }
    if (*asked <= at) {
        *asked = at + 1;
        EB_TRY(ask_ahead(v, asked, status));
    }
    if (at == 0 && v->deal.self)
        EB_TRY(visit_own(v, status));
    for (size_t k = 0; k < step.count; k++)
        EB_TRY(visit_rectangle(v, &step.rectangle[k], &right, first, status));
    if (passing)
        eb_post_drop(b->request.post, step.other);
    return eb_job_check(b->opened->context.job, status);
}

static void add_own_figures(const eb_visits *v)
{
    const eb_blocks *b = v->b;
    const eb_blocks_request *r = &b->request;
    const size_t row_bytes = eb_row_bytes(&r->left);
    const size_t own = r->held ? eb_held_bytes(r->held) : (r->left.n + (v->deal.self ? 0 : r->right.n)) * row_bytes;
    eb_figures_add(b->opened->context.figures, &waiting, v->waited_s);
    eb_figures_set(b->opened->context.figures, &eb_figure_held, (double)(own + r->post->peak_bytes));
}

/* All problems of a question advance the job as one does. */
static eb_code visit_steps(eb_visits *v, eb_status *status)
{
    const eb_blocks *b = v->b;
    eb_job *job = b->opened->context.job;
    const unsigned steps = eb_deal_steps(&v->deal);
    const size_t first = eb_block_of(v->deal.others, eb_blocks_rank(b), eb_blocks_ranks(b)).begin;
    unsigned asked = 0;
    EB_TRY(eb_post_begin(b->request.post, b->number, &b->request.right, first,
                         eb_deal_takers(&v->deal, eb_blocks_rank(b)), job, status));
    eb_job_divide(job, steps);
    eb_code failed = ask_ahead(v, &asked, status);
    for (unsigned at = 0; at < steps && !failed; at++)
        failed = visit_step(v, at, &asked, status);
    eb_job_divide(job, 1);
    const double start_s = eb_now_s();
    const eb_code ended = eb_post_end(b->request.post, failed != EB_OK, status);
    v->waited_s += eb_now_s() - start_s;
    if (!failed && !ended)
        add_own_figures(v);
    return failed ? failed : ended;
}

eb_code eb_visit_all(eb_blocks *b, const eb_share *share, eb_visits *v, eb_status *status)
{
    const unsigned rank = eb_blocks_rank(b), ranks = eb_blocks_ranks(b);
    const eb_problem *problem = &b->request.problem;
    if (share->parts % ranks != 0 || share->part % ranks != rank)
        return eb_fail(status, EB_INTERNAL, "rank %u of %u is asked for part %u of %u", rank, ranks, share->part,
                       share->parts);
    v->b = b;
    v->part = share->part / ranks;
    v->parts = share->parts / ranks;
    v->deal = (eb_deal){.n = problem->left->n,
                        .others = problem->right->n,
                        .self = eb_is_self_join(problem),
                        .row_begin = share->row_begin,
                        .row_end = share->row_end,
                        .ranks = ranks};
    return visit_steps(v, status);
}
