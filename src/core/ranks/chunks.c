#include "core/ranks/chunks.h"

#include <math.h>

#include "core/base/clock.h"

/* Fewer parts a rank hardly even out. */
enum { LEAST_A_RANK = 8, MOST_A_RANK = 32, EAGER_A_RANK = 3, FEW_DIMENSIONS = 8 };

/* A part that takes less than a message to and fro, up to 8 ms, would be over before the next run comes. */
#define LEAST_S 0.012
#define LOOK_S 0.05

/* Seconds of a thread for a pair, at least, by the rates of tests/bench/cpu.md. In few dimensions an index may leave
 * little to compute, so that nothing is known. */
unsigned eb_chunks_for(const eb_opened *opened, const eb_share *share, unsigned ranks, bool eager)
{
    const eb_problem *problem = &opened->problem;
    const double d = (double)problem->left->d, rows = (double)(share->row_end - share->row_begin) / share->parts,
                 pairs = rows * (double)problem->right->n * (eb_is_self_join(problem) ? 0.5 : 1),
                 seconds = pairs * (1e-10 + 6e-12 * d) / ((double)opened->context.threads * ranks);
    if (eager)
        return EAGER_A_RANK * ranks;
    if (opened->setup->device.kind != EB_DEVICE_CPU || problem->left->d <= FEW_DIMENSIONS)
        return ranks;
    const double each = fmin(floor(seconds / LEAST_S), MOST_A_RANK);
    return each < LEAST_A_RANK ? ranks : ranks * (unsigned)each;
}

eb_chunks eb_chunks_first(unsigned chunks, unsigned rank, unsigned ranks)
{
    const unsigned each = chunks / ranks, count = each > 1 ? each / 2 : 1;
    return (eb_chunks){rank * count, count};
}

void eb_chunks_begin(eb_chunk_source *source, unsigned chunks, unsigned ranks)
{
    source->chunks = chunks;
    source->ranks = ranks;
    atomic_init(&source->next, ranks * eb_chunks_first(chunks, 0, ranks).count);
}

static eb_chunks next_run(eb_chunk_source *source)
{
    unsigned first = atomic_load(&source->next), count;
    do {
        const unsigned left = source->chunks - first, half = left / 2 / source->ranks;
        count = left == 0 ? 0 : half > 1 ? half : 1;
    } while (!atomic_compare_exchange_weak(&source->next, &first, first + count));
    return (eb_chunks){first, count};
}

eb_code eb_chunks_do(eb_chunk_source *source, eb_chunk_body body, void *context, eb_status *status)
{
    for (eb_chunks run = eb_chunks_first(source->chunks, 0, source->ranks); run.count > 0; run = next_run(source))
        for (unsigned k = 0; k < run.count; k++)
            EB_TRY(body(context, run.first + k, status));
    return EB_OK;
}

eb_code eb_chunk_give(eb_chunk_source *source, const eb_transport *transport, const eb_letter *message,
                      eb_status *status)
{
    eb_packet packet = {.failed = false};
    const eb_chunks run = next_run(source);
    eb_pack_u64(&packet, run.first);
    eb_pack_u64(&packet, run.count);
    return eb_packet_send(transport, message->from, EB_CHUNK, message->number, &packet, status);
}

void eb_chunk_box_begin(eb_chunk_box *box)
{
    (void)pthread_mutex_init(&box->lock, NULL);
    eb_condition_init(&box->changed);
    box->number = 0;
    box->chunks = (eb_chunks){0, 0};
}

void eb_chunk_box_end(eb_chunk_box *box)
{
    (void)pthread_mutex_destroy(&box->lock);
    (void)pthread_cond_destroy(&box->changed);
}

void eb_chunk_arrive(eb_chunk_box *box, const eb_letter *message)
{
    eb_packet packet = eb_packet_of(message);
    (void)pthread_mutex_lock(&box->lock);
    box->number = message->number;
    box->chunks.first = (unsigned)eb_unpack_u64(&packet);
    box->chunks.count = (unsigned)eb_unpack_u64(&packet);
    (void)pthread_cond_signal(&box->changed);
    (void)pthread_mutex_unlock(&box->lock);
}

eb_code eb_chunk_ask(const eb_transport *transport, uint64_t number, eb_status *status)
{
    eb_packet none = {.failed = false};
    return eb_packet_send(transport, 0, EB_MORE, number, &none, status);
}

/* An answer to an earlier question, which failed, is of no use. */
eb_code eb_chunk_wait(const eb_transport *transport, eb_chunk_box *box, uint64_t number, eb_job *job, eb_chunks *chunks,
                      eb_status *status)
{
    eb_code failed = EB_OK;
    eb_transport_wait(transport, true);
    (void)pthread_mutex_lock(&box->lock);
    while (box->number != number && !failed) {
        const struct timespec until = eb_time_after(LOOK_S);
        (void)pthread_cond_timedwait(&box->changed, &box->lock, &until);
        failed = eb_job_check(job, status);
    }
    *chunks = box->chunks;
    box->number = 0;
    (void)pthread_mutex_unlock(&box->lock);
    eb_transport_wait(transport, false);
    return failed;
}
