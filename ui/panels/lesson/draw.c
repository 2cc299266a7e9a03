#include "ui/panels/lesson/draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/format.h"
#include "draw/utf8.h"
#include "ui/widgets/page.h"
#include "ui/widgets/report_view.h"
#include "ui/widgets/scroll.h"

enum { LETTER = 5, NAME = 18, PAIR = 14, STATE_TEXT = 64 };

static const char *text_of(const eb_record *record, const eb_column *key)
{
    return eb_value_text(eb_record_find(record, key));
}

/* True if people are told the field (core/report/report.h). */
static bool is_told(const eb_record *record, const eb_column *key)
{
    for (size_t k = 0; record && k < record->fields; k++)
        if (strcmp(record->field[k].key, key->key) == 0)
            return record->field[k].title != NULL;
    return false;
}

unsigned eb_lesson_number(const eb_table *table, size_t row, const eb_column *key)
{
    const eb_value value = eb_table_value(table, row, key);
    return value.kind == EB_UNSIGNED ? (unsigned)value.as.u64 : 0;
}

/* ---- the steps ---- */

/* Draws the steps of a lesson; brackets mark the one shown, because colour is never the only signal. */
static void draw_way(eb_canvas *canvas, eb_rect row, const eb_lesson_scene *s, const eb_lesson_look *look)
{
    static const char *const parts[] = {"predict", "run", "evidence", "explanation"};
    const size_t seen = s->running                          ? 1
                        : look->view == EB_LESSON_EVIDENCE  ? 2
                        : look->view == EB_LESSON_EXPLAINED ? 3
                                                            : 0;
    int x = row.x;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        if (k > 0)
            x += eb_put(canvas, row, x, row.y, EB_ROLE_DIM, canvas->unicode ? "→ " : "> ");
        x += eb_putf(canvas, row, x, row.y, k == seen ? EB_ROLE_FOCUS : EB_ROLE_DIM, k == seen ? "[%s] " : "%s ",
                     parts[k]);
    }
}

/* ---- the question ---- */

static void put_choice(eb_page *page, const eb_field *choice, bool chosen)
{
    char letter[16];
    const int line = page->line;
    (void)snprintf(letter, sizeof letter, "%s%s", !chosen ? "  " : page->ascii ? "> " : "▸ ", choice->key);
    eb_page_pair(page, EB_ROLE_KEY, 0, letter, LETTER, choice->value.as.text);
    for (int k = line; chosen && page->canvas && k < page->line; k++)
        if (eb_page_row(page, k) >= 0)
            eb_recolour(page->canvas, (eb_rect){page->area.x, eb_page_row(page, k), page->area.width, 1},
                        EB_ROLE_SELECTED);
}

static void put_paragraph(eb_page *page, eb_role role, const char *text)
{
    if (!text[0])
        return;
    eb_page_text(page, role, 0, text);
    page->line++;
}

/* Puts what is wrong with the first try. */
static void put_again(eb_page *page, const eb_record *again)
{
    char line[300];
    if (!again)
        return;
    (void)snprintf(line, sizeof line, "Not so: %.200s", text_of(again, EB_F(own_answer)));
    eb_page_text(page, EB_ROLE_BAD, 0, line);
    if (text_of(again, EB_F(why))[0])
        eb_page_text(page, EB_ROLE_TEXT, 0, text_of(again, EB_F(why)));
    page->line++;
}

/* Puts how to answer: on the command line, or with the panel's keys. */
static void put_how(eb_page *page, const eb_lesson_scene *s, const eb_lesson_look *look)
{
    const bool keys = look->focused || look->number[0],
               has_hint = strstr(text_of(s->question, EB_F(how)), "`hint`") != NULL;
    char line[EB_NUMBER_TYPED + 100];
    if (s->choices == 0 && keys) {
        (void)snprintf(line, sizeof line, "your number: %s_", look->number);
        eb_page_text(page, EB_ROLE_KEY, 0, line);
    }
    if (s->choices > 0 && s->hint && !s->again)
        return; /* the choices speak for themselves, and the hint has been found */
    (void)snprintf(line, sizeof line, "%s%s%s%s%s", s->again ? "A second try: type " : "Type ",
                   s->choices > 0 ? "the letter" : "the number", keys && s->choices > 0 ? "" : ", then Enter",
                   !has_hint ? ""
                   : keys    ? "; `h` helps"
                             : "; `hint` helps",
                   !s->again ? ""
                   : keys    ? "; `A` tells"
                             : "; `answer` tells");
    eb_page_text(page, EB_ROLE_DIM, 0, line);
}

