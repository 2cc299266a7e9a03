/* The parser: turns a typed line into a checked call. words.c has the lexical rules, values.c the types. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/language/command.h"
#include "shell/language/values.h"
#include "shell/language/words.h"

/* Shows a positional argument as its name in capitals or its choices, any other as NAME=VALUE. */
static void describe_argument(const eb_argument *argument, char *buffer, size_t size)
{
    const eb_argument meant = eb_argument_meant(argument);
    const char *value = eb_argument_placeholder(&meant);
    char plain[80];
    if (argument->type == EB_ARG_DEFAULT) {
        (void)snprintf(plain, sizeof plain, "%s…", value);
    } else if (argument->type == EB_ARG_FLAG || (argument->positional && argument->type == EB_ARG_CHOICE)) {
        (void)snprintf(plain, sizeof plain, "%s", argument->type == EB_ARG_FLAG ? argument->name : value);
    } else if (argument->positional && argument->type != EB_ARG_NUMBERS) {
        (void)snprintf(plain, sizeof plain, "%s%s", argument->name, argument->repeated ? "…" : "");
        for (char *c = plain; *c; c++)
            *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 32) : *c;
    } else {
        (void)snprintf(plain, sizeof plain, "%s=%s", argument->name, value);
    }
    (void)snprintf(buffer, size, argument->required ? "%s" : "[%s]", plain);
}

char *eb_command_usage(const eb_command *command, char *buffer, size_t size)
{
    int written = snprintf(buffer, size, "%s", command->name);
    size_t used = written > 0 ? (size_t)written : 0;
    for (size_t k = 0; k < eb_argument_count(command) && used < size; k++) {
        char argument[96];
        describe_argument(&command->argument[k], argument, sizeof argument);
        written = snprintf(buffer + used, size - used, " %s", argument);
        used += written > 0 ? (size_t)written : 0;
    }
    return buffer;
}

/* ---- arguments ---- */

typedef struct parser {
    const char *line; /* columns are counted from here */
    const char *at;   /* the next word */
    eb_call *call;
    size_t arguments;
    size_t positional; /* index where the search for the next positional argument begins */
} parser;

/* Puts the column before the message. */
static eb_code at_column(const parser *p, const char *where, eb_status *status)
{
    if (!status)
        return EB_USAGE;
    return eb_fail(status, status->code, "column %zu: %s", eb_column_of(p->line, where), status->message);
}

static const eb_argument *argument_at(const parser *p, size_t index) { return eb_argument_at(p->call->command, index); }

static eb_code assign(parser *p, size_t index, const char *where, const char *text, eb_status *status)
{
    eb_argument_value *value = &p->call->value[index];
    const eb_argument *argument = argument_at(p, index);
    eb_code failed = !value->given        ? eb_value_read(argument, text, value, status)
                     : argument->repeated ? eb_value_add(argument, text, value, status)
                                          : eb_fail(status, EB_USAGE, "%s is given twice", argument->name);
    return failed == EB_USAGE || failed == EB_NO_ENGINE ? at_column(p, where, status) : failed;
}

static bool next_positional(parser *p, size_t *index)
{
    for (; p->positional < p->arguments; p->positional++)
        if (argument_at(p, p->positional)->positional &&
            (!p->call->value[p->positional].given || argument_at(p, p->positional)->repeated)) {
            *index = p->positional;
            return true;
        }
    return false;
}

/* True for text that may contain '=', such as file names. */
static bool takes_any_text(const eb_argument *argument)
{
    return argument->type == EB_ARG_TEXT || argument->type == EB_ARG_COLUMN || argument->type == EB_ARG_COLUMNS ||
           argument->type == EB_ARG_LESSON || argument->type == EB_ARG_FILE || argument->type == EB_ARG_DATASET;
}

/* Takes key=value. Leaves *taken false if the key is no argument but the word may be text, such as a file name. */
static eb_code take_keyed(parser *p, const eb_word *word, bool *taken, eb_status *status)
{
    size_t index, positional;
    eb_code failed = eb_argument_find(p->call->command, word->begin, word->key_length, &index, status);
    *taken = !failed;
    if (!failed)
        return assign(p, index, word->value, word->text, status);
    if (next_positional(p, &positional) && takes_any_text(argument_at(p, positional)))
        return EB_OK;
    return at_column(p, word->begin, status);
}

static bool names_flag(const parser *p, const eb_word *word, size_t *index)
{
    return eb_word_names(p->call->command, word, index) && argument_at(p, *index)->type == EB_ARG_FLAG;
}

