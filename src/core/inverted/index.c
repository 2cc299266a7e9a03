#include "core/inverted/index.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <nettle/sha2.h>

#include "core/base/parallel.h"
#include "core/base/random.h"

/* ---- requests ---- */

enum { LIST_SAMPLE = 128, BOOK_SAMPLE = 256 * (int)EB_BOOK_ENTRIES };

eb_inverted_training eb_inverted_training_of(const eb_inverted_request *q)
{
    const size_t nlist = q->shape.nlist, lists = q->list_sample ? q->list_sample : LIST_SAMPLE * nlist;
    return (eb_inverted_training){q->rounds ? q->rounds : EB_INVERTED_ROUNDS, lists > nlist ? lists : nlist,
                                  q->book_sample ? q->book_sample : BOOK_SAMPLE};
}

/* Sum of: the samples with what k-means keeps for each; the centroids twice; list, place, number and codes of each row.
 * A list's last block is half empty on average. Codes from a GPU are copied once more. */
uint64_t eb_inverted_build_bytes(const eb_inverted_request *q, bool on_gpu)
{
    const eb_inverted_training training = eb_inverted_training_of(q);
    const uint64_t d = q->points->d, word = sizeof(float), lists = training.list_sample, books = training.book_sample,
                   sample = lists > books ? lists : books, places = q->n + q->shape.nlist * EB_LIST_BLOCK;
    return (sample < q->n ? sample : q->n) * (d + 4) * word + 2 * (q->shape.nlist + EB_BOOK_ENTRIES) * d * word +
           3 * q->n * word + places * (q->shape.m + word) + (on_gpu ? q->n * q->shape.m : 0);
}

eb_code eb_index_check_memory(const eb_inverted_request *q, bool on_gpu, uint64_t limit, eb_status *status)
{
    const uint64_t needed = eb_inverted_build_bytes(q, on_gpu);
    if (limit == 0 || needed <= limit)
        return EB_OK;
    return eb_fail(status, EB_NO_MEMORY, "the index takes %.0f MB to build, the memory limit is %.0f MB",
                   (double)needed / 1e6, (double)limit / 1e6);
}

/* ---- the origin of a file ---- */

bool eb_same_origin(const eb_index_origin *a, const eb_index_origin *b)
{
    return strcmp(a->sha256, b->sha256) == 0 && strcmp(a->rows, b->rows) == 0 && a->points == b->points &&
           a->fingerprint == b->fingerprint && a->shape.nlist == b->shape.nlist && a->shape.m == b->shape.m &&
           a->rounds == b->rounds && a->list_sample == b->list_sample && a->book_sample == b->book_sample &&
           a->seed == b->seed;
}

enum { ROWS_A_TASK = 1024, LANES = 4 };

typedef struct printing {
    const eb_dataset *points;
    uint64_t *hash; /* [tasks] */
} printing;

/* Hashes words of 8 bytes in several chains side by side, at the speed of memory. */
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

/* ---- cached indexes ---- */

/* The most recently used index first. */
static struct {
    pthread_mutex_t lock;
    eb_index *index[EB_CACHED_INDEXES];
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void free_index(eb_index *index)
{
    eb_inverted_free(&index->file);
    free(index);
}

/* Call with the lock held. */
static void let_go(eb_index *index)
{
    if (index && --index->holders == 0)
        free_index(index);
}

/* Moves the index to the front. A new index pushes out the last one if the cache is full. */
static void put_first(eb_index *index)
{
    size_t at = 0;
    while (at + 1 < EB_CACHED_INDEXES && kept.index[at] && kept.index[at] != index)
        at++;
    if (kept.index[at] != index) {
        let_go(kept.index[at]);
        index->holders++;
    }
    for (; at > 0; at--)
        kept.index[at] = kept.index[at - 1];
    kept.index[0] = index;
}

static eb_index *found_here(const eb_index_origin *origin)
{
    for (size_t k = 0; k < EB_CACHED_INDEXES && kept.index[k]; k++)
        if (eb_same_origin(&kept.index[k]->origin, origin)) {
            eb_index *index = kept.index[k];
            index->holders++;
            put_first(index);
            return index;
        }
    return NULL;
}

eb_index *eb_index_find(const eb_index_origin *origin)
{
    (void)pthread_mutex_lock(&kept.lock);
    eb_index *found = found_here(origin);
    if (found)
        found->found++;
    (void)pthread_mutex_unlock(&kept.lock);
    return found;
}

size_t eb_index_all(const eb_dataset *points, eb_index *out[EB_CACHED_INDEXES])
{
    size_t count = 0;
    (void)pthread_mutex_lock(&kept.lock);
    for (size_t k = 0; k < EB_CACHED_INDEXES && kept.index[k]; k++)
        if (kept.index[k]->origin.points == points->n && strcmp(kept.index[k]->origin.sha256, points->sha256) == 0) {
            kept.index[k]->holders++;
            out[count++] = kept.index[k];
        }
    (void)pthread_mutex_unlock(&kept.lock);
    return count;
}

eb_index *eb_index_latest(const eb_dataset *points)
{
    eb_index *all[EB_CACHED_INDEXES];
    const size_t count = eb_index_all(points, all);
    for (size_t k = 1; k < count; k++)
        eb_index_release(all[k]);
    return count > 0 ? all[0] : NULL;
}

eb_code eb_index_keep(eb_index *index, eb_index **out, eb_status *status)
{
    eb_index *own = malloc(sizeof *own);
    if (!own)
        return eb_fail_memory(status, "an index", sizeof *own);
    *own = *index;
    own->holders = 1;
    index->file = (eb_inverted_file){0};
    (void)pthread_mutex_lock(&kept.lock);
    *out = found_here(&own->origin);
    if (!*out) {
        put_first(own);
        *out = own;
    } else {
        let_go(own);
    }
    (void)pthread_mutex_unlock(&kept.lock);
    return EB_OK;
}

void eb_index_release(eb_index *index)
{
    (void)pthread_mutex_lock(&kept.lock);
    let_go(index);
    (void)pthread_mutex_unlock(&kept.lock);
}

uint64_t eb_inverted_bytes(const eb_inverted_file *f)
{
    const uint64_t nlist = f->shape.nlist, places = f->blocks[nlist] * EB_LIST_BLOCK;
    return (nlist + EB_BOOK_ENTRIES) * f->d * sizeof(float) + (nlist + 1) * sizeof *f->blocks +
           nlist * sizeof *f->count + places * (f->shape.m + sizeof *f->row);
}
