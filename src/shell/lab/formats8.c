/* formats8: the command `formats8`: the 8-bit floats side by side, one of them code by code, or look-up tables of them
 * in a GPU's shared memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/state_path.h"
#include "core/formats8/format8.h"
#include "core/model/lookup.h"
#include "core/model/machine.h"
#include "core/report/report.h"
#include "shell/commands/commands.h"
#include "shell/lab/model_report.h"

/* ---- look-up tables ---- */

enum { ENTRIES = 256, WORD = 4 };

static const struct {
    const char *formats;
    unsigned bytes;
} width[] = {{"f32", 4}, {"f16", 2}, {"e5m3, e4m4, e4m3, e5m2, u8", 1}};

static void add_width(eb_table *table, const eb_machine *machine, unsigned m, unsigned threads, size_t k)
{
    const unsigned bytes = width[k].bytes;
    const eb_occupancy occupancy = eb_lookup_occupancy(machine, m, bytes, threads);
    const double wavefronts = eb_lookup_wavefronts(bytes);
    EB_ROW(table, eb_text(width[k].formats), eb_uint(bytes), eb_uint((uint64_t)m * ENTRIES * bytes),
           eb_real(wavefronts), eb_real(wavefronts - 1), eb_real(eb_lookup_wavefronts(width[0].bytes) / wavefronts),
           bytes < WORD ? eb_real(eb_lookup_wavefronts(WORD) * bytes / WORD) : eb_na(), eb_uint(occupancy.blocks),
           eb_real(occupancy.share), eb_text(occupancy.limit));
}

/* Look-up tables for m subspaces, read by blocks of `threads` threads. */
static void report_lookup(eb_report *report, const eb_machine *machine, unsigned m, unsigned threads)
{
    EB_FIELDS(report, {EB_F(gpu), eb_text(machine->title)}, {EB_F(m), eb_uint(m)},
              {EB_F(block_threads), eb_uint(threads)});
    eb_table *table = EB_TABLE(report, EB_F(lookup), "Look-up tables in shared memory", EB_F(formats),
                               EB_F(entry_bytes), EB_F(table_bytes), EB_F(lookup_wavefronts), EB_F(conflicts),
                               EB_F(gain), EB_F(packed_wavefronts), EB_F(blocks), EB_F(occupancy), EB_F(limit));
    for (size_t k = 0; k < sizeof width / sizeof width[0]; k++)
        add_width(table, machine, m, threads, k);
    eb_report_note(report,
                   "a look-up is that of a warp: 32 lanes read one code each, all 256 codes equally likely, from "
                   "32 banks of 4 bytes; lanes that read the same word share it; the wavefronts are the mean");
    eb_report_note(report, "packed: the entries of several queries lie side by side in 4 bytes, so that one look-up "
                           "serves all of them (`recall layout=packed`); their tables together take as much as f32's");
    eb_report_note(report, "blocks an SM: limited by shared memory and threads; registers are not modelled here");
}

enum { CODES_A_ROW = 8, CELL = 16, FIRST_OCTAVE = -17, OCTAVES = 36, LOOKS = 256 };

/* ---- side by side ---- */

static size_t numbers_of(eb_format8 format)
{
    size_t numbers = 0;
    for (unsigned code = 0; code < 256; code++)
        numbers += isfinite(eb_format8_decode(format, (uint8_t)code)) != 0;
    return numbers;
}

static void list_formats(eb_report *report)
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
static double worst_error(eb_format8 format, double x)
{
    double worst = 0;
    for (unsigned k = 0; k < LOOKS; k++) {
        const double value = x * (1 + (double)k / LOOKS);
        const double back = (double)eb_format8_decode(format, eb_format8_encode(format, value));
        worst = fmax(worst, fabs(back - value) / value);
    }
    return fmin(worst, 1);
}

