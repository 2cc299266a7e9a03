/* mma: instantiates the mma.sync kernel with byte products, and the dense kernel for `distances`. */
#include "kernels/fasted/cuda/kernel.cuh"
#include "kernels/fasted/cuda/shape_variants.cuh"
#include "kernels/integers/cuda/kernels.cuh"

namespace eb {

namespace {

constexpr uint32_t best = EB_PRESET_BEST & ~EB_OF_WARPGROUP;

template <uint32_t set, output writes, bool is_signed> byte_variant of_shape()
{
    using shape = fasted_shape<set, writes, byte_products<is_signed>>;
    return variant_of_tiles<shape>(fasted_tiles<shape>);
}

template <bool is_signed> byte_variant of_bytes(byte_kernel wanted)
{
    if (wanted.writes == output::dense)
        return of_shape<best, output::dense, is_signed>();
    if (!wanted.symmetric)
        return of_shape<best & ~EB_SYMMETRIC, output::hits, is_signed>();
    return wanted.writes == output::count ? of_shape<best, output::count, is_signed>()
                                          : of_shape<best, output::hits, is_signed>();
}

} // namespace

byte_variant byte_mma_kernel(byte_kernel wanted)
{
    return wanted.is_signed ? of_bytes<true>(wanted) : of_bytes<false>(wanted);
}

} // namespace eb
