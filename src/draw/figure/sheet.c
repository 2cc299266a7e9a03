/* sheet: what all writers share: lines with gaps, signs, dashes, and the width of text. */
#include "draw/figure/sheet.h"

#include <math.h>
#include <string.h>

#include "draw/utf8.h"

/* Spots nearer than this to the one before add nothing that a person can see. */
static const double nearest = 0.2;

enum { MOST_SPOTS = 512 }; /* drawn at once; a longer line is drawn in parts */

static bool is_there(eb_spot s) { return isfinite(s.x) && isfinite(s.y); }

/* ---- lines ---- */

/* Part of a line that has no gap. */
typedef struct part {
    const eb_sheet *sheet;
    const eb_ink *ink;
    size_t count;
    eb_spot spot[MOST_SPOTS];
} part;

/* A lone spot is drawn too: a line to itself has round ends. */
static void end_part(part *p)
{
    if (p->count == 1)
        p->spot[p->count++] = p->spot[0];
    if (p->count > 1)
        p->sheet->writer->line(p->sheet->context, p->count, p->spot, false, p->ink);
    p->count = 0;
}

static void add_spot(part *p, eb_spot s, bool last)
{
    if (p->count > 0 && !last && hypot(s.x - p->spot[p->count - 1].x, s.y - p->spot[p->count - 1].y) < nearest)
        return;
    if (p->count == MOST_SPOTS) {
        const eb_spot joint = p->spot[p->count - 1];
        end_part(p);
        p->spot[p->count++] = joint;
    }
    p->spot[p->count++] = s;
}

void eb_sheet_line(const eb_sheet *sheet, size_t count, const eb_spot *spot, const eb_ink *ink)
{
    part p = {.sheet = sheet, .ink = ink};
    for (size_t k = 0; k < count; k++)
        if (is_there(spot[k]))
            add_spot(&p, spot[k], k + 1 == count || !is_there(spot[k + 1]));
        else
            end_part(&p);
    end_part(&p);
}

void eb_sheet_rule(const eb_sheet *sheet, eb_spot from, eb_spot to, const eb_ink *ink)
{
    eb_sheet_line(sheet, 2, (const eb_spot[]){from, to}, ink);
}

void eb_sheet_area(const eb_sheet *sheet, size_t count, const eb_spot *spot, const eb_ink *ink)
{
    for (size_t k = 0; k < count; k++)
        if (!is_there(spot[k]))
            return;
    if (count > 2)
        sheet->writer->line(sheet->context, count, spot, true, ink);
}

void eb_sheet_box(const eb_sheet *sheet, eb_box box, const eb_ink *ink)
{
    const double right = box.x + box.width, bottom = box.y + box.height;
    eb_sheet_area(sheet, 4, (const eb_spot[]){{box.x, box.y}, {right, box.y}, {right, bottom}, {box.x, bottom}}, ink);
}

size_t eb_dash_lengths(eb_dash dash, const double **length)
{
    static const double lengths[EB_DASHES][4] = {[EB_DASH_LONG] = {5, 2.5},
                                                 [EB_DASH_DOT] = {1, 2},
                                                 [EB_DASH_DASH_DOT] = {5, 2, 1, 2},
                                                 [EB_DASH_SHORT] = {2.5, 1.5}};
    static const size_t count[EB_DASHES] =
        {[EB_DASH_LONG] = 2, [EB_DASH_DOT] = 2, [EB_DASH_DASH_DOT] = 4, [EB_DASH_SHORT] = 2};
    *length = lengths[dash];
    return count[dash];
}

/* ---- signs ---- */

size_t eb_sign_corners(eb_sign sign, const eb_spot **corner)
{
    static const eb_spot corners[EB_SIGNS][4] = {
        [EB_SIGN_SQUARE] = {{-0.45, -0.45}, {0.45, -0.45}, {0.45, 0.45}, {-0.45, 0.45}},
        [EB_SIGN_UP] = {{0, -0.6}, {0.55, 0.4}, {-0.55, 0.4}},
        [EB_SIGN_DIAMOND] = {{0, -0.65}, {0.55, 0}, {0, 0.65}, {-0.55, 0}},
        [EB_SIGN_CROSS] = {{-0.45, -0.45}, {0.45, 0.45}, {-0.45, 0.45}, {0.45, -0.45}},
        [EB_SIGN_DOWN] = {{0, 0.6}, {0.55, -0.4}, {-0.55, -0.4}},
        [EB_SIGN_PLUS] = {{-0.55, 0}, {0.55, 0}, {0, -0.55}, {0, 0.55}},
    };
    static const size_t count[EB_SIGNS] = {[EB_SIGN_SQUARE] = 4, [EB_SIGN_UP] = 3,   [EB_SIGN_DIAMOND] = 4,
                                           [EB_SIGN_CROSS] = 4,  [EB_SIGN_DOWN] = 3, [EB_SIGN_PLUS] = 4};
    *corner = corners[sign];
    return count[sign];
}

