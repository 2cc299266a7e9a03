/* quality: how well an inverted file stands for its points: how even its lists are, and what its codes lose. */
#pragma once

#include "core/base/job.h"
#include "core/inverted/inverted.h"

typedef struct eb_inverted_quality {
    size_t least, median, most, empty; /* points of a list; lists without any */
    double imbalance; /* nlist · Σ count² / n²: 1 where all lists are equally long, else so much more is scanned */
    double residual;  /* mean squared distance of a point to its centroid, in the points' own squares */
    double lost;      /* the same to what its code stands for */
} eb_inverted_quality;

/* points: those that the file was made of. Progress: one unit a list; the same numbers on any number of threads. */
eb_code eb_inverted_quality_of(const eb_inverted_file *file, const eb_dataset *points, unsigned threads, eb_job *job,
                               eb_inverted_quality *out, eb_status *status);
