#include "shell/language/load_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/csv/head.h"

/* True if the text is one word without quotes. The first character may not be '-' or ':'. */
static bool is_plain(const char *text)
{
    for (const char *at = text; *at; at++)
        if (strchr(" \t\n;#\"'\\=", *at))
            return false;
    return text[0] && !strchr("-:", text[0]);
}

/* Writes the text as a word, in double quotes if needed (command.h). */
static void put_word(FILE *out, const char *text)
{
    if (is_plain(text)) {
        (void)fputs(text, out);
        return;
    }
    (void)fputc('"', out);
    for (const char *at = text; *at; at++) {
        const char *escape = *at == '\n'   ? "\\n"
                             : *at == '\t' ? "\\t"
                             : *at == '"'  ? "\\\""
                             : *at == '\\' ? "\\\\"
                                           : NULL;
        if (escape)
            (void)fputs(escape, out);
        else
            (void)fputc(*at, out);
    }
    (void)fputc('"', out);
}

/* Start of the load options in a source, as io/load.c writes them; the end of the source if it has none. */
static const char *find_choices(const char *source)
{
    static const char *const keys[] = {" format=",  " header=", " columns=", " label=",
                                       " missing=", " scale=",  " dtype="};
    const char *first = source + strlen(source);
    if (access(source, F_OK) == 0) /* the whole source is a file name */
        return first;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const char *at = strstr(source, keys[k]);
        first = at && at < first ? at : first;
    }
    return first;
}

static char *line_of(const char *path, const char *choices)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    (void)fputs("load ", out);
    put_word(out, path);
    (void)fputs(choices, out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

char *eb_load_line(const char *source)
{
    if (strncmp(source, "synth ", strlen("synth ")) == 0)
        return strdup(source);
    const char *choices = find_choices(source);
    char *path = strndup(source, (size_t)(choices - source)), *line = path ? line_of(path, choices) : NULL;
    free(path);
    return line;
}

bool eb_load_line_of_table(const char *path, char **line, size_t *n, size_t *d)
{
    eb_csv_head head;
    char choices[sizeof head.coordinates + sizeof head.label + 64];
    *line = NULL;
    if (eb_csv_head_read(path, &head, NULL))
        return true;
    (void)snprintf(choices, sizeof choices, "%s%s%s%s%s%s", head.coordinates[0] ? " columns=" : "", head.coordinates,
                   head.label[0] ? " label=" : "", head.label, head.missing[0] ? " missing=" : "", head.missing);
    *n = head.n;
    *d = head.d;
    eb_csv_head_free(&head);
    *line = line_of(path, choices);
    return *line != NULL;
}
