/* explain: reports how a rung computes one pair's distance (pair.h): verdicts, error parts, points, coordinates, and
 * the tensor core's blocks.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/data/number_format.h"
#include "core/report/report.h"
#include "kernels/certified/pair.h"
#include "kernels/tensor/cpu/engine.h"
#include "kernels/tensor/cpu/pair.h"

enum { COORDINATES_SHOWN = 16, BLOCKS_SHOWN = 64, HEX = 24, NUMBERS = 80 };

typedef struct explaining {
    const eb_explained *what;
    const eb_dataset *ds;
    const char *type; /* "FP16" */
    eb_pair pair;
    eb_report *report;
} explaining;

static const char *within(bool near) { return near ? "within ε" : "beyond ε"; }

static const char *hex32(float x, char text[HEX])
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    (void)snprintf(text, HEX, "%08x", bits);
    return text;
}

static const char *hex64(double x, char text[HEX])
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    (void)snprintf(text, HEX, "%016llx", (unsigned long long)bits);
    return text;
}

/* True if norms and q are FP32. */
static bool is_single(const eb_pair *pair) { return eb_rung_is_float(&pair->rung) || pair->rung.step_a_point; }

static const char *bits_of(const eb_pair *pair, double x, char text[HEX])
{
    return is_single(pair) ? hex32((float)x, text) : hex64(x, text);
}

/* ---- the verdicts ---- */

/* The filter has FP16 numbers and FP32 sums. */
static eb_code report_certificate(const explaining *e, eb_table *table, eb_status *status)
{
    static const char *const words[] =
        {[EB_RULED_OUT] = "ruled out", [EB_SURE] = "within for sure", [EB_LEFT_OPEN] = "left to FP64"};
    const eb_pair *pair = &e->pair;
    eb_certificate c;
    if (pair->rung.number != EB_F16_NUMBER || pair->rung.adder.rounding != EB_SUM_F32)
        return EB_OK;
    EB_TRY(eb_certificate_of(e->ds, pair->end[0].point, pair->end[1].point, pair->eps, &pair->rung.adder, &c, status));
    EB_ROW(table, eb_text("a certified FP16 filter, at least"), eb_real(c.least), eb_na(),
           eb_real(sqrt(fmax(c.least, 0))), eb_real(c.threshold), eb_text(words[c.verdict]));
    eb_report_note(e->report,
                   "the filter's points are centred and scaled first; rounding moves these two by %.3g together",
                   c.moved);
    return EB_OK;
}

static eb_code report_verdicts(const explaining *e, eb_status *status)
{
    const eb_pair *pair = &e->pair;
    const double threshold = eb_squared_threshold(pair->eps);
    char bits[HEX];
    eb_table *table = EB_TABLE(e->report, EB_F(verdicts), "The verdicts", EB_F(by), EB_F(squared), EB_F(bits),
                               EB_F(distance), EB_F(threshold), EB_F(verdict));
    EB_ROW(table, eb_text(e->what->spec), eb_real(pair->s), eb_text(bits_of(pair, pair->s, bits)),
           eb_real(sqrt(pair->s)), eb_real(threshold), eb_text(within(pair->near)));
    EB_ROW(table, eb_text("FP64, the truth"), eb_real(pair->truth2), eb_na(), eb_real(sqrt(pair->truth2)),
           eb_real(threshold), eb_text(within(pair->near_truth)));
    return report_certificate(e, table, status);
}

/* ---- the parts of the error ---- */

typedef struct error_part {
    const char *what;
    double of;
    bool told;
} error_part;

static void conclude_parts(const explaining *e, const error_part *part, size_t most, double all)
{
    const eb_pair *pair = &e->pair;
    if (all > 0)
        eb_report_note(e->report, "%s: %s's distance is %.9g, FP64's %.9g; most of the difference: %s",
                       pair->near == pair->near_truth ? "both agree" : "the verdicts differ", e->what->who,
                       sqrt(pair->s), sqrt(pair->truth2), part[most].what);
    else
        eb_report_note(e->report, "nothing rounds: %s's dist² is FP64's to the last bit", e->what->who);
}

