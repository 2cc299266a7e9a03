#include "shell/language/command.h"

#include <assert.h>
#include <string.h>

#include "core/base/lookup.h"

static struct {
    const eb_command *command;
    size_t count;
} table;

void eb_commands_set(const eb_command *commands, size_t count)
{
    table.command = commands;
    table.count = count;
}

size_t eb_command_count(void) { return table.count; }

const eb_command *eb_command_at(size_t index) { return &table.command[index]; }

/* ---- names ---- */

static const char *command_name(const void *context, size_t index)
{
    (void)context;
    return eb_command_at(index)->name;
}

/* The command whose promised abbreviation begins `name`, even if `name` is a prefix of others too. NULL: none. */
static const eb_command *promised(const char *name)
{
    for (size_t k = 0; k < eb_command_count(); k++) {
        const eb_command *command = eb_command_at(k);
        size_t length = strlen(name), promise = strlen(command->abbreviation);
        if (length >= promise && strncmp(command->name, name, length) == 0)
            return command;
    }
    return NULL;
}

/* Other names match only as a whole, so that they make no prefix ambiguous. */
static bool also_called(const eb_command *command, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = command->also; at && length > 0; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (strcspn(at, "|") == length && strncmp(at, name, length) == 0)
            return true;
    return false;
}

eb_code eb_command_find(const char *name, const eb_command **out, eb_status *status)
{
    for (size_t k = 0; k < eb_command_count(); k++)
        if (also_called(eb_command_at(k), name)) {
            *out = eb_command_at(k);
            return EB_OK;
        }
    for (size_t k = 0; k < eb_command_count(); k++)
        if (eb_command_at(k)->former && strcmp(eb_command_at(k)->former, name) == 0)
            return eb_fail(status, EB_USAGE, "%s is `%s` now", name, eb_command_at(k)->name);
    const eb_command *kept = promised(name);
    if (kept) {
        *out = kept;
        return EB_OK;
    }
    eb_names names = {"command", eb_command_count(), command_name, NULL, "`help` lists all"};
    size_t index;
    eb_code failed = eb_lookup(&names, name, strlen(name), &index, status);
    if (!failed)
        *out = eb_command_at(index);
    return failed;
}

/* ---- values for handlers ---- */

static const eb_argument_value *value_of(const eb_call *call, const char *name)
{
    const eb_argument *argument = call->command->argument;
    for (size_t k = 0; k < EB_MAX_ARGUMENTS && argument[k].name; k++)
        if (strcmp(argument[k].name, name) == 0)
            return &call->value[k];
    assert(false && "the command has no argument of this name");
    static const eb_argument_value none;
    return &none;
}

bool eb_call_has(const eb_call *call, const char *argument) { return value_of(call, argument)->given; }

bool eb_call_writes(const eb_call *call, size_t index)
{
    const eb_argument *argument = &call->command->argument[index];
    if (!argument->written || !call->value[index].given)
        return false;
    const char *first = call->value[0].text;
    return !argument->writes_when || (first && strcmp(first, argument->writes_when) == 0);
}

const char *eb_call_text(const eb_call *call, const char *argument) { return value_of(call, argument)->text; }

size_t eb_call_choice(const eb_call *call, const char *argument, size_t otherwise)
{
    const eb_argument_value *value = value_of(call, argument);
    return value->given ? value->choice : otherwise;
}

int64_t eb_call_integer(const eb_call *call, const char *argument, int64_t otherwise)
{
    const eb_argument_value *value = value_of(call, argument);
    return value->given ? value->integer : otherwise;
}

uint64_t eb_call_size(const eb_call *call, const char *argument, uint64_t otherwise)
{
    const eb_argument_value *value = value_of(call, argument);
    return value->given ? value->size : otherwise;
}

double eb_call_number(const eb_call *call, const char *argument, double otherwise)
{
    const eb_argument_value *value = value_of(call, argument);
    return value->given ? value->number : otherwise;
}

size_t eb_call_numbers(const eb_call *call, const char *argument, const double **out)
{
    const eb_argument_value *value = value_of(call, argument);
    *out = value->numbers;
    return value->count;
}

bool eb_call_flag(const eb_call *call, const char *argument) { return value_of(call, argument)->flag; }
