#include "shell/lessons/fill.h"

#include <stdlib.h>
#include <string.h>

#include "draw/format.h"

static eb_code put_value(eb_evaluator *values, const char *expression, FILE *out, eb_job *job, eb_status *status)
{
    char shown[256];
    eb_value value;
    EB_TRY(eb_evaluator_get(values, expression, &value, job, status));
    if (value.kind == EB_NA)
        return eb_fail(status, EB_USAGE, "{%.200s} has no value", expression);
    (void)fputs(value.kind == EB_TEXT ? value.as.text : eb_format_value(shown, sizeof shown, value, EB_PLAIN), out);
    return EB_OK;
}

eb_code eb_fill_in(eb_evaluator *values, const char *text, FILE *out, eb_job *job, eb_status *status)
{
    while (*text) {
        const size_t plain = strcspn(text, "{");
        (void)fwrite(text, 1, plain, out);
        text += plain;
        if (*text == '\0')
            return EB_OK;
        const char *end = strchr(text, '}');
        if (!end)
            return eb_fail(status, EB_USAGE, "a { without its }");
        char *expression = strndup(text + 1, (size_t)(end - text - 1));
        eb_code failed = expression ? put_value(values, expression, out, job, status)
                                    : eb_fail_memory(status, "an expression", (size_t)(end - text));
        free(expression);
        EB_TRY(failed);
        text = end + 1;
    }
    return EB_OK;
}

eb_code eb_fill_in_text(eb_evaluator *values, const char *text, char **out, eb_job *job, eb_status *status)
{
    size_t size;
    *out = NULL;
    FILE *stream = open_memstream(out, &size);
    if (!stream)
        return eb_fail_memory(status, "a text", strlen(text));
    eb_code failed = eb_fill_in(values, text, stream, job, status);
    if (fclose(stream) != 0 && !failed)
        failed = eb_fail_memory(status, "a text", strlen(text));
    if (failed) {
        free(*out);
        *out = NULL;
    }
    return failed;
}
