#include "shell/language/manual.h"

#include <stdlib.h>
#include <string.h>

#include "shell/language/values.h"

/* The manual's source is counted in bytes, escapes included: it gets some room. */
enum { PAGE_WIDTH = 78, SOURCE_WIDTH = 64 };

/* Columns that UTF-8 text takes: every character of the table is one column wide. */
static size_t columns_of(const char *text, size_t length)
{
    size_t columns = 0;
    for (size_t k = 0; k < length; k++)
        columns += ((unsigned char)text[k] & 0xC0u) != 0x80u;
    return columns;
}

typedef struct page_style {
    FILE *out;
    size_t width;
    void (*put)(FILE *out, const char *word, size_t length);
} page_style;

/* Writes text in lines of at most the page's width, each after the first indented. `column` is where the first line
 * stands already. */
static void wrap_on(const page_style *page, const char *text, size_t indent, size_t column)
{
    bool first = true;
    while (*text) {
        size_t length = strcspn(text, " "), width = columns_of(text, length);
        if (!first && column + 1 + width > page->width) {
            (void)fprintf(page->out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            (void)fputc(' ', page->out);
            column++;
        }
        page->put(page->out, text, length);
        column += width;
        first = false;
        text += length + strspn(text + length, " ");
    }
    (void)fputc('\n', page->out);
}

static void put_plain(FILE *out, const char *word, size_t length) { (void)fwrite(word, 1, length, out); }

static void wrap(FILE *out, const char *text, size_t indent, size_t column)
{
    const page_style page = {out, PAGE_WIDTH, put_plain};
    wrap_on(&page, text, indent, column);
}

/* ": a whole number from 1 to 1000 (default: as set)": what to know of an argument beyond its help. That an engine
 * is an engine goes without saying. Heap; NULL: out of memory. */
static char *describe_value(const eb_argument *argument)
{
    char expectation[200], *text = NULL;
    bool plain = argument->type == EB_ARG_TEXT || argument->type == EB_ARG_REST || argument->type == EB_ARG_COMMAND ||
                 argument->type == EB_ARG_FILE || argument->type == EB_ARG_DATASET || argument->type == EB_ARG_ENGINE ||
                 argument->type == EB_ARG_FLAG;
    bool unit = argument->unit && *argument->unit;
    int written = asprintf(&text, "%s%s%s%s%s%s%s", plain ? "" : ": ",
                           plain ? "" : eb_argument_expectation(argument, expectation, sizeof expectation),
                           unit ? ", in " : "", unit ? argument->unit : "", argument->fallback ? " (default: " : "",
                           argument->fallback ? argument->fallback : "", argument->fallback ? ")" : "");
    return written < 0 ? NULL : text;
}

static void describe(FILE *out, const eb_argument *argument)
{
    size_t width = 12, length = strlen(argument->name);
    char *value = describe_value(argument), *text = NULL;
    (void)fprintf(out, "  %-*s", (int)(width - 2), argument->name);
    if (value && asprintf(&text, "%s%s", argument->help, value) >= 0) {
        wrap(out, text, width, length + 2 > width ? length + 2 : width);
        free(text);
    }
    free(value);
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

/* A word of text: backslashes escaped, and guarded where, at the start of a line, it would be a request. */
static void put_mdoc(FILE *out, const char *word, size_t length)
{
    if (length > 0 && (word[0] == '.' || word[0] == '\''))
        (void)fputs("\\&", out);
    for (size_t k = 0; k < length; k++) {
        if (word[k] == '\\')
            (void)fputs("\\e", out);
        else
            (void)fputc(word[k], out);
    }
}

static void mdoc_text(FILE *out, const char *text) { put_mdoc(out, text, strlen(text)); }

/* Sentences, each on a line of its own as mdoc wants it. */
static void mdoc_sentences(FILE *out, const char *text)
{
    const page_style page = {out, SOURCE_WIDTH, put_mdoc};
    while (*text) {
        const char *end = strstr(text, ". ");
        size_t length = end ? (size_t)(end - text) + 1 : strlen(text);
        char *sentence = strndup(text, length);
        if (!sentence)
            return;
        wrap_on(&page, sentence, 0, 0);
        free(sentence);
        text += length + strspn(text + length, " ");
    }
}

static void mdoc_argument(FILE *out, const eb_argument *argument)
{
    const page_style page = {out, SOURCE_WIDTH, put_mdoc};
    char *value = describe_value(argument), *text = NULL;
    (void)fprintf(out, ".It Ar %s\n", argument->name);
    if (value && asprintf(&text, "%s%s.", argument->help, value) >= 0) {
        wrap_on(&page, text, 0, 0);
        free(text);
    }
    free(value);
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
