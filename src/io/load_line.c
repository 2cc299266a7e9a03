#include "io/load_line.h"

#include <stdlib.h>
#include <string.h>

/* True for a word that needs no quotes. */
static bool is_plain(const char *text)
{
    for (const char *at = text; *at; at++)
        if (strchr(" \t\n;#\"'\\=", *at))
            return false;
    return text[0] && !strchr("-:", text[0]);
}

void eb_put_word(FILE *to, const char *text)
{
    if (is_plain(text)) {
        (void)fputs(text, to);
        return;
    }
    (void)fputc('"', to);
    for (const char *at = text; *at; at++) {
        const char *escape = *at == '\n'   ? "\\n"
                             : *at == '\t' ? "\\t"
                             : *at == '"'  ? "\\\""
                             : *at == '\\' ? "\\\\"
                                           : NULL;
        if (escape)
            (void)fputs(escape, to);
        else
            (void)fputc(*at, to);
    }
    (void)fputc('"', to);
}

/* The keys, in the order in which they are written; values[0] is the default. */
enum { KEYS = 9 };
static const struct {
    const char *key, *values[5];
} keys[KEYS] = {
    {"format", {NULL}},
    {"header", {NULL, "yes", "no"}},
    {"separator", {NULL, "comma", "semicolon", "tab", "blank"}},
    {"decimal", {NULL, "point", "comma"}},
    {"columns", {NULL}},
    {"label", {NULL}},
    {"missing", {NULL, "drop", "mean"}},
    {"scale", {NULL, "standard", "minmax"}},
    {"dtype", {NULL, "bf16"}},
};

void eb_put_choices(FILE *to, const eb_reading *how)
{
    const char *const text[KEYS] = {[0] = how->format, [4] = how->columns, [5] = how->label};
    const unsigned choice[KEYS] = {[1] = how->header,  [2] = how->separator, [3] = how->decimal,
                                   [6] = how->missing, [7] = how->scale,     [8] = how->bf16};
    for (size_t k = 0; k < KEYS; k++) {
        const char *value = text[k] ? text[k] : keys[k].values[choice[k]];
        bool plain = value && !strpbrk(value, " \t;#\"'");
        if (value)
            (void)fprintf(to, plain ? " %s=%s" : " %s='%s'", keys[k].key, value);
    }
}

const char *eb_find_choices(const char *text)
{
    const char *first = text + strlen(text);
    for (size_t k = 0; k < KEYS; k++) {
        char key[16];
        (void)snprintf(key, sizeof key, " %s=", keys[k].key);
        const char *at = strstr(text, key);
        first = at && at < first ? at : first;
    }
    return first;
}

char *eb_line_to_type(char *buffer, size_t size, const char *path, const eb_reading *how)
{
    char *line = NULL, *choices;
    size_t length = 0;
    FILE *to = open_memstream(&line, &length);
    buffer[0] = 0;
    if (!to)
        return buffer;
    (void)fputs("`load ", to);
    eb_put_word(to, path ? path : "-");
    (void)fflush(to);
    const size_t begin = length + 1;
    eb_put_choices(to, how);
    if (fclose(to) == 0) {
        choices = length > begin ? line + begin : line + length;
        if (path && length + 2 < size)
            (void)snprintf(buffer, size, "%s`", line);
        else
            (void)snprintf(buffer, size, "%s", choices);
    }
    free(line);
    return buffer;
}
