#include "shell/language/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/lookup.h"
#include "core/engine/engine.h"
#include "shell/language/command.h"
#include "shell/language/values.h"
#include "shell/language/words.h"

static bool add(eb_candidates *list, const char *name, const char *suffix)
{
    for (size_t k = 0; k < list->count; k++) /* an engine of two devices has one name */
        if (strcmp(list->name[k], name) == 0)
            return true;
    char **grown = realloc(list->name, (list->count + 1) * sizeof *grown);
    if (!grown)
        return false;
    list->name = grown;
    if (asprintf(&list->name[list->count], "%s%s", name, suffix) < 0)
        return false;
    list->count++;
    return true;
}

void eb_candidates_free(eb_candidates *candidates)
{
    for (size_t k = 0; k < candidates->count; k++)
        free(candidates->name[k]);
    free(candidates->name);
    *candidates = (eb_candidates){0};
}

static bool add_commands(eb_candidates *list)
{
    bool added = true;
    for (size_t k = 0; added && k < eb_command_count(); k++)
        added = add(list, eb_command_at(k)->name, "");
    return added;
}

/* Values that fit an argument. */
static bool add_values(eb_candidates *list, const eb_argument *argument)
{
    bool added = true;
    char choice[32];
    switch (argument->type) {
    case EB_ARG_COMMAND: return add_commands(list);
    case EB_ARG_FILE: list->files = true; return true;
    case EB_ARG_DATASET: list->files = true; return add(list, "demo", "") && add(list, "demo:stars", "");
    case EB_ARG_DEVICE: return add(list, "cpu", "") && add(list, "cuda:0", "");
    case EB_ARG_FLAG: return add(list, "on", "") && add(list, "off", "");
    case EB_ARG_ENGINE:
        for (size_t k = 0; added && k < eb_engine_count(); k++)
            added = add(list, eb_engine_at(k)->name, "");
        return added;
    case EB_ARG_CHOICE:
        for (size_t k = 0; added && eb_choice_at(argument->choices, k, choice, sizeof choice); k++)
            added = add(list, choice, "");
        return added;
    default: return true; /* numbers and free text */
    }
}

/* ---- where in the command the cursor stands ---- */

typedef struct place {
    const eb_command *command; /* NULL: the command's name itself is being typed, or is unknown */
    bool unknown;
    bool given[EB_MAX_ARGUMENTS];
    const eb_argument *value_of; /* the cursor is in this argument's value; NULL: a new word begins */
    const char *nested;          /* watch: the command to repeat begins here */
} place;

static size_t argument_count(const eb_command *command)
{
    size_t count = 0;
    while (count < EB_MAX_ARGUMENTS && command->argument[count].name)
        count++;
    return count;
}

static const char *argument_name(const void *context, size_t index)
{
    return ((const eb_command *)context)->argument[index].name;
}

static bool find_argument(const eb_command *command, const char *name, size_t length, size_t *index)
{
    eb_names names = {"argument", argument_count(command), argument_name, command};
    return eb_lookup(&names, name, length, index, NULL) == EB_OK;
}

static bool next_positional(const place *p, size_t *index)
{
    for (*index = 0; *index < argument_count(p->command); ++*index)
        if (p->command->argument[*index].positional && !p->given[*index])
            return true;
    return false;
}

/* A finished word: the command, or which argument it gives. */
static void note_word(place *p, const eb_word *word)
{
    size_t index;
    if (!p->command) {
        p->unknown = eb_command_find(word->text, &p->command, NULL) != EB_OK;
        return;
    }
    if (p->value_of) { /* VALUE of NAME VALUE */
        p->value_of = NULL;
        return;
    }
    if (word->key_length > 0) {
        if (find_argument(p->command, word->begin, word->key_length, &index))
            p->given[index] = true;
        return;
    }
    bool named = !word->quoted && find_argument(p->command, word->text, strlen(word->text), &index);
    if (named && p->command->argument[index].type == EB_ARG_FLAG) {
        p->given[index] = true;
        return;
    }
    size_t positional;
    if (next_positional(p, &positional)) {
        p->given[positional] = true;
    } else if (named) {
        p->given[index] = true;
        p->value_of = &p->command->argument[index];
    }
}

/* Does the rest of the command, itself a command to repeat, begin at this word? */
static bool nested_begins(const place *p, const char *at)
{
    size_t index, option, length = eb_key_length(at);
    if (!p->command || p->value_of || !next_positional(p, &index))
        return false;
    const eb_argument *argument = &p->command->argument[index];
    return argument->type == EB_ARG_REST && strcmp(argument->name, "command") == 0 &&
           !(length > 0 && find_argument(p->command, at, length, &option));
}

/* Walks the words up to the end of `text`, which is the cursor. */
static place find_place(const char *text)
{
    place p = {0};
    for (const char *at = eb_skip_blanks(text);; at = eb_skip_blanks(at)) {
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
        if (p.command && length > 0 && find_argument(p.command, at, length, &index))
            p.value_of = &p.command->argument[index];
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
    size_t index;
    if (next_positional(p, &index))
        added = add_values(out, &p->command->argument[index]);
    for (size_t k = 0; added && k < argument_count(p->command); k++) {
        const eb_argument *argument = &p->command->argument[k];
        if (!argument->positional && !p->given[k])
            added = add(out, argument->name, argument->type == EB_ARG_FLAG ? "" : "=");
    }
    return added;
}

static bool complete_text(const char *text, eb_candidates *out)
{
    place p = find_place(last_command(text));
    if (p.nested)
        return complete_text(p.nested, out);
    if (p.unknown)
        return true;
    if (!p.command)
        return add_commands(out);
    return p.value_of ? add_values(out, p.value_of) : add_arguments(&p, out);
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
