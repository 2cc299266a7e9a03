/* jit: machine code of kernels that are compiled at run time, by NVRTC: of those that few sessions ask for.
 *
 * The sources are in the program (bundle.S): those that the Makefile names, and all that they include. System headers
 * are not wanted: stubs/ has what the sources take from them. libnvrtc is opened when it is first asked for:
 * $EPSBENCH_NVRTC, or the one of the toolkit that the program was built with, wherever the dynamic linker or a
 * toolkit's usual place has it.
 *
 * What was compiled is kept in $XDG_CACHE_HOME/epsbench/kernels, under a hash of all sources, the kernel, the
 * architecture, the options and NVRTC's version. A file there is whole and what was written, or it is compiled anew. A
 * cache that cannot be written costs time only.
 *
 * No GPU is needed, and nothing of CUDA's headers: kernels.cuh loads the code. All functions may be called from several
 * threads at once, and NVRTC compiles for several.
 */
#pragma once

#include "kernels/jit/nvrtc.h"

enum { EB_JIT_ARCHITECTURE = 16 };

/* Whether kernels can be compiled here. EB_NO_ENGINE and what is to be installed, if not: `wanted` cannot run. */
eb_code eb_jit_check(const char *wanted, eb_status *status);

/* What is compiled for a compute capability: "sm_90a"; "compute_80", which is PTX for the driver, where NVRTC does not
 * know the chip. */
eb_code eb_jit_architecture(int major, int minor, char out[EB_JIT_ARCHITECTURE], eb_status *status);

/* The code from the cache. False: it is not there, or damaged. The caller frees it. */
bool eb_jit_find(const eb_jit_kernel *kernel, const char *architecture, eb_jit_code *out);

/* Compiles, and puts the code into the cache; takes about a second. EB_INTERNAL: NVRTC refuses the source. */
eb_code eb_jit_compile(const eb_jit_kernel *kernel, const char *architecture, eb_jit_code *out, eb_status *status);

/* Where the cache has this code, or would have it. False: there is no such place. */
bool eb_jit_place(const eb_jit_kernel *kernel, const char *architecture, char *buffer, size_t size);
