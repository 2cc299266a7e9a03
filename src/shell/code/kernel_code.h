/* kernel_code: shows what the compiler makes of a kernel: PTX, or SASS of a GPU, beside its CUDA lines. Needs no GPU:
 * NVRTC compiles the source that is part of the program; SASS needs nvdisasm too (disassemble.h).
 */
#pragma once

#include "core/base/job.h"
#include "core/report/report.h"

typedef struct eb_code_asked {
    const char *title;       /* "fasted[paper,-swizzle]" */
    const char *file, *name; /* the source and the kernel's C++ name (kernels/jit/nvrtc.h) */
    double compute;          /* the GPU's compute capability: 9.0 */
    bool sass;               /* else PTX */
    bool whole;              /* list the whole kernel, not only its main loop */
} eb_code_asked;

/* Adds the fields kernel, architecture and compiler, and the tables
 *   instruction_kinds   how many instructions of each kind the main loop and the kernel have
 *   cuda                CUDA lines with what the main loop has of each (EB_AS_CODE); left out if lines are unknown
 *   assembly            the main loop's instructions, each with its CUDA line (EB_AS_CODE)
 * EB_NO_ENGINE without NVRTC, if it knows no such GPU, or without a program that lists SASS. */
eb_code eb_kernel_code(const eb_code_asked *asked, eb_report *report, eb_job *job, eb_status *status);

/* The same from a listing in memory. architecture: "sm_90a". */
eb_code eb_kernel_code_show(const eb_code_asked *asked, const char *architecture, const char *listing,
                            eb_report *report, eb_status *status);
