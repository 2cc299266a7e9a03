#include "draw/slides.h"

#include <stdio.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/slide_flow.h"
#include "draw/utf8.h"

enum {
    HEAD = 2,         /* rows above a page: the lesson with the slide's number, and an empty one */
    MARGIN = 12,      /* the margin on each side is 1/MARGIN of the width */
    MOST_TEXT = 116,  /* widest text that is easy to read, in columns */
    TITLED = 5,       /* rows of an item that stay on one page with its title */
    MOST_LARGE = 3,   /* most lines of a question in large letters */
    ROOMY = 100,      /* columns from which a question may be large */
    INDENT = 5,       /* columns before a choice's text */
    COMMAND = 2,      /* columns before a command, for its prompt */
    HIGH = 36,        /* rows from which an answer gets the largest letters */
    PLAIN_HEADING = 3 /* follows the sizes of eb_large: letters of normal size */
};

/* ---- which slide ---- */

typedef struct slide {
    const eb_record *record;
    size_t first, end; /* [first, end): items of the report that belong to the slide */
    size_t number, of; /* from 1 */
    const char *kind, *heading;
} slide;

static const char *text_of(const eb_record *record, const eb_column *key)
{
    return eb_value_text(eb_record_find(record, key));
}

static bool is_slide(const eb_item *item) { return item->kind == EB_RECORD && item->page; }

/* The number of slides in a complete report; an interrupted report contains fewer. */
static size_t slides_of(const eb_report *report)
{
    const eb_value slides = report ? eb_report_find_field(report, EB_F(slides)) : eb_na();
    return slides.kind == EB_UNSIGNED ? (size_t)slides.as.u64 : 0;
}

size_t eb_slides_count(const eb_report *report)
{
    size_t count = 0;
    for (size_t k = 0; slides_of(report) > 0 && k < report->items; k++)
        count += is_slide(report->item[k]);
    return count;
}

static bool find_slide(const eb_report *report, size_t index, slide *out)
{
    size_t at = 0, seen = 0;
    *out = (slide){.kind = "", .heading = ""};
    for (; report && at < report->items; at++)
        if (is_slide(report->item[at]) && seen++ == index)
            break;
    if (!report || at >= report->items)
        return false;
    *out = (slide){.record = &report->item[at]->as.record,
                   .first = at + 1,
                   .end = at + 1,
                   .number = index + 1,
                   .of = slides_of(report)};
    out->kind = text_of(out->record, EB_F(kind));
    out->heading = text_of(out->record, EB_F(heading));
    while (out->end < report->items && !is_slide(report->item[out->end]))
        out->end++;
    return true;
}

const char *eb_slide_kind(const eb_report *report, size_t index)
{
    slide s;
    return find_slide(report, index, &s) ? s.kind : "";
}

bool eb_slide_has_hint(const eb_report *report, size_t index)
{
    slide s;
    return find_slide(report, index, &s) && text_of(s.record, EB_F(hint))[0];
}

/* ---- the parts of a slide ---- */

typedef struct sizes {
    int heading; /* an eb_large, or PLAIN_HEADING */
    bool large;  /* question and answer are large */
} sizes;

/* Places text in large letters if it is short enough. */
static void put_large_or_plain(eb_flow *flow, eb_role role, bool large, const char *text)
{
    if (large && eb_flow_large_lines(flow, EB_LARGE_NARROW, text) <= MOST_LARGE)
        eb_flow_large(flow, role, EB_LARGE_NARROW, text);
    else
        eb_flow_text(flow, role, 0, NULL, role, text);
}

static void put_paragraph(eb_flow *flow, eb_role role, const char *text)
{
    if (!text[0])
        return;
    eb_flow_text(flow, role, 0, NULL, role, text);
    eb_flow_gap(flow);
}

static void put_choices(eb_flow *flow, const eb_record *record, const char *right)
{
    for (size_t k = 0; k < record->fields; k++) {
        const eb_field *field = &record->field[k];
        if (strlen(field->key) != 1 || field->value.kind != EB_TEXT)
            continue;
        const bool told = strcmp(field->key, right) == 0;
        char letter[16];
        (void)snprintf(letter, sizeof letter, "%s%.1s", !told ? "  " : flow->unicode ? "▸ " : "> ", field->key);
        eb_flow_text(flow, told ? EB_ROLE_GOOD : EB_ROLE_TEXT, INDENT, letter, told ? EB_ROLE_GOOD : EB_ROLE_KEY,
                     field->value.as.text);
    }
}

static bool has_choices(const eb_record *record)
{
    for (size_t k = 0; k < record->fields; k++)
        if (strlen(record->field[k].key) == 1)
            return true;
    return false;
}

