/* A crash on any thread restores the terminal, writes a report and ends the program by its signal. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "core/base/job.h"
#include "core/base/parallel.h"
#include "io/files/mapping.h"
#include "tests/unit/test.h"
#include "ui/terminal/crash.h"

/* A child process on a pseudo-terminal that crashes, and its observed output. */
typedef struct crash {
    int master, slave;
    char folder[64], report[4096], written[4096], other[16]; /* other: a file beside the report's folder */
    struct termios before, after;
    int status;
} crash;

static eb_code crash_on_worker(eb_job *job, void *argument, eb_status *status)
{
    (void)job, (void)argument, (void)status;
    (void)pthread_kill(pthread_self(), SIGSEGV);
    return EB_OK;
}

static void on_worker(int number)
{
    eb_job *job;
    (void)number;
    if (eb_job_start(crash_on_worker, NULL, &job, NULL) == EB_OK)
        (void)eb_job_finish(job, NULL);
}

/* Recurses beyond any stack. */
static __attribute__((noinline)) unsigned sink(unsigned depth)
{
    volatile unsigned char page[4096];
    page[depth % sizeof page] = (unsigned char)depth;
    return depth == 0 ? 0 : sink(depth - 1) + page[depth % sizeof page];
}

static eb_code overflow(eb_job *job, void *argument, eb_status *status)
{
    (void)job, (void)argument, (void)status;
    return sink(1u << 24) == 1 ? EB_INTERNAL : EB_OK;
}

static void overflow_on_worker(int number)
{
    eb_job *job;
    (void)number;
    if (eb_job_start(overflow, NULL, &job, NULL) == EB_OK)
        (void)eb_job_finish(job, NULL);
}

static eb_code overflow_or_wait(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)context, (void)task;
    while (thread == 0) /* the caller waits: a worker thread is to overflow */
        (void)pause();
    return overflow(NULL, NULL, status);
}

static void overflow_in_a_loop(int number)
{
    (void)number;
    (void)eb_parallel(2, 2, overflow_or_wait, NULL, NULL, NULL);
}

static void here(int number) { (void)raise(number); }

/* A child of the crashing program (hdf5.c forks some) crashes without output; the program itself continues. */
static void in_a_child(int number)
{
    pid_t child = fork();
    if (child == 0) {
        (void)raise(number);
        _exit(0);
    }
    int status = 0;
    (void)waitpid(child, &status, 0);
    _exit(WIFSIGNALED(status) && WTERMSIG(status) == number ? 0 : 9);
}

enum { TOGETHER = 8 };

typedef struct forbidden {
    pthread_barrier_t ready;
    volatile char *page; /* page without access rights */
} forbidden;

static void *read_forbidden(void *argument)
{
    forbidden *f = argument;
    (void)pthread_barrier_wait(&f->ready);
    (void)f->page[0];
    return NULL;
}

/* Several threads fault at the same moment, the calling thread among them. */
static void together(int number)
{
    forbidden f = {.page = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)};
    pthread_t thread;
    (void)number;
    (void)pthread_barrier_init(&f.ready, NULL, TOGETHER);
    for (unsigned k = 1; k < TOGETHER; k++)
        (void)pthread_create(&thread, NULL, read_forbidden, &f);
    (void)read_forbidden(&f);
}

/* Maps a file (io/files/mapping.h). The mapping's handler must ignore signals that were raised by other means, and
 * faults in other mappings. */
static int map_something(void)
{
    eb_mapping *mapping;
    int fd = memfd_create("points", MFD_CLOEXEC);
    if (fd < 0 || write(fd, "points", 6) != 6 || eb_map(fd, 6, "points", &mapping, NULL))
        _exit(9);
    return fd;
}

static void beside_a_mapping(int number)
{
    (void)map_something();
    (void)raise(number);
}

static void in_a_foreign_mapping(int number)
{
    (void)number;
    int fd = map_something();
    const volatile char *page = mmap(NULL, 6, PROT_READ, MAP_PRIVATE, fd, 0);
    if (ftruncate(fd, 0) == 0)
        (void)page[0];
}

