#include "io/parts/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/new_file.h"
#include "io/parts/array.h"
#include "io/parts/folder.h"

#define LABELS "labels.npy"
#define LABEL_NAMES "label_names.npy"

bool eb_parts_named(const char *path)
{
    struct stat about;
    size_t length = strlen(path);
    return length > 0 && (path[length - 1] == '/' || (stat(path, &about) == 0 && S_ISDIR(about.st_mode)));
}

/* ---- the files of a folder ---- */

typedef enum kind { OURS, RECORD, INDEX, FOREIGN } kind;

static kind kind_of(const char *name)
{
    const size_t end = sizeof "part-0000000000." - 1;
    if (strcmp(name, EB_PARTS_INDEX) == 0)
        return INDEX;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, LABELS) == 0 ||
        strcmp(name, LABEL_NAMES) == 0 || strncmp(name, ".epsbench-", 10) == 0)
        return OURS;
    if (strncmp(name, "part-", 5) != 0 || strspn(name + 5, "0123456789") != 10 || name[end - 1] != '.')
        return FOREIGN;
    if (strcmp(name + end, "json") == 0)
        return RECORD;
    for (unsigned k = 0; k < EB_PART_ARRAYS; k++) {
        size_t length = strlen(eb_part_array_name[k]);
        if (strncmp(name + end, eb_part_array_name[k], length) == 0 && strcmp(name + end + length, ".npy") == 0)
            return OURS;
    }
    return FOREIGN;
}

/* Calls `each` for the names of the folder. */
static eb_code each_name(const char *folder, eb_code (*each)(void *context, const char *name, eb_status *status),
                         void *context, eb_status *status)
{
    DIR *entries = opendir(folder);
    if (!entries)
        return eb_fail(status, EB_IO, "%s: cannot read the folder: %s", folder, strerror(errno));
    eb_code failed = EB_OK;
    for (const struct dirent *entry; !failed && (entry = readdir(entries));)
        failed = each(context, entry->d_name, status);
    (void)closedir(entries);
    return failed;
}

/* What a look at a folder finds. */
typedef struct content {
    const char *folder;
    eb_part_record *part; /* [parts] */
    size_t parts, capacity;
    eb_parts_table table; /* of the first record, or the index */
    bool known;           /* the table is */
    bool index;           /* index.json is there, and the parts are its */
    size_t foreign;
    char stranger[256]; /* one of the foreign files */
} content;

bool eb_parts_has_arrays(const char *folder, const eb_part_record *part)
{
    bool good = true;
    for (unsigned k = 0; k < EB_PART_ARRAYS && good; k++) {
        struct stat about;
        char *path = part->array[k].name[0] ? eb_parts_path(folder, part->array[k].name) : NULL;
        if (path)
            good = stat(path, &about) == 0 && S_ISREG(about.st_mode) && (uint64_t)about.st_size == part->array[k].bytes;
        free(path);
    }
    return good;
}

static eb_code add_record(content *c, const eb_part_record *part, eb_status *status)
{
    if (c->parts == c->capacity) {
        size_t capacity = c->capacity ? 2 * c->capacity : 16;
        eb_part_record *grown = capacity <= 2 * EB_PARTS_MOST ? realloc(c->part, capacity * sizeof *grown) : NULL;
        if (!grown)
            return eb_fail_memory(status, "the records of parts", capacity * sizeof *grown);
        c->part = grown;
        c->capacity = capacity;
    }
    c->part[c->parts++] = *part;
    return EB_OK;
}

/* A record whose arrays are missing or cut is none: the part is written again. */
static eb_code look_at(void *context, const char *name, eb_status *status)
{
    content *c = context;
    eb_parts_table table;
    eb_part_record part;
    char difference[600];
    kind of = kind_of(name);
    if (of == FOREIGN && c->foreign++ == 0)
        (void)snprintf(c->stranger, sizeof c->stranger, "%s", name);
    if (of != RECORD || c->index)
        return EB_OK;
    eb_code failed = eb_record_read(c->folder, name, &table, &part, status);
    if (failed == EB_NOT_FOUND) /* another process removed it since */
        return EB_OK;
    if (failed)
        return failed;
    if (c->known && eb_table_difference(&table, &c->table, difference, sizeof difference)[0])
        return eb_fail(status, EB_BAD_FORMAT, "%s: holds parts of two tables; %s is %s", c->folder, name, difference);
    c->table = table;
    c->known = true;
    return eb_parts_has_arrays(c->folder, &part) ? add_record(c, &part, status) : EB_OK;
}

