/* format8: every code, every pair of neighbours and every tie, against tables and a search that uses no bits. */
#include <math.h>

#include "core/base/random.h"
#include "core/formats8/format8.h"
#include "tests/unit/test.h"

static bool is_number(eb_format8 format, unsigned code)
{
    return isfinite(eb_format8_decode(format, (uint8_t)code)) != 0;
}

/* The nearest of all codes, by search: the even one of two equally near codes, and ±0 by the value's sign. */
static uint8_t nearest_code(eb_format8 format, double value)
{
    unsigned best = 256;
    double least = INFINITY;
    for (unsigned code = 0; code < 256; code++) {
        if (!is_number(format, code) || (eb_format8_facts_of(format)->is_signed && (code > 127) != signbit(value)))
            continue;
        const double off = fabs((double)eb_format8_decode(format, (uint8_t)code) - value);
        if (off < least || (off == least && code % 2 == 0)) {
            least = off;
            best = code;
        }
    }
    return (uint8_t)best;
}

TEST(every_number_comes_back)
{
    for (eb_format8 f = 0; f < EB_FORMATS8; f++)
        for (unsigned code = 0; code < 256; code++)
            if (is_number(f, code))
                assert_int_equal(eb_format8_encode(f, (double)eb_format8_decode(f, (uint8_t)code)), code);
}

TEST(codes_ascend)
{
    for (eb_format8 f = 0; f < EB_FORMATS8; f++) {
        const unsigned last = eb_format8_facts_of(f)->is_signed ? 127 : 255;
        for (unsigned code = 1; code <= last && is_number(f, code); code++)
            assert_true(eb_format8_decode(f, (uint8_t)code) > eb_format8_decode(f, (uint8_t)(code - 1)));
    }
}

TEST(the_unsigned_have_no_zero_and_nothing_but_numbers)
{
    for (eb_format8 f = EB_E5M3; f <= EB_E4M4; f++) {
        for (unsigned code = 0; code < 256; code++)
            assert_true(is_number(f, code) && eb_format8_decode(f, (uint8_t)code) > 0);
        assert_int_equal(eb_format8_encode(f, 0.0), 0);
        assert_int_equal(eb_format8_encode(f, -0.0), 0);
        assert_int_equal(eb_format8_encode(f, -1e30), 0);
        assert_int_equal(eb_format8_encode(f, (double)-INFINITY), 0);
        assert_int_equal(eb_format8_encode(f, 0x1p-1074), 0);
        assert_int_equal(eb_format8_encode(f, (double)NAN), 255);
    }
}

/* The decoding of the paper: a shift and an addition. */
TEST(the_unsigned_decode_as_the_paper_has_it)
{
    for (uint32_t v = 0; v < 256; v++) {
        const uint32_t bits[] = {(v << 20) + (112u << 23), (v << 19) + (120u << 23)};
        float want[2];
        memcpy(want, bits, sizeof want);
        assert_true(eb_format8_decode(EB_E5M3, (uint8_t)v) == want[0]);
        assert_true(eb_format8_decode(EB_E4M4, (uint8_t)v) == want[1]);
    }
}

TEST(facts_are_those_of_the_codes)
{
    for (eb_format8 f = 0; f < EB_FORMATS8; f++) {
        const eb_format8_facts *facts = eb_format8_facts_of(f);
        double least = INFINITY, greatest = 0;
        for (unsigned code = 0; code < 256; code++) {
            const double x = (double)eb_format8_decode(f, (uint8_t)code);
            least = x > 0 && x < least ? x : least;
            greatest = is_number(f, code) && x > greatest ? x : greatest;
        }
        assert_true(least == facts->least && greatest == facts->greatest);
        assert_int_equal(facts->exponent + facts->fraction + facts->is_signed, 8);
    }
}

