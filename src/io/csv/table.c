#include "io/csv/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/decimal.h"
#include "io/bytes.h"
#include "io/load_line.h"

/* Takes Excel's first line "sep=;", which names the separator. */
static void take_declaration(eb_text_table *t)
{
    static const char key[] = "sep=";
    eb_lines lines = t->lines;
    eb_piece line;
    if (!eb_take_line(&lines, &line) || eb_piece_length(line) != sizeof key ||
        memcmp(line.begin, key, sizeof key - 1) != 0)
        return;
    const char *known = strchr(",;\t", line.begin[sizeof key - 1]);
    if (!known || !*known)
        return;
    t->declared = *known;
    t->lines = lines;
}

void eb_begin_text(const eb_bytes *bytes, eb_text_table *t)
{
    const char *text = (const char *)bytes->data;
    *t = (eb_text_table){.bytes = bytes, .lines = {.at = text, .end = text + bytes->size}, .separator = ' '};
    if (bytes->size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        t->lines.at += 3; /* skip the byte order mark that spreadsheets write */
    take_declaration(t);
}

/* ---- numbers ---- */

static bool read_point(eb_piece cell, double *out)
{
    cell = eb_unquoted(cell);
    return eb_read_decimal(cell.begin, cell.end, out);
}

static size_t digits_at(const char *at, const char *end)
{
    size_t count = 0;
    while (at + count < end && (unsigned)at[count] - '0' < 10u)
        count++;
    return count;
}

/* Reads a number with the decimal sign `mark`. The other sign may stand between groups of three digits: 1.234,5. */
static bool read_grouped(eb_piece cell, char mark, double *out)
{
    char text[1024];
    const char group = mark == ',' ? '.' : ',';
    cell = eb_unquoted(cell);
    const char *at = cell.begin, *end = cell.end;
    size_t used = 0, marks = 0;
    if (eb_piece_length(cell) > sizeof text)
        return false;
    if (at < end && (*at == '-' || *at == '+'))
        text[used++] = *at++;
    const size_t first = digits_at(at, end);
    for (size_t k = 0; k < first; k++)
        text[used++] = *at++;
    for (; first > 0 && first <= 3 && at < end && *at == group; at += 4) {
        if (digits_at(at + 1, end) != 3)
            return false;
        memcpy(text + used, at + 1, 3);
        used += 3;
    }
    for (; at < end; at++) {
        const char c = *at;
        if (c == group)
            return false;
        marks += c == mark;
        text[used++] = c == mark ? '.' : c;
    }
    return marks <= 1 && eb_read_decimal(text, text + used, out);
}

static bool read_comma(eb_piece cell, double *out) { return read_grouped(cell, ',', out); }

bool eb_read_as(eb_decimal sign, eb_piece cell, double *out)
{
    if (sign == EB_DECIMAL_COMMA)
        return read_comma(cell, out);
    return read_point(cell, out) || (sign == EB_DECIMAL_POINT && read_grouped(cell, '.', out));
}

bool eb_has_points(const eb_text_table *t, const char *end)
{
    eb_lines lines = {.at = t->first, .end = end};
    eb_piece line;
    double ignored;
    while (eb_take_line(&lines, &line)) {
        eb_piece rest = eb_start_of(t->separator, line);
        bool more = true;
        for (size_t k = 0; more; k++) {
            eb_piece cell = eb_take_cell(t->separator, &rest, &more);
            bool skipped = t->columns.coordinate && (k >= t->columns.count || t->columns.coordinate[k] == EB_NO_COLUMN);
            if (!skipped && memchr(cell.begin, '.', eb_piece_length(cell)) && read_point(cell, &ignored))
                return true;
        }
    }
    return false;
}

bool eb_read_cell(eb_text_table *t, eb_piece cell, double *out)
{
    if (t->decimal != ',' && read_point(cell, out))
        return true;
    if (t->decimal == '.')
        return t->bytes->how.decimal == EB_DECIMAL_POINT && read_grouped(cell, '.', out);
    if (!read_comma(cell, out))
        return false;
    if (!t->decimal)
        t->decimal = eb_has_points(t, cell.begin) ? '.' : ',';
    return t->decimal == ',';
}

/* ---- the separator ---- */

bool eb_is_number(const eb_reading *how, eb_piece cell)
{
    double ignored;
    return (how->decimal != EB_DECIMAL_COMMA && eb_read_as(how->decimal, cell, &ignored)) ||
           (how->decimal != EB_DECIMAL_POINT && read_comma(cell, &ignored));
}

bool eb_is_text(eb_piece cell)
{
    double ignored;
    bool letter = false;
    for (const char *p = cell.begin; p < cell.end && !letter; p++) {
        unsigned char c = (unsigned char)*p;
        letter = (c | 32u) - 'a' < 26u || c >= 0x80 || (p > cell.begin && c && strchr("/:-", c));
    }
    return letter && !read_point(cell, &ignored);
}

/* True if all cells of the line are numbers. */
static bool only_numbers(const eb_reading *how, char separator, eb_piece line)
{
    eb_piece rest = eb_start_of(separator, line);
    for (bool more = true; more;)
        if (!eb_is_number(how, eb_take_cell(separator, &rest, &more)))
            return false;
    return true;
}

/* True if a cell between semicolons is a number with a decimal comma. */
static bool has_decimal_commas(eb_piece line)
{
    double ignored;
    bool more = eb_find_separator(line, ";") == ';', found = false;
    while (more && !found) {
        eb_piece cell = eb_take_cell(';', &line, &more);
        found = memchr(cell.begin, ',', eb_piece_length(cell)) && read_comma(cell, &ignored);
    }
    return found;
}

/* The separators to look for in a line, the surest first. A comma between numbers with decimal commas needs quotes. */
static const char *candidates_of(const eb_text_table *t, eb_piece line)
{
    static const char ending[] = ".tsv";
    const eb_reading *how = &t->bytes->how;
    const char *end = strcasestr(t->bytes->name, ending);
    if (end && (!end[4] || strcasecmp(end + 4, ".gz") == 0))
        return "\t,;";
    if (how->decimal == EB_DECIMAL_COMMA)
        return memchr(line.begin, '"', eb_piece_length(line)) ? ";\t," : ";\t";
    return how->decimal != EB_DECIMAL_POINT && has_decimal_commas(line) ? ";" : ",;\t";
}

/* The separator of a line by itself; blanks if only these leave numbers alone. */
static char separator_of(const eb_text_table *t, eb_piece line)
{
    static const char asked[] = {0, ',', ';', '\t', ' '};
    if (t->bytes->how.separator || t->declared)
        return t->bytes->how.separator ? asked[t->bytes->how.separator] : t->declared;
    char separator = eb_find_separator(line, candidates_of(t, line));
    bool mixed = separator != ' ' && !only_numbers(&t->bytes->how, separator, line);
    return mixed && only_numbers(&t->bytes->how, ' ', line) ? ' ' : separator;
}

/* The separator that divides header and row into as many cells, more than one; else that of the row. */
static char separator_of_both(const eb_text_table *t, eb_piece header, eb_piece row)
{
    char all[8];
    (void)snprintf(all, sizeof all, "%s,;\t", candidates_of(t, row));
    for (const char *c = all; *c && !t->bytes->how.separator && !t->declared; c++) {
        size_t cells = eb_count_cells(*c, header);
        if (cells > 1 && cells == eb_count_cells(*c, row))
            return *c;
    }
    return separator_of(t, row);
}

/* ---- the header ---- */

/* A header has no number in it. A line that mixes names and numbers is refused later as a bad cell: taking it for a
 * header could lose a row. */
static bool is_header(const eb_text_table *t, eb_piece line)
{
    const eb_reading *how = &t->bytes->how;
    if (how->header != EB_HEADER_GUESSED || eb_columns_are_named(how))
        return how->header != EB_HEADER_NO;
    eb_piece rest = eb_start_of(t->separator, line);
    for (bool more = true; more;)
        if (only_numbers(how, ' ', eb_take_cell(t->separator, &rest, &more)))
            return false;
    return true;
}

/* The text of a cell. Heap; NULL: out of memory. */
static char *name_of(eb_piece cell)
{
    size_t size = eb_piece_length(cell) + 1;
    char *name = malloc(size);
    if (name)
        (void)eb_cell_text(cell, name, size);
    return name;
}

static eb_code take_names(eb_text_table *t, eb_piece line, eb_status *status)
{
    size_t count = eb_count_cells(t->separator, line);
    eb_piece rest = eb_start_of(t->separator, line);
    char **name = calloc(count, sizeof *name);
    bool more = true, whole = true;
    if (!name)
        return eb_fail_memory(status, t->bytes->name, count * sizeof *name);
    for (size_t k = 0; more && whole && k < count; k++) {
        name[k] = name_of(eb_take_cell(t->separator, &rest, &more));
        whole = name[k] != NULL;
    }
    t->name = name;
    t->names = count;
    eb_piece names = eb_trimmed(line);
    (void)snprintf(t->header, sizeof t->header, "%.*s", (int)(names.end - names.begin), names.begin);
    return whole ? EB_OK : eb_fail_memory(status, t->bytes->name, eb_piece_length(line));
}

/* R's write.table gives the column of row names, in quotes, no name, so that the header has one name less. */
static eb_code add_missing_name(eb_text_table *t, eb_status *status)
{
    char **name = calloc(t->names + 1, sizeof *name), *nothing = strdup("");
    if (!name || !nothing) {
        free(name);
        free(nothing);
        return eb_fail_memory(status, t->bytes->name, (t->names + 1) * sizeof *name);
    }
    name[0] = nothing;
    memcpy(name + 1, t->name, t->names++ * sizeof *name);
    free(t->name);
    t->name = name;
    return EB_OK;
}

void eb_forget_names(eb_text_table *t)
{
    for (size_t k = 0; t->name && k < t->names; k++)
        free(t->name[k]);
    free(t->name);
    t->name = NULL;
    t->names = 0;
}

/* True for a line of units under the names: no cell is a number, and the next line has a number below a text. */
static bool is_units(const eb_text_table *t, eb_piece line, eb_piece next)
{
    eb_piece above = eb_start_of(t->separator, line), below = eb_start_of(t->separator, next);
    bool more = true, also = true, found = false;
    while (more && also) {
        eb_piece cell = eb_take_cell(t->separator, &above, &more), under = eb_take_cell(t->separator, &below, &also);
        if (eb_is_number(&t->bytes->how, cell))
            return false;
        found |= eb_is_text(cell) && eb_is_number(&t->bytes->how, under);
    }
    return found && !more && !also;
}

/* Takes a line of units, which no point can be. */
static void take_units(eb_text_table *t, eb_piece *line)
{
    eb_lines lines = t->lines;
    eb_piece next;
    if (!eb_take_line(&lines, &next) || !is_units(t, *line, next))
        return;
    const eb_piece units = eb_trimmed(*line);
    (void)snprintf(t->units, sizeof t->units, "%.*s", (int)eb_piece_length(units), units.begin);
    t->units_line = t->lines.line;
    t->lines = lines;
    *line = next;
}

eb_code eb_take_header(eb_text_table *t, eb_piece *line, eb_status *status)
{
    static const char signs[] = {0, '.', ','};
    bool any = eb_take_line(&t->lines, line), named = false;
    eb_piece header = *line;
    if (any) {
        t->separator = separator_of(t, header);
        named = is_header(t, header);
        any = !named || eb_take_line(&t->lines, line);
    }
    if (!any)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected rows of numbers, found the end", t->bytes->name,
                       t->bytes->size);
    const char of_row = named ? separator_of_both(t, header, *line) : t->separator;
    if (named && eb_count_cells(of_row, header) == eb_count_cells(of_row, *line))
        t->separator = of_row;
    if (named)
        EB_TRY(take_names(t, header, status));
    t->separator = of_row;
    if (named && *eb_start_of(t->separator, *line).begin == '"' && t->names + 1 == eb_count_cells(t->separator, *line))
        EB_TRY(add_missing_name(t, status));
    if (named)
        take_units(t, line);
    t->first = line->begin;
    t->decimal = signs[t->bytes->how.decimal];
    if (!t->decimal && t->separator != ';')
        t->decimal = '.';
    return EB_OK;
}
