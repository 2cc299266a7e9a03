/* prepare_probe: runs engine tensor's preparation of points (kernels/tensor/cuda/prepare.cuh) for test_gpu_prepare. C
 * and C++. */
#pragma once

#include "core/engine/engine.h"
#include "kernels/tensor/cpu/frame.h"

typedef struct eb_prepare_probe eb_prepare_probe;

/* What is known once the frame is found. */
typedef struct eb_prepare_facts {
    eb_frame frame; /* its centre belongs to the probe */
    double unit, debias;
    size_t row_bytes, products;
} eb_prepare_facts;

/* Points of the host. Pointers that are NULL are not asked for. */
typedef struct eb_prepared_points {
    unsigned char *rows, *columns; /* [padded × row_bytes] */
    float *norm, *step;            /* [padded] */
    double *square;
} eb_prepared_points;

#ifdef __cplusplus
extern "C" {
#endif

/* test_prepare_close closes what failed to open, too. */
eb_code test_prepare_open(const eb_rung *rung, const eb_problem *problem, const eb_context *context,
                          eb_prepare_probe **out, eb_prepare_facts *facts, eb_status *status);
void test_prepare_close(eb_prepare_probe *probe);

/* The device's arrays hold no zeros before they are written. beyond, moved: of all loads so far. */
eb_code test_prepare_load(eb_prepare_probe *probe, const eb_dataset *from, const uint32_t *number, size_t first,
                          size_t count, size_t padded, const eb_prepared_points *out, uint64_t *beyond, uint64_t *moved,
                          eb_status *status);

#ifdef __cplusplus
}
#endif
