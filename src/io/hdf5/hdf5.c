/* hdf5: reads HDF5 with libhdf5 in a child process (io/subprocess/subprocess.h). Most objects are not closed: the
 * process ends when its reply is written.
 *
 * libhdf5 is linked at build time. Opening it on demand would save 6 ms of the 50 ms from start to prompt (it draws in
 * curl and others), but would need a table of its functions and of its type variables.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/bytes.h"
#include "io/hdf5/hdf5_parts.h"
#include "io/load_line.h"

enum { PROBE_SECONDS = 10, BLOCK_SECONDS = 60, LISTED = 200 };
#define BLOCK_BYTES ((uint64_t)16 << 20)

/* ---- finding the dataset ---- */

typedef struct visit {
    char
        first[EB_SUBPROCESS_NAME_SIZE]; /* the first 2-d numeric dataset of more than one row and column, or else any */
    char most[EB_SUBPROCESS_NAME_SIZE]; /* the one with most values */
    char vector[EB_SUBPROCESS_NAME_SIZE]; /* the first 1-d numeric dataset */
    double values;                        /* of `most` */
    size_t found, matrices;               /* 2-d ones; those of more than one row and column */
    char listed[LISTED], others[LISTED];  /* names of all 2-d ones, and of other datasets */
} visit;

static void note_dataset(visit *v, const char *path, const eb_hdf5_description *about)
{
    const double values = (double)about->dims[0] * (double)about->dims[1];
    const bool matrix = about->dims[0] > 1 && about->dims[1] > 1;
    if (about->rank != 2 || !about->numeric) {
        if (about->rank == 1 && about->numeric && !v->vector[0])
            (void)snprintf(v->vector, sizeof v->vector, "%s", path);
        eb_list_name(v->others, sizeof v->others, path);
        return;
    }
    if (v->found++ == 0 || (matrix && v->matrices == 0))
        (void)snprintf(v->first, sizeof v->first, "%s", path);
    if (values > v->values)
        (void)snprintf(v->most, sizeof v->most, "%s", path);
    v->values = values > v->values ? values : v->values;
    v->matrices += matrix;
    eb_list_name(v->listed, sizeof v->listed, path);
}

static herr_t visit_object(hid_t root, const char *name, const H5O_info_t *info, void *context)
{
    visit *v = context;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    eb_hdf5_description about;
    hid_t dataset = H5Dopen2(root, name, H5P_DEFAULT);
    if (dataset < 0)
        return 0;
    const bool known = eb_hdf5_describe(dataset, &about);
    (void)H5Dclose(dataset); /* a file may have too many to leave open */
    char path[EB_SUBPROCESS_NAME_SIZE];
    (void)snprintf(path, sizeof path, "/%s", name);
    if (known)
        note_dataset(v, path, &about);
    return 0;
}

static void visit_all(hid_t file, visit *v)
{
    *v = (visit){.found = 0};
#if H5_VERSION_GE(1, 12, 0)
    (void)H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit_object, v, H5O_INFO_BASIC);
#else
    (void)H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit_object, v);
#endif
}

static hid_t open_named(hid_t file, const eb_subprocess_request *request, eb_subprocess_reply *reply)
{
    hid_t dataset = H5Dopen2(file, request->object, H5P_DEFAULT);
    if (dataset >= 0) {
        (void)snprintf(reply->object, sizeof reply->object, "%s", request->object);
        return dataset;
    }
    visit v;
    char advice[EB_ADVICE];
    visit_all(file, &v);
    eb_subprocess_refuse(reply, request, "no dataset %.100s; 2-d numeric datasets: %s%s", request->object,
                         v.found ? v.listed : "none", eb_advise_object(advice, request->bytes, v.most));
    return H5I_INVALID_HID;
}

static void refuse_choice(const eb_subprocess_request *request, const visit *v, size_t found,
                          eb_subprocess_reply *reply)
{
    char advice[EB_ADVICE];
    const char *of_file = request->turned ? "one matrix of numbers" : "/train or one 2-d numeric dataset";
    if (found > 0)
        eb_subprocess_refuse(reply, request, "expected %s, found %zu: %s%s", of_file, found, v->listed,
                             eb_advise_object(advice, request->bytes, v->most));
    else
        eb_subprocess_refuse(reply, request, "expected %s, found none%s%s%s", of_file, v->others[0] ? "; it has " : "",
                             v->others, eb_advise_object(advice, request->bytes, v->vector));
}

static hid_t open_likely(hid_t file, const eb_subprocess_request *request, eb_subprocess_reply *reply)
{
    static const char train[] = "/train";
    hid_t dataset = H5Lexists(file, train, H5P_DEFAULT) > 0 ? H5Dopen2(file, train, H5P_DEFAULT) : H5I_INVALID_HID;
    if (dataset >= 0) {
        memcpy(reply->object, train, sizeof train);
        return dataset;
    }
    visit v;
    visit_all(file, &v);
    /* MATLAB keeps vectors and single numbers as matrices of one row or column. */
    const size_t found = request->turned && v.matrices > 0 ? v.matrices : v.found;
    if (found != 1 || strlen(v.first) + 1 == sizeof v.first) {
        refuse_choice(request, &v, found, reply);
        return H5I_INVALID_HID;
    }
    memcpy(reply->object, v.first, sizeof v.first);
    dataset = H5Dopen2(file, v.first, H5P_DEFAULT);
    if (dataset < 0)
        eb_hdf5_refuse(reply, request, "cannot open the only 2-d numeric dataset");
    return dataset;
}

