/* HDF5 by libhdf5, in a child (io/guests/guest.h). Nothing is closed there: the process ends as soon as its reply is
 * written.
 *
 * The library is linked, not opened when needed: with the libraries it draws in (curl, for one) that costs 6 ms of the
 * 50 ms there are from start to prompt, and spares a table of function pointers and of its type variables. */
#include "io/guests/guest.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/bytes.h"

enum { PROBE_SECONDS = 10, BLOCK_SECONDS = 60, LISTED = 200 };
#define BLOCK_BYTES ((uint64_t)16 << 20)
/* Deflate makes at most 1032 bytes of one. A dataset that promises far more than its storage can hold is a lie that
 * would fill the memory. */
#define MAX_EXPANSION 4096u

/* ---- messages ---- */

/* The innermost entry of libhdf5's error stack: what really went wrong. */
static herr_t take_reason(unsigned depth, const H5E_error2_t *entry, void *context)
{
    if (depth == 0 && entry->desc)
        (void)snprintf(context, 128, "%s", entry->desc);
    return 0;
}

static void refuse_with_reason(eb_guest_reply *reply, const eb_guest_request *request, const char *what)
{
    char reason[128] = "no reason given", shown[EB_SHOWN_SIZE];
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, reason);
    /* The reason may quote the file: keep the sentence printable. */
    for (char *p = reason; *p; p++)
        if ((unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e)
            *p = '?';
    if (request->object)
        eb_guest_refuse(reply, request, "%s %s: libhdf5 says: %s", what,
                        eb_show_bytes(shown, (const unsigned char *)request->object, strlen(request->object)), reason);
    else
        eb_guest_refuse(reply, request, "%s: libhdf5 says: %s", what, reason);
}

/* ---- element types ---- */

/* IEEE binary16, which libhdf5 has no ready type for before 1.14.4. */
static hid_t half_type(hid_t single)
{
    hid_t type = H5Tcopy(single);
    (void)H5Tset_fields(type, 15, 10, 5, 0, 10);
    (void)H5Tset_size(type, 2);
    (void)H5Tset_ebias(type, 15);
    return type;
}

static hid_t little_endian_type(eb_dtype dtype)
{
    switch (dtype) {
    case EB_F16: return half_type(H5T_IEEE_F32LE);
    case EB_F32: return H5T_IEEE_F32LE;
    case EB_F64: return H5T_IEEE_F64LE;
    case EB_U8: return H5T_STD_U8LE;
    case EB_I8: return H5T_STD_I8LE;
    case EB_I16: return H5T_STD_I16LE;
    case EB_I32: return H5T_STD_I32LE;
    }
    return H5I_INVALID_HID;
}

static hid_t big_endian_type(eb_dtype dtype)
{
    switch (dtype) {
    case EB_F16: return half_type(H5T_IEEE_F32BE);
    case EB_F32: return H5T_IEEE_F32BE;
    case EB_F64: return H5T_IEEE_F64BE;
    case EB_U8: return H5T_STD_U8BE;
    case EB_I8: return H5T_STD_I8BE;
    case EB_I16: return H5T_STD_I16BE;
    case EB_I32: return H5T_STD_I32BE;
    }
    return H5I_INVALID_HID;
}

static bool element_type(hid_t type, eb_dtype *dtype, bool *little_endian)
{
    static const eb_dtype all[] = {EB_F16, EB_F32, EB_F64, EB_U8, EB_I8, EB_I16, EB_I32};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        bool little = H5Tequal(type, little_endian_type(all[k])) > 0;
        if (!little && H5Tequal(type, big_endian_type(all[k])) <= 0)
            continue;
        *dtype = all[k];
        *little_endian = little;
        return true;
    }
    return false;
}

/* ---- one dataset ---- */

typedef struct description {
    int rank;
    hsize_t dims[2];
    bool numeric, little_endian;
    eb_dtype dtype;
    eb_integers integers; /* stored, and become dtype */
} description;

