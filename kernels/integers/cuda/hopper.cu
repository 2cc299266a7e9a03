/* hopper: instantiates the warpgroup kernel with byte products, with strips and without. */
#include "kernels/fasted/cuda/shape_variants.cuh"
#include "kernels/fasted/cuda/warpgroup.cuh"
#include "kernels/integers/cuda/kernels.cuh"

namespace eb {

namespace {

template <uint32_t set, output writes, bool is_signed> byte_variant of_shape()
{
    using shape = warpgroup_shape<set, writes, byte_products<is_signed>>;
    return variant_of_groups<shape>(fasted_warpgroups<shape>);
}

template <uint32_t set, bool is_signed> byte_variant of_set(byte_kernel wanted)
{
    if (!wanted.symmetric)
        return of_shape<set & ~EB_SYMMETRIC, output::hits, is_signed>();
    return wanted.writes == output::count ? of_shape<set, output::count, is_signed>()
                                          : of_shape<set, output::hits, is_signed>();
}

template <bool is_signed> byte_variant of_bytes(byte_kernel wanted, bool strips)
{
    return strips ? of_set<EB_PRESET_BEST, is_signed>(wanted) : of_set<EB_PRESET_BEST & ~EB_STRIPS, is_signed>(wanted);
}

} // namespace

byte_variant byte_warpgroup_kernel(byte_kernel wanted, bool strips)
{
    return wanted.is_signed ? of_bytes<true>(wanted, strips) : of_bytes<false>(wanted, strips);
}

} // namespace eb
