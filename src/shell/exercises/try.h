/* try: computes the values of a person's function (exercise.h), in a process of its own with limits of time, memory and
 * output, so that bad code harms nothing. On the CPU the C compiler `cc` compiles the file; for a GPU, NVRTC does
 * (kernels/jit/function.h).
 */
#pragma once

#include "core/base/job.h"
#include "core/report/report.h"
#include "io/subprocess/workplace.h"
#include "shell/exercises/exercise.h"

typedef struct eb_tried {
    uint32_t *value;    /* [exercise->values], heap; NULL: the function could not be called everywhere */
    char sentence[400]; /* then: why not */
    char *compiler;     /* what the compiler says, heap; "PATH:LINE:COLUMN: error: TEXT"; NULL: nothing */
    char *printed;      /* what the function printed, heap; NULL: nothing */
} eb_tried;

void eb_tried_free(eb_tried *tried); /* frees the members */

/* path: absolute, a file that defines the exercise's function. Code that is wrong is no failure: *out says what
 * happened. EB_NO_ENGINE if there is no C compiler, EB_IO, EB_CANCELLED. */
eb_code eb_try_on_cpu(const eb_exercise *exercise, const char *path, eb_tried *out, eb_job *job, eb_status *status);

/* The same on a CUDA device. EB_NO_ENGINE without NVRTC, EB_NO_DEVICE without a driver. */
eb_code eb_try_on_gpu(const eb_exercise *exercise, const char *path, int device, eb_tried *out, eb_job *job,
                      eb_status *status);

/* ---- parts of both ---- */

/* A folder for one trial. */
typedef struct eb_try_folder {
    char path[EB_WORKPLACE_BYTES];
    uint32_t *table; /* [1 + values], shared with the child: how many values it has computed, then the values */
    size_t values;
} eb_try_folder;

/* Makes the folder, with the file "table". */
eb_code eb_try_open(const eb_exercise *exercise, eb_try_folder *out, eb_status *status);
void eb_try_close(eb_try_folder *folder); /* removes the folder and all files in it */

typedef struct eb_try_limits {
    unsigned cpu_seconds, seconds;
    uint64_t memory_bytes, file_bytes; /* memory_bytes 0: no limit, and it may start other processes */
    bool together;                     /* the calls run side by side, so that none is known to be at fault */
} eb_try_limits;

/* Runs a program that fills the table, then takes the values or says why there are none. Fails with
 * what it printed if it ends by itself before it calls the function. */
eb_code eb_try_run(const eb_exercise *exercise, const eb_try_folder *folder, const char *const *argument,
                   const eb_try_limits *limits, eb_tried *out, eb_job *job, eb_status *status);

/* Says that the compiler does not accept the file: by its first error in it, if out->compiler has one. */
void eb_try_say_refusal(const eb_exercise *exercise, const char *compiler, const char *path, eb_tried *out);
