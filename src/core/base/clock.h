/* clock: monotonic time in seconds. */
#pragma once

#include <time.h>

static inline double eb_now_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
