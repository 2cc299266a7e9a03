#include "core/ranks/server/server.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/thread.h"
#include "core/ranks/server/served.h"

#define LISTEN_S 0.1

typedef struct waiting {
    struct waiting *next;
    eb_letter message;
} waiting;

typedef struct server {
    const eb_server_request *request;
    eb_transport *transport;
    eb_holdings has;
    eb_exchange exchange;
    eb_chunk_box chunks;
    eb_served *problems; /* the executor's */
    uint64_t told_sent;  /* the executor's: bytes sent, as rank 0 knows */

    pthread_mutex_t lock; /* guards the members below */
    pthread_cond_t changed;
    waiting *first, **last;
    bool ending;
    eb_job *job; /* the present one; NULL: none */
    eb_letter present;
    uint64_t cancelled; /* the newest question that was cancelled */
    uint64_t reported;  /* progress of the present job that rank 0 knows */
} server;

/* ---- one request ---- */

typedef struct work {
    server *s;
    const eb_letter *message;
    eb_packet *result;
} work;

/* Tells rank 0 the progress since the last time. Called with the lock. */
static void report_progress(server *s)
{
    if (!s->job || s->present.kind == EB_ASK_OPEN)
        return;
    const uint64_t done = eb_job_progress(s->job).done;
    eb_packet packet = {.failed = false};
    if (done <= s->reported)
        return;
    eb_pack_u64(&packet, done - s->reported);
    s->reported = done;
    (void)eb_packet_send(s->transport, 0, EB_PROGRESS, s->present.number, &packet, NULL);
}

static eb_code do_request(eb_job *job, void *argument, eb_status *status)
{
    const work *w = argument;
    server *s = w->s;
    const eb_code failed =
        w->message->kind == EB_ASK_OPEN
            ? eb_served_open(s->request, &s->has, w->message, job, &s->problems, status)
            : eb_served_answer(s->transport, &s->exchange, &s->chunks, w->message, job, s->problems, w->result, status);
    (void)pthread_mutex_lock(&s->lock);
    report_progress(s);
    s->job = NULL;
    (void)pthread_mutex_unlock(&s->lock);
    return failed;
}

static void send_answer(server *s, const eb_letter *message, const eb_status *failure, eb_packet *result)
{
    eb_packet packet = {.failed = false};
    const uint64_t sent = s->transport->sent(s->transport->state);
    const bool too_large = !failure->code && result->failed;
    eb_pack_u64(&packet, too_large ? EB_NO_MEMORY : failure->code);
    eb_pack_text(&packet, too_large ? "out of memory for an answer" : failure->code ? failure->message : "");
    eb_pack_u64(&packet, sent - s->told_sent);
    s->told_sent = sent;
    if (!failure->code && !too_large)
        eb_pack(&packet, result->bytes, result->size);
    (void)eb_packet_send(s->transport, 0, EB_ANSWER, message->number, &packet, NULL);
}

static void run_job(server *s, const eb_letter *message)
{
    eb_packet result = {.failed = false};
    eb_status failure = {.code = EB_OK};
    work w = {s, message, &result};
    eb_job *job = NULL;
    (void)pthread_mutex_lock(&s->lock); /* the job ends only when it is known */
    eb_code failed = eb_job_start(do_request, &w, &job, &failure);
    s->job = job;
    s->present = *message;
    s->reported = 0;
    if (job && (s->ending || (message->kind != EB_ASK_OPEN && s->cancelled == message->number)))
        eb_job_cancel(job);
    (void)pthread_mutex_unlock(&s->lock);
    if (job)
        failed = eb_job_finish(job, &failure);
    failure.code = failed;
    if (message->kind != EB_ASK_OPEN)
        send_answer(s, message, &failure, &result);
    eb_letter_free(&(eb_letter){.bytes = result.bytes});
}

/* ---- the executor ---- */

static uint64_t first_number(const eb_letter *message)
{
    eb_packet packet = eb_packet_of(message);
    return eb_unpack_u64(&packet);
}

static void execute(server *s, const eb_letter *message)
{
    if (message->kind == EB_ASK_CLOSE)
        eb_served_close(&s->problems, first_number(message));
    else if (message->kind == EB_ASK_DROP)
        eb_held_drop(&s->has.points, first_number(message));
    else
        run_job(s, message);
}

static void *execute_all(void *argument)
{
    server *s = argument;
    for (;;) {
        (void)pthread_mutex_lock(&s->lock);
        while (!s->first && !s->ending)
            (void)pthread_cond_wait(&s->changed, &s->lock);
        waiting *w = s->first;
        if (w && !(s->first = w->next))
            s->last = &s->first;
        const bool ending = s->ending;
        (void)pthread_mutex_unlock(&s->lock);
        if (w && !ending)
            execute(s, &w->message);
        if (w)
            eb_letter_free(&w->message);
        free(w);
        if (!w)
            break;
    }
    eb_served_close_all(&s->problems);
    return NULL;
}

