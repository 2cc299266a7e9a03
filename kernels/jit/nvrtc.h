/* nvrtc: the library, opened at run time. Its few functions are declared here: a machine that runs the program need not
 * have the toolkit's headers, nor one that builds the rest of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

/* A kernel by its file, as it would be included, and the C++ expression that names it:
 * "kernels/fasted/cuda/kernel.cuh", "eb::fasted_tiles<…>". */
typedef struct eb_jit_kernel {
    const char *source, *name;
    const char *checks; /* C++ behind the source: static_asserts of what host and kernel must have alike; NULL: none */
} eb_jit_kernel;

typedef struct eb_jit_code {
    char *symbol; /* the kernel's name in it */
    unsigned char *bytes;
    size_t size;
} eb_jit_code;

void eb_jit_code_free(eb_jit_code *code);

typedef struct eb_nvrtc {
    int major, minor;
    int architectures;     /* that it has code for */
    int architecture[128]; /* 80, 90 … */
} eb_nvrtc;

/* Opens it at the first call; NULL: it is not here. It is never closed. */
const eb_nvrtc *eb_nvrtc_open(void);

/* "libnvrtc.so.13", as it is looked for. */
const char *eb_nvrtc_name(void);

/* Compiles one kernel of the program's sources. The caller frees the code. EB_INTERNAL with the first line that NVRTC
 * says. */
eb_code eb_nvrtc_compile(const eb_jit_kernel *kernel, const char *const *options, int count, bool ptx, eb_jit_code *out,
                         eb_status *status);

/* The files in the program that NVRTC compiles from, the stubs for system headers among them. */
enum { EB_JIT_MOST_SOURCES = 256 };

typedef struct eb_jit_sources {
    size_t count;
    const char *name[EB_JIT_MOST_SOURCES]; /* as it is included */
    const char *text[EB_JIT_MOST_SOURCES];
} eb_jit_sources;

void eb_jit_sources_list(eb_jit_sources *out);
