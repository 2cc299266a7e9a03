#include "core/model/machine.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/files/text_file.h"

#define KB 1024.0
#define MB (KB * KB)

/* GPUs, newest first, by NVIDIA's data sheets and programming guide; figures of the H200 are measured where possible
 * (tests/bench/gpu.md). ROW(name, title, capability, SMs, MHz, memory GB/s, L2 MB, parts of L2, bytes a clock from L2,
 * shared KB of an SM, of a block, threads, blocks, measured, rates).
 *
 * L2's bytes a clock: 5120 by the A100's white paper; other GPUs in proportion to their SMs, 32 to 42 each. The B200's
 * clock is that of its data sheet's 2250 TFLOPS.
 */
#define ROW(name_, title_, compute_, sms_, mhz, gb_s, l2_mb, parts, l2_clock, sm_kb, block_kb, threads_, blocks_,      \
            measured_, rates)                                                                                          \
    {name_,                                                                                                            \
     title_,                                                                                                           \
     .compute = (compute_),                                                                                            \
     .sms = (sms_),                                                                                                    \
     .clock_hz = (mhz) * 1e6,                                                                                          \
     .memory_bytes_s = (gb_s) * 1e9,                                                                                   \
     .l2_bytes = (l2_mb) * MB,                                                                                         \
     .l2_parts = (parts),                                                                                              \
     .l2_bytes_clock = (l2_clock),                                                                                     \
     .shared_bytes = (sm_kb) * KB,                                                                                     \
     .block_shared_bytes = (block_kb) * KB,                                                                            \
     .reserved_bytes = KB,                                                                                             \
     .threads = (threads_),                                                                                            \
     .blocks = (blocks_),                                                                                              \
     .registers = 65536,                                                                                               \
     .measured = (measured_),                                                                                          \
     rates}

/* Multiply-adds a clock and SM in FP64, TF32, FP16, FP8, INT8, by data sheets but for what is measured on an H200 at
 * 1980 MHz: mma.sync in FP16 653 TFLOPS, in INT8 1290 TOPS, in FP64 66. mma.sync in TF32 is taken as half of FP16's
 * rate. FP8 by mma.sync is FP16's on Hopper, which unpacks it. A B200's mma.sync is taken as an A100's, as long as
 * nobody has published its rate. GeForce GPUs have half of the rate for sums of 32 bits. */
#define AMPERE .mma = {64, 512, 1024, 0, 2048}
#define ADA .mma = {2, 256, 512, 1024, 1024}
#define GEFORCE_ADA .mma = {2, 128, 256, 512, 1024}
#define GEFORCE_AMPERE .mma = {2, 128, 256, 0, 1024}
#define HOPPER .mma = {126, 624, 1249, 1249, 2468}, .wgmma = {0, 1024, 2048, 4096, 4096}
#define BLACKWELL .mma = {64, 512, 1024, 1024, 2048}, .wgmma = {0, 2048, 4096, 8192, 8192}

/* Kept up by wgmma on an H200 of 132 SMs and 700 W: FP16 831 TFLOPS, E4M3 1696; INT8 1801 TOPS, beside joins of bytes
 * (tests/bench/gpu.md; alone 1911). TF32 is not measured and taken as half of FP16. An H100 SXM has the same cores and
 * power. */
#define OF_700_W(tera) ((tera) * 1e12 / 2 / 132)
#define HOPPER_700_W HOPPER, .sustained = {0, OF_700_W(831.0 / 2), OF_700_W(831.0), OF_700_W(1696.0), OF_700_W(1801.0)}

static const eb_machine table[] = {
    ROW("b200", "NVIDIA B200", 10.0, 148, 1856, 8000, 126, 2, 6200, 228, 227, 2048, 32, 0, BLACKWELL),
    ROW("h200", "NVIDIA H200", 9.0, 132, 1980, 4800, 60, 2, 5500, 228, 227, 2048, 32, 1, HOPPER_700_W),
    ROW("h100-sxm", "NVIDIA H100 80GB HBM3", 9.0, 132, 1980, 3350, 50, 2, 5500, 228, 227, 2048, 32, 0, HOPPER_700_W),
    ROW("h100-pcie", "NVIDIA H100 PCIe", 9.0, 114, 1755, 2000, 50, 2, 4750, 228, 227, 2048, 32, 0, HOPPER),
    ROW("l40s", "NVIDIA L40S", 8.9, 142, 2520, 864, 96, 1, 4544, 100, 99, 1536, 24, 0, ADA),
    ROW("rtx4090", "NVIDIA GeForce RTX 4090", 8.9, 128, 2520, 1008, 72, 1, 4096, 100, 99, 1536, 24, 0, GEFORCE_ADA),
    ROW("a100-sxm", "NVIDIA A100-SXM4-80GB", 8.0, 108, 1410, 2039, 40, 2, 5120, 164, 163, 2048, 32, 0, AMPERE),
    ROW("a100-pcie", "NVIDIA A100-PCIE-40GB", 8.0, 108, 1410, 1555, 40, 2, 5120, 164, 163, 2048, 32, 0, AMPERE),
    ROW("a100-pcie-80", "NVIDIA A100 80GB PCIe", 8.0, 108, 1410, 1935, 40, 2, 5120, 164, 163, 2048, 32, 0, AMPERE),
    ROW("rtx3090", "NVIDIA GeForce RTX 3090", 8.6, 82, 1695, 936, 6, 1, 2624, 100, 99, 1536, 16, 0, GEFORCE_AMPERE),
};
#undef ROW

