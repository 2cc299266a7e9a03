#include "core/ranks/rounds.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/thread.h"

#define HELLO_S 30.0 /* for all ranks to report */
#define LISTEN_S 0.1

typedef struct present {
    eb_round *round;
    uint64_t number; /* 0: no question */
    unsigned answers;
    bool own_done, stopping;
    eb_status failure;
    eb_job *inner;
} present;

struct eb_ranks {
    eb_ranks_request request;
    eb_transport *transport;
    eb_rank_info *info; /* [ranks] */
    void *kept;

    pthread_mutex_t asking; /* one question at a time */
    pthread_t listener;
    _Atomic bool ending;

    pthread_mutex_t lock; /* guards the members below */
    pthread_cond_t changed;
    uint64_t number;
    unsigned hellos;
    present now;
    bool lost;
    eb_status why; /* it was lost */
    uint64_t others_sent, told_sent;
};

unsigned eb_ranks_count(const eb_ranks *ranks) { return ranks ? ranks->transport->ranks : 1; }
const eb_rank_info *eb_ranks_at(const eb_ranks *ranks, unsigned rank) { return &ranks->info[rank]; }
bool eb_ranks_eager(const eb_ranks *ranks) { return ranks->request.eager; }
eb_transport *eb_ranks_transport(eb_ranks *ranks) { return ranks->transport; }
void *eb_ranks_kept(eb_ranks *ranks) { return ranks->kept; }

unsigned eb_ranks_on_a_host(const eb_ranks *ranks)
{
    unsigned most = 1;
    for (unsigned r = 0; ranks && r < ranks->transport->ranks; r++)
        most = ranks->info[r].place.ranks_there > most ? ranks->info[r].place.ranks_there : most;
    return most;
}

uint64_t eb_ranks_sent(eb_ranks *ranks)
{
    (void)pthread_mutex_lock(&ranks->lock);
    const uint64_t all = ranks->others_sent + ranks->transport->sent(ranks->transport->state),
                   more = all - ranks->told_sent;
    ranks->told_sent = all;
    (void)pthread_mutex_unlock(&ranks->lock);
    return more;
}

/* ---- the listener ---- */

/* Keeps the first failure and stops the work on the question. The lock is held. */
static void fail_round(eb_ranks *ranks, const eb_status *why, bool in_words, unsigned from)
{
    present *now = &ranks->now;
    if (now->failure.code == EB_OK && in_words)
        eb_status_set(&now->failure, why->code, "rank %u: %s", from, why->message);
    else if (now->failure.code == EB_OK)
        now->failure = *why;
    if (now->inner)
        eb_job_cancel(now->inner);
    now->stopping = true;
}

static void lose(eb_ranks *ranks, const eb_status *why)
{
    (void)pthread_mutex_lock(&ranks->lock);
    ranks->lost = true;
    ranks->why = *why;
    const bool asked = ranks->now.number != 0; /* then the question's failure says it */
    if (asked)
        fail_round(ranks, why, false, 0);
    (void)pthread_cond_broadcast(&ranks->changed);
    (void)pthread_mutex_unlock(&ranks->lock);
    if (!asked && ranks->request.lost && !atomic_load(&ranks->ending))
        ranks->request.lost(ranks->request.context, why->message);
}

static void take_hello(eb_ranks *ranks, const eb_letter *m)
{
    eb_packet packet = eb_packet_of(m);
    eb_rank_info *info = &ranks->info[m->from];
    eb_unpack(&packet, &info->place, sizeof info->place);
    eb_unpack_text(&packet, info->model, sizeof info->model);
    (void)pthread_mutex_lock(&ranks->lock);
    ranks->hellos++;
    (void)pthread_cond_broadcast(&ranks->changed);
    (void)pthread_mutex_unlock(&ranks->lock);
}

