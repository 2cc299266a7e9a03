#include "io/csv/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/decimal.h"
#include "io/bytes.h"
#include "io/load_line.h"

void eb_begin_text(const eb_bytes *bytes, eb_text_table *t)
{
    const char *text = (const char *)bytes->data;
    *t = (eb_text_table){.bytes = bytes, .lines = {.at = text, .end = text + bytes->size}, .separator = ' '};
    if (bytes->size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        t->lines.at += 3; /* skip the byte order mark that spreadsheets write */
}

/* ---- numbers ---- */

static bool read_point(eb_piece cell, double *out)
{
    cell = eb_unquoted(cell);
    return eb_read_decimal(cell.begin, cell.end, out);
}

/* Reads a number that may have a decimal comma, and no point. */
static bool read_comma(eb_piece cell, double *out)
{
    char text[1024];
    cell = eb_unquoted(cell);
    size_t length = eb_piece_length(cell), commas = 0;
    if (length > sizeof text)
        return false;
    for (size_t k = 0; k < length; k++) {
        char c = cell.begin[k];
        commas += c == ',';
        text[k] = c;
        if (c == '.')
            return false;
        if (c == ',')
            text[k] = '.';
    }
    return commas <= 1 && eb_read_decimal(text, text + length, out);
}

/* True if a coordinate between the first row and `end` has a decimal point. */
static bool has_points(const eb_text_table *t, const char *end)
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
    if (t->decimal == '.' || !read_comma(cell, out))
        return false;
    if (!t->decimal)
        t->decimal = has_points(t, cell.begin) ? '.' : ',';
    return t->decimal == ',';
}

/* ---- the separator ---- */

/* True for a number with one of the decimal signs that may occur. */
static bool is_number_of(const eb_reading *how, eb_piece cell)
{
    double ignored;
    return (how->decimal != EB_DECIMAL_COMMA && read_point(cell, &ignored)) ||
           (how->decimal != EB_DECIMAL_POINT && read_comma(cell, &ignored));
}

/* True if all cells of the line are numbers. */
static bool only_numbers(const eb_reading *how, char separator, eb_piece line)
{
    eb_piece rest = eb_start_of(separator, line);
    for (bool more = true; more;)
        if (!is_number_of(how, eb_take_cell(separator, &rest, &more)))
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
    if (t->bytes->how.separator)
        return asked[t->bytes->how.separator];
    char separator = eb_find_separator(line, candidates_of(t, line));
    bool mixed = separator != ' ' && !only_numbers(&t->bytes->how, separator, line);
    return mixed && only_numbers(&t->bytes->how, ' ', line) ? ' ' : separator;
}

