#include "shell/language/lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const eb_argument eb_list_arguments[EB_LIST_ARGUMENTS] = {
    {.name = "where",
     .type = EB_ARG_TEXT,
     .help = "only rows that fulfil all comparisons, such as pairs>1000,engine~exact"},
    {.name = "sort", .type = EB_ARG_TEXT, .help = "columns to sort the rows by; - before a name sorts downwards"},
    {.name = "columns", .type = EB_ARG_TEXT, .help = "columns to show, in this order"},
};

static const eb_listing listings[] = {
#define C(name) EB_F(name),
#define ROW(name, only, open, columns) {#name, only, open, (const eb_column *const[]){columns NULL}},
#include "shell/language/rows/list_rows.h"
#undef ROW
#undef C
};

const eb_listing *eb_listing_of(const eb_command *command)
{
    for (size_t k = 0; k < sizeof listings / sizeof listings[0]; k++)
        if (strcmp(listings[k].command, command->name) == 0)
            return &listings[k];
    return NULL;
}

eb_arrangement eb_call_arrangement(const eb_call *call)
{
    const eb_argument_value *value = call->value + EB_MAX_ARGUMENTS;
    return (eb_arrangement){.where = value[0].text, .sort = value[1].text, .columns = value[2].text};
}

/* EB_USAGE: an argument of lists is given without a value. */
static eb_code check_values(const eb_call *call, eb_status *status)
{
    for (size_t k = 0; k < EB_LIST_ARGUMENTS; k++) {
        const eb_argument_value *value = &call->value[EB_MAX_ARGUMENTS + k];
        if (value->given && value->text[strspn(value->text, " ,")] == '\0')
            return eb_fail(status, EB_USAGE, "%s= has no value; `help %s` lists the columns", eb_list_arguments[k].name,
                           call->command->name);
    }
    return EB_OK;
}

eb_code eb_call_check_arrangement(const eb_call *call, eb_status *status)
{
    enum { MOST = 64 };
    eb_column column[MOST];
    eb_column_set set = {0, column};
    const eb_arrangement wanted = eb_call_arrangement(call);
    const eb_listing *listing = eb_listing_of(call->command);
    EB_TRY(check_values(call, status));
    if (!listing || !eb_arranges(&wanted) || listing->open)
        return EB_OK;
    for (; set.count < MOST && listing->column[set.count]; set.count++)
        column[set.count] = *listing->column[set.count];
    return eb_arrangement_check(&wanted, set, status);
}

/* The index of the argument that limits the rows, and their number; 0: the command has none. */
static size_t limit_of(const eb_call *call, size_t *index)
{
    const eb_argument *argument = call->command->argument;
    for (*index = 0; *index < EB_MAX_ARGUMENTS && argument[*index].name; ++*index) {
        const eb_argument_value *value = &call->value[*index];
        if (argument[*index].type == EB_ARG_INTEGER && strcmp(argument[*index].name, "limit") == 0)
            return value->given ? (size_t)value->integer : strtoul(argument[*index].fallback, NULL, 10);
    }
    return 0;
}

static bool changes_rows(const eb_arrangement *wanted) { return wanted->sort || wanted->where; }

eb_code eb_call_handle(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const eb_arrangement wanted = eb_call_arrangement(call);
    size_t index;
    eb_call whole = *call;
    if (changes_rows(&wanted) && limit_of(call, &index) > 0) {
        whole.value[index].given = true;
        whole.value[index].integer = (int64_t)call->command->argument[index].max;
    }
    return call->command->handler(session, &whole, report, job, status);
}

eb_code eb_call_arrange(const eb_call *call, eb_report *report, eb_status *status)
{
    const eb_arrangement wanted = eb_call_arrangement(call);
    size_t index;
    if (!eb_arranges(&wanted))
        return EB_OK;
    return eb_report_arrange(report, &wanted, changes_rows(&wanted) ? limit_of(call, &index) : 0, status);
}

bool eb_call_lists_only(const eb_call *call)
{
    const eb_listing *listing = eb_listing_of(call->command);
    return listing && listing->only;
}

char *eb_listing_note(const eb_command *command)
{
    const eb_listing *listing = eb_listing_of(command);
    char *note = NULL;
    size_t size = 0;
    FILE *out = listing ? open_memstream(&note, &size) : NULL;
    if (!out)
        return NULL;
    (void)fputs("where=, sort= and columns= arrange the table (`help sorting`)", out);
    for (size_t k = 0; listing->column[k]; k++)
        (void)fprintf(out, "%s%s", k > 0 ? ", " : ". Columns: ", listing->column[k]->key);
    (void)fputs(listing->open ? ", and others that the report shows." : ".", out);
    if (fclose(out) == 0)
        return note;
    free(note);
    return NULL;
}