static eb_code look(const char *folder, content *out, eb_status *status)
{
    eb_parts_index index;
    *out = (content){.folder = folder};
    eb_code failed = eb_index_read(folder, &index, status);
    if (failed && failed != EB_NOT_FOUND)
        return failed;
    if (!failed) {
        out->table = index.table;
        out->part = index.part;
        out->parts = out->capacity = index.parts;
        out->known = out->index = true;
        index.part = NULL;
        eb_index_free(&index);
    }
    failed = each_name(folder, look_at, out, status);
    for (size_t k = 0; out->index && !failed && k < out->parts; k++)
        if (!eb_parts_has_arrays(folder, &out->part[k]))
            failed = eb_fail(status, EB_BAD_FORMAT,
                             "%s: files of part %zu are missing or cut, but the index names them; the word force "
                             "replaces the table",
                             folder, out->part[k].number);
    if (failed) {
        free(out->part);
        out->part = NULL;
    }
    eb_records_sort(out->part, out->part ? out->parts : 0);
    return failed;
}

/* Ends the look at the first sign of a table. */
static eb_code find_sign(void *context, const char *name, eb_status *status)
{
    (void)status;
    bool *found = context;
    *found |= kind_of(name) == RECORD || kind_of(name) == INDEX;
    return EB_OK;
}

bool eb_parts_at(const char *path)
{
    bool found = false;
    return eb_parts_named(path) && !each_name(path, find_sign, &found, NULL) && found;
}

/* ---- opening ---- */

