/* table: a query's look-up table for one list: m × 256 squared distances, entry (j, c) from the query's residual to
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
#ifndef EB_CORE_INVERTED_TABLE_H
#define EB_CORE_INVERTED_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
#define EB_PACKED_SCALE 240.0 /* of tables packed into words (question.h): E4M4 has room for as much there */
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

#endif
