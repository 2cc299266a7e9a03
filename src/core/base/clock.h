/* clock: monotonic time in seconds, and waits that a change of the calendar does not touch. */
#pragma once

#include <pthread.h>
#include <time.h>

static inline double eb_now_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A condition for pthread_cond_timedwait until eb_time_after(seconds). */
static inline void eb_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(condition, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

/* The monotonic time in so many seconds. */
static inline struct timespec eb_time_after(double seconds)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    const double whole = (double)t.tv_nsec * 1e-9 + seconds;
    t.tv_sec += (time_t)whole;
    t.tv_nsec = (long)((whole - (double)(time_t)whole) * 1e9);
    return t;
}
