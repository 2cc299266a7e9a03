/* variants: the built-in variants of FASTED's kernels, found by their switches. The built-in variants are split over
 * units that compile in parallel. Other variants are compiled at run time (subsets.cuh). All variants give the same
 * bits; they differ in speed and in which orders of a pair they write. */
#pragma once

#include "kernels/fasted/cuda/kernel.cuh"
#include "kernels/tiled/variant.cuh"

namespace eb {

struct fasted_variant {
    uint32_t switches;
    output writes;
    tile_variant<fasted_arguments> tiles;
    int last = 4; /* the steps of 32 bytes that it multiplies in a row's last slice */
};

template <uint32_t set, output writes> constexpr fasted_variant variant_of()
{
    using shape = fasted_shape<set, writes>;
    constexpr int resident = shape::on(EB_WARP_TILE) ? 0 : shape::resident;
    return {set,
            writes,
            {fasted_tiles<shape>, shape::rows, shape::threads, shape::shared_bytes, shape::squares, shape::symmetric,
             true, 1, shape::columns, resident}};
}

/* NULL if the set is not compiled. To count, callers may use a variant that appends hits, with a buffer of no room. */
const fasted_variant *find_fasted_best(uint32_t switches, output writes); /* best.cu */
/* hopper.cu; needs compute capability 9.0. last: for rows whose last slice has so many steps (kernels/parts/depth.h); a
 * set may have only the variant for whole slices. */
const fasted_variant *find_fasted_hopper(uint32_t switches, output writes, int last);

template <size_t count>
const fasted_variant *find_variant(const fasted_variant (&variants)[count], uint32_t switches, output writes,
                                   int last = 4)
{
    for (const fasted_variant &v : variants)
        if (((v.switches ^ switches) & ~EB_OUTSIDE_KERNELS) == 0 && v.writes == writes && v.last == last)
            return &v;
    return nullptr;
}

} // namespace eb
