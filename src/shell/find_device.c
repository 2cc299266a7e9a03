#include "shell/find_device.h"

#include <string.h>

#include "kernels/device/cuda.h"

static eb_code find_cuda_device(int index, eb_device *out, eb_status *status)
{
    eb_device devices[EB_MOST_CUDA_DEVICES];
    size_t count = 0, capacity = sizeof devices / sizeof devices[0];
    EB_TRY(eb_cuda_devices(devices, capacity, &count, status));
    for (size_t k = 0; k < count && k < capacity; k++)
        if (devices[k].index == index) {
            *out = devices[k];
            return EB_OK;
        }
    return eb_fail(status, EB_NO_DEVICE, "no device cuda:%d; there are %zu CUDA devices, counted from 0", index, count);
}

static eb_code all_devices(eb_device_named *named, eb_status *status)
{
    eb_device devices[EB_MOST_MEMBERS];
    size_t count = 0;
    EB_TRY(eb_cuda_devices(devices, EB_MOST_MEMBERS, &count, status));
    named->members = count < EB_MOST_MEMBERS ? (unsigned)count : EB_MOST_MEMBERS;
    for (unsigned k = 0; k < named->members; k++)
        named->member[k] = devices[k].index;
    return EB_OK;
}

/* Joins devices of one architecture to a team. */
static eb_code find_team(const eb_device_named *named, eb_device *out, eb_status *status)
{
    eb_device other;
    if (named->kind == EB_DEVICE_CPU)
        eb_device_cpu(out);
    for (unsigned k = 0; k < named->members && named->kind == EB_DEVICE_CUDA; k++) {
        EB_TRY(find_cuda_device(named->member[k], k == 0 ? out : &other, status));
        if (k > 0 && strcmp(out->architecture, other.architecture) != 0)
            return eb_fail(status, EB_NO_DEVICE,
                           "devices of a team need one architecture; cuda:%d is %s, cuda:%d is %s", named->member[0],
                           out->architecture, named->member[k], other.architecture);
    }
    if (named->members > 1) {
        out->members = named->members;
        memcpy(out->member, named->member, sizeof out->member);
        (void)eb_device_name_write(named, out->name);
    }
    return EB_OK;
}

eb_code eb_device_find(const char *name, eb_device *out, eb_status *status)
{
    eb_device_named named;
    EB_TRY(eb_device_name_parse(name, &named, status));
    if (named.all)
        EB_TRY(all_devices(&named, status));
    return find_team(&named, out, status);
}
