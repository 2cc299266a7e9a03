#include "core/engine/option.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/lookup.h"

enum { LONGEST_NAME = 64 };

/* ---- choices, written "a|b|c" ---- */

static size_t choice_count(const char *choices)
{
    size_t count = 1;
    for (; (choices = strchr(choices, '|')) != NULL; choices++)
        count++;
    return count;
}

/* The index of a choice; SIZE_MAX: not found. */
static size_t choice_index(const char *choices, const char *name)
{
    char choice[LONGEST_NAME];
    for (size_t k = 0; eb_choice_at(choices, k, choice, sizeof choice); k++)
        if (strcmp(choice, name) == 0)
            return k;
    return SIZE_MAX;
}

static bool has_choices(const eb_option *option)
{
    return option->type == EB_ARG_CHOICE || option->type == EB_ARG_PRESET;
}

/* ---- defaults, presets ---- */

/* The index of the list's preset; SIZE_MAX: none. */
static size_t preset_of(const eb_option_list *list)
{
    for (size_t k = 0; k < list->count; k++)
        if (list->option[k].type == EB_ARG_PRESET)
            return k;
    return SIZE_MAX;
}

static bool is_on_by_default(const eb_options *options, const eb_option *flag, size_t preset)
{
    char chosen[LONGEST_NAME];
    if (!flag->presets)
        return flag->fallback && strcmp(flag->fallback, "on") == 0;
    const eb_option *presets = &options->list->option[preset];
    (void)eb_choice_at(presets->choices, (size_t)options->value[preset], chosen, sizeof chosen);
    return choice_index(flag->presets, chosen) != SIZE_MAX;
}

/* Sets the flags that depend on the preset. */
static void turn_flags_as_preset(eb_options *options)
{
    for (size_t k = 0; k < options->list->count; k++)
        if (options->list->option[k].type == EB_ARG_FLAG && options->list->option[k].presets)
            options->value[k] = is_on_by_default(options, &options->list->option[k], preset_of(options->list));
}

eb_argument eb_option_argument(const eb_option *option)
{
    return (eb_argument){.name = option->name,
                         .type = option->type,
                         .choices = option->choices,
                         .min = option->min,
                         .max = option->max,
                         .fallback = option->fallback,
                         .help = option->help};
}

static eb_code read_value(const eb_option *option, const char *text, size_t length, int32_t *out, eb_status *status)
{
    const eb_argument argument = eb_option_argument(option);
    eb_argument_value value = {.text = strndup(text, length)};
    eb_code failed =
        value.text ? eb_argument_read(&argument, &value, status) : eb_fail_memory(status, option->name, length + 1);
    if (!failed)
        *out = has_choices(option)           ? (int32_t)value.choice
               : option->type == EB_ARG_FLAG ? (int32_t)value.flag
                                             : (int32_t)value.integer;
    eb_argument_value_clear(&value);
    return failed;
}

static int32_t fallback_of(const eb_option *option)
{
    if (has_choices(option))
        return (int32_t)choice_index(option->choices, option->fallback);
    if (option->type == EB_ARG_INTEGER)
        return (int32_t)strtol(option->fallback, NULL, 10);
    return option->fallback && strcmp(option->fallback, "on") == 0;
}

void eb_options_default(const eb_option_list *list, eb_options *out)
{
    assert(list->count <= EB_MOST_OPTIONS);
    *out = (eb_options){.list = list};
    for (size_t k = 0; k < list->count; k++)
        out->value[k] = fallback_of(&list->option[k]);
    turn_flags_as_preset(out);
}

static size_t deviations(const eb_options *options)
{
    size_t preset = preset_of(options->list), count = 0;
    for (size_t k = 0; k < options->list->count; k++)
        if (options->list->option[k].type == EB_ARG_FLAG)
            count += options->value[k] != is_on_by_default(options, &options->list->option[k], preset);
    return count;
}

