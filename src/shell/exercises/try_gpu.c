/* try_gpu: computes the values of a person's function on a GPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/text_file.h"
#include "kernels/jit/function.h"
#include "shell/exercises/try.h"

/* Opening a context takes seconds of CPU time on a machine with many GPUs, and waiting for a kernel takes CPU time. */
static const eb_try_limits limits = {.cpu_seconds = 20,
                                     .seconds = 20,
                                     .file_bytes = (uint64_t)16 << 20,
                                     .together = true};

static eb_code compile(const eb_exercise *e, const char *path, const eb_try_folder *folder, eb_tried *out,
                       eb_status *status)
{
    char call[160], *text, *ptx = NULL;
    (void)snprintf(call, sizeof call, "%s(k / %zuu, k %% %zuu%s)", e->name, e->side, e->side, e->more);
    EB_TRY(eb_text_read(path, "a file of C", &text, status));
    eb_code failed = eb_function_compile(text, path, call, e->values, &ptx, &out->compiler, status);
    if (!failed)
        failed = eb_workplace_write(folder->path, "function.ptx", ptx, strlen(ptx) + 1, status);
    free(text);
    free(ptx);
    return failed;
}

static eb_code run(const eb_exercise *exercise, const eb_try_folder *folder, int device, eb_tried *out, eb_job *job,
                   eb_status *status)
{
    char number[16], values[32];
    (void)snprintf(number, sizeof number, "%d", device);
    (void)snprintf(values, sizeof values, "%zu", exercise->values);
    const char *const argument[] = {"/proc/self/exe", EB_FUNCTION_ARGUMENT, number, values, NULL};
    EB_TRY(eb_try_run(exercise, folder, argument, &limits, out, job, status));
    const char *error = out->value || !out->printed ? NULL : strstr(out->printed, "CUDA_ERROR");
    if (error) /* the driver's name of a fault */
        (void)snprintf(out->sentence, sizeof out->sentence, "the GPU stopped %s: %.*s", exercise->name,
                       (int)strcspn(error, "\n"), error);
    return EB_OK;
}

eb_code eb_try_on_gpu(const eb_exercise *exercise, const char *path, int device, eb_tried *out, eb_job *job,
                      eb_status *status)
{
    eb_try_folder folder;
    eb_status refused = {.message = ""};
    *out = (eb_tried){.value = NULL};
    EB_TRY(eb_try_open(exercise, &folder, status));
    eb_code failed = compile(exercise, path, &folder, out, &refused);
    if (failed == EB_BAD_VALUE) {
        eb_try_say_refusal(exercise, "NVRTC", path, out);
        failed = EB_OK;
    } else if (failed) {
        failed = eb_fail(status, failed, "%s", refused.message);
    } else {
        failed = run(exercise, &folder, device, out, job, status);
    }
    eb_try_close(&folder);
    if (failed)
        eb_tried_free(out);
    return failed;
}
