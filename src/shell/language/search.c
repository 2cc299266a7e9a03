/* Searches all help texts. */
#include "shell/language/manual.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/array.h"
#include "core/base/lookup.h"
#include "core/engine/spec.h"
#include "io/formats.h"
#include "shell/language/command.h"
#include "shell/language/glossary.h"
#include "shell/language/values.h"
#include "shell/lessons/lesson.h"
#include "shell/lessons/library.h"

enum { MOST_SHOWN = 14, LINE = 160, MOST_WORDS = 8, WORD = 64, LEAST_IN_TEXT = 3 };

/* Best place of a match. BY_PART: the name of an argument or option. */
typedef enum rank { BY_NAME, BY_PART, BY_SUMMARY, BY_TEXT, NOT_AT_ALL } rank;

/* One entry that help can explain. Texts may be NULL. */
typedef struct thing {
    const char *kind;
    const char *line; /* command that shows the entry */
    const char *name, *also;
    const char *summary, *more; /* one line each; the report shows the first */
    const char *text;
    rank by_name; /* rank of a match in the name */
} thing;

typedef struct hit {
    rank rank;
    char line[LINE];
    const char *kind;
    char *about;
} hit;

typedef struct search {
    char word[MOST_WORDS][WORD];
    size_t words;
    hit *hit;
    size_t hits;
    char **known; /* all words of the texts, for suggestions */
    size_t known_count, known_room;
    bool lost; /* out of memory */
} search;

static bool is_letter(char c) { return isalnum((unsigned char)c) || ((unsigned char)c & 0x80u) != 0; }

/* True if a word of the text begins with `word`, ignoring case. */
static bool occurs(const char *word, const char *text)
{
    size_t length = strlen(word);
    for (const char *at = text; at && *at; at++)
        if ((at == text || !is_letter(at[-1]) || !is_letter(word[0])) && strncasecmp(at, word, length) == 0)
            return true;
    return false;
}

/* True if the word begins a word of the name, or if the name begins the word: "histogram" finds hist. */
static bool names(const char *word, const thing *t)
{
    enum { SHORT = 4 };
    size_t length = t->name && t->by_name == BY_NAME ? strlen(t->name) : 0;
    return occurs(word, t->name) || (length >= SHORT && strncasecmp(word, t->name, length) == 0);
}

static rank rank_of_word(const char *word, const thing *t)
{
    if (names(word, t) || occurs(word, t->also))
        return t->by_name;
    if (strlen(word) < LEAST_IN_TEXT)
        return NOT_AT_ALL;
    if (occurs(word, t->summary) || occurs(word, t->more))
        return BY_SUMMARY;
    return occurs(word, t->text) ? BY_TEXT : NOT_AT_ALL;
}

static rank rank_of(const search *s, const thing *t)
{
    rank worst = BY_NAME;
    for (size_t k = 0; k < s->words; k++) {
        rank one = rank_of_word(s->word[k], t);
        worst = one > worst ? one : worst;
    }
    return worst;
}

/* ---- suggestions ---- */

static void learn_word(search *s, const char *word, size_t length)
{
    const bool room = eb_array_grow(&s->known, s->known_count, &s->known_room, sizeof *s->known, 1024);
    if (room && (s->known[s->known_count] = strndup(word, length)))
        s->known_count++;
    else
        s->lost = true;
}

static void learn(search *s, const char *text)
{
    enum { LEAST = 4 };
    for (const char *at = text; at && *at;) {
        size_t length = 0;
        while (is_letter(at[length]))
            length++;
        if (length >= LEAST)
            learn_word(s, at, length);
        at += length > 0 ? length : 1;
    }
}

static const char *known_at(const void *context, size_t index) { return ((const search *)context)->known[index]; }

/* ---- hits ---- */

static hit *hit_of_line(search *s, const char *line)
{
    for (size_t k = 0; k < s->hits; k++)
        if (strcmp(s->hit[k].line, line) == 0)
            return &s->hit[k];
    return NULL;
}

static hit *new_hit(search *s)
{
    hit *grown = realloc(s->hit, (s->hits + 1) * sizeof *grown);
    s->lost = s->lost || !grown;
    if (!grown)
        return NULL;
    s->hit = grown;
    s->hit[s->hits] = (hit){.rank = NOT_AT_ALL};
    return &s->hit[s->hits++];
}

/* Tests an entry. Each line is listed once, with its best rank. */
static void look_at(search *s, const thing *t)
{
    rank found = rank_of(s, t);
    learn(s, t->name);
    learn(s, t->also);
    learn(s, t->summary);
    learn(s, t->text);
    hit *h = found < NOT_AT_ALL ? hit_of_line(s, t->line) : NULL;
    if (found < NOT_AT_ALL && !h)
        h = new_hit(s);
    if (!h || h->rank <= found)
        return;
    const char *end = t->summary ? strstr(t->summary, ". ") : NULL; /* only the first sentence */
    char *about = end ? strndup(t->summary, (size_t)(end - t->summary)) : strdup(t->summary ? t->summary : "");
    s->lost = s->lost || !about;
    free(h->about);
    *h = (hit){.rank = found, .kind = t->kind, .about = about};
    (void)snprintf(h->line, sizeof h->line, "%s", t->line);
}

/* ---- all entries ---- */

static void look_at_argument(search *s, const eb_command *command, const eb_argument *argument, const char *line)
{
    char about[400];
    (void)snprintf(about, sizeof about, "%s %s=: %s", command->name, argument->name, argument->help);
    look_at(s, &(thing){"argument", line, argument->name, NULL, about, argument->choices, NULL, BY_PART});
}

