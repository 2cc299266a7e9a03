#include "ui/overlay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/command.h"
#include "ui/report_view.h"

void eb_overlay_close(eb_overlay *overlay)
{
    eb_report_free(overlay->report);
    free(overlay->text);
    *overlay = (eb_overlay){.kind = EB_OVERLAY_NONE};
}

void eb_overlay_help(eb_overlay *overlay)
{
    eb_overlay_close(overlay);
    overlay->kind = EB_OVERLAY_HELP;
    (void)snprintf(overlay->title, sizeof overlay->title, "Help");
}

void eb_overlay_report(eb_overlay *overlay, eb_report *report)
{
    eb_overlay_close(overlay);
    overlay->kind = EB_OVERLAY_REPORT;
    overlay->report = report;
    (void)snprintf(overlay->title, sizeof overlay->title, "%.40s", report->command);
}

void eb_overlay_text(eb_overlay *overlay, const char *title, char *text)
{
    eb_overlay_close(overlay);
    overlay->kind = EB_OVERLAY_TEXT;
    overlay->text = text;
    (void)snprintf(overlay->title, sizeof overlay->title, "%.40s", title);
}

/* ---- help ---- */

static const eb_hint everywhere[] = {
    {"F2 … F8, Alt-1 … Alt-7", "a panel; in panel keys also 1 … 7 and Tab"},
    {"Esc", "from the command line to the panel's keys; there: lets go of a filter, a zoom"},
    {":", "back to the command line; so does any letter the panel has no use for"},
    {"F1, ? on an empty line", "this help"},
    {"PageUp, PageDown, wheel", "scroll the panel"},
    {"Tab", "on the command line: completes; ↑ ↓: earlier lines, Ctrl-R searches them"},
    {"Ctrl-C", "stops what runs and keeps what is finished; clears the line"},
    {"Ctrl-W", "in panel keys: two panels side by side, on wide terminals"},
    {"Ctrl-L", "draws the screen anew"},
};

/* Where the next line goes; lines before `top` are counted but not drawn. */
typedef struct page {
    eb_canvas *canvas;
    eb_rect area;
    int top, line;
} page;

static void put_pair(page *p, eb_role role, const char *left, int column, const char *right)
{
    int y = p->area.y + p->line - p->top;
    p->line++;
    if (y < p->area.y)
        return;
    (void)eb_put_short(p->canvas, (eb_rect){p->area.x, p->area.y, column - 1 < p->area.width ? column - 1 : p->area.width, p->area.height},
                       p->area.x, y, role, left);
    if (right && column < p->area.width)
        (void)eb_put_short(p->canvas, p->area, p->area.x + column, y, EB_ROLE_TEXT, right);
}

static void put_hints(page *p, const char *title, const eb_hint *hints, size_t count, int column)
{
    put_pair(p, EB_ROLE_TITLE, title, p->area.width, NULL);
    for (size_t k = 0; k < count && hints[k].keys; k++)
        put_pair(p, EB_ROLE_KEY, hints[k].keys, column, hints[k].does);
    p->line++;
}

static void put_commands(page *p, int column)
{
    const char *group = "";
    for (size_t k = 0; k < eb_command_count(); k++) {
        const eb_command *command = eb_command_at(k);
        if (strcmp(group, command->group) != 0) {
            p->line += k > 0;
            group = command->group;
            put_pair(p, EB_ROLE_TITLE, group, p->area.width, NULL);
        }
        put_pair(p, EB_ROLE_KEY, command->name, column, command->summary);
    }
    p->line++;
    put_pair(p, EB_ROLE_DIM, "help COMMAND explains one, with its arguments and an example", p->area.width, NULL);
}

static int draw_help(eb_canvas *canvas, eb_rect area, int top, const eb_panel *panel)
{
    int column = area.width >= 60 ? 26 : 14;
    page p = {canvas, area, top, 0};
    if (panel) {
        put_pair(&p, EB_ROLE_DIM, panel->about, area.width, NULL);
        put_hints(&p, panel->title, panel->hint, EB_MAX_HINTS, column);
    }
    put_hints(&p, "Everywhere", everywhere, sizeof everywhere / sizeof everywhere[0], column);
    put_commands(&p, column);
    return p.line;
}

/* ---- drawing ---- */

