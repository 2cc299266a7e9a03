/* A report's conclusion: its place and its words in every output format. */
#include <math.h>

#include "core/report/find.h"
#include "shell/conclude/conclude.h"
#include "shell/conclude/held.h"
#include "shell/conclude/words.h"
#include "shell/render/render.h"
#include "tests/unit/named.h"
#include "tests/unit/test.h"

static void renders(eb_mode mode, const char *expected)
{
    char *text = NULL;
    size_t size;
    eb_status status = {.message = ""};
    const eb_render_options options = {.mode = mode, .width = 24, .unicode = true};
    FILE *out = open_memstream(&text, &size);
    eb_report *report = eb_report_new("tune");
    eb_report_field(report, EB_NAMED("eps", "ε", EB_PLAIN), eb_real(0.5));
    eb_report_note(report, "rounded");
    eb_report_conclude(report, "%s", "another one");
    eb_report_conclude(report, "ε = %s gives %d*neighbours", "0.5", 64);
    assert_int_equal(eb_render(out, report, &options, &status), EB_OK);
    (void)fclose(out);
    assert_string_equal(text, expected);
    eb_report_free(report);
    free(text);
}

TEST(the_conclusion_comes_last)
{
    renders(EB_MODE_TEXT, "  ε  0.5\n\n• rounded\n\nε = 0.5 gives\n64*neighbours\n\n");
    renders(EB_MODE_JSON, "{\"schema\":\"epsbench/1\",\"command\":\"tune\",\"ok\":true,\"data\":{\"eps\":0.5},"
                          "\"notes\":[\"rounded\"],\"conclusion\":\"ε = 0.5 gives 64*neighbours\"}\n");
    renders(EB_MODE_CSV, "key,value\r\neps,0.5\r\nnote,rounded\r\n");
    renders(EB_MODE_MARKDOWN, "| | |\n|---|---|\n| ε | 0.5 |\n\n- rounded\n\nε = 0.5 gives 64\\*neighbours\n\n");
}

TEST(a_report_may_have_none)
{
    eb_report *report = eb_report_new("tune");
    assert_null(eb_report_conclusion(report));
    assert_null(eb_report_conclusion(NULL));
    eb_report_conclude(report, "%s", "yes");
    assert_string_equal(eb_report_conclusion(report), "yes");
    eb_report_conclude(report, "%s", "");
    assert_null(eb_report_conclusion(report));
    eb_conclude(report); /* a report without numbers has no conclusion */
    assert_null(eb_report_conclusion(report));
    eb_report_conclude(NULL, "%s", "harmless");
    eb_report_free(report);
}

/* The conclusion of an ablation of two variants, where turning a switch off takes `slowdown` times as long. */
static void ablation_concludes(double slowdown, const char *verdict, const char *conclusion)
{
    eb_report *report = eb_report_new("ablate");
    eb_table *variants = EB_TABLE(report, EB_F(variants), NULL, EB_F(switch), EB_F(slowdown), EB_F(verdict));
    EB_ROW(variants, eb_text("(all on)"), eb_real(1), eb_na());
    EB_ROW(variants, eb_text("filter"), eb_real(slowdown), eb_text(verdict));
    eb_conclude(report);
    assert_string_equal(eb_report_conclusion(report), conclusion);
    eb_report_free(report);
}

TEST(an_ablation_claims_only_what_it_measured)
{
    ablation_concludes(1.5, "SLOWER", "filter is worth most: kernels take 1.50× the time without it");
    ablation_concludes(1.5, "UNCLEAR",
                       "filter may be worth most, which the trials leave open: kernels take 1.50× the time without it");
    ablation_concludes(0.9, "UNCLEAR", "No switch makes kernels slower when it is turned off");
}

