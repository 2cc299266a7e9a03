#include "cpu/walk/isa.h"

#include <stdlib.h>
#include <string.h>

/* The compiler's own test also asks the operating system whether it saves the wide registers. Every CPU with AVX2 and
 * FMA has F16C, which older compilers have no name for. */
static eb_isa best_isa(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return EB_ISA_BASE;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        return EB_ISA_AVX512;
    return EB_ISA_AVX2;
#else
    return EB_ISA_BASE;
#endif
}

const char *eb_isa_name(eb_isa isa)
{
    switch (isa) {
    case EB_ISA_AVX2: return "avx2";
    case EB_ISA_AVX512: return "avx512";
    case EB_ISA_BASE: break;
    }
    return "base";
}

eb_isa eb_cpu_isa(void)
{
    eb_isa best = best_isa();
    const char *wanted = getenv("EPSBENCH_ISA");
    if (!wanted)
        return best;
    for (eb_isa isa = EB_ISA_BASE; isa <= best; isa++)
        if (strcmp(wanted, eb_isa_name(isa)) == 0)
            return isa;
    return best;
}
