/* isa: chooses the instruction set for the *_simd.c kernels: the best one of this CPU. The environment variable
 * EPSBENCH_ISA ("base", "avx2", "avx512", "vnni") sets an upper limit, so that tests reach all of them.
 */
#pragma once

#include <stdbool.h>

#include "core/base/status.h"

typedef enum eb_isa { EB_ISA_BASE, EB_ISA_AVX2, EB_ISA_AVX512 } eb_isa;

eb_isa eb_cpu_isa(void);
bool eb_cpu_multiplies_bytes(void);      /* AVX-512 and its VNNI, for the *_vnni.c kernels */
eb_code eb_isa_check(eb_status *status); /* EB_USAGE if EPSBENCH_ISA is not one of these names */
const char *eb_isa_name(eb_isa isa);
