#include "shell/lessons/keyed.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