/* ---- hearing ---- */

static eb_code put_in_line(server *s, const eb_letter *message, eb_status *status)
{
    waiting *w = malloc(sizeof *w);
    if (!w)
        return eb_fail_memory(status, "a request", sizeof *w);
    *w = (waiting){.message = *message};
    (void)pthread_mutex_lock(&s->lock);
    /* Opening what is closed again is in vain. */
    if (message->kind == EB_ASK_CLOSE && s->job && s->present.kind == EB_ASK_OPEN &&
        first_number(&s->present) == first_number(message))
        eb_job_cancel(s->job);
    *s->last = w;
    s->last = &w->next;
    (void)pthread_cond_signal(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
    return EB_OK;
}

static void cancel(server *s, uint64_t number)
{
    (void)pthread_mutex_lock(&s->lock);
    s->cancelled = number;
    if (s->job && s->present.kind != EB_ASK_OPEN && s->present.number == number)
        eb_job_cancel(s->job);
    (void)pthread_mutex_unlock(&s->lock);
}

/* *quit: rank 0 has ended. Takes the message. */
static eb_code hear(server *s, eb_letter *message, bool *quit, eb_status *status)
{
    switch (message->kind) {
    case EB_POINTS_HEAD:
    case EB_POINTS_PIECE:
    case EB_BLOCK_HEAD:
    case EB_BLOCK_PIECE: return eb_held_take(&s->has.points, s->transport, message, status);
    case EB_HITS:
    case EB_HITS_END: eb_exchange_take(&s->exchange, message); return EB_OK;
    case EB_WANT:
    case EB_PASSING: eb_post_take(&s->has.post, message); break;
    case EB_CHUNK: eb_chunk_arrive(&s->chunks, message); break;
    case EB_CANCEL: cancel(s, message->number); break;
    case EB_QUIT: *quit = true; break;
    default:
        if (!put_in_line(s, message, status))
            return EB_OK;
    }
    eb_letter_free(message);
    return EB_OK;
}

static eb_code hear_all(server *s, eb_status *status)
{
    for (bool quit = false; !quit;) {
        eb_letter message;
        bool came = false;
        EB_TRY(s->transport->receive(s->transport->state, LISTEN_S, &message, &came, status));
        if (came) {
            EB_TRY(hear(s, &message, &quit, status));
            continue;
        }
        (void)pthread_mutex_lock(&s->lock);
        report_progress(s);
        (void)pthread_mutex_unlock(&s->lock);
    }
    return EB_OK;
}

/* Ends the executor: what it computes is cancelled, what waits is dropped. */
static void end(server *s, pthread_t executor)
{
    eb_held_give_up(&s->has.points);
    (void)pthread_mutex_lock(&s->lock);
    s->ending = true;
    if (s->job)
        eb_job_cancel(s->job);
    (void)pthread_cond_signal(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
    (void)pthread_join(executor, NULL);
}

static eb_code say_hello(const server *s, eb_status *status)
{
    eb_packet packet = {.failed = false};
    eb_device cpu;
    eb_device_cpu(&cpu);
    eb_pack(&packet, &s->transport->place, sizeof s->transport->place);
    eb_pack_text(&packet, cpu.model);
    return eb_packet_send(s->transport, 0, EB_HELLO, 0, &packet, status);
}

eb_code eb_serve(const eb_server_request *request, eb_status *status)
{
    pthread_t executor;
    server s = {.request = request, .transport = request->transport};
    s.last = &s.first;
    eb_held_begin(&s.has.points);
    eb_post_open(&s.has.post, request->transport);
    eb_exchange_begin(&s.exchange);
    eb_chunk_box_begin(&s.chunks);
    (void)pthread_mutex_init(&s.lock, NULL);
    (void)pthread_cond_init(&s.changed, NULL);
    const int error = eb_thread_start(&executor, execute_all, &s);
    eb_code failed = error ? eb_fail(status, EB_IO, "cannot start a thread: %s", strerror(error)) : EB_OK;
    if (!failed) {
        failed = say_hello(&s, status);
        if (!failed)
            failed = hear_all(&s, status);
        end(&s, executor);
    }
    eb_exchange_end(&s.exchange);
    eb_chunk_box_end(&s.chunks);
    eb_held_end(&s.has.points);
    eb_post_close(&s.has.post);
    (void)pthread_mutex_destroy(&s.lock);
    (void)pthread_cond_destroy(&s.changed);
    return failed;
}
