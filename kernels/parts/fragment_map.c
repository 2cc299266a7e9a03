#include "kernels/parts/fragment_map.h"

#include "kernels/parts/fragments.h"

static const eb_fragment fragments[] = {
    {"m16n8k16.f16", 'A', 16, 16, 32, 8, 2, eb_f16_a_row, eb_f16_a_column},
    {"m16n8k16.f16", 'B', 16, 8, 32, 4, 2, eb_f16_b_row, eb_f16_b_column},
    {"m16n8k16.f16", 'C', 16, 8, 32, 4, 4, eb_f16_c_row, eb_f16_c_column},
    {"wgmma.m64n8k16.f16", 'C', 64, 8, 128, 4, 4, eb_wgmma_c_row, eb_wgmma_c_column},
    {"m16n8k32.i8", 'A', 16, 32, 32, 16, 1, eb_i8_a_row, eb_i8_a_column},
    {"m16n8k32.i8", 'B', 32, 8, 32, 8, 1, eb_i8_b_row, eb_i8_b_column},
    {"m16n8k32.i8", 'C', 16, 8, 32, 4, 4, eb_f16_c_row, eb_f16_c_column},
    {"m8n8k4.f64", 'A', 8, 4, 32, 1, 8, eb_f64_a_row, eb_f64_a_column},
    {"m8n8k4.f64", 'B', 4, 8, 32, 1, 8, eb_f64_b_row, eb_f64_b_column},
    {"m8n8k4.f64", 'C', 8, 8, 32, 2, 8, eb_f64_c_row, eb_f64_c_column},
};

size_t eb_fragment_count(void) { return sizeof fragments / sizeof fragments[0]; }

const eb_fragment *eb_fragment_at(size_t index) { return &fragments[index]; }
