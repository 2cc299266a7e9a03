#include "kernels/boxes/cpu/kernels.h"

#include "kernels/walk/isa.h"

#define SET(isa)                                                                                                       \
    {                                                                                                                  \
        .near = eb_boxes_near_##isa,                                                                                   \
        .mark = eb_boxes_mark_##isa,                                                                                   \
        .take = eb_boxes_take_##isa,                                                                                   \
        .roots = eb_boxes_roots_##isa,                                                                                 \
        .rank = eb_boxes_rank_##isa,                                                                                   \
    }

static const eb_boxes_kernels base = SET(base), avx2 = SET(avx2), avx512 = SET(avx512);

const eb_boxes_kernels *eb_boxes_kernels_here(void)
{
    switch (eb_cpu_isa()) {
    case EB_ISA_AVX512: return &avx512;
    case EB_ISA_AVX2: return &avx2;
    case EB_ISA_BASE: break;
    }
    return &base;
}
