#include "core/inverted/index_cache.h"

#include <pthread.h>
#include <stdlib.h>

/* The one used last first. */
static struct {
    pthread_mutex_t lock;
    eb_index *index[EB_CACHED_INDEXES];
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void free_index(eb_index *index)
{
    eb_inverted_free(&index->file);
    free(index);
}

/* With the lock held. */
static void let_go(eb_index *index)
{
    if (index && --index->holders == 0)
        free_index(index);
}

/* To the front; those before it move on, the last one falls off where it is new. */
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
