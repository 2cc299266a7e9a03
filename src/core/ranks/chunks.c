#include "core/ranks/chunks.h"

#include <math.h>

#include "core/base/clock.h"

/* Fewer parts a rank hardly even out. */
enum { LEAST_A_RANK = 4, MOST_A_RANK = 8, EAGER_A_RANK = 3, FEW_DIMENSIONS = 8 };

/* A part that takes less is not worth its messages, for which the ranks look more often, and its edges. */
#define LEAST_S 0.2
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

eb_code eb_chunk_give(eb_chunk_source *source, const eb_transport *transport, const eb_letter *message,
                      eb_status *status)
{
    eb_packet packet = {.failed = false};
    eb_pack_u64(&packet, eb_chunk_next(source));
    return eb_packet_send(transport, message->from, EB_CHUNK, message->number, &packet, status);
}

void eb_chunk_box_begin(eb_chunk_box *box)
{
    (void)pthread_mutex_init(&box->lock, NULL);
    eb_condition_init(&box->changed);
    box->number = 0;
    box->chunk = 0;
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
    box->chunk = (unsigned)eb_unpack_u64(&packet);
    (void)pthread_cond_signal(&box->changed);
    (void)pthread_mutex_unlock(&box->lock);
}

eb_code eb_chunk_ask(const eb_transport *transport, uint64_t number, eb_status *status)
{
    eb_packet none = {.failed = false};
    return eb_packet_send(transport, 0, EB_MORE, number, &none, status);
}

/* An answer to an earlier question, which failed, is of no use. */
eb_code eb_chunk_wait(eb_chunk_box *box, uint64_t number, eb_job *job, unsigned *chunk, eb_status *status)
{
    eb_code failed = EB_OK;
    (void)pthread_mutex_lock(&box->lock);
    while (box->number != number && !failed) {
        const struct timespec until = eb_time_after(LOOK_S);
        (void)pthread_cond_timedwait(&box->changed, &box->lock, &until);
        failed = eb_job_check(job, status);
    }
    *chunk = box->chunk;
    box->number = 0;
    (void)pthread_mutex_unlock(&box->lock);
    return failed;
}
