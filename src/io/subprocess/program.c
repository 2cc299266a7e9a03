#include "io/subprocess/program.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"

enum { POLL_NS = 5000000 };

static void limit(__rlimit_resource_t resource, rlim_t most)
{
    (void)setrlimit(resource, &(struct rlimit){most, most});
}

/* In the child. After its CPU time a process gets SIGXCPU, and a second later SIGKILL. */
static void confine(const eb_program *p)
{
    for (int number = 1; number < NSIG; number++)
        (void)signal(number, SIG_DFL);
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, p->file_bytes);
    (void)setrlimit(RLIMIT_CPU, &(struct rlimit){p->cpu_seconds, p->cpu_seconds + 1});
    if (p->memory_bytes)
        limit(RLIMIT_AS, p->memory_bytes);
    if (p->alone)
        limit(RLIMIT_NPROC, 0);
}

static _Noreturn void be_child(const eb_program *p)
{
    const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (chdir(p->folder) != 0 || input < 0)
        _exit(EB_PROGRAM_MISSING);
    const int printed = open(p->printed, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (printed < 0 || dup2(input, 0) < 0 || dup2(printed, 1) < 0 || dup2(printed, 2) < 0)
        _exit(EB_PROGRAM_MISSING);
    confine(p);
    (void)execvp(p->argument[0], (char *const *)p->argument);
    _exit(EB_PROGRAM_MISSING);
}

/* Blocks all signals around the fork, so that no handler of the parent runs in the child. */
static pid_t start(const eb_program *p)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t process = fork();
    if (process == 0)
        be_child(p);
    const int error = errno;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return process;
}

/* Waits until the program has ended (its exit status is still to be read), is late, or the job is cancelled. */
static eb_code await_end(const eb_program *p, pid_t process, eb_program_end *end, eb_status *status)
{
    const double last_s = eb_now_s() + p->seconds;
    siginfo_t info = {0};
    while (waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) {
        EB_TRY(eb_job_check(p->job, status));
        end->late = eb_now_s() > last_s;
        if (end->late)
            break;
        (void)nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    }
    return EB_OK;
}

eb_code eb_program_run(const eb_program *program, eb_program_end *end, eb_status *status)
{
    *end = (eb_program_end){.signal = 0};
    const pid_t process = start(program);
    if (process < 0)
        return eb_fail(status, EB_IO, "cannot start a process to %s: %s", program->what, strerror(errno));
    (void)setpgid(process, process); /* whoever comes first, parent or child */
    const eb_code failed = await_end(program, process, end, status);
    (void)kill(-process, SIGKILL);
    (void)kill(process, SIGKILL);
    int ended = 0;
    while (waitpid(process, &ended, 0) < 0 && errno == EINTR)
        continue;
    end->signal = WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
    end->status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 0;
    return failed;
}
