/* Tests of the fragment maps: each matrix element belongs to one lane, at the place that the PTX layout gives. */

#include "kernels/parts/fragment_map.h"
#include "tests/unit/test.h"

TEST(each_element_is_one_lanes)
{
    for (size_t k = 0; k < eb_fragment_count(); k++) {
        const eb_fragment *f = eb_fragment_at(k);
        unsigned char held[64 * 64] = {0};
        assert_int_equal(f->lanes * f->elements, f->rows * f->columns);
        for (int lane = 0; lane < f->lanes; lane++)
            for (int e = 0; e < f->elements; e++) {
                const int row = f->row(lane, e), column = f->column(lane, e);
                assert_in_range(row, 0, f->rows - 1);
                assert_in_range(column, 0, f->columns - 1);
                assert_int_equal(held[row * f->columns + column]++, 0);
            }
    }
}

/* Expected places are from the figures of the PTX ISA. */
TEST(elements_are_where_ptx_says)
{
    static const struct {
        const char *instruction;
        char operand;
        int lane, element, row, column;
    } known[] = {
        {"m16n8k16.f16", 'A', 0, 0, 0, 0},         {"m16n8k16.f16", 'A', 0, 2, 8, 0},
        {"m16n8k16.f16", 'A', 0, 4, 0, 8},         {"m16n8k16.f16", 'A', 31, 7, 15, 15},
        {"m16n8k16.f16", 'A', 5, 1, 1, 3},         {"m16n8k16.f16", 'B', 0, 1, 1, 0},
        {"m16n8k16.f16", 'B', 7, 2, 14, 1},        {"m16n8k16.f16", 'C', 6, 3, 9, 5},
        {"wgmma.m64n8k16.f16", 'C', 48, 0, 20, 0}, {"wgmma.m64n8k16.f16", 'C', 127, 3, 63, 7},
        {"m16n8k32.i8", 'A', 1, 5, 8, 5},          {"m16n8k32.i8", 'A', 4, 12, 9, 16},
        {"m16n8k32.i8", 'B', 2, 4, 24, 0},         {"m8n8k4.f64", 'A', 6, 0, 1, 2},
        {"m8n8k4.f64", 'B', 6, 0, 2, 1},           {"m8n8k4.f64", 'C', 6, 1, 1, 5},
    };
    for (size_t c = 0; c < sizeof known / sizeof *known; c++) {
        const eb_fragment *f = NULL;
        for (size_t k = 0; k < eb_fragment_count(); k++)
            if (strcmp(eb_fragment_at(k)->instruction, known[c].instruction) == 0 &&
                eb_fragment_at(k)->operand == known[c].operand)
                f = eb_fragment_at(k);
        assert_non_null(f);
        assert_int_equal(f->row(known[c].lane, known[c].element), known[c].row);
        assert_int_equal(f->column(known[c].lane, known[c].element), known[c].column);
    }
}

RUN_TESTS
