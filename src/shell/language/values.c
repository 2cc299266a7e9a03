#include "shell/language/values.h"

#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/lookup.h"
#include "core/engine/spec.h"
#include "core/experiment/rates.h"
#include "shell/language/glossary.h"

/* ---- a command's arguments ---- */

static const char *argument_name(const void *context, size_t index)
{
    return ((const eb_command *)context)->argument[index].name;
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
    return eb_lookup(&names, name, length, index, status);
}

bool eb_word_names(const eb_command *command, const eb_word *word, size_t *index)
{
    for (*index = 0; *index < eb_argument_count(command); ++*index)
        if (strcmp(command->argument[*index].name, word->text) == 0)
            return !word->quoted;
    return false;
}

bool eb_argument_fits(const eb_command *command, size_t index, const eb_word *word)
{
    const eb_argument *argument = &command->argument[index];
    size_t named;
    if (argument->type == EB_ARG_DEFAULT)
        return strchr(word->text, '.') != NULL;
    /* A name is no whole number: the VALUE of NAME VALUE follows it. */
    const bool nameable = argument->repeated || (argument->type == EB_ARG_INTEGER && !argument->required);
    return !nameable || !eb_word_names(command, word, &named);
}

/* ---- what an argument accepts, in words ---- */

static bool bounded(const eb_argument *argument) { return argument->min < argument->max; }

static bool unlimited_above(const eb_argument *argument) { return !bounded(argument) || argument->max > 1e15; }

static void describe_bounds(const eb_argument *argument, char *buffer, size_t size)
{
    if (!bounded(argument))
        buffer[0] = '\0';
    else if (unlimited_above(argument))
        (void)snprintf(buffer, size, " of at least %.15g", argument->min);
    else if (argument->above)
        (void)snprintf(buffer, size, " above %.15g, at most %.15g", argument->min, argument->max);
    else
        (void)snprintf(buffer, size, " from %.15g to %.15g", argument->min, argument->max);
}

/* "a, b or c" */
static void describe_choices(const char *choices, char *buffer, size_t size)
{
    size_t used = 0;
    char choice[32], next[32];
    for (size_t k = 0; used < size && eb_choice_at(choices, k, choice, sizeof choice); k++) {
        bool last = !eb_choice_at(choices, k + 1, next, sizeof next);
        int written = snprintf(buffer + used, size - used, "%s%s", k == 0 ? "" : last ? " or " : ", ", choice);
        used += written > 0 ? (size_t)written : 0;
    }
}

char *eb_argument_expectation(const eb_argument *argument, char *buffer, size_t size)
{
    char bounds[80];
    describe_bounds(argument, bounds, sizeof bounds);
    switch (argument->type) {
    case EB_ARG_TEXT:
    case EB_ARG_COLUMN:
    case EB_ARG_COLUMNS:
    case EB_ARG_FORMAT:
    case EB_ARG_REST: (void)snprintf(buffer, size, "text"); break;
    case EB_ARG_TOPIC: (void)snprintf(buffer, size, "a command, an engine, a term or words to search for"); break;
    case EB_ARG_LESSON: (void)snprintf(buffer, size, "a lesson's name"); break;
    case EB_ARG_FILE: (void)snprintf(buffer, size, "a file's name"); break;
    case EB_ARG_DATASET: (void)snprintf(buffer, size, "a file's name, demo or demo:stars"); break;
    case EB_ARG_DEVICE: (void)snprintf(buffer, size, "cpu or cuda:N"); break;
    case EB_ARG_ENGINE: (void)snprintf(buffer, size, "an engine's name"); break;
    case EB_ARG_OPTION: {
        const eb_option *option = eb_argument_option(argument, NULL);
        describe_choices(option && option->choices ? option->choices : "its value", buffer, size);
        break;
    }
    case EB_ARG_DEFAULT: (void)snprintf(buffer, size, "ENGINE.OPTION=VALUE"); break;
    case EB_ARG_CHOICE: describe_choices(argument->choices, buffer, size); break;
    case EB_ARG_FLAG: (void)snprintf(buffer, size, "on or off"); break;
    case EB_ARG_INTEGER: (void)snprintf(buffer, size, "a whole number%s", bounds); break;
    case EB_ARG_NUMBER: (void)snprintf(buffer, size, "a number%s", bounds); break;
    case EB_ARG_SHARE: (void)snprintf(buffer, size, "a share as 5%% or 0.05"); break;
    case EB_ARG_NUMBERS: (void)snprintf(buffer, size, "numbers%s as 64,128", bounds); break;
    case EB_ARG_RANGE: (void)snprintf(buffer, size, "a range A..B of numbers%s, A below B", bounds); break;
    case EB_ARG_STEPS:
        (void)snprintf(buffer, size, "whole numbers%s, ascending, at most %u, as A..B, A..B*2 or A,B,C", bounds,
                       EB_MOST_STEPS);
        break;
    case EB_ARG_SIZE:
        (void)snprintf(buffer, size, "a size as 512M, 4GiB or 4e9");
        if (argument->min > 0)
            (void)snprintf(buffer, size, "a size of at least %.15g bytes as 512M, 4GiB or 4e9", argument->min);
        break;
    }
    return buffer;
}

