/* kept_read: reads a kept report. jansson's accessors accept any value, also NULL, and return "", 0 or NULL for one of
 * another kind. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/find.h"
#include "store/json.h"
#include "store/kept.h"
#include "store/kept_words.h"

#define COUNT(words) (sizeof(words) / sizeof(words)[0])

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static bool is_true(const json_t *object, const char *key) { return json_is_true(json_object_get(object, key)); }

/* The place of the word among `words`; `count` if it is none of them. */
static size_t place_of(const json_t *object, const char *key, const char *const *words, size_t count)
{
    const char *word = text_of(object, key);
    size_t k = 0;
    while (k < count && (!word || strcmp(word, words[k]) != 0))
        k++;
    return k;
}

/* key "": the object has none, and is no field, column or item. */
static eb_column name_of(const json_t *object)
{
    const size_t unit = place_of(object, "unit", eb_kept_units, COUNT(eb_kept_units));
    const char *key = text_of(object, "key");
    return (eb_column){key ? key : "", text_of(object, "title"),
                       unit < COUNT(eb_kept_units) ? (eb_unit)unit : EB_PLAIN};
}

static eb_value value_of(const json_t *json)
{
    switch (json_typeof(json)) {
    case JSON_TRUE: return eb_bool(true);
    case JSON_FALSE: return eb_bool(false);
    case JSON_INTEGER: return eb_int(json_integer_value(json));
    case JSON_REAL: return eb_real(json_real_value(json));
    case JSON_STRING: return eb_text(json_string_value(json));
    default: return eb_na();
    }
}

static eb_value value_at(const json_t *object, const char *key)
{
    const json_t *json = json_object_get(object, key);
    return json ? value_of(json) : eb_na();
}

/* Names of letters, a line each: "a fasted". */
static void read_names(const json_t *json, eb_series *series)
{
    const char *at = text_of(json, "names");
    char name[256];
    while (at && at[0] && at[0] != '\n' && at[1] == ' ') {
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 2, "\n"), at + 2);
        eb_series_name(series, at[0], name);
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
}

/* ---- items ---- */

static void read_record(const json_t *json, const eb_column *name, eb_report *report)
{
    eb_record *record = eb_report_record(report, name, name->title);
    const json_t *fields = json_object_get(json, "fields");
    for (size_t k = 0; k < json_array_size(fields); k++) {
        const json_t *field = json_array_get(fields, k);
        const eb_column of_field = name_of(field);
        if (of_field.key[0])
            eb_record_field(record, &of_field, value_at(field, "value"));
    }
}

/* A row of another length is left out. */
static void read_rows(const json_t *rows, eb_table *table)
{
    eb_value *cell = calloc(table->columns + 1, sizeof *cell);
    for (size_t r = 0; cell && r < json_array_size(rows); r++) {
        const json_t *row = json_array_get(rows, r);
        if (json_array_size(row) != table->columns)
            continue;
        for (size_t c = 0; c < table->columns; c++)
            cell[c] = value_of(json_array_get(row, c));
        eb_table_row(table, cell, table->columns);
    }
    free(cell);
}

static void read_table(const json_t *json, const eb_column *name, eb_report *report)
{
    eb_table *table = eb_report_table(report, name, name->title);
    const json_t *columns = json_object_get(json, "columns");
    const size_t look = place_of(json, "look", eb_kept_looks, COUNT(eb_kept_looks));
    for (size_t c = 0; c < json_array_size(columns); c++) {
        const eb_column column = name_of(json_array_get(columns, c));
        eb_table_column(table, &column);
    }
    if (!table)
        return;
    if (is_true(json, "turned"))
        eb_table_turn(table);
    if (look < COUNT(eb_kept_looks))
        eb_table_draw(table, (eb_look)look);
    read_rows(json_object_get(json, "rows"), table);
}

/* The numbers of an array, `points` of them, NAN for null; NULL if it has another length. On the heap. */
static double *numbers_of(const json_t *array, size_t points)
{
    double *number =
        json_is_array(array) && json_array_size(array) == points ? calloc(points + 1, sizeof *number) : NULL;
    for (size_t k = 0; number && k < points; k++) {
        const json_t *json = json_array_get(array, k);
        number[k] = json_is_number(json) ? json_number_value(json) : NAN;
    }
    return number;
}

