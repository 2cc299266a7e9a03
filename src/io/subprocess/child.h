/* child: work for a library that may crash, hang or eat memory, in a forked child: what it does there ends with it, and
 * the program goes on with a sentence. Not for calls that take locks of this program's.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/base/job.h"

typedef struct eb_child {
    const char *what; /* for messages: "read HDF5" */
    void *context;
    void (*work)(void *context, void *reply); /* in the child; signals end it, its standard streams lead nowhere */
    void (*watch)(void *context);             /* in the parent meanwhile, at least every 50 ms; NULL: nothing */
    size_t reply_bytes;                       /* ≤ EB_CHILD_REPLY: it comes through a pipe, in one piece */
    unsigned seconds;                         /* to live, unless it calls alarm() itself */
    bool writes;                              /* to files that are open; else it may write to none */
    eb_job *job;                              /* when cancelled, the child is killed; may be NULL */
} eb_child;

#define EB_CHILD_REPLY PIPE_BUF

/* How a child ended without a reply. */
typedef struct eb_child_end {
    bool replied;
    int signal, status; /* signal 0: it ended by itself, with this exit status; SIGALRM: its time was over */
} eb_child_end;

/* Runs it to its end. Failures are those of starting, waiting and cancelling. The reply is to be checked: it comes
 * from a process that may have gone astray. */
eb_code eb_child_run(const eb_child *child, void *reply, eb_child_end *end, eb_status *status);
