#include "shell/language/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/lookup.h"
#include "core/engine/spec.h"
#include "shell/language/glossary.h"
#include "shell/language/lists.h"

/* ---- a command's arguments ---- */

const eb_argument *eb_argument_at(const eb_command *command, size_t index)
{
    return index < EB_MAX_ARGUMENTS ? &command->argument[index] : &eb_list_arguments[index - EB_MAX_ARGUMENTS];
}

/* The index-th argument that can be typed: its own come first. */
static size_t typed_argument(const eb_command *command, size_t index)
{
    const size_t own = eb_argument_count(command);
    return index < own ? index : EB_MAX_ARGUMENTS + index - own;
}

static const char *argument_name(const void *context, size_t index)
{
    return eb_argument_at(context, typed_argument(context, index))->name;
}

size_t eb_argument_count(const eb_command *command)
{
    size_t count = 0;
    while (count < EB_MAX_ARGUMENTS && command->argument[count].name)
        count++;
    return count;
}

eb_code eb_argument_find(const eb_command *command, const char *name, size_t length, size_t *index, eb_status *status)
{
    eb_names names = {"argument", eb_argument_count(command), argument_name, command, NULL};
    if (!eb_listing_of(command) || eb_lookup(&names, name, length, index, NULL) == EB_OK)
        return eb_lookup(&names, name, length, index, status);
    names.count += EB_LIST_ARGUMENTS;
    const eb_code failed = eb_lookup(&names, name, length, index, status);
    if (!failed)
        *index = typed_argument(command, *index);
    return failed;
}

bool eb_word_names(const eb_command *command, const eb_word *word, size_t *index)
{
    for (*index = 0; *index < eb_argument_count(command); ++*index)
        if (strcmp(command->argument[*index].name, word->text) == 0)
            return !word->quoted;
    for (size_t k = 0; k < EB_LIST_ARGUMENTS && eb_listing_of(command); k++)
        if (strcmp(eb_list_arguments[k].name, word->text) == 0) {
            *index = EB_MAX_ARGUMENTS + k;
            return !word->quoted;
        }
    return false;
}

bool eb_argument_fits(const eb_command *command, size_t index, const eb_word *word)
{
    const eb_argument *argument = &command->argument[index];
    size_t named;
    if (argument->type == EB_ARG_DEFAULT)
        return strchr(word->text, '.') != NULL;
    /* An argument's name is not a value here: it is the NAME of NAME VALUE. */
    const bool nameable = argument->repeated || (argument->type == EB_ARG_INTEGER && !argument->required);
    return !nameable || !eb_word_names(command, word, &named);
}

/* ---- engines' options ---- */

const eb_option *eb_argument_option(const eb_argument *argument, const eb_engine **of)
{
    const eb_engine *engine;
    size_t name = strcspn(argument->choices, ".");
    if (eb_engine_find(argument->choices, name, &engine, NULL))
        return NULL;
    if (of)
        *of = engine;
    return eb_option_find(&engine->options, argument->choices + name + 1);
}

eb_argument eb_argument_meant(const eb_argument *argument)
{
    const eb_option *option = argument->type == EB_ARG_OPTION ? eb_argument_option(argument, NULL) : NULL;
    eb_argument meant = option ? eb_option_argument(option) : *argument;
    meant.name = argument->name;
    meant.fallback = argument->fallback;
    meant.positional = argument->positional;
    meant.required = argument->required;
    return meant;
}

/* True for one item: no list, no brackets. */
static bool is_item(const char *text) { return !strpbrk(text, ",[]"); }

/* Sets the value's text to ENGINE[OPTION=VALUE]. */
static eb_code take_spec(const eb_engine *engine, const char *item, eb_argument_value *value, eb_status *status)
{
    char spec[EB_SPEC_TEXT];
    (void)snprintf(spec, sizeof spec, "%s[%s]", engine->name, item);
    return eb_argument_value_rename(value, spec, status);
}

