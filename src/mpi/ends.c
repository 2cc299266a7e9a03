#include "mpi/ends.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/base/thread.h"

int eb_end_open(long process)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, (pid_t)process, 0);
#else
    (void)process;
    return -1;
#endif
}

bool eb_end_came(int descriptor)
{
    struct pollfd end = {.fd = descriptor, .events = POLLIN};
    return descriptor >= 0 && poll(&end, 1, 0) > 0;
}

static void *follow(void *descriptor)
{
    const struct timespec grace = {.tv_sec = EB_END_GRACE_S};
    struct pollfd end = {.fd = *(int *)descriptor, .events = POLLIN};
    free(descriptor);
    while (poll(&end, 1, -1) < 0)
        continue;
    (void)nanosleep(&grace, NULL);
    _exit(1);
}

void eb_end_follow(long process)
{
    pthread_t follower;
    int *descriptor = malloc(sizeof *descriptor);
    if (!descriptor)
        return;
    *descriptor = eb_end_open(process);
    if (*descriptor >= 0 && eb_thread_start(&follower, follow, descriptor) == 0) {
        (void)pthread_detach(follower);
        return;
    }
    if (*descriptor >= 0)
        (void)close(*descriptor);
    free(descriptor);
}
