/* tiles: what every CPU engine shares: the walk over tiles of the distance matrix, and count, join, histogram and
 * distances built on one tile kernel.
 *
 * A tile is ni × nj squared distances, rows i0 … against columns j0 …, written row-major with leading dimension nj into a
 * per-thread buffer that stays in L1/L2. Only tiles on or above the diagonal are walked (i < j); tiles go to threads from
 * one counter, in an order that keeps the column block's points in cache.
 *
 * The kernel's contract: s[i][j] ≤ limit must be exactly the engine's squared distance; a pair beyond the limit may get
 * any value > limit (INFINITY). So a kernel may filter first and compute exactly only what survives. Entries with i ≥ j in
 * a tile that touches the diagonal may hold anything: the walk ignores them.
 */
#ifndef EB_CPU_TILES_H
#define EB_CPU_TILES_H

#include "core/engine.h"

typedef struct eb_tiled {
    size_t n, d;
    unsigned threads;
    size_t tile_rows, tile_columns; /* the largest tile the kernel accepts */
    /* scratch: per-thread, scratch_bytes long, 64-byte aligned */
    void (*tile)(const void *state, size_t i0, size_t ni, size_t j0, size_t nj, double limit, double *s, void *scratch);
    const void *state;
    size_t scratch_bytes;
} eb_tiled;

eb_code eb_tiled_count(const eb_tiled *walk, double eps, eb_job *job, uint64_t *pairs, eb_status *status);
eb_code eb_tiled_join(const eb_tiled *walk, double eps, size_t row_begin, size_t row_end, const eb_sink *sink, eb_job *job,
                      eb_status *status);
eb_code eb_tiled_histogram(const eb_tiled *walk, eb_distance_pass *pass, eb_job *job, eb_status *status);
eb_code eb_tiled_distances(const eb_tiled *walk, const uint32_t *rows, size_t m, double *out, eb_job *job,
                           eb_status *status);

/* Which instruction set the *_simd.c kernels run on: the best this CPU has, or what EPSBENCH_ISA names when the CPU has
 * it too ("base", "avx2", "avx512"), so that tests reach all of them. */
typedef enum eb_isa { EB_ISA_BASE, EB_ISA_AVX2, EB_ISA_AVX512 } eb_isa;
eb_isa eb_cpu_isa(void);
const char *eb_isa_name(eb_isa isa);

#endif
