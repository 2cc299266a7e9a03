/* jit: compiles kernels that few sessions need at run time, with NVRTC.
 *
 * The sources are part of the program (bundle.S): those that the Makefile names, and all that they include. System
 * headers are not needed: stubs/ has what the sources use from them. libnvrtc is opened on first use: $EPSBENCH_NVRTC,
 * or the toolkit version that the program was built with, as found by the dynamic linker or in a toolkit's usual place.
 *
 * Compiled code is kept in $XDG_CACHE_HOME/epsbench/kernels, under a hash of all sources, the kernel, the architecture,
 * the options and NVRTC's version. A file that is not complete and as it was written is compiled anew. A cache that
 * cannot be written costs only time.
 *
 * Needs no GPU and no CUDA headers: kernels.cuh loads the code. All functions may be called from several threads at
 * once, and NVRTC compiles several kernels in parallel.
 */
#pragma once

#include "kernels/jit/nvrtc.h"

enum { EB_JIT_ARCHITECTURE = 16 };

/* Checks that kernels can be compiled here. If not: EB_NO_ENGINE, naming `wanted` and what to install. */
eb_code eb_jit_check(const char *wanted, eb_status *status);

/* Returns NVRTC's target for a compute capability: "sm_90a"; or "compute_80", which is PTX for the driver, if NVRTC
 * does not know the chip. */
eb_code eb_jit_architecture(int major, int minor, char out[EB_JIT_ARCHITECTURE], eb_status *status);

/* Returns the code from the cache. False if it is missing or damaged. The caller frees the code. */
bool eb_jit_find(const eb_jit_kernel *kernel, const char *architecture, eb_jit_code *out);

/* Compiles the kernel and stores the code in the cache; takes about a second. EB_INTERNAL if NVRTC rejects the
 * source. */
eb_code eb_jit_compile(const eb_jit_kernel *kernel, const char *architecture, eb_jit_code *out, eb_status *status);

/* Compiles the kernel for a person to read, with the lines of its source: a cubin for "sm_90a"; PTX, with a final 0,
 * for "compute_90a". Not cached. Errors as eb_jit_compile. */
eb_code eb_jit_compile_lines(const eb_jit_kernel *kernel, const char *architecture, eb_jit_code *out,
                             eb_status *status);

/* Text of a source file in the program. path: as in line information, "/any/folder/kernels/parts/mma.cuh". NULL: there
 * is no such file. */
const char *eb_jit_source(const char *path);

/* Returns the path of the kernel's cache file, which need not exist. False if there is no NVRTC or no place for a
 * cache. */
bool eb_jit_place(const eb_jit_kernel *kernel, const char *architecture, char *buffer, size_t size);