bool eb_sign_is_lines(eb_sign sign) { return sign == EB_SIGN_CROSS || sign == EB_SIGN_PLUS || sign == EB_SIGN_RING; }

void eb_sheet_signs(const eb_sheet *sheet, size_t count, const eb_spot *spot, eb_sign sign, double size,
                    const eb_ink *ink)
{
    eb_spot there[MOST_SPOTS];
    size_t used = 0;
    for (size_t k = 0; k < count; k++) {
        if (is_there(spot[k]))
            there[used++] = spot[k];
        if (used == MOST_SPOTS || (used > 0 && k + 1 == count)) {
            sheet->writer->signs(sheet->context, used, there, sign, size, ink);
            used = 0;
        }
    }
}

/* ---- text ---- */

/* Hundredths of the font's size, from the blank on: DejaVu Sans, the widest of the usual fonts. */
static double width_of(uint32_t c)
{
    static const unsigned char width[] = {32, 40, 46, 84, 64, 95, 78, 28, 39, 39, 50, 84, 32, 36,  32, 34, 64, 64, 64,
                                          64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63,
                                          58, 78, 75, 30, 30, 66, 56, 86, 75, 79, 60, 79, 70, 64,  61, 73, 68, 99, 68,
                                          61, 68, 39, 34, 39, 84, 50, 50, 61, 64, 55, 64, 62, 35,  64, 63, 28, 28, 58,
                                          28, 97, 63, 61, 64, 64, 41, 52, 39, 63, 59, 82, 59, 59,  52, 64, 34, 64, 84};
    const bool raised = c == 0xB2 || c == 0xB3 || c == 0xB9 || (c >= 0x2070 && c <= 0x207E);
    if (c >= 0x20 && c - 0x20 < sizeof width)
        return width[c - 0x20] / 100.0;
    return raised ? 0.42 : c == 0xB7 ? 0.32 : c < 0x2E80 ? 0.64 : 1.0;
}

double eb_lettering_width(const eb_lettering *lettering, const char *text)
{
    double width = 0;
    size_t length;
    for (uint32_t c; (c = eb_utf8_next(text, &length)) != 0; text += length)
        width += width_of(c);
    return width * lettering->size * (lettering->bold ? 1.1 : 1);
}

void eb_sheet_text(const eb_sheet *sheet, double x, double y, const eb_lettering *lettering, const char *text)
{
    if (text[0] != '\0' && is_there((eb_spot){x, y}))
        sheet->writer->text(sheet->context, (eb_spot){x, y}, lettering, text);
}

enum { MOST_BYTES = 400 }; /* of a line of words */

/* The bytes of the longest beginning of text that ends at a word's end and fits; at least one word. */
static size_t line_bytes(const char *text, double width, const eb_lettering *lettering)
{
    char line[MOST_BYTES];
    size_t best = 0;
    for (size_t end = 0; text[end] != '\0' && end + 1 < sizeof line; best = end) {
        end += strspn(text + end, " ");
        end += strcspn(text + end, " ");
        if (end >= sizeof line)
            break;
        memcpy(line, text, end);
        line[end] = '\0';
        if (best > 0 && eb_lettering_width(lettering, line) > width)
            break;
    }
    return best > 0 ? best : strnlen(text, sizeof line - 1);
}

size_t eb_sheet_words(const eb_sheet *sheet, eb_spot at, double width, const eb_lettering *lettering, const char *text)
{
    char line[MOST_BYTES];
    size_t lines = 0;
    for (text += strspn(text, " "); *text != '\0'; lines++) {
        const size_t bytes = line_bytes(text, width, lettering);
        memcpy(line, text, bytes);
        line[bytes] = '\0';
        if (sheet)
            eb_sheet_text(sheet, at.x, at.y + (double)lines * lettering->size * 1.25, lettering, line);
        text += bytes;
        text += strspn(text, " ");
    }
    return lines;
}
