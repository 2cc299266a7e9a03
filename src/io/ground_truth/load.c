/* load: loads ground truth. The ids are copied; of the file, only the state for detecting later changes is kept. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/bytes.h"
#include "io/files/files.h"
#include "io/formats.h"
#include "io/ground_truth/ground_truth.h"
#include "io/load.h"

/* ---- the file ---- */

static void release_file(void *owner)
{
    eb_file_close(owner);
    free(owner);
}

static eb_code check_file(const void *owner, eb_status *status)
{
    return eb_file_check(owner, "since it was loaded", status);
}

/* Drops the file's bytes and makes truth the owner of *file. */
static eb_code keep_file(eb_ground_truth *truth, eb_file *file, eb_status *status)
{
    eb_file *owner = malloc(sizeof *owner);
    if (!owner)
        return eb_fail_memory(status, truth->source, sizeof *owner);
    eb_file_drop(file);
    *owner = *file;
    *file = (eb_file){0};
    truth->file = owner->id;
    truth->owner = owner;
    truth->release = release_file;
    truth->check = check_file;
    return eb_ground_truth_check(truth, status);
}

/* ---- big-ann-benchmarks ---- */

eb_code eb_read_neighbours(const eb_bytes *bytes, eb_neighbour_bytes *out, eb_status *status)
{
    enum { HEADER = 8, ID = 4, DISTANCE = 4 };
    if (bytes->size < HEADER)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected 8 bytes of header (queries, k), found %zu",
                       bytes->name, bytes->size);
    const uint32_t queries = eb_le32(bytes->data), k = eb_le32(bytes->data + 4);
    EB_TRY(eb_dataset_check_shape(bytes->name, queries, k, EB_I32, status));
    const size_t ids = (size_t)queries * k, found = bytes->size - HEADER;
    if (found != ids * ID && found != ids * (ID + DISTANCE)) /* no overflow: there are at most 2^47 */
        return eb_fail(
            status, EB_BAD_FORMAT,
            "%s: offset 8: expected %zu bytes of %u × %u ids as the header says, or twice as many with their "
            "distances, found %zu",
            bytes->name, ids * ID, queries, k, found);
    *out = (eb_neighbour_bytes){.queries = queries, .k = k, .ids = bytes->data + HEADER};
    if (found > ids * ID)
        out->distances = out->ids + ids * ID;
    return EB_OK;
}

static eb_code copy_neighbours(const eb_bytes *bytes, const char *source, eb_ground_truth **out, eb_status *status)
{
    eb_neighbour_bytes found;
    EB_TRY(eb_read_neighbours(bytes, &found, status));
    const size_t count = found.queries * found.k;
    eb_ground_truth *truth = eb_ground_truth_new(source, found.queries, found.k, found.distances != NULL);
    if (!truth)
        return eb_fail_memory(status, bytes->name, count * sizeof *truth->id);
    for (size_t j = 0; j < count; j++)
        truth->id[j] = eb_le32(found.ids + j * sizeof *truth->id);
    if (found.distances)
        memcpy(truth->distance, found.distances, count * sizeof *truth->distance);
    *out = truth;
    return EB_OK;
}

static eb_code inflate_neighbours(const eb_bytes *bytes, const char *source, eb_ground_truth **out, eb_status *status)
{
    eb_bytes inflated = *bytes;
    unsigned char *data = NULL;
    EB_TRY(eb_inflate(bytes, NULL, eb_inflating_limit(), &data, &inflated.size, status));
    inflated.data = data;
    eb_code failed = copy_neighbours(&inflated, source, out, status);
    free(data);
    return failed;
}

static eb_code read_neighbours(const char *path, bool gzip, eb_job *job, eb_ground_truth **out, eb_status *status)
{
    eb_file file;
    EB_TRY(eb_file_open(path, &file, status));
    const eb_bytes bytes = {.data = file.data, .size = file.size, .name = path, .job = job};
    eb_code failed =
        gzip ? inflate_neighbours(&bytes, file.path, out, status) : copy_neighbours(&bytes, file.path, out, status);
    if (!failed && (failed = keep_file(*out, &file, status))) {
        eb_ground_truth_free(*out);
        *out = NULL;
    }
    eb_file_close(&file);
    return failed;
}