typedef struct axis {
    eb_column name;
    bool log;
    double *value; /* heap; NULL: there is no such axis */
} axis;

static axis axis_of(const json_t *json, const char *key, size_t points)
{
    const json_t *object = json_object_get(json, key);
    eb_column name = name_of(object);
    name.title = name.title ? name.title : name.key;
    return (axis){name, is_true(object, "log"), numbers_of(json_object_get(object, "values"), points)};
}

static void add_series(const json_t *json, const eb_column *name, eb_series_shape shape, size_t points, const axis *x,
                       const axis *y, eb_report *report)
{
    double *low = numbers_of(json_object_get(json, "low"), points);
    double *high = numbers_of(json_object_get(json, "high"), points);
    const bool band = low && high;
    eb_series *series = eb_report_series(report, name, name->title, shape, points, x->value, y->value,
                                         band ? low : NULL, band ? high : NULL);
    const char *mark = text_of(json, "mark");
    eb_series_axes(series, &x->name, x->log, &y->name, y->log);
    if (mark && strlen(mark) == points)
        eb_series_marks(series, mark);
    read_names(json, series);
    if (series && shape == EB_BARS) {
        series->under = eb_value_number(value_at(json, "under"));
        series->over = eb_value_number(value_at(json, "over"));
    }
    free(low);
    free(high);
}

static void add_heat(const json_t *json, const eb_column *name, size_t points, const axis *x, const axis *y,
                     eb_report *report)
{
    axis z = axis_of(json, "z", points);
    const char *mark = text_of(json, "mark");
    const bool marked = mark && strlen(mark) == points;
    eb_series *series = z.value ? eb_report_dots(report, name, name->title, EB_HEAT) : NULL;
    for (size_t k = 0; series && k < points; k++)
        eb_series_add(series, x->value[k], y->value[k], z.value[k], marked ? mark[k] : (char)0);
    if (series) {
        eb_series_axes(series, &x->name, x->log, &y->name, y->log);
        eb_series_heat(series, &z.name);
        read_names(json, series);
    }
    if (series && is_true(json, "turns"))
        eb_series_turns(series);
    free(z.value);
}

static void read_series(const json_t *json, const eb_column *name, eb_report *report)
{
    const size_t shape = place_of(json, "shape", eb_kept_shapes, COUNT(eb_kept_shapes));
    const size_t points = json_array_size(json_object_get(json_object_get(json, "x"), "values"));
    axis x = axis_of(json, "x", points), y = axis_of(json, "y", points);
    if (x.value && y.value && shape == EB_HEAT)
        add_heat(json, name, points, &x, &y, report);
    else if (x.value && y.value && shape < COUNT(eb_kept_shapes))
        add_series(json, name, (eb_series_shape)shape, points, &x, &y, report);
    free(x.value);
    free(y.value);
}

static void read_item(const json_t *json, eb_report *report)
{
    const eb_column name = name_of(json);
    const size_t kind = name.key[0] ? place_of(json, "kind", eb_kept_kinds, COUNT(eb_kept_kinds)) : SIZE_MAX;
    const size_t before = report ? report->items : 0;
    if (kind == EB_FIELD)
        eb_report_field(report, &name, value_at(json, "value"));
    else if (kind == EB_RECORD)
        read_record(json, &name, report);
    else if (kind == EB_TABLE)
        read_table(json, &name, report);
    else if (kind == EB_SERIES)
        read_series(json, &name, report);
    if (is_true(json, "page") && report && report->items > before)
        eb_report_page(report);
}

eb_report *eb_kept_read(const char *text)
{
    json_t *json = json_loads(text, 0, NULL);
    const char *command = text_of(json, "command");
    eb_report *report = eb_report_new(command ? command : "");
    const json_t *items = json_object_get(json, "items"), *notes = json_object_get(json, "notes");
    for (size_t k = 0; k < json_array_size(items); k++)
        read_item(json_array_get(items, k), report);
    for (size_t k = 0; k < json_array_size(notes); k++) {
        const char *note = json_string_value(json_array_get(notes, k));
        if (note)
            eb_report_note(report, "%s", note);
    }
    eb_report_dataset(report, text_of(json, "dataset"));
    if (text_of(json, "text"))
        eb_report_raw(report, text_of(json, "text"));
    json_decref(json);
    return report;
}