void eb_options_name_preset(eb_options *options)
{
    size_t preset = preset_of(options->list);
    if (preset == SIZE_MAX)
        return;
    size_t least = deviations(options);
    int32_t best = options->value[preset];
    for (size_t k = 0; k < choice_count(options->list->option[preset].choices); k++) {
        options->value[preset] = (int32_t)k;
        if (deviations(options) < least) {
            least = deviations(options);
            best = (int32_t)k;
        }
    }
    options->value[preset] = best;
}

/* ---- looking up ---- */

const eb_option *eb_option_find(const eb_option_list *list, const char *name)
{
    for (size_t k = 0; k < list->count; k++)
        if (strcmp(list->option[k].name, name) == 0)
            return &list->option[k];
    return NULL;
}

static int32_t value_of(const eb_options *options, const char *name)
{
    const eb_option *option = eb_option_find(options->list, name);
    assert(option && "the engine has no option of this name");
    return option ? options->value[option - options->list->option] : 0;
}

bool eb_option_on(const eb_options *options, const char *flag) { return value_of(options, flag) != 0; }

size_t eb_option_choice(const eb_options *options, const char *name) { return (size_t)value_of(options, name); }

int32_t eb_option_number(const eb_options *options, const char *name) { return value_of(options, name); }

static const char *option_name(const void *context, size_t index)
{
    return ((const eb_option_list *)context)->option[index].name;
}

/* All words that may stand without a key: names of flags, and choices. */
typedef struct words {
    size_t count;
    char text[4 * EB_MOST_OPTIONS][LONGEST_NAME];
    size_t option[4 * EB_MOST_OPTIONS];
    bool flags_only;
} words;

static const char *word_text(const void *context, size_t index) { return ((const words *)context)->text[index]; }

static void list_words(const eb_option_list *list, words *out)
{
    out->count = 0;
    for (size_t k = 0; k < list->count; k++) {
        const eb_option *option = &list->option[k];
        if (option->type == EB_ARG_FLAG) {
            out->option[out->count] = k;
            (void)snprintf(out->text[out->count++], LONGEST_NAME, "%s", option->name);
        }
        for (size_t c = 0; !out->flags_only && has_choices(option) && c < choice_count(option->choices); c++) {
            out->option[out->count] = k;
            (void)eb_choice_at(option->choices, c, out->text[out->count++], LONGEST_NAME);
        }
    }
}

static eb_code find_flag(const eb_option_list *list, const char *name, size_t length, size_t *option, eb_status *status)
{
    words flags = {.flags_only = true};
    size_t index;
    list_words(list, &flags);
    eb_names names = {"switch", flags.count, word_text, &flags, NULL};
    EB_TRY(eb_lookup(&names, name, length, &index, status));
    *option = flags.option[index];
    return EB_OK;
}

/* ---- values ---- */

/* The length of the flag's name at text. Names may contain '-', so the longest matching name counts. */
static size_t flag_length(const eb_option_list *list, const char *text, size_t size)
{
    size_t best = 0;
    for (size_t k = 0; k < list->count; k++) {
        size_t length = strlen(list->option[k].name);
        bool fits = length <= size && strncmp(text, list->option[k].name, length) == 0;
        if (fits && (length == size || text[length] == '+' || text[length] == '-') && length > best)
            best = length;
    }
    return best ? best : size;
}

/* Reads a preset followed by flags: "best-symmetric+aggregate". */
static eb_code take_preset(eb_options *options, size_t preset, const char *text, size_t length, eb_status *status)
{
    size_t name = strcspn(text, "+-");
    name = name < length ? name : length;
    EB_TRY(read_value(&options->list->option[preset], text, name, &options->value[preset], status));
    turn_flags_as_preset(options);
    for (size_t at = name; at < length;) {
        size_t flag = 0, flag_name = flag_length(options->list, text + at + 1, length - at - 1);
        EB_TRY(find_flag(options->list, text + at + 1, flag_name, &flag, status));
        options->value[flag] = text[at] == '+';
        at += 1 + flag_name;
    }
    return EB_OK;
}

