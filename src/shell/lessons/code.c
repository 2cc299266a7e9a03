#include "shell/lessons/code.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/text_file.h"
#include "shell/lessons/library.h"

enum { PATH_BYTES = 4096, NAMES = 400 };

typedef struct lines {
    char *copy;
    char **line; /* pointers into the copy */
    size_t count;
} lines;

static eb_code split(const char *text, lines *out, eb_status *status)
{
    size_t most = 1;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        most++;
    *out = (lines){strdup(text), calloc(most, sizeof(char *)), 0};
    if (!out->copy || !out->line)
        return eb_fail_memory(status, "a kernel's lines", most * sizeof(char *));
    for (char *at = out->copy; at && *at; out->count++) {
        out->line[out->count] = at;
        at = strchr(at, '\n');
        if (at)
            *at++ = '\0';
    }
    return EB_OK;
}

static void drop(lines *l)
{
    free(l->copy);
    free(l->line);
}

/* ---- the function's lines ---- */

static bool is_of_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The name before the first '(' of a line that begins at its first column, with its length; NULL: none. */
static const char *name_in(const char *line, size_t *length)
{
    static const char launch_bounds[] = "__launch_bounds__(";
    const char *skipped = strstr(line, launch_bounds);
    if (!is_of_name(line[0]))
        return NULL;
    if (skipped) {
        const char *end = strchr(skipped, ')');
        line = end ? end + 1 : line;
    }
    const char *end = strchr(line, '('), *begin = end;
    while (begin && begin > line && is_of_name(begin[-1]))
        begin--;
    *length = begin ? (size_t)(end - begin) : 0;
    return *length > 0 ? begin : NULL;
}

/* Index of the last line of the definition that begins at `first`; SIZE_MAX: the line begins no definition. */
static size_t end_of(const lines *l, size_t first)
{
    for (size_t k = first; k < l->count; k++) {
        const char *line = l->line[k];
        const size_t length = strlen(line);
        if (line[0] == '}' || (strchr(line, '{') && length > 0 && line[length - 1] == '}'))
            return k;
        if (length > 0 && line[length - 1] == ';' && !isspace((unsigned char)line[0]))
            return SIZE_MAX;
        if (length == 0 && k == first + 1)
            return SIZE_MAX;
    }
    return SIZE_MAX;
}

/* Moves up over the lines of a template and of the comment that stand directly above the function. */
static size_t begin_of(const lines *l, size_t first)
{
    while (first > 0 && strncmp(l->line[first - 1], "template", 8) == 0)
        first--;
    size_t k = first;
    if (k == 0 || !strstr(l->line[k - 1], "*/"))
        return first;
    while (k > 0 && strncmp(l->line[k], "/*", 2) != 0)
        k--;
    return strncmp(l->line[k], "/*", 2) == 0 ? k : first;
}

static bool is_definition(const lines *l, size_t k, const char *function, char *known, size_t size)
{
    size_t length = 0;
    const char *name = name_in(l->line[k], &length);
    if (!name || end_of(l, k) == SIZE_MAX)
        return false;
    const size_t used = strlen(known);
    (void)snprintf(known + used, size - used, "%s%.*s", used ? ", " : "", (int)length, name);
    return length == strlen(function) && strncmp(name, function, length) == 0;
}

static void put_lines(const lines *l, size_t first, size_t last, const char *title, eb_report *report)
{
    eb_table *table = EB_TABLE(report, EB_F(code), title, EB_F(row), EB_F(text));
    for (size_t k = first; k <= last; k++)
        EB_ROW(table, eb_uint(k + 1), eb_text(l->line[k]));
    eb_table_draw(table, EB_AS_CODE);
}

static eb_code show_lines(const lines *l, const char *file, const char *function, const char *title, eb_report *report,
                          eb_status *status)
{
    char known[NAMES] = "", own[200];
    (void)snprintf(own, sizeof own, "%s of kernels/ladder/%s", function, file);
    for (size_t k = 0; k < l->count; k++)
        if (is_definition(l, k, function, known, sizeof known)) {
            put_lines(l, begin_of(l, k), end_of(l, k), title && title[0] ? title : own, report);
            return EB_OK;
        }
    return eb_fail(status, EB_USAGE, "%s has no function \"%.60s\"; it has %s", file, function,
                   known[0] ? known : "none");
}

eb_code eb_code_show_text(const char *text, const char *file, const char *function, const char *title,
                          eb_report *report, eb_status *status)
{
    lines l;
    eb_code failed = split(text, &l, status);
    if (!failed)
        failed = show_lines(&l, file, function, title, report, status);
    drop(&l);
    return failed;
}

/* ---- the file ---- */

static void list_files(const char *folder, char *out, size_t size)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    size_t used = 0;
    while (entries && (entry = readdir(entries)) && used < size)
        if (strstr(entry->d_name, ".cu"))
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", entry->d_name);
    if (entries)
        (void)closedir(entries);
}

static eb_code refuse_file(const char *folder, const char *file, eb_status *status)
{
    char names[NAMES] = "none";
    list_files(folder, names, sizeof names);
    return eb_fail(status, EB_USAGE, "kernels/ladder has no file \"%.80s\"; it has %s", file, names);
}

eb_code eb_code_show(const char *file, const char *function, const char *title, eb_report *report, eb_status *status)
{
    char folder[PATH_BYTES], path[PATH_BYTES + 128];
    char *text;
    if (!eb_library_ladder(folder, sizeof folder))
        return eb_fail(status, EB_NOT_FOUND, "the kernels' sources are not beside the program");
    (void)snprintf(path, sizeof path, "%s/%.100s", folder, file);
    if (strchr(file, '/') || !strstr(file, ".cu"))
        return refuse_file(folder, file, status);
    eb_code failed = eb_text_read(path, "a kernel", &text, status);
    if (failed)
        return errno == ENOENT ? refuse_file(folder, file, status) : failed;
    failed = eb_code_show_text(text, file, function, title, report, status);
    free(text);
    return failed;
}