static eb_code lock(eb_parts *parts, eb_status *status)
{
    const char *path = parts->path;
    struct stat about;
    if (!parts->how.told && mkdir(path, 0777) != 0 && errno != EEXIST)
        return eb_fail(status, EB_IO, "%s: cannot make the folder: %s", path, strerror(errno));
    if (stat(path, &about) == 0 && !S_ISDIR(about.st_mode))
        return eb_fail(status, EB_IO, "%s: is a file, not a folder; nothing was written", path);
    parts->lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parts->lock < 0)
        return eb_fail(status, EB_IO, "%s: cannot open the folder: %s%s", path, strerror(errno),
                       parts->how.told ? "; every rank writes there, so that it must be on a file system that all of "
                                         "them have"
                                       : "");
    const bool shared = parts->how.shared || parts->how.told;
    if (flock(parts->lock, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return eb_fail(status, EB_EXISTS, "%s: another process is writing parts there; nothing was written", path);
    return EB_OK;
}

static eb_code remove_file(const char *folder, const char *name, eb_status *status)
{
    char *path = eb_parts_path(folder, name);
    if (!path)
        return eb_fail_memory(status, "a file's name", strlen(folder));
    eb_code failed = unlink(path) == 0 || errno == ENOENT
                         ? EB_OK
                         : eb_fail(status, EB_IO, "%s: cannot remove: %s", path, strerror(errno));
    free(path);
    return failed;
}

static eb_code remove_record(void *context, const char *name, eb_status *status)
{
    return kind_of(name) == RECORD ? remove_file(context, name, status) : EB_OK;
}

static eb_code remove_ours(void *context, const char *name, eb_status *status)
{
    return kind_of(name) == OURS && name[0] != '.' ? remove_file(context, name, status) : EB_OK;
}

/* What says that parts are finished goes first, so that a part never seems finished without its arrays. */
static eb_code remove_all(const char *folder, eb_status *status)
{
    EB_TRY(remove_file(folder, EB_PARTS_INDEX, status));
    EB_TRY(each_name(folder, remove_record, (void *)(uintptr_t)folder, status));
    return each_name(folder, remove_ours, (void *)(uintptr_t)folder, status);
}

static bool is_foreign(const content *c) { return !c->known && c->foreign > 0; }

/* It does not matter how a finished table was cut. */
static eb_code take_content(eb_parts *parts, const content *c, eb_status *status)
{
    char difference[600];
    eb_parts_table wanted = parts->table;
    if (c->index)
        memcpy(wanted.cut, c->table.cut, sizeof wanted.cut);
    if (is_foreign(c))
        return eb_fail(status, EB_EXISTS,
                       "%s: holds other files, such as %.80s; expected a new folder, an empty one or one that epsbench "
                       "wrote",
                       parts->path, c->stranger);
    if (c->known && eb_table_difference(&c->table, &wanted, difference, sizeof difference)[0])
        return eb_fail(status, EB_EXISTS, "%s: holds a table %s; the word force replaces it", parts->path, difference);
    parts->part = c->part;
    parts->parts = parts->there = c->parts;
    parts->complete = c->index;
    return EB_OK;
}

/* A folder whose records cannot be read is replaced too; one of other files never. */
static eb_code fill(eb_parts *parts, eb_status *status)
{
    content c;
    eb_status why = {.message = ""};
    eb_code failed = look(parts->path, &c, &why);
    if (failed && !parts->how.replace)
        return eb_fail(status, failed, "%s", why.message);
    if (parts->how.replace && (failed || !is_foreign(&c))) {
        if (!failed)
            free(c.part);
        EB_TRY(remove_all(parts->path, status));
        c = (content){.folder = parts->path};
    }
    failed = take_content(parts, &c, status);
    if (failed)
        free(c.part);
    return failed;
}

eb_code eb_parts_open(const char *path, const eb_parts_table *table, const eb_parts_how *how, eb_parts **out,
                      eb_status *status)
{
    eb_parts *parts = calloc(1, sizeof *parts);
    if (!parts || !(parts->path = strdup(path))) {
        free(parts);
        return eb_fail_memory(status, "a folder of parts", sizeof *parts);
    }
    parts->lock = -1;
    parts->table = *table;
    parts->how = *how;
    eb_code failed = lock(parts, status);
    if (!failed && !how->told)
        failed = fill(parts, status);
    if (failed)
        eb_parts_close(parts);
    else
        *out = parts;
    return failed;
}

void eb_parts_close(eb_parts *parts)
{
    if (!parts)
        return;
    if (parts->lock >= 0)
        (void)close(parts->lock); /* the lock goes with it */
    free(parts->part);
    free(parts->path);
    free(parts);
}

eb_code eb_parts_scratch(const eb_parts *parts, FILE **out, eb_status *status)
{
    eb_new_file *file;
    char *path = eb_parts_path(parts->path, ".scratch");
    if (!path)
        return eb_fail_memory(status, "a file's name", strlen(parts->path));
    eb_code failed = eb_new_file_open(path, &file, status);
    if (!failed) {
        failed = eb_new_file_scratch(file, out, status);
        eb_new_file_abandon(file);
    }
    free(path);
    return failed;
}

/* ---- what is there ---- */

size_t eb_parts_there(const eb_parts *parts) { return parts->there; }
size_t eb_parts_count(const eb_parts *parts) { return parts->parts; }
bool eb_parts_are_complete(const eb_parts *parts) { return parts->complete; }

size_t eb_parts_rows(const eb_parts *parts)
{
    size_t rows = 0;
    for (size_t k = 0; k < parts->parts; k++)
        rows += parts->part[k].rows;
    return rows;
}

uint64_t eb_parts_entries(const eb_parts *parts)
{
    uint64_t entries = 0;
    for (size_t k = 0; k < parts->parts; k++)
        entries += parts->part[k].entries;
    return entries;
}

uint64_t eb_parts_bytes(const eb_parts *parts)
{
    uint64_t bytes = 0;
    for (size_t k = 0; k < parts->parts; k++)
        for (unsigned a = 0; a < EB_PART_ARRAYS; a++)
            bytes += parts->part[k].array[a].bytes;
    return bytes;
}

bool eb_parts_has(const eb_parts *parts, size_t number)
{
    size_t low = 0, high = parts->parts;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (parts->part[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < parts->parts && parts->part[low].number == number;
}

bool eb_parts_gap(const eb_parts *parts, size_t from, size_t most, size_t *first, size_t *end)
{
    size_t row = from, n = parts->table.n;
    for (size_t k = 0; k < parts->parts && parts->part[k].first <= row; k++)
        if (!parts->part[k].listed && row - parts->part[k].first < parts->part[k].rows)
            row = parts->part[k].first + parts->part[k].rows;
    if (row >= n)
        return false;
    *first = row;
    *end = n - row > most ? row + most : n;
    for (size_t k = 0; k < parts->parts; k++)
        if (!parts->part[k].listed && parts->part[k].first > row && parts->part[k].first < *end)
            *end = parts->part[k].first;
    return true;
}

eb_code eb_parts_add(eb_parts *parts, const eb_part_record *part, eb_status *status)
{
    eb_part_record *grown = realloc(parts->part, (parts->parts + 1) * sizeof *grown);
    if (!grown)
        return eb_fail_memory(status, "the records of parts", (parts->parts + 1) * sizeof *grown);
    parts->part = grown;
    grown[parts->parts++] = *part;
    eb_records_sort(parts->part, parts->parts);
    return EB_OK;
}

/* ---- the index ---- */

static eb_code write_array(const char *folder, const char *name, const char *type, size_t width, const void *items,
                           size_t count, eb_array_file *out, eb_status *status)
{
    eb_array_out array;
    eb_code failed = eb_array_open(folder, name, type, width, &array, status);
    if (!failed)
        failed = eb_array_write(&array, items, count, NULL, status);
    if (!failed)
        failed = eb_array_finish(&array, NULL, status);
    if (!failed)
        failed = eb_array_commit(&array, status);
    *out = array.done;
    eb_array_abandon(&array);
    return failed;
}

static eb_code write_labels(const char *folder, const eb_labels *labels, eb_parts_index *index, eb_status *status)
{
    if (!labels)
        return EB_OK;
    char type[32];
    const size_t width = eb_labels_longest(labels);
    char *names = calloc(labels->names, width);
    if (!names)
        return eb_fail_memory(status, "labels", labels->names * width);
    for (size_t k = 0; k < labels->names; k++)
        memcpy(names + k * width, labels->name[k], strlen(labels->name[k]));
    (void)snprintf(type, sizeof type, "|S%zu", width);
    eb_code failed = write_array(folder, LABELS, "<i4", 4, labels->of, labels->points, &index->labels, status);
    if (!failed)
        failed = write_array(folder, LABEL_NAMES, type, width, names, labels->names, &index->label_names, status);
    free(names);
    return failed;
}

static eb_code check_pairs(const eb_parts *parts, const eb_parts_index *index, eb_status *status)
{
    EB_TRY(eb_records_check_rows(parts->path, &parts->table, index->part, index->parts, status));
    if (parts->table.self && (index->entries - parts->table.n) % 2 != 0)
        return eb_fail(status, EB_INTERNAL, "%s: an odd number of ordered pairs, %llu, so one was dropped", parts->path,
                       (unsigned long long)(index->entries - parts->table.n));
    return EB_OK;
}

static eb_code write_index(eb_parts *parts, const content *c, const eb_facts *facts, const eb_labels *labels,
                           eb_status *status)
{
    eb_parts_index index = {.table = parts->table, .parts = c->parts, .part = c->part};
    for (size_t k = 0; k < c->parts; k++)
        index.entries += c->part[k].entries;
    EB_TRY(check_pairs(parts, &index, status));
    EB_TRY(write_labels(parts->path, labels, &index, status));
    json_t *text = eb_index_json(&index, facts);
    eb_code failed = eb_json_write(parts->path, EB_PARTS_INDEX, text, status);
    json_decref(text);
    return failed;
}

/* Records, and arrays whose part was cut otherwise before its record was written. */
static eb_code remove_leftover(void *context, const char *name, eb_status *status)
{
    const eb_parts *parts = context;
    const bool array = kind_of(name) == OURS && strncmp(name, "part-", 5) == 0;
    return kind_of(name) == RECORD || (array && !eb_parts_has(parts, strtoull(name + 5, NULL, 10)))
               ? remove_file(parts->path, name, status)
               : EB_OK;
}

/* A part that another rank has written may not be in the folder's listing yet, on a network file system. */
static eb_code add_known(const eb_parts *parts, content *c, eb_status *status)
{
    const size_t listed = c->parts;
    for (size_t k = 0; k < parts->parts; k++) {
        size_t at = 0;
        while (at < listed && c->part[at].number != parts->part[k].number)
            at++;
        if (at == listed && eb_parts_has_arrays(parts->path, &parts->part[k]))
            EB_TRY(add_record(c, &parts->part[k], status));
    }
    eb_records_sort(c->part, c->parts);
    return EB_OK;
}

/* The records are read again, since other processes may have written some of them. */
eb_code eb_parts_complete(eb_parts *parts, const eb_facts *facts, const eb_labels *labels, eb_status *status)
{
    content c;
    if (parts->complete)
        return each_name(parts->path, remove_leftover, parts, status);
    EB_TRY(look(parts->path, &c, status));
    eb_code failed = c.index ? EB_OK : add_known(parts, &c, status);
    if (!failed && !c.index)
        failed = write_index(parts, &c, facts, labels, status);
    if (!failed) {
        free(parts->part);
        parts->part = c.part;
        parts->parts = c.parts;
        parts->complete = true;
        failed = each_name(parts->path, remove_leftover, parts, status);
    } else {
        free(c.part);
    }
    return failed;
}