static void draw_errors(eb_report *report)
{
    eb_series *series =
        eb_report_dots(report, EB_F(errors), "Relative error in each octave: a E5M3, b E4M4, c E4M3, d E5M2", EB_LINE);
    eb_series_axes(series, EB_F(value), true, EB_F(relative_error), true);
    for (eb_format8 f = 0; f < EB_FORMATS8; f++) {
        eb_series_name(series, (char)('a' + (int)f), eb_format8_facts_of(f)->title);
        for (int octave = 0; octave < OCTAVES; octave++) {
            const double x = exp2((double)FIRST_OCTAVE + octave);
            eb_series_add(series, x, worst_error(f, x), 0, (char)('a' + (int)f));
        }
    }
}

static eb_code show_all(eb_report *report)
{
    list_formats(report);
    draw_errors(report);
    eb_report_note(report, "relative error: the largest error of rounding a number that is not subnormal, over the "
                           "number; 1 means that the number was too small and became 0");
    eb_report_note(report, "`formats8 e5m3` lists the numbers of one, code by code");
    return EB_OK;
}

/* ---- code by code ---- */

static void list_codes(eb_format8 format, eb_report *report)
{
    eb_table *table = EB_TABLE(report, EB_F(codes), NULL, EB_HIDDEN(code), EB_HIDDEN(bits), EB_HIDDEN(value));
    for (unsigned code = 0; code < 256; code++) {
        char bits[EB_FORMAT8_BITS];
        eb_format8_bits(format, (uint8_t)code, bits);
        EB_ROW(table, eb_int(code), eb_text(bits), eb_real((double)eb_format8_decode(format, (uint8_t)code)));
    }
}

/* Eight codes in a row: one octave for 3 fraction bits, half an octave for 4, two octaves for 2. */
static void draw_codes(eb_format8 format, eb_report *report)
{
    char title[64], cell[CODES_A_ROW][CELL];
    eb_value value[CODES_A_ROW + 1];
    (void)snprintf(title, sizeof title, "Numbers of %s", eb_format8_facts_of(format)->title);
    eb_table *table = eb_report_table(report, EB_F(numbers), title);
    eb_table_column(table, EB_F(code));
    for (int c = 0; c < CODES_A_ROW; c++) {
        (void)snprintf(cell[0], CELL, "+%d", c);
        eb_table_column(table, &(eb_column){cell[0], cell[0], EB_IDENTITY});
    }
    for (int row = 0; row < 256 / CODES_A_ROW; row++) {
        char code[CELL];
        (void)snprintf(code, sizeof code, "0x%02x", (unsigned)(row * CODES_A_ROW));
        value[0] = eb_text(code);
        for (int c = 0; c < CODES_A_ROW; c++) {
            const float x = eb_format8_decode(format, (uint8_t)(row * CODES_A_ROW + c));
            (void)snprintf(cell[c], CELL, "%.*g", x < 1 ? 4 : 6, (double)x); /* 6 digits show whole numbers exactly */
            value[c + 1] = eb_text(cell[c]);
        }
        eb_table_row(table, value, CODES_A_ROW + 1);
    }
}

/* ---- the command ---- */

enum { USUAL_M = 64, USUAL_THREADS = 256 };

static eb_code show_tables(const eb_session *session, const eb_call *call, eb_report *report, eb_status *status)
{
    char path[4096];
    eb_machine *machines;
    const eb_machine *machine;
    size_t count;
    EB_TRY(eb_machines(eb_config_path("gpus", path, sizeof path) ? path : NULL, &machines, &count, status));
    const eb_code failed = eb_model_machine(session, eb_call_text(call, "on"), machines, count, &machine, status);
    if (!failed)
        report_lookup(report, machine, (unsigned)eb_call_integer(call, "m", USUAL_M),
                      (unsigned)eb_call_integer(call, "threads", USUAL_THREADS));
    free(machines);
    return failed;
}

eb_code eb_cmd_formats8(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const char *name = eb_call_text(call, "format");
    (void)job;
    if (!name)
        return show_all(report);
    if (strcmp(name, "tables") == 0)
        return show_tables(session, call, report, status);
    eb_format8 format = 0;
    while (strcmp(eb_format8_facts_of(format)->name, name) != 0)
        format++;
    eb_report_field(report, EB_F(format), eb_text(eb_format8_facts_of(format)->title));
    list_codes(format, report);
    draw_codes(format, report);
    return EB_OK;
}
