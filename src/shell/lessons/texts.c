#include "shell/lessons/texts.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "draw/format.h"

/* ---- lines of a keyword and a text ---- */

static bool is_blank(const char *line, size_t length)
{
    for (size_t k = 0; k < length; k++)
        if (!isspace((unsigned char)line[k]))
            return false;
    return true;
}

static size_t trimmed(const char *text, size_t length)
{
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    return length;
}

static void skip_line(eb_keyed_reader *r)
{
    const size_t length = strcspn(r->at, "\n");
    r->at += length + (r->at[length] == '\n');
    r->next++;
}

/* Joins a line and its continuation lines; heap, NULL: out of memory. */
static char *join_lines(eb_keyed_reader *r)
{
    char *joined = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&joined, &size);
    if (!out)
        return NULL;
    do {
        const char *begin = r->at + strspn(r->at, " \t");
        const size_t length = strcspn(begin, "\n");
        (void)fprintf(out, "%s%.*s", ftello(out) ? " " : "", (int)trimmed(begin, length), begin);
        skip_line(r);
    } while ((*r->at == ' ' || *r->at == '\t') && !is_blank(r->at, strcspn(r->at, "\n")));
    if (fclose(out) == 0)
        return joined;
    free(joined);
    return NULL;
}

eb_code eb_keyed_next(eb_keyed_reader *r, char **text, eb_status *status)
{
    eb_keyed_end(r);
    *text = NULL;
    while (*r->at == '#' || (*r->at != '\0' && is_blank(r->at, strcspn(r->at, "\n"))))
        skip_line(r);
    if (*r->at == '\0')
        return EB_OK;
    r->number = r->next + 1;
    *text = r->line = join_lines(r);
    return *text ? EB_OK : eb_fail_memory(status, "a line", strcspn(r->at, "\n"));
}

void eb_keyed_end(eb_keyed_reader *r)
{
    free(r->line);
    r->line = NULL;
}

char *eb_keyed_cut(char **text)
{
    char *word = *text;
    const size_t length = strcspn(word, " \t");
    *text = word + length + strspn(word + length, " \t");
    word[length] = '\0';
    return word;
}

/* ---- values in texts ---- */

static eb_code put_value(eb_evaluator *values, const char *expression, eb_unit unit, FILE *out, eb_job *job,
                         eb_status *status)
{
    char shown[256];
    eb_value value;
    EB_TRY(eb_evaluator_get(values, expression, &value, job, status));
    if (value.kind == EB_NA)
        return eb_fail(status, EB_USAGE, "{%.200s} has no value", expression);
    (void)fputs(value.kind == EB_TEXT ? value.as.text : eb_format_value(shown, sizeof shown, value, unit), out);
    return EB_OK;
}

static eb_code fill_in(eb_evaluator *values, const char *text, eb_unit unit, FILE *out, eb_job *job, eb_status *status)
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
        eb_code failed = expression ? put_value(values, expression, unit, out, job, status)
                                    : eb_fail_memory(status, "an expression", (size_t)(end - text));
        free(expression);
        EB_TRY(failed);
        text = end + 1;
    }
    return EB_OK;
}

eb_code eb_fill_in(eb_evaluator *values, const char *text, FILE *out, eb_job *job, eb_status *status)
{
    return fill_in(values, text, EB_PLAIN, out, job, status);
}

static eb_code fill_in_text(eb_evaluator *values, const char *text, eb_unit unit, char **out, eb_job *job,
                            eb_status *status)
{
    size_t size;
    *out = NULL;
    FILE *stream = open_memstream(out, &size);
    if (!stream)
        return eb_fail_memory(status, "a text", strlen(text));
    eb_code failed = fill_in(values, text, unit, stream, job, status);
    if (fclose(stream) != 0 && !failed)
        failed = eb_fail_memory(status, "a text", strlen(text));
    if (failed) {
        free(*out);
        *out = NULL;
    }
    return failed;
}

eb_code eb_fill_in_text(eb_evaluator *values, const char *text, char **out, eb_job *job, eb_status *status)
{
    return fill_in_text(values, text, EB_PLAIN, out, job, status);
}

eb_code eb_fill_in_command(eb_evaluator *values, const char *text, char **out, eb_job *job, eb_status *status)
{
    return fill_in_text(values, text, EB_IDENTITY, out, job, status);
}
