#include "core/ranks/shared_open.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/ranks/part.h"
#include "core/ranks/points.h"
#include "core/ranks/shared_pass.h"
#include "core/ranks/shared_queries.h"

/* ---- pairs: counting and joining ---- */

static void put_question(eb_packet *packet, const eb_question *question, const eb_share *share)
{
    eb_pack_f64(packet, question->eps);
    eb_pack_u64(packet, question->schedule.kind);
    eb_pack_u64(packet, question->expected);
    eb_pack_u64(packet, question->pairs_alone);
    eb_pack_u64(packet, share->row_begin);
    eb_pack_u64(packet, share->row_end);
    eb_pack_u64(packet, share->part);
    eb_pack_u64(packet, share->parts);
}

typedef struct pairs {
    eb_shared *shared;
    const eb_question *question;
    eb_share part; /* rank 0's */
    uint64_t entries, others;
    const eb_sink *sink;
    pthread_mutex_t first; /* of the sink's thread 0, which the other ranks' hits share */
} pairs;

static eb_code own_count(void *context, eb_status *status)
{
    pairs *p = context;
    const eb_opened *inner = &p->shared->inner;
    return inner->run->count(inner->state, p->question, &p->part, &p->entries, status);
}

static eb_code other_count(void *context, unsigned from, eb_packet *packet, eb_status *status)
{
    pairs *p = context;
    (void)from;
    (void)status;
    p->others += eb_unpack_u64(packet);
    return EB_OK;
}

static pairs pairs_of(eb_shared *s, const eb_question *question, const eb_share *share)
{
    return (pairs){.shared = s, .question = question, .part = eb_share_of_rank(share, 0, eb_ranks_count(s->ranks))};
}

static eb_code count(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                     eb_status *status)
{
    eb_shared *s = state;
    pairs p = pairs_of(s, question, share);
    eb_asked asked = {.shared = s, .question = &p, .own = own_count, .answer = other_count, .cut = true};
    eb_packet packet = eb_shared_packet(s);
    put_question(&packet, question, share);
    EB_TRY(eb_shared_ask(&asked, EB_ASK_COUNT, &packet, status));
    *entries = p.entries + p.others;
    return EB_OK;
}

static eb_code pass_hits(void *context, unsigned thread, const eb_hit *hits, size_t number, eb_status *status)
{
    pairs *p = context;
    if (thread > 0)
        return p->sink->hits(p->sink->context, thread, hits, number, status);
    (void)pthread_mutex_lock(&p->first);
    const eb_code failed = p->sink->hits(p->sink->context, 0, hits, number, status);
    (void)pthread_mutex_unlock(&p->first);
    return failed;
}

static eb_code own_join(void *context, eb_status *status)
{
    pairs *p = context;
    const eb_opened *inner = &p->shared->inner;
    const eb_sink sink = {.context = p, .hits = pass_hits};
    return inner->run->join(inner->state, p->question, &p->part, &sink, status);
}

static eb_code other_hits(void *context, const eb_letter *message, eb_status *status)
{
    return pass_hits(context, 0, (const eb_hit *)(const void *)message->bytes, message->size / sizeof(eb_hit), status);
}

static eb_code join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                    eb_status *status)
{
    eb_shared *s = state;
    pairs p = pairs_of(s, question, share);
    eb_asked asked = {.shared = s, .question = &p, .own = own_join, .take = other_hits, .cut = true};
    eb_packet packet = eb_shared_packet(s);
    p.sink = sink;
    put_question(&packet, question, share);
    (void)pthread_mutex_init(&p.first, NULL);
    const eb_code failed = eb_shared_ask(&asked, EB_ASK_JOIN, &packet, status);
    (void)pthread_mutex_destroy(&p.first);
    return failed;
}

/* ---- what rank 0 answers alone ---- */

static const char *describe(const void *state)
{
    const eb_shared *s = state;
    const char *own = s->inner.run->describe ? s->inner.run->describe(s->inner.state) : "";
    char *text = ((eb_shared *)(uintptr_t)state)->description;
    if (!s->told)
        return own;
    (void)snprintf(text, sizeof s->description, "%s%s%u ranks", own, own[0] ? ", " : "", eb_ranks_count(s->ranks));
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
    free(s);
}

/* Functions that the engine lacks stay NULL, except for bins and pairs. */
static eb_implementation functions_of(const eb_implementation *own)
{
    return (eb_implementation){.probe = own->probe,
                               .memory_needed = own->memory_needed,
                               .open = own->open,
                               .count = count,
                               .join = join,
                               .histogram = eb_shared_histogram,
                               .distances = eb_shared_distances,
                               .close = close_shared,
                               .describe = describe,
                               .bins = eb_shared_bins,
                               .self = own->self ? self : NULL,
                               .prepare = own->prepare,
                               .nearest = own->nearest ? nearest : NULL,
                               .pairs = some_pairs,
                               .rounded = own->rounded ? rounded : NULL,
                               .complete_eps = own->complete_eps ? complete_eps : NULL,
                               .reach_eps = own->reach_eps ? reach_eps : NULL,
                               .search_eps = own->search_eps ? search_eps : NULL};
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
    *s = (eb_shared){.ranks = ranks, .outer = out, .stored = *problem, .run = functions_of(setup->run)};
    s->number = atomic_fetch_add(&problems, 1) + 1;
    const eb_code failed = eb_problem_open_here(setup, problem, job, &s->inner, status);
    if (failed) {
        free(s);
        return failed;
    }
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
