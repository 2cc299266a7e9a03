/* question: the parameters of a search in an inverted file. The search is approximate, as exact as the codes. A CPU's
 * threads and a GPU answer with the same bits.
 *
 * A query's nprobe nearest lists are scanned, each with a table of its own. Of equal distances the smaller row wins, so
 * the answer depends on no order of lists or threads and on no instruction set.
 */
#pragma once

#include "core/base/job.h"
#include "core/engine/device.h"
#include "core/inverted/inverted.h"

/* ---- look-up tables ---- */

/* A query's look-up table for one list: m × 256 squared distances. Entry (j, c) is the squared distance from the
 * query's residual to entry c of book j. There are several formats (format8.h for those of 8 bits).
 *
 * Before rounding, entries are multiplied by a power of two, which brings their upper bound into (scale/2, scale]; sums
 * are multiplied back. The bound is (‖r‖ + ‖e‖)² with r a piece of the residual and e the farthest entry of its book;
 * finding the largest entry itself would mean computing the table twice. FP32 needs no scaling. Without it (scale 0)
 * FP16 overflows on raw bytes, and E4M4 can represent few of their distances. u8 is affine: an entry is its difference
 * to the smallest of its subspace, divided by one step for all subspaces, rounded to nearest even; sums are of
 * integers.
 *
 * Other sums are in FP32 with j ascending, each addition rounded; with f16_sums each sum is also rounded to FP16. Every
 * instruction set gives the same bits. Layout: [m × 256] entries of entry_bytes, padded so that four bytes can be read
 * at the last entry.
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
#define EB_PACKED_SCALE 240.0 /* largest scale of tables packed into words, which E4M4 has room for */
#define EB_TABLE_PADDING 4u

typedef struct eb_lookup_table {
    eb_table_format format;
    bool f16_sums;
    size_t m;
    void *entry;
    float unit; /* a point's squared distance is offset + unit · sum; unit is a power of two except for u8 */
    float offset;
} eb_lookup_table;

const char *eb_table_format_name(eb_table_format format); /* "f32", "e5m3", … */
size_t eb_table_entry_bytes(eb_table_format format);

/* ---- questions ---- */

/* Layout of tables in a GPU's shared memory. Plain: one for each query and list, as in the FP8 paper. Packed: tables of
 * several queries that scan the same list side by side in words of 32 bits (four of 8 bits, two of FP16), so that one
 * look-up serves all of them. Usual: packed if a word holds more than one entry. */
typedef enum eb_table_layout { EB_LAYOUT_USUAL, EB_LAYOUT_PLAIN, EB_LAYOUT_PACKED, EB_TABLE_LAYOUTS } eb_table_layout;
const char *eb_table_layout_name(eb_table_layout layout); /* "usual", "plain", "packed" */

typedef struct eb_inverted_question {
    size_t k, nprobe;
    size_t refine; /* number of points found by codes, of which FP64 distances choose the k; 0: codes only */
    eb_table_format lut;
    bool f16_sums; /* not with u8, whose sums are of integers */
    double scale;  /* upper bound of table entries, usually EB_TABLE_SCALE; 0: no scaling */
    /* GPU only; the result does not depend on these */
    eb_table_layout layout;
    bool pad; /* a block gets as much shared memory as with FP32 tables, so that an SM has as many blocks */
} eb_inverted_question;

/* EB_USAGE if k is 0, refine is below k, nprobe is 0 or above nlist, u8 has f16_sums, or scale is out of range.
 * EB_NO_DEVICE for a GPU layout on a CPU. */
eb_code eb_inverted_check_question(const eb_inverted_question *question, size_t nlist, eb_device_kind on,
                                   eb_status *status);

/* EB_USAGE if tables cannot be packed: entries of FP32, sums in FP16, or a scale out of range. */
eb_code eb_inverted_check_packed(const eb_inverted_question *question, eb_status *status);

/* Costs of all answers since opening. A CPU fills only lists and points. */
typedef struct eb_inverted_work {
    uint64_t lookups;    /* by warps: 32 points, one subspace; a packed look-up serves several queries */
    double kernel_s;     /* of the look-up kernel, tables included */
    unsigned blocks;     /* resident on an SM */
    size_t shared_bytes; /* of a block */
    size_t side_by_side; /* queries whose entries share a word */
    /* only for points within a limit */
    uint64_t lists, points; /* scanned: lists, summed over queries; points in them */
    double copy_s, take_s;  /* host time: packing and copying the results; the callback */
} eb_inverted_work;

/* Bytes of a GPU that a search takes with this many places in the lists: codes in whole groups, and room for points
 * found. */
#define EB_CODES_AT_ONCE 16u
#define EB_LEAST_FOUND ((uint64_t)16 << 20)
uint64_t eb_inverted_gpu_bytes(uint64_t places, size_t d, const eb_inverted_shape *shape);
