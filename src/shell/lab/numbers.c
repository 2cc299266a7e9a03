/* numbers: the command `numbers`: number formats side by side, one of them code by code or around a value, what each
 * does to the loaded points, or look-up tables of 8-bit floats. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/data/number_format.h"
#include "core/formats8/format8.h"
#include "shell/commands/commands.h"
#include "shell/lab/lookup_tables.h"
#include "shell/lab/number_effects.h"

enum { CODES_A_ROW = 8, CELL = 16, FIRST_OCTAVE = -26, OCTAVES = 45, LOOKS = 256, CODES = 256 };

/* ---- side by side ---- */

/* "1+8+7": bits of sign, exponent and fraction. */
static void name_layout(const eb_number_format *f, char out[CELL])
{
    if (f->kind == EB_CODES_WHOLE)
        (void)snprintf(out, CELL, "%u", f->bits);
    else
        (void)snprintf(out, CELL, "%u+%u+%u", f->bits - f->exponent - f->fraction, f->exponent, f->fraction);
}

/* To a tenth. */
static double decimal_digits(double binary) { return round(10 * binary * log10(2)) / 10; }

static void list_formats(eb_report *report)
{
    eb_table *table = EB_TABLE(report, EB_F(formats), "Number formats", EB_F(format), EB_F(format_bits), EB_F(layout),
                               EB_F(decimal_digits), EB_F(format_least), EB_F(greatest), EB_F(format_error),
                               EB_F(cores), EB_HIDDEN(exponent_bits), EB_HIDDEN(fraction_bits), EB_HIDDEN(bias),
                               EB_HIDDEN(least_normal), EB_HIDDEN(octaves));
    for (size_t k = 0; k < EB_NUMBER_FORMATS; k++) {
        const eb_number_format *f = eb_number_format_at(k);
        const double least = eb_number_least(f), greatest = eb_number_greatest(f);
        char layout[CELL];
        name_layout(f, layout);
        EB_ROW(table, eb_text(f->title), eb_uint(f->bits), eb_text(layout),
               eb_real(decimal_digits(eb_number_digits(f))), eb_real(least), eb_real(greatest),
               eb_real(eb_number_error(f)), eb_text(f->cores[0] ? f->cores : "none"), eb_uint(f->exponent),
               eb_uint(f->fraction), eb_int(f->bias), eb_real(eb_number_normal(f)),
               eb_real(log2(greatest) - log2(least)));
    }
}

static void list_blocks(eb_report *report)
{
    eb_table *table =
        EB_TABLE(report, EB_F(block_formats), "Blocks that share a scale, on sm_100", EB_F(format),
                 EB_F(element_format), EB_F(element_bits), EB_F(block_length), EB_F(block_scale), EB_F(bits_a_number),
                 EB_F(decimal_digits), EB_F(format_least), EB_F(greatest), EB_HIDDEN(cores));
    for (size_t k = 0; k < EB_BLOCK_FORMATS; k++) {
        const eb_block_format *f = eb_block_format_at(k);
        EB_ROW(table, eb_text(f->title), eb_text(f->element), eb_uint(f->element_bits), eb_uint(f->block),
               eb_text(f->scale), eb_real(f->element_bits + (double)EB_SCALE_BITS / f->block),
               eb_real(decimal_digits(f->digits)), eb_real(f->least), eb_real(f->greatest), eb_text(f->cores));
    }
}

static size_t numbers_of(eb_format8 format)
{
    size_t numbers = 0;
    for (unsigned code = 0; code < CODES; code++)
        numbers += isfinite(eb_format8_decode(format, (uint8_t)code)) != 0;
    return numbers;
}

/* The four floats of 8 bits, with and without a sign. */
static void list_bytes(eb_report *report)
{
    eb_table *table =
        EB_TABLE(report, EB_F(formats), "8-bit floats", EB_F(format), EB_F(sign_bits), EB_F(exponent_bits),
                 EB_F(fraction_bits), EB_F(bias), EB_F(numbers), EB_F(least_above_0), EB_F(least_normal),
                 EB_F(greatest), EB_F(octaves), EB_F(codes_per_octave), EB_F(relative_error), EB_F(zero));
    for (eb_format8 f = 0; f < EB_FORMATS8; f++) {
        const eb_format8_facts *facts = eb_format8_facts_of(f);
        EB_ROW(table, eb_text(facts->title), eb_uint(facts->is_signed), eb_uint(facts->exponent),
               eb_uint(facts->fraction), eb_int(facts->bias), eb_uint(numbers_of(f)), eb_real(facts->least),
               eb_real(facts->normal), eb_real(facts->greatest), eb_real(log2(facts->greatest / facts->least)),
               eb_uint(1u << facts->fraction), eb_real(eb_format8_relative_error(f)), eb_bool(facts->is_signed));
    }
    eb_table_turn(table);
}