enum { TABLE = sizeof table / sizeof table[0], LINE = 300, MOST_IN_FILE = 64 };

static const struct {
    const char *key;
    size_t at;
    double most;
} numbers[] = {
#define NUMBER(member, most) {#member, offsetof(eb_machine, member), most}
    NUMBER(compute, 100),
    NUMBER(sms, 10000),
    NUMBER(clock_hz, 1e11),
    NUMBER(memory_bytes_s, 1e16),
    NUMBER(l2_bytes, 1e12),
    NUMBER(l2_parts, 2),
    NUMBER(l2_bytes_clock, 1e9),
    NUMBER(shared_bytes, 1e8),
    NUMBER(block_shared_bytes, 1e8),
    NUMBER(threads, 100000),
    NUMBER(blocks, 1000),
    NUMBER(registers, 1e7),
    NUMBER(reserved_bytes, 1e6),
#undef NUMBER
#define RATE(kind, type, rate, most) {#kind "_" #type, offsetof(eb_machine, kind) + (rate) * sizeof(double), most}
#define RATES(kind, most)                                                                                              \
    RATE(kind, f64, EB_RATE_F64, most), RATE(kind, tf32, EB_RATE_TF32, most), RATE(kind, f16, EB_RATE_F16, most),      \
        RATE(kind, fp8, EB_RATE_FP8, most), RATE(kind, s8, EB_RATE_S8, most)
    RATES(mma, 1e7),
    RATES(wgmma, 1e7),
    RATES(sustained, 1e17),
#undef RATES
#undef RATE
};

/* ---- the user's file ---- */

typedef struct reading {
    const char *file;
    size_t line;
    eb_machine *machine; /* [MOST_IN_FILE + TABLE], those of the file before those of the table */
    size_t count;
} reading;

static eb_code refuse(const reading *r, eb_status *status, const char *what, const char *found)
{
    return eb_fail(status, EB_BAD_FORMAT, "%s, line %zu: %s, found '%s'", r->file, r->line, what, found);
}

static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    for (size_t k = strlen(text); k > 0 && isspace((unsigned char)text[k - 1]); k--)
        text[k - 1] = '\0';
    return text;
}

static eb_code begin_machine(reading *r, const char *name, eb_status *status)
{
    if (r->count == MOST_IN_FILE)
        return refuse(r, status, "more GPUs than a file may have", name);
    if (name[0] == '\0' || strlen(name) >= sizeof r->machine->name)
        return refuse(r, status, "expected a name of 1 to 39 letters", name);
    eb_machine *of = &r->machine[r->count++];
    *of = (eb_machine){.registers = 65536, .reserved_bytes = KB};
    (void)snprintf(of->name, sizeof of->name, "%s", name);
    (void)snprintf(of->title, sizeof of->title, "%s", name);
    return EB_OK;
}

static eb_code take_over(reading *r, const char *name, eb_status *status)
{
    eb_machine *of = &r->machine[r->count - 1];
    const eb_machine *like = eb_machine_find(table, TABLE, name);
    if (!like)
        return refuse(r, status, "expected a GPU of the table", name);
    const eb_machine own = *of;
    *of = *like;
    memcpy(of->name, own.name, sizeof own.name);
    memcpy(of->title, own.title, sizeof own.title);
    of->measured = 0;
    return EB_OK;
}

static eb_code take_number(reading *r, const char *key, const char *value, eb_status *status)
{
    char *end;
    errno = 0;
    const double x = strtod(value, &end);
    if (end == value || *end || errno || !isfinite(x) || x < 0)
        return refuse(r, status, "expected a number", value);
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
        if (strcmp(key, numbers[k].key) == 0) {
            if (x > numbers[k].most)
                return refuse(r, status, "more than any GPU has", value);
            memcpy((char *)&r->machine[r->count - 1] + numbers[k].at, &x, sizeof x);
            return EB_OK;
        }
    return refuse(r, status, "expected name, title, like or a figure such as sms", key);
}

