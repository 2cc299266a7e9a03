/* thread: starting a thread. All threads have a stack of fixed size, whatever the shell's limit, and a second stack for
 * the crash handler when the first has overflowed. They block the signals that the terminal's thread handles.
 */
#pragma once

#include <pthread.h>
#include <stddef.h>

/* Bytes of address space; memory is only taken for what a thread uses. */
#define EB_THREAD_STACK ((size_t)8 << 20)
#define EB_CRASH_STACK ((size_t)64 << 10)

/* Like pthread_create, and returns the same errors. */
int eb_thread_start(pthread_t *thread, void *(*work)(void *), void *argument);
