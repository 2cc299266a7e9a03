#include "core/inverted/origin.h"

#include <stdio.h>
#include <stdlib.h>

#include <nettle/sha2.h>

#include "core/base/parallel.h"
#include "core/base/random.h"

bool eb_same_origin(const eb_index_origin *a, const eb_index_origin *b)
{
    return strcmp(a->sha256, b->sha256) == 0 && strcmp(a->rows, b->rows) == 0 && a->points == b->points &&
           a->fingerprint == b->fingerprint && a->shape.nlist == b->shape.nlist && a->shape.m == b->shape.m &&
           a->rounds == b->rounds && a->list_sample == b->list_sample && a->book_sample == b->book_sample &&
           a->seed == b->seed;
}

/* ---- the points in memory ---- */

enum { ROWS_A_TASK = 1024, LANES = 4 };

typedef struct printing {
    const eb_dataset *points;
    uint64_t *hash; /* [tasks] */
} printing;

/* Words of 8 bytes in several chains side by side: as fast as memory. */
static uint64_t hash_of(const unsigned char *bytes, size_t count, uint64_t hash)
{
    uint64_t chain[LANES], word;
    for (size_t k = 0; k < LANES; k++)
        chain[k] = hash + k * EB_RANDOM_STEP;
    for (; count >= LANES * sizeof word; count -= LANES * sizeof word, bytes += LANES * sizeof word)
        for (size_t k = 0; k < LANES; k++) {
            memcpy(&word, bytes + k * sizeof word, sizeof word);
            chain[k] = (chain[k] ^ word) * 0x9fb21c651e98df25u;
            chain[k] ^= chain[k] >> 29;
        }
    for (size_t k = 0; k < count; k++)
        chain[k % LANES] = eb_random_of(chain[k % LANES] ^ bytes[k]);
    for (size_t k = 0; k < LANES; k++)
        hash = eb_random_of(hash ^ chain[k]);
    return hash;
}

static eb_code print_rows(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const printing *p = context;
    const size_t n = p->points->n, begin = (size_t)task * ROWS_A_TASK, end = begin + ROWS_A_TASK;
    const size_t bytes = p->points->d * eb_dtype_size(p->points->dtype);
    uint64_t hash = task;
    (void)thread, (void)status;
    for (size_t i = begin; i < end && i < n; i++)
        hash = hash_of(eb_row(p->points, i), bytes, hash);
    p->hash[task] = hash;
    return EB_OK;
}

static eb_code fingerprint(const eb_dataset *points, unsigned threads, eb_job *job, uint64_t *out, eb_status *status)
{
    const size_t tasks = (points->n + ROWS_A_TASK - 1) / ROWS_A_TASK;
    printing p = {points, malloc(tasks * sizeof *p.hash)};
    if (!p.hash)
        return eb_fail_memory(status, "a fingerprint", tasks * sizeof *p.hash);
    const eb_code failed = eb_parallel(threads, tasks, print_rows, &p, job, status);
    *out = failed ? 0 : hash_of((const unsigned char *)p.hash, tasks * sizeof *p.hash, points->d);
    free(p.hash);
    return failed;
}

/* ---- its rows ---- */

static void print_numbers(const uint32_t *rows, size_t n, char text[EB_SHA256_TEXT])
{
    struct sha256_ctx sha;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&sha);
    sha256_update(&sha, n * sizeof *rows, (const uint8_t *)rows);
    sha256_digest(&sha, sizeof digest, digest);
    for (size_t k = 0; k < sizeof digest; k++)
        (void)snprintf(text + 2 * k, 3, "%02x", digest[k]);
}

eb_code eb_index_origin_of(const eb_dataset *points, const uint32_t *rows, size_t n, unsigned threads, eb_job *job,
                           eb_index_origin *out, eb_status *status)
{
    *out = (eb_index_origin){.points = points->n};
    memcpy(out->sha256, points->sha256, sizeof out->sha256);
    if (rows && n != points->n)
        print_numbers(rows, n, out->rows);
    return fingerprint(points, threads, job, &out->fingerprint, status);
}
