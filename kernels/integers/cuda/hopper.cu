/* hopper: instantiates the warpgroup kernel with byte products, with four groups, with strips and without, and for rows
 * whose last slice is padding from its middle or its first quarter on. */
#include "kernels/fasted/cuda/shape_variants.cuh"
#include "kernels/fasted/cuda/warpgroup.cuh"
#include "kernels/integers/cuda/kernels.cuh"

namespace eb {

namespace {

template <uint32_t set, output writes, bool is_signed, int last> byte_variant of_depth()
{
    using shape = warpgroup_shape<set, writes, byte_products<is_signed>, last>;
    return variant_of_groups<shape>(fasted_warpgroups<shape>);
}

template <uint32_t set, output writes, bool is_signed> byte_variant of_shape(int last)
{
    return last == 1   ? of_depth<set, writes, is_signed, 1>()
           : last == 2 ? of_depth<set, writes, is_signed, 2>()
                       : of_depth<set, writes, is_signed, 4>();
}

template <uint32_t set, bool is_signed> byte_variant of_set(byte_kernel wanted, int last)
{
    if (!wanted.symmetric)
        return of_shape<set & ~EB_SYMMETRIC, output::hits, is_signed>(last);
    return wanted.writes == output::count ? of_shape<set, output::count, is_signed>(last)
                                          : of_shape<set, output::hits, is_signed>(last);
}

template <bool is_signed> byte_variant of_bytes(byte_kernel wanted, size_t d, size_t points)
{
    const uint32_t set = eb_fasted_set_for(EB_PRESET_BEST, d, points);
    const int last = eb_last_steps(d);
    if (set & EB_FOUR_GROUPS)
        return of_set<EB_PRESET_BEST, is_signed>(wanted, last);
    return set & EB_STRIPS ? of_set<EB_PRESET_BEST & ~EB_FOUR_GROUPS, is_signed>(wanted, last)
                           : of_set<EB_PRESET_BEST & ~(EB_STRIPS | EB_FOUR_GROUPS), is_signed>(wanted, last);
}

} // namespace

byte_variant byte_warpgroup_kernel(byte_kernel wanted, size_t d, size_t points)
{
    return wanted.is_signed ? of_bytes<true>(wanted, d, points) : of_bytes<false>(wanted, d, points);
}

} // namespace eb
