/* lists: writes a label for each point, or the nearest neighbours of each query. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/save/format.h"
#include "io/save/save.h"

enum { QUERIES_A_CHECK = 4096 };

struct eb_list_file {
    eb_new_file *target;
    size_t ending; /* index of its ending */
    char path[];   /* as given: for messages */
};

static eb_code open_list(const char *path, const char *known, eb_list_file **out, eb_status *status)
{
    size_t length = strlen(path) + 1, ending;
    EB_TRY(eb_save_find_ending(path, known, &ending, status));
    eb_list_file *file = malloc(sizeof *file + length);
    if (!file)
        return eb_fail_memory(status, "saving", sizeof *file + length);
    file->ending = ending;
    memcpy(file->path, path, length);
    eb_code failed = eb_new_file_open(path, &file->target, status);
    if (failed)
        free(file);
    else
        *out = file;
    return failed;
}

static void abandon_list(eb_list_file *file)
{
    if (!file)
        return;
    eb_new_file_abandon(file->target);
    free(file);
}

/* Completes the file, or removes it if writing it failed. */
static eb_code close_list(eb_list_file *file, eb_code failed, eb_status *status)
{
    if (failed) {
        abandon_list(file);
        return failed;
    }
    failed = eb_new_file_commit(file->target, status);
    free(file);
    return failed;
}

/* ---- labels ---- */

eb_code eb_label_file_open(const char *path, eb_label_file **out, eb_status *status)
{
    return open_list(path, ".npy .csv", out, status);
}

void eb_label_file_abandon(eb_label_file *file) { abandon_list(file); }

static bool write_numpy(FILE *to, const eb_dbscan *found)
{
    char header[EB_NPY_HEADER], shape[32];
    (void)snprintf(shape, sizeof shape, "(%zu,)", found->n);
    eb_save_npy_header(header, "<i4", shape);
    return fwrite(header, 1, sizeof header, to) == sizeof header &&
           fwrite(found->label, sizeof *found->label, found->n, to) == found->n;
}

static bool write_csv(FILE *to, const eb_dbscan *found)
{
    bool well = fputs("point,label,neighbours,core\n", to) >= 0;
    for (size_t i = 0; i < found->n && well; i++)
        well = fprintf(to, "%zu,%d,%u,%d\n", i, found->label[i], found->neighbours[i],
                       eb_dbscan_is_core(found, i) ? 1 : 0) > 0;
    return well;
}

eb_code eb_label_file_write(eb_label_file *file, const eb_dbscan *found, eb_status *status)
{
    FILE *to = eb_new_file_stream(file->target);
    errno = 0;
    bool well = file->ending == 0 ? write_numpy(to, found) : write_csv(to, found);
    return close_list(file, well ? EB_OK : eb_fail_writing(file->path, errno, status), status);
}

/* ---- nearest neighbours ---- */

typedef struct writing {
    FILE *to;
    const eb_knn *nearest;
    const uint32_t *query;
    eb_job *job;
} writing;

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

/* The formats, in the order of their endings. */
static const struct {
    bool (*begin)(const writing *w); /* NULL: no header */
    bool (*one)(const writing *w, size_t query);
    bool (*after)(const writing *w, size_t query); /* second pass over the queries; NULL: none */
} formats[] = {{NULL, put_vector, NULL}, {put_shape, put_ids, put_distances}, {put_heading, put_lines, NULL}};

eb_code eb_nearest_file_open(const char *path, eb_nearest_file **out, eb_status *status)
{
    return open_list(path, ".ivecs .ibin .csv", out, status);
}

void eb_nearest_file_abandon(eb_nearest_file *file) { abandon_list(file); }

static eb_code put_queries(const eb_list_file *file, const writing *w, bool (*one)(const writing *, size_t),
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

static eb_code put_all(const eb_list_file *file, const writing *w, eb_status *status)
{
    errno = 0;
    if (formats[file->ending].begin && !formats[file->ending].begin(w))
        return eb_fail_writing(file->path, errno, status);
    EB_TRY(put_queries(file, w, formats[file->ending].one, status));
    return formats[file->ending].after ? put_queries(file, w, formats[file->ending].after, status) : EB_OK;
}

eb_code eb_nearest_file_write(eb_nearest_file *file, const eb_knn *nearest, const uint32_t *query, eb_job *job,
                              eb_status *status)
{
    const writing w = {eb_new_file_stream(file->target), nearest, query, job};
    return close_list(file, put_all(file, &w, status), status);
}
