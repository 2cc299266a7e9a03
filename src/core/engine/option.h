/* option: the options of an engine, which the engine itself lists. The parser, help, completion, the manual, the log
 * and leave-one-out read the list; only the engine's own code names its options.
 *
 * An ITEM of a spec NAME[ITEM,…] is `key=value`, a choice alone (`paper`), a flag that is on (`swizzle`, `+swizzle`) or
 * a flag that is off (`-swizzle`). Names may be shortened to a unique prefix.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/argument.h"

enum { EB_ON_CPU = 1, EB_ON_CUDA = 2, EB_ON_ALL = 3 }; /* 1 << eb_device_kind */

typedef struct eb_option {
    const char *name;        /* "swizzle"; never "device", which every engine accepts */
    eb_argument_type type;   /* FLAG, CHOICE, INTEGER; PRESET: at most one in a list, before its flags */
    unsigned devices;        /* EB_ON_…: where the option has an effect; elsewhere a note says that it has none */
    bool decides;            /* elsewhere the result would be another one: only the default is accepted there */
    const char *choices;     /* CHOICE, PRESET: "paper|best" */
    const char *fallback;    /* default value; NULL for a flag with `presets` */
    const char *presets;     /* FLAG: the presets that turn it on: "best", "paper|best" */
    const char *needs;       /* FLAG: another flag that must be on too; NULL: none */
    double min, max;         /* INTEGER */
    const char *help;        /* one line */
    double published_tflops; /* FLAG: the rate that the paper published for the kernel without it; 0: none */
} eb_option;

typedef struct eb_option_list {
    const eb_option *option;
    size_t count;
} eb_option_list;

#define EB_OPTIONS(array) {(array), sizeof(array) / sizeof(array)[0]}
#define EB_MOST_OPTIONS 40u
#define EB_OPTIONS_TEXT 500u /* bytes that suffice for any set of options as text */

/* Values of all options of a list. */
typedef struct eb_options {
    const eb_option_list *list;
    int32_t value[EB_MOST_OPTIONS]; /* flag: 0 or 1; choice: its index; integer: the number */
    bool given[EB_MOST_OPTIONS];    /* explicitly given, so that a note is due if the option has no effect */
} eb_options;

void eb_options_default(const eb_option_list *list, eb_options *out);

/* Applies ITEM,ITEM,… to the current values; a preset is applied first, wherever it stands. EB_USAGE, with nothing
 * changed: an unknown name (with a suggestion), a bad value, or a flag without the flag that it needs. */
eb_code eb_options_take(eb_options *options, const char *items, eb_status *status);

/* The shortest ITEMs that give these values: "", "paper", "paper,-swizzle". Returns buffer (EB_OPTIONS_TEXT bytes
 * suffice). */
char *eb_options_text(const eb_options *options, char *buffer, size_t size);

/* The preset and the flags that differ from it as one word, which the preset's option accepts: "best-swizzle". Without
 * a preset the flags only. Returns buffer. */
char *eb_options_preset(const eb_options *options, char *buffer, size_t size);

/* Returns option `index` as name and value. Lists presets, choices and integers, also with default values, and flags
 * that differ from their preset; only options with an effect on `device` (1 << kind). False beyond the last. */
bool eb_options_item(const eb_options *options, unsigned device, size_t index, const char **name, char *value,
                     size_t size);

/* The value of an option by name. A name that is not in the list is a bug (assert). */
bool eb_option_on(const eb_options *options, const char *flag);
size_t eb_option_choice(const eb_options *options, const char *name); /* index into its choices */
int32_t eb_option_number(const eb_options *options, const char *name);

/* NULL: not found. */
const eb_option *eb_option_find(const eb_option_list *list, const char *name);

/* Turns off a flag and all flags that need it. */
void eb_options_leave_out(eb_options *options, const eb_option *flag);

/* Turns on a flag and all flags that it needs. */
void eb_options_put_in(eb_options *options, const eb_option *flag);

/* Chooses the preset from which the fewest flags differ. The flags do not change. */
void eb_options_name_preset(eb_options *options);

/* True if all flags are as the chosen preset sets them. */
bool eb_options_are_presets(const eb_options *options);

/* True if leave-one-out leaves out this flag: the flag is on, and the chosen preset is the first that turns it on.
 * Without a preset: true if the flag is on. */
bool eb_option_is_added(const eb_options *options, const eb_option *flag);

/* The option as an argument, for the reader, completion and help. */
eb_argument eb_option_argument(const eb_option *option);
