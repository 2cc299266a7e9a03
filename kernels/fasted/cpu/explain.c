/* explain: reports how fasted computes one pair's distance (pair.h): verdicts, error parts, coordinates, tensor-core
 * blocks. */
#include <math.h>
#include <stdio.h>

#include "core/engine/engine.h"
#include "core/report/report.h"
#include "kernels/fasted/cpu/pair.h"

enum { COORDINATES_SHOWN = 16, BLOCKS_SHOWN = 64, HEX = 16 };

static const char *const certificate_words[] = {"ruled out", "within for sure", "left to FP64"};

static const char *within(bool near) { return near ? "within ε" : "beyond ε"; }

static const char *hex16(uint16_t bits, char text[HEX])
{
    (void)snprintf(text, HEX, "%04x", bits);
    return text;
}

static const char *hex32(float x, char text[HEX])
{
    (void)snprintf(text, HEX, "%08x", eb_tensor_bits_of(x));
    return text;
}

/* ---- the verdicts ---- */

static void report_verdicts(const eb_pair *pair, eb_report *report)
{
    const double threshold = eb_squared_threshold(pair->eps);
    char bits[HEX];
    eb_table *table = EB_TABLE(report, EB_F(verdicts), "The verdicts", EB_F(by), EB_F(squared), EB_F(bits),
                               EB_F(distance), EB_F(threshold), EB_F(verdict));
    EB_ROW(table, eb_text("fasted"), eb_real((double)pair->fasted2), eb_text(hex32(pair->fasted2, bits)),
           eb_real(sqrt((double)pair->fasted2)), eb_real(threshold), eb_text(within(pair->near_fasted)));
    EB_ROW(table, eb_text("FP64, the truth"), eb_real(pair->truth2), eb_na(), eb_real(sqrt(pair->truth2)),
           eb_real(threshold), eb_text(within(pair->near_truth)));
    EB_ROW(table, eb_text("a certified FP16 filter, at least"), eb_real(pair->certified.least), eb_na(),
           eb_real(sqrt(fmax(pair->certified.least, 0))), eb_real(pair->certified.threshold),
           eb_text(certificate_words[pair->certified.verdict]));
    eb_report_note(report,
                   "the filter's points are centred and scaled first; rounding moves these two by %.3g together",
                   pair->certified.moved);
}

/* ---- the parts of the error ---- */

static void report_parts(const eb_pair *pair, eb_report *report)
{
    const eb_pair_parts p = eb_pair_parts_of(pair);
    const struct {
        const char *what;
        double of;
    } part[] = {{"coordinates rounded to FP16", p.points},
                {"norms summed in FP32", p.norms},
                {"products on tensor cores", p.products},
                {"s + s - 2a in FP32", p.subtraction}};
    double all = 0;
    size_t most = 0;
    for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) {
        all += fabs(part[k].of);
        most = fabs(part[k].of) > fabs(part[most].of) ? k : most;
    }
    eb_table *table = EB_TABLE(report, EB_F(parts), "FASTED's dist² less the truth's, part by part", EB_F(part),
                               EB_F(squared), EB_F(share));
    for (size_t k = 0; k < sizeof part / sizeof part[0]; k++)
        EB_ROW(table, eb_text(part[k].what), eb_real(part[k].of), eb_real(all > 0 ? fabs(part[k].of) / all : NAN));
    EB_ROW(table, eb_text("all together"), eb_real(p.whole), eb_na());
    if (all > 0)
        eb_report_note(report, "%s: FASTED's distance is %.9g, FP64's %.9g; most of the difference: %s",
                       pair->near_fasted == pair->near_truth ? "both agree" : "the verdicts differ",
                       sqrt((double)pair->fasted2), sqrt(pair->truth2), part[most].what);
    else
        eb_report_note(report, "nothing rounds: FASTED's dist² is FP64's to the last bit");
}

/* ---- points and coordinates ---- */

static void report_points(const eb_pair *pair, eb_report *report)
{
    char bits[HEX];
    eb_table *table = EB_TABLE(report, EB_F(points), "The points in FP16", EB_F(point), EB_F(moved), EB_F(norm),
                               EB_F(norm_bits), EB_F(norm_exact));
    for (size_t e = 0; e < 2; e++)
        EB_ROW(table, eb_uint(pair->end[e].point), eb_real(pair->end[e].moved), eb_real((double)pair->end[e].norm),
               eb_text(hex32(pair->end[e].norm, bits)), eb_real(pair->end[e].exact));
}