static void put_question(eb_flow *flow, const slide *s, const eb_slide_view *view, sizes size)
{
    const char *right = view->answer ? text_of(s->record, EB_F(right)) : "";
    put_paragraph(flow, EB_ROLE_TEXT, text_of(s->record, EB_F(given)));
    put_large_or_plain(flow, EB_ROLE_TITLE, size.large, text_of(s->record, EB_F(question)));
    eb_flow_gap(flow);
    put_choices(flow, s->record, right);
    if (right[0] && !has_choices(s->record))
        eb_flow_large(flow, EB_ROLE_GOOD, view->coarse ? EB_LARGE : EB_LARGE_NARROW, right);
    if (view->hint && text_of(s->record, EB_F(hint))[0]) {
        eb_flow_gap(flow);
        eb_flow_text(flow, EB_ROLE_WARNING, 0, NULL, EB_ROLE_WARNING, text_of(s->record, EB_F(hint)));
    }
}

static void put_run(eb_flow *flow, const slide *s)
{
    const char *run = text_of(s->record, EB_F(run));
    if (run[0])
        eb_flow_text(flow, EB_ROLE_TITLE, COMMAND, ">", EB_ROLE_PROMPT, run);
    if (text_of(s->record, EB_F(evidence))[0])
        eb_flow_text(flow, EB_ROLE_DIM, COMMAND, NULL, EB_ROLE_DIM, text_of(s->record, EB_F(evidence)));
    eb_flow_gap(flow);
}

static void put_item(eb_flow *flow, const eb_item *item)
{
    if (!item->title)
        return;
    eb_flow_keep(flow, TITLED);
    if (item->title[0])
        eb_flow_text(flow, EB_ROLE_HEADER, 0, NULL, EB_ROLE_HEADER, item->title);
    if (item->kind == EB_TABLE)
        eb_flow_table(flow, &item->as.table);
    else if (item->kind == EB_SERIES)
        eb_flow_series(flow, &item->as.series);
    for (size_t k = 0; item->kind == EB_RECORD && k < item->as.record.fields; k++)
        eb_flow_field(flow, &item->as.record.field[k]);
}

static void put_evidence(eb_flow *flow, const eb_report *report, const slide *s)
{
    put_run(flow, s);
    for (size_t k = s->first; k < s->end; k++) {
        eb_flow_gap(flow);
        put_item(flow, report->item[k]);
    }
}

/* Only the answer itself is large: a number, or a choice's letter before its text. */
static void put_answer(eb_flow *flow, const slide *s, sizes size)
{
    const char *right = text_of(s->record, EB_F(right)), *expected = text_of(s->record, EB_F(expected));
    if (size.large)
        eb_flow_large(flow, EB_ROLE_GOOD, flow->area.height >= HIGH ? EB_LARGE_WIDE : EB_LARGE, right);
    if (!size.large || strcmp(right, expected) != 0)
        put_paragraph(flow, EB_ROLE_GOOD, expected);
    eb_flow_gap(flow);
    if (text_of(s->record, EB_F(run))[0])
        put_run(flow, s);
    else
        put_paragraph(flow, EB_ROLE_DIM, text_of(s->record, EB_F(evidence)));
    put_paragraph(flow, EB_ROLE_TEXT, text_of(s->record, EB_F(compared)));
    put_paragraph(flow, EB_ROLE_WARNING, text_of(s->record, EB_F(figures_apart)));
    eb_flow_text(flow, EB_ROLE_TEXT, 0, NULL, EB_ROLE_TEXT, text_of(s->record, EB_F(why)));
}

static void put_slide(eb_flow *flow, const eb_report *report, const slide *s, const eb_slide_view *view, sizes size)
{
    if (strcmp(s->kind, "question") == 0)
        put_question(flow, s, view, size);
    else if (strcmp(s->kind, "evidence") == 0)
        put_evidence(flow, report, s);
    else
        put_answer(flow, s, size);
}

/* ---- sizes ---- */

/* The area of a page: below the head, without margins. */
static eb_rect page_of(eb_rect area)
{
    int margin = area.width / MARGIN, width = area.width - 2 * margin;
    width = width < MOST_TEXT ? width : MOST_TEXT;
    return (eb_rect){area.x + margin, area.y + HEAD, width > 0 ? width : 1,
                     area.height > HEAD ? area.height - HEAD : 0};
}

/* Places the heading and returns the rest of the page. */
static eb_rect put_heading(eb_canvas *canvas, bool unicode, eb_rect area, const slide *s, int heading)
{
    eb_flow flow = {.canvas = canvas, .unicode = unicode, .area = area};
    if (heading == PLAIN_HEADING)
        eb_flow_text(&flow, EB_ROLE_TITLE, 0, NULL, EB_ROLE_TITLE, s->heading);
    else
        eb_flow_large(&flow, EB_ROLE_TITLE, (eb_large)heading, s->heading);
    flow.y += 1;
    const int rows = flow.at > 0 || flow.y > area.height ? area.height : flow.y;
    return (eb_rect){area.x, area.y + rows, area.width, area.height - rows};
}

