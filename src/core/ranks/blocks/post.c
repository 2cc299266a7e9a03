#include "core/ranks/blocks/post.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/thread.h"

#define PIECE_BYTES ((size_t)4 << 20)

void eb_post_open(eb_post *post, const eb_transport *transport)
{
    *post = (eb_post){.transport = transport};
    (void)pthread_mutex_init(&post->lock, NULL);
    eb_condition_init(&post->changed);
}

static void drop(eb_post *post, eb_passing **at)
{
    eb_passing *p = *at;
    *at = p->next;
    post->passing_bytes -= p->bytes;
    free(p->rows);
    free(p);
}

static void drop_all(eb_post *post)
{
    while (post->passing)
        drop(post, &post->passing);
}

void eb_post_close(eb_post *post)
{
    drop_all(post);
    free(post->want);
    (void)pthread_mutex_destroy(&post->lock);
    (void)pthread_cond_destroy(&post->changed);
}

static eb_passing **find(eb_post *post, unsigned from)
{
    eb_passing **at = &post->passing;
    while (*at && (*at)->from != from)
        at = &(*at)->next;
    return at;
}

/* ---- letters ---- */

/* Without memory the other rank waits in vain, until the question that fails here is cancelled there. */
static void take_want(eb_post *post, const eb_letter *letter)
{
    eb_packet packet = eb_packet_of(letter);
    eb_want want = {.number = letter->number, .from = letter->from};
    want.rows.begin = (size_t)eb_unpack_u64(&packet);
    want.rows.end = (size_t)eb_unpack_u64(&packet);
    if (letter->number < post->newest || packet.failed)
        return;
    if (eb_array_grow(&post->want, post->wants, &post->room, sizeof *post->want, 8))
        post->want[post->wants++] = want;
    else if (!post->failure.code)
        (void)eb_fail_memory(&post->failure, "requests for points", post->room * sizeof *post->want);
}

static void take_piece(eb_post *post, const eb_letter *letter)
{
    eb_packet packet = eb_packet_of(letter);
    eb_passing *p = letter->number == post->number ? *find(post, letter->from) : NULL;
    const uint64_t at = eb_unpack_u64(&packet);
    const size_t size = letter->size - packet.at;
    if (packet.failed || !p || at > p->bytes || size > p->bytes - at)
        return;
    eb_unpack(&packet, p->rows + at, size);
    p->arrived += size;
}

void eb_post_take(eb_post *post, const eb_letter *letter)
{
    (void)pthread_mutex_lock(&post->lock);
    if (letter->kind == EB_WANT)
        take_want(post, letter);
    else
        take_piece(post, letter);
    (void)pthread_cond_broadcast(&post->changed);
    (void)pthread_mutex_unlock(&post->lock);
}

/* ---- sending ---- */

static eb_code send_rows(const eb_post *post, const eb_want *want, eb_status *status)
{
    const eb_dataset *block = post->block;
    const size_t row_bytes = block->d * eb_dtype_size(block->dtype), count = want->rows.end - want->rows.begin,
                 at_once = row_bytes < PIECE_BYTES ? PIECE_BYTES / row_bytes : 1;
    if (eb_rows_empty(want->rows) || want->rows.begin < post->first || want->rows.end - post->first > block->n)
        return eb_fail(status, EB_INTERNAL, "rank %u wants rows %zu to %zu of a block of rows %zu to %zu", want->from,
                       want->rows.begin, want->rows.end, post->first, post->first + block->n);
    for (size_t done = 0; done < count; done += at_once) {
        const size_t now = count - done < at_once ? count - done : at_once;
        eb_packet packet = {.failed = false};
        eb_pack_u64(&packet, done * row_bytes);
        const size_t first = want->rows.begin - post->first + done;
        if (block->stride == row_bytes)
            eb_pack(&packet, eb_row(block, first), now * row_bytes);
        for (size_t k = 0; k < now && block->stride != row_bytes; k++)
            eb_pack(&packet, eb_row(block, first + k), row_bytes);
        EB_TRY(eb_packet_send(post->transport, want->from, EB_PASSING, post->number, &packet, status));
        EB_TRY(eb_job_check(post->job, status));
    }
    return EB_OK;
}

/* Takes the first request of the present question; false: there is none. The lock is held. */
static bool next_want(eb_post *post, eb_want *out)
{
    size_t at = 0;
    while (at < post->wants && post->want[at].number != post->number)
        at++;
    if (at == post->wants)
        return false;
    *out = post->want[at];
    memmove(post->want + at, post->want + at + 1, (post->wants - at - 1) * sizeof *post->want);
    post->wants--;
    return true;
}

