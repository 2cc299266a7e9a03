#include "shell/code/disassemble.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/subprocess/program.h"
#include "io/subprocess/workplace.h"

enum { PATH_BYTES = 4096, CPU_SECONDS = 30, SECONDS = 60, MOST_FOUND = 10 };
#define MEMORY_BYTES ((uint64_t)4 << 30)
#define LISTING_BYTES ((uint64_t)64 << 20)

static const char kernel_name[] = "kernel.cubin", listing_name[] = "listing";

/* ---- the programs ---- */

/* The n-th place to look for one of the programs; false: there are no more. "": not here. */
static bool place_at(int n, char program[PATH_BYTES], bool *lines)
{
    static const char *const names[] = {"nvdisasm", "cuobjdump"};
    const char *homes[] = {"", getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    const int places = sizeof homes / sizeof homes[0];
    if (n >= places * (int)(sizeof names / sizeof names[0]))
        return false;
    const char *home = homes[n % places], *name = names[n / places];
    *lines = n < places;
    program[0] = '\0';
    if (n % places == 0)
        (void)snprintf(program, PATH_BYTES, "%s", name);
    else if (home && home[0] == '/')
        (void)snprintf(program, PATH_BYTES, "%.3000s/bin/%s", home, name);
    return true;
}

static eb_code fail_ended(const char *program, const eb_program_end *end, const char *printed, eb_status *status)
{
    const char *begin = printed + strspn(printed, " \t\n");
    if (end->late || end->signal)
        return eb_fail(status, EB_IO, "%s did not list the kernel within %d s", program, (int)SECONDS);
    return eb_fail(status, EB_IO, "%s cannot list the kernel: %.*s", program, (int)strcspn(begin, "\n"),
                   *begin ? begin : "it says nothing");
}

/* *there false: there is no such program. */
static eb_code run(const char *path, bool lines, const char *folder, bool *there, char **sass, eb_job *job,
                   eb_status *status)
{
    const char *const list_lines[] = {path, "-c", "-g", kernel_name, NULL};
    const char *const list[] = {path, "-sass", kernel_name, NULL};
    const eb_program program = {.what = "disassemble the kernel",
                                .argument = lines ? list_lines : list,
                                .folder = folder,
                                .printed = listing_name,
                                .cpu_seconds = CPU_SECONDS,
                                .seconds = SECONDS,
                                .memory_bytes = MEMORY_BYTES,
                                .file_bytes = LISTING_BYTES,
                                .job = job};
    eb_program_end end;
    EB_TRY(eb_program_run(&program, &end, status));
    *there = end.signal || end.status != EB_PROGRAM_MISSING;
    if (!*there)
        return EB_OK;
    *sass = eb_workplace_read(folder, listing_name, LISTING_BYTES);
    if (!*sass && !(*sass = strdup("")))
        return eb_fail_memory(status, "a kernel's listing", 1);
    if (!end.signal && !end.late && end.status == 0)
        return EB_OK;
    const eb_code failed = fail_ended(path, &end, *sass, status);
    free(*sass);
    *sass = NULL;
    return failed;
}

static eb_code find_and_run(const char *folder, char **sass, eb_job *job, eb_status *status)
{
    char program[PATH_BYTES];
    bool there = false, lines;
    for (int n = 0; !there && place_at(n, program, &lines); n++)
        if (program[0] != '\0')
            EB_TRY(run(program, lines, folder, &there, sass, job, status));
    return there ? EB_OK
                 : eb_fail(status, EB_NO_ENGINE,
                           "SASS is listed by nvdisasm, which is missing: install the CUDA Toolkit's package "
                           "cuda-nvdisasm, or set CUDA_HOME to a toolkit that has it; code=ptx needs no such program");
}

eb_code eb_disassemble(const unsigned char *cubin, size_t size, char **sass, eb_job *job, eb_status *status)
{
    char folder[EB_WORKPLACE_BYTES];
    *sass = NULL;
    EB_TRY(eb_workplace_make(folder, status));
    eb_code failed = eb_workplace_write(folder, kernel_name, cubin, size, status);
    if (!failed)
        failed = find_and_run(folder, sass, job, status);
    eb_workplace_remove(folder);
    return failed;
}