/* ---- the bytes as a file ---- */

/* libhdf5's core driver takes a file image and normally copies it, once for each property list and each file. These
 * callbacks return the image itself instead of a copy. The file is read-only, so nobody writes to the image or enlarges
 * it. */

static void *share_image(size_t size, H5FD_file_image_op_t operation, void *request)
{
    (void)size;
    (void)operation;
    return (void *)(uintptr_t)((const eb_subprocess_request *)request)->bytes->data;
}

static void *copy_nothing(void *dest, const void *src, size_t size, H5FD_file_image_op_t operation, void *request)
{
    (void)src;
    (void)size;
    (void)operation;
    (void)request;
    return dest;
}

static herr_t free_nothing(void *image, H5FD_file_image_op_t operation, void *request)
{
    (void)image;
    (void)operation;
    (void)request;
    return 0;
}

static void *same_request(void *request) { return request; }

static herr_t keep_request(void *request)
{
    (void)request;
    return 0;
}

static hid_t open_image(const eb_subprocess_request *request)
{
    H5FD_file_image_callbacks_t callbacks = {
        .image_malloc = share_image,
        .image_memcpy = copy_nothing,
        .image_free = free_nothing,
        .udata_copy = same_request,
        .udata_free = keep_request,
        .udata = (void *)(uintptr_t)request,
    };
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0 || H5Pset_fapl_core(access, 1, 0) < 0 || H5Pset_file_image_callbacks(access, &callbacks) < 0 ||
        H5Pset_file_image(access, (void *)(uintptr_t)request->bytes->data, request->bytes->size) < 0)
        return H5I_INVALID_HID;
    return H5Fopen("image", H5F_ACC_RDONLY, access);
}

static hid_t open_dataset(const eb_subprocess_request *request, eb_subprocess_reply *reply)
{
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* libhdf5's messages go into the reply, not to the terminal */
    hid_t file = open_image(request);
    if (file < 0) {
        const eb_subprocess_request whole = {.bytes = request->bytes};
        eb_hdf5_refuse(reply, &whole, "offset 0: expected an HDF5 file");
        return H5I_INVALID_HID;
    }
    return request->object ? open_named(file, request, reply) : open_likely(file, request, reply);
}

/* ---- ann-benchmarks ---- */

/* Reads an attribute of the root that is a single text; "" if there is none. */
static void read_text(hid_t dataset, const char *name, char *out, size_t size)
{
    hid_t root = H5Oopen(dataset, "/", H5P_DEFAULT);
    hid_t attribute = root >= 0 && H5Aexists(root, name) > 0 ? H5Aopen(root, name, H5P_DEFAULT) : H5I_INVALID_HID;
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
    char *text = NULL, fixed[64] = "";
    memset(out, 0, size);
    if (type < 0 || H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1)
        return;
    bool variable = H5Tis_variable_str(type) > 0;
    if (!variable && H5Tget_size(type) >= sizeof fixed)
        return;
    if (H5Aread(attribute, type, variable ? (void *)&text : (void *)fixed) < 0)
        return;
    const char *from = variable ? text : fixed;
    (void)snprintf(out, size, "%s", from ? from : "");
    eb_make_printable(out);
}

static bool has_matrix(hid_t dataset, const char *path)
{
    eb_hdf5_description about;
    hid_t root = H5Oopen(dataset, "/", H5P_DEFAULT);
    hid_t other =
        root >= 0 && H5Lexists(root, path, H5P_DEFAULT) > 0 ? H5Dopen2(root, path, H5P_DEFAULT) : H5I_INVALID_HID;
    return other >= 0 && eb_hdf5_describe(other, &about) && about.rank == 2 && about.numeric;
}

/* Neighbours by a distance other than the Euclidean are not used as ground truth. */
static unsigned companions(hid_t dataset, bool euclidean)
{
    if (!has_matrix(dataset, "test"))
        return 0;
    if (!euclidean || !has_matrix(dataset, "neighbors"))
        return EB_HAS_TEST;
    return EB_HAS_TEST | EB_HAS_NEIGHBORS | (has_matrix(dataset, "distances") ? EB_HAS_DISTANCES : 0);
}

/* The files of ann-benchmarks state the distance of their ground truth, and whether points are sets of varying size. */
static void look_at_benchmark(hid_t dataset, const eb_subprocess_request *request, eb_subprocess_reply *reply)
{
    char distance[32], type[32];
    read_text(dataset, "distance", distance, sizeof distance);
    read_text(dataset, "type", type, sizeof type);
    const bool euclidean = !distance[0] || strcmp(distance, "euclidean") == 0;
    const bool whole = !request->object && strcmp(reply->object, "/train") == 0;
    if (strcmp(type, "sparse") == 0)
        eb_subprocess_refuse(reply, request,
                             "its points are sets (type=sparse); expected rows with equal numbers of values");
    if (!euclidean)
        (void)snprintf(reply->remark, sizeof reply->remark,
                       "the file's own distance is %s; here pairs are within a Euclidean distance%s", distance,
                       whole && has_matrix(dataset, "neighbors") ? ", so its neighbors are left out" : "");
    reply->companions = whole ? companions(dataset, euclidean) : 0;
}