/* Puts the question; returns the line of the cursor. */
static int put_question(eb_page *page, const eb_lesson_scene *s, const eb_lesson_look *look)
{
    put_paragraph(page, EB_ROLE_DIM, s->title);
    put_again(page, s->again);
    if (look->repeats || is_told(s->question, EB_F(given)))
        put_paragraph(page, EB_ROLE_TEXT, text_of(s->question, EB_F(given)));
    put_paragraph(page, EB_ROLE_TITLE, text_of(s->question, EB_F(question)));
    int at = page->line;
    for (size_t k = 0; k < s->choices; k++) {
        at = k == look->cursor ? page->line : at;
        put_choice(page, s->choice[k], k == look->cursor);
    }
    put_how(page, s, look);
    if (s->hint) {
        page->line++;
        eb_page_text(page, EB_ROLE_WARNING, 0, s->hint);
    }
    return at;
}

/* ---- the answer ---- */

/* Puts the model's figure and the measured one, a line each. */
static void put_figures(eb_page *page, const eb_table *figures)
{
    char number[64], line[300];
    for (size_t r = 0; figures && r < figures->rows; r++) {
        const eb_value value = eb_table_value(figures, r, EB_F(value));
        (void)snprintf(line, sizeof line, "%.60s, by %.200s",
                       value.kind == EB_TEXT ? value.as.text : eb_format_value(number, sizeof number, value, EB_PLAIN),
                       eb_text_at(figures, r, EB_F(by)));
        eb_page_pair(page, EB_ROLE_DIM, 0, eb_text_at(figures, r, EB_F(what)), PAIR, line);
    }
    page->line += figures != NULL;
}

static void put_answer(eb_page *page, const eb_lesson_scene *s)
{
    put_paragraph(page, s->told ? EB_ROLE_TITLE : s->right ? EB_ROLE_GOOD : EB_ROLE_BAD, s->verdict);
    put_figures(page, s->figures);
    for (size_t k = 0; k < s->answered->fields; k++) {
        const eb_field *field = &s->answered->field[k];
        if (!field->title || field->value.kind != EB_TEXT)
            continue;
        eb_page_pair(page, EB_ROLE_DIM, 0, field->title, PAIR, field->value.as.text);
        page->line++;
    }
}

/* ---- wrong predictions ---- */

static void put_wrong(eb_page *page, const eb_lesson_scene *s)
{
    enum { INDENT = 2 };
    char line[200];
    for (size_t k = 0; k < s->part[EB_LESSON_REPORT].notes; k++)
        put_paragraph(page, EB_ROLE_TEXT, s->part[EB_LESSON_REPORT].note[k]);
    put_paragraph(page, EB_ROLE_TITLE, s->wrong->rows > 0 ? "Predicted wrongly" : "Nothing was predicted wrongly");
    for (size_t row = 0; row < s->wrong->rows; row++) {
        const eb_value step = eb_table_value(s->wrong, row, EB_F(step));
        (void)snprintf(line, sizeof line, "%.60s, step %lld", eb_text_at(s->wrong, row, EB_F(lesson)),
                       step.kind == EB_INTEGER ? (long long)step.as.integer : (long long)eb_value_number(step));
        eb_page_text(page, EB_ROLE_KEY, 0, line);
        eb_page_text(page, EB_ROLE_TEXT, INDENT, eb_text_at(s->wrong, row, EB_F(question)));
        (void)snprintf(line, sizeof line, "you said %.60s; it is %.60s", eb_text_at(s->wrong, row, EB_F(answer)),
                       eb_text_at(s->wrong, row, EB_F(expected)));
        eb_page_text(page, EB_ROLE_BAD, INDENT, line);
        page->line++;
    }
}