static void report_parts(const explaining *e)
{
    const eb_pair_parts p = eb_pair_parts_of(&e->pair);
    const bool single = is_single(&e->pair), cores = eb_rung_is_float(&e->pair.rung);
    char rounded[64], title[96];
    (void)snprintf(rounded, sizeof rounded, "coordinates rounded to %s", e->type);
    const error_part part[] = {{rounded, p.points, true},
                               {"norms corrected by debias", p.debias, e->pair.rung.debiased},
                               {single ? "norms summed in FP32" : "norms summed in FP64", p.norms, true},
                               {"products of small parts left out", p.left_out, e->pair.rung.parts > 1},
                               {cores ? "products on tensor cores" : "products", p.products, true},
                               {single ? "s + s - 2a in FP32" : "s + s - 2a in FP64", p.subtraction, true}};
    double all = 0;
    size_t most = 0;
    for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) {
        all += fabs(part[k].of);
        most = fabs(part[k].of) > fabs(part[most].of) ? k : most;
    }
    (void)snprintf(title, sizeof title, "%s's dist² less the truth's, part by part", e->what->who);
    eb_table *table = EB_TABLE(e->report, EB_F(parts), title, EB_F(part), EB_F(squared), EB_F(share));
    for (size_t k = 0; k < sizeof part / sizeof part[0]; k++)
        if (part[k].told)
            EB_ROW(table, eb_text(part[k].what), eb_real(part[k].of), eb_real(all > 0 ? fabs(part[k].of) / all : NAN));
    EB_ROW(table, eb_text("all together"), eb_real(p.whole), eb_na());
    conclude_parts(e, part, most, all);
}

/* ---- points and coordinates ---- */

static void report_points(const explaining *e)
{
    const eb_pair *pair = &e->pair;
    char bits[HEX], title[64];
    (void)snprintf(title, sizeof title, "The points in %s", e->type);
    eb_table *table = EB_TABLE(e->report, EB_F(points), title, EB_F(point), EB_F(moved), EB_F(norm), EB_F(norm_bits),
                               EB_F(norm_exact));
    if (pair->rung.number == EB_S8)
        EB_COLUMNS(table, EB_F(level_step));
    for (size_t k = 0; k < 2; k++) {
        const eb_pair_end *end = &pair->end[k];
        const eb_value cells[] = {eb_uint(end->point), eb_real(end->moved),
                                  eb_real(end->norm),  eb_text(bits_of(pair, end->norm, bits)),
                                  eb_real(end->exact), eb_real(end->row.step)};
        eb_table_row(table, cells, pair->rung.number == EB_S8 ? 6 : 5);
    }
    if (pair->frame.centre)
        eb_report_note(e->report, "the mean of all points is subtracted before the points are rounded");
    if (pair->frame.power != 0)
        eb_report_note(e->report,
                       "coordinates are multiplied by 2^%d before they are rounded; numbers, norms and sums are those "
                       "of the products",
                       pair->frame.power);
    if (pair->rung.rotated)
        eb_report_note(e->report, "the points are rotated: coordinates are those after the rotation");
}

/* A coordinate as stored; after the rotation if there is one. */
static double stored(const explaining *e, size_t end, size_t k)
{
    double x;
    if (e->pair.rung.rotated)
        return ldexp(e->pair.end[end].row.y[k], -e->pair.frame.power);
    eb_to_f64(e->ds->dtype, eb_row(e->ds, e->pair.end[end].point) + k * eb_dtype_size(e->ds->dtype), 1, &x);
    return x;
}

static double rounded_difference(const explaining *e, size_t k)
{
    const double x = eb_rounded_at(&e->pair.rung, &e->pair.end[0].row, k);
    return ldexp(x - eb_rounded_at(&e->pair.rung, &e->pair.end[1].row, k), -e->pair.frame.power);
}

