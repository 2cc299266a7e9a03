/* child: runs a library that may crash, hang or use up memory in a forked child process. A failure there becomes an
 * error message here. The work must not take locks of this program. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/base/job.h"

typedef struct eb_child {
    const char *what; /* for messages: "read HDF5" */
    void *context;
    void (*work)(void *context, void *reply); /* runs in the child; signals end it; its standard streams lead nowhere */
    void (*watch)(void *context);             /* runs in the parent meanwhile, at least every 50 ms; NULL: nothing */
    size_t reply_bytes;                       /* ≤ EB_CHILD_REPLY, so that it passes through a pipe in one piece */
    unsigned seconds;                         /* time limit, unless the work calls alarm() itself */
    bool writes;                              /* may write to open files; otherwise to none */
    eb_job *job;                              /* a cancel kills the child; may be NULL */
} eb_child;

#define EB_CHILD_REPLY PIPE_BUF

typedef struct eb_child_end {
    bool replied;
    int signal, status; /* if not replied; signal 0: it exited with `status`; SIGALRM: its time was over */
} eb_child_end;

/* Runs the child to its end. Fails if it cannot be started or waited for, or is cancelled. The caller must check the
 * reply, as the child may have misbehaved. */
eb_code eb_child_run(const eb_child *child, void *reply, eb_child_end *end, eb_status *status);
