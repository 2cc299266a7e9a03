/* shape_variants: a kernel's shape as a variant that engines run (tiled/variant.cuh), for engines that instantiate
 * FASTED's kernels with other arithmetic. */
#pragma once

#include "kernels/parts/depth.h"
#include "kernels/tiled/variant.cuh"

namespace eb {

/* kernel: fasted_warpgroups<shape> (warpgroup.cuh). */
template <class shape>
constexpr tile_variant<typename shape::arguments> variant_of_groups(void (*kernel)(typename shape::arguments))
{
    return {kernel,         shape::side,
            shape::threads, shape::shared_bytes,
            false,          shape::symmetric,
            true,           shape::cluster,
            shape::side,    0,
            shape::bands,   shape::copied_bytes};
}

/* kernel: fasted_tiles<shape> (kernel.cuh). */
template <class shape>
constexpr tile_variant<typename shape::arguments> variant_of_tiles(void (*kernel)(typename shape::arguments))
{
    return {kernel, shape::rows, shape::threads, shape::shared_bytes, shape::squares, shape::symmetric,
            true,   1,           shape::rows,    shape::resident};
}

} // namespace eb
