/* command: the one table behind dispatch, completion, help, the manual's COMMANDS section and the key hints.
 *
 * A command has arguments, positional or key=value; each has a type, and the parser checks it before the handler runs.
 * A handler fills a report and never prints. Names and keys may be shortened to a unique prefix ("ambiguous: a, b").
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/argument.h"
#include "core/base/job.h"
#include "core/base/status.h"
#include "core/report/report.h"

#define EB_MAX_ARGUMENTS 20u
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
    const char *also;     /* other whole names, "exit|\\q", of habits from elsewhere; NULL: none */
    const char *summary;  /* one line, imperative */
    const char *detail;   /* notes for `help NAME` and the man page, paragraphs separated by "\n\n"; NULL: none */
    const char *examples; /* two or three lines, one for a command without arguments; each runs after `load demo` */
    eb_handler handler;
    eb_argument argument[EB_MAX_ARGUMENTS]; /* ends at name == NULL */
} eb_command;

/* The commands that the program has, in the order of `help`: set once, before anything asks for one, and not copied.
 * src/commands.c has the list. */
void eb_commands_set(const eb_command *commands, size_t count);
size_t eb_command_count(void);
const eb_command *eb_command_at(size_t index);
eb_code eb_command_find(const char *name, const eb_command **out, eb_status *status); /* exact or unique prefix */

/* One parsed command. Values are looked up by argument name; asking for a name the command lacks is a bug (assert). */
struct eb_call {
    const eb_command *command;
    char *text;               /* as typed, trimmed: goes into the log and is replayed */
    eb_argument_value *value; /* [EB_MAX_ARGUMENTS], in table order */
};

bool eb_call_has(const eb_call *call, const char *argument);

/* Whether the call's index-th argument is a file that the command is going to write. */
bool eb_call_writes(const eb_call *call, size_t index);
const char *eb_call_text(const eb_call *call, const char *argument);                /* NULL when not given */
size_t eb_call_choice(const eb_call *call, const char *argument, size_t otherwise); /* its place among .choices */
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
