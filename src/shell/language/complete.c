#include "shell/language/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/spec.h"
#include "io/formats.h"
#include "shell/language/command.h"
#include "shell/language/glossary.h"
#include "shell/language/values.h"
#include "shell/language/words.h"
#include "shell/lessons/library.h"

static bool add(eb_candidates *list, const char *name, const char *suffix)
{
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

/* Each once: several ends of names are of one format. */
static bool add_formats(eb_candidates *list)
{
    bool added = true;
    for (size_t k = 0; added && k < eb_format_count(); k++)
        if (k == 0 || strcmp(eb_format_at(k)->name, eb_format_at(k - 1)->name) != 0)
            added = add(list, eb_format_at(k)->name, "");
    return added;
}

/* `before` is what is typed before it, from where readline's word begins. */
static bool add_engines(eb_candidates *list, const char *before, const char *suffix)
{
    bool added = true;
    char text[EB_SPEC_TEXT];
    for (size_t k = 0; added && k < eb_engine_count(); k++) {
        (void)snprintf(text, sizeof text, "%s%s", before, eb_engine_at(k)->name);
        added = add(list, text, suffix);
    }
    return added;
}

/* Terms are many: only those that what is typed may become. */
static bool add_topics(eb_candidates *list, const char *typed)
{
    bool added = add_commands(list) && add_engines(list, "", "") && add(list, EB_TERMS, "");
    for (size_t k = 0; added && typed[0] != '\0' && k < eb_term_count(); k++)
        added = add(list, eb_term_at(k)->name, "");
    return added;
}

static bool add_choices(eb_candidates *list, const char *before, const char *choices)
{
    bool added = true;
    char text[EB_SPEC_TEXT], choice[64];
    for (size_t k = 0; added && eb_choice_at(choices, k, choice, sizeof choice); k++) {
        (void)snprintf(text, sizeof text, "%s%s", before, choice);
        added = add(list, text, "");
    }
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
        added = add(list, eb_library_name(library.path[k], name, sizeof name), "");
    eb_library_close(&library);
    return added;
}

/* ---- inside an engine's brackets ---- */

/* Where in SPEC,SPEC,… the cursor stands. */
typedef struct spot {
    const char *spec;    /* this engine's begins here */
    const char *bracket; /* it is open; NULL: it is not */
    const char *item, *value;
    const char *word; /* readline's begins behind the last '=' */
} spot;

static spot find_spot(const char *text)
{
    spot s = {.spec = text, .word = text};
    for (const char *at = text; *at; at++) {
        if (*at == '[')
            s.bracket = at;
        else if (*at == ']')
            s.bracket = NULL;
        else if (*at == '=')
            s.value = s.word = at + 1;
        else if (*at == ',' && !s.bracket)
            s.spec = at + 1;
        if (*at == '[' || *at == ',') {
            s.item = at + 1;
            s.value = NULL;
        }
    }
    return s;
}

/* What may be an item: flags with the sign that is typed, or none. */
static bool add_items(eb_candidates *list, const eb_engine *engine, const char *before, const char *item)
{
    char text[EB_SPEC_TEXT + 64];
    char sign[] = {*item == '-' || *item == '+' ? *item : '\0', '\0'};
    bool added = true;
    for (size_t k = 0; added && k < engine->options.count; k++) {
        const eb_option *option = &engine->options.option[k];
        bool flag = option->type == EB_OPTION_FLAG;
        (void)snprintf(text, sizeof text, "%s%s%s", before, sign, option->name);
        if (flag || !sign[0])
            added = add(list, text, flag ? "" : "=");
        if (added && !sign[0] && option->choices)
            added = add_choices(list, before, option->choices);
    }
    (void)snprintf(text, sizeof text, "%sdevice", before);
    return added && (sign[0] || add(list, text, "="));
}

/* The values of the option called so. */
static bool add_option_values(eb_candidates *list, const eb_engine *engine, const char *text, size_t length)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%.*s", (int)length, text);
    const eb_option *option = eb_option_find(&engine->options, name);
    return !option || option->type == EB_OPTION_NUMBER ||
           add_choices(list, "", option->choices ? option->choices : "on|off");
}

static bool add_item_values(eb_candidates *list, const eb_engine *engine, const spot *s)
{
    size_t length = (size_t)(s->value - s->item - 1);
    if (length == strlen("device") && memcmp(s->item, "device", length) == 0)
        return add_choices(list, "", "cpu|cuda:0");
    return add_option_values(list, engine, s->item, length);
}

static bool add_specs(eb_candidates *list, const char *typed)
{
    spot s = find_spot(typed);
    const eb_engine *engine;
    char before[EB_SPEC_TEXT];
    const char *next = s.bracket ? s.item : s.spec;
    (void)snprintf(before, sizeof before, "%.*s", next > s.word ? (int)(next - s.word) : 0, s.word);
    if (!s.bracket) /* behind a bracket that is closed only ',' or a blank may come */
        return s.word > s.spec || add_engines(list, before, "");
    list->open = true;
    if (eb_engine_find(s.spec, (size_t)(s.bracket - s.spec), &engine, NULL))
        return true;
    return s.value ? add_item_values(list, engine, &s) : add_items(list, engine, before, s.item);
}

