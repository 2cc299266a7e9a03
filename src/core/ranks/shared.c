#include "core/ranks/shared.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/ranks/part.h"

static const eb_figure waiting = {"ranks_s", "other ranks", EB_SECONDS, EB_FIGURE_PART, 0};
static const eb_figure sent_bytes = {"sent_bytes", "sent between ranks", EB_BYTES, EB_FIGURE_FACT, 0};

/* Figures that add up over shares of the work. All others are rank 0's. */
static const char *const summed[] = {"executed_flops", "energy_j", "candidates", "candidates_a_point",
                                     "rechecked",      "band",     "leaf_pairs"};
enum { SUMMED = sizeof summed / sizeof summed[0] };

/* ---- the problem, told to the others ---- */

static eb_code tell_problem(eb_shared *s, eb_status *status)
{
    const eb_setup *setup = s->inner.setup;
    const unsigned threads = s->inner.context.threads;
    eb_packet packet = eb_shared_packet(s);
    eb_put_u64(&packet, s->left);
    eb_put_u64(&packet, s->right);
    eb_put_text(&packet, setup->spec);
    eb_put_u64(&packet, setup->device.kind);
    eb_put_u64(&packet, threads == eb_ranks_at(s->ranks, 0)->place.cores ? 0 : threads);
    eb_put_u64(&packet, threads);
    eb_put_u64(&packet, setup->resources.memory_limit);
    eb_put(&packet, setup->device.limit, sizeof setup->device.limit);
    return eb_ranks_tell(s->ranks, EB_ASK_OPEN, &packet, status);
}

static eb_code tell(eb_shared *s, eb_status *status)
{
    eb_job *job = s->outer->context.job;
    const eb_problem *stored = &s->stored;
    if (s->told)
        return EB_OK;
    EB_TRY(eb_points_share(s->ranks, stored->left, job, &s->left, status));
    s->right = s->left;
    eb_code failed = eb_is_self_join(stored) ? EB_OK : eb_points_share(s->ranks, stored->right, job, &s->right, status);
    if (!failed) {
        s->told = true;
        return tell_problem(s, status);
    }
    eb_points_leave(s->ranks, s->left);
    return failed;
}

/* ---- answers ---- */

static eb_code take_answer(void *context, unsigned from, eb_packet *packet, eb_status *status)
{
    eb_asked *a = context;
    char key[64];
    a->kernel_s = fmax(a->kernel_s, eb_get_f64(packet));
    for (uint64_t left = eb_get_u64(packet); left > 0 && !packet->failed; left--) {
        eb_get_text(packet, key, sizeof key);
        const double value = eb_get_f64(packet);
        for (size_t k = 0; k < SUMMED; k++)
            a->sums[k] += strcmp(key, summed[k]) == 0 ? value : 0;
        a->limits += strcmp(key, "limit_flops") == 0 ? value : 0;
    }
    eb_get_text(packet, a->description + (size_t)from * EB_DESCRIBED, EB_DESCRIBED);
    return a->answer ? a->answer(a->question, from, packet, status) : EB_OK;
}

static eb_code take_part(void *context, const eb_message *message, eb_status *status)
{
    const eb_asked *a = context;
    return a->take ? a->take(a->question, message, status) : EB_OK;
}

static eb_code do_own(void *context, eb_job *job, eb_status *status)
{
    eb_asked *a = context;
    eb_opened *inner = &a->shared->inner;
    const double start = eb_now_s();
    inner->context.job = job;
    const eb_code failed = a->own(a->question, status);
    inner->context.job = a->shared->outer->context.job;
    a->own_s = eb_now_s() - start;
    return failed;
}

static double value_or_0(const eb_figures *figures, const char *key)
{
    const eb_figure *found = figures ? eb_figures_find(figures, key) : NULL;
    return found ? found->value : 0;
}