static bool heading_fits(int heading, bool unicode, eb_rect area, const slide *s)
{
    return heading == PLAIN_HEADING || (eb_large_columns((eb_large)heading, unicode, s->heading) <= area.width &&
                                        3 * eb_large_rows((eb_large)heading, unicode) <= area.height);
}

/* Draws a page of the slide and returns the number of pages. canvas NULL: only counts them. */
static int put_at(eb_canvas *canvas, bool unicode, eb_rect page, const eb_report *report, const slide *s,
                  const eb_slide_view *view, sizes size)
{
    eb_flow flow = {.canvas = canvas,
                    .unicode = unicode,
                    .area = put_heading(canvas, unicode, page, s, size.heading),
                    .page = view->page};
    if (flow.area.height < 1)
        return 1;
    put_slide(&flow, report, s, view, size);
    return eb_flow_pages(&flow);
}

/* The largest letters with which the whole slide fits on one page. Answer and hint of a question are included, so that
 * nothing moves when they appear. */
static sizes choose(bool unicode, eb_rect page, const eb_report *report, const slide *s, const eb_slide_view *view)
{
    const bool coarse = view->coarse || !unicode, roomy = page.width >= ROOMY && !coarse;
    eb_slide_view all = *view;
    all.answer = all.hint = strcmp(s->kind, "question") == 0;
    for (int large = strcmp(s->kind, "answer") == 0 || roomy; large >= 0; large--)
        for (int heading = EB_LARGE_WIDE; heading <= PLAIN_HEADING; heading++) {
            const sizes size = {heading, large};
            if (!(coarse && heading == EB_LARGE_NARROW) && heading_fits(heading, unicode, page, s) &&
                put_at(NULL, unicode, page, report, s, &all, size) == 1)
                return size;
        }
    return (sizes){PLAIN_HEADING, false};
}

int eb_slide_pages(const eb_report *report, const eb_slide_view *view, bool unicode, int columns, int rows)
{
    slide s;
    const eb_rect page = page_of((eb_rect){0, 0, columns, rows - 1}); /* the caller draws the row of keys */
    if (!find_slide(report, view->slide, &s))
        return 1;
    return put_at(NULL, unicode, page, report, &s, view, choose(unicode, page, report, &s, view));
}

/* ---- drawing ---- */

static const char *word_of(const slide *s)
{
    const eb_value step = eb_record_find(s->record, EB_F(step)), steps = eb_record_find(s->record, EB_F(steps));
    const bool last = step.kind == EB_UNSIGNED && steps.kind == EB_UNSIGNED && step.as.u64 == steps.as.u64;
    if (strcmp(s->kind, "question") == 0)
        return last ? "flip" : "predict";
    return strcmp(s->kind, "evidence") == 0 ? "see" : "understand";
}

static void put_head(eb_canvas *canvas, eb_rect area, const eb_report *report, const slide *s, int page, int pages)
{
    char number[120], part[40] = "";
    const eb_rect all = page_of(area);
    eb_rect row = eb_rect_cut((eb_rect){all.x, area.y, all.width, 1}, area);
    if (pages > 1)
        (void)snprintf(part, sizeof part, " (%d/%d)", page + 1, pages);
    (void)snprintf(number, sizeof number, "%s  %zu of %zu%s", word_of(s), s->number, s->of, part);
    (void)eb_put_right(canvas, row, row.x + row.width, row.y, EB_ROLE_KEY, number);
    row.width -= eb_text_width(number) + 2;
    (void)eb_put_short(canvas, row, row.x, row.y, EB_ROLE_DIM, eb_text_of(report, EB_F(lesson)));
}

void eb_draw_slide(eb_canvas *canvas, eb_rect area, const eb_report *report, eb_slide_view *view)
{
    slide s;
    const size_t count = eb_slides_count(report);
    view->slide = view->slide < count ? view->slide : count > 0 ? count - 1 : 0;
    if (!find_slide(report, view->slide, &s))
        return;
    const eb_rect page = page_of(area);
    const sizes size = choose(canvas->unicode, page, report, &s, view);
    const int pages = put_at(NULL, canvas->unicode, page, report, &s, view, size);
    view->page = view->page < 0 ? 0 : view->page < pages ? view->page : pages - 1;
    put_head(canvas, area, report, &s, view->page, pages);
    (void)put_at(canvas, canvas->unicode, page, report, &s, view, size);
}
