#include "shell/lessons/lesson.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/text_file.h"
#include "shell/lessons/library.h"
#include "shell/lessons/texts.h"

static const char *const words[EB_LESSON_WORDS] =
    {[EB_LESSON_TITLE] = "title",       [EB_LESSON_ABOUT] = "about",     [EB_LESSON_PART] = "part",
     [EB_LESSON_LEVEL] = "level",       [EB_LESSON_MINUTES] = "minutes", [EB_LESSON_AFTER] = "after",
     [EB_LESSON_STEP] = "step",         [EB_LESSON_SAY] = "say",         [EB_LESSON_RUN] = "run",
     [EB_LESSON_TAKE] = "take",         [EB_LESSON_SHOW] = "show",       [EB_LESSON_CODE] = "code",
     [EB_LESSON_ASK] = "ask",           [EB_LESSON_CHOICE] = "choice",   [EB_LESSON_HINT] = "hint",
     [EB_LESSON_WRONG] = "wrong",       [EB_LESSON_SLIP] = "slip",       [EB_LESSON_MODEL] = "model",
     [EB_LESSON_MEASURED] = "measured", [EB_LESSON_RIGHT] = "right",     [EB_LESSON_WITHIN] = "within",
     [EB_LESSON_APART] = "apart",       [EB_LESSON_EXPLAIN] = "explain", [EB_LESSON_EVIDENCE] = "evidence"};

/* What stands between a keyword and its text. */
static const struct {
    const char *form; /* NULL: nothing */
    bool word, letter;
} before_text[EB_LESSON_WORDS] = {[EB_LESSON_TAKE] = {"take NAME = SQL", false, false},
                                  [EB_LESSON_SHOW] = {"show KEY, or show KEY(COLUMN,COLUMN)", false, false},
                                  [EB_LESSON_CODE] = {"code FILE FUNCTION", true, false},
                                  [EB_LESSON_CHOICE] = {"choice LETTER TEXT", false, true},
                                  [EB_LESSON_WRONG] = {"wrong LETTER TEXT", false, true},
                                  [EB_LESSON_SLIP] = {"slip FACTOR TEXT", true, false}};

typedef struct reader {
    eb_lesson *lesson;
    eb_keyed_reader file;
    eb_status *status;
} reader;

static eb_code complain(const reader *r, size_t number, const char *expected, const char *found)
{
    return eb_fail(r->status, EB_USAGE, "%s:%zu: expected %s, found \"%.60s\"", r->lesson->path, number, expected,
                   found);
}

/* ---- lines ---- */

static eb_code find_word(const reader *r, size_t number, const char *word, eb_lesson_word *out)
{
    for (size_t k = 0; k < EB_LESSON_WORDS; k++)
        if (strcmp(words[k], word) == 0) {
            *out = (eb_lesson_word)k;
            return EB_OK;
        }
    return complain(r, number, "a keyword, as say, run, take, ask, choice, right or explain", word);
}

