/* The panel Lesson: the list of lessons with the person's progress, and the current lesson: predict, run, evidence,
 * explanation.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/find.h"
#include "shell/defaults.h"
#include "ui/panels/lesson/draw.h"
#include "ui/panels/panel.h"
#include "ui/widgets/scroll.h"

enum { SIDEWAYS = 8 };

typedef struct lesson_state {
    eb_lesson_look look;
    unsigned long stamp; /* of the report last seen */
    bool asked;          /* the list was asked for */
    bool moved;          /* the cursor has moved since it was drawn */
} lesson_state;

/* ---- views ---- */

/* Shows a view from its top. */
static void look_at(lesson_state *state, eb_lesson_view view)
{
    state->look.view = view;
    state->look.top = state->look.left = 0;
    state->look.cursor = 0;
    state->look.number[0] = '\0';
}

/* The first lesson of the course with an unanswered question; 0 if there is none. */
static size_t first_to_do(const eb_table *list)
{
    for (size_t row = 0; row < list->rows; row++)
        if (eb_lesson_number(list, row, EB_F(answered)) < eb_lesson_number(list, row, EB_F(steps)))
            return row;
    return 0;
}

static eb_lesson_scene follow(lesson_state *state, const eb_desk *desk)
{
    eb_lesson_scene s = eb_lesson_scene_of(desk);
    eb_lesson_view first = EB_LESSON_LIST;
    while (first < EB_LESSON_REPORT && !s.has[first])
        first++;
    if (s.stamp != state->stamp) {
        look_at(state, first);
        state->look.cursor = first == EB_LESSON_LIST && s.list ? first_to_do(s.list) : 0;
        state->moved = first == EB_LESSON_LIST;
    }
    state->stamp = s.stamp;
    return s;
}

static size_t most(const eb_lesson_scene *s, eb_lesson_view view)
{
    return view == EB_LESSON_LIST ? s->list->rows : view == EB_LESSON_QUESTION ? s->choices : 0;
}

static void lesson_draw(void *panel_state, const eb_desk *desk, eb_canvas *canvas, eb_rect area, bool focused)
{
    lesson_state *state = panel_state;
    const eb_lesson_scene s = follow(state, desk);
    state->look.focused = focused;
    if (s.report)
        eb_lesson_draw(canvas, area, &s, &state->look, state->moved);
    else
        eb_draw_empty_panel(&eb_panel_lesson, desk, canvas, area);
    state->moved = false;
}

/* ---- keys ---- */

static bool move(lesson_state *state, const eb_lesson_scene *s, eb_key key)
{
    const size_t count = most(s, state->look.view);
    size_t *at = &state->look.cursor;
    if (count == 0)
        return false;
    switch (key.code) {
    case EB_KEY_UP: *at -= *at > 0; break;
    case EB_KEY_DOWN: *at += *at + 1 < count; break;
    case EB_KEY_HOME: *at = 0; break;
    case EB_KEY_END: *at = count - 1; break;
    default: return false;
    }
    state->moved = true;
    return true;
}

static const char *name_at(const lesson_state *state, const eb_lesson_scene *s)
{
    if (state->look.view != EB_LESSON_LIST)
        return s->lesson;
    return eb_text_at(s->list, state->look.cursor, EB_F(lesson));
}

static void answer(lesson_state *state, eb_desk *desk, const char *text)
{
    if (text[0])
        eb_desk_run(desk, "answer %s", text);
    else
        eb_desk_say(desk, EB_TONE_NOTE, "type a number, then Enter; %s",
                    state->look.focused ? "`h` helps, `A` tells" : "`hint` helps, `answer` tells");
    state->look.number[0] = '\0';
}

/* Begins the chosen lesson, or goes on with it at its open question or behind the answered ones. */
static void begin(const lesson_state *state, eb_desk *desk, const eb_lesson_scene *s)
{
    const size_t row = state->look.cursor;
    const unsigned answered = eb_lesson_number(s->list, row, EB_F(answered));
    if (!name_at(state, s)[0])
        return;
    if (eb_lesson_number(s->list, row, EB_F(step)) > 0)
        eb_desk_run(desk, "lesson next");
    else if (answered > 0 && answered < eb_lesson_number(s->list, row, EB_F(steps)))
        eb_desk_run(desk, "lesson %s step=%u", name_at(state, s), answered + 1);
    else
        eb_desk_run(desk, "lesson %s", name_at(state, s));
}

/* Enter: takes the choice, or goes on to the report's next part. */
static void go_on(lesson_state *state, eb_desk *desk, const eb_lesson_scene *s)
{
    eb_lesson_view next = state->look.view + 1;
    if (state->look.view == EB_LESSON_LIST) {
        begin(state, desk, s);
    } else if (state->look.view == EB_LESSON_QUESTION) {
        answer(state, desk, s->choices > 0 ? s->choice[state->look.cursor]->key : state->look.number);
    } else {
        while (next < EB_LESSON_VIEWS && !s->has[next])
            next++;
        eb_desk_say(desk, EB_TONE_NOTE, "%s", ""); /* the message was about the part before */
        if (next < EB_LESSON_VIEWS)
            look_at(state, next);
        else
            eb_desk_run(desk, "lesson");
    }
}