static eb_code take_value(eb_options *options, size_t index, const char *text, size_t length, eb_status *status)
{
    const eb_option *option = &options->list->option[index];
    return option->type == EB_ARG_PRESET ? take_preset(options, index, text, length, status)
                                         : read_value(option, text, length, &options->value[index], status);
}

/* ---- items ---- */

/* One parsed ITEM. */
typedef struct item {
    size_t option;
    bool sign, on;     /* sign: a flag without "=", to be set to `on`; the item then has no value */
    const char *value; /* [length] */
    size_t length;
} item;

/* The error for an unknown word. If it is the name of an option, the message says that a value is missing. */
static eb_code fail_without_value(const eb_option_list *list, const char *text, size_t length, eb_code failed,
                                  eb_status *status)
{
    for (size_t k = 0; k < list->count; k++) {
        const eb_option *option = &list->option[k];
        if (strlen(option->name) == length && strncmp(option->name, text, length) == 0)
            return eb_fail(status, failed, "%s expects a value, as %s=%s", option->name, option->name,
                           option->fallback);
    }
    return failed;
}

static eb_code read_item(const eb_option_list *list, const char *text, size_t length, item *out, eb_status *status)
{
    const char *equals = memchr(text, '=', length);
    if (length > 0 && (text[0] == '+' || text[0] == '-')) {
        *out = (item){.sign = true, .on = text[0] == '+'};
        return find_flag(list, text + 1, length - 1, &out->option, status);
    }
    if (equals) {
        eb_names names = {"option", list->count, option_name, list, NULL};
        *out = (item){.value = equals + 1, .length = length - (size_t)(equals + 1 - text)};
        return eb_lookup(&names, text, (size_t)(equals - text), &out->option, status);
    }
    words all = {.flags_only = false};
    size_t index;
    list_words(list, &all);
    eb_names names = {"option", all.count, word_text, &all, NULL};
    eb_code failed = eb_lookup(&names, text, length, &index, status);
    if (failed)
        return fail_without_value(list, text, length, failed, status);
    *out = (item){.option = all.option[index], .value = text, .length = length};
    if (list->option[out->option].type == EB_ARG_FLAG)
        *out = (item){.option = out->option, .sign = true, .on = true};
    return EB_OK;
}

/* Applies either the presets among the items or all other items. */
static eb_code take_some(eb_options *options, const char *items, bool presets, eb_status *status)
{
    for (const char *at = *items ? items : NULL; at;) {
        size_t length = strcspn(at, ",");
        item one = {.option = 0};
        EB_TRY(read_item(options->list, at, length, &one, status));
        bool is_preset = options->list->option[one.option].type == EB_ARG_PRESET;
        if (is_preset == presets && one.sign)
            options->value[one.option] = one.on;
        else if (is_preset == presets)
            EB_TRY(take_value(options, one.option, one.value, one.length, status));
        options->given[one.option] = true;
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return EB_OK;
}

static eb_code check_needs(const eb_options *options, eb_status *status)
{
    const eb_option_list *list = options->list;
    for (size_t k = 0; k < list->count; k++) {
        const eb_option *flag = &list->option[k];
        if (flag->type == EB_ARG_FLAG && flag->needs && options->value[k] && !eb_option_on(options, flag->needs))
            return eb_fail(status, EB_USAGE, "switch %s needs %s, which is off; take %s off too", flag->name,
                           flag->needs, flag->name);
    }
    return EB_OK;
}

eb_code eb_options_take(eb_options *options, const char *items, eb_status *status)
{
    eb_options taken = *options;
    EB_TRY(take_some(&taken, items, true, status));
    EB_TRY(take_some(&taken, items, false, status));
    EB_TRY(check_needs(&taken, status));
    eb_options_name_preset(&taken);
    *options = taken;
    return EB_OK;
}

/* ---- as text ---- */

static void put_value(const eb_option *option, int32_t value, char *buffer, size_t size)
{
    if (has_choices(option))
        (void)eb_choice_at(option->choices, (size_t)value, buffer, size);
    else if (option->type == EB_ARG_FLAG)
        (void)snprintf(buffer, size, "%s", value ? "on" : "off");
    else
        (void)snprintf(buffer, size, "%d", (int)value);
}

static bool is_usual(const eb_options *options, size_t index)
{
    const eb_option *option = &options->list->option[index];
    if (option->type == EB_ARG_FLAG)
        return options->value[index] == is_on_by_default(options, option, preset_of(options->list));
    return options->value[index] == fallback_of(option);
}

char *eb_options_text(const eb_options *options, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t k = 0; k < options->list->count && used < size; k++) {
        const eb_option *option = &options->list->option[k];
        char value[LONGEST_NAME];
        if (is_usual(options, k))
            continue;
        put_value(option, options->value[k], value, sizeof value);
        const char *comma = used ? "," : "";
        int written = option->type == EB_ARG_FLAG ? snprintf(buffer + used, size - used, "%s%c%s", comma,
                                                             options->value[k] ? '+' : '-', option->name)
                      : option->type == EB_ARG_PRESET
                          ? snprintf(buffer + used, size - used, "%s%s", comma, value)
                          : snprintf(buffer + used, size - used, "%s%s=%s", comma, option->name, value);
        used += written > 0 ? (size_t)written : 0;
    }
    return buffer;
}