/* ---- the lessons ---- */

/* The person's progress: "2 of 3, 1 wrong", "done, 2 by a second try", "done, right at once". */
static void state_of(const eb_table *list, size_t row, char text[STATE_TEXT])
{
    const unsigned steps = eb_lesson_number(list, row, EB_F(steps)),
                   answered = eb_lesson_number(list, row, EB_F(answered)),
                   right = eb_lesson_number(list, row, EB_F(right)), first = eb_lesson_number(list, row, EB_F(first));
    char far[STATE_TEXT / 2] = "done";
    text[0] = '\0';
    if (answered == 0)
        return;
    if (answered < steps)
        (void)snprintf(far, sizeof far, "%u of %u", answered, steps);
    if (right < answered)
        (void)snprintf(text, STATE_TEXT, "%s, %u wrong", far, answered - right);
    else if (first < answered)
        (void)snprintf(text, STATE_TEXT, "%s, %u by a second try", far, answered - first);
    else
        (void)snprintf(text, STATE_TEXT, "%s, right at once", far);
}

static int widest_state(const eb_table *list)
{
    char state[STATE_TEXT];
    int widest = 0;
    for (size_t row = 0; row < list->rows; row++) {
        state_of(list, row, state);
        widest = eb_text_width(state) > widest ? eb_text_width(state) : widest;
    }
    return widest;
}

static eb_role role_of(const eb_table *list, size_t row)
{
    const unsigned answered = eb_lesson_number(list, row, EB_F(answered));
    if (answered == 0)
        return EB_ROLE_DIM;
    return eb_lesson_number(list, row, EB_F(right)) < answered ? EB_ROLE_BAD : EB_ROLE_GOOD;
}

static bool begins_part(const eb_table *list, size_t row)
{
    const char *part = eb_text_at(list, row, EB_F(part));
    return part[0] && (row == 0 || strcmp(part, eb_text_at(list, row - 1, EB_F(part))) != 0);
}

int eb_lesson_line_of(const eb_table *list, size_t row)
{
    int line = (int)row;
    for (size_t r = 0; r <= row && r < list->rows; r++)
        line += begins_part(list, r);
    return line;
}

size_t eb_lesson_row_of(const eb_table *list, int line)
{
    for (size_t r = 0; r < list->rows; r++)
        if (eb_lesson_line_of(list, r) == line)
            return r;
    return SIZE_MAX;
}

/* "Part 2: one distance, 28 min" */
static void say_part(const eb_table *list, size_t row, char *text, size_t size)
{
    const char *part = eb_text_at(list, row, EB_F(part));
    unsigned number = 0, minutes = 0;
    for (size_t r = 0; r <= row; r++)
        number += begins_part(list, r);
    for (size_t r = row; r < list->rows && strcmp(part, eb_text_at(list, r, EB_F(part))) == 0; r++)
        minutes += eb_lesson_number(list, r, EB_F(minutes));
    const int used = snprintf(text, size, "Part %u: %.100s", number, part);
    if (minutes > 0 && used > 0 && (size_t)used < size)
        (void)snprintf(text + used, size - (size_t)used, ", %u min", minutes);
}

static void draw_part(eb_canvas *canvas, eb_rect row, const eb_table *list, size_t at)
{
    char text[160];
    say_part(list, at, text, sizeof text);
    (void)eb_put_short(canvas, row, row.x, row.y, EB_ROLE_HEADER, text);
}

static void draw_lesson(eb_canvas *canvas, eb_rect row, const eb_table *list, size_t at, bool chosen, int of_state)
{
    char state[STATE_TEXT];
    eb_rect middle = {row.x + NAME, row.y, row.width - NAME - of_state - 2, 1};
    state_of(list, at, state);
    (void)eb_put(canvas, row, row.x, row.y, EB_ROLE_KEY, !chosen ? " " : canvas->unicode ? "▸" : ">");
    (void)eb_put_short(canvas, eb_rect_cut((eb_rect){row.x, row.y, NAME - 1, 1}, row), row.x + 2, row.y, EB_ROLE_KEY,
                       eb_text_at(list, at, EB_F(lesson)));
    if (!eb_rect_empty(middle))
        (void)eb_put_short(canvas, middle, middle.x, row.y, EB_ROLE_TEXT, eb_text_at(list, at, EB_F(title)));
    (void)eb_put_right(canvas, row, row.x + row.width, row.y, role_of(list, at), state);
    if (chosen)
        eb_recolour(canvas, row, EB_ROLE_SELECTED);
}