/* The greatest relative error found among LOOKS numbers from x to 2x; at most 1. */
static double worst_error(const eb_number_format *f, double x)
{
    double worst = 0;
    for (unsigned k = 0; k < LOOKS; k++) {
        const double value = x * (1 + (double)k / LOOKS);
        const double back = eb_number_decode(f, eb_number_encode(f, value));
        worst = fmax(worst, fabs(back - value) / value);
    }
    return fmin(worst, 1);
}

/* A line for each named format, a letter each. */
static void draw_errors(eb_report *report, const char *const *names, size_t count)
{
    char title[128] = "Relative error in each octave:";
    for (size_t k = 0; k < count; k++) {
        const size_t used = strlen(title);
        (void)snprintf(title + used, sizeof title - used, "%s %c %s", k > 0 ? "," : "", (char)('a' + (int)k),
                       eb_number_format_named(names[k])->title);
    }
    eb_series *series = eb_report_dots(report, EB_F(errors), title, EB_LINE);
    eb_series_axes(series, EB_F(value), true, EB_F(relative_error), true);
    for (size_t k = 0; k < count; k++) {
        const eb_number_format *f = eb_number_format_named(names[k]);
        eb_series_name(series, (char)('a' + (int)k), f->title);
        for (int octave = 0; octave < OCTAVES; octave++) {
            const double x = exp2((double)FIRST_OCTAVE + octave);
            eb_series_add(series, x, worst_error(f, x), 0, (char)('a' + (int)k));
        }
    }
    eb_report_note(report, "relative error: the largest error of rounding a number that is not subnormal, over the "
                           "number; 1 means that the number was too small and became 0");
}

static eb_code show_all(const eb_session *session, eb_report *report, eb_job *job, eb_status *status)
{
    static const char *const drawn[] = {"bf16", "f16", "e4m3", "e5m2", "s8"};
    list_formats(report);
    list_blocks(report);
    draw_errors(report, drawn, sizeof drawn / sizeof drawn[0]);
    eb_report_note(report, "`numbers bf16 0.1` shows a value in one of them, `numbers e4m3` the numbers of one");
    return session->dataset ? eb_report_number_effects(session, report, job, status) : EB_OK;
}

static eb_code show_bytes(eb_report *report)
{
    static const char *const drawn[] = {"e5m3", "e4m4", "e4m3", "e5m2"};
    list_bytes(report);
    draw_errors(report, drawn, sizeof drawn / sizeof drawn[0]);
    return EB_OK;
}

/* ---- code by code ---- */

static void list_codes(const eb_number_format *f, eb_report *report)
{
    eb_table *table = EB_TABLE(report, EB_F(codes), NULL, EB_HIDDEN(code), EB_HIDDEN(bits), EB_HIDDEN(value));
    for (unsigned code = 0; code < CODES; code++) {
        char bits[EB_NUMBER_BITS];
        EB_ROW(table, eb_int(code), eb_text(eb_number_bits(f, code, bits)), eb_real(eb_number_decode(f, code)));
    }
}

/* Eight codes in a row: one octave for 3 fraction bits, half an octave for 4, two octaves for 2. */
static void draw_codes(const eb_number_format *f, eb_report *report)
{
    char title[64], cell[CODES_A_ROW][CELL];
    eb_value value[CODES_A_ROW + 1];
    (void)snprintf(title, sizeof title, "Numbers of %s", f->title);
    eb_table *table = eb_report_table(report, EB_F(numbers), title);
    eb_table_column(table, EB_F(code));
    for (int c = 0; c < CODES_A_ROW; c++) {
        (void)snprintf(cell[0], CELL, "+%d", c);
        eb_table_column(table, &(eb_column){cell[0], cell[0], EB_IDENTITY});
    }
    for (unsigned row = 0; row < CODES; row += CODES_A_ROW) {
        char code[CELL];
        (void)snprintf(code, sizeof code, "0x%02x", row);
        value[0] = eb_text(code);
        for (unsigned c = 0; c < CODES_A_ROW; c++) {
            const double x = eb_number_decode(f, row + c);
            (void)snprintf(cell[c], CELL, "%.*g", x < 1 ? 4 : 6, x); /* 6 digits show whole numbers exactly */
            value[c + 1] = eb_text(cell[c]);
        }
        eb_table_row(table, value, CODES_A_ROW + 1);
    }
}

/* ---- a value, or the ends of a wide format ---- */

