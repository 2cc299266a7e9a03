/* load: makes a dataset from a file (mapped; inflated when .gz; format by name and magic number), from a demo dataset
 * built into the program, or from synthetic points. */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"
#include "io/reader.h"

/* what: PATH, PATH:/object (HDF5, .npz), "-" for the standard input, "demo" or "demo:stars". A leading "~/" is
 * expanded. The dataset is sealed. */
eb_code eb_load(const char *what, eb_job *job, eb_dataset **out, eb_status *status);

/* Loads with the choices of `how`. EB_USAGE for a choice that the format does not have. */
eb_code eb_load_as(const char *what, const eb_reading *how, eb_job *job, eb_dataset **out, eb_status *status);

typedef enum eb_synth_kind {
    EB_SYNTH_UNIFORM,
    EB_SYNTH_EXPONENTIAL,
    EB_SYNTH_GAUSSIAN,
    EB_SYNTH_CLUSTERS,
    EB_SYNTH_SPHERE,
    EB_SYNTH_COAST,
    EB_SYNTH_TERRAIN,
} eb_synth_kind;
#define EB_SYNTH_KINDS 7
#define EB_SYNTH_CHOICES "uniform|exponential|gaussian|clusters|sphere|coast|terrain" /* in that order */

/* Makes n × d points, EB_F32 or EB_F64: uniform on [0,1); exponential with λ = 40 (the Expo sets of TED-Join and
 * GDS-Join; never above 0.92, as a draw has 53 bits); gaussian N(0,1); or points distributed like measured ones
 * (synth/shapes.h). The same seed gives the same bits everywhere (own counter-based generator, no libm). FP32 points
 * are the FP64 ones rounded; uniform ones are cut, so that 1 is not reached. */
eb_code eb_synth_as(eb_dtype dtype, eb_synth_kind kind, size_t n, size_t d, uint64_t seed, eb_job *job,
                    eb_dataset **out, eb_status *status);

static inline eb_code eb_synth(eb_synth_kind kind, size_t n, size_t d, uint64_t seed, eb_job *job, eb_dataset **out,
                               eb_status *status)
{
    return eb_synth_as(EB_F32, kind, n, d, seed, job, out, status);
}

/* Makes the same points in a new file, .npy or .fbin, without holding them in memory. EB_USAGE for another ending. */
eb_code eb_synth_save(const char *path, eb_dtype dtype, eb_synth_kind kind, size_t n, size_t d, uint64_t seed,
                      eb_job *job, eb_status *status);

/* The command line that makes these points, which is their dataset's source. Heap; NULL: out of memory. */
char *eb_synth_line(eb_dtype dtype, eb_synth_kind kind, size_t n, size_t d, uint64_t seed);
