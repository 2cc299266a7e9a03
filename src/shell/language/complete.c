/* Completion: finds the place of the cursor in a command and lists the candidates for it. editor.c calls readline. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/formats.h"
#include "shell/language/candidates.h"
#include "shell/language/command.h"
#include "shell/language/glossary.h"
#include "shell/language/lists.h"
#include "shell/language/values.h"
#include "shell/language/words.h"
#include "shell/lessons/lesson.h"
#include "shell/lessons/library.h"

static bool add_commands(eb_candidates *list)
{
    bool added = true;
    for (size_t k = 0; added && k < eb_command_count(); k++)
        added = eb_candidates_add(list, eb_command_at(k)->name, "", eb_command_at(k)->summary);
    return added;
}

/* Appends each format once; file extensions of one format are neighbours in the table. */
static bool add_formats(eb_candidates *list)
{
    bool added = true;
    for (size_t k = 0; added && k < eb_format_count(); k++)
        if (k == 0 || strcmp(eb_format_at(k)->name, eb_format_at(k - 1)->name) != 0)
            added = eb_candidates_add(list, eb_format_at(k)->name, "", eb_format_at(k)->about);
    return added;
}

/* The many terms of the glossary are candidates only when the word has begun. */
static bool add_topics(eb_candidates *list, const char *typed)
{
    bool added = add_commands(list) && eb_add_engines(list, "", "", true) &&
                 eb_candidates_add(list, EB_ALL, "", "all commands, a line each") &&
                 eb_candidates_add(list, EB_TERMS, "", "all words on the screens");
    for (size_t k = 0; added && typed[0] != '\0' && k < eb_term_count(); k++)
        added = eb_candidates_add(list, eb_term_at(k)->name, "", eb_term_at(k)->means);
    return added;
}

static bool add_lesson(eb_candidates *list, const char *path, const char *name)
{
    eb_lesson *lesson;
    if (eb_lesson_read(path, &lesson, NULL))
        return eb_candidates_add(list, name, "", NULL); /* `lesson check` reports the error */
    bool added = eb_candidates_add(list, name, "", lesson->title);
    eb_lesson_free(lesson);
    return added;
}

static bool add_lessons(eb_candidates *list)
{
    eb_library library;
    char name[256];
    bool added = true;
    if (eb_library_open(&library, NULL))
        return true;
    for (size_t k = 0; added && k < library.count; k++)
        added = add_lesson(list, library.path[k], eb_library_name(library.path[k], name, sizeof name));
    eb_library_close(&library);
    return added;
}

/* Appends the typed name with each of the endings, ".svg|.png", that the choices of a file are. */
static bool add_endings(eb_candidates *list, const char *text, const char *endings)
{
    char name[256];
    const char *slash = strrchr(text, '/'), *base = slash ? slash + 1 : text;
    (void)snprintf(name, sizeof name, "%.*s", (int)(base - text + (ptrdiff_t)strcspn(base, ".")), text);
    return !endings || base[0] == '\0' || base[0] == '.' || eb_add_choices(list, name, endings);
}

/* Appends values for an argument. text: typed part of the value; dataset: what the command loads (NULL: nothing). */
static bool add_values(eb_candidates *list, const eb_argument *argument, const char *text, const char *dataset)
{
    const eb_argument meant = eb_argument_meant(argument);
    switch (argument->type) {
    case EB_ARG_TOPIC: return add_topics(list, text);
    case EB_ARG_FORMAT: return add_formats(list);
    case EB_ARG_LESSON: return eb_add_choices(list, "", argument->choices) && add_lessons(list);
    case EB_ARG_FILE: list->files = true; return add_endings(list, text, argument->choices);
    case EB_ARG_DATASET:
        list->files = list->datasets = true;
        return eb_candidates_add(list, "demo", "", "4000 pictures of clothes, 784 dimensions") &&
               eb_candidates_add(list, "demo:stars", "", "100,000 stars on the unit sphere");
    case EB_ARG_DEVICE: return eb_add_devices(list);
    case EB_ARG_ENGINE: return eb_add_specs(list, text, argument->elsewhere);
    case EB_ARG_REST: return eb_add_choices(list, "", argument->choices);
    case EB_ARG_COLUMN:
    case EB_ARG_COLUMNS: return eb_add_columns(list, dataset, text, argument->type == EB_ARG_COLUMNS);
    case EB_ARG_DEFAULT: return eb_add_defaults(list, text);
    default: return eb_add_choices(list, "", eb_argument_choices(&meant)); /* no candidates for numbers and free text */
    }
}

