#ifdef EB_HAVE_MPI

#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/thread.h"
#include "mpi/ends.h"
#include "mpi/mpi.h"
#include "mpi/place.h"

enum { TAG = 1 };

/* Bytes on their way to one rank before a sender waits. */
#define MOST_ON_THE_WAY ((size_t)64 << 20)

/* Bytes that have come and were not taken yet before no more are received; their senders then wait too. */
#define MOST_UNTAKEN ((size_t)256 << 20)

/* Between looks for messages: soon after one in a hurry has come or gone, and later. A look takes some 10 µs from the
 * engine that computes on the same core. */
#define SOON_S 2e-5
#define WAITING_S 1e-4 /* while nothing is computed */
#define LATER_S 1e-3
#define LATE_S 4e-3
#define SOON_LOOKS 200u
#define LATER_LOOKS 400u
#define ENDS_S 0.2 /* between looks for processes that have ended */

typedef struct letter {
    struct letter *next;
    unsigned to;
    eb_letter message;
    MPI_Request request;
} letter;

typedef struct line {
    letter *first, **last;
} line;

/* The end of the process at the other end of a descriptor; -1: it runs on another host. */
typedef struct watched {
    int descriptor;
    long process;
} watched;

typedef struct connection {
    unsigned rank, ranks;
    eb_rank_place place;
    pthread_t thread;
    MPI_Comm all;

    pthread_mutex_t lock; /* guards the members below */
    pthread_cond_t to_send, arrived, gone;
    line outgoing, incoming;
    size_t *on_the_way;        /* [ranks] bytes */
    size_t untaken;            /* bytes of `incoming` */
    bool ready, closing, left; /* left: the thread is done with MPI */
    bool waiting;              /* nothing is computed */
    eb_status why;             /* the connection is lost, or could not be made */

    /* the thread's */
    line sending;
    bool hurried; /* a message in a hurry has come or gone since the last look */
    _Atomic uint64_t sent;

    /* of who receives */
    watched *watched; /* [ranks], of rank 0 */
    double looked_s;  /* when it last looked for ends */
} connection;

static void append(line *to, letter *l)
{
    l->next = NULL;
    *to->last = l;
    to->last = &l->next;
}

static letter *take_first(line *from)
{
    letter *l = from->first;
    if (l && !(from->first = l->next))
        from->last = &from->first;
    return l;
}

static void free_line(line *l)
{
    for (letter *at; (at = take_first(l)) != NULL; free(at))
        eb_letter_free(&at->message);
}

/* ---- ends of processes ---- */

/* Rank 0 watches the processes of its host, and they watch rank 0. (Other hosts' ends it learns from mpirun, which then
 * ends it.) */
static void watch_others(connection *c)
{
    eb_rank_place *place = calloc(c->ranks, sizeof *place);
    c->watched = calloc(c->ranks, sizeof *c->watched);
    if (place)
        (void)MPI_Allgather(&c->place, sizeof c->place, MPI_BYTE, place, sizeof c->place, MPI_BYTE, c->all);
    for (unsigned r = 0; c->watched && place && r < c->ranks; r++) {
        const bool here = r != c->rank && strcmp(place[r].host, c->place.host) == 0;
        c->watched[r] = (watched){here && c->rank == 0 ? eb_end_open(place[r].process) : -1, place[r].process};
        if (here && r == 0)
            eb_end_follow(place[0].process);
    }
    free(place);
}

static bool has_ended(const connection *c, unsigned r) { return c->watched && eb_end_came(c->watched[r].descriptor); }

/* Sets `why` if a watched process has ended. */
static void look_for_ends(connection *c)
{
    for (unsigned r = 1; r < c->ranks; r++) {
        if (!has_ended(c, r))
            continue;
        (void)pthread_mutex_lock(&c->lock);
        if (!c->closing && !c->why.code)
            (void)
                eb_fail(&c->why, EB_IO,
                        "rank %u (process %ld on %s) has ended, so that the run cannot go on; what was finished is in "
                        "the log",
                        r, c->watched[r].process, c->place.host);
        (void)pthread_cond_broadcast(&c->arrived);
        (void)pthread_cond_broadcast(&c->gone);
        (void)pthread_mutex_unlock(&c->lock);
    }
}

