/* device: where an engine runs: the host's CPU, or one CUDA device. Found once, at start or when first asked for. */
#ifndef EB_CORE_ENGINE_DEVICE_H
#define EB_CORE_ENGINE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/status.h"

typedef enum eb_device_kind { EB_DEVICE_CPU, EB_DEVICE_CUDA } eb_device_kind;

/* What a GPU does at best, measured (kernels/device/cuda.h); 0: unknown. */
typedef struct eb_gpu_limits {
    double tensor_f16_flops;                         /* mma.sync m16n8k16, FP16 in, FP32 sums */
    double wgmma_f16_flops;                          /* Hopper: wgmma m64n256k16 from shared memory; 0: there is none */
    double tensor_f64_flops;                         /* mma FP64: m16n8k16 on sm_90, m8n8k4 below */
    double f64_flops;                                /* FMA on CUDA cores */
    double copy_bytes_per_s;                         /* device to device, read + written */
    double upload_bytes_per_s, download_bytes_per_s; /* pinned host memory */
} eb_gpu_limits;

/* What a GPU does just now; NAN: unknown. */
typedef struct eb_gpu_now {
    double sm_clock_hz, power_w, temperature_c, busy; /* busy: 0–1 of the last moments */
} eb_gpu_now;

/* The limits that arithmetic can meet. */
typedef enum eb_limit { EB_LIMIT_NONE, EB_LIMIT_TENSOR_F16, EB_LIMIT_TENSOR_F64, EB_LIMIT_F64 } eb_limit;

typedef struct eb_device {
    eb_device_kind kind;
    int index;             /* CUDA ordinal; 0 for the CPU */
    char name[16];         /* as typed: "cpu", "cuda:0" */
    char model[256];       /* "AMD EPYC 7763", "NVIDIA H200" */
    char architecture[64]; /* "x86-64 AVX2 FMA F16C", "sm_90" */
    unsigned units;        /* CPUs this process may use, or SMs */
    uint64_t memory_bytes; /* physical memory of the device */
    double clock_hz;       /* nominal; 0: unknown */
    char driver[64];       /* "" when there is none */
    eb_gpu_limits limits;  /* all 0: not measured */
} eb_device;

/* Describes the host. */
void eb_device_cpu(eb_device *out);

/* Parses "cpu", "cuda" (= cuda:0) or "cuda:N". EB_USAGE when the text is none of them. */
eb_code eb_device_parse(const char *text, eb_device_kind *kind, int *index, eb_status *status);

/* FLOP/s; NAN when it is not known, or EB_LIMIT_NONE. */
double eb_device_limit(const eb_device *device, eb_limit limit);

#endif
