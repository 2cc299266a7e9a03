/* image: opens bytes in memory as an HDF5 file. libhdf5's core driver takes a file image and normally copies it, once
 * for each property list and each file. These callbacks return the image itself instead of a copy. The file is
 * read-only, so nobody writes to the image. */
#include "io/hdf5/hdf5_parts.h"

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

hid_t eb_hdf5_open_image(const eb_subprocess_request *request)
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
