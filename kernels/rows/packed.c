#include "kernels/rows/packed.h"

#include "core/base/pages.h"
#include "kernels/rows/unpack.h"
#include "kernels/walk/isa.h"

#define KERNELS(isa) {eb_unpack_columns_##isa, eb_unpack_f64_##isa}

/* Entries are unpacked into a thread's cache and stored from there. */
enum { AT_ONCE = 1024 };
_Static_assert(EB_PACKED_BLOCK % AT_ONCE == 0, "the entries of one call have one head");

eb_packed eb_packed_columns(uint64_t columns)
{
    const unsigned bits = columns <= (uint64_t)1 << 16 ? 0 : columns <= (uint64_t)1 << 20 ? 4 : 8;
    return (eb_packed){.packing = columns <= (uint64_t)1 << 24 ? EB_PACKED_COLUMNS : EB_NOT_PACKED, .high_bits = bits};
}

bool eb_packed_fits(const eb_packed *form, const void *slice, size_t count)
{
    const eb_packed_head *head = slice;
    if (form->packing == EB_PACKED_F64)
        for (size_t b = 0; b * EB_PACKED_BLOCK < count; b++)
            if (head[b].misfit)
                return false;
    return true;
}

void eb_packed_store(const eb_packed *form, const void *slice, size_t count, void *to)
{
    static const eb_unpack_kernels kernels[] = {KERNELS(base), KERNELS(avx2), KERNELS(avx512)};
    const eb_unpack_kernels *by = &kernels[eb_cpu_isa()];
    const eb_packed_places at = eb_packed_places_of(form, count);
    const unsigned char *from = slice;
    _Alignas(64) union {
        uint32_t columns[AT_ONCE];
        uint64_t bits[AT_ONCE];
    } part;
    for (size_t k = 0; k < count; k += AT_ONCE) {
        const size_t some = count - k < AT_ONCE ? count - k : AT_ONCE;
        if (form->packing == EB_PACKED_COLUMNS) {
            by->columns((const uint16_t *)(const void *)from + k, from + at.high + k * form->high_bits / 8,
                        form->high_bits, some, part.columns);
            eb_copy_past_caches((uint32_t *)to + k, part.columns, some * sizeof *part.columns);
        } else {
            by->f64((const uint32_t *)(const void *)(from + at.low) + k,
                    (const uint16_t *)(const void *)(from + at.middle) + k, from + at.high + k,
                    ((const eb_packed_head *)slice)[k / EB_PACKED_BLOCK].base, some, part.bits);
            eb_copy_past_caches((uint64_t *)to + k, part.bits, some * sizeof *part.bits);
        }
    }
}