/* The separator that divides header and row into as many cells, more than one; else that of the row. */
static char separator_of_both(const eb_text_table *t, eb_piece header, eb_piece row)
{
    char all[8];
    (void)snprintf(all, sizeof all, "%s,;\t", candidates_of(t, row));
    for (const char *c = all; *c && !t->bytes->how.separator; c++) {
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

void eb_forget_names(eb_text_table *t)
{
    for (size_t k = 0; t->name && k < t->names; k++)
        free(t->name[k]);
    free(t->name);
    t->name = NULL;
    t->names = 0;
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
    t->first = line->begin;
    t->decimal = signs[t->bytes->how.decimal];
    if (!t->decimal && t->separator != ';')
        t->decimal = '.';
    return EB_OK;
}

/* ---- messages about a cell that is not a number ---- */

enum { ROWS_LOOKED_AT = 64 };

/* True for a cell with a letter that is not a number. Digits with commas or dots are a number in some country's
 * notation. */
static bool is_text(eb_piece cell)
{
    double ignored;
    bool letter = false;
    for (const char *p = cell.begin; p < cell.end && !letter; p++) {
        unsigned char c = (unsigned char)*p;
        letter = (c | 32u) - 'a' < 26u || c >= 0x80;
    }
    return letter && !read_point(cell, &ignored);
}

/* Finds columns, besides the label, whose cells are text in this row and the next ones; missing cells count as
 * neither. */
static void find_texts(const eb_text_table *t, eb_piece line, bool *text)
{
    eb_lines lines = t->lines;
    for (size_t k = 0; k < t->columns.count; k++)
        text[k] = k != t->columns.label;
    for (int row = 0; row == 0 || (row < ROWS_LOOKED_AT && eb_take_line(&lines, &line)); row++) {
        eb_piece rest = eb_start_of(t->separator, line);
        bool more = true;
        for (size_t k = 0; more && k < t->columns.count; k++) {
            eb_piece cell = eb_unquoted(eb_take_cell(t->separator, &rest, &more));
            if (!eb_is_missing(cell.begin, eb_piece_length(cell)) && !is_text(cell))
                text[k] = false;
        }
    }
}

/* Room for advice and for a line in it. */
enum { ADVICE = 640, LINE = 220 };

/* Writes the line that loads the file with other choices. */
static const char *line_with(const eb_text_table *t, eb_reading how, char *line)
{
    return eb_line_to_type(line, LINE, t->bytes->path, &how);
}

char *eb_column_name(const eb_text_table *t, size_t column, char *buffer, size_t size)
{
    if (t->name && eb_is_plain_name(t->name[column]))
        (void)snprintf(buffer, size, "%s", t->name[column]);
    else
        (void)snprintf(buffer, size, "%zu", column);
    return buffer;
}

/* Writes "; column 4 holds text: columns=0..3 leaves it out, label=species keeps it as labels". */
static void advise_on_texts(const eb_text_table *t, const bool *text, size_t texts, size_t column, char *out)
{
    char which[96], others[LINE], label[64], without[LINE], with[LINE];
    size_t count = t->columns.count;
    eb_reading how = t->bytes->how;
    bool *number = malloc(count * sizeof *number);
    if (!number)
        return;
    for (size_t k = 0; k < count; k++)
        number[k] = !text[k] && t->columns.coordinate[k] != EB_NO_COLUMN;
    (void)eb_columns_words(which, sizeof which, text, count);
    (void)eb_columns_words(others, sizeof others, number, count);
    free(number);
    const bool only = texts == 1 && !how.columns;
    how.columns = others;
    (void)line_with(t, how, without);
    if (only)
        how.columns = NULL;
    if (!how.label)
        how.label = eb_column_name(t, column, label, sizeof label);
    (void)line_with(t, how, with);
    if (!others[0])
        (void)snprintf(out, ADVICE, "; no column that is asked for holds numbers");
    else if (t->bytes->how.label)
        (void)snprintf(out, ADVICE, "; column%s %s hold%s text: %s leaves %s out", texts == 1 ? "" : "s", which,
                       texts == 1 ? "s" : "", without, texts == 1 ? "it" : "them");
    else if (texts == 1)
        (void)snprintf(out, ADVICE, "; column %s holds text: %s leaves it out, %s keeps it as labels", which, without,
                       with);
    else
        (void)snprintf(out, ADVICE, "; columns %s hold text: %s leaves them out, %s keeps one as labels", which,
                       without, with);
}

static void advise_on_gap(const eb_text_table *t, char *out)
{
    char drop[LINE], mean[LINE];
    eb_reading how = t->bytes->how;
    how.missing = EB_MISSING_DROPPED;
    (void)line_with(t, how, drop);
    how.missing = EB_MISSING_MEAN;
    (void)snprintf(out, ADVICE, "; %s leaves such rows out, %s fills in the column's mean", drop,
                   line_with(t, how, mean));
}

/* True if the next row has a number in this column, so that the first line may be a header with numbers in it. */
static bool next_is_number(const eb_text_table *t, size_t column)
{
    eb_lines lines = t->lines;
    eb_piece line, cell = {NULL, NULL};
    if (!eb_take_line(&lines, &line) || eb_count_cells(t->separator, line) != t->columns.count)
        return false;
    eb_piece rest = eb_start_of(t->separator, line);
    bool more = true;
    for (size_t k = 0; more && k <= column; k++)
        cell = eb_take_cell(t->separator, &rest, &more);
    return is_number_of(&t->bytes->how, cell);
}

/* Advises on numbers with the other decimal sign. False: the cell is none. */
static bool advise_on_sign(const eb_text_table *t, eb_piece cell, char *out)
{
    char line[LINE];
    double ignored;
    eb_reading how = t->bytes->how;
    how.decimal = EB_DECIMAL_COMMA;
    const bool point = read_point(cell, &ignored), comma = read_comma(cell, &ignored);
    if (t->decimal == ',' ? !point : !comma)
        return false;
    if (t->decimal == ',' || has_points(t, cell.begin))
        (void)snprintf(out, ADVICE, "; the decimal sign is a %s", t->decimal == ',' ? "comma" : "point");
    else
        (void)snprintf(out, ADVICE, "; %s reads decimal commas", line_with(t, how, line));
    return true;
}

bool eb_is_id(const char *name)
{
    static const char *const ids[] = {"", "id", "name", "label", "index", "unnamed: 0", "rownames"};
    for (size_t k = 0; k < sizeof ids / sizeof *ids; k++)
        if (strcasecmp(name, ids[k]) == 0)
            return true;
    return false;
}

static void advise(const eb_text_table *t, eb_piece line, eb_piece cell, size_t column, char *out)
{
    char typed[LINE];
    eb_piece inside = eb_unquoted(cell);
    const bool first = t->n + t->left_out == 0, gap = eb_is_missing(inside.begin, eb_piece_length(inside));
    eb_reading how = t->bytes->how;
    out[0] = 0;
    if (first && !t->name && !how.header && (gap ? column == 0 && !eb_piece_length(inside) : is_text(inside)) &&
        next_is_number(t, column)) {
        how.header = EB_HEADER_YES;
        (void)snprintf(out, ADVICE, "; %s takes this line for a header", line_with(t, how, typed));
        return;
    }
    if (gap) {
        advise_on_gap(t, out);
        return;
    }
    if (advise_on_sign(t, inside, out) || !is_text(inside))
        return;
    if (!first && !(t->name && eb_is_id(t->name[column]))) /* a column that began with numbers is damaged, not text */
        return;
    bool *text = malloc(t->columns.count * sizeof *text);
    if (text) {
        find_texts(t, line, text);
        size_t texts = 0;
        text[column] |= t->name && eb_is_id(t->name[column]);
        for (size_t k = 0; k < t->columns.count; k++)
            texts += text[k];
        if (text[column])
            advise_on_texts(t, text, texts, column, out);
    }
    free(text);
}

eb_code eb_fail_cell(const eb_text_table *t, eb_piece line, eb_piece cell, size_t column, eb_status *status)
{
    char shown[EB_SHOWN_SIZE], name[EB_SHOWN_SIZE], advice[ADVICE];
    size_t length = eb_piece_length(cell);
    bool named = t->name && t->name[column][0];
    advise(t, line, cell, column, advice);
    return eb_fail(status, EB_BAD_FORMAT,
                   "%s: row %zu, column %zu%s%s (line %zu, offset %zu): expected a number, found %s%s", t->bytes->name,
                   t->n + t->left_out, column, named ? " " : "",
                   named ? eb_show_bytes(name, t->name[column], strlen(t->name[column])) : "", t->lines.line,
                   eb_offset_of(t, cell.begin),
                   length == 0 ? "an empty cell" : eb_show_bytes(shown, cell.begin, length), advice);
}
