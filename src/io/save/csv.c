/* .csv: a header line, then i,j,distance per entry; 17 significant digits bring every double back,
 * 9 every float. */
#include <math.h>
#include <string.h>

#include "io/save/format.h"

/* The workbench keeps LC_NUMERIC at "C", so printf writes points; a caller that does not would get commas, which the
 * format cannot bear. */
static void force_point(char *number)
{
    char *comma = strchr(number, ',');
    if (comma)
        *comma = '.';
}

/* Writes value and a separator before `end`, backwards; returns where it begins. */
static char *number_before(char *end, uint32_t value)
{
    do {
        *--end = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    return end;
}

static eb_code write_header(eb_saver *saver, eb_status *status)
{
    const char *header = saver->distances ? "i,j,distance\n" : "i,j\n";
    return eb_save_write(saver, saver->file, header, strlen(header), status);
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
        middle[-1] = '\n'; /* no third column: the separator ends the line */
    } else if (isfinite(distance)) {
        length = snprintf(middle, sizeof line - 24, "%.*g\n", kept == EB_DISTANCES_F64 ? 17 : 9, distance);
        force_point(middle);
    } else {
        length = snprintf(middle, sizeof line - 24, "%s\n", isnan(distance) ? "nan" : "inf");
    }
    return eb_save_write(saver, saver->file, start, (size_t)(middle - start) + (size_t)length, status);
}

static eb_code write_rows(eb_saver *saver, const eb_neighbours *batch, size_t begin, size_t end, eb_status *status)
{
    for (size_t r = begin; r < end; r++)
        for (uint64_t k = batch->offsets[r]; k < batch->offsets[r + 1]; k++)
            EB_TRY(write_entry(saver, batch->first_row + r, batch->columns[k], batch->kept,
                               eb_neighbours_distance(batch, k), status));
    return EB_OK;
}

const eb_save_format eb_save_csv = {.extension = ".csv", .begin = write_header, .rows = write_rows};
