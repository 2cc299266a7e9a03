#include "kernels/walk/isa.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* __builtin_cpu_supports also asks whether the operating system saves the wide registers. F16C is not tested: every CPU
 * with AVX2 and FMA has it, and older compilers have no name for it. */
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
    static const char *const names[] = {"base", "avx2", "avx512"};
    return names[isa];
}

/* Whether this value of EPSBENCH_ISA leaves the CPU all that it has. */
static bool is_no_limit(const char *wanted) { return !wanted || wanted[0] == '\0' || strcmp(wanted, "vnni") == 0; }

/* The lesser of the CPU's best set and EPSBENCH_ISA's; false if EPSBENCH_ISA is not a known name. */
static bool choose(eb_isa *out)
{
    const char *wanted = getenv("EPSBENCH_ISA");
    eb_isa best = best_isa();
    *out = best;
    if (is_no_limit(wanted))
        return true;
    for (eb_isa isa = EB_ISA_BASE; isa <= EB_ISA_AVX512; isa++)
        if (strcmp(wanted, eb_isa_name(isa)) == 0)
            return *out = isa < best ? isa : best, true;
    return false;
}

eb_isa eb_cpu_isa(void)
{
    eb_isa isa;
    (void)choose(&isa);
    return isa;
}

bool eb_cpu_multiplies_bytes(void)
{
#if defined(__x86_64__)
    return eb_cpu_isa() == EB_ISA_AVX512 && __builtin_cpu_supports("avx512vnni") && is_no_limit(getenv("EPSBENCH_ISA"));
#else
    return false;
#endif
}

eb_code eb_isa_check(eb_status *status)
{
    eb_isa isa;
    if (choose(&isa))
        return EB_OK;
    return eb_fail(status, EB_USAGE, "EPSBENCH_ISA is \"%.40s\"; expected base, avx2, avx512 or vnni",
                   getenv("EPSBENCH_ISA"));
}