/* The values of ENGINE.OPTION, which ends at '=' or a blank. */
static bool add_default_values(eb_candidates *list, const char *typed)
{
    size_t length = strcspn(typed, "= \t"), name = strcspn(typed, ".");
    const eb_engine *engine;
    if (name >= length || eb_engine_find(typed, name, &engine, NULL))
        return true;
    return add_option_values(list, engine, typed + name + 1, length - name - 1);
}

/* ENGINE.OPTION=VALUE, as far as it is typed. */
static bool add_defaults(eb_candidates *list, const char *typed)
{
    const char *dot = strchr(typed, '.');
    const eb_engine *engine;
    char text[EB_SPEC_TEXT];
    bool added = true;
    if (strchr(typed, '='))
        return add_default_values(list, typed);
    list->open = true;
    if (!dot)
        return add_engines(list, "", ".");
    if (eb_engine_find(typed, (size_t)(dot - typed), &engine, NULL))
        return true;
    for (size_t k = 0; added && k < engine->options.count; k++) {
        (void)snprintf(text, sizeof text, "%.*s%s", (int)(dot + 1 - typed), typed, engine->options.option[k].name);
        added = add(list, text, "=");
    }
    return added;
}

/* Values that fit an argument; `text` is what there is of one. */
static bool add_values(eb_candidates *list, const eb_argument *argument, const char *text)
{
    const eb_option *option;
    switch (argument->type) {
    case EB_ARG_TOPIC: return add_topics(list, text);
    case EB_ARG_FORMAT: return add_formats(list);
    case EB_ARG_LESSON: return add_choices(list, "", argument->choices) && add_lessons(list);
    case EB_ARG_FILE: list->files = true; return true;
    case EB_ARG_DATASET:
        list->files = list->datasets = true;
        return add(list, "demo", "") && add(list, "demo:stars", "");
    case EB_ARG_DEVICE: return add(list, "cpu", "") && add(list, "cuda:0", "");
    case EB_ARG_FLAG: return add(list, "on", "") && add(list, "off", "");
    case EB_ARG_ENGINE: return add_specs(list, text);
    case EB_ARG_REST: return !argument->choices || add_choices(list, "", argument->choices);
    case EB_ARG_CHOICE: return add_choices(list, "", argument->choices);
    case EB_ARG_OPTION:
        option = eb_argument_option(argument, NULL);
        return !option || !option->choices || add_choices(list, "", option->choices);
    case EB_ARG_DEFAULT: return add_defaults(list, text);
    default: return true; /* numbers and free text */
    }
}

/* ---- where in the command the cursor stands ---- */

typedef struct place {
    const eb_command *command; /* NULL: the command's name itself is being typed, or is unknown */
    bool unknown;
    bool given[EB_MAX_ARGUMENTS];
    const eb_argument *value_of; /* the cursor is in this argument's value; NULL: a new word begins */
    const char *option;          /* the cursor is in the value of this ENGINE.OPTION; NULL: it is not */
    const char *word;            /* the value, or the word, so far */
    const char *nested;          /* watch: the command to repeat begins here */
} place;

static bool next_positional(const place *p, size_t *index)
{
    for (*index = 0; *index < eb_argument_count(p->command); ++*index)
        if (p->command->argument[*index].positional && (!p->given[*index] || p->command->argument[*index].repeated))
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
    if (p->value_of || p->option) { /* VALUE of NAME VALUE */
        p->value_of = NULL;
        p->option = NULL;
        return;
    }
    if (word->key_length > 0) {
        if (!eb_argument_find(p->command, word->begin, word->key_length, &index, NULL))
            p->given[index] = true;
        return;
    }
    bool named = !word->quoted && !eb_argument_find(p->command, word->text, strlen(word->text), &index, NULL);
    if (named && p->command->argument[index].type == EB_ARG_FLAG) {
        p->given[index] = true;
        return;
    }
    size_t positional;
    if (next_positional(p, &positional) && eb_argument_fits(p->command, positional, word)) {
        p->given[positional] = true;
        if (p->command->argument[positional].type == EB_ARG_DEFAULT && !strchr(word->text, '='))
            p->option = word->begin;
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
           !(length > 0 && !eb_argument_find(p->command, at, length, &option, NULL));
}

/* Walks the words up to the end of `text`, which is the cursor. */
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
            p.value_of = &p.command->argument[index];
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
    size_t index;
    if (next_positional(p, &index))
        added = add_values(out, &p->command->argument[index], p->word);
    bool name = !strchr(p->word, '='); /* the word may still become an argument's */
    for (size_t k = 0; added && name && k < eb_argument_count(p->command); k++) {
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
    if (p.option)
        return add_default_values(out, p.option);
    return p.value_of ? add_values(out, p.value_of, p.word) : add_arguments(&p, out);
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
