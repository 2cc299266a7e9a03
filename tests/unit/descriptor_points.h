/* descriptor_points: points distributed like measured descriptors: a few independent numbers determine all coordinates,
 * plus noise. The caller frees the points. */
#pragma once

#include "io/load.h"

enum { DESCRIPTOR_LATENT = 16 };

static inline void mix_descriptors(size_t n, size_t d, const float *z, const float *w, float *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < d; k++)
            x[i * d + k] *= 0.3f;
        for (size_t l = 0; l < DESCRIPTOR_LATENT; l++)
            for (size_t k = 0; k < d; k++)
                x[i * d + k] += z[i * DESCRIPTOR_LATENT + l] * w[l * d + k] / (float)(1 + l);
    }
}

static inline eb_code make_descriptors(size_t n, size_t d, eb_dataset **out, eb_status *status)
{
    eb_dataset *latent = NULL, *mixed = NULL;
    eb_code failed = eb_synth(EB_SYNTH_GAUSSIAN, n, d, 7, NULL, out, status);
    failed = failed ? failed : eb_synth(EB_SYNTH_GAUSSIAN, n, DESCRIPTOR_LATENT, 8, NULL, &latent, status);
    failed = failed ? failed : eb_synth(EB_SYNTH_GAUSSIAN, DESCRIPTOR_LATENT, d, 9, NULL, &mixed, status);
    if (!failed)
        mix_descriptors(n, d, (const float *)latent->rows, (const float *)mixed->rows,
                        (float *)(uintptr_t)(*out)->rows);
    eb_dataset_free(latent);
    eb_dataset_free(mixed);
    return failed;
}
