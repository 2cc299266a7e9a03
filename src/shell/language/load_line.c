#include "shell/language/load_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/csv/head.h"
#include "io/load_line.h"

/* The start of the choices in a source; its end if it has none. */
static const char *find_choices(const char *source)
{
    return access(source, F_OK) == 0 ? source + strlen(source) : eb_find_choices(source); /* all of it is a name */
}

static char *line_of(const char *path, const char *choices)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    (void)fputs("load ", out);
    eb_put_word(out, path);
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
    char *choices = NULL;
    size_t size = 0;
    *line = NULL;
    if (eb_csv_head_read(path, &head, NULL))
        return true;
    FILE *to = open_memstream(&choices, &size);
    if (to)
        eb_put_choices(to, &head.how);
    *n = head.n;
    *d = head.d;
    eb_csv_head_free(&head);
    *line = to && fclose(to) == 0 ? line_of(path, choices) : NULL;
    free(choices);
    return *line != NULL;
}
