#include "draw/canvas.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "draw/utf8.h"

enum { LARGEST = 4096 };

/* ---- rectangles ---- */

static int larger(int a, int b) { return a > b ? a : b; }
static int smaller(int a, int b) { return a < b ? a : b; }

eb_rect eb_rect_cut(eb_rect r, eb_rect clip)
{
    if (eb_rect_empty(r) || eb_rect_empty(clip))
        return (eb_rect){clip.x, clip.y, 0, 0};
    int left = larger(r.x, clip.x), top = larger(r.y, clip.y);
    int right = smaller(r.x + r.width, clip.x + clip.width), bottom = smaller(r.y + r.height, clip.y + clip.height);
    return (eb_rect){left, top, larger(0, right - left), larger(0, bottom - top)};
}

eb_rect eb_rect_inside(eb_rect r)
{
    return (eb_rect){r.x + 1, r.y + 1, larger(0, r.width - 2), larger(0, r.height - 2)};
}

/* ---- the grid ---- */

eb_code eb_canvas_resize(eb_canvas *canvas, int width, int height, eb_status *status)
{
    if (width < 1 || height < 1 || width > LARGEST || height > LARGEST)
        return eb_fail(status, EB_USAGE, "a screen of %d × %d; expected 1 to %d columns and rows", width, height,
                       (int)LARGEST);
    size_t cells = (size_t)width * (size_t)height;
    eb_cell *cell = calloc(cells, sizeof *cell);
    if (!cell)
        return eb_fail_memory(status, "the screen", cells * sizeof *cell);
    free(canvas->cell);
    canvas->cell = cell;
    canvas->width = width;
    canvas->height = height;
    eb_canvas_clear(canvas);
    return EB_OK;
}

void eb_canvas_free(eb_canvas *canvas)
{
    free(canvas->cell);
    canvas->cell = NULL;
    canvas->width = canvas->height = 0;
}

void eb_canvas_clear(eb_canvas *canvas) { eb_fill(canvas, eb_canvas_rect(canvas), EB_ROLE_TEXT); }

eb_rect eb_canvas_rect(const eb_canvas *canvas) { return (eb_rect){0, 0, canvas->width, canvas->height}; }

/* Writing over one half of a wide character leaves a blank in its other half. */
static void unjoin(eb_canvas *canvas, int x, int y)
{
    if (eb_cell_at(canvas, x, y)->character == 0 && x > 0)
        *eb_cell_at(canvas, x - 1, y) = (eb_cell){.character = ' ', .role = eb_cell_at(canvas, x - 1, y)->role};
    if (x + 1 < canvas->width && eb_cell_at(canvas, x + 1, y)->character == 0)
        *eb_cell_at(canvas, x + 1, y) = (eb_cell){.character = ' ', .role = eb_cell_at(canvas, x + 1, y)->role};
}

static void set_cell(eb_canvas *canvas, int x, int y, eb_role role, uint32_t character)
{
    unjoin(canvas, x, y);
    *eb_cell_at(canvas, x, y) = (eb_cell){.character = character, .role = (uint8_t)role};
}

void eb_put_cell(eb_canvas *canvas, eb_rect clip, int x, int y, eb_role role, uint32_t character, char ascii)
{
    if (eb_rect_has(eb_rect_cut(clip, eb_canvas_rect(canvas)), x, y))
        set_cell(canvas, x, y, role, canvas->unicode || character < 0x80 ? character : (uint32_t)(unsigned char)ascii);
}

/* ---- text ---- */

/* Puts one character, `columns` columns wide, at x; clip may cut it. */
static void put_character(eb_canvas *canvas, eb_rect clip, int x, int y, eb_role role, uint32_t character, int columns)
{
    if (columns == 0) {
        int before = x - 1;
        if (eb_rect_has(clip, before, y) && eb_cell_at(canvas, before, y)->character == 0 && before > 0)
            before--;
        if (eb_rect_has(clip, before, y) && eb_cell_at(canvas, before, y)->combining == 0)
            eb_cell_at(canvas, before, y)->combining = character;
        return;
    }
    if (columns == 1) {
        if (eb_rect_has(clip, x, y))
            set_cell(canvas, x, y, role, character);
        return;
    }
    bool left = eb_rect_has(clip, x, y), right = eb_rect_has(clip, x + 1, y);
    if (left)
        set_cell(canvas, x, y, role, right ? character : ' ');
    if (right)
        set_cell(canvas, x + 1, y, role, ' ');
    if (left && right)
        eb_cell_at(canvas, x + 1, y)->character = 0;
}

int eb_put(eb_canvas *canvas, eb_rect clip, int x, int y, eb_role role, const char *text)
{
    char *shown = eb_utf8_shown(text, !canvas->unicode);
    if (!shown)
        return 0;
    clip = eb_rect_cut(clip, eb_canvas_rect(canvas));
    int begin = x;
    size_t bytes;
    for (const char *at = shown; *at; at += bytes) {
        uint32_t character = eb_utf8_next(at, &bytes);
        int columns = (int)eb_utf8_columns(at, bytes);
        if (columns > 0 || x > begin) /* an accent without a letter has nowhere to stand */
            put_character(canvas, clip, x, y, role, character, columns);
        x += columns;
    }
    free(shown);
    return x - begin;
}

int eb_putf(eb_canvas *canvas, eb_rect clip, int x, int y, eb_role role, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return eb_put(canvas, clip, x, y, role, text);
}

