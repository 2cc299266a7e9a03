#include "core/base/argument.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/decimal.h"
#include "core/base/lookup.h"

enum { LONGEST_CHOICE = 64 };

/* ---- arguments described in words ---- */

static const struct {
    const char *placeholder; /* in a usage line */
    const char *expected;    /* in a message, before the bounds: "a range" */
    const char *form;        /* in a message, after the bounds: ", A below B" */
} words[] = {
    [EB_ARG_TEXT] = {"TEXT", "text", ""},
    [EB_ARG_COLUMN] = {"COLUMN", "text", ""},
    [EB_ARG_COLUMNS] = {"COLUMNS", "text", ""},
    [EB_ARG_FORMAT] = {"TEXT", "text", ""},
    [EB_ARG_REST] = {"TEXT", "text", ""},
    [EB_ARG_TOPIC] = {"TOPIC", "a command, an engine, a term or words to search for", ""},
    [EB_ARG_LESSON] = {"NAME", "a lesson's name", ""},
    [EB_ARG_FILE] = {"FILE", "a file's name", ""},
    [EB_ARG_DATASET] = {"DATASET", "a file's name, demo or demo:stars", ""},
    [EB_ARG_ENGINE] = {"ENGINE", "an engine's name", ""},
    [EB_ARG_DEFAULT] = {"ENGINE.OPTION=VALUE", "ENGINE.OPTION=VALUE", ""},
    [EB_ARG_FLAG] = {"", "on or off", ""},
    [EB_ARG_DEVICE] = {"DEVICE", "cpu, cuda:N, or several: cuda:0,1, cuda:all", ""},
    [EB_ARG_OPTION] = {"", "its value", ""},
    [EB_ARG_CHOICE] = {"", "", ""},
    [EB_ARG_PRESET] = {"", "", ""},
    [EB_ARG_INTEGER] = {"N", "a whole number", ""},
    [EB_ARG_NUMBER] = {"X", "a number", ""},
    [EB_ARG_SHARE] = {"X%", "a share", ", such as 5% or 0.05"},
    [EB_ARG_NUMBERS] = {"X[,X…]", "numbers", ", such as 64,128"},
    [EB_ARG_RANGE] = {"A..B", "a range A..B of numbers", ", A below B"},
    [EB_ARG_STEPS] = {"A..B", "whole numbers", ", ascending, at most 64, such as A..B, A..B*2 or A,B,C"},
    [EB_ARG_SIZE] = {"SIZE", "a size", ", such as 512M, 4GiB or 4e9"},
    [EB_ARG_RATE] = {"RATE", "a rate", ", such as 400G, 2.5G or 4e9"},
};
_Static_assert(EB_MOST_STEPS == 64, "the words on EB_ARG_STEPS name it");

const char *eb_argument_choices(const eb_argument *argument)
{
    const bool chosen = argument->type == EB_ARG_CHOICE || argument->type == EB_ARG_PRESET;
    return chosen ? argument->choices : argument->type == EB_ARG_FLAG ? "on|off" : NULL;
}

const char *eb_argument_placeholder(const eb_argument *argument)
{
    const char *choices = eb_argument_choices(argument);
    return choices ? choices : words[argument->type].placeholder;
}

/* "a, b or c" */
static void describe_choices(const char *choices, char *buffer, size_t size)
{
    size_t used = 0;
    char choice[LONGEST_CHOICE], next[LONGEST_CHOICE];
    for (size_t k = 0; used < size && eb_choice_at(choices, k, choice, sizeof choice); k++) {
        bool last = !eb_choice_at(choices, k + 1, next, sizeof next);
        int written = snprintf(buffer + used, size - used, "%s%s", k == 0 ? "" : last ? " or " : ", ", choice);
        used += written > 0 ? (size_t)written : 0;
    }
}

static bool bounded(const eb_argument *argument) { return argument->min < argument->max; }

static void describe_bounds(const eb_argument *argument, char *buffer, size_t size)
{
    const bool bytes = argument->type == EB_ARG_SIZE;
    if (!bounded(argument) || argument->type == EB_ARG_SHARE || (bytes && argument->min == 0))
        buffer[0] = '\0';
    else if (argument->max > 1e15)
        (void)snprintf(buffer, size, " of at least %.15g%s", argument->min, bytes ? " bytes" : "");
    else if (argument->above)
        (void)snprintf(buffer, size, " above %.15g, at most %.15g", argument->min, argument->max);
    else
        (void)snprintf(buffer, size, " from %.15g to %.15g", argument->min, argument->max);
}