static int draw_text(eb_canvas *canvas, eb_rect area, int top, const char *text)
{
    eb_rect shifted = {area.x, area.y - top, area.width, area.height + top};
    /* Wrapped text knows no lines above its area: it is drawn on its own and only what is inside is kept by the clip. */
    if (top == 0)
        return eb_put_wrapped(canvas, area, EB_ROLE_TEXT, text);
    eb_canvas whole = {.unicode = canvas->unicode};
    eb_status ignored;
    if (eb_rect_empty(shifted) || eb_canvas_resize(&whole, area.width, shifted.height, &ignored))
        return 0;
    int lines = eb_put_wrapped(&whole, eb_canvas_rect(&whole), EB_ROLE_TEXT, text);
    for (int y = 0; y < area.height; y++)
        for (int x = 0; x < area.width; x++) {
            const eb_cell *cell = &whole.cell[(size_t)(y + top) * (size_t)whole.width + (size_t)x];
            if (cell->character)
                eb_put_cell(canvas, area, area.x + x, area.y + y, (eb_role)cell->role, cell->character, '?');
        }
    eb_canvas_free(&whole);
    return lines;
}

static int clamp(int value, int most) { return value > most ? most > 0 ? most : 0 : value < 0 ? 0 : value; }

void eb_overlay_draw(eb_overlay *overlay, eb_canvas *canvas, eb_rect area, const eb_panel *panel)
{
    if (overlay->kind == EB_OVERLAY_NONE || eb_rect_empty(area))
        return;
    if (overlay->kind == EB_OVERLAY_TEXT) { /* no more than it needs, next to the command line */
        int lines = eb_put_wrapped(canvas, (eb_rect){area.x, area.y, area.width - 4, 0}, EB_ROLE_TEXT, overlay->text) + 2;
        area.y += lines < area.height ? area.height - lines : 0;
        area.height = lines < area.height ? lines : area.height;
    }
    eb_fill(canvas, area, EB_ROLE_TEXT);
    eb_frame(canvas, area, EB_ROLE_FOCUS, overlay->title);
    eb_rect inside = eb_rect_inside(area);
    inside.x++;
    inside.width -= 2;
    if (eb_rect_empty(inside))
        return;
    overlay->top = clamp(overlay->top, overlay->lines > 0 ? overlay->lines - inside.height : overlay->top);
    switch (overlay->kind) {
    case EB_OVERLAY_HELP: overlay->lines = draw_help(canvas, inside, overlay->top, panel); break;
    case EB_OVERLAY_REPORT:
        overlay->lines = eb_draw_report(canvas, inside, overlay->report, EB_PARTS_TEXT | EB_PARTS_PLOTS, &overlay->top);
        break;
    case EB_OVERLAY_TEXT: overlay->lines = draw_text(canvas, inside, overlay->top, overlay->text); break;
    case EB_OVERLAY_NONE: break;
    }
    const char *hint = overlay->lines > inside.height ? "Esc closes, PageDown shows more" : "Esc closes";
    eb_rect bottom = {area.x + 2, area.y + area.height - 1, area.width - 4, 1};
    (void)eb_put_right(canvas, bottom, bottom.x + bottom.width, bottom.y, EB_ROLE_HINT, hint);
}

bool eb_overlay_key(eb_overlay *overlay, eb_key key, eb_rect area)
{
    int rows = area.height > 4 ? area.height - 3 : 1;
    if (overlay->kind == EB_OVERLAY_NONE)
        return false;
    if (eb_key_is(key, EB_ESCAPE) || eb_key_is(key, EB_ENTER) || eb_key_is(key, 'q')) {
        eb_overlay_close(overlay);
        return true;
    }
    switch (key.code) {
    case EB_KEY_UP: overlay->top--; break;
    case EB_KEY_DOWN: overlay->top++; break;
    case EB_KEY_PAGE_UP: overlay->top -= rows; break;
    case EB_KEY_PAGE_DOWN: overlay->top += rows; break;
    case EB_KEY_HOME: overlay->top = 0; break;
    case EB_KEY_END: overlay->top = overlay->lines; break;
    case EB_KEY_WHEEL_UP: overlay->top -= 3; break;
    case EB_KEY_WHEEL_DOWN: overlay->top += 3; break;
    default: return false;
    }
    overlay->top = clamp(overlay->top, overlay->lines - (area.height - 2));
    return true;
}
