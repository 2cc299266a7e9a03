/* option: an argument of an engine, as the engine itself lists it. Parser, help, completion, the manual, the log
 * and leave-one-out read the list; nobody else knows an option by its name.
 *
 * ITEM, as it is typed in NAME[ITEM,…]: `key=value`, a choice's value alone (`paper`), a flag (`swizzle`, `+swizzle`)
 * or a flag taken off (`-swizzle`). Names may be shortened to a unique prefix.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/argument.h"

enum { EB_ON_CPU = 1, EB_ON_CUDA = 2, EB_ON_ALL = 3 }; /* 1 << eb_device_kind */

typedef struct eb_option {
    const char *name;        /* "swizzle"; never "device", which every engine takes */
    eb_argument_type type;   /* FLAG, CHOICE, INTEGER; PRESET: at most one in a list, before its flags */
    unsigned devices;        /* EB_ON_…: where it makes a difference; elsewhere it is accepted, and a note says so */
    const char *choices;     /* CHOICE, PRESET: "paper|best" */
    const char *fallback;    /* its value when none is given; NULL for a flag that `presets` decides about */
    const char *presets;     /* FLAG: in which presets it is on, as "best", "paper|best" */
    const char *needs;       /* FLAG: one that must be on as well; NULL: none */
    double min, max;         /* INTEGER */
    const char *help;        /* one line */
    double published_tflops; /* FLAG: what the paper reached without it; 0: the paper does not say */
} eb_option;

typedef struct eb_option_list {
    const eb_option *option;
    size_t count;
} eb_option_list;

#define EB_OPTIONS(array) {(array), sizeof(array) / sizeof(array)[0]}
#define EB_MOST_OPTIONS 32u
#define EB_OPTIONS_TEXT 500u /* bytes that any set of options takes as text */

/* A value for each option of a list. */
typedef struct eb_options {
    const eb_option_list *list;
    int32_t value[EB_MOST_OPTIONS]; /* flag: 0 or 1; choice: its index; number: itself */
    bool given[EB_MOST_OPTIONS];    /* somebody asked for it: a note is due where it has no effect */
} eb_options;

/* All as the list has them by default. */
void eb_options_default(const eb_option_list *list, eb_options *out);

/* Takes in ITEM,ITEM,… over what is there; a preset first, wherever it stands. EB_USAGE: what is unknown (with what was
 * perhaps meant), what a value may be, or the flag that another one needs. */
eb_code eb_options_take(eb_options *options, const char *items, eb_status *status);

/* The items that lead from the defaults here, shortest: "", "paper", "paper,-swizzle". Returns buffer (EB_OPTIONS_TEXT
 * bytes suffice). */
char *eb_options_text(const eb_options *options, char *buffer, size_t size);

/* The preset and the flags unlike it in one word, as its option takes them too: "best-swizzle"; without a preset the
 * flags alone. Returns buffer. */
char *eb_options_preset(const eb_options *options, char *buffer, size_t size);

/* Options as names and values, one by one: presets, choices and numbers, be they the default's, and flags unlike their
 * preset's. Only those that matter on `device` (1 << kind). False beyond the last. */
bool eb_options_item(const eb_options *options, unsigned device, size_t index, const char **name, char *value,
                     size_t size);

/* By name; asking for a name that the list lacks is a bug (assert). */
bool eb_option_on(const eb_options *options, const char *flag);
size_t eb_option_choice(const eb_options *options, const char *name); /* index into its choices */
int32_t eb_option_number(const eb_options *options, const char *name);

/* NULL: the list has none of this name. */
const eb_option *eb_option_find(const eb_option_list *list, const char *name);

/* Takes a flag off, and what needs it. */
void eb_options_leave_out(eb_options *options, const eb_option *flag);

/* Puts a flag on, and what it needs. */
void eb_options_put_in(eb_options *options, const eb_option *flag);

/* Flags may now be nearer to another preset: its name is taken. The flags stay. */
void eb_options_name_preset(eb_options *options);

/* Whether every flag is as the preset chosen has it. */
bool eb_options_are_presets(const eb_options *options);

/* Whether the choice chosen adds this flag to those before it: what leave-one-out leaves out. Without a preset: whether
 * the flag is on. */
bool eb_option_is_added(const eb_options *options, const eb_option *flag);

/* What reads, completes and describes it. */
eb_argument eb_option_argument(const eb_option *option);
