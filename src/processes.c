#include "processes.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/base/thread.h"
#include "core/ranks/server/server.h"
#include "draw/utf8.h"
#include "io/parts/keeper.h"
#include "mpi/mpi.h"
#include "shell/session.h"
#include "shell/shell.h"

/* ---- ranks other than 0 ---- */

/* mpirun's SIGTERM goes to all ranks; rank 0 then ends the others in order, if it can. */
#define GRACE_S 3

static void *end_by_signal(void *unused)
{
    const struct timespec grace = {.tv_sec = GRACE_S};
    sigset_t set;
    int number;
    (void)unused;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGHUP);
    (void)sigwait(&set, &number);
    (void)nanosleep(&grace, NULL);
    _exit(128 + number);
}

static eb_code find_device(void *session, const char *name, eb_device *out, eb_status *status)
{
    return eb_session_find_device(session, name, out, status);
}

static int serve(eb_transport *transport)
{
    pthread_t guard;
    eb_status failure;
    eb_session *session = eb_session_new();
    const eb_server_request request = {transport, find_device, session, eb_parts_keep};
    if (!session || eb_thread_start(&guard, end_by_signal, NULL) != 0)
        return 1;
    (void)pthread_detach(guard);
    const eb_code failed = eb_serve(&request, &failure);
    transport->close(transport->state);
    eb_session_free(session);
    return failed ? 1 : 0;
}

/* ---- rank 0 ---- */

static void say_lost(void *context, const char *sentence)
{
    (void)context;
    (void)fprintf(stderr, "epsbench: %s\n", sentence);
    (void)fflush(stderr);
}

static eb_code connect_others(eb_processes *out, eb_status *status)
{
    const eb_ranks_request request = {.transport = &out->transport, .lost = say_lost};
    return eb_ranks_start(&request, &out->ranks, status);
}

/* Until all ranks have met, which they never do if one dies, signals end the process at once. */
static eb_code meet(eb_transport *out, eb_status *status)
{
    sigset_t stops, before;
    (void)sigemptyset(&stops);
    (void)sigaddset(&stops, SIGINT);
    (void)sigaddset(&stops, SIGTERM);
    (void)sigaddset(&stops, SIGHUP);
    (void)pthread_sigmask(SIG_UNBLOCK, &stops, &before);
    const eb_code failed = eb_mpi_open(out, status);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

int eb_processes_begin(eb_processes *out)
{
    eb_status failure;
    *out = (eb_processes){.ranks = NULL};
    if (eb_mpi_processes() < 2)
        return -1;
    eb_code failed = meet(&out->transport, &failure);
    if (!failed && out->transport.rank > 0)
        return serve(&out->transport);
    if (!failed)
        failed = connect_others(out, &failure);
    if (failed && eb_mpi_rank() == 0)
        eb_complain(stderr, NULL, failure.message);
    return failed ? eb_exit_status(failed) : -1;
}

void eb_processes_end(eb_processes *processes)
{
    if (!processes->ranks)
        return;
    if (eb_ranks_stop(processes->ranks))
        processes->transport.close(processes->transport.state);
    processes->ranks = NULL;
}