/* Number of columns the text takes on this canvas; 0 if out of memory, since eb_put then draws nothing either. */
static int shown_columns(const eb_canvas *canvas, const char *text)
{
    char *shown = eb_utf8_shown(text, !canvas->unicode);
    int columns = shown ? (int)eb_utf8_columns(shown, strlen(shown)) : 0;
    free(shown);
    return columns;
}

int eb_put_right(eb_canvas *canvas, eb_rect clip, int right, int y, eb_role role, const char *text)
{
    return eb_put(canvas, clip, right - shown_columns(canvas, text), y, role, text);
}

int eb_put_short(eb_canvas *canvas, eb_rect clip, int x, int y, eb_role role, const char *text)
{
    clip = eb_rect_cut(clip, eb_canvas_rect(canvas));
    int columns = shown_columns(canvas, text), room = clip.x + clip.width - x;
    if (columns <= room || room <= 0)
        return eb_put(canvas, clip, x, y, role, text);
    eb_rect most = clip;
    most.width = x + room - 1 - clip.x;
    (void)eb_put(canvas, most, x, y, role, text);
    eb_put_cell(canvas, clip, x + room - 1, y, role, 0x2026, '~');
    return columns;
}

int eb_put_wrapped(eb_canvas *canvas, eb_rect area, eb_role role, const char *text)
{
    char *shown = eb_utf8_shown(text, !canvas->unicode);
    int lines = 0;
    if (!shown || area.width < 1) {
        free(shown);
        return 0;
    }
    for (const char *at = shown; *at; lines++) {
        const char *line = at;
        size_t bytes = eb_utf8_line(&at, (size_t)area.width);
        char *copy = strndup(line, bytes);
        if (copy && lines < area.height)
            (void)eb_put(canvas, area, area.x, area.y + lines, role, copy);
        free(copy);
    }
    free(shown);
    return lines;
}

/* ---- areas ---- */

void eb_fill(eb_canvas *canvas, eb_rect area, eb_role role)
{
    area = eb_rect_cut(area, eb_canvas_rect(canvas));
    for (int y = area.y; y < area.y + area.height; y++)
        for (int x = area.x; x < area.x + area.width; x++) {
            if (x == area.x || x + 1 == area.x + area.width)
                unjoin(canvas, x, y);
            *eb_cell_at(canvas, x, y) = (eb_cell){.character = ' ', .role = (uint8_t)role};
        }
}

void eb_frame(eb_canvas *canvas, eb_rect area, eb_role role, const char *title)
{
    if (eb_rect_empty(area))
        return;
    int right = area.x + area.width - 1, bottom = area.y + area.height - 1;
    for (int x = area.x + 1; x < right; x++) {
        eb_put_cell(canvas, area, x, area.y, role, 0x2500, '-');
        eb_put_cell(canvas, area, x, bottom, role, 0x2500, '-');
    }
    for (int y = area.y + 1; y < bottom; y++) {
        eb_put_cell(canvas, area, area.x, y, role, 0x2502, '|');
        eb_put_cell(canvas, area, right, y, role, 0x2502, '|');
    }
    eb_put_cell(canvas, area, area.x, area.y, role, 0x250C, '+');
    eb_put_cell(canvas, area, right, area.y, role, 0x2510, '+');
    eb_put_cell(canvas, area, area.x, bottom, role, 0x2514, '+');
    eb_put_cell(canvas, area, right, bottom, role, 0x2518, '+');
    eb_rect room = {area.x + 2, area.y, area.width - 4, 1};
    if (title && title[0] && room.width > 2) {
        eb_put_cell(canvas, room, room.x, room.y, role, ' ', ' ');
        room.x++, room.width--;
        int columns = eb_put_short(canvas, room, room.x, room.y, role == EB_ROLE_FRAME ? EB_ROLE_DIM : role, title);
        eb_put_cell(canvas, room, room.x + columns, room.y, role, ' ', ' ');
    }
}

void eb_recolour(eb_canvas *canvas, eb_rect area, eb_role role)
{
    area = eb_rect_cut(area, eb_canvas_rect(canvas));
    for (int y = area.y; y < area.y + area.height; y++)
        for (int x = area.x; x < area.x + area.width; x++)
            eb_cell_at(canvas, x, y)->role = (uint8_t)role;
}

/* ---- as text ---- */

static void put_utf8(FILE *out, uint32_t c)
{
    char bytes[4] = "";
    (void)fwrite(bytes, 1, eb_utf8_encode(c, bytes), out);
}

eb_code eb_canvas_dump(const eb_canvas *canvas, FILE *out, eb_status *status)
{
    for (int y = 0; y < canvas->height; y++) {
        int end = canvas->width;
        while (end > 0 && eb_cell_at(canvas, end - 1, y)->character == ' ' &&
               eb_cell_at(canvas, end - 1, y)->combining == 0)
            end--;
        for (int x = 0; x < end; x++) {
            const eb_cell *cell = eb_cell_at(canvas, x, y);
            if (cell->character)
                put_utf8(out, cell->character);
            if (cell->combining)
                put_utf8(out, cell->combining);
        }
        (void)fputc('\n', out);
    }
    return ferror(out) ? eb_fail(status, EB_IO, "the screen could not be written: %s", strerror(errno)) : EB_OK;
}
