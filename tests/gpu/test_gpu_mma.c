/* Tests of the tensor core against the model: ≥ 10⁶ dot products of every kind of input, bit for bit. Needs a GPU.
 * test_gpu_mma [--write FILE]: also writes some thousand blocks with the hardware's results, for tests without a
 * GPU. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/device/cuda.h"
#include "tests/unit/half_blocks.h"

/* In mma_probe.cu.
 *
 * `count` instructions mma.sync.m16n8k16 FP16 → FP32, as the hardware computes them: d[x] = a[x]·b[x] + c[x]. a: count
 * × 16 rows × 16, b: count × 8 columns × 16, FP16 bits; c, d: count × 16 × 8. */
extern eb_code test_mma_f16(int device, const uint16_t *a, const uint16_t *b, const float *c, float *d, size_t count,
                            eb_status *status);

#define INSTRUCTIONS 4096u /* of 128 dot products each, for every kind */
#define GOLDEN_EACH 3u     /* instructions of each kind that the golden file keeps */

static eb_device gpu;
static const char *golden_path;

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint16_t drop_infinity(uint16_t bits) { return (bits & 0x7c00u) == 0x7c00u ? (uint16_t)(bits & 0x83ffu) : bits; }

static const char *const kinds[] = {"one binade", "all exponents",  "subnormals", "mostly zero",
                                    "cancelling", "large sums",     "overflow",   "infinities",
                                    "NaN",        "subnormal sums", "any bits"};
#define KINDS (sizeof kinds / sizeof kinds[0])

static uint16_t half_of(size_t kind, size_t k, uint64_t r)
{
    uint16_t bits = (uint16_t)r;
    switch (kind) {
    case 0: return (uint16_t)((bits & 0x83ffu) | 0x3c00u);
    case 1: return drop_infinity(bits);
    case 2: return (uint16_t)(bits & 0x83ffu);
    case 3: return r >> 20 & 7 ? (uint16_t)(bits & 0x8000u) : drop_infinity(bits);
    case 4: return (uint16_t)((0x3c00u | (r >> 40 & 3u)) | (k % 2 ? 0x8000u : 0));
    case 5: return (uint16_t)((bits & 0x83ffu) | 0x7800u);
    case 6: return (uint16_t)((bits & 0x03ffu) | 0x7800u);
    case 7: return r >> 20 & 15 ? drop_infinity(bits) : (uint16_t)((bits & 0x8000u) | 0x7c00u);
    case 8: return r >> 20 & 31 ? drop_infinity(bits) : (uint16_t)(bits | 0x7c01u);
    case 9: return r >> 20 & 3 ? 0 : (uint16_t)(bits & 0x8003u);
    default: return bits;
    }
}

static float sum_of(size_t kind, uint64_t r)
{
    uint32_t bits = (uint32_t)r;
    switch (kind) {
    case 0: return r >> 40 & 1 ? 0 : float_of((bits & 0x83ffffffu) | 0x3c000000u);
    case 4: return r >> 40 & 1 ? 0 : (r >> 41 & 1 ? 1.0f : -1.0f) * (float)(r >> 42 & 15u);
    case 6: return float_of((bits & 0x007fffffu) | 0x7f000000u);
    case 9: return float_of(bits & 0x807fffffu);
    case 7:
    case 8:
    case 10: return float_of(bits);
    default: return r >> 40 & 3 ? float_of((bits & 0x87ffffffu) | 0x38000000u) : 0;
    }
}

typedef struct blocks {
    uint16_t *a, *b;
    float *c, *d;
} blocks;