/* "level first, 8 min, builds on fragment tiling" */
static void say_facts(const eb_table *list, size_t row, char *text, size_t size)
{
    const char *level = eb_text_at(list, row, EB_F(lesson_level)), *after = eb_text_at(list, row, EB_F(builds_on));
    const unsigned minutes = eb_lesson_number(list, row, EB_F(minutes));
    char time[32] = "";
    if (minutes > 0)
        (void)snprintf(time, sizeof time, "%s%u min", level[0] ? ", " : "", minutes);
    (void)snprintf(text, size, "%s%s%s%s%.100s", level[0] ? "level " : "", level, time,
                   after[0] ? level[0] || time[0] ? ", builds on " : "builds on " : "", after);
}

/* Draws below the list what the chosen lesson teaches. Returns the rows used. */
static int draw_about(eb_canvas *canvas, eb_rect area, const eb_lesson_scene *s, size_t at)
{
    enum { HIGH = 9, ROWS = 2 };
    char facts[200];
    if (area.height < HIGH || at >= s->list->rows)
        return 0;
    say_facts(s->list, at, facts, sizeof facts);
    const int rows = ROWS + (facts[0] != '\0');
    eb_rect below = {area.x, area.y + area.height - rows, area.width, rows};
    (void)eb_put_short(canvas, below, below.x, below.y, EB_ROLE_DIM, facts);
    (void)eb_put_wrapped(canvas, (eb_rect){below.x, below.y + rows - ROWS, below.width, ROWS}, EB_ROLE_HINT,
                         eb_text_at(s->list, at, EB_F(about)));
    return rows + 1;
}

static void draw_lines(eb_canvas *canvas, eb_rect body, const eb_table *list, const eb_lesson_look *look)
{
    const int of_state = widest_state(list);
    for (size_t row = 0; row < list->rows; row++) {
        const int y = body.y + eb_lesson_line_of(list, row) - look->top;
        const eb_rect own = {body.x, y, body.width - 1, 1};
        if (begins_part(list, row) && y - 1 >= body.y && y - 1 < body.y + body.height)
            draw_part(canvas, (eb_rect){own.x, y - 1, own.width, 1}, list, row);
        if (y >= body.y && y < body.y + body.height)
            draw_lesson(canvas, own, list, row, row == look->cursor, of_state);
    }
}

static void draw_list(eb_canvas *canvas, eb_rect area, const eb_lesson_scene *s, eb_lesson_look *look, bool moved)
{
    const int at = eb_lesson_line_of(s->list, look->cursor),
              lines = s->list->rows > 0 ? eb_lesson_line_of(s->list, s->list->rows - 1) + 1 : 0;
    area.height -= draw_about(canvas, area, s, look->cursor);
    eb_rect body = {area.x, area.y + 2, area.width, area.height - 2};
    (void)eb_put_short(canvas, (eb_rect){area.x, area.y, area.width, 1}, area.x, area.y, EB_ROLE_TITLE,
                       s->question ? "Lessons; Backspace: back to the one that goes on"
                                   : "Lessons: predict, then see. Enter begins one, n the next question");
    if (eb_rect_empty(body))
        return;
    if (moved && at - 1 < look->top)
        look->top = at > 0 ? at - 1 : 0; /* with its heading */
    if (moved && at >= look->top + body.height)
        look->top = at - body.height + 1;
    eb_scroll_fit(canvas, body, lines, &look->top);
    draw_lines(canvas, body, s->list, look);
}

/* ---- the page ---- */

static int put_page(eb_page *page, const eb_lesson_scene *s, const eb_lesson_look *look)
{
    if (look->view == EB_LESSON_QUESTION)
        return put_question(page, s, look);
    if (look->view == EB_LESSON_EXPLAINED)
        put_answer(page, s);
    else
        put_wrong(page, s);
    return 0;
}