/* Enough digits to tell the format's numbers apart, and all of a short number's. */
static void write_number(const eb_number_format *f, double x, char out[32])
{
    (void)snprintf(out, 32, "%.*g", f->bits == 64 ? 17 : f->bits == 32 ? 9 : 12, x);
}

/* With dots between sign, exponent and fraction; FP64's in hexadecimal. */
static char *write_bits(const eb_number_format *f, double number, char out[EB_NUMBER_BITS])
{
    const uint64_t code = eb_number_encode(f, number);
    if (f->bits < 64)
        return eb_number_bits(f, code, out);
    (void)snprintf(out, EB_NUMBER_BITS, "0x%016" PRIx64, code);
    return out;
}

static void add_number(eb_table *table, const eb_number_format *f, const char *what, double number, double value)
{
    char text[32], bits[EB_NUMBER_BITS];
    if (isnan(number))
        return;
    write_number(f, number, text);
    EB_ROW(table, eb_text(what), eb_text(text), eb_real(number - value),
           value != 0 ? eb_real(fabs(number - value) / fabs(value)) : eb_na(), eb_text(write_bits(f, number, bits)),
           eb_real(number));
}

/* The number itself with those on both sides, or the two around the value. */
static void show_value(const eb_number_format *f, double value, eb_report *report)
{
    char title[64];
    const double nearest = eb_number_decode(f, eb_number_encode(f, value)), below = eb_number_below(f, value),
                 above = eb_number_above(f, value);
    (void)snprintf(title, sizeof title, "%.15g in %s", value, f->title);
    eb_table *table = EB_TABLE(report, EB_F(around), title, EB_F(number_place), EB_F(shown_number), EB_F(number_error),
                               EB_F(relative_error), EB_F(bits), EB_HIDDEN(value));
    add_number(table, f, nearest == below ? "below, nearest" : "below", below, value);
    if (nearest == value)
        add_number(table, f, "exact", value, value);
    add_number(table, f, nearest == above ? "above, nearest" : "above", above, value);
    if (isinf(nearest))
        eb_report_conclude(report, "%.15g overflows: %s's greatest number is %.7g", value, f->title,
                           eb_number_greatest(f));
    else if (f->bits == 64)
        eb_report_conclude(report, "%.15g is kept as %.17g", value, value);
    else if (nearest == value)
        eb_report_conclude(report, "%s holds %.15g exactly", f->title, value);
    else
        eb_report_conclude(report, "%s rounds %.15g to %.15g", f->title, value, nearest);
}

static void show_ends(const eb_number_format *f, eb_report *report)
{
    eb_table *table = EB_TABLE(report, EB_F(around), "Some of its numbers", EB_F(number_place), EB_F(shown_number),
                               EB_F(bits), EB_HIDDEN(value));
    const struct {
        const char *what;
        double number;
    } row[] = {{"least above 0", eb_number_least(f)}, {"least normal", eb_number_normal(f)},
               {"below 1", eb_number_below(f, 1)},    {"one", 1},
               {"above 1", eb_number_above(f, 1)},    {"greatest", eb_number_greatest(f)}};
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        char text[32], bits[EB_NUMBER_BITS];
        write_number(f, row[k].number, text);
        EB_ROW(table, eb_text(row[k].what), eb_text(text), eb_text(write_bits(f, row[k].number, bits)),
               eb_real(row[k].number));
    }
}

static eb_code show_one(const eb_number_format *f, const eb_call *call, eb_report *report)
{
    char layout[CELL];
    name_layout(f, layout);
    EB_FIELDS(report, {EB_F(format), eb_text(f->title)}, {EB_F(layout), eb_text(layout)});
    if (eb_call_has(call, "value")) {
        show_value(f, eb_call_number(call, "value", 0), report);
    } else if (f->bits > 8) {
        show_ends(f, report);
        eb_report_note(report, "`numbers %s 0.1` shows a value in it", f->name);
    } else {
        list_codes(f, report);
        draw_codes(f, report);
    }
    return EB_OK;
}

/* ---- the command ---- */

eb_code eb_cmd_numbers(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const char *name = eb_call_text(call, "format");
    const eb_number_format *format = name ? eb_number_format_named(name) : NULL;
    if (!format && eb_call_has(call, "value"))
        return eb_fail(status, EB_USAGE, "a value needs a format: `numbers bf16 %g`", eb_call_number(call, "value", 0));
    if (!name)
        return show_all(session, report, job, status);
    if (format)
        return show_one(format, call, report);
    return strcmp(name, "bytes") == 0 ? show_bytes(report) : eb_report_lookup_tables(session, call, report, status);
}
