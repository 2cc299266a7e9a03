/* tensor_probe: what test_gpu_tensor asks tensor_probe.cu for. C and C++. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum eb_probe {
    EB_MMA_F16_F32,
    EB_MMA_BF16,
    EB_MMA_TF32,
    EB_MMA_E4M3_F32,
    EB_MMA_E5M2_F32,
    EB_MMA_F16_F16,
    EB_MMA_E4M3_F16,
    EB_MMA_E5M2_F16,
    EB_MMA_S8,
    EB_MMA_F64,
    EB_WGMMA_F16_F32,
    EB_WGMMA_BF16,
    EB_WGMMA_TF32,
    EB_WGMMA_E4M3_F32,
    EB_WGMMA_E5M2_F32,
    EB_WGMMA_F16_F16,
    EB_WGMMA_E4M3_F16,
    EB_WGMMA_E5M2_F16,
    EB_WGMMA_S8,
    EB_PROBES
} eb_probe;

enum { EB_PROBE_GROUP = 4 /* instructions */, EB_PROBE_COLUMNS = 8 };

typedef struct eb_probe_sizes {
    size_t a, b, c; /* bytes in all; D is as large as C */
} eb_probe_sizes;

#ifdef __cplusplus
extern "C" {
#endif

/* The first GPU's name, and whether it is an sm_90. NULL, or what failed. */
const char *test_tensor_device(char *name, size_t size, bool *is_sm90);

/* Runs groups of EB_PROBE_GROUP instructions on the first GPU. chained: the instructions of a group accumulate in turn
 * from its first C, and D has the group's result in the place of its first instruction. NULL, or what failed. */
const char *test_tensor_run(eb_probe path, const eb_probe_sizes *bytes, const void *a, const void *b, const void *c,
                            void *d, size_t groups, bool chained);

#ifdef __cplusplus
}
#endif
