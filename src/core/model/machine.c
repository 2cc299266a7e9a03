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

#define LIMITS_FROM(clock, dram, l2, mma_, wgmma_, power, host, peer)                                                  \
    .source = {[EB_MACHINE_CLOCK] = (clock),    [EB_MACHINE_DRAM] = (dram),     [EB_MACHINE_L2] = (l2),                \
               [EB_MACHINE_MMA] = (mma_),       [EB_MACHINE_WGMMA] = (wgmma_),  [EB_MACHINE_POWER] = (power),          \
               [EB_MACHINE_HOST_LINK] = (host), [EB_MACHINE_PEER_LINK] = (peer)}

static const eb_machine table[] = {
#define ROW(name_, title_, compute_, sms_, mhz, tensor_mhz, sheet_gb_s, gb_s, l2_mb, parts, l2_clock, sm_kb, block_kb, \
            threads_, blocks_, measured_, ...)                                                                         \
    {name_,                                                                                                            \
     title_,                                                                                                           \
     .compute = (compute_),                                                                                            \
     .sms = (sms_),                                                                                                    \
     .clock_hz = (mhz) * 1e6,                                                                                          \
     .tensor_clock_hz = (tensor_mhz) * 1e6,                                                                            \
     .sheet_bytes_s = (sheet_gb_s) * 1e9,                                                                              \
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
     __VA_ARGS__},
#include "core/model/machine_rows.h"
#undef ROW
};

enum { TABLE = sizeof table / sizeof table[0], LINE = 300, MOST_IN_FILE = 64 };

/* `of`: the limit that the figure is part of, whose source becomes the file; EB_MACHINE_LIMITS: none. */
static const struct {
    const char *key;
    size_t at;
    double most;
    eb_machine_limit of;
} numbers[] = {
#define NUMBER(member, most, of) {#member, offsetof(eb_machine, member), most, of}
    NUMBER(compute, 100, EB_MACHINE_LIMITS),
    NUMBER(sms, 10000, EB_MACHINE_LIMITS),
    NUMBER(clock_hz, 1e11, EB_MACHINE_CLOCK),
    NUMBER(tensor_clock_hz, 1e11, EB_MACHINE_CLOCK),
    NUMBER(capacity_bytes, 1e14, EB_MACHINE_LIMITS),
    NUMBER(host_bytes_s, 1e14, EB_MACHINE_HOST_LINK),
    NUMBER(peer_bytes_s, 1e14, EB_MACHINE_PEER_LINK),
    NUMBER(memory_bytes_s, 1e16, EB_MACHINE_DRAM),
    NUMBER(sheet_bytes_s, 1e16, EB_MACHINE_LIMITS),
    NUMBER(l2_bytes, 1e12, EB_MACHINE_LIMITS),
    NUMBER(l2_parts, 2, EB_MACHINE_LIMITS),
    NUMBER(l2_bytes_clock, 1e9, EB_MACHINE_L2),
    NUMBER(shared_bytes, 1e8, EB_MACHINE_LIMITS),
    NUMBER(block_shared_bytes, 1e8, EB_MACHINE_LIMITS),
    NUMBER(threads, 100000, EB_MACHINE_LIMITS),
    NUMBER(blocks, 1000, EB_MACHINE_LIMITS),
    NUMBER(registers, 1e7, EB_MACHINE_LIMITS),
    NUMBER(reserved_bytes, 1e6, EB_MACHINE_LIMITS),
#undef NUMBER
#define POWER(member, most) {#member, offsetof(eb_machine, power.member), most, EB_MACHINE_POWER}
    POWER(limit_w, 1e5),
    POWER(idle_w, 1e5),
    POWER(sm_nj, 1e6),
    POWER(l2_pj, 1e6),
    POWER(dram_pj, 1e6),
    POWER(rested, 10),
    POWER(rested_s, 1e6),
#undef POWER
#define RATE(kind, member, type, rate, most, of)                                                                       \
    {#kind "_" #type, offsetof(eb_machine, member) + (rate) * sizeof(double), most, of}
#define RATES(kind, member, most, of)                                                                                  \
    RATE(kind, member, f64, EB_RATE_F64, most, of), RATE(kind, member, tf32, EB_RATE_TF32, most, of),                  \
        RATE(kind, member, f16, EB_RATE_F16, most, of), RATE(kind, member, fp8, EB_RATE_FP8, most, of),                \
        RATE(kind, member, s8, EB_RATE_S8, most, of)
    RATES(mma, mma, 1e7, EB_MACHINE_MMA),
    RATES(wgmma, wgmma, 1e7, EB_MACHINE_WGMMA),
    RATES(product_pj, power.product_pj, 1e6, EB_MACHINE_POWER),
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
    for (int k = 0; k < EB_MACHINE_LIMITS; k++)
        if (of->source[k] == EB_MEASURED || of->source[k] == EB_FITTED)
            of->source[k] = EB_OTHER_GPU;
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
            eb_machine *of = &r->machine[r->count - 1];
            memcpy((char *)of + numbers[k].at, &x, sizeof x);
            if (numbers[k].of != EB_MACHINE_LIMITS)
                of->source[numbers[k].of] = EB_OWN_FILE;
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

const char *eb_source_name(eb_source source)
{
    static const char *const name[] = {[EB_GUESSED] = "guess",         [EB_DATA_SHEET] = "data sheet",
                                       [EB_PAPER] = "FASTED's paper",  [EB_OTHER_GPU] = "measured on an H200",
                                       [EB_FITTED] = "fitted to runs", [EB_MEASURED] = "measured",
                                       [EB_OWN_FILE] = "your file"};
    return name[source];
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

eb_code eb_machine_needs_cores(const eb_machine *machine, size_t bytes, eb_status *status)
{
    if (machine->compute < 8 || !(eb_machine_cores(machine, bytes) > 0))
        return eb_fail(status, EB_NO_ENGINE, "no rate of CUDA cores in %s is known for %s",
                       bytes == 8 ? "FP64" : "FP32", machine->title);
    return EB_OK;
}

eb_code eb_machine_needs_f64(const eb_machine *machine, eb_status *status)
{
    if (machine->compute < 8 || !(machine->mma[EB_RATE_F64] > 0))
        return eb_fail(status, EB_NO_ENGINE, "this kernel needs FP64 tensor cores, and none are known for %s",
                       machine->title);
    return EB_OK;
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