static void after_it_was_given_back(int number)
{
    eb_crash_terminal(-1, NULL, "");
    (void)raise(number);
}

static void be_child(const crash *c, void (*die)(int), int number)
{
    const struct rlimit none = {0, 0};
    struct termios raw = c->before;
    sigset_t all;
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)setenv("XDG_STATE_HOME", c->folder, 1);
    (void)dup2(c->slave, STDERR_FILENO);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_UNBLOCK, &all, NULL);
    eb_crash_arm("1.2.3", "abcdef");
    eb_crash_running("join ref64 eps=0.5");
    eb_crash_terminal(c->slave, &c->before, "<screen back>");
    cfmakeraw(&raw);
    (void)tcsetattr(c->slave, TCSANOW, &raw);
    die(number);
    _exit(8);
}

static void read_other(crash *c)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/other", c->folder);
    int fd = open(path, O_RDONLY);
    ssize_t got = fd >= 0 ? read(fd, c->other, sizeof c->other - 1) : 0;
    c->other[got > 0 ? got : 0] = '\0';
    if (fd >= 0)
        (void)close(fd);
    (void)unlink(path);
}

static void read_report(crash *c)
{
    char path[128];
    read_other(c);
    (void)snprintf(path, sizeof path, "%s/epsbench/crash.txt", c->folder);
    struct stat found;
    FILE *file = lstat(path, &found) == 0 && S_ISREG(found.st_mode) ? fopen(path, "r") : NULL;
    if (file) {
        size_t got = fread(c->report, 1, sizeof c->report - 1, file);
        c->report[got] = '\0';
        (void)fclose(file);
    }
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/epsbench", c->folder);
    (void)rmdir(path);
    (void)rmdir(c->folder);
}

static crash observe(void (*die)(int), int number)
{
    crash c = {.folder = "/tmp/epsbench-crash.XXXXXX"};
    assert_non_null(mkdtemp(c.folder));
    c.master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(c.master >= 0 && grantpt(c.master) == 0 && unlockpt(c.master) == 0);
    c.slave = open(ptsname(c.master), O_RDWR | O_NOCTTY);
    assert_true(c.slave >= 0);
    assert_int_equal(tcgetattr(c.slave, &c.before), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        be_child(&c, die, number);
    assert_int_equal(waitpid(child, &c.status, 0), child);
    assert_int_equal(tcgetattr(c.slave, &c.after), 0);
    /* With the last slave closed, reading the master ends after the last output. */
    (void)close(c.slave);
    size_t used = 0;
    for (ssize_t got; used + 1 < sizeof c.written; used += (size_t)got)
        if ((got = read(c.master, c.written + used, sizeof c.written - 1 - used)) <= 0)
            break;
    c.written[used] = '\0';
    read_report(&c);
    (void)close(c.master);
    return c;
}

static void expect_all(const crash *c, int number, const char *name)
{
    char line[64];
    assert_true(WIFSIGNALED(c->status) && WTERMSIG(c->status) == number);
    assert_int_equal(c->after.c_lflag, c->before.c_lflag);
    assert_int_equal(c->after.c_iflag, c->before.c_iflag);
    assert_int_equal(c->after.c_oflag, c->before.c_oflag);
    assert_non_null(strstr(c->report, "epsbench 1.2.3 (abcdef)"));
    assert_non_null(strstr(c->report, "command: join ref64 eps=0.5"));
    (void)snprintf(line, sizeof line, "ended by %s", name);
    assert_non_null(strstr(c->report, line));
    assert_non_null(strstr(c->report, program_invocation_short_name)); /* a frame of the backtrace */
    const char *screen = strstr(c->written, "<screen back>"), *said = strstr(c->written, line);
    assert_true(screen && said && screen < said); /* in the other order the sentence would vanish with the screen */
    assert_non_null(strstr(said, "/epsbench/crash.txt"));
    assert_null(strstr(said + 1, "ended by")); /* printed once */
}

TEST(every_signal_of_a_bug_is_survived_by_the_terminal)
{
    static const struct {
        int number;
        const char *name;
    } signals[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
                   {SIGILL, "SIGILL"},   {SIGABRT, "SIGABRT"}, {SIGQUIT, "SIGQUIT"}};
    for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++) {
        crash c = observe(here, signals[k].number);
        expect_all(&c, signals[k].number, signals[k].name);
    }
}

