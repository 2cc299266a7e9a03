/* draw: rows of a dataset that are to be queries. */
#ifndef EB_CORE_KNN_DRAW_H
#define EB_CORE_KNN_DRAW_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

/* rows: [n] out: so many drawn without favour, then all others, each part ascending. The same seed, the same rows. */
eb_code eb_knn_draw(size_t n, size_t queries, uint64_t seed, uint32_t *rows, eb_status *status);

#endif
