#include "core/base/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

/* Arguments of a new thread, and its second stack. */
typedef struct beginning {
    void *(*work)(void *);
    void *argument;
    unsigned char crash_stack[EB_CRASH_STACK];
} beginning;

static void *begin(void *argument)
{
    beginning *b = argument;
    const stack_t stack = {.ss_sp = b->crash_stack, .ss_size = sizeof b->crash_stack};
    stack_t before;
    (void)sigaltstack(&stack, &before);
    void *result = b->work(b->argument);
    (void)sigaltstack(&before, NULL);
    free(b);
    return result;
}

/* Blocks all signals but those that a bug raises: blocked, they would end the program before the crash handler runs. */
static void block_signals(sigset_t *before)
{
    static const int raised_by_bugs[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    sigset_t blocked;
    (void)sigfillset(&blocked);
    for (size_t k = 0; k < sizeof raised_by_bugs / sizeof raised_by_bugs[0]; k++)
        (void)sigdelset(&blocked, raised_by_bugs[k]);
    (void)pthread_sigmask(SIG_SETMASK, &blocked, before);
}

int eb_thread_start(pthread_t *thread, void *(*work)(void *), void *argument)
{
    pthread_attr_t attributes;
    sigset_t before;
    beginning *b = malloc(sizeof *b);
    int failed = b ? pthread_attr_init(&attributes) : ENOMEM;
    if (failed) {
        free(b);
        return failed;
    }
    b->work = work;
    b->argument = argument;
    failed = pthread_attr_setstacksize(&attributes, EB_THREAD_STACK);
    block_signals(&before);
    if (!failed)
        failed = pthread_create(thread, &attributes, begin, b);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    if (failed)
        free(b);
    return failed;
}