static eb_lesson_line *add_line(eb_lesson *lesson)
{
    eb_lesson_line *grown = realloc(lesson->line, (lesson->lines + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    lesson->line = grown;
    grown[lesson->lines] = (eb_lesson_line){0};
    return &grown[lesson->lines++];
}

static bool is_name(const char *text)
{
    if (!isalpha((unsigned char)*text))
        return false;
    while (isalnum((unsigned char)*text) || *text == '_')
        text++;
    return *text == '\0';
}

/* Cuts the columns off the name of `show KEY(COLUMN,…)`. */
static void read_columns(eb_lesson_line *line, char *name)
{
    char *columns = strchr(name, '(');
    const size_t length = columns ? strlen(columns) : 0;
    if (length < 3 || columns[length - 1] != ')')
        return;
    columns[length - 1] = columns[0] = '\0';
    line->columns = columns + 1;
}

/* Reads what stands before a line's text: the name of take, the letter of choice, the factor of slip. */
static eb_code read_name(const reader *r, eb_lesson_line *line, char **text)
{
    const char *form = before_text[line->word].form;
    if (!form)
        return EB_OK;
    line->name = strdup(eb_keyed_cut(text));
    if (!line->name)
        return eb_fail_memory(r->status, "a lesson", 1);
    if (line->word == EB_LESSON_SHOW)
        read_columns(line, line->name);
    const char *name = line->name;
    if ((!before_text[line->word].word && !is_name(name)) || (before_text[line->word].letter && name[1] != '\0'))
        return complain(r, line->number, form, name);
    if (line->word == EB_LESSON_TAKE && strcmp(eb_keyed_cut(text), "=") != 0)
        return complain(r, line->number, form, name);
    return EB_OK;
}

static eb_code read_line(reader *r, char *text)
{
    eb_lesson_line *line = add_line(r->lesson);
    if (!line)
        return eb_fail_memory(r->status, "a lesson", sizeof *line);
    line->number = r->file.number;
    const char *word = eb_keyed_cut(&text);
    line->where = strcmp(word, "gpu") == 0   ? EB_LESSON_ON_GPU
                  : strcmp(word, "cpu") == 0 ? EB_LESSON_ON_CPU
                                             : EB_LESSON_ANYWHERE;
    if (line->where != EB_LESSON_ANYWHERE)
        word = eb_keyed_cut(&text);
    EB_TRY(find_word(r, line->number, word, &line->word));
    EB_TRY(read_name(r, line, &text));
    if (*text == '\0' && line->word != EB_LESSON_SHOW)
        return complain(r, line->number, "a text behind the keyword", word);
    line->text = strdup(text);
    return line->text ? EB_OK : eb_fail_memory(r->status, "a lesson", strlen(text));
}

static eb_code read_lines(reader *r)
{
    char *text;
    eb_code failed = eb_keyed_next(&r->file, &text, r->status);
    while (!failed && text) {
        failed = read_line(r, text);
        if (!failed)
            failed = eb_keyed_next(&r->file, &text, r->status);
    }
    eb_keyed_end(&r->file);
    return failed;
}

/* ---- steps ---- */

static eb_code add_step(const reader *r, const eb_lesson_line *line, size_t first)
{
    eb_lesson *lesson = r->lesson;
    eb_lesson_step *grown = realloc(lesson->step, (lesson->steps + 1) * sizeof *grown);
    if (!grown)
        return eb_fail_memory(r->status, "a lesson", sizeof *grown);
    lesson->step = grown;
    grown[lesson->steps++] = (eb_lesson_step){.title = line->text, .first = first, .end = first};
    return EB_OK;
}

static bool is_head(eb_lesson_word word) { return word < EB_LESSON_STEP; }

static eb_code read_part(const reader *r, const eb_lesson_line *line)
{
    static const char *const parts[EB_LESSON_PART_COUNT] = {EB_LESSON_PARTS};
    char expected[200] = "one of the parts";
    size_t used = strlen(expected), *at = &r->lesson->part_number;
    for (*at = 0; *at < EB_LESSON_PART_COUNT; ++*at) {
        if (strcmp(line->text, parts[*at]) == 0)
            return EB_OK;
        used += (size_t)snprintf(expected + used, sizeof expected - used, "%s %s", *at ? "," : "", parts[*at]);
    }
    return complain(r, line->number, expected, line->text);
}

static eb_code read_minutes(const reader *r, const eb_lesson_line *line)
{
    char *end, expected[80];
    const unsigned long minutes = strtoul(line->text, &end, 10);
    (void)snprintf(expected, sizeof expected, "whole minutes from 1 to %d", (int)EB_LESSON_LONGEST_MINUTES);
    if (!isdigit((unsigned char)line->text[0]) || *end != '\0' || minutes < 1 || minutes > EB_LESSON_LONGEST_MINUTES)
        return complain(r, line->number, expected, line->text);
    r->lesson->minutes = (unsigned)minutes;
    return EB_OK;
}

static eb_code check_head(const reader *r, const eb_lesson_line *line)
{
    const char *level = line->text;
    switch (line->word) {
    case EB_LESSON_PART: return read_part(r, line);
    case EB_LESSON_MINUTES: return read_minutes(r, line);
    case EB_LESSON_LEVEL:
        if (strcmp(level, "first") != 0 && strcmp(level, "second") != 0 && strcmp(level, "third") != 0)
            return complain(r, line->number, "level first, second or third", level);
        return EB_OK;
    default: return EB_OK;
    }
}

static bool is_repeated(const eb_lesson *lesson, const eb_lesson_line *line)
{
    for (const eb_lesson_line *other = lesson->line; other < line; other++)
        if (other->word == line->word)
            return true;
    return false;
}

static eb_code read_head(const reader *r, const eb_lesson_line *line)
{
    eb_lesson *lesson = r->lesson;
    char expected[80];
    (void)snprintf(expected, sizeof expected, "%s once, before the first step", words[line->word]);
    if (lesson->steps > 0 || line->where != EB_LESSON_ANYWHERE || is_repeated(lesson, line))
        return complain(r, line->number, expected, line->text);
    switch (line->word) {
    case EB_LESSON_TITLE: lesson->title = line->text; break;
    case EB_LESSON_ABOUT: lesson->about = line->text; break;
    case EB_LESSON_PART: lesson->part = line->text; break;
    case EB_LESSON_LEVEL: lesson->level = line->text; break;
    case EB_LESSON_AFTER: lesson->after = line->text; break;
    default: break;
    }
    return check_head(r, line);
}

static eb_code split_steps(const reader *r)
{
    eb_lesson *lesson = r->lesson;
    for (size_t k = 0; k < lesson->lines; k++) {
        const eb_lesson_line *line = &lesson->line[k];
        if (is_head(line->word))
            EB_TRY(read_head(r, line));
        else if (line->word == EB_LESSON_STEP)
            EB_TRY(add_step(r, line, k + 1));
        else if (lesson->steps == 0)
            return complain(r, line->number, "title, about, part, level, minutes, after or step", words[line->word]);
        if (lesson->steps > 0)
            lesson->step[lesson->steps - 1].end = k + 1;
    }
    if (!lesson->title || !lesson->about || lesson->steps == 0)
        return complain(r, r->file.next, "a title, an about and a step", "the end of the file");
    return EB_OK;
}

/* Number of lines of a step with this keyword that count on such a device; *place: the last of them. */
static size_t count_word(const eb_lesson *lesson, const eb_lesson_step *step, eb_lesson_word word, unsigned where,
                         size_t *place)
{
    size_t count = 0;
    for (size_t k = step->first; k < step->end; k++)
        if (lesson->line[k].word == word && (lesson->line[k].where & where)) {
            *place = k;
            count++;
        }
    return count;
}

static bool has_letter(const eb_lesson *lesson, size_t first, size_t end, const eb_lesson_line *of)
{
    for (const eb_lesson_line *line = &lesson->line[first]; line < &lesson->line[end]; line++)
        if (line->word == EB_LESSON_CHOICE && (line->where & of->where) && line->name[0] == of->name[0])
            return true;
    return false;
}

static eb_code check_letters(const reader *r, const eb_lesson_step *step)
{
    for (size_t k = step->first; k < step->end; k++) {
        const eb_lesson_line *line = &r->lesson->line[k];
        if (line->word == EB_LESSON_CHOICE && has_letter(r->lesson, step->first, k, line))
            return complain(r, line->number, "a letter that no other choice has", line->name);
        if (line->word == EB_LESSON_WRONG && !has_letter(r->lesson, step->first, step->end, line))
            return complain(r, line->number, "`wrong` with the letter of a choice", line->name);
    }
    return EB_OK;
}

/* Checks what gives the answer on such a device: `right`, or else a figure. */
static eb_code check_right(const reader *r, const eb_lesson_step *step, unsigned where)
{
    size_t place = step->end;
    const size_t number = r->lesson->line[step->first - 1].number,
                 right = count_word(r->lesson, step, EB_LESSON_RIGHT, where, &place),
                 model = count_word(r->lesson, step, EB_LESSON_MODEL, where, &place),
                 measured = count_word(r->lesson, step, EB_LESSON_MEASURED, where, &place);
    if (right > 1 || right + model + measured == 0)
        return complain(r, number, "one `right` in each step, after `ask`, or `model` or `measured`", step->title);
    if (model > 1 || measured > 1)
        return complain(r, number, "`model` and `measured` at most once in a step", step->title);
    return EB_OK;
}

/* Checks that a step's lines fit its kind of question on such a device: choices, or a number. */
static eb_code check_kind(const reader *r, const eb_lesson_step *step, unsigned where)
{
    size_t place = 0;
    const bool choices = count_word(r->lesson, step, EB_LESSON_CHOICE, where, &place) > 0;
    if (choices && count_word(r->lesson, step, EB_LESSON_WITHIN, where, &place) > 0)
        return complain(r, r->lesson->line[step->first - 1].number, "`within` with numbers, not with choices",
                        step->title);
    if (choices && count_word(r->lesson, step, EB_LESSON_SLIP, where, &place) > 0)
        return complain(r, r->lesson->line[place].number, "`slip` with numbers, not with choices",
                        r->lesson->line[place].text);
    return EB_OK;
}

/* Checks that the lines which tell the answer come after the question. */
static eb_code check_order(const reader *r, const eb_lesson_step *step)
{
    for (size_t k = step->first; k < step->ask; k++) {
        const eb_lesson_line *line = &r->lesson->line[k];
        char expected[40];
        (void)snprintf(expected, sizeof expected, "`%s` after `ask`", words[line->word]);
        if (line->word == EB_LESSON_MODEL || line->word == EB_LESSON_MEASURED || line->word == EB_LESSON_APART ||
            line->word == EB_LESSON_WRONG || line->word == EB_LESSON_SLIP)
            return complain(r, line->number, expected, line->text);
        if (line->word == EB_LESSON_RIGHT)
            return complain(r, r->lesson->line[step->first - 1].number, "one `right` in each step, after `ask`",
                            step->title);
    }
    return EB_OK;
}

static eb_code check_step(const reader *r, eb_lesson_step *step)
{
    size_t explained = 0;
    const size_t number = r->lesson->line[step->first - 1].number;
    for (unsigned where = EB_LESSON_ON_CPU; where <= EB_LESSON_ON_GPU; where++) {
        if (count_word(r->lesson, step, EB_LESSON_ASK, EB_LESSON_ANYWHERE, &step->ask) != 1)
            return complain(r, number, "one `ask` in each step, for every device", step->title);
        EB_TRY(check_right(r, step, where));
        if (count_word(r->lesson, step, EB_LESSON_EXPLAIN, where, &explained) == 0 || explained < step->ask)
            return complain(r, number, "an `explain` in each step, after `ask`", step->title);
        EB_TRY(check_kind(r, step, where));
    }
    EB_TRY(check_order(r, step));
    return check_letters(r, step);
}

/* ---- a whole lesson ---- */

eb_code eb_lesson_parse(const char *path, const char *text, eb_lesson **out, eb_status *status)
{
    char name[256];
    eb_lesson *lesson = calloc(1, sizeof *lesson);
    *out = NULL;
    if (!lesson)
        return eb_fail_memory(status, "a lesson", sizeof *lesson);
    lesson->path = strdup(path);
    lesson->name = strdup(eb_library_name(path, name, sizeof name));
    lesson->part_number = EB_LESSON_PART_COUNT;
    reader r = {lesson, {.at = text}, status};
    eb_code failed = lesson->path && lesson->name ? read_lines(&r) : eb_fail_memory(status, "a lesson", strlen(path));
    if (!failed)
        failed = split_steps(&r);
    for (size_t k = 0; k < lesson->steps && !failed; k++)
        failed = check_step(&r, &lesson->step[k]);
    if (failed)
        eb_lesson_free(lesson);
    else
        *out = lesson;
    return failed;
}

enum { LONGEST = 1 << 20 };

eb_code eb_lesson_read(const char *path, eb_lesson **out, eb_status *status)
{
    *out = NULL;
    FILE *file;
    EB_TRY(eb_text_stream(path, path, "a lesson", EB_SETTINGS_BYTES, &file, status));
    char *text = calloc(LONGEST + 1, 1);
    const size_t length = text ? fread(text, 1, LONGEST, file) : 0;
    eb_code failed = !text               ? eb_fail_memory(status, "a lesson", LONGEST)
                     : ferror(file)      ? eb_fail(status, EB_IO, "cannot read %s: %s", path, strerror(errno))
                     : length == LONGEST ? eb_fail(status, EB_TOO_LARGE, "%s: a lesson has less than 1 MiB", path)
                                         : EB_OK;
    (void)fclose(file);
    if (!failed)
        failed = eb_lesson_parse(path, text, out, status);
    free(text);
    return failed;
}

void eb_lesson_free(eb_lesson *lesson)
{
    if (!lesson)
        return;
    for (size_t k = 0; k < lesson->lines; k++) {
        free(lesson->line[k].name);
        free(lesson->line[k].text);
    }
    free(lesson->line);
    free(lesson->step);
    free(lesson->name);
    free(lesson->path);
    free(lesson);
}
