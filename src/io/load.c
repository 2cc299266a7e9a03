#include "io/load.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/bytes.h"
#include "io/files/files.h"
#include "io/files/near.h"
#include "io/formats.h"
#include "io/load_line.h"
#include "io/reader.h"

/* src/io/demo/data.S */
extern const unsigned char eb_demo_fashion[], eb_demo_fashion_end[], eb_demo_stars[], eb_demo_stars_end[];

/* The memory and file that a sealed dataset's rows may point into. */
typedef struct holdings {
    eb_points points; /* owned here */
    unsigned char *inflated;
    eb_file file; /* path NULL: not from a file */
} holdings;

static void release_holdings(void *owner)
{
    holdings *h = owner;
    eb_points_free(&h->points);
    free(h->inflated);
    eb_file_close(&h->file);
    free(h);
}

static eb_code check_file(const void *owner, eb_status *status)
{
    const holdings *h = owner;
    return eb_file_check(&h->file, "since it was loaded", status);
}

/* If the file changed during the load, that error replaces the result. */
static eb_code check_still(const holdings *h, eb_code failed, eb_status *status)
{
    if (!h->file.path || failed == EB_CANCELLED)
        return failed;
    eb_code changed = eb_file_check(&h->file, "while it was loaded", status);
    return changed ? changed : failed;
}

/* Copies the points if they take at most half of a file that was read into memory, so that the file's bytes can be
 * freed. */
static void copy_small_part(holdings *h)
{
    eb_points *p = &h->points;
    const size_t row = p->d * eb_dtype_size(p->dtype);
    const bool read = !p->owned && !h->inflated && h->file.data && !h->file.mapping;
    unsigned char *rows = read && p->n * row <= h->file.size / 2 ? malloc(p->n * row) : NULL;
    if (!rows)
        return; /* the points stay where they are */
    for (size_t i = 0; i < p->n; i++)
        memcpy(rows + i * row, p->rows + i * p->stride, row);
    eb_points_own(p, p->dtype, rows);
}

/* Releases the bytes that the rows do not point into. */
static void drop_the_rest(holdings *h)
{
    if (h->points.owned) {
        free(h->inflated);
        h->inflated = NULL;
    }
    if (h->points.owned || h->inflated)
        eb_file_drop(&h->file);
}

static void take_points(eb_dataset *ds, eb_points *p)
{
    ds->n = p->n;
    ds->d = p->d;
    ds->dtype = p->dtype;
    ds->rows = p->rows;
    ds->stride = p->stride;
}

/* Scales the points. NaN and infinity are refused first, with their place in the file. */
static eb_code scale_points(holdings *h, eb_dataset *ds, eb_scale how, eb_job *job, eb_status *status)
{
    if (how == EB_SCALE_NONE)
        return EB_OK;
    EB_TRY(eb_dataset_check_finite(ds, status));
    EB_TRY(eb_rescale(&h->points, how, ds->source, job, status));
    take_points(ds, &h->points);
    return EB_OK;
}

/* Makes a dataset of h->points, scales and seals it. Takes ownership of source and h, also on failure. */
static eb_code finish(holdings *h, const char *format, char *source, eb_scale scale, eb_job *job, eb_dataset **out,
                      eb_status *status)
{
    eb_dataset *ds = calloc(1, sizeof *ds);
    if (!ds) {
        free(source);
        release_holdings(h);
        return eb_fail_memory(status, "a dataset", sizeof *ds);
    }
    eb_points *p = &h->points;
    copy_small_part(h);
    *ds = (eb_dataset){.source = source,
                       .file = h->file.id,
                       .format = format,
                       .release = release_holdings,
                       .check = h->file.path ? check_file : NULL,
                       .owner = h,
                       .labels = p->labels,
                       .companions = p->companions,
                       .left_out = p->left_out,
                       .filled = p->filled};
    take_points(ds, p);
    p->labels = NULL;
    memcpy(ds->header, p->header, sizeof p->header);
    memcpy(ds->remark, p->remark, sizeof p->remark);
    eb_code failed = scale_points(h, ds, scale, job, status);
    if (!failed) {
        drop_the_rest(h);
        ds->mapped = h->file.mapping ? h->file.data : NULL;
        ds->mapped_bytes = h->file.size;
        failed = eb_dataset_seal_in(ds, job, status);
    }
    failed = check_still(h, failed, status);
    if (failed) {
        eb_dataset_free(ds);
        return failed;
    }
    *out = ds;
    return EB_OK;
}

/* ---- reading bytes ---- */

/* Refuses columns=, label= and missing= unless the format is a table; header=, separator= and decimal= unless it is
 * text; dtype= unless it may hold bfloat16; and an object unless the format has objects. */
