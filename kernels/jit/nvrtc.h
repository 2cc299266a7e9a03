/* nvrtc: opens NVRTC at run time and compiles kernels with it. Its few functions are declared in nvrtc.c, so that
 * neither building nor running this program needs the toolkit's headers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

/* A kernel: its file, as it would be included, and the C++ expression that names it: "kernels/fasted/cuda/kernel.cuh",
 * "eb::fasted_tiles<…>". */
typedef struct eb_jit_kernel {
    const char *source, *name;
    const char *checks; /* C++ after the source: static_asserts of what host and kernel must agree on; NULL: none */
} eb_jit_kernel;

typedef struct eb_jit_code {
    char *symbol; /* the kernel's name in the code */
    unsigned char *bytes;
    size_t size;
} eb_jit_code;

void eb_jit_code_free(eb_jit_code *code);

typedef struct eb_nvrtc {
    int major, minor;
    int architectures;     /* number of architectures that it can compile for */
    int architecture[128]; /* 80, 90 … */
} eb_nvrtc;

/* Opens the library at the first call; NULL if it is missing. It is never closed. */
const eb_nvrtc *eb_nvrtc_open(void);

/* The library's file name, such as "libnvrtc.so.13". */
const char *eb_nvrtc_name(void);

/* Compiles one kernel from the program's sources. The caller frees the code. EB_INTERNAL with the first line of NVRTC's
 * log. */
eb_code eb_nvrtc_compile(const eb_jit_kernel *kernel, const char *const *options, int count, bool ptx, eb_jit_code *out,
                         eb_status *status);

/* Compiles a text to PTX, heap. *log: NVRTC's messages, heap; NULL: none. EB_BAD_VALUE if it rejects the text. Call
 * after eb_nvrtc_open. */
eb_code eb_nvrtc_compile_text(const char *text, const char *name, const char *const *options, int count, char **ptx,
                              char **log, eb_status *status);

/* The source files in the program, the stubs for system headers among them. */
enum { EB_JIT_MOST_SOURCES = 256 };

typedef struct eb_jit_sources {
    size_t count;
    const char *name[EB_JIT_MOST_SOURCES]; /* as it is included */
    const char *text[EB_JIT_MOST_SOURCES];
} eb_jit_sources;

void eb_jit_sources_list(eb_jit_sources *out);
