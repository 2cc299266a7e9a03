/* sources: the files in the program that NVRTC compiles from, the stubs for system headers among them. */
#ifndef EB_KERNELS_JIT_SOURCES_H
#define EB_KERNELS_JIT_SOURCES_H

#include <stddef.h>

enum { EB_JIT_MOST_SOURCES = 256 };

typedef struct eb_jit_sources {
    size_t count;
    const char *name[EB_JIT_MOST_SOURCES]; /* as it is included */
    const char *text[EB_JIT_MOST_SOURCES];
} eb_jit_sources;

void eb_jit_sources_list(eb_jit_sources *out);

#endif
