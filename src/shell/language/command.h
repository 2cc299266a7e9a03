/* command: the table of commands, and the parser that turns a typed line into a checked call. Dispatch, completion,
 * help, the manual's COMMANDS section and the key hints all read this table.
 *
 * Arguments are positional or key=value and have types, which the parser checks before the handler runs. A handler
 * fills a report and never prints. Names and keys may be shortened to a unique prefix ("ambiguous: a, b").
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/argument.h"
#include "core/base/job.h"
#include "core/base/status.h"
#include "core/report/report.h"

#define EB_MAX_ARGUMENTS 20u
#define EB_LIST_ARGUMENTS 3u /* where=, sort= and columns=, which all commands with tables take (lists.h) */
typedef struct eb_session eb_session;
typedef struct eb_call eb_call;

typedef eb_code (*eb_handler)(eb_session *session, const eb_call *call, eb_report *report, eb_job *job,
                              eb_status *status);

enum {
    EB_NEEDS_DATASET = 1, /* fails if no dataset is loaded */
    EB_IMMEDIATE = 2,     /* runs on the terminal's thread at once: quit, mode, help; never long */
    EB_UNLOGGED = 4,      /* leaves no row in the log and is not replayed: help, quit, runs, show … */
    EB_BACKGROUND = 8,    /* runs while another command runs (background.h): never long; uses only settings and log */
    EB_BESIDE_ALONE = 16, /* EB_BACKGROUND if it has no arguments; it then only lists what it accepts */
};

typedef struct eb_command {
    const char *name;
    const char *abbreviation; /* shortest prefix that will always mean this command, e.g. "j" */
    const char *group;        /* heading in `help`; the commands of a group are neighbours in the table */
    const char *panel;        /* workbench panel that shows its reports; NULL: an overlay on the current panel */
    unsigned flags;
    const char *also;     /* other names, known from other programs: "exit|\\q"; never shortened; NULL: none */
    const char *former;   /* the name that it had; refused with the name that it has now; NULL: none */
    const char *summary;  /* one line, imperative */
    const char *detail;   /* notes for `help NAME` and the man page, paragraphs separated by "\n\n"; NULL: none */
    const char *examples; /* two or three lines, or one without arguments; each runs after `load demo` */
    eb_handler handler;
    eb_argument argument[EB_MAX_ARGUMENTS]; /* ends at name == NULL */
} eb_command;

/* Sets the program's commands, in the order of `help`. Call once, before the functions below. The array is borrowed.
 * src/commands.c has the list. */
void eb_commands_set(const eb_command *commands, size_t count);
size_t eb_command_count(void);
const eb_command *eb_command_at(size_t index);
eb_code eb_command_find(const char *name, const eb_command **out, eb_status *status); /* exact or unique prefix */

/* One parsed command. The functions below find values by argument name; an unknown name is a bug (assert). */
struct eb_call {
    const eb_command *command;
    char *text; /* as typed, trimmed; the log keeps this text, and replay runs it */
    eb_argument_value value[EB_MAX_ARGUMENTS + EB_LIST_ARGUMENTS]; /* in table order, then those of lists */
};

bool eb_call_has(const eb_call *call, const char *argument);

/* True if argument `index` is a file that the command will write. */
bool eb_call_writes(const eb_call *call, size_t index);
const char *eb_call_text(const eb_call *call, const char *argument);                /* NULL when not given */
size_t eb_call_choice(const eb_call *call, const char *argument, size_t otherwise); /* index in .choices */
int64_t eb_call_integer(const eb_call *call, const char *argument, int64_t otherwise);
uint64_t eb_call_size(const eb_call *call, const char *argument, uint64_t otherwise);
double eb_call_number(const eb_call *call, const char *argument, double otherwise);
size_t eb_call_numbers(const eb_call *call, const char *argument, const double **out); /* count: RANGE: 2; absent: 0 */
bool eb_call_flag(const eb_call *call, const char *argument);

/* Writes the usage line, as "join ENGINE [eps=NUMBER] [S=NUMBER] …". Returns buffer; the text is cut to fit. */
char *eb_command_usage(const eb_command *command, char *buffer, size_t size);

/* Parses the first command at `line`, up to ';' or newline outside quotes. Sets *rest to the text after the command,
 * also on failure. An empty command gives EB_OK and *out NULL. Messages give columns, in characters from 1.
 *
 * A ':' may come before the name. Words are separated by blanks. A word, or the value of key=value, may be quoted: '…'
 * is literal, "…" has the escapes \" \\ \n \t. Quotes open only at those places, so `it's` is a plain word. '#' at the
 * start of a word begins a comment. KEY VALUE means KEY=VALUE if no positional argument is left to take KEY. */
eb_code eb_parse(const char *line, const char **rest, eb_call **out, eb_status *status);

/* eb_parse for a command at `start` inside a longer line; columns are counted from `line`. */
eb_code eb_parse_at(const char *line, const char *start, const char **rest, eb_call **out, eb_status *status);
void eb_call_free(eb_call *call);
