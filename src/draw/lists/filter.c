#include "draw/lists/filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/decimal.h"
#include "core/report/find.h"
#include "draw/format.h"
#include "draw/utf8.h"

enum { NUMBER = 64, SHOWN = 60 };

/* ---- text to comparisons ---- */

/* The end of the comparison that begins at `at`: a comma outside brackets and quotes, or the end of the text. NULL: a
 * quote is not closed. */
static const char *end_of(const char *begin)
{
    int depth = 0;
    char quote = 0;
    const char *at = begin;
    for (; *at; at++) {
        if (quote)
            quote = *at == quote ? 0 : quote;
        else if ((*at == '"' || *at == '\'') && (at == begin || strchr(" =<>~", at[-1])))
            quote = *at; /* an apostrophe within a word is none */
        else if (*at == '[' || *at == ']')
            depth += *at == '[' ? 1 : depth > 0 ? -1 : 0;
        else if (*at == ',' && depth == 0)
            return at;
    }
    return quote ? NULL : at;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && *at == ' ')
        at++;
    return at;
}

static const char *cut_blanks(const char *begin, const char *end)
{
    while (end > begin && end[-1] == ' ')
        end--;
    return end;
}

/* Finds the relation in [at, end); returns where it begins, and in *length its bytes. NULL: there is none. */
static const char *find_relation(const char *at, const char *end, eb_relation *relation, size_t *length)
{
    static const struct {
        const char *sign;
        eb_relation relation;
    } signs[] = {{"!=", EB_UNEQUAL}, {"!~", EB_HAS_NOT}, {"<=", EB_AT_MOST}, {">=", EB_AT_LEAST}, {"==", EB_EQUAL},
                 {"=", EB_EQUAL},    {"~", EB_HAS},      {"<", EB_LESS},     {">", EB_MORE}};
    for (; at < end; at++)
        for (size_t k = 0; k < sizeof signs / sizeof signs[0]; k++) {
            *length = strlen(signs[k].sign);
            *relation = signs[k].relation;
            if (*length <= (size_t)(end - at) && strncmp(at, signs[k].sign, *length) == 0)
                return at;
        }
    return NULL;
}

/* Units as screens show them, and their sizes in the base unit. */
static const struct {
    eb_unit unit;
    const char *name;
    double size;
} units[] = {
    {EB_SECONDS, "s", 1},
    {EB_SECONDS, "ms", 1e-3},
    {EB_SECONDS, "µs", 1e-6},
    {EB_SECONDS, "us", 1e-6},
    {EB_SECONDS, "ns", 1e-9},
    {EB_SECONDS, "min", 60},
    {EB_SECONDS, "h", 3600},
    {EB_BYTES, "B", 1},
    {EB_BYTES, "KiB", 0x1p10},
    {EB_BYTES, "MiB", 0x1p20},
    {EB_BYTES, "GiB", 0x1p30},
    {EB_BYTES, "TiB", 0x1p40},
    {EB_HERTZ, "Hz", 1},
    {EB_HERTZ, "kHz", 1e3},
    {EB_HERTZ, "MHz", 1e6},
    {EB_HERTZ, "GHz", 1e9},
    {EB_TERAFLOPS, "TFLOPS", 1},
    {EB_TERAFLOPS, "GFLOPS", 1e-3},
    {EB_TERAFLOPS, "MFLOPS", 1e-6},
    {EB_PERCENT, "%", 1e-2},
    {EB_RATIO, "×", 1},
    {EB_RATIO, "x", 1},
    {EB_JOULES, "J", 1},
    {EB_JOULES, "mJ", 1e-3},
    {EB_JOULES, "kJ", 1e3},
    {EB_WATTS, "W", 1},
    {EB_WATTS, "mW", 1e-3},
};

/* Reads "4ms" as 0.004 where seconds are meant; NAN: no number, or not with this unit. */
static double read_number(const char *text, eb_unit unit)
{
    double number;
    const size_t digits = strspn(text, "+-.0123456789"), blanks = strspn(text + digits, " ");
    const char *rest = text + digits + blanks;
    if (eb_read_decimal(text, text + strlen(text), &number))
        return isfinite(number) ? number : NAN;
    for (size_t k = 0; k < sizeof units / sizeof units[0]; k++)
        if (units[k].unit == unit && strcasecmp(rest, units[k].name) == 0 &&
            eb_read_decimal(text, text + digits, &number))
            return number * units[k].size;
    return NAN;
}

static eb_code no_value(const char *begin, const char *end, eb_status *status)
{
    return eb_fail(status, EB_USAGE, "`%.*s` is no comparison; expected one as pairs>1000, engine~exact or state=done",
                   (int)(end - begin < SHOWN ? end - begin : SHOWN), begin);
}

static eb_code read_value(const char *begin, const char *end, eb_condition *out, eb_status *status)
{
    const bool quoted = end - begin >= 2 && (*begin == '"' || *begin == '\'') && end[-1] == *begin;
    out->value = strndup(begin + quoted, (size_t)(end - begin) - 2 * quoted);
    return out->value ? EB_OK : eb_fail_memory(status, "a comparison", (size_t)(end - begin));
}

static eb_code read_comparison(eb_column_set set, const char *begin, const char *end, eb_condition *out,
                               eb_status *status)
{
    size_t length;
    eb_relation relation;
    const char *sign = find_relation(begin, end, &relation, &length);
    *out = (eb_condition){.column = EB_ANY_COLUMN, .relation = EB_HAS, .number = NAN};
    if (!sign || *begin == '"' || *begin == '\'')
        return read_value(begin, end, out, status);
    const char *value = skip_blanks(sign + length, end), *name_end = cut_blanks(begin, sign);
    if (name_end == begin || value == end)
        return no_value(begin, end, status);
    EB_TRY(eb_column_find(set, begin, (size_t)(name_end - begin), &out->column, status));
    out->relation = relation;
    EB_TRY(read_value(value, end, out, status));
    out->number = read_number(out->value, set.column[out->column].unit);
    return EB_OK;
}