/* ---- the thread that calls MPI ---- */

static bool begin_sending(connection *c)
{
    (void)pthread_mutex_lock(&c->lock);
    letter *first = c->outgoing.first;
    c->outgoing.first = NULL;
    c->outgoing.last = &c->outgoing.first;
    (void)pthread_mutex_unlock(&c->lock);
    const bool some = first != NULL;
    for (letter *l = first, *next; l; l = next) {
        next = l->next;
        eb_letter_head *head = (eb_letter_head *)(void *)l->message.bytes - 1;
        *head =
            (eb_letter_head){.kind = l->message.kind, .unhurried = l->message.unhurried, .number = l->message.number};
        c->hurried |= !l->message.unhurried;
        (void)MPI_Isend(head, (int)(sizeof *head + l->message.size), MPI_BYTE, (int)l->to, TAG, c->all, &l->request);
        append(&c->sending, l);
    }
    return some;
}

static bool end_sending(connection *c)
{
    bool some = false;
    for (letter **at = &c->sending.first; *at;) {
        letter *l = *at;
        int done = 0;
        (void)MPI_Test(&l->request, &done, MPI_STATUS_IGNORE);
        if (!done) {
            at = &l->next;
            continue;
        }
        some = true;
        c->hurried |= !l->message.unhurried;
        *at = l->next;
        if (!*at)
            c->sending.last = at;
        (void)pthread_mutex_lock(&c->lock);
        c->on_the_way[l->to] -= l->message.size;
        (void)pthread_cond_broadcast(&c->gone);
        (void)pthread_mutex_unlock(&c->lock);
        eb_letter_free(&l->message);
        free(l);
    }
    return some;
}

static void lose_memory(connection *c, size_t bytes)
{
    (void)pthread_mutex_lock(&c->lock);
    (void)eb_fail_memory(&c->why, "a message from another rank", bytes);
    (void)pthread_cond_broadcast(&c->arrived);
    (void)pthread_mutex_unlock(&c->lock);
}

