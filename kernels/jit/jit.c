#include "kernels/jit/jit.h"

#include <fcntl.h>
#include <limits.h>
#include <nettle/sha2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/new_file.h"
#include "core/files/state_path.h"
#include "kernels/jit/nvrtc.h"

/* ---- compiled kernels as files ---- */

enum { EB_JIT_KEY = 65 }; /* 64 hexadecimal digits */

#define MOST_BYTES ((off_t)64 << 20)

/* Hashes strings, each with its terminating 0. */
static void jit_key(const char *const *parts, size_t count, char key[EB_JIT_KEY])
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx sha;
    sha256_init(&sha);
    for (size_t k = 0; k < count; k++)
        sha256_update(&sha, strlen(parts[k]) + 1, (const uint8_t *)parts[k]);
    sha256_digest(&sha, sizeof digest, digest);
    for (size_t k = 0; k < sizeof digest; k++)
        (void)snprintf(key + 2 * k, 3, "%02x", digest[k]);
}

/* False if there is no place for a cache. */
static bool jit_cache_place(const char *key, char *buffer, size_t size)
{
    char name[sizeof "kernels/" + EB_JIT_KEY];
    (void)snprintf(name, sizeof name, "kernels/%s", key);
    return eb_cache_path(name, buffer, size);
}

/* A file holds a digest, the symbol with its final 0, and the code. The digest covers the key, the symbol and the
 * code. */
static void digest_of(const char *key, const unsigned char *content, size_t size, uint8_t digest[SHA256_DIGEST_SIZE])
{
    struct sha256_ctx sha;
    sha256_init(&sha);
    sha256_update(&sha, strlen(key), (const uint8_t *)key);
    sha256_update(&sha, size, content);
    sha256_digest(&sha, SHA256_DIGEST_SIZE, digest);
}

/* Reads the whole file; NULL if it cannot be read. */
static unsigned char *read_whole(const char *path, size_t *size)
{
    struct stat about;
    unsigned char *bytes = NULL;
    size_t held = 0;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > SHA256_DIGEST_SIZE &&
        about.st_size <= MOST_BYTES)
        bytes = malloc((size_t)about.st_size);
    while (bytes && held < (size_t)about.st_size) {
        const ssize_t more = read(fd, bytes + held, (size_t)about.st_size - held);
        if (more <= 0)
            break;
        held += (size_t)more;
    }
    (void)close(fd);
    *size = held;
    return bytes;
}

/* Parses a cache file. False if it is not as it was written. */
static bool take(const char *key, const unsigned char *file, size_t size, eb_jit_code *out)
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    if (size <= sizeof digest)
        return false;
    const unsigned char *content = file + sizeof digest;
    size -= sizeof digest;
    digest_of(key, content, size, digest);
    const unsigned char *end = memchr(content, '\0', size);
    if (memcmp(digest, file, sizeof digest) != 0 || !end)
        return false;
    *out = (eb_jit_code){.symbol = strdup((const char *)content), .size = size - (size_t)(end + 1 - content)};
    out->bytes = malloc(out->size + 1);
    if (!out->symbol || !out->bytes) {
        eb_jit_code_free(out);
        return false;
    }
    memcpy(out->bytes, end + 1, out->size);
    return true;
}

/* False if the file is missing or is not what was written under that key. */
static bool jit_cache_read(const char *key, eb_jit_code *out)
{
    char path[PATH_MAX];
    size_t size = 0;
    *out = (eb_jit_code){.symbol = NULL};
    unsigned char *file = jit_cache_place(key, path, sizeof path) ? read_whole(path, &size) : NULL;
    const bool whole = file && take(key, file, size, out);
    free(file);
    return whole;
}

