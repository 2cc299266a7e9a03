/* series: fills and describes the series of a report. */
#include "core/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The array's capacity is the next power of two, so it grows when count is a power of two. */
static bool add_number(double **array, size_t count, double value)
{
    if ((count & (count - 1)) == 0) {
        double *grown = realloc(*array, (count ? 2 * count : 1) * sizeof *grown);
        if (!grown)
            return false;
        *array = grown;
    }
    (*array)[count] = value;
    return true;
}

void eb_series_add(eb_series *series, double x, double y, double z, char mark)
{
    if (!series)
        return;
    const size_t at = series->points;
    char *marks = mark ? realloc(series->mark, at + 2) : NULL;
    if (marks) {
        marks[at] = mark;
        marks[at + 1] = 0;
        series->mark = marks;
    }
    if ((marks || !mark) && add_number(&series->x, at, x) && add_number(&series->y, at, y) &&
        (series->shape != EB_HEAT || add_number(&series->z, at, z)))
        series->points++; /* out of memory: the point is left out; the report will fail elsewhere */
}

void eb_series_marks(eb_series *series, const char *mark)
{
    char *copy = series ? malloc(series->points + 1) : NULL;
    if (!copy)
        return; /* the series is drawn without marks; the report will fail elsewhere */
    memcpy(copy, mark, series->points);
    copy[series->points] = 0;
    free(series->mark);
    series->mark = copy;
}

void eb_series_name(eb_series *series, char mark, const char *name)
{
    char *names = NULL;
    if (!series || asprintf(&names, "%s%c %s\n", series->names ? series->names : "", mark, name) < 0)
        return; /* the legend shows the letter alone; the report will fail elsewhere */
    free(series->names);
    series->names = names;
}

void eb_series_modelled(eb_series *series)
{
    if (series)
        series->modelled = true;
}

static bool is_capital(char mark) { return mark >= 'A' && mark <= 'Z'; }

char eb_series_model_of(char mark) { return (char)(mark - 'a' + 'A'); }

static char small_of(char mark) { return (char)(mark - 'A' + 'a'); }

bool eb_series_is_model(const eb_series *series, size_t point, size_t *beside)
{
    const char mark = series->modelled && series->mark ? series->mark[point] : '\0';
    const char *found = is_capital(mark) ? strchr(series->mark, small_of(mark)) : NULL;
    *beside = found ? (size_t)(found - series->mark) : SIZE_MAX;
    return is_capital(mark);
}

char *eb_series_letter(const eb_series *series, char mark, char *buffer, size_t size)
{
    mark = series->modelled && is_capital(mark) ? small_of(mark) : mark;
    (void)snprintf(buffer, size, "%c", mark);
    for (const char *line = series->names; line && *line; line += strcspn(line, "\n") + 1)
        if (line[0] == mark)
            (void)snprintf(buffer, size, "%.*s", (int)strcspn(line, "\n") - 2, line + 2);
    return buffer;
}

void eb_series_turns(eb_series *series)
{
    if (series)
        series->in_turns = true;
}

static void replace_text(char **slot, const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return; /* the old name stays; the report will fail elsewhere */
    free(*slot);
    *slot = copy;
}

void eb_series_heat(eb_series *series, const eb_column *field)
{
    if (!series)
        return;
    replace_text(&series->z_key, field->key);
    replace_text(&series->z_title, field->title);
    series->z_unit = field->unit;
}

void eb_series_axes(eb_series *series, const eb_column *x, bool x_log, const eb_column *y, bool y_log)
{
    if (!series)
        return;
    replace_text(&series->x_key, x->key);
    replace_text(&series->x_title, x->title);
    replace_text(&series->y_key, y->key);
    replace_text(&series->y_title, y->title);
    series->x_unit = x->unit;
    series->y_unit = y->unit;
    series->x_log = x_log;
    series->y_log = y_log;
}
