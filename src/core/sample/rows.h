/* rows: points drawn at random, with copies of them: the left set of a join that stands for the whole self-join.
 *
 * Point q of the copies is row[q] of the dataset. Each row is as likely as any other, so that a mean over the drawn
 * points estimates the mean over all (band.h).
 */
#pragma once

#include "core/data/dataset.h"

typedef struct eb_sampled_rows {
    size_t count;
    uint32_t *row;     /* [count] ascending */
    eb_dataset points; /* count × d */
} eb_sampled_rows;

/* Draws count < n rows. The same seed gives the same rows. The dataset must outlive *out, which eb_rows_free frees,
 * also after an error. */
eb_code eb_rows_draw(const eb_dataset *ds, size_t count, uint64_t seed, eb_sampled_rows *out, eb_status *status);

/* Draws about `count` rows, a few less, with memory for these alone: for many of very many points. Free likewise. */
eb_code eb_rows_scatter(const eb_dataset *ds, size_t count, uint64_t seed, eb_sampled_rows *out, eb_status *status);

void eb_rows_free(eb_sampled_rows *rows);

bool eb_rows_have(const eb_sampled_rows *rows, uint32_t row);