static bool receive_one(connection *c)
{
    MPI_Message message;
    MPI_Status from;
    int there = 0, bytes = 0;
    (void)pthread_mutex_lock(&c->lock);
    const bool full = c->untaken > MOST_UNTAKEN;
    (void)pthread_mutex_unlock(&c->lock);
    if (full)
        return false;
    (void)MPI_Improbe(MPI_ANY_SOURCE, TAG, c->all, &there, &message, &from);
    if (!there)
        return false;
    (void)MPI_Get_count(&from, MPI_BYTE, &bytes);
    letter *l = malloc(sizeof *l);
    const size_t size = (size_t)bytes - sizeof(eb_letter_head);
    unsigned char *body = l ? eb_letter_bytes(size) : NULL;
    if (!body) {
        free(l);
        lose_memory(c, size);
        return false;
    }
    eb_letter_head *head = (eb_letter_head *)(void *)body - 1;
    (void)MPI_Mrecv(head, bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    *l = (letter){.message = {.kind = head->kind,
                              .unhurried = head->unhurried != 0,
                              .from = (unsigned)from.MPI_SOURCE,
                              .number = head->number,
                              .size = size,
                              .bytes = body}};
    (void)pthread_mutex_lock(&c->lock);
    append(&c->incoming, l);
    c->untaken += size;
    c->hurried |= !l->message.unhurried;
    (void)pthread_cond_signal(&c->arrived);
    (void)pthread_mutex_unlock(&c->lock);
    return true;
}

/* Waits for a message to send, or until it is time to look for messages. False: the connection ends. */
static bool wait_a_while(connection *c, unsigned idle)
{
    (void)pthread_mutex_lock(&c->lock);
    const double later_s = c->waiting ? WAITING_S : idle < LATER_LOOKS ? LATER_S : LATE_S;
    const struct timespec until = eb_time_after(idle < SOON_LOOKS ? SOON_S : later_s);
    if (!c->outgoing.first && !c->why.code && !(c->closing && !c->sending.first))
        (void)pthread_cond_timedwait(&c->to_send, &c->lock, &until);
    const bool goes_on = !c->why.code && !(c->closing && !c->outgoing.first && !c->sending.first);
    (void)pthread_mutex_unlock(&c->lock);
    return goes_on;
}

static void carry_messages(connection *c)
{
    for (unsigned idle = 0;;) {
        c->hurried = false;
        bool worked = begin_sending(c);
        worked |= end_sending(c);
        worked |= receive_one(c);
        idle = c->hurried ? 0 : idle + (!worked && !c->sending.first);
        if (!worked && !wait_a_while(c, idle))
            return;
    }
}

static void tell_ready(connection *c)
{
    (void)pthread_mutex_lock(&c->lock);
    c->ready = true;
    (void)pthread_cond_broadcast(&c->arrived);
    (void)pthread_mutex_unlock(&c->lock);
}

static void *run(void *argument)
{
    connection *c = argument;
    int provided, rank, ranks;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
        (void)eb_fail(&c->why, EB_IO, "MPI cannot start");
        tell_ready(c);
        return NULL;
    }
    (void)MPI_Comm_dup(MPI_COMM_WORLD, &c->all);
    (void)MPI_Comm_rank(c->all, &rank);
    (void)MPI_Comm_size(c->all, &ranks);
    c->rank = (unsigned)rank;
    c->ranks = (unsigned)ranks;
    eb_mpi_place(c->all, c->rank, &c->place);
    watch_others(c);
    c->on_the_way = calloc(c->ranks, sizeof *c->on_the_way);
    if (!c->on_the_way)
        (void)eb_fail_memory(&c->why, "the ranks", c->ranks * sizeof *c->on_the_way);
    tell_ready(c);
    if (!c->why.code)
        carry_messages(c);
    if (!c->why.code) { /* with a rank that has ended this would wait for ever */
        (void)MPI_Comm_free(&c->all);
        (void)MPI_Finalize();
    }
    (void)pthread_mutex_lock(&c->lock);
    c->left = true;
    (void)pthread_cond_broadcast(&c->gone);
    (void)pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* ---- the transport ---- */

static eb_code post(void *state, unsigned to, eb_letter *message, eb_status *status)
{
    connection *c = state;
    letter *l = malloc(sizeof *l);
    if (l && !message->bytes)
        message->bytes = eb_letter_bytes(0);
    if (!l || !message->bytes) {
        free(l);
        eb_letter_free(message);
        return eb_fail_memory(status, "a message", sizeof *l);
    }
    *l = (letter){.to = to, .message = *message};
    message->bytes = NULL;
    (void)pthread_mutex_lock(&c->lock);
    while (c->on_the_way[to] > MOST_ON_THE_WAY && !c->why.code)
        (void)pthread_cond_wait(&c->gone, &c->lock);
    const eb_status why = c->why;
    if (!why.code) {
        c->on_the_way[to] += l->message.size;
        append(&c->outgoing, l);
        (void)pthread_cond_signal(&c->to_send);
        (void)atomic_fetch_add(&c->sent, (uint64_t)(sizeof(eb_letter_head) + l->message.size));
    }
    (void)pthread_mutex_unlock(&c->lock);
    if (!why.code)
        return EB_OK; /* NOLINT(clang-analyzer-unix.Malloc): the outgoing line has the letter */
    eb_letter_free(&l->message);
    free(l);
    return eb_fail(status, why.code, "%s", why.message);
}

/* Not from the thread that calls MPI, which may never return from a message of a process that has ended. */
static void look_now_and_then(connection *c)
{
    if (eb_now_s() - c->looked_s < ENDS_S)
        return;
    look_for_ends(c);
    c->looked_s = eb_now_s();
}

static eb_code take(void *state, double seconds, eb_letter *out, bool *came, eb_status *status)
{
    connection *c = state;
    look_now_and_then(c);
    const struct timespec until = eb_time_after(seconds);
    int late = 0;
    (void)pthread_mutex_lock(&c->lock);
    while (!c->incoming.first && !c->why.code && late != ETIMEDOUT)
        late = pthread_cond_timedwait(&c->arrived, &c->lock, &until);
    letter *l = take_first(&c->incoming);
    if (l)
        c->untaken -= l->message.size;
    const eb_status why = c->why;
    (void)pthread_mutex_unlock(&c->lock);
    *came = l != NULL;
    if (l)
        *out = l->message;
    free(l);
    return l || !why.code ? EB_OK : eb_fail(status, why.code, "%s", why.message);
}

static void wait_idle(void *state, bool on)
{
    connection *c = state;
    (void)pthread_mutex_lock(&c->lock);
    c->waiting = on;
    (void)pthread_cond_signal(&c->to_send);
    (void)pthread_mutex_unlock(&c->lock);
}

static uint64_t sent(void *state) { return atomic_load(&((connection *)state)->sent); }

static void free_connection(connection *c)
{
    free_line(&c->outgoing);
    free_line(&c->incoming);
    free(c->on_the_way);
    for (unsigned r = 0; c->watched && r < c->ranks; r++)
        if (c->watched[r].descriptor >= 0)
            (void)close(c->watched[r].descriptor);
    free(c->watched);
    free(c);
}

/* Waits until the thread is done with MPI. False: it still waits EB_END_GRACE_S after another rank has ended, because
 * that rank died and MPI_Finalize waits for all. */
static bool await_end(connection *c)
{
    double ended_s = 0;
    (void)pthread_mutex_lock(&c->lock);
    while (!c->left && (ended_s == 0 || eb_now_s() - ended_s < EB_END_GRACE_S)) {
        const struct timespec until = eb_time_after(ENDS_S);
        (void)pthread_cond_timedwait(&c->gone, &c->lock, &until);
        for (unsigned r = 1; ended_s == 0 && r < c->ranks; r++)
            ended_s = has_ended(c, r) ? eb_now_s() : 0;
    }
    const bool left = c->left;
    (void)pthread_mutex_unlock(&c->lock);
    return left;
}

static void leave(void *state)
{
    connection *c = state;
    (void)pthread_mutex_lock(&c->lock);
    c->closing = true;
    (void)pthread_cond_broadcast(&c->to_send);
    (void)pthread_mutex_unlock(&c->lock);
    if (!await_end(c))
        return; /* the process ends with its thread */
    (void)pthread_join(c->thread, NULL);
    if (!c->sending.first) /* else MPI still has the bytes of a lost connection */
        free_connection(c);
}

eb_code eb_mpi_open(eb_transport *out, eb_status *status)
{
    connection *c = calloc(1, sizeof *c);
    if (!c)
        return eb_fail_memory(status, "the connection to other ranks", sizeof *c);
    c->outgoing.last = &c->outgoing.first;
    c->incoming.last = &c->incoming.first;
    c->sending.last = &c->sending.first;
    (void)pthread_mutex_init(&c->lock, NULL);
    eb_condition_init(&c->to_send);
    eb_condition_init(&c->arrived);
    eb_condition_init(&c->gone);
    const int error = eb_thread_start(&c->thread, run, c);
    if (error) {
        free(c);
        return eb_fail(status, EB_IO, "cannot start a thread: %s", strerror(error));
    }
    (void)pthread_mutex_lock(&c->lock);
    while (!c->ready)
        (void)pthread_cond_wait(&c->arrived, &c->lock);
    (void)pthread_mutex_unlock(&c->lock);
    if (c->why.code) {
        *status = c->why;
        (void)pthread_join(c->thread, NULL);
        free_connection(c);
        return status->code;
    }
    *out = (eb_transport){.rank = c->rank,
                          .ranks = c->ranks,
                          .place = c->place,
                          .state = c,
                          .send = post,
                          .receive = take,
                          .wait = wait_idle,
                          .sent = sent,
                          .close = leave};
    return EB_OK;
}

#else /* built without MPI */

#include "mpi/mpi.h"

eb_code eb_mpi_open(eb_transport *out, eb_status *status)
{
    (void)out;
    return eb_fail(status, EB_NO_DEVICE,
                   "this program was started as one of %u processes, but was built without MPI; install libopenmpi-dev "
                   "or libmpich-dev, run make again",
                   eb_mpi_processes());
}

#endif