/* The end of a rank's answer: its code and sentence, what it has sent, then the result. */
static void take_answer(eb_ranks *ranks, eb_round *round, const eb_letter *m)
{
    eb_packet packet = eb_packet_of(m);
    eb_status why = {.code = (eb_code)eb_unpack_u64(&packet)}, mine = {.code = EB_OK};
    eb_unpack_text(&packet, why.message, sizeof why.message);
    const uint64_t sent = eb_unpack_u64(&packet);
    if (!why.code)
        mine.code = round->answer(round->context, m->from, &packet, &mine);
    if (!why.code && !mine.code && packet.failed)
        (void)eb_fail(&mine, EB_INTERNAL, "rank %u gives an answer that is too short", m->from);
    (void)pthread_mutex_lock(&ranks->lock);
    ranks->others_sent += sent;
    ranks->now.answers++;
    if (why.code)
        fail_round(ranks, &why, why.code != EB_CANCELLED, m->from);
    else if (mine.code)
        fail_round(ranks, &mine, false, m->from);
    (void)pthread_cond_broadcast(&ranks->changed);
    (void)pthread_mutex_unlock(&ranks->lock);
}

static void take_part(eb_ranks *ranks, eb_round *round, const eb_letter *m)
{
    eb_status why = {.code = EB_OK};
    if (m->kind == EB_PROGRESS) {
        eb_packet packet = eb_packet_of(m);
        eb_job_advance(round->job, eb_unpack_u64(&packet));
        return;
    }
    if (round->take && !round->take(round->context, m, &why))
        return;
    (void)pthread_mutex_lock(&ranks->lock);
    fail_round(ranks, &why, false, m->from);
    (void)pthread_mutex_unlock(&ranks->lock);
}

/* A question ends only when all ranks have answered, so that its round stays while a message of it is handled. */
static void handle(eb_ranks *ranks, const eb_letter *m)
{
    if (m->kind == EB_HELLO) {
        take_hello(ranks, m);
        return;
    }
    (void)pthread_mutex_lock(&ranks->lock);
    eb_round *round = ranks->now.number == m->number ? ranks->now.round : NULL;
    const bool failed = ranks->now.failure.code != EB_OK;
    (void)pthread_mutex_unlock(&ranks->lock);
    if (!round)
        return;
    if (m->kind == EB_ANSWER)
        take_answer(ranks, round, m);
    else if (!failed)
        take_part(ranks, round, m);
}

static void *listen(void *argument)
{
    eb_ranks *ranks = argument;
    while (!atomic_load(&ranks->ending)) {
        eb_letter m;
        bool came = false;
        eb_status why = {.code = EB_OK};
        if (ranks->transport->receive(ranks->transport->state, LISTEN_S, &m, &came, &why)) {
            lose(ranks, &why);
            return NULL;
        }
        if (!came)
            continue;
        handle(ranks, &m);
        eb_letter_free(&m);
    }
    return NULL;
}

/* ---- a question ---- */

typedef struct own_part {
    eb_ranks *ranks;
    eb_round *round;
} own_part;

static eb_code do_own_part(eb_job *job, void *argument, eb_status *status)
{
    const own_part *own = argument;
    eb_ranks *ranks = own->ranks;
    const eb_code failed = own->round->own(own->round->context, job, status);
    eb_transport_wait(ranks->transport, true);
    (void)pthread_mutex_lock(&ranks->lock);
    ranks->now.own_done = true;
    if (failed)
        fail_round(ranks, status, false, 0);
    (void)pthread_cond_broadcast(&ranks->changed);
    (void)pthread_mutex_unlock(&ranks->lock);
    return failed;
}

/* Passes on to the person's job what the own part's job says. */
static void pass_on(eb_job *from, eb_job *to, uint64_t *done)
{
    const eb_progress p = eb_job_progress(from);
    char *remark = eb_job_take_remark(from);
    if (remark)
        eb_job_remark(to, remark);
    free(remark);
    eb_job_aside(to, p.aside);
    if (p.done > *done)
        eb_job_advance(to, p.done - *done);
    *done = p.done;
}

