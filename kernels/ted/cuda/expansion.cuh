/* expansion: ted's tiled kernels as an arithmetic of FP64 engines (tiled/fp64_rules.cuh). */
#pragma once

#include "kernels/ted/cuda/kernel.cuh"
#include "kernels/tiled/fp64_rules.cuh"

namespace eb {

static_assert(f64_tile == ted_tile);

struct ted_expansion {
    static constexpr bool uses_norms = true;
    static constexpr size_t depth = 4;
    static constexpr double flops = 2;
    static constexpr eb_limit limit = EB_LIMIT_MMA_F64;

    template <output writes> static tile_variant<f64_arguments> kernel(size_t, bool symmetric)
    {
        return {ted_tiles<writes>, ted_tile, ted_threads, ted_shared_bytes, true, symmetric, false, ted_halves};
    }
};

} // namespace eb
