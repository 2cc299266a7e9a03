#include "kernels/jit/jit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/jit/cache.h"
#include "kernels/jit/nvrtc.h"
#include "kernels/jit/sources.h"

/* Unmarked functions are for kernels: there is no host here. No folder of this machine is looked into for headers.
 * The stack's limit is the whole process's: our threads have theirs. */
static const char *const options[] = {"--std=c++17", "-default-device", "--no-source-include",
                                      "--modify-stack-limit=false"};
enum { OPTIONS = sizeof options / sizeof options[0] };

eb_code eb_jit_check(const char *wanted, eb_status *status)
{
    if (eb_nvrtc_open())
        return EB_OK;
    return eb_fail(
        status, EB_NO_ENGINE,
        "%s is compiled when it is asked for, by NVRTC, and %s is not here: install the CUDA Toolkit, or the "
        "package nvidia-cuda-nvrtc from PyPI and set EPSBENCH_NVRTC to the %s in it",
        wanted, eb_nvrtc_name(), eb_nvrtc_name());
}

eb_code eb_jit_architecture(int major, int minor, char out[EB_JIT_ARCHITECTURE], eb_status *status)
{
    const eb_nvrtc *nvrtc = eb_nvrtc_open();
    const int chip = 10 * major + minor;
    if (!nvrtc)
        return eb_jit_check("this kernel", status);
    (void)snprintf(out, EB_JIT_ARCHITECTURE, "compute_80");
    for (int k = 0; k < nvrtc->architectures; k++)
        if (nvrtc->architecture[k] == chip)
            (void)snprintf(out, EB_JIT_ARCHITECTURE, "sm_%d%s", chip, chip == 90 ? "a" : "");
    return EB_OK;
}

/* Of all that the code depends on. */
static bool key_of(const eb_jit_kernel *kernel, const char *architecture, char key[EB_JIT_KEY])
{
    const char *part[5 + OPTIONS + 2 * EB_JIT_MOST_SOURCES];
    char version[64];
    size_t count = 0;
    eb_jit_sources sources;
    const eb_nvrtc *nvrtc = eb_nvrtc_open();
    if (!nvrtc)
        return false;
    (void)snprintf(version, sizeof version, "epsbench kernel 1, NVRTC %d.%d", nvrtc->major, nvrtc->minor);
    part[count++] = version;
    part[count++] = architecture;
    part[count++] = kernel->source;
    part[count++] = kernel->name;
    part[count++] = kernel->checks ? kernel->checks : "";
    for (size_t k = 0; k < OPTIONS; k++)
        part[count++] = options[k];
    eb_jit_sources_list(&sources);
    for (size_t k = 0; k < sources.count; k++) {
        part[count++] = sources.name[k];
        part[count++] = sources.text[k];
    }
    eb_jit_key(part, count, key);
    return true;
}

bool eb_jit_place(const eb_jit_kernel *kernel, const char *architecture, char *buffer, size_t size)
{
    char key[EB_JIT_KEY];
    return key_of(kernel, architecture, key) && eb_jit_cache_place(key, buffer, size);
}

bool eb_jit_find(const eb_jit_kernel *kernel, const char *architecture, eb_jit_code *out)
{
    char key[EB_JIT_KEY];
    *out = (eb_jit_code){.symbol = NULL};
    return key_of(kernel, architecture, key) && eb_jit_cache_read(key, out);
}

eb_code eb_jit_compile(const eb_jit_kernel *kernel, const char *architecture, eb_jit_code *out, eb_status *status)
{
    char key[EB_JIT_KEY], target[sizeof "--gpu-architecture=" + EB_JIT_ARCHITECTURE];
    const char *all[OPTIONS + 1] = {target};
    *out = (eb_jit_code){.symbol = NULL};
    if (!key_of(kernel, architecture, key))
        return eb_jit_check(kernel->name, status);
    (void)snprintf(target, sizeof target, "--gpu-architecture=%s", architecture);
    memcpy(all + 1, options, sizeof options);
    EB_TRY(eb_nvrtc_compile(kernel, all, OPTIONS + 1, strncmp(architecture, "compute_", 8) == 0, out, status));
    eb_jit_cache_write(key, out);
    return EB_OK;
}