static eb_code mismatch(const eb_argument *argument, const char *text, eb_status *status)
{
    char expectation[200];
    return eb_fail(status, EB_USAGE, "%s expects %s, found \"%.80s\"", argument->name,
                   eb_argument_expectation(argument, expectation, sizeof expectation), text);
}

/* ---- numbers ---- */

static locale_t c_locale;

static void make_c_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

/* A finite decimal number that fills the text exactly. strtod alone would also take hexadecimal, "inf" and "nan", and
 * would follow the locale's decimal comma. */
static bool read_number(const char *text, size_t length, double *out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char digits[64];
    if (length == 0 || length >= sizeof digits || strspn(text, "0123456789+-.eE") < length)
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    (void)pthread_once(&once, make_c_locale);
    char *end = NULL;
    *out = c_locale ? strtod_l(digits, &end, c_locale) : strtod(digits, &end);
    return end == digits + length && isfinite(*out);
}

/* A part of all: "5%" or "0.05". */
static bool read_share(const char *text, double *out)
{
    size_t length = strlen(text);
    bool percent = length > 0 && text[length - 1] == '%';
    if (!read_number(text, length - percent, out))
        return false;
    *out = percent ? *out / 100 : *out;
    return true;
}

static bool within(const eb_argument *argument, double x)
{
    return !bounded(argument) || (x >= argument->min && x <= argument->max && !(argument->above && x == argument->min));
}

/* Whole numbers are exact up to 2^53 however they are written, 1e6 included. */
static bool read_integer(const char *text, int64_t *out)
{
    double x;
    if (!read_number(text, strlen(text), &x) || x != floor(x) || fabs(x) > 9007199254740992.0)
        return false;
    *out = (int64_t)x;
    return true;
}

static bool read_list(const eb_argument *argument, const char *text, struct eb_call_value *value)
{
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        if (!read_number(at, length, &value->numbers[value->count]) || !within(argument, value->numbers[value->count]))
            return false;
        value->count++;
        at += length;
        if (*at == '\0')
            return true;
    }
}

static bool read_range(const eb_argument *argument, const char *text, struct eb_call_value *value)
{
    const char *dots = strstr(text, "..");
    double *ends = value->numbers;
    if (!dots || !read_number(text, (size_t)(dots - text), &ends[0]) ||
        !read_number(dots + 2, strlen(dots + 2), &ends[1]))
        return false;
    value->count = 2;
    return within(argument, ends[0]) && within(argument, ends[1]) && ends[0] < ends[1];
}

static bool is_step(const eb_argument *argument, double x) { return x == floor(x) && within(argument, x); }

/* A,B,C ascending; 0: it is none. */
static size_t read_ascending(const eb_argument *argument, const char *text, double *out)
{
    struct eb_call_value list = {.numbers = out};
    bool fits = read_list(argument, text, &list) && list.count <= EB_MOST_STEPS;
    for (size_t k = 0; k < list.count; k++)
        fits = fits && is_step(argument, out[k]) && (k == 0 || out[k] > out[k - 1]);
    return fits ? list.count : 0;
}

/* How many; 0: it is none. */
static size_t read_steps(const eb_argument *argument, const char *text, double *out)
{
    double from, to, factor = argument->step;
    const char *dots = strstr(text, ".."), *star = strchr(text, '*');
    if (!dots)
        return read_ascending(argument, text, out);
    const char *second = dots + 2;
    bool fits = read_number(text, (size_t)(dots - text), &from) &&
                read_number(second, star ? (size_t)(star - second) : strlen(second), &to) &&
                (!star || read_number(star + 1, strlen(star + 1), &factor));
    return fits && is_step(argument, from) && is_step(argument, to) ? eb_rate_steps(from, to, factor, out) : 0;
}

