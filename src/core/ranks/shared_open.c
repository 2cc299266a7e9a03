#include "core/ranks/shared_open.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/ranks/blocks/holding.h"
#include "core/ranks/points.h"
#include "core/ranks/queries/shared_nearest.h"
#include "core/ranks/queries/shared_queries.h"
#include "core/ranks/shared_pairs.h"
#include "core/ranks/shared_pass.h"

/* ---- what rank 0 answers alone ---- */

static const char *describe(const void *state)
{
    const eb_shared *s = state;
    const char *own = s->inner.run->describe ? s->inner.run->describe(s->inner.state) : "";
    char *text = ((eb_shared *)(uintptr_t)state)->description;
    if (!s->told)
        return own;
    (void)snprintf(text, sizeof s->description, "%s%s%u ranks%s%s", own, own[0] ? ", " : "", eb_ranks_count(s->ranks),
                   s->holding[0] ? ", " : "", s->holding);
    return text;
}

/* The caller may have changed its context since the last question. */
static eb_opened *inner_of(void *state)
{
    eb_shared *s = state;
    s->inner.context.job = s->outer->context.job;
    s->inner.context.figures = s->outer->context.figures;
    return &s->inner;
}

static eb_code self(void *state, double *out, eb_status *status)
{
    eb_opened *inner = inner_of(state);
    return inner->run->self(inner->state, out, status);
}

static eb_code nearest(void *state, const eb_nearest_question *question, size_t first, size_t number, uint32_t *rows,
                       double *distances, eb_status *status)
{
    eb_opened *inner = inner_of(state);
    return inner->run->nearest(inner->state, question, first, number, rows, distances, status);
}

static eb_code some_pairs(void *state, const uint32_t *rows, const uint32_t *columns, size_t number, double *s,
                          eb_status *status)
{
    return eb_ask_pairs(inner_of(state), rows, columns, number, s, status);
}

static eb_code rounded(const void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    const eb_opened *inner = &((const eb_shared *)state)->inner;
    return inner->run->rounded(inner->state, rows, m, out, status);
}

static double complete_eps(const void *state, double eps)
{
    const eb_opened *inner = &((const eb_shared *)state)->inner;
    return inner->run->complete_eps(inner->state, eps);
}

static double reach_eps(const void *state, double eps)
{
    const eb_opened *inner = &((const eb_shared *)state)->inner;
    return inner->run->reach_eps(inner->state, eps);
}

static eb_code choose(void *state, const eb_question *question, unsigned *choice, eb_status *status)
{
    eb_opened *inner = inner_of(state);
    return inner->run->choose(inner->state, question, choice, status);
}

static eb_code search_eps(void *state, double eps, double *out, eb_status *status)
{
    eb_opened *inner = inner_of(state);
    return inner->run->search_eps(inner->state, eps, out, status);
}

/* ---- opening and closing ---- */

static void close_shared(void *state)
{
    eb_shared *s = state;
    if (!s)
        return;
    if (s->told) {
        eb_packet packet = eb_shared_packet(s);
        (void)eb_ranks_tell(s->ranks, EB_ASK_CLOSE, &packet, NULL);
        eb_points_leave(s->ranks, s->left);
        if (s->right != s->left)
            eb_points_leave(s->ranks, s->right);
    }
    (void)inner_of(s);
    eb_problem_close(&s->inner);
    eb_post_close(&s->post);
    free(s);
}

eb_shared *eb_shared_of(const eb_opened *opened) { return opened->run->close == close_shared ? opened->state : NULL; }

/* Functions that the engine lacks stay NULL, except for bins and pairs. */
static eb_implementation functions_of(const eb_implementation *own)
{
    return (eb_implementation){.probe = own->probe,
                               .memory_needed = own->memory_needed,
                               .open = own->open,
                               .count = eb_shared_count,
                               .join = eb_shared_join,
                               .histogram = eb_shared_histogram,
                               .distances = eb_shared_distances,
                               .close = close_shared,
                               .describe = describe,
                               .bins = eb_shared_bins,
                               .self = own->self ? self : NULL,
                               .prepare = own->prepare,
                               .nearest = own->nearest ? nearest : NULL,
                               .nearest_rows = own->nearest_rows ? eb_shared_nearest : NULL,
                               .pairs = some_pairs,
                               .rounded = own->rounded ? rounded : NULL,
                               .complete_eps = own->complete_eps ? complete_eps : NULL,
                               .reach_eps = own->reach_eps ? reach_eps : NULL,
                               .choose = own->choose ? choose : NULL,
                               .search_eps = own->search_eps ? search_eps : NULL};
}

static eb_dataset first_block(const eb_dataset *points, unsigned ranks)
{
    eb_dataset block = *points;
    block.n = eb_block_of(points->n, 0, ranks).end;
    return block;
}

static eb_code open_own(eb_shared *s, const eb_setup *setup, eb_job *job, eb_status *status)
{
    const eb_problem *problem = &s->stored;
    const unsigned ranks = eb_ranks_count(s->ranks);
    s->blocks = eb_holds_blocks(setup, problem, eb_ranks_on_a_host(s->ranks), &s->holding);
    if (!s->blocks)
        return eb_problem_open_here(setup, problem, job, &s->inner, status);
    const eb_blocks_request request = {.setup = setup,
                                       .problem = *problem,
                                       .left = first_block(problem->left, ranks),
                                       .right = first_block(problem->right, ranks),
                                       .post = &s->post};
    s->holding = "each with a block of the points";
    return eb_blocks_open(&request, job, &s->inner, status);
}

static _Atomic uint64_t problems;

eb_code eb_shared_open(void *ranks, const eb_setup *setup, const eb_problem *problem, eb_job *job, eb_opened *out,
                       eb_status *status)
{
    if (eb_ranks_count(ranks) < 2 || setup->index || problem->order)
        return eb_problem_open_here(setup, problem, job, out, status);
    eb_shared *s = calloc(1, sizeof *s);
    if (!s)
        return eb_fail_memory(status, "a problem", sizeof *s);
    *s = (eb_shared){.ranks = ranks, .outer = out, .stored = *problem};
    s->number = atomic_fetch_add(&problems, 1) + 1;
    eb_post_open(&s->post, eb_ranks_transport(ranks));
    const eb_code failed = open_own(s, setup, job, status);
    if (failed) {
        eb_post_close(&s->post);
        free(s);
        return failed;
    }
    s->run = functions_of(s->inner.run);
    *out = (eb_opened){.setup = setup,
                       .run = &s->run,
                       .problem = s->inner.problem,
                       .scaling = s->inner.scaling,
                       .context = s->inner.context,
                       .figures = s->inner.figures,
                       .setup_s = s->inner.setup_s,
                       .state = s};
    out->context.figures = &out->figures;
    s->inner.context.figures = &out->figures;
    (void)eb_ranks_sent(ranks); /* what came before is not this problem's */
    return EB_OK;
}