TEST(numbers_are_short)
{
    static const struct {
        double x;
        eb_unit unit;
        const char *text;
    } row[] = {{0.04732025, EB_PLAIN, "0.0473"},
               {1455.43, EB_PLAIN, "1,455"},
               {64.0025, EB_PLAIN, "64"},
               {6500000, EB_PLAIN, "6.5 M"},
               {999999, EB_PLAIN, "999,999"},
               {999999999, EB_PLAIN, "1 G"},
               {1.25e13, EB_PLAIN, "12.5 T"},
               {0.99644, EB_PERCENT, "99.6 %"},
               {0.99999996, EB_PERCENT, "99.999996 %"},
               {1, EB_PERCENT, "100 %"},
               {0, EB_PERCENT, "0 %"},
               {1.2345e-7, EB_PLAIN, "1.23e-7"},
               {0.0123, EB_SECONDS, "12.3 ms"},
               {1e307, EB_PLAIN, "1e307"},
               {-1234567, EB_PLAIN, "-1.23 M"},
               {NAN, EB_PLAIN, "n/a"}};
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++)
        assert_string_equal(EB_BRIEF(eb_real(row[k].x), row[k].unit), row[k].text);
    assert_string_equal(EB_COUNT(1, "pair", "pairs"), "1 pair");
    assert_string_equal(EB_COUNT(0, "pair", "pairs"), "0 pairs");
    assert_string_equal(EB_COUNT(6538, "pair", "pairs"), "6,538 pairs");
}

/* A printed upper bound is never below the value that it bounds. */
TEST(bounds_are_rounded_up)
{
    assert_string_equal(EB_AT_MOST(0), "0");
    for (double x = 1e-7; x < 900; x *= 1.0137) {
        double shown = strtod(EB_AT_MOST(x), NULL);
        assert_true(shown >= x && shown <= 1.1 * x);
    }
}

TEST(a_middle_is_between)
{
    assert_string_equal(EB_MIDDLE(0.14142135623730951, 0.17320508075688773), "0.16");
    assert_string_equal(EB_MIDDLE(0.4472135955, 0.4582575695),
                        "0.453"); /* 0.45 is inside the interval, too, but near its low end */
    assert_string_equal(EB_MIDDLE(0.5, 0.5), "");
    assert_string_equal(EB_MIDDLE(0.5, NAN), "");
    for (double low = 1e-3; low < 1e4; low *= 1.7) {
        double high = low * (1 + 1e-9), middle = strtod(EB_MIDDLE(low, high), NULL);
        assert_true(low < middle && middle < high);
    }
}

/* The sentence about FP32 or other values. */
static void held_says(const void *rows, size_t count, eb_dtype dtype, const char *expected)
{
    const eb_dataset ds = {.n = 1, .d = count, .dtype = dtype, .rows = rows};
    eb_held held[EB_NUMBERS];
    assert_int_equal(eb_numbers_held(&ds, 1, NULL, held, NULL), EB_OK);
    assert_string_equal(eb_held_sentence(held, dtype, (char[EB_HELD_BYTES]){0}), expected);
}

TEST(the_narrowest_types_that_hold_all_values_are_named)
{
    held_says((const float[]){1 + 0x1p-7F, 0x1p-30F}, 2, EB_F32, "these values are BF16 already");
    held_says((const float[]){1.5F, 300}, 2, EB_F32, "these values are BF16 and FP16 already");
    held_says((const float[]){1 + 0x1p-9F, 300}, 2, EB_F32, "these values are FP16 already");
    held_says((const float[]){1 + 0x1p-9F, 0x1p-60F}, 2, EB_F32, "TF32 holds these values");
    held_says((const float[]){0.1F, 0.2F}, 2, EB_F32, "these values are INT8 (in steps of 0.1) already");
    held_says((const float[]){0x1p-60F, 0x1.8p-59F}, 2, EB_F32,
              "these values are E4M3 (times 2^51), E5M2 (times 2^44) and INT8 (in steps of 8.67e-19) already");
    held_says((const float[]){1, -2}, 2, EB_F32, "these values are E4M3, E5M2 and INT8 already");
    held_says((const double[]){1 + 0x1p-9, 0x1p-60}, 2, EB_F64, "these values are TF32 already");
    held_says((const uint8_t[]){255, 4}, 2, EB_U8, "BF16 and FP16 hold these values");
    held_says((const int8_t[]){-127, 51}, 2, EB_I8, "INT8 holds these values");
    held_says((const float[]){0.1F, 1}, 2, EB_F32, "");
    held_says((const float[]){0, 0}, 2, EB_F32, "these values are E4M3, E5M2 and INT8 already");
}

RUN_TESTS
