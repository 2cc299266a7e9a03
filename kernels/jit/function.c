#include "kernels/jit/function.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernels/jit/nvrtc.h"

#define KERNEL "eb_call_function"

/* ---- compiling ---- */

eb_code eb_function_compile(const char *text, const char *path, const char *call, size_t values, char **ptx, char **log,
                            eb_status *status)
{
    static const char *const options[] = {"--gpu-architecture=compute_80", "--std=c++17",
                                          "--device-as-default-execution-space"};
    char *whole = NULL;
    *ptx = *log = NULL;
    if (!eb_nvrtc_open())
        return eb_fail(status, EB_NO_ENGINE,
                       "%s is missing, which compiles functions for the GPU; `set device=cpu` "
                       "compiles them with cc",
                       eb_nvrtc_name());
    if (asprintf(&whole,
                 "#line 1 \"%s\"\n%s\n#line 1 \"the check\"\n"
                 "extern \"C\" __global__ void " KERNEL "(unsigned *value)\n"
                 "{\n    const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;\n"
                 "    if (k < %zuu)\n        value[k] = %s;\n}\n",
                 path, text, values, call) < 0)
        return eb_fail_memory(status, "a kernel's text", strlen(text));
    const eb_code failed =
        eb_nvrtc_compile_text(whole, path, options, sizeof options / sizeof options[0], ptx, log, status);
    free(whole);
    return failed;
}

/* ---- the child ---- */

/* The driver's functions, as cuda.h declares them. */
typedef struct driver {
    int (*init)(unsigned flags);
    int (*device)(int *out, int number);
    int (*retain)(void **context, int device);
    int (*use)(void *context);
    int (*load)(void **module, const void *image);
    int (*find)(void **function, void *module, const char *name);
    int (*allocate)(unsigned long long *out, size_t bytes);
    int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                  unsigned shared, void *stream, void **arguments, void **extra);
    int (*wait)(void);
    int (*copy)(void *to, unsigned long long from, size_t bytes);
    int (*name_of)(int error, const char **out);
} driver;

static bool look_up(void *handle, const char *name, void *function)
{
    void *found = dlsym(handle, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static bool open_driver(driver *d)
{
    void *handle = dlopen("libcuda.so.1", RTLD_NOW);
    return handle && look_up(handle, "cuInit", &d->init) && look_up(handle, "cuDeviceGet", &d->device) &&
           look_up(handle, "cuDevicePrimaryCtxRetain", &d->retain) && look_up(handle, "cuCtxSetCurrent", &d->use) &&
           look_up(handle, "cuModuleLoadData", &d->load) && look_up(handle, "cuModuleGetFunction", &d->find) &&
           look_up(handle, "cuMemAlloc_v2", &d->allocate) && look_up(handle, "cuLaunchKernel", &d->launch) &&
           look_up(handle, "cuCtxSynchronize", &d->wait) && look_up(handle, "cuMemcpyDtoH_v2", &d->copy) &&
           look_up(handle, "cuGetErrorName", &d->name_of);
}

/* The file, shared and writable if `writable`; NULL: it cannot be read. */
static void *map_file(const char *name, bool writable, size_t bytes)
{
    const int fd = open(name, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    void *map =
        fd < 0 ? MAP_FAILED
               : mmap(NULL, bytes, PROT_READ | (writable ? PROT_WRITE : 0), writable ? MAP_SHARED : MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        (void)close(fd);
    return map == MAP_FAILED ? NULL : map;
}

static int complain(const driver *d, int error, int exit_status)
{
    const char *name = NULL;
    (void)d->name_of(error, &name);
    (void)fprintf(stderr, "%s\n", name ? name : "an unknown error");
    return exit_status;
}

static int call_kernel(const driver *d, void *module, uint32_t *table, size_t values)
{
    enum { THREADS = 128 };
    void *function;
    unsigned long long memory = 0;
    void *arguments[] = {&memory};
    int error = d->find(&function, module, KERNEL);
    if (error == 0)
        error = d->allocate(&memory, values * sizeof *table);
    if (error != 0)
        return complain(d, error, EB_FUNCTION_NO_DRIVER);
    table[0] = 0;
    error = d->launch(function, (unsigned)((values + THREADS - 1) / THREADS), 1, 1, THREADS, 1, 1, 0, NULL, arguments,
                      NULL);
    if (error == 0)
        error = d->wait();
    if (error == 0)
        error = d->copy(table + 1, memory, values * sizeof *table);
    if (error != 0)
        return complain(d, error, EB_FUNCTION_FAULT);
    table[0] = (uint32_t)values;
    return 0;
}

int eb_function_main(int count, char **argument)
{
    enum { DEVICE = 2, VALUES = 3, ARGUMENTS = 4, PTX_BYTES = 1 << 20 };
    driver d;
    int device;
    void *context, *module;
    (void)setenv("CUDA_CACHE_DISABLE", "1", 1); /* the process may write no large files */
    if (count != ARGUMENTS || !open_driver(&d)) {
        (void)fputs("the driver libcuda.so.1 is missing\n", stderr);
        return EB_FUNCTION_NO_DRIVER;
    }
    const size_t values = (size_t)strtoul(argument[VALUES], NULL, 10);
    uint32_t *table = map_file("table", true, (values + 1) * sizeof *table);
    const char *ptx = map_file("function.ptx", false, PTX_BYTES); /* ends with zeros */
    if (!table || !ptx)
        return EB_FUNCTION_NO_DRIVER;
    int error = d.init(0);
    if (error == 0)
        error = d.device(&device, (int)strtol(argument[DEVICE], NULL, 10));
    if (error == 0)
        error = d.retain(&context, device);
    if (error == 0)
        error = d.use(context);
    if (error == 0)
        error = d.load(&module, ptx);
    return error ? complain(&d, error, EB_FUNCTION_NO_DRIVER) : call_kernel(&d, module, table, values);
}