/* The kernels' time is that of the slowest rank; what rank 0 waits beyond that has a figure of its own. */
static void add_figures(const eb_asked *a, double waited_s, double own_kernel_s)
{
    eb_figures *figures = a->shared->outer->context.figures;
    if (!figures)
        return;
    const double longer_s = fmin(fmax(0, a->kernel_s - own_kernel_s), waited_s);
    if (longer_s > 0)
        eb_figures_add(figures, &eb_figure_kernel, longer_s);
    eb_figures_add(figures, &waiting, waited_s - longer_s);
    eb_figures_add(figures, &sent_bytes, (double)eb_ranks_sent(a->shared->ranks));
    for (size_t k = 0; k < SUMMED; k++) {
        const eb_figure *own = eb_figures_find(figures, summed[k]);
        if (own)
            eb_figures_add(figures, own, a->sums[k]);
    }
    const eb_figure *limit = eb_figures_find(figures, "limit_flops");
    if (limit && a->limits > 0) /* the engine has set its own one during the question */
        eb_figures_set(figures, limit, limit->value + a->limits);
}

/* Ranks that compute in other ways may cut the work otherwise, and pairs would be missing. */
static eb_code compare_descriptions(const eb_asked *a, eb_status *status)
{
    const eb_opened *inner = &a->shared->inner;
    char own[EB_DESCRIBED];
    (void)snprintf(own, sizeof own, "%s", inner->run->describe ? inner->run->describe(inner->state) : "");
    for (unsigned r = 1; r < eb_ranks_count(a->shared->ranks); r++) {
        const char *other = a->description + (size_t)r * EB_DESCRIBED;
        if (strcmp(own, other) != 0)
            return eb_fail(status, EB_NO_ENGINE,
                           "rank %u computes otherwise than rank 0 (%s; %s), so that their parts do not fit together: "
                           "all ranks need the same processor and the same build",
                           r, other, own);
    }
    return EB_OK;
}

eb_packet eb_shared_packet(const eb_shared *shared)
{
    eb_packet packet = {.failed = false};
    eb_put_u64(&packet, shared->number);
    return packet;
}

eb_code eb_shared_ask(eb_asked *a, uint32_t kind, eb_packet *packet, eb_status *status)
{
    eb_shared *s = a->shared;
    const eb_figures *figures = s->outer->context.figures;
    const double kernel_s = value_or_0(figures, eb_figure_kernel.key);
    eb_round round = {.kind = kind,
                      .job = s->outer->context.job,
                      .own = do_own,
                      .take = take_part,
                      .answer = take_answer,
                      .context = a};
    s->inner.context.figures = s->outer->context.figures;
    eb_code failed = tell(s, status);
    a->description = calloc(eb_ranks_count(s->ranks), EB_DESCRIBED);
    if (!failed && !a->description)
        failed = eb_fail_memory(status, "answers", eb_ranks_count(s->ranks) * EB_DESCRIBED);
    const double start = eb_now_s();
    round.packet = *packet;
    *packet = (eb_packet){.failed = false};
    if (!failed)
        failed = eb_ranks_ask(s->ranks, &round, status);
    else
        eb_message_free(&(eb_message){.bytes = round.packet.bytes});
    if (!failed) {
        add_figures(a, fmax(0, eb_now_s() - start - a->own_s),
                    value_or_0(figures, eb_figure_kernel.key) - kernel_s);
        failed = a->cut ? compare_descriptions(a, status) : EB_OK;
    }
    free(a->description);
    return failed;
}

/* ---- pairs: counting and joining ---- */

static void put_question(eb_packet *packet, const eb_question *question, const eb_share *share)
{
    eb_put_f64(packet, question->eps);
    eb_put_u64(packet, question->schedule.kind);
    eb_put_u64(packet, question->expected);
    eb_put_u64(packet, question->pairs_alone);
    eb_put_u64(packet, share->row_begin);
    eb_put_u64(packet, share->row_end);
    eb_put_u64(packet, share->part);
    eb_put_u64(packet, share->parts);
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
    p->others += eb_get_u64(packet);
    return EB_OK;
}

static pairs pairs_of(eb_shared *s, const eb_question *question, const eb_share *share)
{
    return (pairs){.shared = s,
                   .question = question,
                   .part = eb_share_of_rank(share, 0, eb_ranks_count(s->ranks))};
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

static eb_code other_hits(void *context, const eb_message *message, eb_status *status)
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
