/* subsets: FASTED's kernel with every subset of the published switches, as ablations ask for them (a pipeline has
 * asynchronous copies, register reuse a warp tile): the whole preset, Table 5's, the bare kernel, and all between.
 *
 * Three units build side by side, one for each thing a warp may multiply: a fragment, a warp tile whose fragments are
 * loaded for each product, one whose fragments stay in registers. Residency is how a kernel is launched, not what it
 * is: two blocks an SM leave a thread its 255 registers, too. So 48 kernels a unit are 96 variants.
 */
#ifndef EB_KERNELS_FASTED_SUBSETS_CUH
#define EB_KERNELS_FASTED_SUBSETS_CUH

#include <utility>

#include "kernels/fasted/variants.cuh"

namespace eb {

constexpr size_t fasted_subsets = 3 * 32; /* copies: in step, asynchronous, pipelined; five switches on or off */

constexpr uint32_t fasted_subset(size_t k)
{
    const uint32_t copies[] = {0, EB_ASYNC_COPY, EB_ASYNC_COPY | EB_PIPELINE};
    const uint32_t free[] = {EB_TILE_ORDER, EB_BLOCK_TILE, EB_RESIDENCY, EB_SWIZZLE, EB_ALIGNMENT};
    uint32_t set = copies[k / 32];
    for (size_t bit = 0; bit < 5; bit++)
        set |= k >> bit & 1 ? free[bit] : 0;
    return set;
}

template <uint32_t set> constexpr fasted_variant variant_of_subset()
{
    using shape = fasted_shape<set, output::hits>;
    static_assert(shape::threads * 2 * 255 <= 65536, "two blocks' registers");
    fasted_variant v = variant_of<set | EB_RESIDENCY, output::hits>();
    v.switches = set;
    v.shared_bytes = shape::shared_bytes;
    v.resident = shape::on(EB_WARP_TILE) ? 0 : shape::resident;
    return v;
}

template <uint32_t multiplied, size_t... k>
const fasted_variant *find_among(uint32_t switches, output writes, std::index_sequence<k...>)
{
    static const fasted_variant variants[] = {variant_of_subset<multiplied | fasted_subset(k)>()...};
    return find_variant(variants, switches, writes);
}

/* NULL: none with these switches of what is multiplied. */
template <uint32_t multiplied> const fasted_variant *find_subset(uint32_t switches, output writes)
{
    return find_among<multiplied>(switches, writes, std::make_index_sequence<fasted_subsets>());
}

} // namespace eb

#endif
