#include "ui/widgets/overlay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/plots/heat_map.h"
#include "draw/utf8.h"
#include "ui/widgets/page.h"

enum { SIDEWAYS = 8 };

void eb_overlay_close(eb_overlay *overlay)
{
    eb_browser_close(&overlay->browser);
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
    overlay->place.turn = NAN;
    (void)snprintf(overlay->title, sizeof overlay->title, "%.40s", report->command);
}

bool eb_overlay_lists(eb_overlay *overlay, eb_desk *desk, const char *panel)
{
    eb_browser browser;
    if (!eb_browser_open(&browser, desk, panel, panel ? NULL : overlay->report))
        return false;
    if (panel)
        eb_overlay_close(overlay);
    overlay->kind = EB_OVERLAY_LISTS;
    overlay->browser = browser;
    (void)snprintf(overlay->title, sizeof overlay->title, "Lists of %.40s", panel ? panel : overlay->report->command);
    return true;
}

void eb_overlay_text(eb_overlay *overlay, const char *title, char *text)
{
    eb_overlay_close(overlay);
    overlay->kind = EB_OVERLAY_TEXT;
    overlay->text = text;
    (void)snprintf(overlay->title, sizeof overlay->title, "%.40s", title);
}

/* ---- drawing ---- */

static int widest_name(const char *text)
{
    size_t widest = 0;
    for (const char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        size_t own = eb_utf8_columns(at, strcspn(at, "\t\n"));
        widest = own > widest ? own : widest;
    }
    return (int)widest;
}

/* Draws lines "NAME\tTEXT", the texts in a column beside the names. */
static void put_pairs(eb_page *page, const char *text)
{
    int column = widest_name(text) + 2, most = page->area.width / 2;
    char *copy = strdup(text), *rest = copy;
    for (char *line; copy && (line = strsep(&rest, "\n")) != NULL;) {
        const char *name = strsep(&line, "\t");
        eb_page_pair(page, EB_ROLE_KEY, 0, name, column < most ? column : most, line ? line : "");
    }
    free(copy);
}

static int draw_text(eb_canvas *canvas, eb_rect area, int top, const char *text)
{
    eb_page page = {canvas, !canvas->unicode, area, top, 0};
    if (strchr(text, '\t'))
        put_pairs(&page, text);
    else
        eb_page_text(&page, EB_ROLE_TEXT, 0, text);
    return page.line;
}

static int clamp(int value, int most) { return value > most ? most > 0 ? most : 0 : value < 0 ? 0 : value; }

/* The area inside the frame and a blank column at each side. */
static eb_rect inside_of(eb_rect area)
{
    eb_rect inside = eb_rect_inside(area);
    return (eb_rect){inside.x + 1, inside.y, inside.width - 2, inside.height};
}

static const char *turns_hint(const eb_overlay *overlay)
{
    return !eb_overlay_has_turns(overlay) ? ""
           : overlay->plays               ? ", Space pauses"
           : isnan(overlay->place.turn)   ? ", Space plays"
                                          : ", Space goes on, . , step";
}

void eb_overlay_draw(eb_overlay *overlay, eb_canvas *canvas, eb_rect area, const eb_panel *panel)
{
    if (overlay->kind == EB_OVERLAY_NONE || eb_rect_empty(area))
        return;
    if (overlay->kind == EB_OVERLAY_TEXT) { /* only as many rows as the text needs, above the command line */
        int lines = draw_text(canvas, (eb_rect){area.x, area.y, area.width - 4, 0}, 0, overlay->text) + 2;
        area.y += lines < area.height ? area.height - lines : 0;
        area.height = lines < area.height ? lines : area.height;
    }
    eb_fill(canvas, area, EB_ROLE_TEXT);
    eb_frame(canvas, area, EB_ROLE_FOCUS, overlay->title);
    eb_rect inside = inside_of(area), bottom = {area.x + 2, area.y + area.height - 1, area.width - 4, 1};
    if (eb_rect_empty(inside))
        return;
    if (overlay->kind == EB_OVERLAY_LISTS) {
        eb_browser_draw(&overlay->browser, canvas, inside, (eb_rect){area.x + 1, bottom.y, area.width - 2, 1});
        return;
    }
    overlay->top = clamp(overlay->top, overlay->lines > 0 ? overlay->lines - inside.height : overlay->top);
    switch (overlay->kind) {
    case EB_OVERLAY_HELP: overlay->lines = eb_help_draw(canvas, inside, &overlay->help, panel); break;
    case EB_OVERLAY_REPORT:
        overlay->place.top = overlay->top;
        overlay->lines =
            eb_draw_wide_report(canvas, inside, overlay->report, EB_PARTS_TEXT | EB_PARTS_PLOTS, &overlay->place);
        overlay->top = overlay->place.top;
        break;
    case EB_OVERLAY_TEXT: overlay->lines = draw_text(canvas, inside, overlay->top, overlay->text); break;
    case EB_OVERLAY_LISTS:
    case EB_OVERLAY_NONE: break;
    }
    bool wide = overlay->report && eb_report_columns(overlay->report, !canvas->unicode) >= inside.width;
    char hint[120];
    (void)snprintf(hint, sizeof hint, "Esc closes%s%s%s%s",
                   overlay->lines > inside.height ? ", PageDown shows more" : "", wide ? ", ←/→ long lines" : "",
                   eb_has_lists(overlay->report) && !eb_overlay_has_turns(overlay) ? ", T sorts and filters" : "",
                   turns_hint(overlay));
    (void)eb_put_right(canvas, bottom, bottom.x + bottom.width, bottom.y, EB_ROLE_HINT, hint);
}

