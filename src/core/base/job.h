/* job: one cancellable piece of work with progress, and the worker thread that runs it.
 *
 * The thread that owns the terminal starts a job and keeps listening; the work runs on a worker, reports progress into
 * atomics and looks at the cancel flag at least every ~100 ms. When the work ends, or progress moves, the worker posts
 * to an eventfd that the owner polls beside its keyboard. Functions that work take an eb_job* which may be NULL: then
 * nothing is reported and nothing can be cancelled.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/status.h"

typedef struct eb_job eb_job;

/* Where a command stands: "engine" 1 of 2, "trial" 4 of 200. */
typedef struct eb_step {
    const char *name; /* static text */
    unsigned at, of;  /* at: from 1; of 0: it has no such steps */
} eb_step;

enum { EB_STEPS = 2 }; /* the outer ones first */

typedef struct eb_progress {
    const char *phase;    /* static text: "sampling", "ref64 trial", …; never NULL */
    const char *aside;    /* static text: what has to be done meanwhile, in any phase; NULL: nothing */
    uint64_t done, total; /* total 0: unknown */
    double elapsed_s;     /* since the job began */
    double phase_s;       /* since the phase began: base an ETA on this and done/total */
    bool finished;
    eb_step step[EB_STEPS];
    bool foreseen; /* the next: until the whole command is done */
    double left_s;
    double announced_s;                            /* what all of it would take, told before it began; 0: nothing was */
    uint64_t announced_bytes, announced_gpu_bytes; /* likewise of memory, the host's and the GPU's */
} eb_progress;

/* work(job, argument) runs once on the worker. */
typedef eb_code (*eb_job_work)(eb_job *job, void *argument, eb_status *status);

/* Starts the worker. *out is owned by the caller, who must eb_job_finish it. */
eb_code eb_job_start(eb_job_work work, void *argument, eb_job **out, eb_status *status);

/* Becomes readable when progress was posted or the work ended; reading it is eb_job_progress's business. */
int eb_job_event_fd(const eb_job *job);

/* A snapshot; drains the event descriptor. */
eb_progress eb_job_progress(eb_job *job);

/* Asks the work to stop: async-signal-safe, may be called at any time between start and finish. */
void eb_job_cancel(eb_job *job);

/* Waits for the worker, frees the job, returns what work returned. */
eb_code eb_job_finish(eb_job *job, eb_status *status);

/* For the work itself (all accept NULL). */
bool eb_job_cancelled(const eb_job *job);
void eb_job_phase(eb_job *job, const char *phase, uint64_t total); /* a new phase, done = 0; posts */
/* What the phase waits for, until it is NULL again: phase and steps stay as they are. Text that is never freed. Posts.
 */
void eb_job_aside(eb_job *job, const char *text);
void eb_job_advance(eb_job *job, uint64_t units); /* done += units, from any thread; posts at most 20×/s */
void eb_job_step(eb_job *job, unsigned level, const char *name, unsigned at, unsigned of); /* static text; of 0: none */
/* What begins now takes so long, what comes after it so long, phases inside it or not. NAN: not known; a part of what
 * is done now tells how long it takes. */
void eb_job_foresee(eb_job *job, double this_s, double after_s);
void eb_job_announce(eb_job *job, double seconds); /* what all of it takes, before it begins; posts */
void eb_job_announce_memory(eb_job *job, uint64_t bytes, uint64_t gpu_bytes); /* likewise */
eb_code eb_job_check(const eb_job *job, eb_status *status); /* EB_CANCELLED "interrupted" when asked to stop */
