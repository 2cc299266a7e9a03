/* sixel: writes dots as sixel graphics (DEC, as in the manual of the VT340): bands of six rows, a colour at a time. */
#include <stdlib.h>
#include <string.h>

#include "draw/figure/figure.h"

enum { COLOURS = 256, BINS = 1 << 15, BAND = 6 };

/* Colours that agree in five bits of each part share a bin. */
typedef struct bin {
    size_t dots, sum[3];
    size_t colour; /* the palette's nearest */
} bin;

typedef struct palette {
    bin bin[BINS];
    size_t count;
    unsigned char part[COLOURS][3];
} palette;

static unsigned part_of(uint32_t pixel, int part) { return pixel >> (16 - 8 * part) & 255; }

static size_t bin_of(uint32_t pixel)
{
    return (size_t)(part_of(pixel, 0) >> 3) << 10 | (size_t)(part_of(pixel, 1) >> 3) << 5 | part_of(pixel, 2) >> 3;
}

static unsigned mean_of(const bin *b, int part) { return (unsigned)((b->sum[part] + b->dots / 2) / b->dots); }

static int fuller(const void *a, const void *b)
{
    const bin *const *left = a, *const *right = b;
    return ((*left)->dots < (*right)->dots) - ((*left)->dots > (*right)->dots);
}

static unsigned long distance(const palette *p, size_t colour, const bin *b)
{
    unsigned long sum = 0;
    for (int part = 0; part < 3; part++) {
        const long d = (long)p->part[colour][part] - (long)mean_of(b, part);
        sum += (unsigned long)(d * d);
    }
    return sum;
}

static size_t nearest(const palette *p, const bin *b)
{
    size_t best = 0;
    for (size_t k = 1; k < p->count; k++)
        if (distance(p, k, b) < distance(p, best, b))
            best = k;
    return best;
}

/* False: out of memory. */
static bool choose_colours(palette *p, const eb_pixels *pixels)
{
    size_t used = 0;
    bin **order = malloc(BINS * sizeof(bin *));
    if (!order)
        return false;
    for (size_t k = 0; k < pixels->columns * pixels->rows; k++) {
        bin *b = &p->bin[bin_of(pixels->pixel[k])];
        if (b->dots++ == 0)
            order[used++] = b;
        for (int part = 0; part < 3; part++)
            b->sum[part] += part_of(pixels->pixel[k], part);
    }
    qsort(order, used, sizeof(bin *), fuller);
    for (p->count = 0; p->count < used && p->count < COLOURS; p->count++)
        for (int part = 0; part < 3; part++)
            p->part[p->count][part] = (unsigned char)mean_of(order[p->count], part);
    for (size_t k = 0; k < used; k++)
        order[k]->colour = k < COLOURS ? k : nearest(p, order[k]);
    free(order);
    return true;
}

static void put_run(FILE *out, unsigned bits, size_t length)
{
    const int sign = (int)('?' + bits);
    if (length > 3)
        (void)fprintf(out, "!%zu%c", length, sign);
    else
        for (; length > 0; length--)
            (void)fputc(sign, out);
}

/* The dots of one colour in a band; bits[x] has a bit for each of its rows. */
static void put_colour(FILE *out, size_t colour, const unsigned char *bits, size_t columns)
{
    size_t end = columns;
    while (end > 0 && bits[end - 1] == 0)
        end--;
    if (end == 0)
        return;
    (void)fprintf(out, "#%zu", colour);
    for (size_t x = 0, run; x < end; x += run) {
        for (run = 1; x + run < end && bits[x + run] == bits[x];)
            run++;
        put_run(out, bits[x], run);
    }
    (void)fputc('$', out); /* back to the band's beginning */
}

/* bits: [COLOURS × columns], all 0 before and after. */
static void put_band(FILE *out, const palette *p, const eb_pixels *pixels, size_t top, unsigned char *bits)
{
    for (size_t row = top; row < top + BAND && row < pixels->rows; row++)
        for (size_t x = 0; x < pixels->columns; x++) {
            const size_t colour = p->bin[bin_of(pixels->pixel[row * pixels->columns + x])].colour;
            bits[colour * pixels->columns + x] |= (unsigned char)(1u << (row - top));
        }
    for (size_t k = 0; k < p->count; k++)
        put_colour(out, k, bits + k * pixels->columns, pixels->columns);
    memset(bits, 0, COLOURS * pixels->columns);
    (void)fputc('-', out);
}

eb_code eb_sixel_write(const eb_pixels *pixels, FILE *out, eb_status *status)
{
    palette *p = calloc(1, sizeof *p);
    unsigned char *bits = calloc(COLOURS, pixels->columns);
    if (!p || !bits || !choose_colours(p, pixels)) {
        free(p);
        free(bits);
        return eb_fail_memory(status, "a picture's colours", sizeof *p + COLOURS * pixels->columns);
    }
    (void)fprintf(out, "\033P0;1q\"1;1;%zu;%zu", pixels->columns, pixels->rows);
    for (size_t k = 0; k < p->count; k++)
        (void)fprintf(out, "#%zu;2;%u;%u;%u", k, (p->part[k][0] * 100u + 127) / 255, (p->part[k][1] * 100u + 127) / 255,
                      (p->part[k][2] * 100u + 127) / 255);
    for (size_t top = 0; top < pixels->rows; top += BAND)
        put_band(out, p, pixels, top, bits);
    (void)fputs("\033\\", out);
    free(p);
    free(bits);
    return EB_OK;
}
