#include "ui/widgets/slide_show.h"

#include <limits.h>
#include <string.h>

#include "ui/widgets/hints.h"

enum { MARGIN = 12 }; /* the margin is width / MARGIN, as in draw/slides.c */

bool eb_slide_show_open(eb_slide_show *show, eb_report *report, bool coarse)
{
    if (eb_slides_count(report) == 0)
        return false;
    eb_slide_show_close(show);
    *show = (eb_slide_show){.report = report, .view = {.coarse = coarse}};
    return true;
}

void eb_slide_show_close(eb_slide_show *show)
{
    eb_report_free(show->report);
    *show = (eb_slide_show){0};
}

static bool asks(const eb_slide_show *show)
{
    return strcmp(eb_slide_kind(show->report, show->view.slide), "question") == 0;
}

static void draw_keys(const eb_slide_show *show, eb_canvas *canvas, eb_rect row)
{
    eb_hint keys[7] = {{"Space", "on"}, {"←", "back"}};
    size_t count = 2;
    if (asks(show))
        keys[count++] = (eb_hint){"a", show->view.answer ? "hide the answer" : "the answer"};
    if (eb_slide_has_hint(show->report, show->view.slide))
        keys[count++] = (eb_hint){"h", "a hint"};
    keys[count++] = (eb_hint){":", "a command"};
    keys[count++] = (eb_hint){"q", "leave"};
    eb_put_hints(canvas, row, keys, count, NULL);
}

eb_rect eb_slide_show_line(const eb_canvas *canvas)
{
    const int margin = canvas->width / MARGIN;
    return (eb_rect){margin, canvas->height - 1, canvas->width - 2 * margin, 1};
}

void eb_slide_show_draw(eb_slide_show *show, eb_canvas *canvas)
{
    show->columns = canvas->width;
    show->rows = canvas->height;
    show->unicode = canvas->unicode;
    eb_draw_slide(canvas, (eb_rect){0, 0, canvas->width, canvas->height - 1}, show->report, &show->view);
    if (!show->types)
        draw_keys(show, canvas, eb_slide_show_line(canvas));
}

static void go_to(eb_slide_show *show, size_t slide, int page)
{
    show->view.slide = slide;
    show->view.page = page;
    show->view.answer = show->view.hint = false;
}

static void go_on(eb_slide_show *show)
{
    if (show->view.page + 1 < eb_slide_pages(show->report, &show->view, show->unicode, show->columns, show->rows))
        show->view.page++;
    else if (show->view.slide + 1 < eb_slides_count(show->report))
        go_to(show, show->view.slide + 1, 0);
}

static void go_back(eb_slide_show *show)
{
    if (show->view.page > 0)
        show->view.page--;
    else if (show->view.slide > 0)
        go_to(show, show->view.slide - 1, INT_MAX); /* drawing limits it to the slide's last page */
}

static void character_key(eb_slide_show *show, eb_key key)
{
    if (eb_key_closes(key) || eb_key_is(key, 'C' & 31))
        eb_slide_show_close(show);
    else if (eb_key_is(key, ' ') || eb_key_is(key, EB_ENTER))
        go_on(show);
    else if (eb_key_is(key, ':'))
        show->types = true;
    else if (eb_key_is(key, 'a') && asks(show))
        show->view.answer = !show->view.answer;
    else if (eb_key_is(key, 'h') && asks(show))
        show->view.hint = !show->view.hint;
}

void eb_slide_show_key(eb_slide_show *show, eb_key key)
{
    switch (key.code) {
    case EB_KEY_RIGHT:
    case EB_KEY_DOWN:
    case EB_KEY_PAGE_DOWN:
    case EB_KEY_WHEEL_DOWN:
    case EB_KEY_CLICK: go_on(show); break;
    case EB_KEY_LEFT:
    case EB_KEY_UP:
    case EB_KEY_PAGE_UP:
    case EB_KEY_BACKSPACE:
    case EB_KEY_WHEEL_UP: go_back(show); break;
    case EB_KEY_HOME: go_to(show, 0, 0); break;
    case EB_KEY_END: go_to(show, eb_slides_count(show->report) - 1, 0); break;
    case EB_KEY_CHARACTER: character_key(show, key); break;
    default: break;
    }
}
