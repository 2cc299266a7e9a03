/* The parent's half of the HDF5 reader: starts children, believes nothing they say unchecked, finds or receives the
 * rows. The children inherit the bytes: nothing is opened by name, so a .gz inflated into memory is read like a mapped
 * file.
 *
 * libhdf5 is linked, not opened when needed: with the libraries it draws in (curl, for one) that costs 6 ms of the 50
 * ms there are from start to prompt, and spares a table of function pointers and of the library's type variables. */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "io/bytes.h"
#include "io/child.h"
#include "io/hdf5/child.h"
#include "io/reader.h"

enum { PROBE_SECONDS = 10 };

_Static_assert(sizeof(eb_hdf5_reply) <= EB_CHILD_REPLY, "a reply goes through the pipe in one piece");

/* What a child works on. rows NULL: it only probes. */
typedef struct task {
    eb_hdf5_request request;
    const eb_hdf5_reply *shape;
    unsigned char *rows;
    _Atomic uint64_t *done;
    uint64_t reported; /* of these, to the job */
} task;

static void work(void *context, void *reply)
{
    const task *t = context;
    if (t->rows)
        eb_hdf5_read(&t->request, t->shape, t->rows, t->done, reply);
    else
        eb_hdf5_probe(&t->request, reply);
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
    const char *name = t->request.bytes->name;
    if (end->signal == SIGALRM)
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: libhdf5 hangs on this file: no answer within its time; it is likely damaged", name);
    if (end->signal)
        return eb_fail(status, EB_BAD_FORMAT, "%s: libhdf5 crashes on this file (signal %d); it is likely damaged",
                       name, end->signal);
    return eb_fail(status, EB_BAD_FORMAT, "%s: libhdf5 gives up on this file (exit status %d); it is likely damaged",
                   name, end->status);
}

/* What the child says about failing, made safe to show. */
static eb_code child_failure(eb_hdf5_reply *reply, eb_status *status)
{
    reply->status.message[sizeof reply->status.message - 1] = 0;
    eb_code code = reply->status.code, failed = code == EB_TOO_LARGE || code == EB_BAD_VALUE ? code : EB_BAD_FORMAT;
    return eb_fail(status, failed, "%s", reply->status.message);
}

static eb_code run_child(task *t, eb_hdf5_reply *reply, eb_status *status)
{
    eb_child_end end;
    const eb_child child = {.what = "read HDF5",
                            .context = t,
                            .work = work,
                            .watch = report_progress,
                            .reply_bytes = sizeof *reply,
                            .seconds = PROBE_SECONDS,
                            .job = t->request.bytes->job};
    EB_TRY(eb_child_run(&child, reply, &end, status));
    if (!end.replied)
        return fail_silent_child(t, &end, status);
    return reply->status.code == EB_OK ? EB_OK : child_failure(reply, status);
}

static eb_code check_reply(const task *t, eb_hdf5_reply *reply, eb_status *status)
{
    reply->object[sizeof reply->object - 1] = 0;
    reply->remark[sizeof reply->remark - 1] = 0;
    if (eb_dtype_size(reply->dtype) == 0)
        return eb_fail(status, EB_INTERNAL, "%s: the HDF5 child sent no element type", t->request.bytes->name);
    return eb_dataset_check_shape(t->request.bytes->name, reply->n, reply->d, reply->dtype, status);
}

/* The rows where they lie in the bytes. */
static eb_code point_at_rows(const task *t, const eb_hdf5_reply *shape, size_t size, eb_points *out, eb_status *status)
{
    const eb_bytes *bytes = t->request.bytes;
    if (shape->offset > bytes->size || size > bytes->size - shape->offset)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset %llu: expected %zu bytes of %s, found %llu", bytes->name,
                       (unsigned long long)shape->offset, size, shape->object,
                       (unsigned long long)(shape->offset > bytes->size ? 0 : bytes->size - shape->offset));
    out->rows = bytes->data + shape->offset;
    return EB_OK;
}

/* Has another child read the rows into memory shared with it. The count of finished rows lies behind them. */
static eb_code receive_rows(task *t, const eb_hdf5_reply *shape, size_t size, eb_points *out, eb_status *status)
{
    const char *name = t->request.bytes->name;
    eb_job *job = t->request.bytes->job;
    uint64_t available = eb_available_memory();
    if (size > available)
        return eb_fail(status, EB_NO_MEMORY, "%s: %s needs %zu bytes of memory; %llu are available", name,
                       shape->object, size, (unsigned long long)available);
    size_t counter = (size + 63) / 64 * 64, mapped = counter + sizeof(_Atomic uint64_t);
    void *base = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return eb_fail_memory(status, name, mapped);
    t->shape = shape;
    t->rows = base;
    t->done = (void *)((unsigned char *)base + counter);
    t->request.object = shape->object;
    eb_hdf5_reply reply;
    eb_job_phase(job, "reading HDF5", shape->n);
    eb_code failed = run_child(t, &reply, status);
    if (failed) {
        (void)munmap(base, mapped);
        return failed;
    }
    (void)mprotect(base, mapped, PROT_READ);
    out->rows = base;
    out->owned = base;
    out->mapped = mapped;
    return EB_OK;
}

eb_code eb_read_hdf5(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    task t = {.request = {bytes, bytes->object}};
    eb_hdf5_reply shape;
    EB_TRY(run_child(&t, &shape, status));
    EB_TRY(check_reply(&t, &shape, status));
    size_t stride = (size_t)shape.d * eb_dtype_size(shape.dtype), size = (size_t)shape.n * stride;
    eb_points points = {.n = (size_t)shape.n, .d = (size_t)shape.d, .dtype = shape.dtype, .stride = stride};
    eb_code failed = shape.contiguous ? point_at_rows(&t, &shape, size, &points, status)
                                      : receive_rows(&t, &shape, size, &points, status);
    memcpy(points.remark, shape.remark, sizeof points.remark);
    if (!failed)
        *out = points;
    return failed;
}