TEST(the_worker_may_crash_too)
{
    crash c = observe(on_worker, SIGSEGV);
    expect_all(&c, SIGSEGV, "SIGSEGV");
}

TEST(a_stack_that_overflows_on_any_thread_is_told)
{
    crash c = observe(overflow_on_worker, SIGSEGV);
    expect_all(&c, SIGSEGV, "SIGSEGV");
    c = observe(overflow_in_a_loop, SIGSEGV);
    expect_all(&c, SIGSEGV, "SIGSEGV");
}

/* The report's path before the crash; `other` is a file that must not change. */
static char place[128], other[128];

static void put_other(void)
{
    (void)snprintf(place, sizeof place, "%s/epsbench/crash.txt", getenv("XDG_STATE_HOME"));
    (void)snprintf(other, sizeof other, "%s/other", getenv("XDG_STATE_HOME"));
    char folder[128];
    (void)snprintf(folder, sizeof folder, "%s/epsbench", getenv("XDG_STATE_HOME"));
    (void)mkdir(folder, 0700);
    int fd = open(other, O_WRONLY | O_CREAT, 0600);
    if (fd < 0 || write(fd, "precious", 8) != 8 || close(fd) != 0)
        _exit(7);
}

static void behind_a_symbolic_link(int number)
{
    put_other();
    (void)!symlink(other, place);
    (void)raise(number);
}

static void behind_a_second_name(int number)
{
    put_other();
    (void)!link(other, place);
    (void)raise(number);
}

static void behind_a_pipe(int number)
{
    put_other();
    (void)!mkfifo(place, 0600);
    (void)raise(number);
}

TEST(a_report_is_written_over_nothing_of_others)
{
    void (*const ways[])(int) = {behind_a_symbolic_link, behind_a_second_name, behind_a_pipe};
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
        crash c = observe(ways[k], SIGABRT);
        assert_true(WIFSIGNALED(c.status) && WTERMSIG(c.status) == SIGABRT);
        assert_non_null(strstr(c.written, "no crash report could be written to "));
        assert_string_equal(c.other, "precious");
    }
}

TEST(of_threads_that_crash_together_one_tells_all)
{
    enum { ROUNDS = 200 };
    for (int k = 0; k < ROUNDS; k++) {
        crash c = observe(together, SIGSEGV);
        expect_all(&c, SIGSEGV, "SIGSEGV");
    }
}

TEST(mapped_files_leave_other_bus_errors_alone)
{
    crash c = observe(beside_a_mapping, SIGBUS);
    expect_all(&c, SIGBUS, "SIGBUS");
    c = observe(in_a_foreign_mapping, SIGBUS);
    expect_all(&c, SIGBUS, "SIGBUS");
}

TEST(a_crashing_child_is_no_crash_of_ours)
{
    crash c = observe(in_a_child, SIGSEGV);
    assert_true(WIFEXITED(c.status) && WEXITSTATUS(c.status) == 0);
    assert_string_equal(c.report, "");
    assert_string_equal(c.written, "");
}

TEST(a_terminal_given_back_is_left_alone)
{
    crash c = observe(after_it_was_given_back, SIGSEGV);
    assert_true(WIFSIGNALED(c.status) && WTERMSIG(c.status) == SIGSEGV);
    assert_null(strstr(c.written, "<screen back>"));
    assert_non_null(strstr(c.written, "/epsbench/crash.txt"));
    assert_int_equal(c.after.c_lflag & ICANON, 0); /* as set by the child */
}

RUN_TESTS
