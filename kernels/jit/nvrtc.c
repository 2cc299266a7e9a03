#include "kernels/jit/nvrtc.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/device/cuda.h"

/* ---- sources ---- */

extern const char eb_jit_bundle[]; /* bundle.S */

void eb_jit_sources_list(eb_jit_sources *out)
{
    const char *at = eb_jit_bundle;
    for (out->count = 0; *at && out->count < EB_JIT_MOST_SOURCES; out->count++) {
        out->name[out->count] = at;
        at += strlen(at) + 1;
        out->text[out->count] = at;
        at += strlen(at) + 1;
    }
}

void eb_jit_code_free(eb_jit_code *code)
{
    free(code->symbol);
    free(code->bytes);
    *code = (eb_jit_code){.symbol = NULL};
}

/* Folder of the toolkit that the program was built with. A program that is moved may not have one. */
#ifndef EB_CUDA_HOME
#define EB_CUDA_HOME ""
#endif

enum { PATH_BYTES = 4096, NAME_BYTES = 32 };

typedef struct program program;

static struct library {
    eb_nvrtc known;
    bool ready;
    char name[NAME_BYTES];
    int (*version)(int *major, int *minor);
    int (*architectures)(int *count);
    int (*architecture)(int *list);
    int (*create)(program **out, const char *source, const char *name, int headers, const char *const *header_text,
                  const char *const *header_name);
    int (*destroy)(program **p);
    int (*add_name)(program *p, const char *expression);
    int (*lowered_name)(program *p, const char *expression, const char **out);
    int (*compile)(program *p, int options, const char *const *option);
    int (*log_size)(program *p, size_t *size);
    int (*log)(program *p, char *log);
    int (*cubin_size)(program *p, size_t *size);
    int (*cubin)(program *p, char *code);
    int (*ptx_size)(program *p, size_t *size);
    int (*ptx)(program *p, char *code);
    const char *(*words)(int error);
} library;

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- opening the library ---- */

