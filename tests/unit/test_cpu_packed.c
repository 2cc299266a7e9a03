/* Tests of the forms in which a table's entries travel from a GPU (kernels/rows/packed.h): what eb_packed_store stores
 * is what was packed, bit for bit, by the loops of every instruction set; packing is written here as the header says.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/rows/packed.h"
#include "kernels/rows/unpack.h"
#include "kernels/walk/isa.h"
#include "tests/unit/test.h"

enum { MOST = 3 * EB_PACKED_BLOCK + 77 };

static const size_t counts[] = {1, 15, 16, 17, 31, 33, 1023, 1024, 1025, EB_PACKED_BLOCK, EB_PACKED_BLOCK + 1, MOST};
static const char *const isas[] = {"base", "avx2", "avx512"};

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 31)) * 0x7fb5d329728ea185u;
    x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44du;
    return x ^ (x >> 33);
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Exactly a slice's size, so that a sanitizer sees who reads beyond it. */
static unsigned char *new_slice(const eb_packed *form, size_t count)
{
    unsigned char *slice = calloc(eb_packed_places_of(form, count).bytes, 1);
    assert_non_null(slice);
    return slice;
}

static void pack_columns(const eb_packed *form, const uint32_t *column, size_t count, unsigned char *slice)
{
    const eb_packed_places at = eb_packed_places_of(form, count);
    for (size_t k = 0; k < count; k++) {
        const uint16_t low = (uint16_t)column[k];
        memcpy(slice + at.low + 2 * k, &low, sizeof low);
        if (form->high_bits == 8)
            slice[at.high + k] = (unsigned char)(column[k] >> 16);
        if (form->high_bits == 4)
            slice[at.high + k / 32 * 16 + k % 16] |= (unsigned char)(column[k] >> 16 << (k % 32 < 16 ? 0 : 4));
    }
}

static void pack_f64(const eb_packed *form, const double *value, size_t count, unsigned char *slice)
{
    const eb_packed_places at = eb_packed_places_of(form, count);
    for (size_t b = 0; b * EB_PACKED_BLOCK < count; b++) {
        const size_t first = b * EB_PACKED_BLOCK,
                     end = count - first < EB_PACKED_BLOCK ? count : first + EB_PACKED_BLOCK;
        uint64_t greatest = 0;
        for (size_t k = first; k < end; k++)
            greatest = bits_of(value[k]) > greatest ? bits_of(value[k]) : greatest;
        eb_packed_head head = {eb_packed_base(greatest), 0};
        for (size_t k = first; k < end; k++) {
            const uint64_t bits = bits_of(value[k]), code = bits ? bits - head.base : 0;
            const uint32_t low = (uint32_t)code;
            const uint16_t middle = (uint16_t)(code >> 32);
            head.misfit |= bits && (code == 0 || code >> 56);
            memcpy(slice + at.low + 4 * k, &low, sizeof low);
            memcpy(slice + at.middle + 2 * k, &middle, sizeof middle);
            slice[at.high + k] = (unsigned char)(code >> 48);
        }
        memcpy(slice + b * sizeof head, &head, sizeof head);
    }
}

/* Calls check() with every instruction set that this CPU has. */
static void by_each_isa(void (*check)(size_t count))
{
    for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            assert_int_equal(setenv("EPSBENCH_ISA", isas[i], 1), 0);
            check(counts[c]);
        }
    assert_int_equal(unsetenv("EPSBENCH_ISA"), 0);
}

/* A byte off a cache line, and with a byte behind it that stays. */
static unsigned char stored[8 * MOST + 65];
static unsigned char *store(const eb_packed *form, const unsigned char *slice, size_t count, size_t bytes)
{
    unsigned char *to = stored + 8;
    memset(stored, 0xa5, sizeof stored);
    eb_packed_store(form, slice, count, to);
    for (size_t k = 0; k < 8; k++)
        assert_int_equal(stored[k], 0xa5);
    assert_int_equal(to[bytes], 0xa5);
    return to;
}

/* ---- columns ---- */

static void check_columns(size_t count)
{
    static const uint64_t width[] = {1, 65536, 65537, 1048576, 1048577, 16777216};
    static const unsigned high_bits[] = {0, 0, 4, 4, 8, 8};
    static uint32_t column[MOST];
    for (size_t w = 0; w < sizeof width / sizeof width[0]; w++) {
        const eb_packed form = eb_packed_columns(width[w]);
        unsigned char *slice = new_slice(&form, count);
        assert_int_equal(form.packing, EB_PACKED_COLUMNS);
        assert_int_equal(form.high_bits, high_bits[w]);
        for (size_t k = 0; k < count; k++)
            column[k] = (uint32_t)(k % 7 == 0 ? width[w] - 1 : mixed(k) % width[w]);
        pack_columns(&form, column, count, slice);
        assert_true(eb_packed_fits(&form, slice, count));
        assert_memory_equal(store(&form, slice, count, 4 * count), column, 4 * count);
        free(slice);
    }
}

TEST(columns_arrive_as_they_were)
{
    by_each_isa(check_columns);
    assert_int_equal(eb_packed_columns(16777217).packing, EB_NOT_PACKED);
}

/* ---- FP64 ---- */

static void check_f64(size_t count)
{
    static const struct {
        double least, most; /* of values other than 0 */
        bool fits;
    } range[] = {{0.5, 1, true},
                 {0x1p-15, 0x1.fp0, true},
                 {0x1p-14, 1e3, false},
                 {1e-300, 1e-300, true},
                 {0x1p-1074, 0x1p-1060, true},
                 {0, 0, true},
                 {0x1p1022, 0x1.fffffffffffffp1023, true},
                 {1e-9, 1, false},
                 {-1, -0.5, true}}; /* s by expansion, just below 0 */
    static double value[MOST];
    const eb_packed form = {EB_PACKED_F64, 0};
    for (size_t r = 0; r < sizeof range / sizeof range[0]; r++) {
        unsigned char *slice = new_slice(&form, count);
        for (size_t k = 0; k < count; k++) {
            const double share = (double)(mixed(k) >> 11) * 0x1p-53;
            value[k] = k % 5 == 3 ? 0 : range[r].least + share * (range[r].most - range[r].least);
            value[k] = k % 9 == 0 ? range[r].least : k % 9 == 1 ? range[r].most : value[k];
        }
        pack_f64(&form, value, count, slice);
        assert_int_equal(eb_packed_fits(&form, slice, count), range[r].fits || count == 1);
        if (range[r].fits)
            assert_memory_equal(store(&form, slice, count, 8 * count), value, 8 * count);
        free(slice);
    }
}

TEST(fp64_values_arrive_bit_for_bit_or_say_that_they_do_not_fit) { by_each_isa(check_f64); }

/* One misfit in the last block of a slice. */
TEST(one_misfit_in_the_last_block_is_seen)
{
    static double value[MOST];
    const eb_packed form = {EB_PACKED_F64, 0};
    unsigned char *slice = new_slice(&form, MOST);
    for (size_t k = 0; k < MOST; k++)
        value[k] = 0.7;
    value[MOST - 1] = 0x1p-20;
    pack_f64(&form, value, MOST, slice);
    assert_true(eb_packed_fits(&form, slice, MOST - 77));
    assert_false(eb_packed_fits(&form, slice, MOST));
    free(slice);
}

RUN_TESTS
