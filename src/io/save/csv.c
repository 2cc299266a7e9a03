/* csv: writes .csv: a header line, then i,j,distance for each entry. 17 significant digits restore every double, 9
 * every float. Labels follow: a control character becomes U+FFFD, and a label that a spreadsheet would run as a formula
 * gets a leading apostrophe. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/cell.h"
#include "io/save/format.h"

/* The workbench keeps LC_NUMERIC at "C", so printf writes a decimal point. In another locale printf would write a
 * comma, which would break the format. */
static void force_point(char *number)
{
    char *comma = strchr(number, ',');
    if (comma)
        *comma = '.';
}

/* Writes value in front of `end`, backwards; returns its first digit. */
static char *number_before(char *end, uint32_t value)
{
    do {
        *--end = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    return end;
}

static eb_code write_text(eb_saver *saver, const char *text, eb_status *status)
{
    return eb_save_write(saver, saver->file, text, strlen(text), status);
}

/* Writes "# key: value". */
static eb_code write_fact(eb_saver *saver, const eb_fact *fact, eb_status *status)
{
    char number[40];
    for (int digits = 15; digits <= 17; digits++) { /* the fewest digits that restore the number */
        (void)snprintf(number, sizeof number, "%.*g", digits, fact->number);
        if (strtod(number, NULL) == fact->number)
            break;
    }
    force_point(number);
    EB_TRY(write_text(saver, "# ", status));
    EB_TRY(write_text(saver, fact->key, status));
    EB_TRY(write_text(saver, ": ", status));
    EB_TRY(write_text(saver, fact->text ? fact->text : number, status));
    return write_text(saver, "\n", status);
}

static eb_code write_header(eb_saver *saver, eb_status *status)
{
    for (size_t k = 0; k < saver->facts.count; k++)
        EB_TRY(write_fact(saver, &saver->facts.fact[k], status));
    EB_TRY(write_text(saver, saver->distances ? "i,j,distance" : "i,j", status));
    return write_text(saver, saver->labels ? ",label_i,label_j\n" : "\n", status);
}

/* The number of leading bytes that can be written unchanged. */
static size_t plain_bytes(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0' && text[length] != '"' && eb_control_bytes(text + length) == 0)
        length++;
    return length;
}

/* Writes a comma and the point's label in quotes. Quotes inside are doubled; control characters and formulas are
 * disarmed. */
static eb_code write_label(eb_saver *saver, size_t point, eb_status *status)
{
    const char *label = eb_label(saver->labels, point);
    EB_TRY(write_text(saver, eb_is_formula(label) ? ",\"'" : ",\"", status));
    while (*label) {
        const size_t plain = plain_bytes(label);
        EB_TRY(eb_save_write(saver, saver->file, label, plain, status));
        label += plain;
        if (*label == '"')
            EB_TRY(write_text(saver, "\"\"", status));
        else if (*label)
            EB_TRY(write_text(saver, "\xEF\xBF\xBD", status));
        label += *label == '"' ? 1 : eb_control_bytes(label);
    }
    return write_text(saver, "\"", status);
}

static eb_code write_entry(eb_saver *saver, size_t i, uint32_t j, eb_distances kept, double distance, eb_status *status)
{
    char line[64], *middle = line + 24, *start = middle;
    *--start = ',';
    start = number_before(start, j);
    *--start = ',';
    start = number_before(start, (uint32_t)i);
    int length = 0;
    if (!kept) {
        middle--; /* no third column: drop the comma */
    } else if (isfinite(distance)) {
        length = snprintf(middle, sizeof line - 24, "%.*g", kept == EB_DISTANCES_F64 ? 17 : 9, distance);
        force_point(middle);
    } else {
        length = snprintf(middle, sizeof line - 24, "%s", isnan(distance) ? "nan" : "inf");
    }
    if (!saver->labels)
        middle[length++] = '\n';
    EB_TRY(eb_save_write(saver, saver->file, start, (size_t)(middle - start) + (size_t)length, status));
    if (!saver->labels)
        return EB_OK;
    EB_TRY(write_label(saver, i, status));
    EB_TRY(write_label(saver, j, status));
    return write_text(saver, "\n", status);
}

static eb_code write_rows(eb_saver *saver, const eb_neighbours *batch, size_t begin, size_t end, eb_status *status)
{
    for (size_t r = begin; r < end; r++)
        for (uint64_t k = batch->offsets[r]; k < batch->offsets[r + 1]; k++)
            EB_TRY(write_entry(saver, batch->first_row + r, batch->columns[k], batch->kept,
                               eb_neighbours_distance(batch, k), status));
    return EB_OK;
}

const eb_save_format eb_save_csv = {.tells = true, .begin = write_header, .rows = write_rows};