static double error_of(const eb_dataset *ds, const eb_pair *pair, size_t k)
{
    double x[2], error = 0;
    for (size_t e = 0; e < 2; e++) {
        eb_to_f64(ds->dtype, eb_row(ds, pair->end[e].point) + k * eb_dtype_size(ds->dtype), 1, &x[e]);
        error += (e == 0 ? 1 : -1) * ((double)eb_half_to_float(pair->end[e].half[k]) - x[e]);
    }
    return fabs(error);
}

/* Picks the dimensions whose difference rounding changes most, the most changed first. */
static size_t pick_dimensions(const eb_dataset *ds, const eb_pair *pair, size_t *dimension)
{
    size_t count = 0;
    for (size_t k = 0; k < pair->d; k++) {
        size_t at = count < COORDINATES_SHOWN ? count++ : COORDINATES_SHOWN;
        while (at > 0 && error_of(ds, pair, dimension[at - 1]) < error_of(ds, pair, k)) {
            if (at < COORDINATES_SHOWN)
                dimension[at] = dimension[at - 1];
            at--;
        }
        if (at < COORDINATES_SHOWN)
            dimension[at] = k;
    }
    return count;
}

static void report_coordinates(const eb_dataset *ds, const eb_pair *pair, eb_report *report)
{
    size_t dimension[COORDINATES_SHOWN], count = pick_dimensions(ds, pair, dimension);
    char bits[2][HEX];
    eb_table *table =
        eb_report_table(report, EB_F(coordinates), "Coordinates, whose difference rounding changes most first");
    EB_COLUMNS(table, EB_F(dimension), EB_F(x), EB_F(x_bits), EB_F(y), EB_F(y_bits), EB_F(coordinate_difference),
               EB_F(difference_fp16));
    for (size_t c = 0; c < count; c++) {
        const size_t k = dimension[c], size = eb_dtype_size(ds->dtype);
        double x, y;
        eb_to_f64(ds->dtype, eb_row(ds, pair->end[0].point) + k * size, 1, &x);
        eb_to_f64(ds->dtype, eb_row(ds, pair->end[1].point) + k * size, 1, &y);
        const uint16_t a = pair->end[0].half[k], b = pair->end[1].half[k];
        EB_ROW(table, eb_uint(k), eb_real(x), eb_text(hex16(a, bits[0])), eb_real(y), eb_text(hex16(b, bits[1])),
               eb_real(x - y), eb_real((double)eb_half_to_float(a) - (double)eb_half_to_float(b)));
    }
    if (pair->d > count)
        eb_report_note(report, "%zu of %zu coordinates are shown", count, pair->d);
}

/* ---- the tensor core ---- */

static void report_blocks(const eb_pair *pair, eb_report *report)
{
    char title[96], bits[HEX];
    (void)snprintf(title, sizeof title, "The product on %s tensor cores, %u dimensions at a time", pair->model->name,
                   pair->model->block);
    eb_table *table = EB_TABLE(report, EB_F(blocks), title, EB_F(first), EB_F(before), EB_F(largest), EB_F(cut),
                               EB_F(rounded), EB_F(after), EB_F(bits));
    for (size_t x = 0; x < pair->blocks && x < BLOCKS_SHOWN; x++) {
        const eb_pair_block *b = &pair->block[x];
        EB_ROW(table, eb_uint(b->first), eb_real((double)b->before), b->steps.any ? eb_int(b->steps.largest) : eb_na(),
               eb_real(b->cut), eb_real(b->rounded), eb_real((double)b->after), eb_text(hex32(b->after, bits)));
    }
    if (pair->blocks > BLOCKS_SHOWN)
        eb_report_note(report, "the first %d of %zu blocks are shown", (int)BLOCKS_SHOWN, pair->blocks);
}

enum { INTEGER_BITS = 30, CUT_BITS = 8, BITS_TEXT = INTEGER_BITS + CUT_BITS + 3 };