/* Values of OCP's tables 1 and 2. */
TEST(the_signed_are_those_of_ocp)
{
    static const struct {
        eb_format8 format;
        uint8_t code;
        double value;
    } known[] = {{EB_E4M3, 0x00, 0},
                 {EB_E4M3, 0x01, 0x1p-9},
                 {EB_E4M3, 0x07, 0x1.cp-7},
                 {EB_E4M3, 0x08, 0x1p-6},
                 {EB_E4M3, 0x38, 1},
                 {EB_E4M3, 0x3c, 1.5},
                 {EB_E4M3, 0x7e, 448},
                 {EB_E4M3, 0xb8, -1},
                 {EB_E4M3, 0xfe, -448},
                 {EB_E4M3, 0x77, 240},
                 {EB_E5M2, 0x00, 0},
                 {EB_E5M2, 0x01, 0x1p-16},
                 {EB_E5M2, 0x03, 0x1.8p-15},
                 {EB_E5M2, 0x04, 0x1p-14},
                 {EB_E5M2, 0x3c, 1},
                 {EB_E5M2, 0x3d, 1.25},
                 {EB_E5M2, 0x7b, 57344},
                 {EB_E5M2, 0xfb, -57344},
                 {EB_E5M2, 0x7c, (double)INFINITY},
                 {EB_E5M2, 0xfc, (double)-INFINITY}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        assert_true((double)eb_format8_decode(known[k].format, known[k].code) == known[k].value);
    assert_true(isnan(eb_format8_decode(EB_E4M3, 0x7f)) && isnan(eb_format8_decode(EB_E4M3, 0xff)));
    for (unsigned code = 0x7d; code <= 0x7f; code++)
        assert_true(isnan(eb_format8_decode(EB_E5M2, (uint8_t)code)));
    assert_true(signbit(eb_format8_decode(EB_E4M3, 0x80)) && eb_format8_decode(EB_E4M3, 0x80) == 0);
}

TEST(what_is_beyond_saturates)
{
    for (eb_format8 f = 0; f < EB_FORMATS8; f++) {
        const double greatest = eb_format8_facts_of(f)->greatest;
        const uint8_t code = eb_format8_encode(f, greatest);
        assert_true((double)eb_format8_decode(f, code) == greatest);
        assert_int_equal(eb_format8_encode(f, nextafter(greatest, INFINITY)), code);
        assert_int_equal(eb_format8_encode(f, 1e300), code);
        assert_int_equal(eb_format8_encode(f, (double)INFINITY), code);
    }
    assert_int_equal(eb_format8_encode(EB_E4M3, -1e300), 0xfe);
    assert_int_equal(eb_format8_encode(EB_E5M2, (double)-INFINITY), 0xfb);
    assert_true(isnan(eb_format8_decode(EB_E4M3, eb_format8_encode(EB_E4M3, (double)NAN))));
    assert_true(isnan(eb_format8_decode(EB_E5M2, eb_format8_encode(EB_E5M2, (double)NAN))));
}

/* For all consecutive codes: their mean becomes the even code, a value one bit away the nearer one. */
TEST(ties_go_to_the_even_code)
{
    for (eb_format8 f = 0; f < EB_FORMATS8; f++) {
        const unsigned last = eb_format8_encode(f, eb_format8_facts_of(f)->greatest);
        for (unsigned code = 0; code < last; code++) {
            const double a = (double)eb_format8_decode(f, (uint8_t)code),
                         b = (double)eb_format8_decode(f, (uint8_t)(code + 1)), middle = (a + b) / 2;
            assert_int_equal(eb_format8_encode(f, middle), code + code % 2);
            assert_int_equal(eb_format8_encode(f, nextafter(middle, 0)), code);
            assert_int_equal(eb_format8_encode(f, nextafter(middle, INFINITY)), code + 1);
        }
    }
}

static double random_value(uint64_t *seed)
{
    const double size = ldexp((double)(eb_random(seed) >> 11) * 0x1p-53 + 0.5, (int)eb_random_below(seed, 44) - 24);
    return eb_random(seed) & 1u ? size : -size;
}

TEST(any_number_goes_to_the_nearest_code)
{
    uint64_t seed = 8;
    for (size_t k = 0; k < 20000; k++) {
        const double value = random_value(&seed);
        for (eb_format8 f = 0; f < EB_FORMATS8; f++)
            assert_int_equal(eb_format8_encode(f, value), nearest_code(f, value));
    }
}

TEST(no_error_is_above_the_one_told)
{
    uint64_t seed = 3;
    for (eb_format8 f = 0; f < EB_FORMATS8; f++) {
        const eb_format8_facts *facts = eb_format8_facts_of(f);
        const double told = eb_format8_relative_error(f);
        double most = 0;
        for (size_t k = 0; k < 200000; k++) {
            const double value = fabs(random_value(&seed));
            if (value < facts->normal || value > facts->greatest)
                continue;
            const double back = (double)eb_format8_decode(f, eb_format8_encode(f, value));
            most = fmax(most, fabs(back - value) / value);
        }
        assert_true(most <= told && most > 0.99 * told);
    }
}

TEST(bits_are_divided_as_the_format_has_them)
{
    char bits[EB_FORMAT8_BITS];
    eb_format8_bits(EB_E5M3, 0x0a, bits);
    assert_string_equal(bits, "00001.010");
    eb_format8_bits(EB_E4M3, 0x8a, bits);
    assert_string_equal(bits, "1.0001.010");
}

RUN_TESTS
