#include "shell/diagnosis/counted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/lessons/library.h"

enum { MOST_COLUMNS = 32 };

typedef struct reader {
    const char *path;
    eb_counted *out;
    size_t number, columns; /* of the line; columns 0: their names were not read yet */
    int spec, d, clock;     /* columns; -1: missing */
    eb_metric metric[MOST_COLUMNS];
    eb_status *status;
} reader;

static eb_code complain(const reader *r, const char *expected, const char *found)
{
    return eb_fail(r->status, EB_USAGE, "%s:%zu: expected %s, found \"%.80s\"", r->path, r->number, expected, found);
}

/* Splits a line at its tabs; the number of cells. */
static size_t split(char *line, char *cell[MOST_COLUMNS])
{
    size_t cells = 0;
    for (char *at = line; at && cells < MOST_COLUMNS; cells++)
        cell[cells] = strsep(&at, "\t");
    return cells;
}

static eb_code read_names(reader *r, char *line)
{
    char *name[MOST_COLUMNS];
    r->columns = split(line, name);
    r->spec = r->d = r->clock = -1;
    for (size_t k = 0; k < r->columns; k++) {
        r->metric[k] = eb_metric_find(name[k]);
        r->spec = strcmp(name[k], "engine") == 0 ? (int)k : r->spec;
        r->d = strcmp(name[k], "d") == 0 ? (int)k : r->d;
        r->clock = strcmp(name[k], "sm_clock_hz") == 0 ? (int)k : r->clock;
    }
    return r->spec >= 0 && r->d >= 0 && r->clock >= 0 ? EB_OK
                                                      : complain(r, "columns engine, d and sm_clock_hz", name[0]);
}

/* A number, or NAN for n/a. */
static eb_code read_number(const reader *r, const char *text, double *out)
{
    char *end;
    *out = NAN;
    if (strcmp(text, "n/a") == 0)
        return EB_OK;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*out) ? EB_OK : complain(r, "a number or n/a", text);
}

static eb_code read_row(const reader *r, char *line)
{
    char *cell[MOST_COLUMNS];
    double d = 0;
    eb_counted *c = r->out;
    if (split(line, cell) != r->columns)
        return complain(r, "as many cells as columns", line);
    eb_counted_row *grown = realloc(c->row, (c->rows + 1) * sizeof *grown);
    if (!grown)
        return eb_fail_memory(r->status, "counters", (c->rows + 1) * sizeof *grown);
    c->row = grown;
    eb_counted_row *row = &c->row[c->rows++];
    *row = (eb_counted_row){.spec = strdup(cell[r->spec])};
    for (eb_metric m = 0; m < EB_METRIC_COUNT; m++)
        row->metrics.value[m] = NAN;
    if (!row->spec)
        return eb_fail_memory(r->status, "counters", strlen(cell[r->spec]));
    EB_TRY(read_number(r, cell[r->d], &d));
    EB_TRY(read_number(r, cell[r->clock], &row->clock_hz));
    row->d = d > 0 ? (size_t)d : 0;
    for (size_t k = 0; k < r->columns; k++)
        if (r->metric[k] != EB_METRIC_COUNT) {
            EB_TRY(read_number(r, cell[k], &row->metrics.value[r->metric[k]]));
            row->metrics.counted[r->metric[k]] = true;
        }
    return EB_OK;
}

/* "# NVIDIA H200, CUDA 13.0, 2026-11-23, …" */
static void read_origin(eb_counted *out, const char *line)
{
    const char *second = strchr(line, ','), *third = second ? strchr(second + 1, ',') : NULL;
    if (!third)
        return;
    (void)snprintf(out->gpu, sizeof out->gpu, "%.*s", (int)(second - line) - 2, line + 2);
    third += 1 + strspn(third + 1, " ");
    (void)snprintf(out->date, sizeof out->date, "%.*s", (int)strcspn(third, ",\n"), third);
}

eb_code eb_counted_parse(const char *path, const char *text, eb_counted *out, eb_status *status)
{
    reader r = {.path = path, .out = out, .status = status};
    *out = (eb_counted){.rows = 0};
    char *copy = strdup(text), *rest = copy, *line;
    eb_code failed = copy ? EB_OK : eb_fail_memory(status, "counters", strlen(text));
    while (!failed && (line = strsep(&rest, "\n"))) {
        r.number++;
        if (line[0] == '#' && r.number == 1)
            read_origin(out, line);
        else if (line[0] != '#' && line[0] != '\0')
            failed = r.columns == 0 ? read_names(&r, line) : read_row(&r, line);
    }
    free(copy);
    return failed;
}

eb_code eb_counted_read(eb_counted *out, eb_status *status)
{
    char path[4096], *text;
    *out = (eb_counted){.rows = 0};
    EB_TRY(eb_library_text("counters_h200.tsv", "a table of counters", path, sizeof path, &text, status));
    const eb_code failed = eb_counted_parse(path, text, out, status);
    free(text);
    return failed;
}

void eb_counted_free(eb_counted *counted)
{
    for (size_t k = 0; k < counted->rows; k++)
        free(counted->row[k].spec);
    free(counted->row);
    *counted = (eb_counted){.rows = 0};
}

const eb_counted_row *eb_counted_find(const eb_counted *counted, const char *spec, size_t d)
{
    for (size_t k = 0; k < counted->rows; k++)
        if (counted->row[k].d == d && strcmp(counted->row[k].spec, spec) == 0)
            return &counted->row[k];
    return NULL;
}
