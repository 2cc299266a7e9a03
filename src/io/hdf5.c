/* The parent's half of the HDF5 reader: starts children, believes nothing they say unchecked, finds or receives the
 * rows. The children inherit the bytes: nothing is opened by name, so a .gz inflated into memory is read like a mapped
 * file.
 *
 * libhdf5 is linked, not opened when needed: with the libraries it draws in (curl, for one) that costs 6 ms of the 50
 * ms there are from start to prompt, and spares a table of function pointers and of the library's type variables. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/bytes.h"
#include "io/hdf5_child.h"
#include "io/reader.h"

enum { PROBE_SECONDS = 10, POLL_MS = 50 };
#define CHILD_HEAP ((rlim_t)4 << 30) /* the largest chunk of the format */

_Static_assert(sizeof(eb_hdf5_reply) <= PIPE_BUF, "a reply goes through the pipe in one piece");

/* What a child works on. rows NULL: it only probes. */
typedef struct task {
    eb_hdf5_request request;
    const eb_hdf5_reply *shape;
    unsigned char *rows;
    _Atomic uint64_t *done;
} task;

/* A child that misbehaves ends quietly and soon: no crash handler of the program's, no words on its terminal, no core
 * file, no more memory than an honest file needs, no life beyond the parent's. Signals from the terminal stay blocked:
 * Ctrl-C is the parent's to answer. */
static void confine(void)
{
    for (int number = 1; number < NSIG; number++)
        (void)signal(number, SIG_DFL);
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGALRM);
    (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    (void)setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
    struct rlimit heap; /* RLIMIT_DATA counts what the process has already: points loaded before */
    rlim_t wanted = (rlim_t)eb_private_memory() + CHILD_HEAP;
    if (getrlimit(RLIMIT_DATA, &heap) == 0 && wanted < heap.rlim_cur) {
        heap.rlim_cur = wanted;
        (void)setrlimit(RLIMIT_DATA, &heap);
    }
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0)
        for (int fd = 0; fd <= 2; fd++)
            (void)dup2(null, fd);
}

static _Noreturn void be_child(const task *t, int pipe_fd)
{
    confine();
    eb_hdf5_reply reply;
    memset(&reply, 0, sizeof reply);
    (void)alarm(PROBE_SECONDS);
    if (t->rows)
        eb_hdf5_read(&t->request, t->shape, t->rows, t->done, &reply);
    else
        eb_hdf5_probe(&t->request, &reply);
    (void)!write(pipe_fd, &reply, sizeof reply);
    _exit(0);
}

/* All signals are blocked around the fork, so that no handler of the parent's runs in the child. */
static pid_t start_child(const task *t, int pipe_fd)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    if (child == 0)
        be_child(t, pipe_fd);
    int error = errno;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return child;
}

static eb_code fail_silent_child(const task *t, int ended, eb_status *status)
{
    if (WIFSIGNALED(ended) && WTERMSIG(ended) == SIGALRM)
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: libhdf5 hangs on this file: no answer within its time; it is likely damaged",
                       t->request.bytes->name);
    if (WIFSIGNALED(ended))
        return eb_fail(status, EB_BAD_FORMAT, "%s: libhdf5 crashes on this file (signal %d); it is likely damaged",
                       t->request.bytes->name, WTERMSIG(ended));
    return eb_fail(status, EB_BAD_FORMAT, "%s: libhdf5 gives up on this file (exit status %d); it is likely damaged",
                   t->request.bytes->name, WEXITSTATUS(ended));
}

/* Waits for the reply, reporting progress and looking at the job's cancel flag. False: the child ended without one. */
static eb_code await_reply(const task *t, int pipe_fd, eb_hdf5_reply *reply, bool *received, eb_status *status)
{
    eb_job *job = t->request.bytes->job;
    uint64_t reported = 0;
    *received = false;
    for (;;) {
        struct pollfd poll_fd = {.fd = pipe_fd, .events = POLLIN};
        int ready = poll(&poll_fd, 1, POLL_MS);
        if (ready < 0 && errno != EINTR)
            return eb_fail(status, EB_IO, "cannot wait for the HDF5 child: %s", strerror(errno));
        if (t->done) {
            uint64_t done = atomic_load(t->done);
            if (done > reported)
                eb_job_advance(job, done - reported);
            reported = done;
        }
        EB_TRY(eb_job_check(job, status));
        if (ready <= 0)
            continue;
        ssize_t count = read(pipe_fd, reply, sizeof *reply);
        if (count < 0 && errno == EINTR)
            continue;
        *received = count == (ssize_t)sizeof *reply;
        return EB_OK;
    }
}

/* What the child says about failing, made safe to show. */
static eb_code child_failure(eb_hdf5_reply *reply, eb_status *status)
{
    reply->status.message[sizeof reply->status.message - 1] = 0;
    eb_code failed = reply->status.code == EB_TOO_LARGE ? EB_TOO_LARGE : EB_BAD_FORMAT;
    return eb_fail(status, failed, "%s", reply->status.message);
}

/* Runs one child to its end. The child is killed even after its reply: what it would do next concerns nobody. */
static eb_code run_child(const task *t, eb_hdf5_reply *reply, eb_status *status)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return eb_fail(status, EB_IO, "cannot make a pipe for the HDF5 child: %s", strerror(errno));
    pid_t child = start_child(t, ends[1]);
    int error = errno;
    (void)close(ends[1]);
    if (child < 0) {
        (void)close(ends[0]);
        return eb_fail(status, EB_IO, "cannot start a child process to read HDF5: %s", strerror(error));
    }
    bool received;
    eb_code failed = await_reply(t, ends[0], reply, &received, status);
    (void)close(ends[0]);
    /* A silent child has closed its end by dying: only then does its own end tell something. */
    if (failed || received)
        (void)kill(child, SIGKILL);
    int ended = 0;
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        continue;
    if (failed)
        return failed;
    if (!received)
        return fail_silent_child(t, ended, status);
    return reply->status.code == EB_OK ? EB_OK : child_failure(reply, status);
}

static eb_code check_reply(const task *t, eb_hdf5_reply *reply, eb_status *status)
{
    reply->object[sizeof reply->object - 1] = 0;
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

eb_code eb_read_hdf5_object(const eb_bytes *bytes, const char *object, eb_points *out, eb_status *status)
{
    task t = {.request = {bytes, object}};
    eb_hdf5_reply shape;
    EB_TRY(run_child(&t, &shape, status));
    EB_TRY(check_reply(&t, &shape, status));
    size_t stride = (size_t)shape.d * eb_dtype_size(shape.dtype), size = (size_t)shape.n * stride;
    eb_points points = {.n = (size_t)shape.n, .d = (size_t)shape.d, .dtype = shape.dtype, .stride = stride};
    eb_code failed = shape.contiguous ? point_at_rows(&t, &shape, size, &points, status)
                                      : receive_rows(&t, &shape, size, &points, status);
    if (!failed)
        *out = points;
    return failed;
}

eb_code eb_read_hdf5(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    return eb_read_hdf5_object(bytes, NULL, out, status);
}