/* Reads the VALUE of NAME VALUE. */
static eb_code read_value(parser *p, size_t index, eb_word *out, eb_status *status)
{
    const char *at = eb_skip_blanks(p->at);
    char expectation[200];
    const eb_argument meant = eb_argument_meant(argument_at(p, index));
    if (eb_at_command_end(at))
        return eb_fail(status, EB_USAGE, "column %zu: %s expects %s, found the end of the command",
                       eb_column_of(p->line, at), meant.name,
                       eb_argument_expectation(&meant, expectation, sizeof expectation));
    eb_code failed = eb_read_word(p->line, at, out, status);
    if (!failed)
        p->at = out->end;
    return failed;
}

/* Takes a word when no positional argument is left: the prefix of a flag, or the NAME of NAME VALUE. */
static eb_code take_name(parser *p, const eb_word *word, eb_status *status)
{
    size_t index;
    if (word->quoted || p->arguments == 0) {
        char usage[400];
        return eb_fail(status, EB_USAGE, "column %zu: nothing was expected here, found \"%.80s\"; usage: %s",
                       eb_column_of(p->line, word->begin), word->text,
                       eb_command_usage(p->call->command, usage, sizeof usage));
    }
    if (eb_argument_find(p->call->command, word->text, strlen(word->text), &index, status))
        return at_column(p, word->begin, status);
    if (argument_at(p, index)->type == EB_ARG_FLAG)
        return assign(p, index, word->begin, "on", status);
    if (argument_at(p, index)->alone && eb_at_command_end(eb_skip_blanks(p->at)))
        return assign(p, index, word->begin, argument_at(p, index)->alone, status);
    eb_word value;
    EB_TRY(read_value(p, index, &value, status));
    eb_code failed = assign(p, index, value.begin, value.text, status);
    free(value.text);
    return failed;
}

/* Takes ENGINE.OPTION=VALUE or ENGINE.OPTION VALUE. */
static eb_code take_default(parser *p, size_t index, const eb_word *word, eb_status *status)
{
    eb_word value;
    char *whole = NULL;
    if (strchr(word->text, '='))
        return assign(p, index, word->begin, word->text, status);
    eb_code failed = read_value(p, index, &value, status);
    if (failed)
        return failed;
    if (asprintf(&whole, "%s=%s", word->text, value.text) < 0)
        failed = eb_fail_memory(status, "an argument", strlen(word->text) + strlen(value.text));
    free(value.text);
    failed = failed ? failed : assign(p, index, word->begin, whole, status);
    free(whole);
    return failed;
}

/* Takes all words that follow as one topic, because terms may have several words. */
static eb_code take_topic(parser *p, size_t index, const eb_word *first, eb_status *status)
{
    char *topic = strdup(first->text);
    eb_code failed = topic ? EB_OK : eb_fail_memory(status, "a topic", strlen(first->text));
    while (!failed && !eb_at_command_end(p->at = eb_skip_blanks(p->at))) {
        eb_word next;
        char *longer = NULL;
        failed = eb_read_name(p->line, p->at, &next, status);
        if (failed)
            break;
        if (asprintf(&longer, "%s %s", topic, next.text) < 0)
            failed = eb_fail_memory(status, "a topic", strlen(topic) + strlen(next.text));
        p->at = next.end;
        free(next.text);
        free(topic);
        topic = failed ? NULL : longer;
    }
    failed = failed ? failed : assign(p, index, first->begin, topic, status);
    free(topic);
    return failed;
}

/* Skips an optional engine argument if the word is a number and an integer argument follows. */
static void pass_over_engine(const parser *p, const eb_word *word, size_t *index)
{
    const eb_argument *argument = argument_at(p, *index);
    const bool number = word->text[0] >= '0' && word->text[0] <= '9';
    if (argument->type != EB_ARG_ENGINE || argument->required || !number || *index + 1 >= p->arguments)
        return;
    if (argument[1].positional && argument[1].type == EB_ARG_INTEGER && !p->call->value[*index + 1].given)
        ++*index;
}

static eb_code take_word(parser *p, const eb_word *word, eb_status *status)
{
    size_t index;
    bool taken = false;
    if (word->key_length > 0) {
        eb_code failed = take_keyed(p, word, &taken, status);
        if (failed || taken)
            return failed;
    }
    if (names_flag(p, word, &index))
        return assign(p, index, word->begin, "on", status);
    if (!next_positional(p, &index) || !eb_argument_fits(p->call->command, index, word))
        return take_name(p, word, status);
    pass_over_engine(p, word, &index);
    if (argument_at(p, index)->type == EB_ARG_DEFAULT)
        return take_default(p, index, word, status);
    if (argument_at(p, index)->type == EB_ARG_TOPIC)
        return take_topic(p, index, word, status);
    if (word->key_length == 0)
        return assign(p, index, word->begin, word->text, status);
    char *whole = strndup(word->begin, (size_t)(word->end - word->begin));
    if (!whole)
        return eb_fail_memory(status, "an argument", (size_t)(word->end - word->begin));
    eb_code failed = assign(p, index, word->begin, whole, status);
    free(whole);
    return failed;
}

