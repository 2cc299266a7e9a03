/* isa: which instruction set the *_simd.c kernels run on: the best this CPU has, but none better than
 * EPSBENCH_ISA names ("base", "avx2", "avx512"), so that tests reach all of them.
 */
#pragma once

#include "core/base/status.h"

typedef enum eb_isa { EB_ISA_BASE, EB_ISA_AVX2, EB_ISA_AVX512 } eb_isa;

eb_isa eb_cpu_isa(void);
eb_code eb_isa_check(eb_status *status); /* EB_USAGE: EPSBENCH_ISA names none */
const char *eb_isa_name(eb_isa isa);