static double error_of(const explaining *e, size_t k)
{
    return fabs(rounded_difference(e, k) - (stored(e, 0, k) - stored(e, 1, k)));
}

/* Picks the dimensions whose difference rounding changes most, the most changed first. */
static size_t pick_dimensions(const explaining *e, size_t *dimension)
{
    size_t count = 0;
    for (size_t k = 0; k < e->pair.d; k++) {
        size_t at = count < COORDINATES_SHOWN ? count++ : COORDINATES_SHOWN;
        while (at > 0 && error_of(e, dimension[at - 1]) < error_of(e, k)) {
            if (at < COORDINATES_SHOWN)
                dimension[at] = dimension[at - 1];
            at--;
        }
        if (at < COORDINATES_SHOWN)
            dimension[at] = k;
    }
    return count;
}

/* The codes of a coordinate's numbers in hex, joined by +; levels of S8 in decimal. */
static const char *numbers_of(const explaining *e, size_t end, size_t k, char text[NUMBERS])
{
    const eb_rung *rung = &e->pair.rung;
    const eb_number_format *format = eb_number_format_named(eb_number_type_of(rung->number)->name);
    size_t used = 0;
    for (unsigned p = 0; p < rung->parts; p++) {
        const double value = e->pair.end[end].row.part[p][k];
        const char *plus = p > 0 ? "+" : "";
        if (rung->number == EB_S8)
            used += (size_t)snprintf(text + used, NUMBERS - used, "%s%.0f", plus, value);
        else
            used += (size_t)snprintf(text + used, NUMBERS - used, "%s%0*llx", plus, (int)(format->bits + 3) / 4,
                                     (unsigned long long)eb_number_encode(format, value));
    }
    return text;
}

static void report_coordinates(const explaining *e)
{
    size_t dimension[COORDINATES_SHOWN], count = pick_dimensions(e, dimension);
    char bits[2][NUMBERS];
    eb_table *table =
        eb_report_table(e->report, EB_F(coordinates), "Coordinates, whose difference rounding changes most first");
    EB_COLUMNS(table, EB_F(dimension), EB_F(x), EB_F(x_bits), EB_F(y), EB_F(y_bits), EB_F(coordinate_difference),
               EB_F(difference_rounded));
    for (size_t c = 0; c < count; c++) {
        const size_t k = dimension[c];
        const double x = stored(e, 0, k), y = stored(e, 1, k);
        EB_ROW(table, eb_uint(k), eb_real(x), eb_text(numbers_of(e, 0, k, bits[0])), eb_real(y),
               eb_text(numbers_of(e, 1, k, bits[1])), eb_real(x - y), eb_real(rounded_difference(e, k)));
    }
    if (e->pair.d > count)
        eb_report_note(e->report, "%zu of %zu coordinates are shown", count, e->pair.d);
}

/* ---- the tensor core ---- */

static const char *parts_of(const eb_section *section, char text[HEX])
{
    if (section->part == section->with)
        (void)snprintf(text, HEX, "%u·%u", section->part + 1, section->with + 1);
    else
        (void)snprintf(text, HEX, "%u·%u, %u·%u", section->part + 1, section->with + 1, section->with + 1,
                       section->part + 1);
    return text;
}

static void add_block(const explaining *e, eb_table *table, const eb_pair_block *b)
{
    const eb_pair *pair = &e->pair;
    char bits[HEX], parts[HEX];
    const bool any = b->steps.sum != 0 || b->cut != 0;
    eb_value cell[9];
    size_t cells = 0;
    cell[cells++] = eb_uint(eb_chain_term_at(&pair->chain, b->section, b->place).dimension);
    if (pair->rung.parts > 1)
        cell[cells++] = eb_text(parts_of(b->section, parts));
    cell[cells++] = eb_real((double)b->before);
    cell[cells++] = any ? eb_int(b->steps.largest) : eb_na();
    cell[cells++] = eb_real(b->cut);
    cell[cells++] = eb_real(b->rounded);
    cell[cells++] = eb_real((double)b->steps.result);
    cell[cells++] = eb_text(hex32(b->steps.result, bits));
    if (pair->chain.promote || pair->chain.adder.halved)
        cell[cells++] = isnan(b->outside) ? eb_na() : eb_real(b->outside);
    eb_table_row(table, cell, cells);
}