/* ISO C has no conversion from data pointers to function pointers; POSIX's dlsym needs one. */
static bool look_up(void *handle, const char *name, void *function)
{
    void *found = dlsym(handle, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static bool look_all_up(void *handle)
{
    struct library *l = &library;
    return look_up(handle, "nvrtcVersion", &l->version) &&
           look_up(handle, "nvrtcGetNumSupportedArchs", &l->architectures) &&
           look_up(handle, "nvrtcGetSupportedArchs", &l->architecture) &&
           look_up(handle, "nvrtcCreateProgram", &l->create) && look_up(handle, "nvrtcDestroyProgram", &l->destroy) &&
           look_up(handle, "nvrtcAddNameExpression", &l->add_name) &&
           look_up(handle, "nvrtcGetLoweredName", &l->lowered_name) &&
           look_up(handle, "nvrtcCompileProgram", &l->compile) &&
           look_up(handle, "nvrtcGetProgramLogSize", &l->log_size) && look_up(handle, "nvrtcGetProgramLog", &l->log) &&
           look_up(handle, "nvrtcGetCUBINSize", &l->cubin_size) && look_up(handle, "nvrtcGetCUBIN", &l->cubin) &&
           look_up(handle, "nvrtcGetPTXSize", &l->ptx_size) && look_up(handle, "nvrtcGetPTX", &l->ptx) &&
           look_up(handle, "nvrtcGetErrorString", &l->words);
}

static bool ask_it(void)
{
    struct library *l = &library;
    int count = 0;
    if (l->version(&l->known.major, &l->known.minor) != 0 || l->architectures(&count) != 0 || count < 0 ||
        (size_t)count > sizeof l->known.architecture / sizeof l->known.architecture[0] ||
        l->architecture(l->known.architecture) != 0)
        return false;
    l->known.architectures = count;
    return true;
}

/* An opened library stays open: the compiler has threads and memory of its own. */
static bool try_file(const char *file)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    return handle && look_all_up(handle) && ask_it();
}

static bool try_toolkit(const char *home)
{
    static const char *const folder[] = {"lib64", "lib", "targets/x86_64-linux/lib"};
    char path[PATH_BYTES];
    for (size_t k = 0; home && home[0] == '/' && k < sizeof folder / sizeof folder[0]; k++) {
        const int length = snprintf(path, sizeof path, "%s/%s/%s", home, folder[k], library.name);
        if (length > 0 && (size_t)length < sizeof path && try_file(path))
            return true;
    }
    return false;
}

static void open_library(void)
{
    const char *asked = getenv("EPSBENCH_NVRTC");
    const int toolkit = eb_cuda_toolkit();
    (void)snprintf(library.name, sizeof library.name, toolkit > 0 ? "libnvrtc.so.%d" : "libnvrtc.so", toolkit);
    if (asked && *asked)
        library.ready = try_file(asked);
    else
        library.ready = try_file(library.name) || try_toolkit(getenv("CUDA_HOME")) ||
                        try_toolkit(getenv("CUDA_PATH")) || try_toolkit(EB_CUDA_HOME) ||
                        try_toolkit("/usr/local/cuda") || try_file("libnvrtc.so");
}

const eb_nvrtc *eb_nvrtc_open(void)
{
    (void)pthread_once(&once, open_library);
    return library.ready ? &library.known : NULL;
}

const char *eb_nvrtc_name(void)
{
    (void)pthread_once(&once, open_library);
    return library.name;
}

/* ---- compiling ---- */

static eb_code fail_refused(program *p, int error, const eb_jit_kernel *kernel, eb_status *status)
{
    size_t size = 0;
    char *log = library.log_size(p, &size) == 0 && size > 0 ? malloc(size) : NULL;
    if (log && library.log(p, log) != 0)
        log[0] = '\0';
    const int line = log ? (int)strcspn(log, "\n") : 0;
    const eb_code failed =
        eb_fail(status, EB_INTERNAL, "NVRTC %d.%d does not compile %s: %s%s%.*s", library.known.major,
                library.known.minor, kernel->name, library.words(error), line ? ": " : "", line, log ? log : "");
    free(log);
    return failed;
}

static eb_code take_code(program *p, const eb_jit_kernel *kernel, bool ptx, eb_jit_code *out, eb_status *status)
{
    const char *symbol = NULL;
    size_t size = 0;
    int error = library.lowered_name(p, kernel->name, &symbol);
    if (error == 0)
        error = ptx ? library.ptx_size(p, &size) : library.cubin_size(p, &size);
    if (error != 0)
        return fail_refused(p, error, kernel, status);
    *out = (eb_jit_code){.symbol = strdup(symbol), .bytes = malloc(size + 1), .size = size};
    if (!out->symbol || !out->bytes) {
        eb_jit_code_free(out);
        return eb_fail_memory(status, "a compiled kernel", size);
    }
    error = ptx ? library.ptx(p, (char *)out->bytes) : library.cubin(p, (char *)out->bytes);
    if (error == 0)
        return EB_OK;
    eb_jit_code_free(out);
    return fail_refused(p, error, kernel, status);
}

eb_code eb_nvrtc_compile(const eb_jit_kernel *kernel, const char *const *options, int count, bool ptx, eb_jit_code *out,
                         eb_status *status)
{
    eb_jit_sources sources;
    char text[PATH_BYTES];
    program *p = NULL;
    *out = (eb_jit_code){.symbol = NULL};
    eb_jit_sources_list(&sources);
    const int length =
        snprintf(text, sizeof text, "#include \"%s\"\n%s\n", kernel->source, kernel->checks ? kernel->checks : "");
    if (length < 0 || (size_t)length >= sizeof text)
        return eb_fail(status, EB_INTERNAL, "the source text for kernel %s is too long for NVRTC's buffer",
                       kernel->name);
    int error = library.create(&p, text, "kernel.cu", (int)sources.count, sources.text, sources.name);
    if (error != 0)
        return eb_fail(status, EB_INTERNAL, "NVRTC cannot create a program for %s: %s", kernel->name,
                       library.words(error));
    error = library.add_name(p, kernel->name);
    if (error == 0)
        error = library.compile(p, count, options);
    const eb_code failed = error != 0 ? fail_refused(p, error, kernel, status) : take_code(p, kernel, ptx, out, status);
    (void)library.destroy(&p);
    return failed;
}

static char *take_log(program *p)
{
    size_t size = 0;
    char *log = library.log_size(p, &size) == 0 && size > 1 ? malloc(size) : NULL;
    if (log && library.log(p, log) == 0)
        return log;
    free(log);
    return NULL;
}

static eb_code take_ptx(program *p, char **ptx, eb_status *status)
{
    size_t size = 0;
    int error = library.ptx_size(p, &size);
    if (error == 0 && !(*ptx = malloc(size)))
        return eb_fail_memory(status, "a compiled function", size);
    if (error == 0)
        error = library.ptx(p, *ptx);
    return error == 0 ? EB_OK
                      : eb_fail(status, EB_INTERNAL, "NVRTC keeps its code to itself: %s", library.words(error));
}

eb_code eb_nvrtc_compile_text(const char *text, const char *name, const char *const *options, int count, char **ptx,
                              char **log, eb_status *status)
{
    program *p = NULL;
    int error = library.create(&p, text, name, 0, NULL, NULL);
    if (error != 0)
        return eb_fail(status, EB_INTERNAL, "NVRTC cannot create a program for %s: %s", name, library.words(error));
    error = library.compile(p, count, options);
    *log = take_log(p);
    const eb_code failed =
        error != 0 ? eb_fail(status, EB_BAD_VALUE, "NVRTC does not accept %s", name) : take_ptx(p, ptx, status);
    (void)library.destroy(&p);
    return failed;
}
