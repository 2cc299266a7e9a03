#include "io/parts/keeper.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "io/parts/folder.h"

/* All ranks are the same program on machines of the same byte order. */
typedef struct order {
    eb_parts_table table;
    char path[PATH_MAX + 1]; /* from the root, with "/" at its end */
} order;

static_assert(sizeof(eb_part_record) <= sizeof((eb_kept){0}).bytes, "a keeper tells a part's record");

eb_code eb_parts_order(eb_parts *parts, void **out, size_t *size, eb_status *status)
{
    order *o = calloc(1, sizeof *o);
    if (!o)
        return eb_fail_memory(status, "the folder's place", sizeof *o);
    o->table = parts->table;
    if (!realpath(parts->path, o->path)) {
        free(o);
        return eb_fail(status, EB_IO, "%s: cannot find the folder: %s", parts->path, strerror(errno));
    }
    (void)strncat(o->path, "/", sizeof o->path - 1 - strlen(o->path));
    if (parts->lock >= 0 && flock(parts->lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        free(o);
        return eb_fail(status, EB_EXISTS, "%s: another process is writing parts there", parts->path);
    }
    *out = o;
    *size = sizeof *o;
    return EB_OK;
}

static eb_code write_part(eb_parts *parts, const eb_neighbours *rows, eb_kept *told, eb_status *status)
{
    eb_part *part;
    EB_TRY(eb_part_open(parts, rows->first_row, rows->first_row + rows->rows, &part, status));
    const eb_code failed = eb_part_rows(part, rows, NULL, status);
    if (failed) {
        eb_part_abandon(part);
        return failed;
    }
    EB_TRY(eb_part_close(part, status));
    told->size = sizeof *parts->part;
    memcpy(told->bytes, parts->part, told->size); /* the only one */
    return EB_OK;
}

eb_code eb_parts_keep(const void *given, size_t size, const eb_neighbours *rows, unsigned threads, eb_job *job,
                      eb_kept *told, eb_status *status)
{
    order o;
    eb_parts *parts;
    const eb_parts_how how = {.told = true, .threads = threads, .job = job};
    if (size != sizeof o)
        return eb_fail(status, EB_INTERNAL, "rank 0 says where rows go in %zu bytes; expected %zu", size, sizeof o);
    memcpy(&o, given, sizeof o);
    EB_TRY(eb_parts_open(o.path, &o.table, &how, &parts, status));
    const eb_code failed = write_part(parts, rows, told, status);
    eb_parts_close(parts);
    return failed;
}

eb_code eb_parts_take(eb_parts *parts, unsigned rank, const eb_kept *told, eb_status *status)
{
    eb_part_record part;
    if (told->size == 0)
        return EB_OK;
    if (told->size != sizeof part)
        return eb_fail(status, EB_INTERNAL, "rank %u tells of a part in %zu bytes", rank, told->size);
    memcpy(&part, told->bytes, sizeof part);
    if (!eb_parts_has_arrays(parts->path, &part))
        return eb_fail(status, EB_IO,
                       "%s: rank %u has written part %zu to a folder of this name on its host, and it is not in this "
                       "one; all ranks need one file system",
                       parts->path, rank, part.number);
    return eb_parts_add(parts, &part, status);
}