static blocks run_kind(size_t kind)
{
    size_t count = INSTRUCTIONS;
    blocks x = {malloc(count * 256 * sizeof(uint16_t)), malloc(count * 128 * sizeof(uint16_t)),
                malloc(count * 128 * sizeof(float)), malloc(count * 128 * sizeof(float))};
    assert_true(x.a && x.b && x.c && x.d);
    uint64_t seed = (kind + 1) * 0x9e3779b97f4a7c15u;
    for (size_t k = 0; k < count * 256; k++)
        x.a[k] = half_of(kind, k, mix(seed + 3 * k));
    for (size_t k = 0; k < count * 128; k++) {
        x.b[k] = half_of(kind, 0, mix(seed + 3 * k + 1));
        x.c[k] = sum_of(kind, mix(seed + 3 * k + 2));
    }
    eb_status status = {.message = ""};
    if (test_mma_f16(0, x.a, x.b, x.c, x.d, count, &status) != EB_OK)
        fail_msg("%s", status.message);
    return x;
}

static void free_blocks(blocks *x)
{
    free(x->a);
    free(x->b);
    free(x->c);
    free(x->d);
}

/* The model of m16n8k16 on this chip: one block of 16, or two of 8 with an FP32 between them. */
static float modelled(const eb_adder *model, float c, const uint16_t *a, const uint16_t *b)
{
    for (size_t k = 0; k < 16; k += model->block)
        c = half_block(model, c, a + k, b + k);
    return c;
}

/* A golden record: 16 a, 16 b (FP16 bits), c, d (FP32 bits), little-endian: 72 bytes. */
static void write_golden(FILE *file, const blocks *x)
{
    for (size_t k = 0; k < (size_t)GOLDEN_EACH * 128; k++) {
        size_t instruction = k / 128, row = k % 128 / 8, column = k % 8;
        assert_int_equal(fwrite(x->a + instruction * 256 + row * 16, sizeof(uint16_t), 16, file), 16);
        assert_int_equal(fwrite(x->b + instruction * 128 + column * 16, sizeof(uint16_t), 16, file), 16);
        assert_int_equal(fwrite(x->c + k, sizeof(float), 1, file), 1);
        assert_int_equal(fwrite(x->d + k, sizeof(float), 1, file), 1);
    }
}

static void the_model_is_the_hardware_bit_for_bit(void **state)
{
    (void)state;
    int architecture = 0;
    assert_int_equal(sscanf(gpu.architecture, "sm_%d", &architecture), 1);
    const eb_adder model = half_adder(architecture >= 90 ? EB_CORE_SM90 : EB_CORE_SM80);
    FILE *golden = golden_path ? fopen(golden_path, "wb") : NULL;
    uint64_t wrong_in_all = 0;
    for (size_t kind = 0; kind < KINDS; kind++) {
        blocks x = run_kind(kind);
        uint64_t wrong = 0;
        for (size_t k = 0; k < (size_t)INSTRUCTIONS * 128; k++) {
            size_t instruction = k / 128, row = k % 128 / 8, column = k % 8;
            const uint16_t *a = x.a + instruction * 256 + row * 16, *b = x.b + instruction * 128 + column * 16;
            float expected = modelled(&model, x.c[k], a, b);
            if (bits_of(expected) == bits_of(x.d[k]))
                continue;
            if (wrong++ < 3)
                print_message("%s: c = %08x: hardware %08x, model %08x\n", kinds[kind], bits_of(x.c[k]),
                              bits_of(x.d[k]), bits_of(expected));
        }
        print_message("%s: %llu of %u dot products differ\n", kinds[kind], (unsigned long long)wrong,
                      INSTRUCTIONS * 128);
        wrong_in_all += wrong;
        if (golden)
            write_golden(golden, &x);
        free_blocks(&x);
    }
    if (golden)
        assert_int_equal(fclose(golden), 0);
    assert_int_equal(wrong_in_all, 0);
}

int main(int argc, char **argv)
{
    eb_status status;
    size_t count = 0;
    if (argc == 3 && strcmp(argv[1], "--write") == 0)
        golden_path = argv[2];
    if (eb_cuda_devices(&gpu, 1, &count, &status) != EB_OK) {
        (void)fprintf(stderr, "test_gpu_mma: %s\n", status.message);
        return 3;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_model_is_the_hardware_bit_for_bit)};
    return cmocka_run_group_tests_name("gpu_mma", tests, NULL, NULL);
}
