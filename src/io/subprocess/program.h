/* program: runs another program, which may be hostile or broken, in a process group of its own with limits of time and
 * memory. Its input is empty, and its output goes to a file. When it ends, the processes that it started are killed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/job.h"

typedef struct eb_program {
    const char *what;            /* for messages: "compile swizzle.c" */
    const char *const *argument; /* argument[0] is looked for in $PATH; NULL after the last */
    const char *folder;          /* where it runs */
    const char *printed;         /* file in that folder for both its output streams */
    unsigned cpu_seconds;        /* limit of its CPU time */
    unsigned seconds;            /* limit of the time that passes */
    uint64_t memory_bytes;       /* limit of its address space; 0: none */
    uint64_t file_bytes;         /* limit of each file that it writes, what it prints among them */
    bool alone;                  /* it may start no other processes, if the system can forbid that */
    eb_job *job;                 /* a cancel kills the program; may be NULL */
} eb_program;

#define EB_PROGRAM_MISSING 127 /* exit status if there is no such program */

typedef struct eb_program_end {
    int signal, status; /* signal 0: it exited with `status` */
    bool late;          /* it was killed when `seconds` had passed */
} eb_program_end;

/* Runs the program to its end. Fails if no process can be started, or if the job is cancelled. */
eb_code eb_program_run(const eb_program *program, eb_program_end *end, eb_status *status);
