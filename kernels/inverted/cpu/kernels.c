#include "kernels/inverted/cpu/kernels.h"

#include "kernels/walk/isa.h"

#define SET(isa)                                                                                                       \
    {                                                                                                                  \
        .name = #isa,                                                                                                  \
        .nearest = eb_inverted_nearest_##isa,                                                                          \
        .distances = eb_inverted_distances_##isa,                                                                      \
        .range = eb_table_range_##isa,                                                                                 \
        .round = eb_table_round_##isa,                                                                                 \
        .affine = eb_table_affine_##isa,                                                                               \
        .scan = eb_table_scan_##isa,                                                                                   \
        .select = eb_table_select_##isa,                                                                               \
    }

static const eb_inverted_kernels base = SET(base), avx2 = SET(avx2), avx512 = SET(avx512);

bool eb_cpu_has_vbmi(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512vbmi") != 0;
#else
    return false;
#endif
}

eb_inverted_kernels eb_inverted_kernels_here(void)
{
    eb_inverted_kernels kernels = base;
    switch (eb_cpu_isa()) {
    case EB_ISA_AVX512:
        kernels = avx512;
        if (eb_cpu_has_vbmi())
            kernels.scan = eb_table_scan_vbmi, kernels.name = "avx512 vbmi";
        break;
    case EB_ISA_AVX2: kernels = avx2; break;
    case EB_ISA_BASE: break;
    }
    return kernels;
}
