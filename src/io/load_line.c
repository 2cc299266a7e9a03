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

char *eb_advise_object(char buffer[EB_ADVICE], const eb_bytes *bytes, const char *object)
{
    char *word = NULL;
    char line[EB_ADVICE - 32];
    buffer[0] = 0;
    if (bytes->brief || !object || !*object)
        return buffer;
    if (!bytes->path || asprintf(&word, "%s:/%s", bytes->path, object + (*object == '/')) < 0) {
        (void)snprintf(buffer, EB_ADVICE, "; name one as FILE:/NAME");
        return buffer;
    }
    (void)snprintf(buffer, EB_ADVICE, "; name one, as in %s", eb_line_to_type(line, sizeof line, word, &bytes->how));
    free(word);
    return buffer;
}

/* Writes a word for a shell, in single quotes if it needs them. */
static void put_shell_word(FILE *to, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+";
    (void)fputs(text[0] == '-' ? " ./" : " ", to);
    if (!text[strspn(text, plain)]) {
        (void)fputs(text, to);
        return;
    }
    (void)fputc('\'', to);
    for (; *text; text++)
        (void)fputs(*text == '\'' ? "'\\''" : (char[]){*text, 0}, to);
    (void)fputc('\'', to);
}

char *eb_advise_shell(char buffer[EB_ADVICE], const eb_bytes *bytes, const char *command, const char *into,
                      const char *ending)
{
    const eb_reading none = {.columns = NULL};
    char *made = NULL, *text = NULL, line[EB_ADVICE];
    size_t size = 0;
    buffer[0] = 0;
    if (bytes->brief || !bytes->path)
        return buffer;
    const char *slash = strrchr(bytes->path, '/'), *dot = strrchr(slash ? slash : bytes->path, '.');
    const int stem = (int)(dot && dot > bytes->path && dot[-1] != '/' ? dot - bytes->path : (long)strlen(bytes->path));
    FILE *to = asprintf(&made, "%.*s-points%s", stem, bytes->path, ending) < 0 ? NULL : open_memstream(&text, &size);
    if (to) {
        (void)fprintf(to, "; `%s", command);
        put_shell_word(to, bytes->path);
        (void)fputs(into, to);
        put_shell_word(to, made);
        (void)fprintf(to, "` in a shell, then %s", eb_line_to_type(line, sizeof line, made, &none));
        if (fclose(to) == 0 && size < EB_ADVICE)
            memcpy(buffer, text, size + 1);
    }
    free(text);
    free(made);
    return buffer;
}

char *eb_advise_numpy(char buffer[EB_ADVICE], const eb_bytes *bytes, const char *array, bool pickled)
{
    char command[256];
    (void)snprintf(command, sizeof command,
                   "python3 -c \"import numpy as np, sys; x = np.load(sys.argv[1]%s); "
                   "np.save(sys.argv[2], %s)\"",
                   pickled ? ", allow_pickle=True" : "", array);
    return eb_advise_shell(buffer, bytes, command, "", ".npy");
}

char *eb_advise_unzip(char buffer[EB_ADVICE], const eb_bytes *bytes, const char *first)
{
    const eb_reading none = {.columns = NULL};
    char *text = NULL, line[EB_ADVICE];
    size_t size = 0;
    buffer[0] = 0;
    FILE *to = bytes->brief || !bytes->path || !first ? NULL : open_memstream(&text, &size);
    if (!to)
        return buffer;
    (void)fputs("; `unzip", to);
    put_shell_word(to, bytes->path);
    (void)fprintf(to, "` in a shell, then %s", eb_line_to_type(line, sizeof line, first, &none));
    if (fclose(to) == 0 && size < EB_ADVICE)
        memcpy(buffer, text, size + 1);
    free(text);
    return buffer;
}