char *eb_argument_expectation(const eb_argument *argument, char *buffer, size_t size)
{
    char bounds[80];
    const char *choices = eb_argument_choices(argument),
               *of = argument->type == EB_ARG_RATE ? argument->unit : NULL; /* a rate is none without its unit */
    describe_bounds(argument, bounds, sizeof bounds);
    if (choices)
        describe_choices(choices, buffer, size);
    else
        (void)snprintf(buffer, size, "%s%s%s%s%s", words[argument->type].expected, of ? " in " : "", of ? of : "",
                       bounds, words[argument->type].form);
    return buffer;
}

eb_code eb_argument_mismatch(const eb_argument *argument, const char *text, eb_status *status)
{
    char expectation[200];
    return eb_fail(status, EB_USAGE, "%s expects %s, found \"%.80s\"", argument->name,
                   eb_argument_expectation(argument, expectation, sizeof expectation), text);
}

/* ---- numbers ---- */

/* Reads a finite decimal number that fills the text exactly. "inf" and "nan" are rejected. */
static bool read_number(const char *text, size_t length, double *out)
{
    return strspn(text, "0123456789+-.eE") >= length && eb_read_decimal(text, text + length, out) && isfinite(*out);
}

/* Reads a fraction: "5%" or "0.05". */
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

/* Numbers are read as FP64, so whole numbers are exact up to 2^53, also when written as 1e6. */
static bool read_integer(const char *text, int64_t *out)
{
    double x;
    if (!read_number(text, strlen(text), &x) || x != floor(x) || fabs(x) > 9007199254740992.0)
        return false;
    *out = (int64_t)x;
    return true;
}

static bool read_list(const eb_argument *argument, const char *text, eb_argument_value *value)
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

static bool read_range(const eb_argument *argument, const char *text, eb_argument_value *value)
{
    const char *dots = strstr(text, "..");
    double *ends = value->numbers;
    if (!dots || !read_number(text, (size_t)(dots - text), &ends[0]) ||
        !read_number(dots + 2, strlen(dots + 2), &ends[1]))
        return false;
    value->count = 2;
    return within(argument, ends[0]) && within(argument, ends[1]) && ends[0] < ends[1];
}

size_t eb_steps_by_factor(double from, double to, double factor, double out[EB_MOST_STEPS])
{
    if (!(from < to && factor > 1))
        return 0;
    for (size_t k = 0; k < EB_MOST_STEPS; k++) {
        double x = round(from * pow(factor, (double)k));
        if (k > 0 && x <= out[k - 1])
            return 0;
        out[k] = fmin(x, to);
        if (x >= to)
            return k + 1;
    }
    return 0;
}

static bool is_step(const eb_argument *argument, double x) { return x == floor(x) && within(argument, x); }

static bool read_ascending(const eb_argument *argument, const char *text, eb_argument_value *value)
{
    const double *x = value->numbers;
    bool fits = read_list(argument, text, value) && value->count <= EB_MOST_STEPS;
    for (size_t k = 0; k < value->count; k++)
        fits = fits && is_step(argument, x[k]) && (k == 0 || x[k] > x[k - 1]);
    return fits;
}

static bool read_steps(const eb_argument *argument, const char *text, eb_argument_value *value)
{
    double from, to, factor = argument->step;
    const char *dots = strstr(text, ".."), *star = strchr(text, '*');
    if (!dots)
        return read_ascending(argument, text, value);
    const char *second = dots + 2;
    bool fits = read_number(text, (size_t)(dots - text), &from) &&
                read_number(second, star ? (size_t)(star - second) : strlen(second), &to) &&
                (!star || read_number(star + 1, strlen(star + 1), &factor));
    fits = fits && is_step(argument, from) && is_step(argument, to);
    value->count = fits ? eb_steps_by_factor(from, to, factor, value->numbers) : 0;
    return value->count > 0;
}

/* 512M and 512MiB are binary, 512MB is decimal, as in dd and head. */
static const char letters[] = "KMGTP"; /* of factors */