/* ---- place of the cursor in the command ---- */

typedef struct place {
    const eb_command *command; /* NULL: the name is incomplete or unknown */
    bool unknown;
    bool given[EB_MAX_ARGUMENTS + EB_LIST_ARGUMENTS];
    const eb_argument *value_of; /* argument whose value has the cursor; NULL: a new word begins */
    const char *option;          /* ENGINE.OPTION whose value has the cursor; NULL: none */
    const char *word;            /* typed part of the value or word */
    const char *nested;          /* start of the command to repeat (watch) */
    char *dataset;               /* dataset named by an earlier argument; heap; NULL: none */
} place;

static bool next_positional(const place *p, size_t *index)
{
    for (*index = 0; *index < eb_argument_count(p->command); ++*index)
        if (p->command->argument[*index].positional && (!p->given[*index] || p->command->argument[*index].repeated))
            return true;
    return false;
}

static void note_dataset(place *p, const eb_argument *argument, const char *text)
{
    if (argument->type != EB_ARG_DATASET || !argument->positional)
        return;
    free(p->dataset);
    p->dataset = strdup(text);
}

static void note_given(place *p, size_t index, const eb_word *word)
{
    p->given[index] = true;
    note_dataset(p, eb_argument_at(p->command, index), word->text);
}

/* Records a complete word: the command's name or an argument. */
static void note_word(place *p, const eb_word *word)
{
    size_t index;
    if (!p->command) {
        p->unknown = eb_command_find(word->text, &p->command, NULL) != EB_OK;
        return;
    }
    if (p->value_of || p->option) { /* VALUE of NAME VALUE */
        p->value_of = NULL;
        p->option = NULL;
        return;
    }
    if (word->key_length > 0) {
        if (!eb_argument_find(p->command, word->begin, word->key_length, &index, NULL))
            note_given(p, index, word);
        return;
    }
    bool named = !word->quoted && !eb_argument_find(p->command, word->text, strlen(word->text), &index, NULL);
    if (named && eb_argument_at(p->command, index)->type == EB_ARG_FLAG) {
        p->given[index] = true;
        return;
    }
    size_t positional;
    if (next_positional(p, &positional) && eb_argument_fits(p->command, positional, word)) {
        note_given(p, positional, word);
        if (p->command->argument[positional].type == EB_ARG_DEFAULT && !strchr(word->text, '='))
            p->option = word->begin;
    } else if (named) {
        p->given[index] = true;
        p->value_of = eb_argument_at(p->command, index);
    }
}

/* True if this word begins the command that `watch` repeats. */
static bool nested_begins(const place *p, const char *at)
{
    size_t index, option, length = eb_key_length(at);
    if (!p->command || p->value_of || !next_positional(p, &index))
        return false;
    const eb_argument *argument = &p->command->argument[index];
    return argument->type == EB_ARG_REST && strcmp(argument->name, "command") == 0 &&
           !(length > 0 && !eb_argument_find(p->command, at, length, &option, NULL));
}