/* True if the rest of the command is the value of an EB_ARG_REST argument. Options come before the rest. This is tested
 * before a word is read because the rest takes '#' and most quotes literally. */
static bool rest_begins(parser *p, size_t *index)
{
    size_t option, length = eb_key_length(p->at);
    return next_positional(p, index) && argument_at(p, *index)->type == EB_ARG_REST &&
           (length == 0 || eb_argument_find(p->call->command, p->at, length, &option, NULL));
}

static eb_code take_rest(parser *p, size_t index, eb_status *status)
{
    eb_word rest;
    EB_TRY(eb_read_rest(p->line, p->at, &rest, status));
    p->at = rest.end;
    eb_code failed = assign(p, index, rest.begin, rest.text, status);
    free(rest.text);
    return failed;
}

static eb_code take_next(parser *p, eb_status *status)
{
    eb_word word;
    size_t index;
    if (rest_begins(p, &index))
        return take_rest(p, index, status);
    EB_TRY(eb_read_word(p->line, p->at, &word, status));
    p->at = word.end;
    eb_code failed = take_word(p, &word, status);
    free(word.text);
    return failed;
}

static eb_code take_arguments(parser *p, eb_status *status)
{
    for (;;) {
        p->at = eb_skip_blanks(p->at);
        size_t index;
        if (eb_at_command_end(p->at) && !(*p->at == '#' && rest_begins(p, &index)))
            break;
        EB_TRY(take_next(p, status));
    }
    for (size_t k = 0; k < p->arguments; k++)
        if (argument_at(p, k)->required && !p->call->value[k].given) {
            char expectation[200], usage[400];
            return eb_fail(status, EB_USAGE, "column %zu: %s is missing, expected %s; usage: %s",
                           eb_column_of(p->line, p->at), argument_at(p, k)->name,
                           eb_argument_expectation(argument_at(p, k), expectation, sizeof expectation),
                           eb_command_usage(p->call->command, usage, sizeof usage));
        }
    return EB_OK;
}

/* ---- the whole command ---- */

void eb_call_free(eb_call *call)
{
    if (!call)
        return;
    for (size_t k = 0; k < EB_MAX_ARGUMENTS + EB_LIST_ARGUMENTS; k++)
        eb_argument_value_clear(&call->value[k]);
    free(call->text);
    free(call);
}

static eb_code keep_text(eb_call *call, const char *begin, const char *end, eb_status *status)
{
    while (end > begin && strchr(" \t\r\v\f", end[-1]))
        end--;
    call->text = strndup(begin, (size_t)(end - begin));
    return call->text ? EB_OK : eb_fail_memory(status, "a command's text", (size_t)(end - begin));
}

static eb_code parse_command(parser *p, const char *begin, eb_status *status)
{
    eb_word name;
    EB_TRY(eb_read_name(p->line, begin, &name, status));
    const eb_command *command = NULL;
    (void)eb_command_find(name.text, &command, status);
    free(name.text);
    if (!command)
        return at_column(p, begin, status);
    p->call = calloc(1, sizeof *p->call);
    if (!p->call)
        return eb_fail_memory(status, "a command", sizeof *p->call);
    p->call->command = command;
    p->at = name.end;
    p->arguments = eb_argument_count(command);
    eb_code failed = take_arguments(p, status);
    return failed ? failed : keep_text(p->call, begin, p->at, status);
}

eb_code eb_parse_at(const char *line, const char *start, const char **rest, eb_call **out, eb_status *status)
{
    *out = NULL;
    start = eb_command_begin(start);
    parser p = {.line = line, .at = start};
    if (eb_at_command_end(start)) {
        *rest = eb_next_command(start);
        return EB_OK;
    }
    eb_code failed = parse_command(&p, start, status);
    if (failed) {
        eb_call_free(p.call);
        *rest = eb_next_command(start);
        return failed;
    }
    *rest = eb_next_command(p.at);
    *out = p.call;
    return EB_OK;
}

eb_code eb_parse(const char *line, const char **rest, eb_call **out, eb_status *status)
{
    return eb_parse_at(line, line, rest, out, status);
}