static void report_blocks(const explaining *e)
{
    const eb_pair *pair = &e->pair;
    char title[96];
    (void)snprintf(title, sizeof title, "The product on %s tensor cores, %u %s at a time", e->what->core,
                   pair->chain.adder.block, pair->rung.parts > 1 ? "products" : "dimensions");
    eb_table *table = eb_report_table(e->report, EB_F(blocks), title);
    EB_COLUMNS(table, EB_F(first));
    if (pair->rung.parts > 1)
        EB_COLUMNS(table, EB_F(of_parts));
    EB_COLUMNS(table, EB_F(before), EB_F(largest), EB_F(cut), EB_F(rounded), EB_F(after), EB_F(bits));
    if (pair->chain.promote || pair->chain.adder.halved)
        EB_COLUMNS(table, EB_F(outside));
    for (size_t x = 0; x < pair->blocks && x < BLOCKS_SHOWN; x++)
        add_block(e, table, &pair->block[x]);
    if (pair->blocks > BLOCKS_SHOWN)
        eb_report_note(e->report, "the first %d of %zu blocks are shown", (int)BLOCKS_SHOWN, pair->blocks);
}

enum { INTEGER_BITS = 30, CUT_BITS = 8, BITS_TEXT = 64 + CUT_BITS + 3 };

/* Writes a term's bits, as in "-······1001|01": the integer's bits, and after the bar the bits that are cut off. Terms
 * align below each other. */
static void write_bits(int64_t aligned, double cut_units, int width, char text[BITS_TEXT])
{
    const uint64_t magnitude = (uint64_t)(aligned < 0 ? -aligned : aligned);
    size_t used = 0;
    text[used++] = aligned < 0 ? '-' : ' ';
    for (int bit = width - 1; bit >= 0; bit--)
        text[used++] = ".01"[magnitude >> bit == 0 ? 0 : 1 + (magnitude >> bit & 1)];
    if (cut_units != 0 && fabs(cut_units) < 1) {
        const unsigned off = (unsigned)ldexp(fabs(cut_units), CUT_BITS);
        text[used++] = '|';
        for (int bit = CUT_BITS - 1; bit >= 0 && (off & ((2u << bit) - 1)) != 0; bit--)
            text[used++] = "01"[off >> bit & 1];
    }
    text[used] = '\0';
}

typedef struct term {
    const char *what;
    const double *factor; /* NULL: none */
    double exact, cut;
    int64_t aligned; /* of units */
} term;

/* Adds a row for one aligned integer that the core sums up. unit: value of its last bit. */
static void add_term(eb_table *table, const term *t, double unit, int width)
{
    char integer[32], bits[BITS_TEXT];
    (void)snprintf(integer, sizeof integer, "%s%08llx", t->aligned < 0 ? "-" : "",
                   (unsigned long long)(t->aligned < 0 ? -t->aligned : t->aligned));
    write_bits(t->aligned, t->cut / unit, width, bits);
    EB_ROW(table, eb_text(t->what), t->factor ? eb_real(t->factor[0]) : eb_na(),
           t->factor ? eb_real(t->factor[1]) : eb_na(), eb_real(t->exact), eb_text(integer), eb_text(bits),
           eb_real(t->cut));
}

/* Bits that hold all integers of a block. */
static int width_of(const eb_adder_steps *steps)
{
    int width = INTEGER_BITS;
    while (width < 63 && (steps->sum < 0 ? -steps->sum : steps->sum) >> width > 0)
        width++;
    return width;
}

static double value_of(const eb_operand *operand) { return ldexp((double)operand->significand, operand->exponent); }

