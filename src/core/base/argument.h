/* argument: the description of a value that a person types: a command's argument, a setting or an engine's option.
 * Type, range and choices are data. The reader, help, completion and error messages all use them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

#define EB_MOST_CHOICES 16u
#define EB_MOST_STEPS 64u

typedef enum eb_argument_type {
    EB_ARG_TEXT,    /* any word or quoted string */
    EB_ARG_COLUMN,  /* a column of the loaded table, by name or number */
    EB_ARG_COLUMNS, /* several columns: A,B,C or A..B */
    EB_ARG_FORMAT,  /* a file format such as csv, a name that `formats` lists; checked by the reader */
    EB_ARG_REST,    /* the rest of the command as typed, or one quoted string; the last argument, options precede it */
    EB_ARG_TOPIC,   /* a command, an engine or a term, from all words that follow; the value is the full name, or the
                        words to search for if no name matches */
    EB_ARG_LESSON,  /* a lesson's name (lessons/library.h), or one of .choices; checked by the handler */
    EB_ARG_FILE,    /* a path, completed from the file system */
    EB_ARG_DATASET, /* a file, "demo", "demo:stars" */
    EB_ARG_ENGINE,  /* NAME or NAME[ITEM,…] (core/engine/spec.h); checked by the handler, which knows the device */
    EB_ARG_DEFAULT, /* ENGINE.OPTION=VALUE, positional; matches words with a '.'; the value is ENGINE[OPTION=VALUE] */
    EB_ARG_FLAG,    /* on or off; in a command the bare name means on */
    EB_ARG_DEVICE,  /* cpu, cuda:N, or several of a kind (core/engine/device.h) */
    EB_ARG_OPTION,  /* a value for the engine's option .choices ("ENGINE.OPTION"); the value is ENGINE[OPTION=…] */
    EB_ARG_CHOICE,  /* one of .choices ("a|b|c"), unique prefix */
    EB_ARG_PRESET,  /* an engine's option: like CHOICE, and each choice turns flags on (core/engine/option.h) */
    EB_ARG_INTEGER, /* whole number, min … max; 1e6 is accepted, 64k is not */
    EB_ARG_NUMBER,  /* finite real, min … max */
    EB_ARG_SHARE,   /* a fraction: 5% or 0.05; the value is 0.05 */
    EB_ARG_NUMBERS, /* 64,128,256: in any order, each min … max */
    EB_ARG_RANGE,   /* A..B with A < B, each min … max */
    EB_ARG_STEPS,   /* whole numbers, ascending: A,B,C, or A..B by factors of .step, A..B*F by factors of F */
    EB_ARG_SIZE,    /* bytes: 512M, 4GiB, 4e9 */
    EB_ARG_RATE, /* of something a second: 400G, 2.5e9; letters are factors of 1000, as networks and disks have them */
} eb_argument_type;

typedef struct eb_argument {
    const char *name; /* also the key of key=value */
    eb_argument_type type;
    bool positional; /* may be given without its key, in table order */
    bool required;
    bool
        repeated; /* last positional argument: takes all words that follow, joined by ','; an argument's name ends it */
    bool written; /* EB_ARG_FILE: the command writes the file; its flag `force` permits replacing an existing one */
    const char *writes_when; /* the file is written only if the first argument is this choice; NULL: always */
    double min, max;         /* bounds of numbers; min == max == 0: none */
    bool above;              /* min itself is excluded */
    bool elsewhere;          /* EB_ARG_ENGINE: the engine need not run on this machine */
    double step;             /* EB_ARG_STEPS: factor between steps */
    const char *unit;        /* "", "points", "bytes", … for help */
    const char *choices;  /* EB_ARG_CHOICE: at most EB_MOST_CHOICES; EB_ARG_OPTION: the option; EB_ARG_REST: words for
                             completion */
    const char *fallback; /* default as text, for help; NULL: none */
    const char *alone;    /* value of a bare NAME that ends the command; NULL: NAME needs a value */
    const char *help;
} eb_argument;

/* The value of one argument. */
typedef struct eb_argument_value {
    bool given;
    char *text;    /* without quotes; choices and commands by their full name, also if a prefix was typed */
    size_t choice; /* index into the choices */
    int64_t integer;
    uint64_t size;
    double number;
    double *numbers; /* [count] NUMBERS, STEPS; RANGE: [2] */
    size_t count;
    bool flag;
} eb_argument_value;

/* Reads value->text (heap) as the argument's type. The shell checks the contents of its own types (TEXT … DEFAULT,
 * DEVICE, OPTION). EB_USAGE: the sentence of eb_argument_mismatch. */
eb_code eb_argument_read(const eb_argument *argument, eb_argument_value *value, eb_status *status);
/* Replaces the value's text, for example a prefix by the full name. */
eb_code eb_argument_value_rename(eb_argument_value *value, const char *name, eb_status *status);
void eb_argument_value_clear(eb_argument_value *value);

/* EB_USAGE: "NAME expects EXPECTATION, found TEXT". */
eb_code eb_argument_mismatch(const eb_argument *argument, const char *text, eb_status *status);

/* "a whole number from 1 to 1000", "cpu, cuda:N": what an argument accepts. Returns buffer. */
char *eb_argument_expectation(const eb_argument *argument, char *buffer, size_t size);

/* The placeholder for the argument's value in a usage line: "FILE", "a|b". */
const char *eb_argument_placeholder(const eb_argument *argument);

/* The values that can be listed, as "a|b"; NULL: none. */
const char *eb_argument_choices(const eb_argument *argument);

/* Copies choice `index` of "a|b|c" into buffer; false beyond the last. */
bool eb_choice_at(const char *choices, size_t index, char *buffer, size_t size);

/* Fills out with A, A·F, A·F² … B rounded to whole numbers; the last step may be smaller. Returns their number; 0 if
 * there are more than EB_MOST_STEPS, two steps round to the same number, or not A < B. */
size_t eb_steps_by_factor(double from, double to, double factor, double out[EB_MOST_STEPS]);