/* ---- a matrix of ids ---- */

static eb_code take_ids(const eb_dataset *ids, eb_ground_truth *truth, eb_status *status)
{
    const size_t size = eb_dtype_size(ids->dtype);
    for (size_t i = 0; i < ids->n; i++)
        for (size_t j = 0; j < ids->d; j++) {
            double x;
            eb_to_f64(ids->dtype, eb_row(ids, i) + j * size, 1, &x);
            if (!(x >= 0 && x < EB_MAX_POINTS && x == (double)(uint32_t)x))
                return eb_fail(status, EB_BAD_VALUE,
                               "%s: query %zu, neighbour %zu: expected a row of the points, found %.17g", ids->source,
                               i, j, x);
            truth->id[i * ids->d + j] = (uint32_t)x;
        }
    return EB_OK;
}

/* Keeps the file that the dataset `ids` was read from, to detect later changes. */
static eb_code keep_file_of(eb_ground_truth *truth, const eb_dataset *ids, const char *what, eb_status *status)
{
    char *path = eb_expand_home(what);
    eb_file file;
    if (!path)
        return eb_fail_memory(status, what, strlen(what));
    (void)eb_split_object(path);
    eb_code failed = eb_file_glance(path, path, &file, status);
    free(path);
    EB_TRY(failed);
    if (eb_same_file(&ids->file, &file.id))
        failed = keep_file(truth, &file, status);
    else
        failed = eb_fail(status, EB_CHANGED, "%s: changed while it was loaded", what);
    eb_file_close(&file);
    return failed ? failed : eb_dataset_check(ids, status);
}

static eb_code load_ids(const char *what, eb_job *job, eb_ground_truth **out, eb_status *status)
{
    eb_dataset *ids;
    EB_TRY(eb_load(what, job, &ids, status));
    eb_ground_truth *truth = eb_ground_truth_new(ids->source, ids->n, ids->d, false);
    eb_code failed =
        truth ? take_ids(ids, truth, status) : eb_fail_memory(status, what, ids->n * ids->d * sizeof *truth->id);
    if (!failed && ids->check)
        failed = keep_file_of(truth, ids, what, status);
    eb_dataset_free(ids);
    if (failed)
        eb_ground_truth_free(truth);
    else
        *out = truth;
    return failed;
}

eb_code eb_load_stated(eb_ground_truth *truth, const char *what, eb_job *job, eb_status *status)
{
    eb_dataset *ds;
    EB_TRY(eb_load(what, job, &ds, status));
    const size_t size = eb_dtype_size(ds->dtype), k = truth->k;
    eb_code failed = EB_OK;
    if (ds->n != truth->queries || ds->d != k)
        failed =
            eb_fail(status, EB_BAD_FORMAT, "%s: expected %zu × %zu distances, as many as neighbours, found %zu × %zu",
                    ds->source, truth->queries, k, ds->n, ds->d);
    else if (!(truth->distance = malloc(ds->n * k * sizeof *truth->distance)))
        failed = eb_fail_memory(status, what, ds->n * k * sizeof *truth->distance);
    for (size_t j = 0; !failed && j < ds->n * k; j++) {
        double x;
        eb_to_f64(ds->dtype, eb_row(ds, j / k) + j % k * size, 1, &x);
        truth->distance[j] = (float)x;
    }
    eb_dataset_free(ds);
    return failed;
}

/* ---- by name ---- */

/* A file without a known ending is read as big-ann-benchmarks' format: some of its files have none. */
static bool is_neighbours(const char *path, bool *gzip)
{
    struct stat about;
    const eb_format *format = eb_format_of_name(path, gzip);
    return stat(path, &about) == 0 && (!format || format == eb_format_named(".ibin"));
}

eb_code eb_load_ground_truth(const char *what, eb_job *job, eb_ground_truth **out, eb_status *status)
{
    bool gzip;
    char *path = eb_expand_home(what);
    if (!path)
        return eb_fail_memory(status, what, strlen(what));
    eb_code failed =
        is_neighbours(path, &gzip) ? read_neighbours(path, gzip, job, out, status) : load_ids(what, job, out, status);
    free(path);
    return failed;
}
