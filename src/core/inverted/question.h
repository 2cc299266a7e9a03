/* question: how an inverted file is searched: approximate, as far as its codes tell. A CPU's threads and a GPU answer
 * with the same bits.
 *
 * A query's nprobe nearest lists are scanned with a table each. Equal distances go to the smaller row, so the
 * answer depends on no order of lists, threads, or instruction set.
 */
#pragma once

#include "core/base/job.h"
#include "core/engine/device.h"
#include "core/inverted/inverted.h"

/* ---- look-up tables ---- */

/* A query's look-up table for one list: m × 256 squared distances, entry (j, c) from the query's residual to
 * entry c of book j, in one of several formats (format8.h for those of 8 bits).
 *
 * Before rounding, entries are multiplied by the power of two that brings what they may be at most into (scale/2,
 * scale]; sums are multiplied back. At most they are (‖r‖ + ‖e‖)², r a piece of the residual, e its book's farthest
 * entry: the largest entry itself would be found by making the table twice. FP32 has no need of one; without (scale 0)
 * FP16 overflows on raw bytes, and E4M4 knows few of their distances. u8 is affine: an entry is what it is above its
 * subspace's least, over one step for all, rounded to nearest even; sums are of integers.
 *
 * Sums are of FP32, j ascending, each addition rounded; with f16_sums each sum is rounded to FP16 as well. The same
 * bits by every instruction set. Layout: [m × 256] entries of entry_bytes, padded so that four bytes can be read at the
 * last one.
 */
typedef enum eb_table_format {
    EB_TABLE_F32,
    EB_TABLE_F16,
    EB_TABLE_E5M3,
    EB_TABLE_E4M4,
    EB_TABLE_E4M3,
    EB_TABLE_E5M2,
    EB_TABLE_U8,
    EB_TABLE_FORMATS
} eb_table_format;

#define EB_TABLE_SCALE 200.0
#define EB_PACKED_SCALE 240.0 /* of tables packed into words: E4M4 has room for as much there */
#define EB_TABLE_PADDING 4u

typedef struct eb_lookup_table {
    eb_table_format format;
    bool f16_sums;
    size_t m;
    void *entry;
    float unit; /* a point's squared distance: offset + unit · sum; unit is 2^−e but of u8 */
    float offset;
} eb_lookup_table;

const char *eb_table_format_name(eb_table_format format); /* "f32", "e5m3", … */
size_t eb_table_entry_bytes(eb_table_format format);

/* ---- a question ---- */

/* How a GPU has tables in shared memory: one for each query and list, as the FP8 paper has them; those of several
 * queries that look at one list side by side in words of 32 bits (four of 8 bits, two of FP16), so that one look-up
 * serves all of them. Usual: the second, where there is more than one entry in a word. */
typedef enum eb_table_layout { EB_LAYOUT_USUAL, EB_LAYOUT_PLAIN, EB_LAYOUT_PACKED, EB_TABLE_LAYOUTS } eb_table_layout;
const char *eb_table_layout_name(eb_table_layout layout); /* "usual", "plain", "packed" */

typedef struct eb_inverted_question {
    size_t k, nprobe;
    size_t refine; /* so many are found by codes, of which FP64 distances choose the k; 0: codes alone */
    eb_table_format lut;
    bool f16_sums; /* not of u8, whose sums are of integers */
    double scale;  /* bound of a table's largest entry: EB_TABLE_SCALE usually; 0: as they are */
    /* of a GPU; no answer depends on them */
    eb_table_layout layout;
    bool pad; /* a block takes as much shared memory as with FP32 tables: as many blocks an SM then */
} eb_inverted_question;

/* EB_USAGE for k = 0, fewer to refine than k, nprobe = 0 or beyond nlist, u8 with f16_sums, a scale that is none, a
 * layout of GPUs elsewhere.
 */
eb_code eb_inverted_check_question(const eb_inverted_question *question, size_t nlist, eb_device_kind on,
                                   eb_status *status);

/* What answering took, all of it since it was opened; of a CPU lists and points alone. */
typedef struct eb_inverted_work {
    uint64_t lookups;    /* of warps: 32 points, one subspace; packed ones serve several queries */
    double kernel_s;     /* of the look-ups' kernel, tables included */
    unsigned blocks;     /* an SM holds at once */
    size_t shared_bytes; /* a block takes */
    size_t side_by_side; /* queries whose entries share a word */
    /* of points within a limit alone */
    uint64_t lists, points; /* scanned: lists, each for a query; the points in them */
    double copy_s, take_s;  /* by the host's clock: what was found, packed and copied; taken by the callback */
} eb_inverted_work;

/* Bytes of a GPU that searching takes, with so many places in the lists: codes in whole groups, and room for points
 * that are found. */
#define EB_CODES_AT_ONCE 16u
#define EB_LEAST_FOUND ((uint64_t)16 << 20)
uint64_t eb_inverted_gpu_bytes(uint64_t places, size_t d, const eb_inverted_shape *shape);
