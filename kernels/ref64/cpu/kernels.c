#include "kernels/ref64/cpu/kernels.h"

#include "kernels/walk/isa.h"

static const eb_ref64_kernels base = {
    .select_i16 = eb_ref64_select_i16_base,
    .select_f32 = eb_ref64_select_f32_base,
    .select_f64 = eb_ref64_select_f64_base,
    .decides_f64 = false,
    .exact = eb_ref64_exact_base,
    .exact_bytes = eb_ref64_exact_bytes_base,
    .count = eb_tile_count_base,
};

static const eb_ref64_kernels avx2 = {
    .select_i16 = eb_ref64_select_i16_avx2,
    .select_f32 = eb_ref64_select_f32_avx2,
    .select_f64 = eb_ref64_select_f64_avx2,
    .decides_f64 = true,
    .exact = eb_ref64_exact_avx2,
    .exact_bytes = eb_ref64_exact_bytes_avx2,
    .count = eb_tile_count_avx2,
};

static const eb_ref64_kernels avx512 = {
    .select_i16 = eb_ref64_select_i16_avx512,
    .select_f32 = eb_ref64_select_f32_avx512,
    .select_f64 = eb_ref64_select_f64_avx512,
    .decides_f64 = true,
    .exact = eb_ref64_exact_avx512,
    .exact_bytes = eb_ref64_exact_bytes_avx512,
    .count = eb_tile_count_avx512,
};

const eb_ref64_kernels *eb_ref64_kernels_here(void)
{
    switch (eb_cpu_isa()) {
    case EB_ISA_AVX512: return &avx512;
    case EB_ISA_AVX2: return &avx2;
    case EB_ISA_BASE: break;
    }
    return &base;
}

static size_t up_to(size_t x, size_t multiple) { return (x + multiple - 1) / multiple * multiple; }

/* Scratch has one group's rows of a slice, then the tile's sums if there are several slices. */
size_t eb_ref64_panel_scratch(size_t rows, size_t columns, size_t steps)
{
    size_t sums = steps > EB_SLICE ? (rows + EB_GROUP_MOST) * up_to(columns, 64) : 0;
    return (EB_SLICE * EB_GROUP_MOST + sums) * sizeof(uint32_t);
}

/* Scratch has a line that describes the packed columns, these columns, one group's rows, then the tile's sums if there
 * are several slices. */
size_t eb_ref64_f64_scratch(size_t rows, size_t columns, size_t d)
{
    size_t slice = d < EB_SLICE_F64 ? d : EB_SLICE_F64;
    size_t sums = d > EB_SLICE_F64 ? (rows + EB_GROUP_MOST) * up_to(columns, 64) : 0;
    return 64 + (up_to(columns, 64) * slice + up_to(slice * EB_GROUP_MOST, 8) + sums) * sizeof(double);
}
