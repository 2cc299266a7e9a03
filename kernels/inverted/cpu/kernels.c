#include "kernels/inverted/cpu/kernels.h"

#include <math.h>
#include <stdlib.h>

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

/* ---- panels ---- */

eb_code eb_panels_make(size_t k, size_t d, eb_panels *out, eb_status *status)
{
    const size_t bytes = eb_panels_count(k) * EB_PANEL * d * sizeof(float);
    *out = (eb_panels){k, d, malloc(bytes)};
    return out->value ? EB_OK : eb_fail_memory(status, "centroids side by side", bytes);
}

void eb_panels_fill(eb_panels *panels, const float *vectors)
{
    const size_t places = eb_panels_count(panels->k) * EB_PANEL, d = panels->d;
    for (size_t c = 0; c < places; c++)
        for (size_t t = 0; t < d; t++)
            panels->value[(c / EB_PANEL * d + t) * EB_PANEL + c % EB_PANEL] =
                c < panels->k ? vectors[c * d + t] : INFINITY;
}

void eb_panels_free(eb_panels *panels)
{
    free(panels->value);
    *panels = (eb_panels){0};
}
