/* command: the one table behind dispatch, completion, help, the manual's COMMANDS section and the key hints.
 *
 * A command has arguments, positional or key=value; each has a type, and the parser checks it before the handler runs.
 * A handler fills a report and never prints. Names and keys may be shortened to a unique prefix ("ambiguous: a, b").
 */
#ifndef EB_SHELL_LANGUAGE_COMMAND_H
#define EB_SHELL_LANGUAGE_COMMAND_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/job.h"
#include "core/base/status.h"
#include "core/report/report.h"

#define EB_MAX_ARGUMENTS 20u
#define EB_MOST_CHOICES 16u

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
    EB_ARG_DEVICE,  /* cpu, cuda or cuda:N */
    EB_ARG_ENGINE,  /* NAME or NAME[ITEM,…] (core/engine/spec.h), checked by the handler: it knows the device */
    EB_ARG_OPTION,  /* a value for the engine's option .choices ("ENGINE.OPTION"); the value is ENGINE[OPTION=…] */
    EB_ARG_DEFAULT, /* ENGINE.OPTION=VALUE, positional; takes words with a '.'; the value is ENGINE[OPTION=VALUE] */
    EB_ARG_CHOICE,  /* one of .choices ("a|b|c"), unique prefix */
    EB_ARG_FLAG,    /* the bare word, or key=on|off */
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

typedef struct eb_session eb_session;
typedef struct eb_call eb_call;

typedef eb_code (*eb_handler)(eb_session *session, const eb_call *call, eb_report *report, eb_job *job,
                              eb_status *status);

enum {
    EB_NEEDS_DATASET = 1, /* refused with a sentence when none is loaded */
    EB_IMMEDIATE = 2,     /* runs on the terminal's thread at once: quit, mode, help; never long */
    EB_UNLOGGED = 4,      /* leaves no row in the log and is not replayed: help, quit, runs, show … */
    EB_BACKGROUND = 8, /* is answered while another command runs (background.h): never long, and of the session it needs
                      but settings and log */
    EB_BESIDE_ALONE = 16, /* the same where it is given no argument: the list of what it could be given */
};

typedef struct eb_command {
    const char *name;
    const char *abbreviation; /* shortest prefix we promise to keep, e.g. "j" */
    const char *group;        /* heading in `help`; commands of a group stand together in the table */
    const char *panel;        /* the workbench's panel that shows its reports; NULL: they lie over whatever is there */
    unsigned flags;
    const char *also;    /* other whole names, "exit|\\q", of habits from elsewhere; NULL: none */
    const char *summary; /* one line, imperative */
    const char *detail;  /* a paragraph for `help NAME` and the man page; NULL: none */
    const char *example; /* runs as it stands after `load demo`; a test does that */
    eb_handler handler;
    eb_argument argument[EB_MAX_ARGUMENTS]; /* ends at name == NULL */
} eb_command;

/* The commands that the program has, in the order of `help`: set once, before anything asks for one, and not copied.
 * src/commands.c has the list. */
void eb_commands_set(const eb_command *commands, size_t count);
size_t eb_command_count(void);
const eb_command *eb_command_at(size_t index);
eb_code eb_command_find(const char *name, const eb_command **out, eb_status *status); /* exact or unique prefix */

/* An argument as it was read (values.h). */
struct eb_call_value {
    bool given;
    char *text; /* without quotes; a choice or a command in full, however it was shortened */
    int64_t integer;
    uint64_t size;
    double number;
    double *numbers; /* NUMBERS, STEPS: count of them; RANGE: 2 */
    size_t count;
    bool flag;
};

/* One parsed command. Values are looked up by argument name; asking for a name the command lacks is a bug (assert). */
struct eb_call {
    const eb_command *command;
    char *text;                  /* as typed, trimmed: goes into the log and is replayed */
    struct eb_call_value *value; /* [EB_MAX_ARGUMENTS], in table order */
};

bool eb_call_has(const eb_call *call, const char *argument);

/* Whether the call's index-th argument is a file that the command is going to write. */
bool eb_call_writes(const eb_call *call, size_t index);
const char *eb_call_text(const eb_call *call, const char *argument); /* NULL when not given */
int64_t eb_call_integer(const eb_call *call, const char *argument, int64_t otherwise);
uint64_t eb_call_size(const eb_call *call, const char *argument, uint64_t otherwise);
double eb_call_number(const eb_call *call, const char *argument, double otherwise);
size_t eb_call_numbers(const eb_call *call, const char *argument, const double **out); /* RANGE: 2; none given: 0 */
bool eb_call_flag(const eb_call *call, const char *argument);

/* "join ENGINE [eps=NUMBER] [S=NUMBER] …": how the command is typed. Returns buffer, cut when it is too small. */
char *eb_command_usage(const eb_command *command, char *buffer, size_t size);

/* Parses the first command at `line`, up to ';' or newline outside quotes. *rest points behind it, on failure too. An
 * empty command gives EB_OK and *out NULL. Messages count columns, in characters from 1.
 *
 * A ':' may come before the name. Words are separated by blanks. A word, or the value of key=value, may be quoted: '…'
 * is literal, "…" knows
 * \" \\ \n \t. Quotes open only there, so `it's` is a plain word. '#' at the start of a word begins a comment.
 * KEY VALUE does for KEY=VALUE where no positional argument is left to take KEY. */
eb_code eb_parse(const char *line, const char **rest, eb_call **out, eb_status *status);

/* The same for a command that starts inside a longer line: columns are counted from `line`. */
eb_code eb_parse_at(const char *line, const char *start, const char **rest, eb_call **out, eb_status *status);
void eb_call_free(eb_call *call);

#endif
