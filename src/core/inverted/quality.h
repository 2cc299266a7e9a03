/* quality: how well an inverted file represents its points: how even its lists are, and what its codes lose. */
#pragma once

#include "core/base/job.h"
#include "core/inverted/inverted.h"

typedef struct eb_inverted_quality {
    size_t least, median, most, empty; /* points of a list; empty lists */
    double imbalance; /* nlist · Σ count² / n²: relative cost of a scan; 1 if all lists are equally long */
    double residual;  /* mean squared distance of a point to its centroid, in the points' own unit */
    double lost;      /* mean squared distance of a point to what its code stands for */
} eb_inverted_quality;

/* points: the dataset that the file was made of. Progress: one unit a list. The result is the same on any number of
 * threads. */
eb_code eb_inverted_quality_of(const eb_inverted_file *file, const eb_dataset *points, unsigned threads, eb_job *job,
                               eb_inverted_quality *out, eb_status *status);
