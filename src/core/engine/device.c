#include "core/engine/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/parallel.h"
#include "core/report/fields.h"

/* Copies the value of the first "KEY : value" line of /proc/cpuinfo. If there is none, `out` is not written. */
static void cpuinfo_value(const char *key, char *out, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file)
        return;
    char line[512];
    while (fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) != 0 || !colon)
            continue;
        char *value = colon + 1 + strspn(colon + 1, " \t");
        value[strcspn(value, "\n")] = '\0';
        (void)snprintf(out, size, "%s", value);
        break;
    }
    (void)fclose(file);
}

/* Names the instruction sets that are relevant to kernels. Engines make their own choice (kernels/walk/isa.h). */
static void describe_architecture(char *out, size_t size)
{
#if defined(__x86_64__)
    (void)snprintf(out, size, "x86-64%s%s%s", __builtin_cpu_supports("avx2") ? " AVX2" : "",
                   __builtin_cpu_supports("fma") ? " FMA" : "", __builtin_cpu_supports("avx512bw") ? " AVX-512" : "");
#else
    (void)snprintf(out, size, "portable");
#endif
}

bool eb_device_named_cpu(const char *name) { return strncmp(name, "cpu", 3) == 0; }

void eb_device_cpu(eb_device *out)
{
    *out = (eb_device){.kind = EB_DEVICE_CPU, .name = "cpu", .model = "unknown CPU", .units = eb_cpu_count()};
    cpuinfo_value("model name", out->model, sizeof out->model);
    describe_architecture(out->architecture, sizeof out->architecture);
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
    if (pages > 0 && page > 0)
        out->memory_bytes = (uint64_t)pages * (uint64_t)page;
    char mhz[32] = "";
    cpuinfo_value("cpu MHz", mhz, sizeof mhz);
    out->clock_hz = strtod(mhz, NULL) * 1e6;
}

/* ---- names ---- */

static eb_code fail_name(const char *text, eb_status *status)
{
    return eb_fail(status, EB_USAGE,
                   "no such kind of device: \"%.40s\"; expected cpu, cuda:N, or several of one kind: cuda:0,1, "
                   "cuda:all",
                   text);
}

/* Parses one device of a list; after a first cuda:N a bare number is another one. */
static bool parse_one(const char *item, size_t length, eb_device_named *out)
{
    const char *digits = item, *const end = item + length;
    const bool first = out->members == 0;
    eb_device_kind kind = EB_DEVICE_CUDA;
    int index = 0;
    if (length == 3 && memcmp(item, "cpu", 3) == 0) {
        kind = EB_DEVICE_CPU;
        digits = end;
    } else if (length >= 4 && memcmp(item, "cuda", 4) == 0) {
        if (length == 5 || (length > 4 && item[4] != ':'))
            return false;
        digits = length > 5 ? item + 5 : end;
    } else if (first || length == 0) {
        return false;
    }
    if (end - digits > 4 || (!first && kind != out->kind) || out->members == EB_MOST_MEMBERS)
        return false;
    for (; digits < end; digits++) {
        if (*digits < '0' || *digits > '9')
            return false;
        index = 10 * index + (*digits - '0');
    }
    out->kind = kind;
    out->member[out->members++] = index;
    return index <= 1023;
}

eb_code eb_device_name_parse(const char *text, eb_device_named *out, eb_status *status)
{
    *out = (eb_device_named){.kind = EB_DEVICE_CUDA};
    if (strcmp(text, "cuda:all") == 0) {
        out->all = true;
        out->members = 1;
        return EB_OK;
    }
    for (const char *item = text;;) {
        const size_t length = strcspn(item, ",+");
        if (!parse_one(item, length, out))
            return fail_name(text, status);
        if (item[length] == '\0')
            return EB_OK;
        item += length + 1;
    }
}

eb_code eb_device_parse(const char *text, eb_device_kind *kind, int *index, eb_status *status)
{
    eb_device_named named;
    EB_TRY(eb_device_name_parse(text, &named, status));
    *kind = named.kind;
    *index = named.member[0];
    return EB_OK;
}

char *eb_device_name_write(const eb_device_named *named, char buffer[EB_DEVICE_NAME])
{
    size_t used = 0;
    for (unsigned k = 0; k < named->members && used < EB_DEVICE_NAME; k++) {
        const char *before = k > 0 ? "+" : named->kind == EB_DEVICE_CUDA ? "cuda:" : "";
        used += (size_t)(named->kind == EB_DEVICE_CPU
                             ? snprintf(buffer + used, EB_DEVICE_NAME - used, "%scpu", before)
                             : snprintf(buffer + used, EB_DEVICE_NAME - used, "%s%d", before, named->member[k]));
    }
    return buffer;
}

const eb_limit_name *eb_limit_name_of(eb_limit limit)
{
    static const eb_limit_name names[EB_LIMITS] = {
        [EB_LIMIT_MMA_F16] = {"tensor_f16_flops", "FLOP/s", EB_F(tensor_f16_tflops), "FP16 mma", 1e12},
        [EB_LIMIT_WGMMA_F16] = {"wgmma_f16_flops", "FLOP/s", EB_F(wgmma_f16_tflops), "FP16 wgmma", 1e12},
        [EB_LIMIT_MMA_BF16] = {"tensor_bf16_flops", "FLOP/s", EB_F(tensor_bf16_tflops), "BF16 mma", 1e12},
        [EB_LIMIT_WGMMA_BF16] = {"wgmma_bf16_flops", "FLOP/s", EB_F(wgmma_bf16_tflops), "BF16 wgmma", 1e12},
        [EB_LIMIT_MMA_TF32] = {"tensor_tf32_flops", "FLOP/s", EB_F(tensor_tf32_tflops), "TF32 mma", 1e12},
        [EB_LIMIT_WGMMA_TF32] = {"wgmma_tf32_flops", "FLOP/s", EB_F(wgmma_tf32_tflops), "TF32 wgmma", 1e12},
        [EB_LIMIT_MMA_FP8] = {"tensor_fp8_flops", "FLOP/s", EB_F(tensor_fp8_tflops), "FP8 mma", 1e12},
        [EB_LIMIT_WGMMA_FP8] = {"wgmma_fp8_flops", "FLOP/s", EB_F(wgmma_fp8_tflops), "FP8 wgmma", 1e12},
        [EB_LIMIT_MMA_I8] = {"tensor_i8_ops", "op/s", EB_F(tensor_i8_tops), "8-bit mma", 1e12},
        [EB_LIMIT_WGMMA_I8] = {"wgmma_i8_ops", "op/s", EB_F(wgmma_i8_tops), "8-bit wgmma", 1e12},
        [EB_LIMIT_MMA_F64] = {"tensor_f64_flops", "FLOP/s", EB_F(tensor_f64_tflops), "FP64 mma", 1e12},
        [EB_LIMIT_F64] = {"f64_flops", "FLOP/s", EB_F(f64_tflops), "FP64", 1e12},
        [EB_LIMIT_COPY] = {"copy_bytes_per_s", "byte/s", EB_F(copy_bytes_per_s), "memory", 1},
        [EB_LIMIT_UPLOAD] = {"upload_bytes_per_s", "byte/s", EB_F(upload_bytes_per_s), "upload", 1},
        [EB_LIMIT_DOWNLOAD] = {"download_bytes_per_s", "byte/s", EB_F(download_bytes_per_s), "download", 1},
    };
    return &names[limit];
}
