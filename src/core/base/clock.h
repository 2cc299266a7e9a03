/* clock: monotonic time in seconds, and a moment to wait until. */
#pragma once

#include <time.h>

static inline double eb_now_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The time of day in so many seconds, as pthread_cond_timedwait takes it. */
static inline struct timespec eb_time_after(double seconds)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    const double whole = (double)t.tv_nsec * 1e-9 + seconds;
    t.tv_sec += (time_t)whole;
    t.tv_nsec = (long)((whole - (double)(time_t)whole) * 1e9);
    return t;
}
