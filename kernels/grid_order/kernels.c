#include "kernels/grid_order/kernels.h"

#include "kernels/walk/isa.h"

#define SET(isa)                                                                                                       \
    {                                                                                                                  \
        .within = eb_pairs_within_##isa,                                                                               \
        .sums = eb_pairs_sums_##isa,                                                                                   \
        .truth = eb_pairs_truth_##isa,                                                                                 \
        .halves = eb_pairs_halves_##isa,                                                                               \
    }

static const eb_pair_kernels base = SET(base), avx2 = SET(avx2), avx512 = SET(avx512);

const eb_pair_kernels *eb_pair_kernels_here(void)
{
    switch (eb_cpu_isa()) {
    case EB_ISA_AVX512: return &avx512;
    case EB_ISA_AVX2: return &avx2;
    case EB_ISA_BASE: break;
    }
    return &base;
}
