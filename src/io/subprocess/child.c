#include "io/subprocess/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MS = 50 };
#define CHILD_HEAP ((rlim_t)4 << 30) /* room for the largest chunk of HDF5 */

/* Private writable memory of this process, in bytes, as RLIMIT_DATA counts it; 0 when the system does not report it. */
static uint64_t private_memory(void)
{
    enum { DATA_FIELD = 6 }; /* field of /proc/self/statm, in pages */
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    char line[256];
    uint64_t pages = 0;
    char *at = fgets(line, sizeof line, file);
    for (int field = 0; at && field < DATA_FIELD; field++)
        pages = strtoull(at, &at, 10);
    (void)fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGE_SIZE);
}

static void limit_heap(void)
{
    struct rlimit heap; /* RLIMIT_DATA includes the memory that the process already has, such as loaded points */
    rlim_t wanted = (rlim_t)private_memory() + CHILD_HEAP;
    if (getrlimit(RLIMIT_DATA, &heap) != 0 || wanted >= heap.rlim_cur)
        return;
    heap.rlim_cur = wanted;
    (void)setrlimit(RLIMIT_DATA, &heap);
}

/* Confines a child: no crash handler, no output on the terminal, no core file, no more memory than an honest file
 * needs, and it ends with its parent. Signals from the terminal stay blocked, as Ctrl-C is for the parent. */
static void confine(const eb_child *child)
{
    for (int number = 1; number < NSIG; number++)
        (void)signal(number, SIG_DFL);
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGALRM);
    (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (!child->writes)
        (void)setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
    limit_heap();
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0)
        for (int fd = 0; fd <= 2; fd++)
            (void)dup2(null, fd);
}

static _Noreturn void be_child(const eb_child *child, int pipe_fd)
{
    unsigned char reply[EB_CHILD_REPLY];
    confine(child);
    memset(reply, 0, child->reply_bytes);
    (void)alarm(child->seconds);
    child->work(child->context, reply);
    (void)!write(pipe_fd, reply, child->reply_bytes);
    _exit(0);
}

/* Blocks all signals around the fork, so that no handler of the parent runs in the child. */
static pid_t start(const eb_child *child, int pipe_fd)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t process = fork();
    if (process == 0)
        be_child(child, pipe_fd);
    int error = errno;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return process;
}

/* Waits for the reply and tests the job's cancel flag meanwhile. */
static eb_code await_reply(const eb_child *child, int pipe_fd, void *reply, bool *replied, eb_status *status)
{
    for (;;) {
        struct pollfd poll_fd = {.fd = pipe_fd, .events = POLLIN};
        int ready = poll(&poll_fd, 1, POLL_MS);
        if (ready < 0 && errno != EINTR)
            return eb_fail(status, EB_IO, "cannot wait for the child that is to %s: %s", child->what, strerror(errno));
        if (child->watch)
            child->watch(child->context);
        EB_TRY(eb_job_check(child->job, status));
        if (ready <= 0)
            continue;
        ssize_t count = read(pipe_fd, reply, child->reply_bytes);
        if (count < 0 && errno == EINTR)
            continue;
        *replied = count == (ssize_t)child->reply_bytes;
        return EB_OK;
    }
}

eb_code eb_child_run(const eb_child *child, void *reply, eb_child_end *end, eb_status *status)
{
    int ends[2];
    *end = (eb_child_end){.replied = false};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return eb_fail(status, EB_IO, "cannot make a pipe for a child to %s: %s", child->what, strerror(errno));
    pid_t process = start(child, ends[1]);
    int error = errno;
    (void)close(ends[1]);
    if (process < 0) {
        (void)close(ends[0]);
        return eb_fail(status, EB_IO, "cannot start a child process to %s: %s", child->what, strerror(error));
    }
    eb_code failed = await_reply(child, ends[0], reply, &end->replied, status);
    (void)close(ends[0]);
    /* A child without a reply has closed its end of the pipe by ending, so its exit status means something. A child
     * that has replied is killed: nothing it would do next is needed. */
    if (failed || end->replied)
        (void)kill(process, SIGKILL);
    int ended = 0;
    while (waitpid(process, &ended, 0) < 0 && errno == EINTR)
        continue;
    end->signal = WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
    end->status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 0;
    return failed;
}