static eb_code check_asked(const eb_bytes *bytes, const eb_format *format, eb_status *status)
{
    const eb_reading *how = &bytes->how;
    const char *asked = how->columns ? "columns" : how->label ? "label" : how->missing ? "missing" : NULL;
    const char *of_text = how->header ? "header" : how->separator ? "separator" : how->decimal ? "decimal" : NULL;
    if (of_text && !(format->has & EB_IS_TEXT))
        return eb_fail(status, EB_USAGE, "%s: %s= is for text formats, but this is %s", bytes->name, of_text,
                       format->name);
    if (asked && !(format->has & EB_IS_TABLE))
        return eb_fail(status, EB_USAGE, "%s: %s= is for tables, but this is %s", bytes->name, asked, format->name);
    if (bytes->object && !(format->has & EB_HAS_OBJECTS))
        return eb_fail(status, EB_USAGE,
                       "%s: :%s names an object inside HDF5, .npz, .mat, .safetensors or .jsonl, but this is %s",
                       bytes->name, bytes->object, format->name);
    if (how->bf16 && !(format->has & EB_MAY_BE_BF16))
        return eb_fail(status, EB_USAGE, "%s: dtype= is for .npy and .npz, but this is %s", bytes->name, format->name);
    return EB_OK;
}

static eb_code read_plain(const eb_bytes *bytes, const eb_format *format, holdings *h, eb_status *status)
{
    EB_TRY(eb_format_check_magic(format, bytes, status));
    EB_TRY(check_asked(bytes, format, status));
    return format->read(bytes, &h->points, status);
}

static eb_code inflate_and_read(const eb_bytes *bytes, const eb_format *format, holdings *h, eb_status *status)
{
    eb_bytes inflated = *bytes;
    eb_code failed = eb_inflate(bytes, format, eb_inflating_limit(), &h->inflated, &inflated.size, status);
    inflated.data = h->inflated;
    return failed ? failed : read_plain(&inflated, format, h, status);
}

/* ---- files ---- */

/* Writes "; did you mean `load FILE`?" if there is a file of nearly that name. */
static void advise_on_name(const char *path, const char *object, const eb_reading *how, char advice[EB_ADVICE])
{
    char line[EB_ADVICE - 32], *word = NULL, *near = eb_near_file(path);
    if (near && asprintf(&word, "%s%s%s", near, object ? ":" : "", object ? object : "") >= 0)
        (void)snprintf(advice, EB_ADVICE, "; did you mean %s?", eb_line_to_type(line, sizeof line, word, how));
    free(word);
    free(near);
}

/* Writes "; `files FOLDER` lists its files". */
static void advise_on_folder(const char *path, char advice[EB_ADVICE])
{
    char *word = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&word, &size);
    if (to)
        eb_put_word(to, path);
    if (to && fclose(to) == 0 && size < EB_ADVICE - 32)
        (void)snprintf(advice, EB_ADVICE, "; `files %s` lists its files", word);
    free(word);
}

/* Opens the file. What the person may have meant ends the message on failure. */
static eb_code open_file(const char *path, const char *object, const eb_reading *how, eb_file *file, eb_status *status)
{
    struct stat about;
    char advice[EB_ADVICE] = "";
    eb_status why;
    eb_code failed = eb_file_open(path, file, &why);
    if (!failed)
        return EB_OK;
    if (stat(path, &about) != 0)
        advise_on_name(path, object, how, advice);
    else if (S_ISDIR(about.st_mode))
        advise_on_folder(path, advice);
    return eb_fail(status, failed, "%s%s", why.message, advice);
}

static eb_code read_file(const char *path, const char *object, const eb_reading *how, holdings *h,
                         const eb_format **format, eb_job *job, eb_status *status)
{
    bool gzip;
    EB_TRY(open_file(path, object, how, &h->file, status));
    const eb_bytes bytes = {.data = h->file.data,
                            .size = h->file.size,
                            .name = path,
                            .path = path,
                            .object = object,
                            .how = *how,
                            .job = job};
    EB_TRY(eb_format_of(&bytes, format, &gzip, status));
    return gzip ? inflate_and_read(&bytes, *format, h, status) : read_plain(&bytes, *format, h, status);
}

/* The arguments of `load` that load the same dataset from any directory. */
static char *make_source(const char *path, const char *object, const eb_reading *how)
{
    char *source = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&source, &size);
    if (!to)
        return NULL;
    (void)fprintf(to, "%s%s%s", path, object ? ":" : "", object ? object : "");
    eb_put_choices(to, how);
    if (fclose(to) == 0)
        return source;
    free(source);
    return NULL;
}

/* ---- the standard input ---- */

enum { INPUT_POLL_MS = 50 };
static const char input_name[] = "standard input";

/* Enlarges the buffer, within the memory that is available. */
static eb_code grow_input(unsigned char **data, size_t *capacity, eb_status *status)
{
    size_t most = eb_inflating_limit(), wanted = *capacity ? 2 * *capacity : (size_t)1 << 20;
    wanted = wanted < most ? wanted : most;
    unsigned char *grown = wanted > *capacity ? realloc(*data, wanted) : NULL;
    if (!grown)
        return eb_fail(status, EB_NO_MEMORY, "%s: more than %zu bytes, and there is no memory for them", input_name,
                       *capacity);
    *data = grown;
    *capacity = wanted;
    return EB_OK;
}

