/* libFuzzer: an index of parts, and a part's record, are refused with a message that names the file, or are valid:
 * written back and read again they say the same. The readers take files, so each input is one, in memory where there is
 * /dev/shm. */
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/parts/record.h"

enum { MOST_ROWS = 1 << 20 }; /* of a table whose rows are checked */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[32], named[EB_PARTS_NAME + sizeof folder];

static void check(bool promise)
{
    if (!promise)
        abort();
}

static void remove_folder(void)
{
    (void)unlink(named);
    (void)rmdir(folder);
}

static void write_file(const void *data, size_t size)
{
    if (!folder[0]) {
        (void)snprintf(folder, sizeof folder, "/dev/shm/parts-XXXXXX");
        if (!mkdtemp(folder)) {
            (void)snprintf(folder, sizeof folder, "/tmp/parts-XXXXXX");
            check(mkdtemp(folder) != NULL);
        }
        (void)snprintf(named, sizeof named, "%s/" EB_PARTS_INDEX, folder);
        (void)atexit(remove_folder);
    }
    const int fd = open(named, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
    check(fd >= 0 && write(fd, data, size) == (ssize_t)size && close(fd) == 0);
}

static void check_refusal(eb_code code, const eb_status *status)
{
    check(code == EB_BAD_FORMAT && status->code == code && strncmp(status->message, folder, strlen(folder)) == 0);
}

/* ---- what readers promise ---- */

static void check_name(const eb_array_file *file)
{
    check(strnlen(file->name, sizeof file->name) < sizeof file->name && !strchr(file->name, '/'));
    check(file->name[0] != '.' && file->bytes <= INT64_MAX && strlen(file->sha256) == (file->name[0] ? 64 : 0));
}

static void check_part(const eb_parts_table *t, const eb_part_record *p)
{
    check(p->rows >= 1 && p->rows <= t->n && (p->listed || p->first <= t->n - p->rows));
    for (unsigned k = 0; k < EB_PART_ARRAYS; k++) {
        check_name(&p->array[k]);
        const bool wanted = k == EB_PART_DISTANCES ? t->kept != EB_DISTANCES_NONE : k != EB_PART_POINTS || p->listed;
        check((p->array[k].name[0] != '\0') == wanted);
    }
}

static void check_table(const eb_parts_table *t)
{
    check(t->n >= 1 && t->others >= 1 && (!t->self || t->n == t->others));
    check(t->eps >= 0 && isfinite(t->eps) && strlen(t->sha256) == 64);
}

static bool same_file(const eb_array_file *a, const eb_array_file *b)
{
    return strcmp(a->name, b->name) == 0 && a->bytes == b->bytes && strcmp(a->sha256, b->sha256) == 0;
}

static bool same_part(const eb_part_record *a, const eb_part_record *b)
{
    bool same = a->number == b->number && a->rows == b->rows && a->listed == b->listed && a->entries == b->entries &&
                (a->listed || a->first == b->first);
    for (unsigned k = 0; k < EB_PART_ARRAYS; k++)
        same &= same_file(&a->array[k], &b->array[k]);
    return same;
}

static bool same_table(const eb_parts_table *a, const eb_parts_table *b)
{
    char buffer[400];
    return eb_table_difference(a, b, buffer, sizeof buffer)[0] == '\0' && a->others == b->others && a->self == b->self;
}

/* ---- written back ---- */

static void write_json(json_t *text)
{
    eb_status status = {.code = EB_OK};
    check(text && eb_json_write(folder, EB_PARTS_INDEX, text, &status) == EB_OK);
    json_decref(text);
}

static void read_as_index(void)
{
    eb_parts_index index, again;
    eb_status status = {.code = EB_OK};
    const eb_code failed = eb_index_read(folder, &index, &status);
    if (failed) {
        check(!index.text && !index.part);
        check_refusal(failed, &status);
        return;
    }
    uint64_t entries = 0;
    check_table(&index.table);
    check(index.parts >= 1 && index.parts <= EB_PARTS_MOST);
    for (size_t k = 0; k < index.parts; k++) {
        check_part(&index.table, &index.part[k]);
        check(index.part[k].entries <= index.entries);
        entries += index.part[k].entries;
    }
    check(entries == index.entries);
    check_name(&index.labels);
    const eb_facts none = {.count = 0};
    write_json(eb_index_json(&index, &none));
    check(eb_index_read(folder, &again, &status) == EB_OK && same_table(&index.table, &again.table));
    check(again.parts == index.parts && same_file(&again.labels, &index.labels));
    for (size_t k = 0; k < index.parts; k++)
        check(same_part(&index.part[k], &again.part[k]));
    eb_records_sort(again.part, again.parts);
    for (size_t k = 1; k < again.parts; k++)
        check(again.part[k - 1].number <= again.part[k].number);
    if (index.table.n <= MOST_ROWS) /* any verdict, but one */
        (void)eb_records_check_rows(folder, &index.table, index.part, index.parts, &status);
    eb_index_free(&again);
    eb_index_free(&index);
}

static void read_as_record(void)
{
    eb_parts_table table, again_table;
    eb_part_record part, again;
    eb_status status = {.code = EB_OK};
    const eb_code failed = eb_record_read(folder, EB_PARTS_INDEX, &table, &part, &status);
    if (failed) {
        check_refusal(failed, &status);
        return;
    }
    check_table(&table);
    check_part(&table, &part);
    write_json(eb_record_json(&table, &part));
    check(eb_record_read(folder, EB_PARTS_INDEX, &again_table, &again, &status) == EB_OK);
    check(same_table(&table, &again_table) && same_part(&part, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    write_file(data, size);
    read_as_index();
    write_file(data, size);
    read_as_record();
    return 0;
}
