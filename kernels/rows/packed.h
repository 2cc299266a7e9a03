/* packed: the forms in which a table's entries travel from a device, smaller than in the table. The host unpacks them
 * while it stores them. Every value arrives bit for bit.
 *
 *   EB_PACKED_COLUMNS            columns below 2²⁴ in 2, 2½ or 3 bytes: a plane of their low 16 bits, and if needed one
 * of the next 8 or 4 bits: then byte j of 16 has those of entry j of 32, and above them those of entry 16 + j
 *   EB_PACKED_F64                FP64 values in 7 bytes: what a value is above the least that its block has room for; a
 *                                plane of the blocks' heads, then of the low 32 bits, the next 16 and the high 8
 *
 * A slice is packed by itself. Its planes begin at multiples of 16 bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/parts/both.h"

typedef enum eb_packing { EB_NOT_PACKED, EB_PACKED_COLUMNS, EB_PACKED_F64 } eb_packing;

typedef struct eb_packed {
    eb_packing packing;
    unsigned high_bits; /* columns: bits of the second plane: 0, 4 or 8 */
} eb_packed;

enum { EB_PACKED_BLOCK = 4096 }; /* FP64 values with one head */

/* Values other than 0 are base + 1 … base + 2⁵⁶ − 1 as bits, modulo 2⁶⁴; 0 has the code 0. */
typedef struct eb_packed_head {
    uint64_t base;
    uint64_t misfit; /* not 0: a value is none of these, and the block's codes mean nothing */
} eb_packed_head;

EB_BOTH uint64_t eb_packed_base(uint64_t greatest) { return greatest - (((uint64_t)1 << 56) - 1); }

/* Bytes of a slice of `count` entries, and where its planes begin. */
typedef struct eb_packed_places {
    size_t low, middle, high, bytes; /* heads come first */
} eb_packed_places;

EB_BOTH size_t eb_packed_plane(size_t bytes) { return (bytes + 15) / 16 * 16; }

EB_BOTH eb_packed_places eb_packed_places_of(const eb_packed *form, size_t count)
{
    eb_packed_places at = EB_ZEROED;
    if (form->packing == EB_PACKED_COLUMNS) {
        const size_t whole = (count + 31) / 32 * 32; /* unpacking reads groups of 32 */
        at.high = 2 * whole;
        at.bytes = at.high + whole / 8 * form->high_bits;
    } else {
        at.low = (count + EB_PACKED_BLOCK - 1) / EB_PACKED_BLOCK * sizeof(eb_packed_head);
        at.middle = at.low + eb_packed_plane(4 * count);
        at.high = at.middle + eb_packed_plane(2 * count);
        at.bytes = at.high + eb_packed_plane(count);
    }
    return at;
}

#ifdef __cplusplus
extern "C" {
#endif

/* The form of columns below `columns`. */
eb_packed eb_packed_columns(uint64_t columns);

/* False if a block of FP64 values has a misfit: the slice must travel as it is. */
bool eb_packed_fits(const eb_packed *form, const void *slice, size_t count);

/* Stores a slice's `count` entries past the caches: uint32_t columns, or FP64 distances. */
void eb_packed_store(const eb_packed *form, const void *slice, size_t count, void *to);

#ifdef __cplusplus
}
#endif
