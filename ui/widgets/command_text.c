#include "ui/widgets/command_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/decimal.h"
#include "core/report/find.h"
#include "draw/format.h"
#include "shell/language/command.h"
#include "shell/language/load_line.h"
#include "ui/desk.h"

/* Closes the stream and returns its text; NULL if memory ran out while it was written. */
static char *finished(FILE *out, char **text)
{
    if (fclose(out) == 0)
        return *text;
    free(*text);
    return NULL;
}

/* ---- repeating a run ---- */

static bool has_argument(const eb_command *command, const char *name)
{
    for (size_t k = 0; k < EB_MAX_ARGUMENTS && command->argument[k].name; k++)
        if (strcmp(command->argument[k].name, name) == 0)
            return true;
    return false;
}

/* True if the command takes ε but does not name it: it used the session's ε, which may have changed since. */
static bool lacks_eps(const char *text)
{
    eb_call *call = NULL;
    eb_status status;
    const char *rest;
    if (eb_parse(text, &rest, &call, &status) || !call)
        return false; /* a command of another version: running it reports the error */
    const eb_command *command = call->command;
    bool lacks = has_argument(command, "eps") && !eb_call_has(call, "eps") &&
                 !(has_argument(command, "S") && eb_call_has(call, "S"));
    eb_call_free(call);
    return lacks;
}

/* Writes the command with ε right after its name: at the end of the line ε could fall into a comment. */
static void put_command(FILE *out, const char *text, eb_value eps)
{
    char number[40];
    size_t name = strcspn(text, " \t");
    bool adds = eps.kind == EB_REAL && lacks_eps(text);
    (void)fprintf(out, "%.*s", (int)name, text);
    if (adds)
        (void)fprintf(out, " eps=%s", eb_format_exact(number, sizeof number, eps.as.real));
    (void)fputs(text + name, out);
}

/* True for a run of `grid`: repeating its command would measure all cells instead of this one. */
static bool is_of_a_grid(const char *text)
{
    eb_call *call = NULL;
    eb_status status;
    const char *rest;
    bool is = eb_parse(text, &rest, &call, &status) == EB_OK && call && strcmp(call->command->name, "grid") == 0;
    eb_call_free(call);
    return is;
}

static void put_cell(FILE *out, const eb_report *show)
{
    char eps[40];
    const char *spec = eb_value_text_or(eb_report_find_field(show, EB_F(spec)), NULL);
    double trials = eb_number_of(show, EB_F(trials_wanted));
    (void)fprintf(out, "join %s eps=%s trials=%.0f count", spec ? spec : "",
                  eb_format_exact(eps, sizeof eps, eb_number_of(show, EB_F(eps))), trials);
}

char *eb_rerun_line(const eb_report *show, const char *sha256)
{
    const eb_record *details = eb_report_find_record(show, EB_F(dataset_details));
    const char *command = eb_value_text_or(eb_report_find_field(show, EB_F(command)), NULL);
    const char *source = eb_value_text_or(eb_record_find(details, EB_F(source)), NULL),
               *of_run = eb_value_text_or(eb_record_find(details, EB_F(sha256)), NULL);
    bool same = sha256 && of_run && strcmp(sha256, of_run) == 0;
    char *text = NULL;
    size_t size = 0;
    if (!command || !command[0] || (!same && !source))
        return NULL;
    char *load = same ? NULL : eb_load_line(source);
    FILE *out = same || load ? open_memstream(&text, &size) : NULL;
    if (out && load)
        (void)fprintf(out, "%s; ", load);
    free(load);
    if (!out)
        return NULL;
    if (is_of_a_grid(command))
        put_cell(out, show);
    else
        put_command(out, command, eb_report_find_field(show, EB_F(eps)));
    return finished(out, &text);
}
