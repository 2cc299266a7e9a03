/* hdf5: writes .h5 and .hdf5: contiguous datasets indptr (int64, n + 1), indices (int32), distances (float64 or
 * float32), labels (int32) and label_names; the facts about the table are attributes of the root.
 *
 * libhdf5 handles a full disk badly: a file whose last flush fails stays open in the library and is flushed again at
 * exit. Without memory it crashes. So a child process uses the library only to lay the file out in a sparse memfd, in
 * which it allocates the datasets without filling them. The child replies with their offsets. The parent copies the few
 * pages of structure into the real file and writes the arrays at their offsets, where it sees every error.
 */
#include <errno.h>
#include <hdf5.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/save/format.h"
#include "io/subprocess/child.h"

enum { INDPTR, INDICES, DISTANCES, LABELS, NAMES };

/* The superblock, a group and five object headers take some 4 KiB; each fact takes at most 4 KiB more. */
static uint64_t structure_bytes(const eb_saver *saver) { return 65536 + saver->facts.count * UINT64_C(4608); }

static bool has_part(const eb_saver *saver, unsigned part)
{
    return part == DISTANCES ? saver->distances != EB_DISTANCES_NONE : part < DISTANCES || saver->labels;
}

static eb_code open_parts(eb_saver *saver, eb_status *status)
{
    static const int64_t first_offset;
    for (unsigned part = INDPTR; part < EB_SAVE_PARTS; part++)
        if (has_part(saver, part))
            EB_TRY(eb_save_open_part(saver, part, status));
    return eb_save_write(saver, saver->part[INDPTR], &first_offset, sizeof first_offset, status);
}

static eb_code write_rows(eb_saver *saver, const eb_neighbours *batch, size_t begin, size_t end, eb_status *status)
{
    uint64_t first = batch->offsets[begin];
    size_t entries = (size_t)(batch->offsets[end] - first);
    EB_TRY(eb_save_row_ends(saver, saver->part[INDPTR], batch, begin, end, status));
    EB_TRY(
        eb_save_write(saver, saver->part[INDICES], batch->columns + first, entries * sizeof *batch->columns, status));
    return batch->kept ? eb_save_distances(saver, saver->part[DISTANCES], batch, begin, end, status) : EB_OK;
}

/* ---- the layout ---- */

typedef struct layout {
    haddr_t offset[EB_SAVE_PARTS];
    bool whole; /* false: the library failed */
} layout;

typedef struct plan {
    const eb_saver *saver;
    int memory;
} plan;

enum { SECONDS = 20 };

/* Creates a dataset with its space allocated but not written; false on failure. */
static bool add_dataset(hid_t file, const char *name, hid_t type, hsize_t length, haddr_t *offset)
{
    hid_t space = H5Screate_simple(1, &length, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    if (space < 0 || how < 0 || H5Pset_layout(how, H5D_CONTIGUOUS) < 0 ||
        H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY) < 0 || H5Pset_fill_time(how, H5D_FILL_TIME_NEVER) < 0)
        return false;
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    *offset = dataset >= 0 ? H5Dget_offset(dataset) : HADDR_UNDEF;
    return *offset != HADDR_UNDEF;
}

/* Opens the memfd by its name in /proc with the stdio driver. The default driver would resolve the link to a name that
 * does not exist. Closing the file closes all its objects. */
static hid_t create_in(int memory)
{
    char name[64];
    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", memory);
    hid_t how = H5Pcreate(H5P_FILE_ACCESS);
    if (how < 0 || H5Pset_fapl_stdio(how) < 0 || H5Pset_fclose_degree(how, H5F_CLOSE_STRONG) < 0)
        return H5I_INVALID_HID;
    return H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, how);
}

static hid_t text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    bool good = type >= 0 && H5Tset_size(type, size) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0 &&
                H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0;
    return good ? type : H5I_INVALID_HID;
}

static bool add_labels(hid_t file, const eb_labels *labels, layout *out)
{
    hid_t type = text_type(eb_labels_longest(labels));
    return type >= 0 && add_dataset(file, "labels", H5T_STD_I32LE, labels->points, &out->offset[LABELS]) &&
           add_dataset(file, "label_names", type, labels->names, &out->offset[NAMES]);
}

static bool add_fact(hid_t file, const eb_fact *fact)
{
    size_t length = fact->text ? strlen(fact->text) : 0;
    hid_t type = fact->text ? text_type(length ? length : 1) : H5T_IEEE_F64LE, space = H5Screate(H5S_SCALAR);
    hid_t attribute =
        type >= 0 && space >= 0 ? H5Acreate2(file, fact->key, type, space, H5P_DEFAULT, H5P_DEFAULT) : H5I_INVALID_HID;
    return attribute >= 0 &&
           H5Awrite(attribute, type, fact->text ? (const void *)fact->text : (const void *)&fact->number) >= 0;
}

/* Runs in the child. Closing the file writes all of it to the memfd. */
static void lay_out(void *context, void *reply)
{
    const plan *p = context;
    const eb_saver *saver = p->saver;
    layout *out = reply;
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = create_in(p->memory);
    if (file < 0)
        return;
    hid_t type = saver->distances == EB_DISTANCES_F64 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
    bool good = add_dataset(file, "indptr", H5T_STD_I64LE, (hsize_t)saver->n + 1, &out->offset[INDPTR]) &&
                add_dataset(file, "indices", H5T_STD_I32LE, saver->entries, &out->offset[INDICES]) &&
                (!saver->distances || add_dataset(file, "distances", type, saver->entries, &out->offset[DISTANCES])) &&
                (!saver->labels || add_labels(file, saver->labels, out));
    for (size_t k = 0; k < saver->facts.count && good; k++)
        good = add_fact(file, &saver->facts.fact[k]);
    out->whole = H5Fclose(file) >= 0 && good;
}

