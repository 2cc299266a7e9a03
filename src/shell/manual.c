#include "shell/manual.h"

#include <stdlib.h>
#include <string.h>

#include "shell/values.h"

enum { PAGE_WIDTH = 78 };

/* Columns that UTF-8 text takes: every character of the table is one column wide. */
static size_t columns_of(const char *text, size_t length)
{
    size_t columns = 0;
    for (size_t k = 0; k < length; k++)
        columns += ((unsigned char)text[k] & 0xC0u) != 0x80u;
    return columns;
}

/* Writes text in lines of PAGE_WIDTH, each after the first indented. `column` is where the first line stands
 * already. */
static void wrap(FILE *out, const char *text, size_t indent, size_t column)
{
    bool first = true;
    while (*text) {
        size_t length = strcspn(text, " "), width = columns_of(text, length);
        if (!first && column + 1 + width > PAGE_WIDTH) {
            (void)fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            (void)fputc(' ', out);
            column++;
        }
        (void)fwrite(text, 1, length, out);
        column += width;
        first = false;
        text += length + strspn(text + length, " ");
    }
    (void)fputc('\n', out);
}

static void describe(FILE *out, const eb_argument *argument)
{
    char expectation[200];
    size_t width = 12, length = strlen(argument->name);
    (void)fprintf(out, "  %-*s", (int)(width - 2), argument->name);
    char *text = NULL;
    int written = asprintf(&text, "%s: %s%s%s%s%s%s", argument->help,
                           eb_argument_expectation(argument, expectation, sizeof expectation),
                           argument->unit && *argument->unit ? ", in " : "", argument->unit ? argument->unit : "",
                           argument->fallback ? " (default: " : "", argument->fallback ? argument->fallback : "",
                           argument->fallback ? ")" : "");
    if (written < 0)
        return;
    wrap(out, text, width, length + 2 > width ? length + 2 : width);
    free(text);
}

char *eb_manual_page(const eb_command *command)
{
    char *page = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&page, &size);
    if (!out)
        return NULL;
    char usage[400];
    wrap(out, eb_command_usage(command, usage, sizeof usage), 4, 0);
    wrap(out, command->summary, 0, 0);
    if (*command->detail) {
        (void)fputc('\n', out);
        wrap(out, command->detail, 0, 0);
    }
    if (command->argument[0].name)
        (void)fputc('\n', out);
    for (size_t k = 0; k < EB_MAX_ARGUMENTS && command->argument[k].name; k++)
        describe(out, &command->argument[k]);
    (void)fprintf(out, "\nExample: %s\n", command->example);
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(page);
        return NULL;
    }
    return page;
}

/* ---- mdoc ---- */

/* Text for a line of its own or the end of a macro line: backslashes escaped, a leading control character guarded. */
static void mdoc_text(FILE *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        (void)fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '\\')
            (void)fputs("\\e", out);
        else
            (void)fputc(*text, out);
    }
}

/* One sentence a line, as mdoc wants it. */
static void mdoc_sentences(FILE *out, const char *text)
{
    while (*text) {
        const char *end = strstr(text, ". ");
        size_t length = end ? (size_t)(end - text) + 1 : strlen(text);
        char *sentence = strndup(text, length);
        if (!sentence)
            return;
        mdoc_text(out, sentence);
        (void)fputc('\n', out);
        free(sentence);
        text += length + strspn(text + length, " ");
    }
}

static void mdoc_argument(FILE *out, const eb_argument *argument)
{
    char expectation[200];
    (void)fprintf(out, ".It Ar %s\n", argument->name);
    mdoc_text(out, argument->help);
    (void)fputs(":\n", out);
    mdoc_text(out, eb_argument_expectation(argument, expectation, sizeof expectation));
    if (argument->unit && *argument->unit)
        (void)fprintf(out, ", in %s", argument->unit);
    if (argument->fallback)
        (void)fprintf(out, " (default: %s)", argument->fallback);
    (void)fputs(".\n", out);
}

static void mdoc_command(FILE *out, const eb_command *command)
{
    char usage[400];
    (void)eb_command_usage(command, usage, sizeof usage);
    (void)fprintf(out, ".It Ic ");
    mdoc_text(out, usage);
    (void)fputc('\n', out);
    mdoc_text(out, command->summary);
    (void)fputs(".\n", out);
    mdoc_sentences(out, command->detail);
    if (command->argument[0].name) {
        (void)fputs(".Bl -tag -width queries -compact\n", out);
        for (size_t k = 0; k < EB_MAX_ARGUMENTS && command->argument[k].name; k++)
            mdoc_argument(out, &command->argument[k]);
        (void)fputs(".El\n", out);
    }
    (void)fputs("Example:\n.Dl ", out);
    mdoc_text(out, command->example);
    (void)fputc('\n', out);
}

void eb_manual_commands(FILE *out)
{
    const char *group = "";
    for (size_t k = 0; k < eb_command_count(); k++) {
        const eb_command *command = eb_command_at(k);
        if (strcmp(command->group, group) != 0) {
            (void)fprintf(out, "%s.Ss %s\n.Bl -tag -width Ds\n", *group ? ".El\n" : "", command->group);
            group = command->group;
        }
        mdoc_command(out, command);
    }
    (void)fputs(".El\n", out);
}
