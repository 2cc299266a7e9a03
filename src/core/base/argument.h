/* argument: what a person gives: a command's argument, a setting, an engine's option. Its type, its range and its
 * choices are data: a text is read by them, and help, completion and messages say them.
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
    EB_ARG_COLUMN,  /* a column of the table that is loaded, by its name or number */
    EB_ARG_COLUMNS, /* A,B,C or A..B of them */
    EB_ARG_FORMAT,  /* what load reads, as csv: a name that `formats` lists; checked by the reader */
    EB_ARG_REST,    /* the rest of the command as typed, or one quoted string; last, options go before it */
    EB_ARG_TOPIC,   /* a command, an engine or a term, all words that follow; the value is the full name,
                        or, where there is none, the words to search for */
    EB_ARG_LESSON,  /* a lesson's name (lessons/library.h), or one of .choices; checked by the handler */
    EB_ARG_FILE,    /* a path, completed from the file system */
    EB_ARG_DATASET, /* a file, "demo", "demo:stars" */
    EB_ARG_ENGINE,  /* NAME or NAME[ITEM,…] (core/engine/spec.h), checked by the handler: it knows the device */
    EB_ARG_DEFAULT, /* ENGINE.OPTION=VALUE, positional; takes words with a '.'; the value is ENGINE[OPTION=VALUE] */
    EB_ARG_FLAG,    /* on or off; a command's also as the bare word */
    EB_ARG_DEVICE,  /* cpu, cuda or cuda:N */
    EB_ARG_OPTION,  /* a value for the engine's option .choices ("ENGINE.OPTION"); the value is ENGINE[OPTION=…] */
    EB_ARG_CHOICE,  /* one of .choices ("a|b|c"), unique prefix */
    EB_ARG_PRESET,  /* the same, and each choice turns flags on: an engine's option (core/engine/option.h) */
    EB_ARG_INTEGER, /* min … max; accepts 1e6, 64k = 65536 is NOT accepted */
    EB_ARG_NUMBER,  /* finite real, min … max */
    EB_ARG_SHARE,   /* of all: 5% or 0.05; the value is 0.05 */
    EB_ARG_NUMBERS, /* 64,128,256: ascending not required, each min … max */
    EB_ARG_RANGE,   /* A..B with A < B, each min … max */
    EB_ARG_STEPS,   /* whole numbers, ascending: A,B,C, or A..B by factors of .step, A..B*F by factors of F */
    EB_ARG_SIZE,    /* bytes: 512M, 4GiB, 4e9 */
} eb_argument_type;

typedef struct eb_argument {
    const char *name; /* also the key of key=value */
    eb_argument_type type;
    bool positional; /* may be given without its key, in table order */
    bool required;
    bool repeated; /* the last positional one: takes all that follow, ',' between them; an argument's name ends them */
    bool written;  /* EB_ARG_FILE: the command writes it, and has a flag `force` that lets it replace what is there */
    const char *writes_when; /* written: only where the first argument is this choice; NULL: always */
    double min, max;         /* numbers; min == max == 0: no bounds */
    bool above;              /* min itself is out */
    bool elsewhere;          /* EB_ARG_ENGINE: need not run on this machine */
    double step;             /* EB_ARG_STEPS */
    const char *unit;        /* "", "points", "bytes", … for help */
    const char *choices;  /* EB_ARG_CHOICE, of at most EB_MOST_CHOICES; EB_ARG_OPTION; EB_ARG_REST: some, to complete */
    const char *fallback; /* default as text, for help; NULL: none */
    const char *alone;    /* the value that NAME stands for where it ends the command; NULL: it needs one */
    const char *help;
} eb_argument;

/* An argument as it was read. */
typedef struct eb_argument_value {
    bool given;
    char *text;    /* without quotes; a choice or a command in full, however it was shortened */
    size_t choice; /* its place among the choices */
    int64_t integer;
    uint64_t size;
    double number;
    double *numbers; /* NUMBERS, STEPS: count of them; RANGE: 2 */
    size_t count;
    bool flag;
} eb_argument_value;

/* Reads value->text (heap) as the argument's type; what the shell's types mean (TEXT … DEFAULT, DEVICE, OPTION) is the
 * shell's to check. EB_USAGE: the sentence says what was expected and found, beginning with the argument's name. */
eb_code eb_argument_read(const eb_argument *argument, eb_argument_value *value, eb_status *status);
/* The value's text becomes the full name of what it was short for. */
eb_code eb_argument_value_rename(eb_argument_value *value, const char *name, eb_status *status);
void eb_argument_value_clear(eb_argument_value *value);

/* That sentence. */
eb_code eb_argument_mismatch(const eb_argument *argument, const char *text, eb_status *status);

/* "a whole number from 1 to 1000", "cpu or cuda:N": what an argument accepts. Returns buffer. */
char *eb_argument_expectation(const eb_argument *argument, char *buffer, size_t size);

/* What stands for its value in a usage line: "FILE", "a|b". */
const char *eb_argument_placeholder(const eb_argument *argument);

/* What may be given word by word, "a|b"; NULL: nothing that could be listed. */
const char *eb_argument_choices(const eb_argument *argument);

/* The k-th of "a|b|c" into buffer; false beyond the last. */
bool eb_choice_at(const char *choices, size_t index, char *buffer, size_t size);

/* A, A·F, A·F² … B as whole numbers, the last step perhaps smaller than the others. 0: more than EB_MOST_STEPS, steps
 * of less than one, or no A < B. */
size_t eb_steps_by_factor(double from, double to, double factor, double out[EB_MOST_STEPS]);
