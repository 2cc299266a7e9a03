/* Preloaded by CI to set the calendar 400 days ahead, so that no test depends on the current date. Monotonic clocks,
 * and all waits, stay unchanged, and so does the coarse clock, which the system stamps files with.
 *
 * cc -shared -fPIC -D_GNU_SOURCE -o another_day.so tests/another_day.c &&
 * LD_PRELOAD=$PWD/another_day.so tests/run build */
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const time_t ahead_s = 400L * 24 * 60 * 60;

int clock_gettime(clockid_t clock, struct timespec *out)
{
    int failed = (int)syscall(SYS_clock_gettime, clock, out);
    if (!failed && clock == CLOCK_REALTIME)
        out->tv_sec += ahead_s;
    return failed;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    int failed = clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return failed;
}

time_t time(time_t *out)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}
