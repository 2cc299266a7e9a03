/* libFuzzer: the command parser on a whole script. Every line gives a command of the table or a message, and parsing
 * ends; specs in the text give engines or a message; completion at the end offers words. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "core/engine/spec.h"
#include "engines.h"
#include "shell/language/candidates.h"
#include "shell/language/command.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    eb_register_engines();
    eb_register_commands();
    return 0;
}

static void check(bool promise)
{
    if (!promise)
        abort();
}

static bool explains(eb_code code, const eb_status *status)
{
    return status->code == code && status->message[0] && memchr(status->message, 0, sizeof status->message);
}

/* SPEC,SPEC,…: a spec that parses can be written, and parses again. */
static void check_specs(const char *list)
{
    char text[EB_SPEC_TEXT], items[EB_OPTIONS_TEXT];
    while (list) {
        eb_status status = {.code = EB_OK};
        eb_spec spec;
        eb_engine_defaults defaults = {.items = {""}};
        eb_code code = eb_spec_next(&list, text, sizeof text, &status);
        if (!code)
            code = eb_spec_parse(text, NULL, &spec, &status);
        if (code) {
            check(explains(code, &status));
            return;
        }
        (void)eb_options_text(&spec.options, items, sizeof items);
        check(eb_engine_defaults_take(&defaults, spec.engine, items, &status) == EB_OK);
        check(strcmp(eb_engine_defaults_of(&defaults, spec.engine), items) == 0);
    }
}

static void check_call(const eb_call *call)
{
    check(call->command && call->text && call->text[0]);
    for (const eb_argument *argument = call->command->argument; argument->name; argument++)
        if (argument->type == EB_ARG_ENGINE || argument->type == EB_ARG_OPTION || argument->type == EB_ARG_DEFAULT)
            check_specs(eb_call_text(call, argument->name));
}

static void check_completion(const char *text, size_t length)
{
    eb_candidates list;
    check(eb_complete(text, length, &list));
    for (size_t k = 0; k < list.count; k++)
        check(list.candidate[k].name[0]);
    eb_candidates_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    const char *end = text + strlen(text);
    for (const char *at = text; *at;) {
        const char *rest = NULL;
        eb_call *call = NULL;
        eb_status status = {.code = EB_OK};
        eb_code code = eb_parse(at, &rest, &call, &status);
        check(rest > at && rest <= end);
        if (code)
            check(!call && explains(code, &status));
        else if (call)
            check_call(call);
        eb_call_free(call);
        at = rest;
    }
    check_completion(text, (size_t)(end - text));
    free(text);
    return 0;
}
