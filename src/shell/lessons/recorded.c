#include "shell/lessons/recorded.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/new_file.h"
#include "core/files/text_file.h"

enum { FIELDS = 4, PATH_BYTES = 4096, MOST_STEPS = 10000 };

/* ---- rows ---- */

static eb_recorded_row *find_row(const eb_recorded *r, const char *lesson, size_t step, const char *name)
{
    for (size_t k = 0; k < r->rows; k++)
        if (r->row[k].step == step && strcmp(r->row[k].lesson, lesson) == 0 && strcmp(r->row[k].name, name) == 0)
            return &r->row[k];
    return NULL;
}

static eb_code add_row(eb_recorded *r, const char *lesson, size_t step, const char *name, const char *value,
                       eb_status *status)
{
    eb_recorded_row *grown = realloc(r->row, (r->rows + 1) * sizeof *grown);
    if (!grown)
        return eb_fail_memory(status, "recorded values", sizeof *grown);
    r->row = grown;
    grown += r->rows++;
    *grown = (eb_recorded_row){strdup(lesson), strdup(name), strdup(value), step};
    return grown->lesson && grown->name && grown->value ? EB_OK : eb_fail_memory(status, "recorded values", 1);
}

void eb_recorded_free(eb_recorded *r)
{
    for (size_t k = 0; k < r->rows; k++) {
        free(r->row[k].lesson);
        free(r->row[k].name);
        free(r->row[k].value);
    }
    free(r->row);
    *r = (eb_recorded){0};
}

char *eb_recorded_by(const eb_recorded *r, char *buffer, size_t size)
{
    if (r->rows == 0)
        (void)snprintf(buffer, size, "no GPU yet");
    else
        (void)snprintf(buffer, size, "%s%s%s%s%s", r->device[0] ? r->device : "a GPU", r->date[0] ? ", " : "", r->date,
                       r->commit[0] ? ", commit " : "", r->commit);
    return buffer;
}

eb_value eb_recorded_find(const eb_recorded *r, const char *lesson, size_t step, const char *name)
{
    const eb_recorded_row *row = find_row(r, lesson, step, name);
    char *end;
    if (!row)
        return eb_na();
    errno = 0;
    const long long whole = strtoll(row->value, &end, 10);
    if (end != row->value && *end == '\0' && errno == 0)
        return eb_int(whole);
    const double number = strtod(row->value, &end);
    return end != row->value && *end == '\0' && isfinite(number) ? eb_real(number) : eb_text(row->value);
}

/* The value as the file has it: a real number keeps a point or an exponent, so that it is read as one. */
static char *write_value(eb_value value, char *buffer, size_t size)
{
    switch (value.kind) {
    case EB_BOOL: (void)snprintf(buffer, size, "%d", value.as.boolean); break;
    case EB_INTEGER: (void)snprintf(buffer, size, "%lld", (long long)value.as.integer); break;
    case EB_UNSIGNED: (void)snprintf(buffer, size, "%llu", (unsigned long long)value.as.u64); break;
    case EB_REAL:
        (void)snprintf(buffer, size, "%.9g", value.as.real);
        if (!strpbrk(buffer, ".e"))
            (void)snprintf(buffer + strlen(buffer), size - strlen(buffer), ".0");
        break;
    case EB_TEXT: (void)snprintf(buffer, size, "%s", value.as.text); break;
    case EB_NA: buffer[0] = '\0'; break;
    }
    for (char *at = buffer; (at = strpbrk(at, "\t\n\r")); at++)
        *at = ' ';
    return buffer;
}

eb_code eb_recorded_add(eb_recorded *r, const char *lesson, size_t step, const char *name, eb_value value,
                        eb_status *status)
{
    char text[512];
    eb_recorded_row *row = find_row(r, lesson, step, name);
    if (value.kind == EB_NA)
        return EB_OK;
    (void)write_value(value, text, sizeof text);
    if (!row)
        return add_row(r, lesson, step, name, text, status);
    char *copy = strdup(text);
    if (!copy)
        return eb_fail_memory(status, "a recorded value", sizeof text);
    free(row->value);
    row->value = copy;
    return EB_OK;
}

/* ---- the file ---- */

/* Takes the rest of a line `# KEY: REST`; false: the line has another key. */
static bool take_head(const char *line, const char *key, char *out, size_t size)
{
    const char *at = line + 1 + strspn(line + 1, " ");
    const size_t length = strlen(key);
    if (strncmp(at, key, length) != 0 || at[length] != ':')
        return false;
    at += length + 1;
    (void)snprintf(out, size, "%s", at + strspn(at, " "));
    return true;
}

static eb_code read_row(eb_recorded *r, const char *path, size_t number, char *line, eb_status *status)
{
    char *field[FIELDS], *end, *at = line;
    size_t fields = 0;
    for (char *next = line; next && fields < FIELDS; fields++) {
        field[fields] = next;
        next = strchr(next, '\t');
        at = next;
        if (next)
            *next++ = '\0';
    }
    const unsigned long step = fields == FIELDS ? strtoul(field[1], &end, 10) : 0;
    if (fields < FIELDS || at || *end != '\0' || step < 1 || step > MOST_STEPS || !field[0][0] || !field[2][0])
        return eb_fail(
            status, EB_USAGE,
            "%s:%zu: expected a lesson, a step from 1, a name and a value with tabs between, found \"%.60s\"", path,
            number, line);
    return add_row(r, field[0], step, field[2], field[3], status);
}

static eb_code read_line(eb_recorded *r, const char *path, size_t number, char *line, eb_status *status)
{
    line[strcspn(line, "\r")] = '\0';
    if (line[0] == '\0')
        return EB_OK;
    if (line[0] != '#')
        return read_row(r, path, number, line, status);
    if (!take_head(line, "device", r->device, sizeof r->device) && !take_head(line, "date", r->date, sizeof r->date))
        (void)take_head(line, "commit", r->commit, sizeof r->commit);
    return EB_OK;
}

eb_code eb_recorded_parse(const char *path, const char *text, eb_recorded *out, eb_status *status)
{
    eb_code failed = EB_OK;
    *out = (eb_recorded){0};
    for (size_t number = 1; *text && !failed; number++) {
        const size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);
        failed = line ? read_line(out, path, number, line, status) : eb_fail_memory(status, "a line", length);
        free(line);
        text += length + (text[length] == '\n');
    }
    return failed;
}

eb_code eb_recorded_read(const char *lesson_path, eb_recorded *out, eb_status *status)
{
    char path[PATH_BYTES], *text;
    const char *slash = strrchr(lesson_path, '/');
    *out = (eb_recorded){0};
    (void)snprintf(path, sizeof path, "%.*srecorded.tsv", slash ? (int)(slash + 1 - lesson_path) : 0, lesson_path);
    eb_code failed = eb_text_read(path, "recorded values", &text, status);
    if (failed)
        return errno == ENOENT || errno == ENOTDIR ? EB_OK : failed;
    failed = eb_recorded_parse(path, text, out, status);
    free(text);
    return failed;
}

eb_code eb_recorded_write(const eb_recorded *r, const char *path, eb_status *status)
{
    eb_new_file *file;
    EB_TRY(eb_new_file_open(path, &file, status));
    FILE *out = eb_new_file_stream(file);
    (void)fprintf(out, "# device: %s\n# date: %s\n# commit: %s\n", r->device, r->date, r->commit);
    for (size_t k = 0; k < r->rows; k++)
        (void)fprintf(out, "%s\t%zu\t%s\t%s\n", r->row[k].lesson, r->row[k].step, r->row[k].name, r->row[k].value);
    return eb_new_file_commit(file, status);
}