/* 512M and 512MiB are binary, 512MB is decimal, as dd and head have it. */
static bool read_size(const char *text, uint64_t *out)
{
    static const char letters[] = "KMGTP";
    size_t digits = strspn(text, "0123456789+-.eE");
    double x, factor = 1.0;
    if (!read_number(text, digits, &x) || x < 0.0)
        return false;
    const char *suffix = text + digits;
    if (*suffix != '\0' && *suffix != 'B') {
        char upper = *suffix == 'k' ? 'K' : *suffix;
        const char *letter = strchr(letters, upper);
        if (!letter)
            return false;
        bool decimal = suffix[1] == 'B';
        factor = pow(decimal ? 1000.0 : 1024.0, (double)(letter - letters) + 1.0);
        suffix += strncmp(suffix + 1, "iB", 2) == 0 ? 3 : decimal ? 2 : 1;
    } else if (*suffix == 'B') {
        suffix++;
    }
    x = floor(x * factor);
    if (*suffix != '\0' || !(x < 18446744073709551616.0))
        return false;
    *out = (uint64_t)x;
    return true;
}

/* ---- names ---- */

typedef struct choice_list {
    size_t count;
    char name[EB_MOST_CHOICES][32];
} choice_list;

static const char *choice_name(const void *context, size_t index)
{
    const choice_list *list = context;
    return list->name[index];
}

/* Replaces the value's text by the whole name. */
static eb_code full_name(struct eb_call_value *value, const char *name, eb_status *status)
{
    char *copy = strdup(name);
    if (!copy)
        return eb_fail_memory(status, "an argument", strlen(name) + 1);
    free(value->text);
    value->text = copy;
    return EB_OK;
}

