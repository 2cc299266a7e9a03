#include "core/base/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/pages.h"

typedef struct region {
    struct region *next;
    void *pages;
    size_t bytes;
    bool taken, fresh;
} region;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list, which is short: two regions a table */
static region *regions;

/* The region of the array; NULL if the array came from malloc. */
static region *find(const void *array)
{
    region *r = regions;
    while (r && r->pages != array)
        r = r->next;
    return r;
}

static void drop_kept(void)
{
    for (region **at = &regions; *at;) {
        region *r = *at;
        if (r->taken) {
            at = &r->next;
            continue;
        }
        *at = r->next;
        eb_pages_unmap(r->pages, r->bytes);
        free(r);
    }
}

static region *smallest_that_fits(size_t bytes)
{
    region *best = NULL;
    for (region *r = regions; r; r = r->next)
        if (!r->taken && r->bytes >= bytes && (!best || r->bytes < best->bytes))
            best = r;
    return best;
}

static region *make(size_t bytes)
{
    region *r = calloc(1, sizeof *r);
    void *pages = r ? eb_pages_map(bytes) : NULL;
    if (!pages) {
        free(r);
        return NULL;
    }
    *r = (region){.next = regions, .pages = pages, .bytes = eb_whole_pages(bytes), .fresh = true};
    regions = r;
    return r;
}

void *eb_pool_take(size_t bytes)
{
    if (bytes < EB_POOLED)
        return malloc(bytes ? bytes : 1);
    (void)pthread_mutex_lock(&lock);
    region *r = smallest_that_fits(bytes);
    if (!r) {
        drop_kept();
        r = make(bytes);
    }
    if (r)
        r->taken = true;
    (void)pthread_mutex_unlock(&lock);
    return r ? r->pages : NULL;
}

void eb_pool_give(void *array)
{
    (void)pthread_mutex_lock(&lock);
    region *r = find(array);
    if (r)
        r->taken = r->fresh = false;
    (void)pthread_mutex_unlock(&lock);
    if (!r)
        free(array);
}

/* Returns the pages beyond `bytes` to the system. */
static void cut(region *r, size_t bytes)
{
    size_t whole = eb_whole_pages(bytes);
    if (whole < r->bytes)
        eb_pages_unmap((unsigned char *)r->pages + whole, r->bytes - whole);
    r->bytes = whole;
}

void *eb_pool_resize(void *array, size_t kept, size_t bytes)
{
    (void)pthread_mutex_lock(&lock);
    region *r = find(array);
    bool fits = r && bytes >= EB_POOLED && bytes <= r->bytes;
    if (fits)
        cut(r, bytes);
    (void)pthread_mutex_unlock(&lock);
    if (fits)
        return array;
    if (!r && bytes < EB_POOLED)
        return realloc(array, bytes ? bytes : 1);
    void *other = eb_pool_take(bytes);
    if (other) {
        memcpy(other, array, kept < bytes ? kept : bytes);
        eb_pool_give(array);
    }
    return other;
}

bool eb_pool_is_fresh(const void *array)
{
    (void)pthread_mutex_lock(&lock);
    const region *r = find(array);
    bool fresh = r && r->fresh;
    (void)pthread_mutex_unlock(&lock);
    return fresh;
}

void eb_pool_empty(void)
{
    (void)pthread_mutex_lock(&lock);
    drop_kept();
    (void)pthread_mutex_unlock(&lock);
}

size_t eb_pool_kept(void)
{
    size_t bytes = 0;
    (void)pthread_mutex_lock(&lock);
    for (const region *r = regions; r; r = r->next)
        bytes += r->taken ? 0 : r->bytes;
    (void)pthread_mutex_unlock(&lock);
    return bytes;
}
