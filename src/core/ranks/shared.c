#include "core/ranks/shared.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/ranks/part.h"
#include "core/ranks/points.h"

static const eb_figure waiting = {"ranks_s", "other ranks", EB_SECONDS, EB_FIGURE_PART, 0};

/* ---- the problem, told to the others ---- */

static eb_code tell_problem(eb_shared *s, eb_status *status)
{
    const eb_setup *setup = s->inner.setup;
    const unsigned threads = s->inner.context.threads;
    eb_packet packet = eb_shared_packet(s);
    eb_pack_u64(&packet, s->left);
    eb_pack_u64(&packet, s->right);
    eb_pack_u64(&packet, s->blocks);
    eb_pack_u64(&packet, s->stored.left->n);
    eb_pack_u64(&packet, s->stored.right->n);
    eb_pack_text(&packet, setup->spec);
    eb_pack_u64(&packet, setup->device.kind);
    eb_pack_u64(&packet, threads == eb_ranks_at(s->ranks, 0)->place.cores ? 0 : threads);
    eb_pack_u64(&packet, threads);
    eb_pack_u64(&packet, setup->resources.memory_limit);
    eb_pack(&packet, setup->device.limit, sizeof setup->device.limit);
    return eb_ranks_tell(s->ranks, EB_ASK_OPEN, &packet, status);
}

static eb_code tell(eb_shared *s, eb_status *status)
{
    eb_job *job = s->outer->context.job;
    const eb_problem *stored = &s->stored;
    if (s->told)
        return EB_OK;
    EB_TRY(eb_points_share(s->ranks, stored->left, s->blocks, job, &s->left, status));
    s->right = s->left;
    eb_code failed =
        eb_is_self_join(stored) ? EB_OK : eb_points_share(s->ranks, stored->right, s->blocks, job, &s->right, status);
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
    a->kernel_s = fmax(a->kernel_s, eb_unpack_f64(packet));
    for (uint64_t left = eb_unpack_u64(packet); left > 0 && !packet->failed; left--) {
        eb_unpack_text(packet, key, sizeof key);
        const double value = eb_unpack_f64(packet);
        for (size_t k = 0; k < EB_MOST_ADDING; k++)
            a->sums[k] += strcmp(key, eb_adding_figure(k)) == 0 ? value : 0;
        a->limits += strcmp(key, "limit_flops") == 0 ? value : 0;
        a->held = strcmp(key, eb_figure_held.key) == 0 ? fmax(a->held, value) : a->held;
    }
    eb_unpack_text(packet, a->description + (size_t)from * EB_DESCRIBED, EB_DESCRIBED);
    return a->answer ? a->answer(a->question, from, packet, status) : EB_OK;
}

static eb_code take_part(void *context, const eb_letter *message, eb_status *status)
{
    const eb_asked *a = context;
    if (message->kind != EB_WANT && message->kind != EB_PASSING)
        return a->take ? a->take(a->question, message, status) : EB_OK;
    if (a->shared->blocks)
        eb_post_take(&a->shared->post, message);
    return EB_OK;
}

static eb_code do_own(void *context, eb_job *job, eb_status *status)
{
    eb_asked *a = context;
    eb_opened *inner = &a->shared->inner;
    const double start = eb_now_s();
    inner->context.job = job;
    a->number = a->round.number;
    eb_blocks_number(inner, a->number);
    const eb_code failed = a->own(a->question, status);
    inner->context.job = a->shared->outer->context.job;
    a->own_s += eb_now_s() - start;
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
    eb_figures_add(figures, &eb_figure_sent, (double)eb_ranks_sent(a->shared->ranks));
    for (size_t k = 0; k < EB_MOST_ADDING; k++) {
        const char *key = eb_adding_figure(k);
        const eb_figure *own = eb_figures_find(figures, key);
        if (!own && a->sums[k] > 0 && strcmp(key, eb_figure_executed_flops.key) == 0)
            own = &eb_figure_executed_flops; /* rank 0 has no point */
        if (own)
            eb_figures_add(figures, own, a->sums[k]);
    }
    const double held = value_or_0(figures, eb_figure_held.key);
    if (held > 0)
        eb_figures_set(figures, &eb_figure_held, fmax(held, a->held));
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

eb_code eb_shared_choice(eb_shared *s, const eb_question *question, unsigned *choice, eb_status *status)
{
    eb_opened *inner = &s->inner;
    *choice = question->choice;
    inner->context.job = s->outer->context.job;
    inner->context.figures = s->outer->context.figures;
    if (question->choice || !inner->run->choose || inner->setup->device.kind == EB_DEVICE_CPU)
        return EB_OK;
    return inner->run->choose(inner->state, question, choice, status);
}

eb_packet eb_shared_packet(const eb_shared *shared)
{
    eb_packet packet = {.failed = false};
    eb_pack_u64(&packet, shared->number);
    return packet;
}

eb_code eb_shared_ask(eb_asked *a, uint32_t kind, eb_packet *packet, eb_status *status)
{
    eb_shared *s = a->shared;
    const eb_figures *figures = s->outer->context.figures;
    const double kernel_s = value_or_0(figures, eb_figure_kernel.key);
    a->round = (eb_round){.kind = kind,
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
    a->round.packet = *packet;
    *packet = (eb_packet){.failed = false};
    if (!failed)
        failed = eb_ranks_ask(s->ranks, &a->round, status);
    else
        eb_letter_free(&(eb_letter){.bytes = a->round.packet.bytes});
    if (!failed) {
        add_figures(a, fmax(0, eb_now_s() - start - a->own_s), value_or_0(figures, eb_figure_kernel.key) - kernel_s);
        failed = a->cut && !s->blocks ? compare_descriptions(a, status) : EB_OK;
    }
    free(a->description);
    return failed;
}
