#include "io/save/save.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { QUERIES_A_CHECK = 4096 };

typedef struct writing {
    FILE *to;
    const eb_knn *nearest;
    const uint32_t *query;
    eb_job *job;
} writing;

struct eb_nearest_file {
    eb_new_file *target;
    bool (*begin)(const writing *w); /* NULL: no header */
    bool (*one)(const writing *w, size_t query);
    bool (*after)(const writing *w, size_t query); /* second pass over the queries; NULL: none */
    char path[];                                   /* as given: for messages */
};

static const eb_near_row *nearest_of(const writing *w, size_t query)
{
    return w->nearest->near + query * w->nearest->k;
}

static bool put(const writing *w, const void *data, size_t bytes) { return fwrite(data, bytes, 1, w->to) == 1; }

static bool put_ids(const writing *w, size_t query)
{
    bool well = true;
    for (size_t k = 0; k < w->nearest->k && well; k++)
        well = put(w, &nearest_of(w, query)[k].row, sizeof(uint32_t));
    return well;
}

static bool put_distances(const writing *w, size_t query)
{
    bool well = true;
    for (size_t k = 0; k < w->nearest->k && well; k++) {
        const float distance = (float)nearest_of(w, query)[k].far; /* ∞ for an empty place */
        well = put(w, &distance, sizeof distance);
    }
    return well;
}

static bool put_shape(const writing *w)
{
    const uint32_t shape[] = {(uint32_t)w->nearest->queries, (uint32_t)w->nearest->k};
    return put(w, shape, sizeof shape);
}

static bool put_vector(const writing *w, size_t query)
{
    const uint32_t count = (uint32_t)w->nearest->k;
    return put(w, &count, sizeof count) && put_ids(w, query);
}

static bool put_heading(const writing *w) { return fputs("query,rank,point,distance\n", w->to) >= 0; }

static bool put_lines(const writing *w, size_t query)
{
    const uint32_t name = w->query ? w->query[query] : (uint32_t)query;
    bool well = true;
    for (size_t k = 0; k < w->nearest->k && well; k++) {
        const eb_near_row *one = &nearest_of(w, query)[k];
        well = one->row == EB_NO_POINT ? fprintf(w->to, "%u,%zu,,\n", name, k + 1) > 0
                                       : fprintf(w->to, "%u,%zu,%u,%.17g\n", name, k + 1, one->row, one->far) > 0;
    }
    return well;
}

static bool ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), tail = strlen(end);
    return length > tail && strcasecmp(path + length - tail, end) == 0;
}

eb_code eb_nearest_file_open(const char *path, eb_nearest_file **out, eb_status *status)
{
    const bool vectors = ends_in(path, ".ivecs"), big = ends_in(path, ".ibin"), table = ends_in(path, ".csv");
    const size_t length = strlen(path) + 1;
    if (!vectors && !big && !table)
        return eb_fail(status, EB_USAGE, "%s: the name's end tells the neighbours' format; known are .ivecs .ibin .csv",
                       path);
    eb_nearest_file *file = malloc(sizeof *file + length);
    if (!file)
        return eb_fail_memory(status, "saving", sizeof *file + length);
    *file = (eb_nearest_file){.begin = big     ? put_shape
                                       : table ? put_heading
                                               : NULL,
                              .one = vectors ? put_vector
                                     : big   ? put_ids
                                             : put_lines,
                              .after = big ? put_distances : NULL};
    memcpy(file->path, path, length);
    const eb_code failed = eb_new_file_open(path, &file->target, status);
    if (failed)
        free(file);
    else
        *out = file;
    return failed;
}

void eb_nearest_file_abandon(eb_nearest_file *file)
{
    if (!file)
        return;
    eb_new_file_abandon(file->target);
    free(file);
}

static eb_code put_queries(const eb_nearest_file *file, const writing *w, bool (*one)(const writing *, size_t),
                           eb_status *status)
{
    for (size_t q = 0; q < w->nearest->queries; q++) {
        if (!one(w, q))
            return eb_fail_writing(file->path, errno, status);
        if (q % QUERIES_A_CHECK == 0)
            EB_TRY(eb_job_check(w->job, status));
    }
    return EB_OK;
}

static eb_code put_all(const eb_nearest_file *file, const writing *w, eb_status *status)
{
    errno = 0;
    if (file->begin && !file->begin(w))
        return eb_fail_writing(file->path, errno, status);
    EB_TRY(put_queries(file, w, file->one, status));
    return file->after ? put_queries(file, w, file->after, status) : EB_OK;
}

eb_code eb_nearest_file_write(eb_nearest_file *file, const eb_knn *nearest, const uint32_t *query, eb_job *job,
                              eb_status *status)
{
    const writing w = {eb_new_file_stream(file->target), nearest, query, job};
    eb_code failed = put_all(file, &w, status);
    if (failed) {
        eb_nearest_file_abandon(file);
        return failed;
    }
    failed = eb_new_file_commit(file->target, status);
    free(file);
    return failed;
}
