/* ablation: FASTED's optimisation switches (paper §3.3, Table 5), the ones epsbench adds, and which of them need each
 * other.
 *
 * A set of switches is a bit mask. Presets: "paper" is FASTED as published; "best" adds what epsbench adds. A set is
 * usable when every switch's requirement is on as well; a leave-one-out run therefore also takes off what depends on
 * the switch.
 */
#ifndef EB_CORE_STUDY_ABLATION_H
#define EB_CORE_STUDY_ABLATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

#define EB_TILE_ORDER (1u << 0) /* block tiles in 8 × 8 squares, not row by row */
#define EB_BLOCK_TILE (1u << 1) /* four warps share a 128 × 128 tile; off: each warp has its own 64 × 64 */
#define EB_ASYNC_COPY (1u << 2) /* cp.async past the registers */
#define EB_PIPELINE (1u << 3)   /* copy the next slice while computing on this one; needs ASYNC_COPY */
#define EB_RESIDENCY (1u << 4)  /* two blocks an SM */
#define EB_WARP_TILE (1u << 5)  /* fragments stay in registers for a 64 × 64 warp tile; off: loaded for every mma */
#define EB_SWIZZLE (1u << 6)    /* 16-byte chunks XORed with the row */
#define EB_ALIGNMENT (1u << 7)  /* shared memory aligned to 128 bytes */
#define EB_SYMMETRIC (1u << 8)  /* compute only i < j and mirror */
#define EB_EARLY_TEST (1u << 9) /* a warp-wide any-hit test before looking at single pairs */
#define EB_AGGREGATE (1u << 10) /* one atomic a warp, not one a hit */
#define EB_WARPGROUP                                                                                                   \
    (1u << 11) /* Hopper: wgmma from shared memory, copies shared by a cluster; no effect on other chips */

#define EB_PRESET_PAPER 0x0ffu
#define EB_PRESET_BEST 0xfffu

typedef struct eb_switch {
    uint32_t bit;
    uint32_t needs;          /* bits that must be on too */
    const char *name;        /* "pipeline" */
    const char *summary;     /* one line for `ablate` and the lessons */
    double published_tflops; /* paper's Table 5: A100, d = 4096, without this switch; 0: not in the paper */
} eb_switch;

size_t eb_switch_count(void);
const eb_switch *eb_switch_at(size_t index);

/* `set` without `bit` and without whatever needs it. */
uint32_t eb_without(uint32_t set, uint32_t bit);

/* "paper", "best", or a preset with switches added and taken away: "best-symmetric", "paper+aggregate". EB_USAGE names
 * the switches there are, or the requirement that is missing. */
eb_code eb_switches_parse(const char *text, uint32_t *out, eb_status *status);

/* The same text back, shortest form; buffer of at least 256 bytes. */
void eb_switches_format(uint32_t set, char *buffer, size_t size);

#endif