static eb_code read_choice(const eb_argument *argument, struct eb_call_value *value, eb_status *status)
{
    choice_list list = {0};
    while (list.count < sizeof list.name / sizeof list.name[0] &&
           eb_choice_at(argument->choices, list.count, list.name[list.count], sizeof list.name[0]))
        list.count++;
    eb_names names = {argument->name, list.count, choice_name, &list, NULL};
    size_t index;
    eb_code failed = eb_lookup(&names, value->text, strlen(value->text), &index, status);
    return failed ? failed : full_name(value, list.name[index], status);
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

/* One item: not several, nor anything behind the bracket. */
static bool is_item(const char *text) { return !strpbrk(text, ",[]"); }

/* ENGINE and OPTION=VALUE become ENGINE[OPTION=VALUE]. */
static eb_code take_spec(const eb_engine *engine, const char *item, struct eb_call_value *value, eb_status *status)
{
    char spec[EB_SPEC_TEXT];
    (void)snprintf(spec, sizeof spec, "%s[%s]", engine->name, item);
    return full_name(value, spec, status);
}

static eb_code read_option(const eb_argument *argument, struct eb_call_value *value, eb_status *status)
{
    char item[EB_OPTIONS_TEXT];
    const eb_engine *engine = NULL;
    const eb_option *option = eb_argument_option(argument, &engine);
    if (!option || !is_item(value->text) ||
        snprintf(item, sizeof item, "%s=%s", option->name, value->text) >= (int)sizeof item)
        return mismatch(argument, value->text, status);
    eb_options options;
    eb_options_default(&engine->options, &options);
    eb_code failed = eb_options_take(&options, item, status);
    return failed ? failed : take_spec(engine, item, value, status);
}

/* The handler checks the value: it knows what is set already. */
static eb_code read_default(const eb_argument *argument, struct eb_call_value *value, eb_status *status)
{
    char item[EB_OPTIONS_TEXT]; /* value->text is replaced */
    const eb_engine *engine;
    size_t name = strcspn(value->text, ".");
    if (value->text[name] == '\0' || !is_item(value->text + name + 1) ||
        snprintf(item, sizeof item, "%s", value->text + name + 1) >= (int)sizeof item)
        return mismatch(argument, value->text, status);
    eb_code failed = eb_engine_find(value->text, name, &engine, status);
    return failed ? failed : take_spec(engine, item, value, status);
}

static const char *command_or_engine(const void *context, size_t index)
{
    (void)context;
    return index < eb_command_count() ? eb_command_at(index)->name : eb_engine_at(index - eb_command_count())->name;
}

/* Whole names first, a term's last; then a prefix, which is the command's where others share it, then the engine's.
 * Anything else stays as it is: words to search for. */
static eb_code read_topic(struct eb_call_value *value, eb_status *status)
{
    const eb_command *command;
    size_t index, length = strlen(value->text);
    const eb_names sure = {"command or engine", eb_command_count() + eb_engine_count(), command_or_engine, NULL, NULL};
    const eb_term *term = eb_term_find(value->text);
    bool found = eb_lookup(&sure, value->text, length, &index, NULL) == EB_OK;
    if (strcmp(value->text, EB_TERMS) == 0 || (found && strcmp(command_or_engine(NULL, index), value->text) == 0))
        return EB_OK;
    if (term && strcasecmp(term->name, value->text) == 0)
        return full_name(value, term->name, status);
    if (eb_command_find(value->text, &command, NULL) == EB_OK)
        return full_name(value, command->name, status);
    if (found || term)
        return full_name(value, found ? command_or_engine(NULL, index) : term->name, status);
    return value->text[strspn(value->text, " \t")] ? EB_OK : eb_fail(status, EB_USAGE, "a word to explain is missing");
}

static eb_code read_flag(const eb_argument *argument, struct eb_call_value *value, eb_status *status)
{
    bool on = strcmp(value->text, "on") == 0;
    if (!on && strcmp(value->text, "off") != 0)
        return mismatch(argument, value->text, status);
    value->flag = on;
    return EB_OK;
}

static eb_code make_room(size_t room, struct eb_call_value *value, eb_status *status)
{
    value->numbers = calloc(room, sizeof *value->numbers);
    return value->numbers ? EB_OK : eb_fail_memory(status, "a list of numbers", room * sizeof *value->numbers);
}

/* ---- the type switch ---- */

static eb_code read_typed(const eb_argument *argument, struct eb_call_value *value, eb_status *status)
{
    const char *text = value->text;
    bool fits = true;
    switch (argument->type) {
    case EB_ARG_TEXT:
    case EB_ARG_COLUMN:
    case EB_ARG_COLUMNS:
    case EB_ARG_FORMAT:
    case EB_ARG_REST: break;
    case EB_ARG_LESSON:
    case EB_ARG_FILE:
    case EB_ARG_DATASET:
    case EB_ARG_ENGINE: fits = text[0] != '\0'; break;
    case EB_ARG_DEVICE: {
        eb_device_kind kind;
        int index;
        fits = eb_device_parse(text, &kind, &index, NULL) == EB_OK;
        break;
    }
    case EB_ARG_CHOICE: return read_choice(argument, value, status);
    case EB_ARG_FLAG: return read_flag(argument, value, status);
    case EB_ARG_TOPIC: return read_topic(value, status);
    case EB_ARG_OPTION: return read_option(argument, value, status);
    case EB_ARG_DEFAULT: return read_default(argument, value, status);
    case EB_ARG_INTEGER: fits = read_integer(text, &value->integer) && within(argument, (double)value->integer); break;
    case EB_ARG_NUMBER:
        fits = read_number(text, strlen(text), &value->number) && within(argument, value->number);
        break;
    case EB_ARG_SHARE: fits = read_share(text, &value->number) && within(argument, value->number); break;
    case EB_ARG_NUMBERS:
    case EB_ARG_RANGE:
        EB_TRY(
            make_room(strlen(text) / 2 + 2, value, status)); /* a number and its comma take two characters at least */
        fits = argument->type == EB_ARG_RANGE ? read_range(argument, text, value) : read_list(argument, text, value);
        break;
    case EB_ARG_STEPS:
        EB_TRY(make_room(strlen(text) / 2 + 2 + EB_MOST_STEPS, value, status));
        value->count = read_steps(argument, text, value->numbers);
        fits = value->count > 0;
        break;
    case EB_ARG_SIZE: fits = read_size(text, &value->size) && within(argument, (double)value->size); break;
    }
    return fits ? EB_OK : mismatch(argument, text, status);
}

eb_code eb_value_read(const eb_argument *argument, const char *text, struct eb_call_value *value, eb_status *status)
{
    value->text = strdup(text);
    if (!value->text)
        return eb_fail_memory(status, "an argument", strlen(text) + 1);
    value->given = true;
    return read_typed(argument, value, status);
}

eb_code eb_value_add(const eb_argument *argument, const char *text, struct eb_call_value *value, eb_status *status)
{
    struct eb_call_value more = {.given = false};
    char *both = NULL;
    eb_code failed = eb_value_read(argument, text, &more, status);
    if (!failed && asprintf(&both, "%s,%s", value->text, more.text) < 0)
        failed = eb_fail_memory(status, "an argument", strlen(text));
    eb_value_clear(&more);
    if (failed)
        return failed;
    free(value->text);
    value->text = both;
    return EB_OK;
}

void eb_value_clear(struct eb_call_value *value)
{
    free(value->text);
    free(value->numbers);
    *value = (struct eb_call_value){0};
}
