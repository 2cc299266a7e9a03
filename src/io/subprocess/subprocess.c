#include "io/subprocess/subprocess.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/array.h"
#include "io/bytes.h"
#include "io/reader.h"
#include "io/subprocess/child.h"

_Static_assert(sizeof(eb_subprocess_reply) <= EB_CHILD_REPLY, "a reply goes through the pipe in one piece");

/* A child's work. rows NULL: probe only. */
typedef struct task {
    const eb_subprocess *reader;
    eb_subprocess_request request;
    const eb_subprocess_reply *shape;
    unsigned char *rows;
    _Atomic uint64_t *done;
    uint64_t reported; /* rows already reported to the job */
} task;

static void work(void *context, void *reply)
{
    const task *t = context;
    if (t->rows)
        t->reader->read(&t->request, t->shape, t->rows, t->done, reply);
    else
        t->reader->probe(&t->request, reply);
}

static void report_progress(void *context)
{
    task *t = context;
    uint64_t done = t->done ? atomic_load(t->done) : 0;
    if (done > t->reported)
        eb_job_advance(t->request.bytes->job, done - t->reported);
    t->reported = done;
}

static eb_code fail_silent_child(const task *t, const eb_child_end *end, eb_status *status)
{
    const char *name = t->request.bytes->name, *library = t->reader->library;
    if (end->signal == SIGALRM)
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: %s hangs on this file: no answer within its time; it is likely damaged", name, library);
    if (end->signal)
        return eb_fail(status, EB_BAD_FORMAT, "%s: %s crashes on this file (signal %d); it is likely damaged", name,
                       library, end->signal);
    return eb_fail(status, EB_BAD_FORMAT, "%s: %s gives up on this file (exit status %d); it is likely damaged", name,
                   library, end->status);
}

/* Passes on the child's failure, made safe to show. */
static eb_code child_failure(eb_subprocess_reply *reply, eb_status *status)
{
    reply->status.message[sizeof reply->status.message - 1] = 0;
    eb_code code = reply->status.code,
            failed = code == EB_TOO_LARGE || code == EB_BAD_VALUE || code == EB_USAGE || code == EB_NO_MEMORY
                         ? code
                         : EB_BAD_FORMAT;
    return eb_fail(status, failed, "%s", reply->status.message);
}

static eb_code run_child(task *t, eb_subprocess_reply *reply, eb_status *status)
{
    eb_child_end end;
    const eb_child child = {.what = t->reader->library,
                            .context = t,
                            .work = work,
                            .watch = report_progress,
                            .reply_bytes = sizeof *reply,
                            .seconds = t->reader->seconds,
                            .job = t->request.bytes->job};
    EB_TRY(eb_child_run(&child, reply, &end, status));
    if (!end.replied)
        return fail_silent_child(t, &end, status);
    return reply->status.code == EB_OK ? EB_OK : child_failure(reply, status);
}

static eb_code check_reply(const task *t, eb_subprocess_reply *reply, eb_status *status)
{
    reply->object[sizeof reply->object - 1] = 0;
    reply->remark[sizeof reply->remark - 1] = 0;
    if (eb_dtype_size(reply->dtype) == 0)
        return eb_fail(status, EB_INTERNAL, "%s: the child of %s sent no element type", t->request.bytes->name,
                       t->reader->library);
    return eb_dataset_check_shape(t->request.bytes->name, reply->n, reply->d, reply->dtype, status);
}

static eb_code point_at_rows(const task *t, const eb_subprocess_reply *shape, size_t size, eb_points *out,
                             eb_status *status)
{
    const eb_bytes *bytes = t->request.bytes;
    if (shape->offset > bytes->size || size > bytes->size - shape->offset)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset %llu: expected %zu bytes of %s, found %llu", bytes->name,
                       (unsigned long long)shape->offset, size, shape->object,
                       (unsigned long long)(shape->offset > bytes->size ? 0 : bytes->size - shape->offset));
    out->rows = bytes->data + shape->offset;
    return EB_OK;
}

/* Lets a second child read the rows into memory shared with it. The count of finished rows lies after them. */
static eb_code receive_rows(task *t, const eb_subprocess_reply *shape, size_t size, eb_points *out, eb_status *status)
{
    const char *name = t->request.bytes->name;
    eb_job *job = t->request.bytes->job;
    uint64_t available = eb_available_memory();
    if (size > available || shape->more > available - size)
        return eb_fail(status, EB_NO_MEMORY, "%s: %s needs %llu bytes of memory; %llu are available", name,
                       shape->object, (unsigned long long)size + shape->more, (unsigned long long)available);
    size_t counter = (size + (size_t)shape->more + 63) / 64 * 64, mapped = counter + sizeof(_Atomic uint64_t);
    void *base = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return eb_fail_memory(status, name, mapped);
    t->shape = shape;
    t->rows = base;
    t->done = (void *)((unsigned char *)base + counter);
    t->request.object = shape->object;
    eb_subprocess_reply reply;
    eb_job_phase(job, t->reader->phase, shape->n);
    eb_code failed = run_child(t, &reply, status);
    if (failed) {
        (void)munmap(base, mapped);
        return failed;
    }
    reply.remark[sizeof reply.remark - 1] = 0;
    if (reply.remark[0]) /* the reader knows more about the points than the probe */
        memcpy(out->remark, reply.remark, sizeof out->remark);
    (void)mprotect(base, mapped, PROT_READ);
    out->rows = base;
    out->owned = base;
    out->mapped = mapped;
    return EB_OK;
}