static void add_product(const explaining *e, eb_table *table, const eb_pair_block *block, unsigned k, double unit)
{
    const eb_pair *pair = &e->pair;
    const eb_chain_term of = eb_chain_term_at(&pair->chain, block->section, block->place + k);
    const double factor[2] = {value_of(&pair->end[0].operand[block->place + k]),
                              value_of(&pair->end[1].operand[block->place + k])};
    const double kept = (double)block->steps.aligned[k] * unit;
    char what[48], parts[16] = "";
    if (of.dimension >= pair->d)
        return;
    if (pair->rung.parts > 1)
        (void)snprintf(parts, sizeof parts, ", parts %u·%u", of.part[0] + 1, of.part[1] + 1);
    (void)snprintf(what, sizeof what, "dimension %zu%s", of.dimension, parts);
    const term t = {what, factor, factor[0] * factor[1], factor[0] * factor[1] - kept, block->steps.aligned[k]};
    add_term(table, &t, unit, width_of(&block->steps));
}

static void report_terms(const explaining *e)
{
    const eb_pair *pair = &e->pair;
    const eb_pair_block *block = &pair->block[pair->worst];
    const eb_adder *adder = &pair->chain.adder;
    const int exponent = block->steps.largest - (int)adder->fraction, width = width_of(&block->steps);
    const double unit = ldexp(1, exponent), before = (double)block->before;
    const int64_t kept = block->steps.aligned[adder->block];
    static const char *const sums[] = {"sum, to FP32", "sum, to FP32 with 13 bits", "sum, to FP16"};
    char title[96];
    if (block->steps.sum == 0 && block->cut == 0)
        return;
    (void)snprintf(title, sizeof title, "The block from dimension %zu, which loses most: multiples of 2^%d",
                   eb_chain_term_at(&pair->chain, block->section, block->place).dimension, exponent);
    eb_table *table = EB_TABLE(e->report, EB_F(terms), title, EB_F(term), EB_F(a), EB_F(b), EB_F(exact_product),
                               EB_F(aligned), EB_F(bits), EB_F(cut));
    add_term(table, &(term){"sum before", NULL, before, before - (double)kept * unit, kept}, unit, width);
    for (unsigned k = 0; k < adder->block; k++)
        add_product(e, table, block, k, unit);
    add_term(table,
             &(term){sums[adder->rounding], NULL, (double)block->steps.sum * unit, block->rounded, block->steps.sum},
             unit, width);
}

/* ---- 8-bit integers: sums are exact ---- */

static void report_levels(const explaining *e)
{
    static const char *const what[] = {"upper · upper, times 128·128", "upper · lower, times 128",
                                       "lower · upper, times 128", "lower · lower, left out"};
    const eb_pair *pair = &e->pair;
    if (pair->rung.parts == 1) {
        eb_report_note(e->report, "the products of the levels add up to %lld, exactly", (long long)pair->slices[0]);
        return;
    }
    eb_table *table =
        EB_TABLE(e->report, EB_F(terms), "Products of the slices, exact", EB_F(term), EB_F(exact_product));
    for (size_t k = 0; k < 4; k++)
        EB_ROW(table, eb_text(what[k]), eb_int(pair->slices[k]));
}

/* ---- the whole report ---- */

static eb_code report_all(const explaining *e, eb_status *status)
{
    EB_TRY(report_verdicts(e, status));
    report_parts(e);
    report_points(e);
    report_coordinates(e);
    if (eb_rung_is_float(&e->pair.rung)) {
        report_blocks(e);
        report_terms(e);
    } else if (e->pair.rung.number == EB_S8) {
        report_levels(e);
    }
    return EB_OK;
}

eb_code eb_tensor_explain(const eb_rung *rung, const eb_explained *what, const eb_dataset *points, size_t i, size_t j,
                          double eps, eb_report *report, eb_status *status)
{
    explaining e = {.what = what, .ds = points, .report = report, .type = eb_number_type_of(rung->number)->title};
    eb_code failed = eb_pair_explain(rung, what->engine, points, i, j, eps, &e.pair, status);
    if (!failed)
        failed = report_all(&e, status);
    eb_pair_free(&e.pair);
    return failed;
}