/* Until all takers are served, or the question has failed or is cancelled. */
static void *send_all(void *argument)
{
    eb_post *post = argument;
    (void)pthread_mutex_lock(&post->lock);
    while (post->takers > 0 && !post->stopping && !post->failure.code) {
        eb_want want;
        eb_status why = {.code = EB_OK};
        if (!next_want(post, &want)) {
            const struct timespec until = eb_time_after(EB_JOB_LOOK_S);
            (void)pthread_cond_timedwait(&post->changed, &post->lock, &until);
            post->stopping |= eb_job_cancelled(post->job);
            continue;
        }
        (void)pthread_mutex_unlock(&post->lock);
        const eb_code failed = send_rows(post, &want, &why);
        (void)pthread_mutex_lock(&post->lock);
        post->takers--;
        if (failed && !post->failure.code)
            post->failure = why;
        (void)pthread_cond_broadcast(&post->changed);
    }
    (void)pthread_mutex_unlock(&post->lock);
    return NULL;
}

/* ---- a question ---- */

eb_code eb_post_begin(eb_post *post, uint64_t number, const eb_dataset *block, size_t first, unsigned takers,
                      eb_job *job, eb_status *status)
{
    (void)pthread_mutex_lock(&post->lock);
    post->number = post->newest = number;
    post->block = block;
    post->first = first;
    post->takers = takers;
    post->job = job;
    post->stopping = false;
    post->peak_bytes = 0;
    size_t kept = 0;
    for (size_t k = 0; k < post->wants; k++)
        if (post->want[k].number >= number)
            post->want[kept++] = post->want[k];
    post->wants = kept;
    (void)pthread_mutex_unlock(&post->lock);
    const int error = eb_thread_start(&post->sender, send_all, post);
    if (!error)
        return EB_OK;
    post->number = 0;
    return eb_fail(status, EB_IO, "cannot start a thread: %s", strerror(error));
}

eb_code eb_post_ask(eb_post *post, unsigned from, eb_rows rows, size_t row_bytes, eb_status *status)
{
    eb_packet packet = {.failed = false};
    eb_passing *p = malloc(sizeof *p);
    const size_t bytes = (rows.end - rows.begin) * row_bytes;
    unsigned char *to = p ? malloc(bytes) : NULL;
    if (!to) {
        free(p);
        return eb_fail_memory(status, "another rank's points", bytes);
    }
    (void)pthread_mutex_lock(&post->lock);
    *p = (eb_passing){.from = from, .rows = to, .bytes = bytes, .next = post->passing};
    post->passing = p;
    post->passing_bytes += bytes;
    if (post->passing_bytes > post->peak_bytes)
        post->peak_bytes = post->passing_bytes;
    (void)pthread_mutex_unlock(&post->lock);
    eb_pack_u64(&packet, rows.begin);
    eb_pack_u64(&packet, rows.end);
    return eb_packet_send(post->transport, from, EB_WANT, post->number, &packet, status);
}

eb_code eb_post_wait(eb_post *post, unsigned from, const unsigned char **out, eb_status *status)
{
    eb_code failed = EB_OK;
    (void)pthread_mutex_lock(&post->lock);
    const eb_passing *p = *find(post, from);
    while (!failed && p->arrived < p->bytes) {
        const struct timespec until = eb_time_after(EB_JOB_LOOK_S);
        (void)pthread_cond_timedwait(&post->changed, &post->lock, &until);
        failed = post->failure.code ? eb_fail(status, post->failure.code, "%s", post->failure.message)
                                    : eb_job_check(post->job, status);
    }
    *out = p->rows;
    (void)pthread_mutex_unlock(&post->lock);
    return failed;
}

void eb_post_drop(eb_post *post, unsigned from)
{
    (void)pthread_mutex_lock(&post->lock);
    eb_passing **at = find(post, from);
    if (*at)
        drop(post, at);
    (void)pthread_mutex_unlock(&post->lock);
}

eb_code eb_post_end(eb_post *post, bool failed, eb_status *status)
{
    (void)pthread_mutex_lock(&post->lock);
    post->stopping |= failed;
    (void)pthread_cond_broadcast(&post->changed);
    (void)pthread_mutex_unlock(&post->lock);
    (void)pthread_join(post->sender, NULL);
    (void)pthread_mutex_lock(&post->lock);
    const eb_status why = post->failure;
    post->failure = (eb_status){.code = EB_OK};
    post->number = 0;
    drop_all(post);
    (void)pthread_mutex_unlock(&post->lock);
    if (failed)
        return EB_OK;
    return why.code ? eb_fail(status, why.code, "%s", why.message) : eb_job_check(post->job, status);
}