/* Reads the standard input to its end. Polls, so that a cancel is noticed while the other program is silent. */
static eb_code read_input(unsigned char **data, size_t *size, eb_job *job, eb_status *status)
{
    size_t capacity = 0;
    for (;;) {
        struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
        EB_TRY(eb_job_check(job, status));
        if (poll(&input, 1, INPUT_POLL_MS) == 0)
            continue;
        if (*size == capacity)
            EB_TRY(grow_input(data, &capacity, status));
        ssize_t got = read(STDIN_FILENO, *data + *size, capacity - *size);
        if (got < 0 && errno != EINTR && errno != EAGAIN)
            return eb_fail(status, EB_IO, "%s: cannot read: %s", input_name, strerror(errno));
        if (got == 0)
            return *size > 0
                       ? EB_OK
                       : eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected points, found the end", input_name);
        *size += got > 0 ? (size_t)got : 0;
    }
}

static eb_code check_input(const eb_reading *how, eb_status *status)
{
    const eb_format *format;
    if (how->input_taken)
        return eb_fail(status, EB_USAGE, "%s: commands are read from it; expected them from -c or -f FILE", input_name);
    if (isatty(STDIN_FILENO))
        return eb_fail(status, EB_USAGE, "%s: it is the terminal; expected a pipe or a file, as epsbench … < FILE",
                       input_name);
    if (!how->format)
        return eb_fail(status, EB_USAGE, "%s: expected format=F beside it, as load - format=csv; `formats` lists them",
                       input_name);
    return eb_format_called(how->format, input_name, &format, status);
}

/* The bytes stay in memory, as those of a .gz file do. */
static eb_code read_standard_input(const char *object, const eb_reading *how, holdings *h, const eb_format **format,
                                   eb_job *job, eb_status *status)
{
    bool gzip = false;
    unsigned char *data = NULL;
    eb_bytes bytes = {.name = input_name, .object = object, .how = *how, .job = job};
    EB_TRY(check_input(how, status));
    eb_code failed = read_input(&data, &bytes.size, job, status);
    bytes.data = data;
    if (!failed)
        failed = eb_format_of(&bytes, format, &gzip, status);
    if (!failed && gzip) {
        failed = inflate_and_read(&bytes, *format, h, status);
        free(data);
        return failed;
    }
    h->inflated = data;
    return failed ? failed : read_plain(&bytes, *format, h, status);
}

/* ---- demo ---- */

static bool is_demo(const char *what) { return strcmp(what, "demo") == 0 || strcmp(what, "demo:stars") == 0; }

static eb_code read_demo(const char *what, const eb_reading *how, holdings *h, const eb_format **format, eb_job *job,
                         eb_status *status)
{
    const bool stars = what[strlen("demo")] == ':';
    const unsigned char *begin = stars ? eb_demo_stars : eb_demo_fashion,
                        *end = stars ? eb_demo_stars_end : eb_demo_fashion_end;
    const eb_bytes bytes = {.data = begin, .size = (size_t)(end - begin), .name = what, .how = *how, .job = job};
    *format = eb_format_named(stars ? ".fbin" : ".u8bin");
    return inflate_and_read(&bytes, *format, h, status);
}

/* ---- loading by name ---- */

/* path: what was typed, without its object. */
static eb_code load_from(const char *path, const char *object, const eb_reading *how, eb_job *job, eb_dataset **out,
                         eb_status *status)
{
    holdings *h = calloc(1, sizeof *h);
    if (!h)
        return eb_fail_memory(status, path, sizeof *h);
    const eb_format *format = NULL;
    eb_job_phase(job, "reading", 0);
    eb_code failed = is_demo(path)            ? read_demo(path, how, h, &format, job, status)
                     : strcmp(path, "-") == 0 ? read_standard_input(object, how, h, &format, job, status)
                                              : read_file(path, object, how, h, &format, job, status);
    failed = check_still(h, failed, status);
    char *source = failed ? NULL : make_source(h->file.path ? h->file.path : path, object, how);
    if (source)
        return finish(h, format->name, source, how->scale, job, out, status);
    release_holdings(h);
    return failed ? failed : eb_fail_memory(status, path, strlen(path));
}

eb_code eb_load_as(const char *what, const eb_reading *how, eb_job *job, eb_dataset **out, eb_status *status)
{
    if (!*what)
        return eb_fail(status, EB_USAGE, "no file named: expected a file, demo or demo:stars");
    char *path = eb_expand_home(what);
    if (!path)
        return eb_fail_memory(status, what, strlen(what));
    const char *object = is_demo(path) ? NULL : eb_split_object(path);
    eb_code failed = load_from(path, object, how, job, out, status);
    free(path);
    return failed;
}

eb_code eb_load(const char *what, eb_job *job, eb_dataset **out, eb_status *status)
{
    const eb_reading as_it_stands = {.columns = NULL};
    return eb_load_as(what, &as_it_stands, job, out, status);
}
