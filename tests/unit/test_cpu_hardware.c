/* Tests of the tensor-core model against an H200's results, bit for bit, on any machine. tests/data/mma_sm90.bin holds
 * records of 16 a, 16 b (FP16 bits), c, d (FP32 bits), little-endian; test_gpu_mma writes them from
 * mma.sync.m16n8k16. */

#include "tests/unit/half_blocks.h"
#include "tests/unit/test.h"

#define GOLDEN "tests/data/mma_sm90.bin"

typedef struct record {
    uint16_t a[16], b[16];
    uint32_t c, d;
} record;

_Static_assert(sizeof(record) == 72, "the file's records have no padding");

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint32_t modelled(const eb_adder *model, const record *r)
{
    float c;
    memcpy(&c, &r->c, sizeof c);
    for (size_t k = 0; k < 16; k += model->block)
        c = half_block(model, c, r->a + k, r->b + k);
    return bits_of(c);
}

TEST(the_model_gives_the_hardwares_bits)
{
    FILE *file = fopen(GOLDEN, "rb");
    if (!file)
        fail_msg("%s is missing: run the tests from the top of the repository", GOLDEN);
    const eb_adder sm_90 = half_adder(EB_CORE_SM90), sm_80 = half_adder(EB_CORE_SM80);
    record r;
    size_t count = 0, sm_80_differs = 0;
    while (fread(&r, sizeof r, 1, file) == 1) {
        uint32_t found = modelled(&sm_90, &r);
        if (found != r.d)
            fail_msg("block %zu: model %08x, H200 %08x", count, found, r.d);
        sm_80_differs += modelled(&sm_80, &r) != r.d;
        count++;
    }
    (void)fclose(file);
    assert_true(count >= 4000);
    /* The sm_80 model fails on many of the records, so they do distinguish chips. */
    assert_true(sm_80_differs > 100);
}

RUN_TESTS