static eb_code read_option(const eb_argument *argument, eb_argument_value *value, eb_status *status)
{
    char item[EB_OPTIONS_TEXT];
    const eb_engine *engine = NULL;
    const eb_option *option = eb_argument_option(argument, &engine);
    const eb_argument meant = eb_argument_meant(argument);
    if (!option || !is_item(value->text) ||
        snprintf(item, sizeof item, "%s=%s", option->name, value->text) >= (int)sizeof item)
        return eb_argument_mismatch(&meant, value->text, status);
    eb_options options;
    eb_options_default(&engine->options, &options);
    eb_code failed = eb_options_take(&options, item, status);
    return failed ? failed : take_spec(engine, item, value, status);
}

/* Reads ENGINE.OPTION=VALUE. The handler checks VALUE, because the check depends on other settings. */
static eb_code read_default(const eb_argument *argument, eb_argument_value *value, eb_status *status)
{
    char item[EB_OPTIONS_TEXT]; /* value->text is replaced */
    const eb_engine *engine;
    size_t name = strcspn(value->text, ".");
    if (value->text[name] == '\0' || !is_item(value->text + name + 1) ||
        snprintf(item, sizeof item, "%s", value->text + name + 1) >= (int)sizeof item)
        return eb_argument_mismatch(argument, value->text, status);
    eb_code failed = eb_engine_find(value->text, name, &engine, status);
    return failed ? failed : take_spec(engine, item, value, status);
}

static const char *command_or_engine(const void *context, size_t index)
{
    (void)context;
    return index < eb_command_count() ? eb_command_at(index)->name : eb_engine_at(index - eb_command_count())->name;
}

/* Replaces a topic by its full name. Order: whole names of commands and engines, whole names of terms, prefixes of
 * commands, of engines, of terms. Any other text is kept: it is searched for. */
static eb_code read_topic(eb_argument_value *value, eb_status *status)
{
    const eb_command *command;
    size_t index, length = strlen(value->text);
    const eb_names sure = {"command or engine", eb_command_count() + eb_engine_count(), command_or_engine, NULL, NULL};
    const eb_term *term = eb_term_find(value->text);
    bool found = eb_lookup(&sure, value->text, length, &index, NULL) == EB_OK;
    if (strcmp(value->text, EB_TERMS) == 0 || strcmp(value->text, EB_ALL) == 0 ||
        (found && strcmp(command_or_engine(NULL, index), value->text) == 0))
        return EB_OK;
    if (term && strcasecmp(term->name, value->text) == 0)
        return eb_argument_value_rename(value, term->name, status);
    if (eb_command_find(value->text, &command, NULL) == EB_OK)
        return eb_argument_value_rename(value, command->name, status);
    if (found || term)
        return eb_argument_value_rename(value, found ? command_or_engine(NULL, index) : term->name, status);
    return value->text[strspn(value->text, " \t")] ? EB_OK : eb_fail(status, EB_USAGE, "a word to explain is missing");
}

static eb_code read_typed(const eb_argument *argument, eb_argument_value *value, eb_status *status)
{
    eb_device_kind kind;
    int index;
    switch (argument->type) {
    case EB_ARG_DEVICE:
        return eb_device_parse(value->text, &kind, &index, NULL) ? eb_argument_mismatch(argument, value->text, status)
                                                                 : EB_OK;
    case EB_ARG_TOPIC: return read_topic(value, status);
    case EB_ARG_OPTION: return read_option(argument, value, status);
    case EB_ARG_DEFAULT: return read_default(argument, value, status);
    default: return eb_argument_read(argument, value, status);
    }
}

eb_code eb_value_read(const eb_argument *argument, const char *text, eb_argument_value *value, eb_status *status)
{
    value->text = strdup(text);
    if (!value->text)
        return eb_fail_memory(status, "an argument", strlen(text) + 1);
    value->given = true;
    return read_typed(argument, value, status);
}

eb_code eb_value_add(const eb_argument *argument, const char *text, eb_argument_value *value, eb_status *status)
{
    eb_argument_value more = {.given = false};
    char *both = NULL;
    eb_code failed = eb_value_read(argument, text, &more, status);
    if (!failed && asprintf(&both, "%s,%s", value->text, more.text) < 0)
        failed = eb_fail_memory(status, "an argument", strlen(text));
    eb_argument_value_clear(&more);
    if (failed)
        return failed;
    free(value->text);
    value->text = both;
    return EB_OK;
}