/* ---- turns ---- */

static double last_turn(const eb_overlay *overlay)
{
    const eb_series *series = overlay->report ? eb_report_find_turns(overlay->report) : NULL;
    return series ? eb_last_turn(series) : 0;
}

bool eb_overlay_has_turns(const eb_overlay *overlay) { return last_turn(overlay) > 0; }

/* Scrolls so that the played part is visible; if it is too high, its lower end, where the order of tiles begins. */
static void show_turns(eb_overlay *overlay, int rows)
{
    const eb_report_place *place = &overlay->place;
    if (place->turns_from < overlay->top || place->turns_end > overlay->top + rows)
        overlay->top = place->turns_end - place->turns_from <= rows ? place->turns_from : place->turns_end - rows;
}

void eb_overlay_tick(eb_overlay *overlay)
{
    if (!overlay->plays)
        return;
    overlay->place.turn++;
    if (overlay->place.turn > last_turn(overlay)) {
        overlay->place.turn = NAN;
        overlay->plays = false;
    }
}

static void step(eb_overlay *overlay, double turns)
{
    const double last = last_turn(overlay),
                 from = isnan(overlay->place.turn) ? turns > 0 ? 0 : last : overlay->place.turn;
    overlay->plays = false;
    overlay->place.turn = fmin(fmax(from + turns, 1), last);
}

static void pace(eb_overlay *overlay, eb_key key, int rows)
{
    if (eb_key_is(key, ' ')) {
        overlay->plays = !overlay->plays;
        overlay->place.turn = isnan(overlay->place.turn) ? 0 : overlay->place.turn;
    } else {
        step(overlay, eb_key_is(key, '.') ? 1 : -1);
    }
    show_turns(overlay, rows);
}

size_t eb_overlay_frames(const eb_overlay *overlay, eb_rect area)
{
    const int rows = inside_of(area).height, top = overlay->top;
    const bool seen = overlay->place.turns_end > top && overlay->place.turns_from < top + rows;
    return overlay->kind == EB_OVERLAY_REPORT && seen ? (size_t)last_turn(overlay) : 0;
}

/* ---- keys ---- */

/* True if the lists used the key. A row's command closes them. */
static bool browses(eb_overlay *overlay, eb_key key, eb_rect inside)
{
    const eb_browsed browsed = eb_browser_key(&overlay->browser, key, inside);
    if (browsed == EB_BROWSE_LEAVE)
        eb_overlay_close(overlay);
    return browsed != EB_BROWSE_UNUSED;
}

bool eb_overlay_types(const eb_overlay *overlay)
{
    return overlay->kind == EB_OVERLAY_LISTS && overlay->browser.list.typing;
}

bool eb_overlay_key(eb_overlay *overlay, eb_key key, eb_rect area)
{
    int rows = area.height > 4 ? area.height - 3 : 1;
    if (overlay->kind == EB_OVERLAY_NONE)
        return false;
    if (overlay->kind == EB_OVERLAY_LISTS && browses(overlay, key, inside_of(area)))
        return true;
    if (eb_key_closes(key) || eb_key_is(key, EB_ENTER)) {
        eb_overlay_close(overlay);
        return true;
    }
    if (eb_overlay_has_turns(overlay) && eb_overlay_is_pace(key)) {
        pace(overlay, key, inside_of(area).height);
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
    case EB_KEY_LEFT: overlay->place.left = overlay->place.left > SIDEWAYS ? overlay->place.left - SIDEWAYS : 0; break;
    case EB_KEY_RIGHT: overlay->place.left += SIDEWAYS; break; /* drawing limits it to the widest line */
    default: return false;
    }
    overlay->top = clamp(overlay->top, overlay->lines - (area.height - 2));
    return true;
}
