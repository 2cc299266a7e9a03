/* job: one cancellable piece of work with progress, and the worker thread that runs it.
 *
 * The terminal's thread starts a job and keeps handling input. The worker thread runs the work, stores progress in
 * atomics and reads the cancel flag at least every 100 ms or so. When progress changes or the work ends, the worker
 * posts to an eventfd that the terminal's thread polls together with the keyboard. Functions that do work take an
 * eb_job*, which may be NULL: then they report no progress and cannot be cancelled.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/status.h"

typedef struct eb_job eb_job;

/* Position in a command's loop: "engine" 1 of 2, "trial" 4 of 200. */
typedef struct eb_step {
    const char *name; /* static text */
    unsigned at, of;  /* at: from 1; of 0: no such loop */
} eb_step;

enum { EB_STEPS = 2 }; /* nested loops, the outer one first */

typedef struct eb_progress {
    const char *phase;    /* static text: "sampling", "ref64 trial", …; never NULL */
    const char *aside;    /* static text: what the phase waits for now, such as a compilation; NULL: nothing */
    uint64_t done, total; /* total 0: unknown */
    double elapsed_s;     /* since the job began */
    double phase_s;       /* since the phase began: base an ETA on this and done/total */
    bool finished;
    eb_step step[EB_STEPS];
    bool foreseen;                                 /* left_s is known */
    double left_s;                                 /* time until the whole command ends */
    double announced_s;                            /* forecast of the whole command, made before it began; 0: none */
    uint64_t announced_bytes, announced_gpu_bytes; /* forecast of its host and GPU memory; 0: none */
} eb_progress;

/* work(job, argument) runs once on the worker. */
typedef eb_code (*eb_job_work)(eb_job *job, void *argument, eb_status *status);

/* Starts the worker. *out is owned by the caller, who must eb_job_finish it. */
eb_code eb_job_start(eb_job_work work, void *argument, eb_job **out, eb_status *status);

/* A descriptor that is readable once progress was posted or the work ended. eb_job_progress drains it. */
int eb_job_event_fd(const eb_job *job);

/* A snapshot; drains the event descriptor. */
eb_progress eb_job_progress(eb_job *job);

/* Asks the work to stop: async-signal-safe, may be called at any time between start and finish. */
void eb_job_cancel(eb_job *job);

/* Lets the work stand still, where it would read the cancel flag, until it may go on or is cancelled. */
void eb_job_pause(eb_job *job, bool paused);

/* The newest eb_job_remark that was not taken yet; NULL: none. The caller frees it. */
char *eb_job_take_remark(eb_job *job);

/* Waits for the worker, frees the job, returns what work returned. */
eb_code eb_job_finish(eb_job *job, eb_status *status);

/* For the work itself (all accept NULL). */
bool eb_job_cancelled(const eb_job *job);                          /* waits while the job is paused */
void eb_job_phase(eb_job *job, const char *phase, uint64_t total); /* a new phase, done = 0; posts */
/* Shows what the phase waits for until the text is NULL again; phase and steps stay. The text must be static. Posts. */
void eb_job_aside(eb_job *job, const char *text);
void eb_job_advance(eb_job *job, uint64_t units); /* done += units, from any thread; posts at most 20×/s */
/* From now on `by` units of eb_job_advance count as one, for work that is done in so many passes; 1: each counts. */
void eb_job_divide(eb_job *job, uint64_t by);
void eb_job_step(eb_job *job, unsigned level, const char *name, unsigned at, unsigned of); /* static text; of 0: none */
/* Forecasts that the work starting now takes this_s, whatever phases it has, and the rest of the command after_s. NAN:
 * unknown; the time left is then derived from the progress of the phase. */
void eb_job_foresee(eb_job *job, double this_s, double after_s);
/* Says something to the person while the work goes on; a later remark replaces one that was not taken. Posts. */
void eb_job_remark(eb_job *job, const char *text);
void eb_job_announce(eb_job *job, double seconds); /* forecast of the whole command, before it begins; posts */
void eb_job_announce_memory(eb_job *job, uint64_t bytes, uint64_t gpu_bytes); /* the same for its memory; posts */
#define EB_JOB_LOOK_S 0.01 /* between such checks, while a thread waits for something else */
eb_code eb_job_check(const eb_job *job, eb_status *status); /* EB_CANCELLED "interrupted" when asked to stop */
