#include "ui/widgets/overlay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/widgets/page.h"
#include "ui/widgets/report_view.h"

enum { SIDEWAYS = 8 };

void eb_overlay_close(eb_overlay *overlay)
{
    eb_report_free(overlay->report);
    free(overlay->text);
    *overlay = (eb_overlay){.kind = EB_OVERLAY_NONE};
}

void eb_overlay_help(eb_overlay *overlay, bool words_first)
{
    eb_overlay_close(overlay);
    overlay->kind = EB_OVERLAY_HELP;
    eb_help_init(&overlay->help, words_first);
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

/* ---- drawing ---- */

static int draw_text(eb_canvas *canvas, eb_rect area, int top, const char *text)
{
    eb_page page = {canvas, !canvas->unicode, area, top, 0};
    eb_page_text(&page, EB_ROLE_TEXT, 0, text);
    return page.line;
}

static int clamp(int value, int most) { return value > most ? most > 0 ? most : 0 : value < 0 ? 0 : value; }

/* Without the frame and a column beside it. */
static eb_rect inside_of(eb_rect area)
{
    eb_rect inside = eb_rect_inside(area);
    return (eb_rect){inside.x + 1, inside.y, inside.width - 2, inside.height};
}

void eb_overlay_draw(eb_overlay *overlay, eb_canvas *canvas, eb_rect area, const eb_panel *panel)
{
    if (overlay->kind == EB_OVERLAY_NONE || eb_rect_empty(area))
        return;
    if (overlay->kind == EB_OVERLAY_TEXT) { /* no more than it needs, next to the command line */
        int lines =
            eb_put_wrapped(canvas, (eb_rect){area.x, area.y, area.width - 4, 0}, EB_ROLE_TEXT, overlay->text) + 2;
        area.y += lines < area.height ? area.height - lines : 0;
        area.height = lines < area.height ? lines : area.height;
    }
    eb_fill(canvas, area, EB_ROLE_TEXT);
    eb_frame(canvas, area, EB_ROLE_FOCUS, overlay->title);
    eb_rect inside = inside_of(area);
    if (eb_rect_empty(inside))
        return;
    overlay->top = clamp(overlay->top, overlay->lines > 0 ? overlay->lines - inside.height : overlay->top);
    switch (overlay->kind) {
    case EB_OVERLAY_HELP: overlay->lines = eb_help_draw(canvas, inside, &overlay->help, panel); break;
    case EB_OVERLAY_REPORT:
        overlay->lines = eb_draw_wide_report(canvas, inside, overlay->report, EB_PARTS_TEXT | EB_PARTS_PLOTS,
                                             &overlay->top, &overlay->left);
        break;
    case EB_OVERLAY_TEXT: overlay->lines = draw_text(canvas, inside, overlay->top, overlay->text); break;
    case EB_OVERLAY_NONE: break;
    }
    bool wide = overlay->report && eb_report_columns(overlay->report, !canvas->unicode) >= inside.width;
    char hint[80];
    (void)snprintf(hint, sizeof hint, "Esc closes%s%s", overlay->lines > inside.height ? ", PageDown shows more" : "",
                   wide ? ", ←/→ the rest of long lines" : "");
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
    if (overlay->kind == EB_OVERLAY_HELP)
        return eb_help_key(&overlay->help, key, inside_of(area));
    switch (key.code) {
    case EB_KEY_UP: overlay->top--; break;
    case EB_KEY_DOWN: overlay->top++; break;
    case EB_KEY_PAGE_UP: overlay->top -= rows; break;
    case EB_KEY_PAGE_DOWN: overlay->top += rows; break;
    case EB_KEY_HOME: overlay->top = 0; break;
    case EB_KEY_END: overlay->top = overlay->lines; break;
    case EB_KEY_WHEEL_UP: overlay->top -= 3; break;
    case EB_KEY_WHEEL_DOWN: overlay->top += 3; break;
    case EB_KEY_LEFT: overlay->left = overlay->left > SIDEWAYS ? overlay->left - SIDEWAYS : 0; break;
    case EB_KEY_RIGHT: overlay->left += SIDEWAYS; break; /* where it ends is known when it is drawn */
    default: return false;
    }
    overlay->top = clamp(overlay->top, overlay->lines - (area.height - 2));
    return true;
}
