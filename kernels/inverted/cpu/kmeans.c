#include "kernels/inverted/cpu/kmeans.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/random.h"
#include "kernels/inverted/cpu/kernels.h"

enum { CHUNK = 256 }; /* points of a task */

typedef struct kmeans {
    const eb_kmeans_request *request;
    eb_inverted_kernels kernels;
    eb_panels panels;
    float *centroids;
    uint32_t *of;    /* [count] each point's centroid */
    float *s;        /* [count] each point's squared distance to it */
    uint32_t *order; /* [count] points by centroid, ascending within each */
    uint32_t *first; /* [k + 1] where each centroid's points begin in order */
} kmeans;

static const float *point_of(const kmeans *km, size_t i) { return km->request->points + i * km->request->stride; }

static void copy_point(kmeans *km, size_t centroid, size_t point)
{
    memcpy(km->centroids + centroid * km->request->d, point_of(km, point), km->request->d * sizeof(float));
}

/* Draws the first centroids: the first k points of a shuffle. */
static void draw_centroids(kmeans *km)
{
    const eb_kmeans_request *q = km->request;
    uint64_t random = q->seed;
    for (size_t i = 0; i < q->count; i++)
        km->order[i] = (uint32_t)i;
    for (size_t c = 0; c < q->k; c++) {
        const size_t at = c < q->count ? c + eb_random_below(&random, q->count - c) : q->count - 1;
        const size_t place = c < q->count ? c : q->count - 1;
        const uint32_t drawn = km->order[at];
        km->order[at] = km->order[place];
        km->order[place] = drawn;
        copy_point(km, c, drawn);
    }
}

/* ---- a round ---- */

static eb_code assign_chunk(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    kmeans *km = context;
    const size_t begin = (size_t)task * CHUNK, left = km->request->count - begin;
    (void)thread, (void)status;
    km->kernels.nearest(&km->panels, point_of(km, begin), km->request->stride, left < CHUNK ? left : CHUNK,
                        km->of + begin, km->s + begin);
    return EB_OK;
}

static eb_code assign_points(kmeans *km, unsigned threads, eb_status *status)
{
    const eb_kmeans_request *q = km->request;
    if (q->assigner)
        return q->assigner->find(q->assigner->state, km->centroids, q->k, km->of, km->s, status);
    eb_panels_fill(&km->panels, km->centroids);
    return eb_parallel(threads, (q->count + CHUNK - 1) / CHUNK, assign_chunk, km, NULL, status);
}

/* A counting sort, so that each centroid's points stay in their order. */
static void sort_points(kmeans *km)
{
    const eb_kmeans_request *q = km->request;
    memset(km->first, 0, (q->k + 1) * sizeof *km->first);
    for (size_t i = 0; i < q->count; i++)
        km->first[km->of[i] + 1]++;
    for (size_t c = 0; c < q->k; c++)
        km->first[c + 1] += km->first[c];
    for (size_t i = 0; i < q->count; i++)
        km->order[km->first[km->of[i]]++] = (uint32_t)i;
    memmove(km->first + 1, km->first, q->k * sizeof *km->first); /* a centroid's end is the next one's beginning */
    km->first[0] = 0;
}

static eb_code mean_of(void *context, uint64_t centroid, unsigned thread, eb_status *status)
{
    kmeans *km = context;
    const size_t d = km->request->d, begin = km->first[centroid], end = km->first[centroid + 1];
    (void)thread;
    if (begin == end)
        return EB_OK;
    double *sum = calloc(d, sizeof *sum);
    if (!sum)
        return eb_fail_memory(status, "a mean", d * sizeof *sum);
    for (size_t i = begin; i < end; i++)
        for (size_t t = 0; t < d; t++)
            sum[t] += (double)point_of(km, km->order[i])[t];
    for (size_t t = 0; t < d; t++)
        km->centroids[centroid * d + t] = (float)(sum[t] / (double)(end - begin));
    free(sum);
    return EB_OK;
}

static size_t farthest_point(const kmeans *km)
{
    size_t farthest = 0;
    for (size_t i = 1; i < km->request->count; i++)
        if (km->s[i] > km->s[farthest])
            farthest = i;
    return farthest;
}

static void fill_empty(kmeans *km)
{
    for (size_t c = 0; c < km->request->k; c++) {
        if (km->first[c] < km->first[c + 1])
            continue;
        const size_t point = farthest_point(km);
        if (km->s[point] == 0)
            return;
        copy_point(km, c, point);
        km->s[point] = 0;
    }
}

static eb_code run_rounds(kmeans *km, unsigned threads, eb_job *job, eb_status *status)
{
    const eb_kmeans_request *q = km->request;
    draw_centroids(km);
    if (q->assigner)
        EB_TRY(q->assigner->take(q->assigner->state, q->points, q->count, q->d, status));
    for (unsigned r = 0; r < q->rounds && q->count > q->k; r++) {
        EB_TRY(eb_job_check(job, status));
        EB_TRY(assign_points(km, threads, status));
        sort_points(km);
        EB_TRY(eb_parallel(threads, q->k, mean_of, km, NULL, status));
        fill_empty(km);
        eb_job_advance(job, 1);
    }
    return EB_OK;
}

eb_code eb_kmeans(const eb_kmeans_request *q, unsigned threads, eb_job *job, float *centroids, eb_status *status)
{
    kmeans km = {.request = q, .kernels = eb_inverted_kernels_here(), .centroids = centroids};
    const size_t words = 3 * q->count + q->k + 1;
    EB_TRY(eb_panels_make(q->k, q->d, &km.panels, status));
    uint32_t *room = malloc(words * sizeof *room);
    eb_code failed = room ? EB_OK : eb_fail_memory(status, "k-means", words * sizeof *room);
    if (room) {
        km.of = room;
        km.s = (float *)(void *)(room + q->count);
        km.order = room + 2 * q->count;
        km.first = room + 3 * q->count;
        failed = run_rounds(&km, threads, job, status);
    }
    free(room);
    eb_panels_free(&km.panels);
    return failed;
}