/* Integers no engine computes with; and bools, which h5py stores as an enumeration of bytes. */
static bool other_type(hid_t type, description *out)
{
    const struct {
        hid_t little, big;
        eb_integers integers;
    } all[] = {{H5T_STD_U16LE, H5T_STD_U16BE, EB_U16},
               {H5T_STD_U32LE, H5T_STD_U32BE, EB_U32},
               {H5T_STD_I64LE, H5T_STD_I64BE, EB_I64},
               {H5T_STD_U64LE, H5T_STD_U64BE, EB_U64}};
    out->little_endian = H5Tget_class(type) == H5T_ENUM && H5Tget_size(type) == 1;
    out->dtype = EB_U8;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (H5Tequal(type, all[k].little) > 0 || H5Tequal(type, all[k].big) > 0) {
            out->integers = all[k].integers;
            out->dtype = eb_integers_become(all[k].integers);
        }
    return out->little_endian || out->integers;
}

static bool describe(hid_t dataset, description *out)
{
    hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    *out = (description){.rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space), .dims = {0, 1}};
    if (out->rank < 0 || type < 0)
        return false;
    out->numeric = element_type(type, &out->dtype, &out->little_endian) || other_type(type, out);
    return out->rank < 1 || out->rank > 2 || H5Sget_simple_extent_dims(space, out->dims, NULL) >= 0;
}

/* Where the values are, and whether the storage can hold what the shape promises. */
static void check_storage(hid_t dataset, const eb_guest_request *request, const description *about,
                          eb_guest_reply *reply)
{
    hid_t plist = H5Dget_create_plist(dataset);
    H5D_layout_t layout = plist < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(plist);
    if (layout == H5D_LAYOUT_ERROR) {
        refuse_with_reason(reply, request, "cannot find the values of");
        return;
    }
    if (layout == H5D_VIRTUAL || H5Pget_external_count(plist) > 0) {
        eb_guest_refuse(reply, request, "the values lie in other files; expected them in this one");
        return;
    }
    uint64_t stored = H5Dget_storage_size(dataset);
    eb_dtype type = about->integers ? eb_integers_width(about->integers) : about->dtype;
    uint64_t expected = reply->n * reply->d * eb_dtype_size(type); /* fits: the shape has been checked */
    bool filtered = H5Pget_nfilters(plist) != 0;
    if (stored < (filtered ? expected / MAX_EXPANSION + 1 : expected)) {
        eb_guest_refuse(reply, request, "%llu × %llu %s values need %llu bytes; %s%llu are stored",
                        (unsigned long long)reply->n, (unsigned long long)reply->d, eb_dtype_name(reply->dtype),
                        (unsigned long long)expected, filtered ? "compressed, only " : "", (unsigned long long)stored);
        return;
    }
    haddr_t offset = layout == H5D_CONTIGUOUS && !filtered ? H5Dget_offset(dataset) : HADDR_UNDEF;
    reply->contiguous = offset != HADDR_UNDEF && about->little_endian && !about->integers;
    reply->offset = offset;
}

static void reply_dataset(hid_t dataset, const eb_guest_request *request, eb_guest_reply *reply)
{
    description about;
    if (!describe(dataset, &about)) {
        refuse_with_reason(reply, request, "cannot describe");
        return;
    }
    if (about.rank != 1 && about.rank != 2) {
        eb_guest_refuse(reply, request, "%s has %d dimensions; expected 2", reply->object, about.rank);
        return;
    }
    if (!about.numeric) {
        eb_guest_refuse(reply, request, "%s has elements of an unknown type; expected floats, integers or bools",
                        reply->object);
        return;
    }
    reply->n = about.dims[request->turned ? 1 : 0];
    reply->d = about.dims[request->turned ? 0 : 1];
    reply->dtype = about.dtype;
    reply->integers = about.integers;
    if (eb_dataset_check_shape(request->bytes->name, reply->n, reply->d, reply->dtype, &reply->status) == EB_OK)
        check_storage(dataset, request, &about, reply);
}

/* ---- finding it ---- */

typedef struct visit {
    char first[EB_GUEST_NAME_SIZE]; /* the first 2-d numeric dataset */
    size_t found;
    char listed[LISTED]; /* their names, for messages */
} visit;