void eb_filter_free(eb_filter *filter)
{
    for (size_t k = 0; filter->condition && k < filter->count; k++)
        free(filter->condition[k].value);
    free(filter->condition);
    *filter = (eb_filter){0};
}

static eb_code read_all(eb_column_set set, const char *text, eb_filter *out, eb_status *status)
{
    for (const char *end; *text; text = end + (*end == ',')) {
        end = text + strspn(text, " ");
        text = end;
        end = *text ? end_of(text) : text;
        if (!end)
            return eb_fail(status, EB_USAGE, "a quote of `%.*s` is not closed", SHOWN, text);
        const char *last = cut_blanks(text, end);
        if (last == text)
            continue;
        EB_TRY(read_comparison(set, text, last, &out->condition[out->count++], status));
    }
    return EB_OK;
}

static size_t commas(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == ',';
    return count;
}

eb_code eb_filter_read(eb_column_set set, const char *text, eb_filter *out, eb_status *status)
{
    *out = (eb_filter){.condition = calloc(commas(text) + 1, sizeof *out->condition)};
    if (!out->condition)
        return eb_fail_memory(status, "a filter", strlen(text));
    const eb_code failed = read_all(set, text, out, status);
    if (failed)
        eb_filter_free(out);
    return failed;
}

/* ---- rows ---- */

bool eb_value_missing(eb_value value) { return value.kind == EB_NA || (value.kind == EB_REAL && isnan(value.as.real)); }

static eb_value cell_of(const eb_table *table, size_t row, size_t column)
{
    return table->cell[row * table->columns + column];
}

/* True if all known values of the column are numbers, and there is one. */
static bool holds_numbers(const eb_table *table, size_t column)
{
    bool any = false;
    for (size_t row = 0; row < table->rows; row++) {
        const eb_value value = cell_of(table, row, column);
        if (eb_value_missing(value))
            continue;
        if (isnan(eb_value_number(value)))
            return false;
        any = true;
    }
    return any;
}

static bool wants_missing(const eb_condition *c) { return strcasecmp(c->value, "n/a") == 0; }

eb_code eb_filter_check(const eb_filter *filter, const eb_table *table, eb_status *status)
{
    for (size_t k = 0; k < filter->count; k++) {
        const eb_condition *c = &filter->condition[k];
        if (c->relation <= EB_HAS_NOT || !isnan(c->number) || wants_missing(c) || !holds_numbers(table, c->column))
            continue;
        return eb_fail(status, EB_USAGE, "%s is a number; expected one to compare it with, found `%.*s`",
                       eb_column_called(&table->column[c->column]), SHOWN, c->value);
    }
    return EB_OK;
}

/* The text that screens show. */
static const char *text_of(const eb_table *table, size_t row, size_t column, char buffer[NUMBER])
{
    const eb_value value = cell_of(table, row, column);
    return value.kind == EB_TEXT ? value.as.text : eb_format_value(buffer, NUMBER, value, table->column[column].unit);
}

static bool row_has(const eb_table *table, size_t row, const char *text)
{
    char buffer[NUMBER];
    for (size_t c = 0; c < table->columns; c++)
        if (table->column[c].title && eb_utf8_contains(text_of(table, row, c, buffer), text))
            return true;
    return false;
}

/* A number equals the value if it is that number, or is shown as that text. */
static bool equals(const eb_condition *c, eb_value value, const char *shown)
{
    const double number = eb_value_number(value);
    return eb_utf8_alike(shown, c->value) ||
           (!isnan(number) && !(number < c->number) && !(number > c->number) && !isnan(c->number));
}

/* Below 0, 0 or above 0, as the cell is less than the value, equal or more. Numbers are compared as numbers. */
static int order_of(const eb_condition *c, eb_value value, const char *shown)
{
    const double number = eb_value_number(value);
    if (isnan(number) || isnan(c->number))
        return strcasecmp(shown, c->value);
    return (number > c->number) - (number < c->number);
}

static bool fulfils(const eb_condition *c, eb_value value, const char *shown)
{
    const bool missing = eb_value_missing(value);
    switch (c->relation) {
    case EB_HAS: return !missing && eb_utf8_contains(shown, c->value);
    case EB_HAS_NOT: return missing || !eb_utf8_contains(shown, c->value);
    case EB_EQUAL: return missing ? wants_missing(c) : equals(c, value, shown);
    case EB_UNEQUAL: return missing ? !wants_missing(c) : !equals(c, value, shown);
    case EB_LESS: return !missing && order_of(c, value, shown) < 0;
    case EB_AT_MOST: return !missing && order_of(c, value, shown) <= 0;
    case EB_MORE: return !missing && order_of(c, value, shown) > 0;
    case EB_AT_LEAST: return !missing && order_of(c, value, shown) >= 0;
    }
    return false;
}

bool eb_filter_takes(const eb_filter *filter, const eb_table *table, size_t row)
{
    char buffer[NUMBER];
    for (size_t k = 0; k < filter->count; k++) {
        const eb_condition *c = &filter->condition[k];
        const bool takes = c->column == EB_ANY_COLUMN
                               ? row_has(table, row, c->value)
                               : fulfils(c, cell_of(table, row, c->column), text_of(table, row, c->column, buffer));
        if (!takes)
            return false;
    }
    return true;
}
