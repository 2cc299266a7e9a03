/* device: where an engine runs: the host's CPU, or one CUDA device. Found once, at start or when first asked for. */
#ifndef EB_CORE_DEVICE_H
#define EB_CORE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

typedef enum eb_device_kind { EB_DEVICE_CPU, EB_DEVICE_CUDA } eb_device_kind;

typedef struct eb_device {
    eb_device_kind kind;
    int index;               /* CUDA ordinal; 0 for the CPU */
    char name[16];           /* as typed: "cpu", "cuda:0" */
    char model[256];         /* "AMD EPYC 7763", "NVIDIA H200" */
    char architecture[64];   /* "x86-64 AVX2 FMA F16C", "sm_90" */
    unsigned units;          /* CPUs this process may use, or SMs */
    uint64_t memory_bytes;   /* physical memory of the device */
    double clock_hz;         /* nominal; 0: unknown */
    char driver[64];         /* "" when there is none */
} eb_device;

/* Describes the host. */
void eb_device_cpu(eb_device *out);

/* Parses "cpu", "cuda" (= cuda:0) or "cuda:N". EB_USAGE when the text is none of them. */
eb_code eb_device_parse(const char *text, eb_device_kind *kind, int *index, eb_status *status);

#endif