static bool read_size(const char *text, uint64_t *out)
{
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

static bool read_rate(const char *text, double *out)
{
    const size_t digits = strspn(text, "0123456789+-.eE");
    const char suffix = text[digits], *letter = suffix ? strchr(letters, suffix == 'k' ? 'K' : suffix) : NULL;
    if (!read_number(text, digits, out) || (suffix && (!letter || text[digits + 1])))
        return false;
    *out *= letter ? pow(1000, (double)(letter - letters) + 1) : 1;
    return true;
}

/* ---- choices, written "a|b|c" ---- */

bool eb_choice_at(const char *choices, size_t index, char *buffer, size_t size)
{
    for (; index > 0; index--) {
        choices = strchr(choices, '|');
        if (!choices)
            return false;
        choices++;
    }
    (void)snprintf(buffer, size, "%.*s", (int)strcspn(choices, "|"), choices);
    return true;
}

typedef struct choice_list {
    size_t count;
    char name[EB_MOST_CHOICES][LONGEST_CHOICE];
} choice_list;

static const char *choice_name(const void *context, size_t index)
{
    return ((const choice_list *)context)->name[index];
}

eb_code eb_argument_value_rename(eb_argument_value *value, const char *name, eb_status *status)
{
    char *copy = strdup(name);
    if (!copy)
        return eb_fail_memory(status, "an argument", strlen(name) + 1);
    free(value->text);
    value->text = copy;
    return EB_OK;
}

static eb_code read_choice(const eb_argument *argument, eb_argument_value *value, eb_status *status)
{
    choice_list list = {0};
    while (list.count < EB_MOST_CHOICES &&
           eb_choice_at(argument->choices, list.count, list.name[list.count], LONGEST_CHOICE))
        list.count++;
    eb_names names = {argument->name, list.count, choice_name, &list, NULL};
    EB_TRY(eb_lookup(&names, value->text, strlen(value->text), &value->choice, status));
    return eb_argument_value_rename(value, list.name[value->choice], status);
}

/* ---- by type ---- */

/* Each number takes at least two characters of the text, its comma included. */
static eb_code make_room(eb_argument_value *value, eb_status *status)
{
    size_t room = strlen(value->text) / 2 + 2 + EB_MOST_STEPS;
    value->numbers = calloc(room, sizeof *value->numbers);
    return value->numbers ? EB_OK : eb_fail_memory(status, "a list of numbers", room * sizeof *value->numbers);
}

eb_code eb_argument_read(const eb_argument *argument, eb_argument_value *value, eb_status *status)
{
    const char *text = value->text;
    bool fits = true;
    if (argument->type == EB_ARG_NUMBERS || argument->type == EB_ARG_RANGE || argument->type == EB_ARG_STEPS)
        EB_TRY(make_room(value, status));
    switch (argument->type) {
    case EB_ARG_CHOICE:
    case EB_ARG_PRESET: return read_choice(argument, value, status);
    case EB_ARG_FLAG:
        value->flag = strcmp(text, "on") == 0;
        fits = value->flag || strcmp(text, "off") == 0;
        break;
    case EB_ARG_INTEGER: fits = read_integer(text, &value->integer) && within(argument, (double)value->integer); break;
    case EB_ARG_NUMBER:
        fits = read_number(text, strlen(text), &value->number) && within(argument, value->number);
        break;
    case EB_ARG_SHARE: fits = read_share(text, &value->number) && within(argument, value->number); break;
    case EB_ARG_NUMBERS: fits = read_list(argument, text, value); break;
    case EB_ARG_RANGE: fits = read_range(argument, text, value); break;
    case EB_ARG_STEPS: fits = read_steps(argument, text, value); break;
    case EB_ARG_SIZE: fits = read_size(text, &value->size) && within(argument, (double)value->size); break;
    case EB_ARG_RATE: fits = read_rate(text, &value->number) && within(argument, value->number); break;
    case EB_ARG_LESSON:
    case EB_ARG_FILE:
    case EB_ARG_DATASET:
    case EB_ARG_ENGINE: fits = text[0] != '\0'; break;
    default: break;
    }
    return fits ? EB_OK : eb_argument_mismatch(argument, text, status);
}

void eb_argument_value_clear(eb_argument_value *value)
{
    free(value->text);
    free(value->numbers);
    *value = (eb_argument_value){0};
}