/* Handles the keys of an answer: a number, or the letter of a choice. */
static bool answer_key(lesson_state *state, eb_desk *desk, const eb_lesson_scene *s, eb_key key)
{
    const size_t length = strlen(state->look.number);
    if (state->look.view != EB_LESSON_QUESTION)
        return false;
    if (s->choices == 0 && key.code == EB_KEY_BACKSPACE && length > 0) {
        state->look.number[length - 1] = '\0';
        return true;
    }
    if (key.code != EB_KEY_CHARACTER || key.modifiers || key.character <= ' ' || key.character > '~')
        return false;
    const char letter = (char)key.character;
    for (size_t k = 0; k < s->choices; k++)
        if (s->choice[k]->key[0] == letter) {
            answer(state, desk, s->choice[k]->key);
            return true;
        }
    const bool of_number = isdigit((unsigned char)letter) || strchr("+-.", letter) || (letter == 'e' && length > 0);
    if (s->choices > 0 || !of_number || length + 2 > sizeof state->look.number)
        return false;
    state->look.number[length] = letter;
    state->look.number[length + 1] = '\0';
    return true;
}

static bool letter_key(lesson_state *state, eb_desk *desk, const eb_lesson_scene *s, eb_key key)
{
    const bool asks = state->look.view == EB_LESSON_QUESTION;
    if (asks && eb_key_is(key, 'h'))
        eb_desk_run(desk, "hint");
    else if (asks && eb_key_is(key, 'A'))
        eb_desk_run(desk, "answer");
    else if (key.code == EB_KEY_BACKSPACE && state->look.view == EB_LESSON_LIST && s->question)
        look_at(state, EB_LESSON_QUESTION);
    else if (key.code == EB_KEY_BACKSPACE)
        eb_desk_run(desk, "lesson");
    else if (eb_key_is(key, 'z') && name_at(state, s)[0] && strcmp(name_at(state, s), EB_DIAGNOSIS) != 0)
        eb_desk_show(desk, "lesson %s slides", name_at(state, s));
    else if (eb_key_is(key, 'n'))
        eb_desk_run(desk, "lesson next");
    else if (eb_key_is(key, 'W'))
        eb_desk_run(desk, "lesson wrong");
    else
        return false;
    return true;
}

static bool click(lesson_state *state, const eb_lesson_scene *s, eb_key key, eb_rect area)
{
    enum { HEAD = 2 };
    if (key.code != EB_KEY_CLICK || state->look.view != EB_LESSON_LIST || key.y < area.y + HEAD)
        return false;
    const size_t row = eb_lesson_row_of(s->list, key.y - area.y - HEAD + state->look.top);
    if (row == SIZE_MAX)
        return false;
    state->look.cursor = row;
    return true;
}

static bool sideways(lesson_state *state, eb_key key)
{
    if (key.code == EB_KEY_LEFT)
        state->look.left = state->look.left > SIDEWAYS ? state->look.left - SIDEWAYS : 0;
    else if (key.code == EB_KEY_RIGHT)
        state->look.left += SIDEWAYS;
    return key.code == EB_KEY_LEFT || key.code == EB_KEY_RIGHT;
}

static bool lesson_key(void *panel_state, eb_desk *desk, eb_key key, eb_rect area)
{
    lesson_state *state = panel_state;
    const eb_lesson_scene s = follow(state, desk);
    if (!s.report)
        return false;
    if (answer_key(state, desk, &s, key) || click(state, &s, key, area) || move(state, &s, key))
        return true;
    if (!eb_key_is(key, EB_ENTER))
        return letter_key(state, desk, &s, key) || sideways(state, key) ||
               eb_scroll_key(&state->look.top, key, area.height);
    go_on(state, desk, &s);
    return true;
}

/* ---- the panel ---- */

static bool lesson_invites(const void *panel_state, const eb_desk *desk)
{
    const lesson_state *state = panel_state;
    const eb_lesson_scene s = eb_lesson_scene_of(desk);
    return s.report && s.stamp == state->stamp && most(&s, state->look.view) > 0;
}

/* A bare answer typed before the explanation is read would answer a question that nobody has seen. */
static bool lesson_holds(const void *panel_state, eb_desk *desk, const char *line)
{
    const lesson_state *state = panel_state;
    const eb_lesson_scene s = eb_lesson_scene_of(desk);
    const bool unread = s.question && s.stamp == state->stamp &&
                        (state->look.view == EB_LESSON_EVIDENCE || state->look.view == EB_LESSON_EXPLAINED);
    line += strspn(line, " \t");
    if (!unread || !(isdigit((unsigned char)line[0]) || strchr("+-.", line[0]) || strcspn(line, " \t") == 1))
        return false;
    eb_desk_say(desk, EB_TONE_NOTE, "this question is answered; read on with Enter");
    return true;
}

static void lesson_shown(void *panel_state, eb_desk *desk)
{
    lesson_state *state = panel_state;
    if (state->asked || eb_lesson_scene_of(desk).report)
        return;
    state->asked = true;
    eb_desk_ask(desk, "lesson");
}

static void *lesson_create(void) { return calloc(1, sizeof(lesson_state)); }

const eb_panel eb_panel_lesson = {
    .name = "lesson",
    .title = "Lesson",
    .about =
        "Learn by predicting: choose a lesson, answer its questions, see what ran and why; what was predicted wrongly.",
    .empty = "Learn by predicting: a lesson asks, runs, shows what is so, and says why.",
    .begin = {{"lesson", "lists the lessons"}, {"lesson swizzle", "begins one"}},
    .hint = {{"↑/↓", "choose"},
             {"Enter", "begin, answer, go on"},
             {"its letter", "answer"},
             {"h", "hint"},
             {"A", "tell"},
             {"z", "slides"},
             {"n", "next question"},
             {"Backspace", "lessons"},
             {"W", "wrong ones"}},
    .create = lesson_create,
    .destroy = free,
    .shown = lesson_shown,
    .draw = lesson_draw,
    .key = lesson_key,
    .invites = lesson_invites,
    .takes = "take it",
    .holds = lesson_holds,
};