static herr_t visit_object(hid_t root, const char *name, const H5O_info_t *info, void *context)
{
    visit *v = context;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    description about;
    hid_t dataset = H5Dopen2(root, name, H5P_DEFAULT);
    if (dataset < 0)
        return 0;
    bool usable = describe(dataset, &about) && about.rank == 2 && about.numeric;
    (void)H5Dclose(dataset); /* closed after all: a file may have a great many */
    if (!usable)
        return 0;
    if (v->found++ == 0)
        (void)snprintf(v->first, sizeof v->first, "/%s", name);
    size_t used = strlen(v->listed);
    if (used < sizeof v->listed)
        (void)snprintf(v->listed + used, sizeof v->listed - used, "%s/%s", used ? ", " : "", name);
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
    for (char *p = v->listed; *p; p++)
        if ((unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e)
            *p = '?';
}

static hid_t open_named(hid_t file, const eb_guest_request *request, eb_guest_reply *reply)
{
    hid_t dataset = H5Dopen2(file, request->object, H5P_DEFAULT);
    if (dataset >= 0) {
        (void)snprintf(reply->object, sizeof reply->object, "%s", request->object);
        return dataset;
    }
    visit v;
    visit_all(file, &v);
    eb_guest_refuse(reply, request, "no dataset %.200s here; its 2-d numeric datasets: %s", request->object,
                    v.found ? v.listed : "none");
    return H5I_INVALID_HID;
}

static hid_t open_likely(hid_t file, const eb_guest_request *request, eb_guest_reply *reply)
{
    static const char train[] = "/train";
    hid_t dataset = H5Lexists(file, train, H5P_DEFAULT) > 0 ? H5Dopen2(file, train, H5P_DEFAULT) : H5I_INVALID_HID;
    if (dataset >= 0) {
        memcpy(reply->object, train, sizeof train);
        return dataset;
    }
    visit v;
    visit_all(file, &v);
    if (v.found == 1 && strlen(v.first) + 1 < sizeof v.first) {
        memcpy(reply->object, v.first, sizeof v.first);
        dataset = H5Dopen2(file, v.first, H5P_DEFAULT);
        if (dataset < 0)
            refuse_with_reason(reply, request, "cannot open the only 2-d numeric dataset");
        return dataset;
    }
    if (v.found == 0)
        eb_guest_refuse(reply, request, "expected /train or one 2-d numeric dataset, found none");
    else
        eb_guest_refuse(reply, request,
                        "expected /train or one 2-d numeric dataset, found %zu: %s; name one as FILE:/NAME", v.found,
                        v.listed);
    return H5I_INVALID_HID;
}

/* ---- opening ---- */

/* The bytes are the file: libhdf5's core driver takes an image of one. These callbacks stand for the copies it would
 * make of it, one per property list and one per file: each is the image itself. The file is read-only, so nobody writes
 * there. */
static void *share_image(size_t size, H5FD_file_image_op_t operation, void *request)
{
    (void)size;
    (void)operation;
    return (void *)(uintptr_t)((const eb_guest_request *)request)->bytes->data;
}

static void *copy_nothing(void *dest, const void *src, size_t size, H5FD_file_image_op_t operation, void *request)
{
    (void)src;
    (void)size;
    (void)operation;
    (void)request;
    return dest;
}

static void *grow_nothing(void *image, size_t size, H5FD_file_image_op_t operation, void *request)
{
    (void)image;
    (void)size;
    (void)operation;
    (void)request;
    return NULL;
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

static hid_t open_image(const eb_guest_request *request)
{
    H5FD_file_image_callbacks_t callbacks = {
        .image_malloc = share_image,
        .image_memcpy = copy_nothing,
        .image_realloc = grow_nothing,
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

static hid_t open_dataset(const eb_guest_request *request, eb_guest_reply *reply)
{
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* its messages go into sentences, not to the terminal */
    hid_t file = open_image(request);
    if (file < 0) {
        const eb_guest_request whole = {.bytes = request->bytes};
        refuse_with_reason(reply, &whole, "offset 0: expected an HDF5 file");
        return H5I_INVALID_HID;
    }
    return request->object ? open_named(file, request, reply) : open_likely(file, request, reply);
}

/* ---- ann-benchmarks ---- */

/* An attribute of the root that is one text; "": there is none. */
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
    for (size_t k = 0; from && k + 1 < size && from[k]; k++)
        out[k] = (unsigned char)from[k] >= 0x20 && (unsigned char)from[k] < 0x7f ? from[k] : '?';
}

/* Its files say by which distance their ground truth was found, and whether points are sets of any size. */
static void look_at_benchmark(hid_t dataset, const eb_guest_request *request, eb_guest_reply *reply)
{
    char distance[32], type[32];
    read_text(dataset, "distance", distance, sizeof distance);
    read_text(dataset, "type", type, sizeof type);
    if (strcmp(type, "sparse") == 0)
        eb_guest_refuse(reply, request, "its points are sets (type=sparse); expected rows of as many values each");
    else if (distance[0] && strcmp(distance, "euclidean") != 0)
        (void)snprintf(reply->remark, sizeof reply->remark,
                       "the file's own distance is %s; here pairs are within a Euclidean distance", distance);
}

static void probe(const eb_guest_request *request, eb_guest_reply *reply)
{
    hid_t dataset = open_dataset(request, reply);
    if (dataset >= 0)
        reply_dataset(dataset, request, reply);
    if (dataset >= 0 && reply->status.code == EB_OK)
        look_at_benchmark(dataset, request, reply);
}

/* ---- reading ---- */

/* Rows to read at once: whole chunks, so that none is decompressed twice, and enough to make a call worth while. */
static uint64_t block_rows(hid_t dataset, const eb_guest_reply *shape)
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

static bool is_wide(eb_integers integers) { return integers == EB_I64 || integers == EB_U64; }

/* What libhdf5 is to make of the values: it takes short integers to ours exactly; 64-bit ones are looked at here. */
static hid_t memory_type(const eb_guest_reply *shape)
{
    if (is_wide(shape->integers))
        return shape->integers == EB_I64 ? H5T_STD_I64LE : H5T_STD_U64LE;
    return little_endian_type(shape->dtype);
}

/* Rows as they are stored, a block at a time. */
static void read_blocks(const eb_guest_request *request, hid_t dataset, const eb_guest_reply *stored,
                        unsigned char *rows, _Atomic uint64_t *done, eb_guest_reply *reply)
{
    hid_t space = H5Dget_space(dataset), type = memory_type(stored);
    int rank = H5Sget_simple_extent_ndims(space); /* 1 or 2: reply_dataset has seen to that */
    uint64_t block = block_rows(dataset, stored);
    size_t row_bytes = (size_t)stored->d * eb_dtype_size(stored->dtype);
    for (uint64_t at = 0; at < stored->n; at += block) {
        (void)alarm(BLOCK_SECONDS);
        uint64_t count = stored->n - at < block ? stored->n - at : block;
        hsize_t start[2] = {at, 0}, size[2] = {count, stored->d};
        hid_t memory = H5Screate_simple(rank, size, NULL);
        if (memory < 0 || H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) < 0 ||
            H5Dread(dataset, type, memory, space, H5P_DEFAULT, rows + at * row_bytes) < 0) {
            refuse_with_reason(reply, request, "cannot read");
            return;
        }
        (void)H5Sclose(memory);
        if (is_wide(stored->integers) && /* to FP64, where they are */
            eb_take_integers(request->bytes->name, stored->integers, rows + at * row_bytes, at, count * stored->d,
                             stored->d, rows + at * row_bytes, &reply->status))
            return;
        atomic_fetch_add(done, count);
    }
}

static void read_values(const eb_guest_request *request, const eb_guest_reply *shape, unsigned char *rows,
                        _Atomic uint64_t *done, eb_guest_reply *reply)
{
    hid_t dataset = open_dataset(request, reply);
    if (dataset < 0)
        return;
    reply_dataset(dataset, request, reply);
    if (reply->status.code != EB_OK)
        return;
    /* The file may have changed since the probe: what is written must be what was allocated. */
    if (reply->n != shape->n || reply->d != shape->d || reply->dtype != shape->dtype ||
        reply->integers != shape->integers) {
        eb_guest_refuse(reply, request, "the file changed while it was read");
        return;
    }
    eb_guest_reply stored = *shape;
    if (request->turned) {
        stored.n = shape->d;
        stored.d = shape->n;
    }
    read_blocks(request, dataset, &stored, rows, done, reply);
}

static const eb_guest libhdf5 = {.library = "libhdf5",
                                 .phase = "reading HDF5",
                                 .seconds = PROBE_SECONDS,
                                 .probe = probe,
                                 .read = read_values};

eb_code eb_read_hdf5(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    return eb_guest_read(&libhdf5, bytes, false, out, status);
}

eb_code eb_read_hdf5_turned(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    return eb_guest_read(&libhdf5, bytes, true, out, status);
}