static eb_code ask_to_stop(eb_ranks *ranks, uint64_t number)
{
    eb_packet none = {.failed = false};
    return eb_packet_send_all(ranks->transport, EB_CANCEL, number, &none, NULL);
}

/* Waits for the own part and for all answers. Called with the lock, which it gives up for a while. */
static void wait_for_answers(eb_ranks *ranks, eb_job *job)
{
    present *now = &ranks->now;
    uint64_t done = 0;
    bool told = false;
    while (!now->own_done || (now->answers + 1 < ranks->transport->ranks && !ranks->lost)) {
        const struct timespec until = eb_time_after(EB_JOB_LOOK_S);
        (void)pthread_cond_timedwait(&ranks->changed, &ranks->lock, &until);
        const bool stopping = now->stopping;
        (void)pthread_mutex_unlock(&ranks->lock);
        if (job)
            pass_on(now->inner, job, &done);
        const bool cancelled = eb_job_cancelled(job);
        if (cancelled)
            eb_job_cancel(now->inner);
        if ((stopping || cancelled) && !told)
            told = ask_to_stop(ranks, now->number) == EB_OK || true;
        (void)pthread_mutex_lock(&ranks->lock);
    }
    (void)pthread_mutex_unlock(&ranks->lock);
    if (job)
        pass_on(now->inner, job, &done);
    (void)pthread_mutex_lock(&ranks->lock);
}

static eb_code begin(eb_ranks *ranks, eb_round *round, eb_status *status)
{
    (void)pthread_mutex_lock(&ranks->lock);
    if (ranks->lost) {
        *status = ranks->why;
        (void)pthread_mutex_unlock(&ranks->lock);
        eb_letter_free(&(eb_letter){.bytes = round->packet.bytes});
        return status->code;
    }
    ranks->now = (present){.round = round, .number = ++ranks->number};
    round->number = ranks->now.number;
    (void)pthread_mutex_unlock(&ranks->lock);
    return eb_packet_send_all(ranks->transport, round->kind, ranks->now.number, &round->packet, status);
}

static eb_code ask(eb_ranks *ranks, eb_round *round, eb_status *status)
{
    own_part own = {ranks, round};
    eb_status inner_failure;
    EB_TRY(begin(ranks, round, status));
    (void)pthread_mutex_lock(&ranks->lock); /* the own part ends only when `inner` is known */
    eb_code failed = eb_job_start(do_own_part, &own, &ranks->now.inner, status);
    if (failed) {
        ranks->now.own_done = true;
        ranks->now.inner = NULL;
        fail_round(ranks, status, false, 0);
        (void)pthread_mutex_unlock(&ranks->lock);
        (void)ask_to_stop(ranks, ranks->now.number);
        (void)pthread_mutex_lock(&ranks->lock);
        while (ranks->now.answers + 1 < ranks->transport->ranks && !ranks->lost)
            (void)pthread_cond_wait(&ranks->changed, &ranks->lock);
    } else {
        wait_for_answers(ranks, round->job);
    }
    eb_transport_wait(ranks->transport, false);
    eb_job *inner = ranks->now.inner;
    const eb_status failure = ranks->now.failure;
    const bool lost = ranks->lost;
    ranks->now = (present){.number = 0};
    (void)pthread_mutex_unlock(&ranks->lock);
    if (inner)
        (void)eb_job_finish(inner, &inner_failure);
    if (lost)
        return eb_fail(status, ranks->why.code, "%s", ranks->why.message);
    if (eb_job_cancelled(round->job))
        return eb_job_check(round->job, status);
    return failure.code ? eb_fail(status, failure.code, "%s", failure.message) : EB_OK;
}

eb_code eb_ranks_ask(eb_ranks *ranks, eb_round *round, eb_status *status)
{
    eb_status unwanted;
    (void)pthread_mutex_lock(&ranks->asking);
    const eb_code failed = ask(ranks, round, status ? status : &unwanted);
    (void)pthread_mutex_unlock(&ranks->asking);
    return failed;
}

