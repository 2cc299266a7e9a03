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
    {[EB_LESSON_TITLE] = "title",     [EB_LESSON_ABOUT] = "about",      [EB_LESSON_STEP] = "step",
     [EB_LESSON_SAY] = "say",         [EB_LESSON_RUN] = "run",          [EB_LESSON_TAKE] = "take",
     [EB_LESSON_SHOW] = "show",       [EB_LESSON_ASK] = "ask",          [EB_LESSON_CHOICE] = "choice",
     [EB_LESSON_HINT] = "hint",       [EB_LESSON_RIGHT] = "right",      [EB_LESSON_WITHIN] = "within",
     [EB_LESSON_EXPLAIN] = "explain", [EB_LESSON_EVIDENCE] = "evidence"};

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

/* Reads what stands before a line's text: the name of take, the key of show, the letter of choice. */
static eb_code read_name(const reader *r, eb_lesson_line *line, char **text)
{
    if (line->word != EB_LESSON_TAKE && line->word != EB_LESSON_SHOW && line->word != EB_LESSON_CHOICE)
        return EB_OK;
    const char *name = eb_keyed_cut(text);
    if (!is_name(name) || (line->word == EB_LESSON_CHOICE && name[1] != '\0'))
        return complain(r, line->number,
                        line->word == EB_LESSON_CHOICE ? "choice LETTER TEXT"
                        : line->word == EB_LESSON_TAKE ? "take NAME = SQL"
                                                       : "show KEY",
                        name);
    line->name = strdup(name);
    if (line->word == EB_LESSON_TAKE && strcmp(eb_keyed_cut(text), "=") != 0)
        return complain(r, line->number, "take NAME = SQL", name);
    return line->name ? EB_OK : eb_fail_memory(r->status, "a lesson", 1);
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

static eb_code read_head(const reader *r, const eb_lesson_line *line)
{
    const char **place = line->word == EB_LESSON_TITLE ? &r->lesson->title : &r->lesson->about;
    if (*place || r->lesson->steps > 0)
        return complain(r, line->number, "title and about once, before the first step", line->text);
    *place = line->text;
    return EB_OK;
}

static eb_code split_steps(const reader *r)
{
    eb_lesson *lesson = r->lesson;
    for (size_t k = 0; k < lesson->lines; k++) {
        const eb_lesson_line *line = &lesson->line[k];
        if (line->word == EB_LESSON_TITLE || line->word == EB_LESSON_ABOUT)
            EB_TRY(read_head(r, line));
        else if (line->word == EB_LESSON_STEP)
            EB_TRY(add_step(r, line, k + 1));
        else if (lesson->steps == 0)
            return complain(r, line->number, "title, about or step", words[line->word]);
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

static eb_code check_letters(const reader *r, const eb_lesson_step *step)
{
    const eb_lesson_line *line = r->lesson->line;
    for (size_t k = step->first; k < step->end; k++)
        for (size_t other = step->first; line[k].word == EB_LESSON_CHOICE && other < k; other++)
            if (line[other].word == EB_LESSON_CHOICE && (line[other].where & line[k].where) &&
                line[other].name[0] == line[k].name[0])
                return complain(r, line[k].number, "a letter that no other choice has", line[k].name);
    return EB_OK;
}

static eb_code check_step(const reader *r, eb_lesson_step *step)
{
    size_t right = 0, explained = 0, unused;
    const size_t number = r->lesson->line[step->first - 1].number;
    for (unsigned where = EB_LESSON_ON_CPU; where <= EB_LESSON_ON_GPU; where++) {
        if (count_word(r->lesson, step, EB_LESSON_ASK, EB_LESSON_ANYWHERE, &step->ask) != 1)
            return complain(r, number, "one `ask` in each step, for every device", step->title);
        if (count_word(r->lesson, step, EB_LESSON_RIGHT, where, &right) != 1 || right < step->ask)
            return complain(r, number, "one `right` in each step, after `ask`", step->title);
        if (count_word(r->lesson, step, EB_LESSON_EXPLAIN, where, &explained) == 0 || explained < step->ask)
            return complain(r, number, "an `explain` in each step, after `ask`", step->title);
        if (count_word(r->lesson, step, EB_LESSON_WITHIN, where, &unused) > 0 &&
            count_word(r->lesson, step, EB_LESSON_CHOICE, where, &unused) > 0)
            return complain(r, number, "`within` with numbers, not with choices", step->title);
    }
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
