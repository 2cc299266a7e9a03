/* describe: finds the shape and type of an HDF5 dataset, and checks that its storage can hold its values. */
#include <stdio.h>
#include <string.h>

#include "io/bytes.h"
#include "io/hdf5/hdf5_parts.h"

/* Deflate expands a byte to at most 1032. A dataset that promises far more than its storage can hold is false and would
 * fill the memory. */
#define MAX_EXPANSION 4096u

/* ---- messages ---- */

/* Keeps the innermost entry of libhdf5's error stack, the actual cause. */
static herr_t take_reason(unsigned depth, const H5E_error2_t *entry, void *context)
{
    if (depth == 0 && entry->desc)
        (void)snprintf(context, 128, "%s", entry->desc);
    return 0;
}

void eb_hdf5_refuse(eb_subprocess_reply *reply, const eb_subprocess_request *request, const char *what)
{
    char reason[128] = "no reason given", shown[EB_SHOWN_SIZE];
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, reason);
    /* The reason may quote the file, so keep it printable. */
    eb_make_printable(reason);
    if (request->object)
        eb_subprocess_refuse(reply, request, "%s %s: libhdf5 says: %s", what,
                             eb_show_bytes(shown, request->object, strlen(request->object)), reason);
    else
        eb_subprocess_refuse(reply, request, "%s: libhdf5 says: %s", what, reason);
}

/* ---- element types ---- */

/* IEEE binary16, for which libhdf5 has no predefined type before 1.14.4. */
static hid_t half_type(hid_t single)
{
    hid_t type = H5Tcopy(single);
    (void)H5Tset_fields(type, 15, 10, 5, 0, 10);
    (void)H5Tset_size(type, 2);
    (void)H5Tset_ebias(type, 15);
    return type;
}

typedef struct element {
    eb_dtype dtype;
    eb_foreign foreign; /* the stored type, if it is converted to dtype */
    hid_t little, big;
} element;
enum { ELEMENTS = 11 };

static void list_elements(element out[ELEMENTS])
{
    const element all[ELEMENTS] = {
        {EB_F16, EB_NOT_FOREIGN, half_type(H5T_IEEE_F32LE), half_type(H5T_IEEE_F32BE)},
        {EB_F32, EB_NOT_FOREIGN, H5T_IEEE_F32LE, H5T_IEEE_F32BE},
        {EB_F64, EB_NOT_FOREIGN, H5T_IEEE_F64LE, H5T_IEEE_F64BE},
        {EB_U8, EB_NOT_FOREIGN, H5T_STD_U8LE, H5T_STD_U8BE},
        {EB_I8, EB_NOT_FOREIGN, H5T_STD_I8LE, H5T_STD_I8BE},
        {EB_I16, EB_NOT_FOREIGN, H5T_STD_I16LE, H5T_STD_I16BE},
        {EB_I32, EB_NOT_FOREIGN, H5T_STD_I32LE, H5T_STD_I32BE},
        {EB_I32, EB_U16, H5T_STD_U16LE, H5T_STD_U16BE},
        {EB_F64, EB_U32, H5T_STD_U32LE, H5T_STD_U32BE},
        {EB_F64, EB_I64, H5T_STD_I64LE, H5T_STD_I64BE},
        {EB_F64, EB_U64, H5T_STD_U64LE, H5T_STD_U64BE},
    };
    memcpy(out, all, sizeof all);
}

hid_t eb_hdf5_type(eb_dtype dtype)
{
    element all[ELEMENTS];
    list_elements(all);
    size_t k = 0;
    while (all[k].dtype != dtype)
        k++;
    return all[k].little;
}

/* A bool is an element of EB_U8: h5py stores bools as an enumeration of bytes. */
static bool element_type(hid_t type, eb_hdf5_description *out)
{
    element all[ELEMENTS];
    list_elements(all);
    for (size_t k = 0; k < ELEMENTS; k++) {
        out->little_endian = H5Tequal(type, all[k].little) > 0;
        if (out->little_endian || H5Tequal(type, all[k].big) > 0) {
            out->dtype = all[k].dtype;
            out->foreign = all[k].foreign;
            return true;
        }
    }
    out->dtype = EB_U8;
    out->little_endian = H5Tget_class(type) == H5T_ENUM && H5Tget_size(type) == 1;
    return out->little_endian;
}

/* ---- one dataset ---- */

bool eb_hdf5_describe(hid_t dataset, eb_hdf5_description *out)
{
    hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    *out = (eb_hdf5_description){.rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space), .dims = {0, 1}};
    if (out->rank < 0 || type < 0)
        return false;
    out->numeric = element_type(type, out);
    return out->rank < 1 || out->rank > 2 || H5Sget_simple_extent_dims(space, out->dims, NULL) >= 0;
}

/* Finds the position of the values, and checks that the storage can hold them. */
static void check_storage(hid_t dataset, const eb_subprocess_request *request, const eb_hdf5_description *about,
                          eb_subprocess_reply *reply)
{
    hid_t plist = H5Dget_create_plist(dataset);
    H5D_layout_t layout = plist < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(plist);
    if (layout == H5D_LAYOUT_ERROR) {
        eb_hdf5_refuse(reply, request, "cannot find the values of");
        return;
    }
    if (layout == H5D_VIRTUAL || H5Pget_external_count(plist) > 0) {
        eb_subprocess_refuse(reply, request, "the values lie in other files; expected them in this one");
        return;
    }
    uint64_t stored = H5Dget_storage_size(dataset);
    eb_dtype type = about->foreign ? eb_foreign_width(about->foreign) : about->dtype;
    uint64_t expected = reply->n * reply->d * eb_dtype_size(type); /* cannot overflow: the shape has been checked */
    bool filtered = H5Pget_nfilters(plist) != 0;
    if (stored < (filtered ? expected / MAX_EXPANSION + 1 : expected)) {
        eb_subprocess_refuse(reply, request, "%llu × %llu %s values need %llu bytes; %s%llu are stored",
                             (unsigned long long)reply->n, (unsigned long long)reply->d, eb_dtype_name(reply->dtype),
                             (unsigned long long)expected, filtered ? "compressed, only " : "",
                             (unsigned long long)stored);
        return;
    }
    haddr_t offset = layout == H5D_CONTIGUOUS && !filtered ? H5Dget_offset(dataset) : HADDR_UNDEF;
    reply->contiguous = offset != HADDR_UNDEF && about->little_endian && !about->foreign;
    reply->offset = offset;
}

void eb_hdf5_reply_dataset(hid_t dataset, const eb_subprocess_request *request, eb_subprocess_reply *reply)
{
    eb_hdf5_description about;
    if (!eb_hdf5_describe(dataset, &about)) {
        eb_hdf5_refuse(reply, request, "cannot describe");
        return;
    }
    if (about.rank != 1 && about.rank != 2) {
        eb_subprocess_refuse(reply, request, "%s has %d dimensions; expected 2", reply->object, about.rank);
        return;
    }
    if (!about.numeric) {
        eb_subprocess_refuse(reply, request, "%s has elements of an unknown type; expected floats, integers or bools",
                             reply->object);
        return;
    }
    reply->n = about.dims[request->turned ? 1 : 0];
    reply->d = about.dims[request->turned ? 0 : 1];
    reply->dtype = about.dtype;
    reply->foreign = about.foreign;
    if (about.rank == 1)
        (void)snprintf(reply->remark, sizeof reply->remark, "the array has one dimension: each value is a point");
    if (eb_dataset_check_shape(request->bytes->name, reply->n, reply->d, reply->dtype, &reply->status) == EB_OK)
        check_storage(dataset, request, &about, reply);
}
