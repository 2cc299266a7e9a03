/* device: the CPU or the CUDA device that an engine runs on, its measured limits and its present state. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/base/unit.h"

struct eb_column; /* core/report/fields.h */

typedef enum eb_device_kind { EB_DEVICE_CPU, EB_DEVICE_CUDA } eb_device_kind;
#define EB_DEVICE_KINDS 2

/* Measured limits of arithmetic and copies (kernels/device/cuda.h). */
typedef enum eb_limit {
    EB_LIMIT_MMA_F16,    /* mma.sync m16n8k16, FP16 in, FP32 sums */
    EB_LIMIT_WGMMA_F16,  /* Hopper: wgmma m64n256k16 from shared memory */
    EB_LIMIT_MMA_BF16,   /* as FP16 */
    EB_LIMIT_WGMMA_BF16, /* as FP16 */
    EB_LIMIT_MMA_TF32,   /* mma.sync m16n8k8 */
    EB_LIMIT_WGMMA_TF32, /* Hopper: wgmma m64n256k8 */
    EB_LIMIT_MMA_FP8,    /* from sm_89 on: mma.sync m16n8k32, E4M3 in, FP32 sums */
    EB_LIMIT_WGMMA_FP8,  /* Hopper: wgmma m64n256k32, E4M3 */
    EB_LIMIT_MMA_I8,     /* mma.sync m16n8k32, 8-bit integers, 32-bit sums */
    EB_LIMIT_WGMMA_I8,   /* Hopper: wgmma m64n256k32 from shared memory */
    EB_LIMIT_MMA_F64,    /* mma FP64: m16n8k16 on sm_90, m8n8k4 below */
    EB_LIMIT_F64,        /* FMA on CUDA cores */
    EB_LIMIT_COPY,       /* device to device, read + written */
    EB_LIMIT_UPLOAD,     /* pinned host memory */
    EB_LIMIT_DOWNLOAD,
    EB_LIMITS,
} eb_limit;

/* Names of a limit. */
typedef struct eb_limit_name {
    const char *metric, *metric_unit; /* in the log: "f64_flops", "FLOP/s" */
    const struct eb_column *field;    /* in reports */
    const char *brief;
    double scale; /* reports show the limit divided by this */
} eb_limit_name;

const eb_limit_name *eb_limit_name_of(eb_limit limit);

/* Present state of a GPU; NAN: unknown. */
typedef struct eb_gpu_now {
    double sm_clock_hz, power_w, temperature_c, busy; /* busy: recent utilisation, 0–1 */
} eb_gpu_now;

#define EB_MOST_MEMBERS 16u
#define EB_DEVICE_NAME 64u /* bytes of a name; the longest is a team's */

typedef struct eb_device {
    eb_device_kind kind;
    int index;                   /* CUDA ordinal; 0 for the CPU */
    char name[EB_DEVICE_NAME];   /* "cpu", "cuda:0"; a team: "cuda:0+1" */
    char model[256];             /* "AMD EPYC 7763", "NVIDIA H200" */
    char architecture[64];       /* "x86-64 AVX2 FMA F16C", "sm_90" */
    unsigned units;              /* CPUs that this process may use, or SMs */
    unsigned members;            /* of a team (core/team/team.h), each such a device: 2 or more; else 0 */
    int member[EB_MOST_MEMBERS]; /* their indices */
    uint64_t memory_bytes;       /* physical memory of the device */
    double clock_hz;             /* nominal; 0: unknown */
    char driver[64];             /* "": no driver */
    double limit[EB_LIMITS];     /* FLOP/s or byte/s; 0: not measured, or the device lacks the unit */
} eb_device;

void eb_device_cpu(eb_device *out);

/* True if a name or a setting is the CPU's or a team's of CPUs: "cpu", "cpu+cpu". */
bool eb_device_named_cpu(const char *name);

/* A device as a person names it. */
typedef struct eb_device_named {
    eb_device_kind kind;
    bool all;         /* cuda:all: as many members as there are devices */
    unsigned members; /* 1: a single device */
    int member[EB_MOST_MEMBERS];
} eb_device_named;

/* Parses "cpu", "cuda" (= cuda:0) or "cuda:N", or a team: "cuda:0,2" (or with +, which a spec needs), "cuda:0,cuda:0",
 * "cpu,cpu", "cuda:all". EB_USAGE for any other text. */
eb_code eb_device_name_parse(const char *text, eb_device_named *out, eb_status *status);

/* The same for who needs only the kind and the first index. */
eb_code eb_device_parse(const char *text, eb_device_kind *kind, int *index, eb_status *status);

/* Writes the name of these devices: "cuda:0+2". Returns buffer. */
char *eb_device_name_write(const eb_device_named *named, char buffer[EB_DEVICE_NAME]);
