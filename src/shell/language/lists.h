/* lists: the arguments that every command with tables takes: sort=, where= and columns= (draw/lists/arrange.h). Parser,
 * help and completion treat them as a command's last arguments; its own come first, also for short forms.
 */
#pragma once

#include "draw/lists/arrange.h"
#include "shell/language/command.h"

extern const eb_argument eb_list_arguments[EB_LIST_ARGUMENTS];

/* The columns of a command's tables, as list_rows.h has them. */
typedef struct eb_listing {
    const char *command;
    bool only;                      /* the report is a list and nothing else: no panel draws it as a picture */
    bool open;                      /* there may be other columns, known only when the report is made */
    const eb_column *const *column; /* ends at NULL */
} eb_listing;

const eb_listing *eb_listing_of(const eb_command *command); /* NULL: its reports have no tables */

/* What the call asks for; its texts belong to the call. */
eb_arrangement eb_call_arrangement(const eb_call *call);

/* EB_USAGE: no report of the command can be arranged so. Called before it runs. */
eb_code eb_call_check_arrangement(const eb_call *call, eb_status *status);

/* Calls the command's handler. Where rows are sorted or left out, the command's `limit` counts those that remain, so
 * the handler is asked for all. */
eb_code eb_call_handle(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status);

/* Arranges the tables of the command's report as the call asks. */
eb_code eb_call_arrange(const eb_call *call, eb_report *report, eb_status *status);
bool eb_call_lists_only(const eb_call *call); /* the report is a list and nothing else */

/* "Sorted and filtered by …": the note for help. Heap; NULL: none. */
char *eb_listing_note(const eb_command *command);