/* Writes a term's bits, as in "-······1001|01": the integer's bits, and after the bar the bits that are cut off. Terms
 * align below each other. */
static void write_bits(int64_t aligned, double cut_units, char text[BITS_TEXT])
{
    const uint64_t magnitude = (uint64_t)(aligned < 0 ? -aligned : aligned);
    size_t used = 0;
    text[used++] = aligned < 0 ? '-' : ' ';
    for (int bit = INTEGER_BITS - 1; bit >= 0; bit--)
        text[used++] = ".01"[magnitude >> bit == 0 ? 0 : 1 + (magnitude >> bit & 1)];
    if (cut_units != 0 && fabs(cut_units) < 1) {
        const unsigned off = (unsigned)ldexp(fabs(cut_units), CUT_BITS);
        text[used++] = '|';
        for (int bit = CUT_BITS - 1; bit >= 0 && (off & ((2u << bit) - 1)) != 0; bit--)
            text[used++] = "01"[off >> bit & 1];
    }
    text[used] = '\0';
}

/* Adds a row for one aligned integer that the core sums up. unit: value of its last bit. */
static void add_term(eb_table *table, const char *what, const double *factor, double exact, int64_t aligned, double cut,
                     double unit)
{
    char integer[32], bits[BITS_TEXT];
    (void)snprintf(integer, sizeof integer, "%s%08llx", aligned < 0 ? "-" : "",
                   (unsigned long long)(aligned < 0 ? -aligned : aligned));
    write_bits(aligned, cut / unit, bits);
    EB_ROW(table, eb_text(what), factor ? eb_real(factor[0]) : eb_na(), factor ? eb_real(factor[1]) : eb_na(),
           eb_real(exact), eb_text(integer), eb_text(bits), eb_real(cut));
}

static void report_terms(const eb_pair *pair, eb_report *report)
{
    const eb_pair_block *block = &pair->block[pair->worst];
    const eb_tensor_steps *steps = &block->steps;
    const int exponent = steps->largest - (int)pair->model->fraction;
    const double unit = ldexp(1, exponent), before = (double)block->before;
    const int64_t kept = steps->aligned[pair->model->block];
    char title[96], what[32];
    if (!steps->any)
        return;
    (void)snprintf(title, sizeof title, "The block from dimension %zu, which loses most: multiples of 2^%d",
                   block->first, exponent);
    eb_table *table = EB_TABLE(report, EB_F(terms), title, EB_F(term), EB_F(a), EB_F(b), EB_F(exact_product),
                               EB_F(aligned), EB_F(bits), EB_F(cut));
    add_term(table, "sum before", NULL, before, kept, before - (double)kept * unit, unit);
    for (unsigned k = 0; k < block->terms; k++) {
        const double factor[2] = {(double)eb_half_to_float(pair->end[0].half[block->first + k]),
                                  (double)eb_half_to_float(pair->end[1].half[block->first + k])};
        const double exact = factor[0] * factor[1];
        (void)snprintf(what, sizeof what, "dimension %zu", block->first + k);
        add_term(table, what, factor, exact, steps->aligned[k], exact - (double)steps->aligned[k] * unit, unit);
    }
    add_term(table, "sum, to FP32", NULL, (double)steps->sum * unit, steps->sum, block->rounded, unit);
}

/* ---- the whole report ---- */

eb_code eb_fasted_explain(const eb_dataset *ds, size_t i, size_t j, double eps, const eb_options *options,
                          eb_report *report, eb_status *status);

eb_code eb_fasted_explain(const eb_dataset *ds, size_t i, size_t j, double eps, const eb_options *options,
                          eb_report *report, eb_status *status)
{
    const eb_tensor tensor = (eb_tensor)eb_option_choice(options, "tensor");
    const eb_fasted_norms norms = (eb_fasted_norms)eb_option_choice(options, "norms");
    eb_pair pair = {.d = 0};
    const eb_code failed = eb_pair_explain(ds, i, j, eps, tensor, norms, &pair, status);
    if (!failed) {
        report_verdicts(&pair, report);
        report_parts(&pair, report);
        report_points(&pair, report);
        report_coordinates(ds, &pair, report);
        report_blocks(&pair, report);
        report_terms(&pair, report);
    }
    eb_pair_free(&pair);
    return failed;
}