/* Draws what is shown with the question below its text, which takes `above` lines of the page. Returns its lines. */
static int draw_given(eb_canvas *canvas, eb_rect area, const eb_report *given, int above, const eb_lesson_look *look)
{
    const int hidden = look->top > above ? look->top - above : 0, y = above - look->top > 0 ? above - look->top : 0;
    eb_report_place place = {.top = hidden, .left = look->left, .turn = NAN};
    return eb_draw_wide_report(canvas, (eb_rect){area.x, area.y + y, area.width, area.height - y}, given,
                               EB_PARTS_TEXT | EB_PARTS_PLOTS, &place);
}

/* Measures the text, scrolls the cursor into view, and draws. */
static void draw_page(eb_canvas *canvas, eb_rect area, const eb_lesson_scene *s, eb_lesson_look *look, bool moved)
{
    eb_page page = {.ascii = !canvas->unicode, .area = area};
    page.area.width -= 1;
    look->repeats = true;
    int at = put_page(&page, s, look);
    if (s->again && page.line > area.height) {
        look->repeats = false;
        page = (eb_page){.ascii = page.ascii, .area = page.area};
        at = put_page(&page, s, look);
    }
    const eb_report *given = &s->part[look->view];
    const bool shows = look->view == EB_LESSON_QUESTION && given->items > 0;
    const int text = page.line, of_given = shows ? draw_given(canvas, area, given, 0, &(eb_lesson_look){0}) : 0;
    if (moved && at >= look->top + area.height)
        look->top = at - area.height + 1;
    eb_fill(canvas, area, EB_ROLE_TEXT); /* drawn to be measured */
    eb_scroll_fit(canvas, area, text + (shows ? 1 + of_given : 0), &look->top);
    page = (eb_page){.canvas = canvas, .ascii = page.ascii, .area = page.area, .top = look->top};
    (void)put_page(&page, s, look);
    if (shows && text + 1 - look->top < area.height)
        (void)draw_given(canvas, area, given, text + 1, look);
}

static void draw_report(eb_canvas *canvas, eb_rect area, const eb_report *report, eb_lesson_look *look)
{
    eb_report_place place = {.top = look->top, .left = look->left, .turn = NAN};
    (void)eb_draw_wide_report(canvas, area, report, EB_PARTS_TEXT | EB_PARTS_PLOTS, &place);
    look->top = place.top;
    look->left = place.left;
}

/* The effect of Enter. */
static const char *next_of(const eb_lesson_scene *s, const eb_lesson_look *look)
{
    switch (look->view) {
    case EB_LESSON_EVIDENCE: return "Enter: what it means";
    case EB_LESSON_EXPLAINED: return s->question ? "Enter: the next question" : "Enter: how it went";
    case EB_LESSON_REPORT: return "Enter: the lessons";
    default: return "";
    }
}

void eb_lesson_draw(eb_canvas *canvas, eb_rect area, const eb_lesson_scene *s, eb_lesson_look *look, bool moved)
{
    enum { WAY = 2, HIGH = 6 };
    const bool on_way = look->view != EB_LESSON_LIST && look->view != EB_LESSON_REPORT;
    if (on_way && area.height >= HIGH) {
        draw_way(canvas, (eb_rect){area.x, area.y, area.width, 1}, s, look);
        area.y += WAY;
        area.height -= WAY;
    }
    if (next_of(s, look)[0] && area.height >= HIGH) {
        area.height -= 2;
        (void)eb_put_short(canvas, (eb_rect){area.x, area.y + area.height + 1, area.width, 1}, area.x,
                           area.y + area.height + 1, EB_ROLE_HINT, next_of(s, look));
    }
    if (eb_rect_empty(area))
        return;
    if (look->view == EB_LESSON_LIST)
        draw_list(canvas, area, s, look, moved);
    else if (look->view == EB_LESSON_EVIDENCE || (look->view == EB_LESSON_REPORT && !s->wrong))
        draw_report(canvas, area, &s->part[look->view], look);
    else
        draw_page(canvas, area, s, look, moved);
}