static void look_at_command(search *s, const eb_command *command)
{
    char line[LINE];
    (void)snprintf(line, sizeof line, "help %s", command->name);
    look_at(s,
            &(thing){"command", line, command->name, command->also, command->summary, NULL, command->detail, BY_NAME});
    for (size_t k = 0; k < eb_argument_count(command); k++)
        look_at_argument(s, command, &command->argument[k], line);
}

static void look_at_engine(search *s, const eb_engine *engine)
{
    char line[LINE], about[600];
    const char *here = engine->on[EB_DEVICE_CPU].summary, *there = engine->on[EB_DEVICE_CUDA].summary;
    (void)snprintf(line, sizeof line, "help %s", engine->name);
    look_at(s,
            &(thing){"engine", line, engine->name, engine->title, here ? here : there, there, engine->about, BY_NAME});
    for (size_t k = 0; k < engine->options.count; k++) {
        const eb_option *option = &engine->options.option[k];
        (void)snprintf(about, sizeof about, "%s[%s]: %s", engine->name, option->name, option->help);
        look_at(s, &(thing){"option", line, option->name, NULL, about, option->choices, NULL, BY_PART});
    }
}

static void look_at_lesson(search *s, const char *path)
{
    eb_lesson *lesson;
    char line[LINE];
    if (eb_lesson_read(path, &lesson, NULL))
        return; /* `lesson check` reports the error */
    (void)snprintf(line, sizeof line, "lesson %s", lesson->name);
    look_at(s, &(thing){"lesson", line, lesson->name, lesson->title, lesson->about, NULL, NULL, BY_NAME});
    for (size_t k = 0; k < lesson->lines; k++) /* hits show `about`: the lines hold the answers */
        look_at(s, &(thing){"lesson", line, NULL, NULL, lesson->about, NULL, lesson->line[k].text, BY_NAME});
    eb_lesson_free(lesson);
}

static void look_at_lessons(search *s)
{
    eb_library library;
    if (eb_library_open(&library, NULL))
        return;
    for (size_t k = 0; k < library.count; k++)
        look_at_lesson(s, library.path[k]);
    eb_library_close(&library);
}

static void look_everywhere(search *s)
{
    char line[LINE];
    for (size_t k = 0; k < eb_command_count(); k++)
        look_at_command(s, eb_command_at(k));
    for (size_t k = 0; k < eb_engine_count(); k++)
        look_at_engine(s, eb_engine_at(k));
    for (size_t k = 0; k < eb_format_count(); k++) {
        const eb_format *format = eb_format_at(k);
        look_at(s, &(thing){"format", "formats", format->name, format->extension, format->about, NULL, NULL, BY_NAME});
    }
    for (size_t k = 0; k < eb_term_count(); k++) {
        const eb_term *term = eb_term_at(k);
        (void)snprintf(line, sizeof line, "help %s", term->name);
        look_at(s, &(thing){"term", line, term->name, term->also, term->means, NULL, NULL, BY_NAME});
    }
    look_at_lessons(s);
}

/* ---- report ---- */

static void take_words(search *s, const char *words)
{
    while (*words && s->words < MOST_WORDS) {
        size_t length = strcspn(words, " \t");
        if (length > 0)
            (void)snprintf(s->word[s->words++], WORD, "%.*s", (int)length, words);
        words += length + strspn(words + length, " \t");
    }
}

static void report_hits(const search *s, const char *words, eb_report *report)
{
    char title[200];
    size_t shown = 0;
    (void)snprintf(title, sizeof title, "Help that mentions \"%.80s\"", words);
    eb_table *table = EB_TABLE(report, EB_F(found), title, EB_F(line_found), EB_F(kind), EB_F(about));
    for (rank r = BY_NAME; r < NOT_AT_ALL; r++)
        for (size_t k = 0; k < s->hits; k++)
            if (s->hit[k].rank == r && shown < MOST_SHOWN) {
                EB_ROW(table, eb_text(s->hit[k].line), eb_text(s->hit[k].kind), eb_text(s->hit[k].about));
                shown++;
            }
    if (shown < s->hits)
        eb_report_note(report, "%zu more: another word beside it finds fewer", s->hits - shown);
}

static eb_code say_nothing_found(const search *s, const char *words, eb_status *status)
{
    const eb_names known = {"word", s->known_count, known_at, s, NULL};
    const char *near = NULL;
    for (size_t k = 0; k < s->words && !near; k++)
        near = eb_nearest_name(&known, s->word[k], strlen(s->word[k]));
    if (near)
        return eb_fail(status, EB_NOT_FOUND,
                       "nothing here is called \"%.64s\", and no help text has it; did you mean %s?", words, near);
    return eb_fail(
        status, EB_NOT_FOUND,
        "nothing here is called \"%.64s\", and no help text has it; `help` lists the commands, `help terms` the "
        "words",
        words);
}

eb_code eb_help_search(const char *words, eb_report *report, eb_status *status)
{
    search s = {.words = 0};
    take_words(&s, words);
    if (s.words > 0)
        look_everywhere(&s);
    eb_code failed = EB_OK;
    if (s.lost)
        failed = eb_fail_memory(status, "a search", (s.hits + 1) * sizeof *s.hit);
    else if (s.hits == 0)
        failed = say_nothing_found(&s, words, status);
    else
        report_hits(&s, words, report);
    for (size_t k = 0; k < s.hits; k++)
        free(s.hit[k].about);
    for (size_t k = 0; k < s.known_count; k++)
        free(s.known[k]);
    free(s.hit);
    free(s.known);
    return failed;
}