char *eb_options_preset(const eb_options *options, char *buffer, size_t size)
{
    size_t preset = preset_of(options->list);
    buffer[0] = '\0';
    if (preset != SIZE_MAX)
        put_value(&options->list->option[preset], options->value[preset], buffer, size);
    for (size_t k = 0; k < options->list->count; k++) {
        size_t used = strlen(buffer);
        if (options->list->option[k].type == EB_ARG_FLAG && !is_usual(options, k))
            (void)snprintf(buffer + used, size - used, "%c%s", options->value[k] ? '+' : '-',
                           options->list->option[k].name);
    }
    return buffer;
}

bool eb_options_item(const eb_options *options, unsigned device, size_t index, const char **name, char *value,
                     size_t size)
{
    for (size_t k = 0; k < options->list->count; k++) {
        const eb_option *option = &options->list->option[k];
        bool told = (option->devices & device) && (option->type != EB_ARG_FLAG || !is_usual(options, k));
        if (!told || index-- > 0)
            continue;
        *name = option->name;
        put_value(option, options->value[k], value, size);
        return true;
    }
    return false;
}

/* ---- switching flags ---- */

void eb_options_leave_out(eb_options *options, const eb_option *flag)
{
    const eb_option_list *list = options->list;
    options->value[flag - list->option] = 0;
    for (size_t k = 0; k < list->count; k++) {
        const eb_option *other = &list->option[k];
        if (options->value[k] && other->type == EB_ARG_FLAG && other->needs && strcmp(other->needs, flag->name) == 0)
            eb_options_leave_out(options, other);
    }
}

void eb_options_put_in(eb_options *options, const eb_option *flag)
{
    options->value[flag - options->list->option] = 1;
    if (flag->needs)
        eb_options_put_in(options, eb_option_find(options->list, flag->needs));
}

bool eb_options_are_presets(const eb_options *options) { return deviations(options) == 0; }

bool eb_option_is_added(const eb_options *options, const eb_option *flag)
{
    char chosen[LONGEST_NAME], first[LONGEST_NAME];
    size_t preset = preset_of(options->list);
    if (flag->type != EB_ARG_FLAG || !options->value[flag - options->list->option])
        return false;
    if (preset == SIZE_MAX || !flag->presets)
        return true;
    (void)eb_choice_at(options->list->option[preset].choices, (size_t)options->value[preset], chosen, sizeof chosen);
    (void)eb_choice_at(flag->presets, 0, first, sizeof first);
    return strcmp(first, chosen) == 0;
}