eb_code eb_ranks_tell(eb_ranks *ranks, uint32_t kind, eb_packet *packet, eb_status *status)
{
    (void)pthread_mutex_lock(&ranks->lock);
    const uint64_t number = ++ranks->number;
    const eb_status why = ranks->why;
    const bool lost = ranks->lost;
    (void)pthread_mutex_unlock(&ranks->lock);
    if (!lost)
        return eb_packet_send_all(ranks->transport, kind, number, packet, status);
    eb_letter_free(&(eb_letter){.bytes = packet->bytes});
    *packet = (eb_packet){.failed = false};
    return eb_fail(status, why.code, "%s", why.message);
}

/* ---- beginning and ending ---- */

static eb_code wait_for_hellos(eb_ranks *ranks, eb_status *status)
{
    const double began_s = eb_now_s();
    (void)pthread_mutex_lock(&ranks->lock);
    while (ranks->hellos + 1 < ranks->transport->ranks && !ranks->lost && eb_now_s() - began_s < HELLO_S) {
        const struct timespec until = eb_time_after(EB_JOB_LOOK_S);
        (void)pthread_cond_timedwait(&ranks->changed, &ranks->lock, &until);
    }
    const unsigned here = ranks->hellos + 1;
    const eb_status why = ranks->why;
    (void)pthread_mutex_unlock(&ranks->lock);
    if (why.code)
        return eb_fail(status, why.code, "%s", why.message);
    return here == ranks->transport->ranks ? EB_OK
                                           : eb_fail(status, EB_IO, "%u of %u ranks have started after %.0f s", here,
                                                     ranks->transport->ranks, HELLO_S);
}

static void free_ranks(eb_ranks *ranks)
{
    (void)pthread_mutex_destroy(&ranks->asking);
    (void)pthread_mutex_destroy(&ranks->lock);
    (void)pthread_cond_destroy(&ranks->changed);
    free(ranks->info);
    free(ranks);
}

eb_code eb_rounds_begin(const eb_ranks_request *request, void *keep, eb_ranks **out, eb_status *status)
{
    const eb_transport *transport = request->transport;
    eb_device cpu;
    eb_ranks *ranks = calloc(1, sizeof *ranks);
    eb_rank_info *info = calloc(transport->ranks, sizeof *info);
    if (!ranks || !info) {
        free(ranks);
        free(info);
        return eb_fail_memory(status, "the ranks", transport->ranks * sizeof *info);
    }
    *ranks = (eb_ranks){.request = *request, .transport = request->transport, .info = info, .kept = keep};
    eb_device_cpu(&cpu);
    info[0].place = transport->place;
    (void)snprintf(info[0].model, sizeof info[0].model, "%.127s", cpu.model);
    (void)pthread_mutex_init(&ranks->asking, NULL);
    (void)pthread_mutex_init(&ranks->lock, NULL);
    eb_condition_init(&ranks->changed);
    if (eb_thread_start(&ranks->listener, listen, ranks) != 0) {
        free_ranks(ranks);
        return eb_fail(status, EB_IO, "cannot start the thread that hears the other ranks");
    }
    const eb_code failed = wait_for_hellos(ranks, status);
    if (failed)
        (void)eb_rounds_end(ranks);
    else
        *out = ranks;
    return failed;
}

bool eb_rounds_end(eb_ranks *ranks)
{
    eb_packet none = {.failed = false};
    (void)eb_ranks_tell(ranks, EB_QUIT, &none, NULL);
    atomic_store(&ranks->ending, true);
    (void)eb_packet_send(ranks->transport, 0, EB_QUIT, 0, &none, NULL); /* wakes the listener */
    (void)pthread_join(ranks->listener, NULL);
    const bool sound = !ranks->lost;
    free_ranks(ranks);
    return sound;
}
