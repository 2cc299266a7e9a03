/* libFuzzer: the command parser over a whole script: every command is one of the table or a sentence, and the text
 * ends. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shell/language/command.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool promise)
{
    if (!promise)
        abort();
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
            check(!call && status.code == code && status.message[0] &&
                  memchr(status.message, 0, sizeof status.message));
        else if (call)
            check(call->command && call->text && call->text[0]);
        eb_call_free(call);
        at = rest;
    }
    free(text);
    return 0;
}