static eb_code take_line(reading *r, char *line, eb_status *status)
{
    line[strcspn(line, "#")] = '\0';
    char *equals = strchr(line, '='), *key = trimmed(line);
    if (!equals)
        return *key ? refuse(r, status, "expected key = value", key) : EB_OK;
    *equals = '\0';
    key = trimmed(line);
    const char *value = trimmed(equals + 1);
    if (strcmp(key, "name") == 0)
        return begin_machine(r, value, status);
    if (r->count == 0)
        return refuse(r, status, "expected `name =` before anything else", key);
    if (strcmp(key, "like") == 0)
        return take_over(r, value, status);
    if (strcmp(key, "title") != 0)
        return take_number(r, key, value, status);
    (void)snprintf(r->machine[r->count - 1].title, sizeof r->machine->title, "%s", value);
    return EB_OK;
}

/* Requires the figures that the model divides by. */
static eb_code check_machines(const reading *r, eb_status *status)
{
    for (size_t k = 0; k < r->count; k++) {
        const eb_machine *m = &r->machine[k];
        const double needed[] = {m->sms,          m->clock_hz, m->memory_bytes_s, m->l2_bytes,  m->l2_bytes_clock,
                                 m->shared_bytes, m->threads,  m->blocks,         m->registers, m->mma[EB_RATE_F16]};
        for (size_t j = 0; j < sizeof needed / sizeof needed[0]; j++)
            if (!(needed[j] > 0))
                return eb_fail(status, EB_BAD_FORMAT,
                               "%s: %s lacks one of sms, clock_hz, memory_bytes_s, l2_bytes, l2_bytes_clock, "
                               "shared_bytes, threads, blocks, registers, mma_f16; `like = h200` fills them in",
                               r->file, m->name);
    }
    return EB_OK;
}

static eb_code read_machines(reading *r, eb_status *status)
{
    char line[LINE];
    eb_code failed = EB_OK;
    FILE *file;
    eb_code unread = eb_text_stream(r->file, r->file, "GPUs of your own", EB_SETTINGS_BYTES, &file, status);
    if (unread)
        return errno == ENOENT || errno == ENOTDIR ? EB_OK : unread;
    while (!failed && fgets(line, sizeof line, file)) {
        r->line++;
        failed = take_line(r, line, status);
    }
    if (!failed && ferror(file))
        failed = eb_fail(status, EB_IO, "reading %s failed", r->file);
    (void)fclose(file);
    return failed ? failed : check_machines(r, status);
}

eb_code eb_machines(const char *file, eb_machine **out, size_t *count, eb_status *status)
{
    reading r = {.file = file, .machine = calloc(MOST_IN_FILE + TABLE, sizeof *r.machine)};
    if (!r.machine)
        return eb_fail_memory(status, "GPUs", (MOST_IN_FILE + TABLE) * sizeof *r.machine);
    eb_code failed = file ? read_machines(&r, status) : EB_OK;
    if (failed) {
        free(r.machine);
        return failed;
    }
    memcpy(r.machine + r.count, table, sizeof table);
    *out = r.machine;
    *count = r.count + TABLE;
    return EB_OK;
}

/* ---- number types ---- */

const char *eb_rate_title(eb_rate rate)
{
    static const char *const title[EB_RATES] = {"FP64", "TF32", "FP16, BF16", "FP8", "INT8"};
    return title[rate];
}

eb_rate eb_rate_of(eb_number number)
{
    static const eb_rate of[EB_NUMBERS] = {
        [EB_F64_NUMBER] = EB_RATE_F64, [EB_TF32] = EB_RATE_TF32,       [EB_BF16] = EB_RATE_F16,
        [EB_F16_NUMBER] = EB_RATE_F16, [EB_E4M3_NUMBER] = EB_RATE_FP8, [EB_E5M2_NUMBER] = EB_RATE_FP8,
        [EB_S8] = EB_RATE_S8,
    };
    return of[number];
}

/* ---- CUDA cores ---- */

/* FMA of FP64 on an H200: 30.2 TFLOPS (tests/bench/gpu.md) of 132 SMs at 1980 MHz. */
static const double cores_f64_of_h200 = 30.2e12 / 2 / 132 / 1980e6;

double eb_machine_cores(const eb_machine *machine, size_t bytes)
{
    const int capability = (int)(10 * machine->compute + 0.5);
    if (capability == 86 || capability == 89)
        return bytes == 8 ? 2 : 128;
    if (capability == 90 || capability == 100)
        return bytes == 8 ? (capability == 90 ? cores_f64_of_h200 : 64) : 128;
    return capability == 80 ? (bytes == 8 ? 32 : 64) : 0;
}

/* ---- finding a machine ---- */

static bool has_part(const char *text, const char *part)
{
    for (; *text; text++)
        if (strncasecmp(text, part, strlen(part)) == 0)
            return true;
    return false;
}

const eb_machine *eb_machine_find(const eb_machine *machines, size_t count, const char *name)
{
    for (size_t k = 0; k < count; k++)
        if (strcasecmp(machines[k].name, name) == 0 || strcasecmp(machines[k].title, name) == 0)
            return &machines[k];
    for (size_t k = 0; k < count && *name; k++)
        if (has_part(machines[k].title, name))
            return &machines[k];
    return NULL;
}
