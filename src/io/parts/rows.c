/* rows: checks that the parts of a table have each of its rows once. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/parts/record.h"
#include "io/save/format.h"

/* A bit for each row that a part has. */
typedef struct seen {
    unsigned char *bits;
    size_t n;
} seen;

/* False if a part has had the row already. */
static bool mark(const seen *s, size_t row)
{
    unsigned char bit = (unsigned char)(1u << (row & 7)), *byte = &s->bits[row >> 3];
    bool is_new = !(*byte & bit);
    *byte |= bit;
    return is_new;
}

static eb_code fail_twice(const char *folder, size_t row, const eb_part_record *part, eb_status *status)
{
    return eb_fail(status, EB_BAD_FORMAT, "%s: row %zu is in two parts, the second is part %zu; expected it in one",
                   folder, row, part->number);
}

static eb_code mark_listed(const seen *s, const char *folder, const eb_part_record *part, eb_status *status)
{
    uint32_t point[4096];
    char *path = eb_parts_path(folder, part->array[EB_PART_POINTS].name);
    FILE *file = path ? fopen(path, "rbe") : NULL;
    if (!file) {
        eb_code failed = eb_fail(status, EB_IO, "%s: cannot read: %s", path ? path : folder, strerror(errno));
        free(path);
        return failed;
    }
    eb_code failed = fseeko(file, EB_NPY_HEADER, SEEK_SET) == 0 ? EB_OK : EB_IO;
    for (size_t done = 0, count; done < part->rows && !failed; done += count) {
        size_t left = part->rows - done;
        count = fread(point, sizeof *point, left < 4096 ? left : 4096, file);
        if (count == 0)
            failed = eb_fail(status, EB_BAD_FORMAT, "%s: expected %zu rows, found %zu", path, part->rows, done);
        for (size_t k = 0; k < count && !failed; k++)
            if (point[k] >= s->n)
                failed = eb_fail(status, EB_BAD_FORMAT, "%s: expected rows below %zu, found %u", path, s->n, point[k]);
            else if (!mark(s, point[k]))
                failed = fail_twice(folder, point[k], part, status);
    }
    (void)fclose(file);
    free(path);
    return failed;
}

eb_code eb_records_check_rows(const char *folder, const eb_parts_table *table, const eb_part_record *part, size_t parts,
                              eb_status *status)
{
    const seen s = {calloc(table->n / 8 + 1, 1), table->n};
    size_t rows = 0;
    if (!s.bits)
        return eb_fail_memory(status, "the check of parts", table->n / 8 + 1);
    eb_code failed = EB_OK;
    for (size_t k = 0; k < parts && !failed; k++) {
        rows += part[k].rows;
        if (part[k].listed)
            failed = mark_listed(&s, folder, &part[k], status);
        for (size_t r = 0; r < part[k].rows && !part[k].listed && !failed; r++)
            if (!mark(&s, part[k].first + r))
                failed = fail_twice(folder, part[k].first + r, &part[k], status);
    }
    free(s.bits);
    if (!failed && rows != table->n)
        return eb_fail(status, EB_BAD_FORMAT, "%s: the parts have %zu of %zu rows", folder, rows, table->n);
    return failed;
}