/* ---- data after the rows ---- */

/* Reads label numbers and names. `shape` and the data come from the child, so everything is checked. */
static eb_code take_labels(const task *t, const eb_subprocess_reply *shape, const unsigned char *from, eb_points *out,
                           eb_status *status)
{
    const char *names = (const char *)from + out->n * sizeof(uint32_t), *end = (const char *)from + shape->more;
    size_t count = 0, capacity = 0;
    const char **name = NULL;
    out->labels = eb_labels_new(shape->object);
    bool sound = shape->more >= out->n * sizeof(uint32_t), room = out->labels != NULL;
    for (const char *at = names; sound && room && at < end;) {
        const char *nul = memchr(at, 0, (size_t)(end - at));
        room = eb_array_grow(&name, count, &capacity, sizeof *name, 64);
        if (room)
            name[count++] = at;
        sound = nul != NULL;
        at = nul ? nul + 1 : end;
    }
    for (size_t i = 0; sound && room && i < out->n; i++) {
        uint32_t of = eb_le32(from + i * sizeof of);
        sound = of < count;
        room = !sound || eb_labels_add(out->labels, name[of], strlen(name[of]));
    }
    free(name);
    if (!room)
        return eb_fail_memory(status, "labels", shape->more);
    return sound ? EB_OK
                 : eb_fail(status, EB_INTERNAL, "%s: the child of %s sent damaged labels", t->request.bytes->name,
                           t->reader->library);
}

static eb_code turn(eb_points *points, const char *name, eb_status *status)
{
    size_t element = eb_dtype_size(points->dtype), size = points->n * points->stride;
    unsigned char *rows = malloc(size + 1);
    if (!rows)
        return eb_fail_memory(status, name, size);
    eb_transpose(rows, points->rows, points->n, points->d, element);
    eb_points_own(points, points->dtype, rows);
    return EB_OK;
}

/* Copies the bytes into an unnamed file in memory. */
static eb_code make_file(const eb_bytes *bytes, int *out, eb_status *status)
{
    int file = memfd_create("epsbench-points", MFD_CLOEXEC);
    bool written = file >= 0;
    for (size_t at = 0; written && at < bytes->size;) {
        ssize_t count = write(file, bytes->data + at, bytes->size - at);
        written = count > 0 || (count < 0 && errno == EINTR);
        at += count > 0 ? (size_t)count : 0;
    }
    int error = errno;
    *out = file;
    if (!written && file >= 0)
        (void)close(file);
    return written ? EB_OK
                   : eb_fail(status, EB_IO, "%s: cannot copy it for the library that reads it: %s", bytes->name,
                             strerror(error));
}

static eb_code read_points(task *t, eb_points *out, eb_status *status)
{
    eb_subprocess_reply shape;
    EB_TRY(run_child(t, &shape, status));
    EB_TRY(check_reply(t, &shape, status));
    size_t stride = (size_t)shape.d * eb_dtype_size(shape.dtype), size = (size_t)shape.n * stride;
    eb_points points = {.n = (size_t)shape.n,
                        .d = (size_t)shape.d,
                        .dtype = shape.dtype,
                        .stride = stride,
                        .companions = shape.companions,
                        .left_out = (size_t)shape.left_out,
                        .filled = (size_t)shape.filled};
    memcpy(points.remark, shape.remark, sizeof points.remark);
    EB_TRY(shape.contiguous ? point_at_rows(t, &shape, size, &points, status)
                            : receive_rows(t, &shape, size, &points, status));
    eb_code failed = shape.more ? take_labels(t, &shape, points.rows + size, &points, status) : EB_OK;
    if (!failed && t->request.turned && points.n > 1 && points.d > 1)
        failed = turn(&points, t->request.bytes->name, status);
    if (failed)
        eb_points_free(&points);
    else
        *out = points;
    return failed;
}

eb_code eb_subprocess_read(const eb_subprocess *reader, const eb_bytes *bytes, bool turned, eb_points *out,
                           eb_status *status)
{
    task t = {.reader = reader, .request = {bytes, bytes->object, turned, -1}};
    if (reader->by_name)
        EB_TRY(make_file(bytes, &t.request.file, status));
    eb_code failed = read_points(&t, out, status);
    if (reader->by_name)
        (void)close(t.request.file);
    return failed;
}

/* ---- in the child ---- */

void eb_subprocess_refuse(eb_subprocess_reply *reply, const eb_subprocess_request *request, const char *format, ...)
{
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    (void)eb_fail(&reply->status, EB_BAD_FORMAT, "%s: %s", request->bytes->name, sentence);
}