/* Finds the cursor's place. The cursor is at the end of `text`. */
static place find_place(const char *text)
{
    place p = {0};
    for (const char *at = eb_command_begin(text);; at = eb_skip_blanks(at)) {
        if (nested_begins(&p, at)) {
            p.nested = at + (*at == '"' || *at == '\'');
            return p;
        }
        size_t index, length = eb_key_length(at);
        eb_word word;
        bool open = eb_at_command_end(at) || eb_read_word(at, at, &word, NULL) != EB_OK;
        if (!open && *word.end != '\0') {
            note_word(&p, &word);
            at = word.end;
            free(word.text);
            continue;
        }
        if (!open)
            free(word.text);
        p.word = at;
        if (p.command && length > 0 && !eb_argument_find(p.command, at, length, &index, NULL)) {
            p.value_of = eb_argument_at(p.command, index);
            p.word = at + length + 1;
        }
        return p;
    }
}

static const char *last_command(const char *text)
{
    for (;;) {
        const char *next = eb_next_command(text);
        if (next == text || next[-1] != ';')
            return text;
        text = next;
    }
}

static bool add_arguments(const place *p, eb_candidates *out)
{
    bool added = true;
    size_t next = EB_MAX_ARGUMENTS; /* positional argument that may follow */
    if (next_positional(p, &next))
        added = add_values(out, &p->command->argument[next], p->word, p->dataset);
    else
        next = EB_MAX_ARGUMENTS;
    bool name = !strchr(p->word, '='); /* the word may be the start of an argument's name */
    for (size_t k = 0; added && name && k < eb_argument_count(p->command); k++) {
        const eb_argument *argument = &p->command->argument[k];
        bool numbers = k == next && argument->type == EB_ARG_NUMBERS; /* tune S=: offers the name, not numbers */
        if ((!argument->positional || numbers) && !p->given[k])
            added = eb_candidates_add(out, argument->name, argument->type == EB_ARG_FLAG ? "" : "=", argument->help);
    }
    for (size_t k = 0; added && name && k < EB_LIST_ARGUMENTS && eb_listing_of(p->command); k++)
        if (!p->given[EB_MAX_ARGUMENTS + k])
            added = eb_candidates_add(out, eb_list_arguments[k].name, "=", eb_list_arguments[k].help);
    return added;
}

static bool is_of_lists(const eb_argument *argument)
{
    return argument >= eb_list_arguments && argument < eb_list_arguments + EB_LIST_ARGUMENTS;
}

/* Appends the command's columns, each behind what is typed of readline's word, which begins after a '='. None behind
 * the
 * '=' of a comparison, where a value stands. */
static bool add_list_columns(eb_candidates *out, const eb_command *command, const char *typed)
{
    const eb_listing *listing = eb_listing_of(command);
    const char *equals = strrchr(typed, '='), *word = equals ? equals + 1 : typed, *begun = typed + strlen(typed);
    char whole[320];
    bool added = true;
    while (begun > typed && begun[-1] != ',' && begun[-1] != '-')
        begun--;
    for (size_t k = 0; added && begun >= word && listing->column[k]; k++) {
        (void)snprintf(whole, sizeof whole, "%.*s%s", (int)(begun - word), word, listing->column[k]->key);
        added = eb_candidates_add(out, whole, "", listing->column[k]->title);
    }
    out->open = true;
    return added;
}

static bool complete_text(const char *text, eb_candidates *out);

static bool complete_at(const place *p, eb_candidates *out)
{
    if (p->nested)
        return complete_text(p->nested, out);
    if (p->unknown)
        return true;
    if (!p->command)
        return add_commands(out);
    if (p->option)
        return eb_add_default_values(out, p->option);
    if (p->value_of && is_of_lists(p->value_of))
        return add_list_columns(out, p->command, p->word);
    return p->value_of ? add_values(out, p->value_of, p->word, p->dataset) : add_arguments(p, out);
}

static bool complete_text(const char *text, eb_candidates *out)
{
    place p = find_place(last_command(text));
    bool completed = complete_at(&p, out);
    free(p.dataset);
    return completed;
}

bool eb_complete(const char *line, size_t cursor, eb_candidates *out)
{
    *out = (eb_candidates){0};
    char *text = strndup(line, cursor);
    if (!text)
        return false;
    bool completed = complete_text(text, out);
    free(text);
    if (!completed)
        eb_candidates_free(out);
    return completed;
}
