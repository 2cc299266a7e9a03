#include "shell/exercises/try.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/subprocess/program.h"
#include "io/subprocess/workplace.h"

enum {
    COMPILE_S = 20,
    COMPILE_WAIT_S = 60,
    RUN_S = 2,
    RUN_WAIT_S = 10,
    PRINTED_BYTES = 65536, /* more than a person reads */
    COMPILED_BYTES = 16 << 20,
    RUN_MIB = 256,
    COMPILE_MIB = 2048,
    CALL_BYTES = 80,
};
#define MIB ((uint64_t)1 << 20)
#define NOT_STARTED UINT32_MAX

void eb_tried_free(eb_tried *tried)
{
    free(tried->value);
    free(tried->compiler);
    free(tried->printed);
    *tried = (eb_tried){.value = NULL};
}

/* ---- the folder ---- */

static eb_code map_table(eb_try_folder *folder, eb_status *status)
{
    char path[EB_WORKPLACE_PATH];
    const size_t bytes = (folder->values + 1) * sizeof *folder->table;
    const int fd = open(eb_workplace_path(folder->path, "table", path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    void *map = fd >= 0 && ftruncate(fd, (off_t)bytes) == 0
                    ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                    : MAP_FAILED;
    const int error = errno;
    if (fd >= 0)
        (void)close(fd);
    if (map == MAP_FAILED)
        return eb_fail(status, EB_IO, "%s: cannot write: %s", path, strerror(error));
    folder->table = map;
    folder->table[0] = NOT_STARTED;
    return EB_OK;
}

eb_code eb_try_open(const eb_exercise *exercise, eb_try_folder *out, eb_status *status)
{
    *out = (eb_try_folder){.values = exercise->values};
    EB_TRY(eb_workplace_make(out->path, status));
    const eb_code failed = map_table(out, status);
    if (failed)
        eb_try_close(out);
    return failed;
}

void eb_try_close(eb_try_folder *folder)
{
    if (folder->table)
        (void)munmap(folder->table, (folder->values + 1) * sizeof *folder->table);
    eb_workplace_remove(folder->path);
    *folder = (eb_try_folder){.table = NULL};
}

/* ---- running the function ---- */

/* Says how the program ended that was at work on `call`. */
static void say_end(const eb_program_end *end, const eb_try_limits *limits, const char *call, char *out, size_t size)
{
    const char *wrong = NULL;
    switch (end->signal) {
    case SIGSEGV:
    case SIGBUS:
        wrong = "read or wrote memory that is not its own, as endless recursion does, or a malloc beyond the limit";
        break;
    case SIGFPE: wrong = "divided by zero"; break;
    case SIGABRT: wrong = "stopped the program"; break;
    default: break;
    }
    if (end->late)
        (void)snprintf(out, size, "%s did not return within %u s", call, limits->seconds);
    else if (end->signal == SIGXCPU || end->signal == SIGKILL)
        (void)snprintf(out, size, "%s did not return within %u s of CPU time: look for a loop that never ends", call,
                       limits->cpu_seconds);
    else if (end->signal == SIGXFSZ)
        (void)snprintf(out, size, "%s printed too much: %d KiB are allowed", call, (int)(limits->file_bytes / 1024));
    else if (wrong)
        (void)snprintf(out, size, "%s %s", call, wrong);
    else if (end->signal)
        (void)snprintf(out, size, "%s was ended by signal %d", call, end->signal);
    else
        (void)snprintf(out, size, "%s ended the program with exit status %d instead of returning", call, end->status);
}

static eb_code take_values(const eb_exercise *exercise, const eb_try_folder *folder, eb_tried *out, eb_status *status)
{
    const size_t bytes = exercise->values * sizeof *out->value;
    out->value = malloc(bytes);
    if (!out->value)
        return eb_fail_memory(status, "the function's values", bytes);
    memcpy(out->value, folder->table + 1, bytes);
    return EB_OK;
}

eb_code eb_try_run(const eb_exercise *exercise, const eb_try_folder *folder, const char *const *argument,
                   const eb_try_limits *limits, eb_tried *out, eb_job *job, eb_status *status)
{
    char call[CALL_BYTES];
    const eb_program program = {.what = "run your function",
                                .argument = argument,
                                .folder = folder->path,
                                .printed = "printed",
                                .cpu_seconds = limits->cpu_seconds,
                                .seconds = limits->seconds,
                                .memory_bytes = limits->memory_bytes,
                                .file_bytes = limits->file_bytes,
                                .alone = limits->memory_bytes > 0,
                                .job = job};
    eb_program_end end;
    EB_TRY(eb_program_run(&program, &end, status));
    out->printed = eb_workplace_read(folder->path, "printed", PRINTED_BYTES);
    const uint32_t at = folder->table[0];
    if (at == exercise->values)
        return take_values(exercise, folder, out, status);
    if (at == NOT_STARTED && !end.signal && !end.late)
        return eb_fail(status, EB_IO, "the program that calls your function cannot run in %s: %.300s", folder->path,
                       out->printed ? out->printed : "$TMPDIR chooses another folder");
    (void)eb_exercise_call(exercise, at < exercise->values ? at : 0, call, sizeof call);
    say_end(&end, limits, limits->together ? exercise->name : call, out->sentence, sizeof out->sentence);
    return EB_OK;
}

void eb_try_say_refusal(const eb_exercise *exercise, const char *compiler, const char *path, eb_tried *out)
{
    static const char word[] = "error: ";
    const char *own = out->compiler ? strstr(out->compiler, path) : NULL, *error = own ? strstr(own, word) : NULL;
    if (error)
        (void)snprintf(out->sentence, sizeof out->sentence, "%s does not accept the file: %.*s", compiler,
                       (int)strcspn(error + sizeof word - 1, "\n"), error + sizeof word - 1);
    else
        (void)snprintf(out->sentence, sizeof out->sentence, "the file does not define %s", exercise->form);
}

/* ---- on the CPU ---- */

/* A program that calls the function for each value. The table's first number says which call is at work. */
static const char caller[] = "#include <fcntl.h>\n"
                             "#include <sys/mman.h>\n"
                             "int main(void)\n"
                             "{\n"
                             "    int file = open(\"table\", O_RDWR);\n"
                             "    volatile unsigned *table =\n"
                             "        mmap(0, (VALUES + 1) * 4, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);\n"
                             "    if ((void *)table == MAP_FAILED)\n"
                             "        return 1;\n"
                             "    for (unsigned k = 0; k < VALUES; k++) {\n"
                             "        table[0] = k;\n"
                             "        table[k + 1] = FUNCTION(k / SIDE, k % SIDE MORE);\n"
                             "    }\n"
                             "    table[0] = VALUES;\n"
                             "    return 0;\n"
                             "}\n";

static eb_code compile(const eb_exercise *e, const char *path, const eb_try_folder *folder, eb_program_end *end,
                       eb_job *job, eb_status *status)
{
    char values[32], side[32], function[64], more[64];
    (void)snprintf(values, sizeof values, "-DVALUES=%zuu", e->values);
    (void)snprintf(side, sizeof side, "-DSIDE=%zuu", e->side);
    (void)snprintf(function, sizeof function, "-DFUNCTION=%s", e->name);
    (void)snprintf(more, sizeof more, "-DMORE=%s", e->more);
    const char *const argument[] = {"env",
                                    "LC_ALL=C",
                                    "cc",
                                    "-std=c17",
                                    "-D_GNU_SOURCE",
                                    "-O1",
                                    "-Wall",
                                    "-Werror=implicit-function-declaration",
                                    "-fno-diagnostics-show-caret",
                                    values,
                                    side,
                                    function,
                                    more,
                                    "-include",
                                    path,
                                    "-x",
                                    "c",
                                    "caller.c",
                                    "-o",
                                    "caller",
                                    NULL};
    const eb_program program = {.what = "compile your function",
                                .argument = argument,
                                .folder = folder->path,
                                .printed = "compiler",
                                .cpu_seconds = COMPILE_S,
                                .seconds = COMPILE_WAIT_S,
                                .memory_bytes = COMPILE_MIB * MIB,
                                .file_bytes = COMPILED_BYTES,
                                .job = job};
    EB_TRY(eb_workplace_write(folder->path, "caller.c", caller, sizeof caller - 1, status));
    EB_TRY(eb_program_run(&program, end, status));
    if (!end->signal && end->status == EB_PROGRAM_MISSING)
        return eb_fail(status, EB_NO_ENGINE,
                       "there is no C compiler here: the command `cc` is missing; install one, such as gcc");
    return EB_OK;
}

static eb_code compile_and_run(const eb_exercise *exercise, const char *path, const eb_try_folder *folder,
                               eb_tried *out, eb_job *job, eb_status *status)
{
    static const eb_try_limits limits = {RUN_S, RUN_WAIT_S, RUN_MIB * MIB, PRINTED_BYTES, false};
    eb_program_end end;
    EB_TRY(compile(exercise, path, folder, &end, job, status));
    out->compiler = eb_workplace_read(folder->path, "compiler", PRINTED_BYTES);
    if (end.signal || end.late)
        (void)snprintf(out->sentence, sizeof out->sentence, "the C compiler did not end within %d s", COMPILE_S);
    else if (end.status != 0)
        eb_try_say_refusal(exercise, "the C compiler", path, out);
    if (out->sentence[0])
        return EB_OK;
    return eb_try_run(exercise, folder, (const char *const[]){"./caller", NULL}, &limits, out, job, status);
}

eb_code eb_try_on_cpu(const eb_exercise *exercise, const char *path, eb_tried *out, eb_job *job, eb_status *status)
{
    eb_try_folder folder;
    *out = (eb_tried){.value = NULL};
    EB_TRY(eb_try_open(exercise, &folder, status));
    const eb_code failed = compile_and_run(exercise, path, &folder, out, job, status);
    eb_try_close(&folder);
    if (failed)
        eb_tried_free(out);
    return failed;
}