/* Code that cannot be written is compiled again next time. A damaged file is replaced. */
static void jit_cache_write(const char *key, const eb_jit_code *code)
{
    char path[PATH_MAX];
    uint8_t digest[SHA256_DIGEST_SIZE];
    eb_new_file *file;
    const size_t symbol = strlen(code->symbol) + 1, size = symbol + code->size;
    unsigned char *content = malloc(size);
    if (content && jit_cache_place(key, path, sizeof path) && eb_make_folders(path) == 0 &&
        eb_new_file_open(path, &file, NULL) == EB_OK) {
        memcpy(content, code->symbol, symbol);
        memcpy(content + symbol, code->bytes, code->size);
        digest_of(key, content, size, digest);
        FILE *stream = eb_new_file_stream(file);
        if (fwrite(digest, 1, sizeof digest, stream) == sizeof digest && fwrite(content, 1, size, stream) == size)
            (void)eb_new_file_commit(file, NULL); /* another process may have been faster */
        else
            eb_new_file_abandon(file);
    }
    free(content);
}

/* Unmarked functions are device functions: these sources have no host code. NVRTC must not search this machine's
 * folders for headers, nor change the process's stack limit: our threads have their own. */
static const char *const options[] = {"--std=c++17", "-default-device", "--no-source-include",
                                      "--modify-stack-limit=false"};
enum { OPTIONS = sizeof options / sizeof options[0] };

eb_code eb_jit_check(const char *wanted, eb_status *status)
{
    if (eb_nvrtc_open())
        return EB_OK;
    return eb_fail(status, EB_NO_ENGINE,
                   "%s is compiled at run time by NVRTC, and %s is missing: install the CUDA Toolkit, or the "
                   "package nvidia-cuda-nvrtc from PyPI, and set EPSBENCH_NVRTC to its %s",
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

/* Hashes everything that the code depends on. False if there is no NVRTC. */
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
    jit_key(part, count, key);
    return true;
}

bool eb_jit_place(const eb_jit_kernel *kernel, const char *architecture, char *buffer, size_t size)
{
    char key[EB_JIT_KEY];
    return key_of(kernel, architecture, key) && jit_cache_place(key, buffer, size);
}

bool eb_jit_find(const eb_jit_kernel *kernel, const char *architecture, eb_jit_code *out)
{
    char key[EB_JIT_KEY];
    *out = (eb_jit_code){.symbol = NULL};
    return key_of(kernel, architecture, key) && jit_cache_read(key, out);
}

static eb_code compile(const eb_jit_kernel *kernel, const char *architecture, bool lines, eb_jit_code *out,
                       eb_status *status)
{
    char target[sizeof "--gpu-architecture=" + EB_JIT_ARCHITECTURE];
    const char *all[OPTIONS + 2] = {target};
    (void)snprintf(target, sizeof target, "--gpu-architecture=%s", architecture);
    memcpy(all + 1, options, sizeof options);
    all[OPTIONS + 1] = "-lineinfo";
    return eb_nvrtc_compile(kernel, all, OPTIONS + 1 + lines, strncmp(architecture, "compute_", 8) == 0, out, status);
}

eb_code eb_jit_compile(const eb_jit_kernel *kernel, const char *architecture, eb_jit_code *out, eb_status *status)
{
    char key[EB_JIT_KEY];
    *out = (eb_jit_code){.symbol = NULL};
    if (!key_of(kernel, architecture, key))
        return eb_jit_check(kernel->name, status);
    EB_TRY(compile(kernel, architecture, false, out, status));
    jit_cache_write(key, out);
    return EB_OK;
}

eb_code eb_jit_compile_lines(const eb_jit_kernel *kernel, const char *architecture, eb_jit_code *out, eb_status *status)
{
    *out = (eb_jit_code){.symbol = NULL};
    EB_TRY(eb_jit_check(kernel->name, status));
    return compile(kernel, architecture, true, out, status);
}

const char *eb_jit_source(const char *path)
{
    eb_jit_sources sources;
    const size_t length = strlen(path);
    eb_jit_sources_list(&sources);
    for (size_t k = 0; k < sources.count; k++) {
        const size_t own = strlen(sources.name[k]);
        if (own > length || strcmp(path + length - own, sources.name[k]) != 0 ||
            (own < length && path[length - own - 1] != '/'))
            continue;
        return sources.text[k];
    }
    return NULL;
}