static void probe(const eb_subprocess_request *request, eb_subprocess_reply *reply)
{
    hid_t dataset = open_dataset(request, reply);
    if (dataset >= 0)
        eb_hdf5_reply_dataset(dataset, request, reply);
    if (dataset >= 0 && reply->status.code == EB_OK)
        look_at_benchmark(dataset, request, reply);
}

/* ---- reading ---- */

/* Rows to read at once: whole chunks, so that none is decompressed twice, and enough to make a call worthwhile. */
static uint64_t block_rows(hid_t dataset, const eb_subprocess_reply *shape)
{
    uint64_t row_bytes = shape->d * eb_dtype_size(shape->dtype);
    uint64_t rows = BLOCK_BYTES / row_bytes + 1, chunk = 1;
    hsize_t dims[2] = {1, 1};
    hid_t plist = H5Dget_create_plist(dataset);
    if (H5Pget_layout(plist) == H5D_CHUNKED && H5Pget_chunk(plist, 2, dims) > 0 && dims[0] > 0)
        chunk = dims[0];
    if (chunk >= rows)
        return chunk < shape->n ? chunk : shape->n;
    rows -= rows % chunk;
    return rows < shape->n ? rows : shape->n;
}

static bool is_wide(eb_foreign foreign) { return foreign == EB_I64 || foreign == EB_U64; }

/* The type that libhdf5 converts to. It converts short integers exactly; 64-bit integers are checked and converted
 * here. */
static hid_t memory_type(const eb_subprocess_reply *shape)
{
    if (is_wide(shape->foreign))
        return shape->foreign == EB_I64 ? H5T_STD_I64LE : H5T_STD_U64LE;
    return eb_hdf5_type(shape->dtype);
}

/* Reads all rows in blocks, in the order in which they are stored. */
static void read_blocks(const eb_subprocess_request *request, hid_t dataset, const eb_subprocess_reply *stored,
                        unsigned char *rows, _Atomic uint64_t *done, eb_subprocess_reply *reply)
{
    hid_t space = H5Dget_space(dataset), type = memory_type(stored);
    int rank = H5Sget_simple_extent_ndims(space); /* 1 or 2, as eb_hdf5_reply_dataset has checked */
    uint64_t block = block_rows(dataset, stored);
    size_t row_bytes = (size_t)stored->d * eb_dtype_size(stored->dtype);
    for (uint64_t at = 0; at < stored->n; at += block) {
        (void)alarm(BLOCK_SECONDS);
        uint64_t count = stored->n - at < block ? stored->n - at : block;
        hsize_t start[2] = {at, 0}, size[2] = {count, stored->d};
        hid_t memory = H5Screate_simple(rank, size, NULL);
        if (memory < 0 || H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) < 0 ||
            H5Dread(dataset, type, memory, space, H5P_DEFAULT, rows + at * row_bytes) < 0) {
            eb_hdf5_refuse(reply, request, "cannot read");
            return;
        }
        (void)H5Sclose(memory);
        if (is_wide(stored->foreign) && /* in place, to FP64 */
            eb_take_foreign(request->bytes->name, stored->foreign, rows + at * row_bytes, at, count * stored->d,
                            stored->d, rows + at * row_bytes, &reply->status))
            return;
        atomic_fetch_add(done, count);
    }
}

static void read_values(const eb_subprocess_request *request, const eb_subprocess_reply *shape, unsigned char *rows,
                        _Atomic uint64_t *done, eb_subprocess_reply *reply)
{
    hid_t dataset = open_dataset(request, reply);
    if (dataset < 0)
        return;
    eb_hdf5_reply_dataset(dataset, request, reply);
    if (reply->status.code != EB_OK)
        return;
    /* The file may have changed since the probe; the rows must fit the memory allocated then. */
    if (reply->n != shape->n || reply->d != shape->d || reply->dtype != shape->dtype ||
        reply->foreign != shape->foreign) {
        eb_subprocess_refuse(reply, request, "the file changed while it was read");
        return;
    }
    eb_subprocess_reply stored = *shape;
    if (request->turned) {
        stored.n = shape->d;
        stored.d = shape->n;
    }
    read_blocks(request, dataset, &stored, rows, done, reply);
}

static const eb_subprocess libhdf5 = {.library = "libhdf5",
                                      .phase = "reading HDF5",
                                      .seconds = PROBE_SECONDS,
                                      .probe = probe,
                                      .read = read_values};

eb_code eb_read_hdf5(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    return eb_subprocess_read(&libhdf5, bytes, false, out, status);
}

eb_code eb_read_hdf5_turned(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    return eb_subprocess_read(&libhdf5, bytes, true, out, status);
}