/* An end without a reply, or with a failure, mostly means that memory is short: little else can fail in a memfd. */
static eb_code fail_layout(const eb_saver *saver, const eb_child_end *end, eb_status *status)
{
    char how[64] = "";
    if (end->signal == SIGALRM)
        (void)snprintf(how, sizeof how, ", it hangs");
    else if (!end->replied && end->signal)
        (void)snprintf(how, sizeof how, ", it ended by signal %d", end->signal);
    else if (!end->replied)
        (void)snprintf(how, sizeof how, ", it ended with exit status %d", end->status);
    return eb_fail(
        status, EB_NO_MEMORY,
        "%s: libhdf5 cannot lay out a file of %llu entries%s; most likely memory is short, and .npz needs less",
        saver->path, (unsigned long long)saver->entries, how);
}

static uint64_t part_bytes(const eb_saver *saver, unsigned part)
{
    const eb_labels *labels = saver->labels;
    switch (part) {
    case INDPTR: return (saver->n + (uint64_t)1) * sizeof(int64_t);
    case INDICES: return saver->entries * sizeof(int32_t);
    case DISTANCES: return saver->entries * eb_distances_width(saver->distances);
    case LABELS: return labels ? labels->points * sizeof(int32_t) : 0;
    default: return labels ? (uint64_t)labels->names * eb_labels_longest(labels) : 0;
    }
}

static uint64_t array_bytes(const eb_saver *saver)
{
    uint64_t bytes = 0;
    for (unsigned part = INDPTR; part < EB_SAVE_PARTS; part++)
        bytes += part_bytes(saver, part);
    return bytes;
}

/* True if the child succeeded and each array lies inside the file. */
static bool is_sound(const eb_saver *saver, const layout *where)
{
    const uint64_t most = array_bytes(saver) + structure_bytes(saver);
    for (unsigned part = INDPTR; part < EB_SAVE_PARTS; part++)
        if (has_part(saver, part) &&
            (where->offset[part] > most || part_bytes(saver, part) > most - where->offset[part]))
            return false;
    return where->whole;
}

static eb_code find_layout(const eb_saver *saver, int memory, layout *where, eb_status *status)
{
    eb_child_end end;
    plan p = {saver, memory};
    const eb_child child = {.what = "lay out HDF5",
                            .context = &p,
                            .work = lay_out,
                            .reply_bytes = sizeof *where,
                            .seconds = SECONDS,
                            .writes = true,
                            .job = saver->job};
    EB_TRY(eb_child_run(&child, where, &end, status));
    return end.replied && is_sound(saver, where) ? EB_OK : fail_layout(saver, &end, status);
}

/* ---- the file ---- */

/* Copies the pages that the library wrote. Space that it only allocated is a hole in the memfd, and a hole here until
 * the arrays are written. */
static eb_code copy_structure(eb_saver *saver, int skeleton, eb_status *status)
{
    unsigned char page[4096];
    for (off_t at = 0; (at = lseek(skeleton, at, SEEK_DATA)) >= 0;) {
        ssize_t count = pread(skeleton, page, sizeof page, at);
        if (count <= 0)
            break;
        EB_TRY(eb_save_seek(saver, saver->file, (uint64_t)at, status));
        EB_TRY(eb_save_write(saver, saver->file, page, (size_t)count, status));
        at += count;
    }
    return EB_OK;
}

/* Tests whether the file may grow to its full size (limits of the process or the file system) before the library runs.
 * The space itself is claimed when the arrays are written. */
static eb_code check_size(eb_saver *saver, eb_status *status)
{
    uint64_t most = array_bytes(saver) + structure_bytes(saver);
    if (ftruncate(fileno(saver->file), (off_t)most) != 0 || ftruncate(fileno(saver->file), 0) != 0)
        return eb_save_fail(saver, errno, status);
    return EB_OK;
}

static eb_code write_file(eb_saver *saver, int skeleton, eb_status *status)
{
    layout where = {.whole = false};
    struct stat about;
    if (saver->labels) {
        EB_TRY(eb_save_label_numbers(saver, saver->part[LABELS], status));
        EB_TRY(eb_save_label_names(saver, saver->part[NAMES], status));
    }
    EB_TRY(find_layout(saver, skeleton, &where, status));
    if (fstat(skeleton, &about) != 0)
        return eb_save_fail(saver, errno, status);
    EB_TRY(copy_structure(saver, skeleton, status));
    for (unsigned part = INDPTR; part < EB_SAVE_PARTS; part++)
        if (has_part(saver, part)) {
            EB_TRY(eb_save_seek(saver, saver->file, where.offset[part], status));
            EB_TRY(eb_save_append_part(saver, part, status));
        }
    if (fflush(saver->file) != 0 || ftruncate(fileno(saver->file), about.st_size) != 0)
        return eb_save_fail(saver, errno, status);
    return EB_OK;
}

static eb_code complete(eb_saver *saver, eb_status *status)
{
    EB_TRY(check_size(saver, status));
    int skeleton = memfd_create("epsbench-hdf5", MFD_CLOEXEC);
    if (skeleton < 0)
        return eb_save_fail(saver, errno, status);
    eb_code failed = write_file(saver, skeleton, status);
    (void)close(skeleton);
    return failed;
}

const eb_save_format eb_save_hdf5 = {.tells = true, .begin = open_parts, .rows = write_rows, .end = complete};
