/* thread: how the program starts its threads, all alike: with a stack whose size no limit of the shell decides, with a
 * second one on which a crash can be told when the first has overflowed, and without the signals that are the
 * terminal's business.
 */
#pragma once

#include <pthread.h>
#include <stddef.h>

/* Address space, of which a thread takes what it uses. */
#define EB_THREAD_STACK ((size_t)8 << 20)
#define EB_CRASH_STACK ((size_t)64 << 10)

/* As pthread_create, and with what that returns. */
int eb_thread_start(pthread_t *thread, void *(*work)(void *), void *argument);
