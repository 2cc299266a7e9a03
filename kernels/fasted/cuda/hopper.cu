/* hopper: variants of the warpgroup kernel: the best preset, and that preset without each of the switches that epsbench
 * adds. Each variant exists with four groups, for rows of up to 64 dimensions, with strips, for up to 256, and
 * without, for longer rows. Four groups need fetch-ahead, and in-turn changes nothing there. */
#include "kernels/fasted/cuda/shape_variants.cuh"
#include "kernels/fasted/cuda/variants.cuh"
#include "kernels/fasted/cuda/warpgroup.cuh"

namespace eb {

template <uint32_t set, output writes, int last = 4> constexpr fasted_variant warpgroup_variant()
{
    using shape = warpgroup_shape<set, writes, f16_products, last>;
    return {set, writes, variant_of_groups<shape>(fasted_warpgroups<shape>), last};
}

#define EB_LONGER_ROWS(set, writes)                                                                                    \
    warpgroup_variant<(set) & ~EB_FOUR_GROUPS, writes>(),                                                              \
        warpgroup_variant<(set) & ~(EB_STRIPS | EB_FOUR_GROUPS), writes>()
#define EB_ALL_LENGTHS(set, writes) warpgroup_variant<(set), writes>(), EB_LONGER_ROWS(set, writes)

/* For rows whose last slice is padding from its first quarter or its middle on, too. */
#define EB_TWO_DEPTHS(set, writes) warpgroup_variant<(set), writes, 1>(), warpgroup_variant<(set), writes, 2>()
#define EB_ALL_DEPTHS(set, writes)                                                                                     \
    EB_ALL_LENGTHS(set, writes), EB_TWO_DEPTHS(set, writes), EB_TWO_DEPTHS((set) & ~EB_FOUR_GROUPS, writes),           \
        EB_TWO_DEPTHS((set) & ~(EB_STRIPS | EB_FOUR_GROUPS), writes)

static const fasted_variant variants[] = {
    EB_ALL_DEPTHS(EB_PRESET_BEST, output::hits),
    EB_ALL_DEPTHS(EB_PRESET_BEST, output::count),
    EB_ALL_DEPTHS(EB_PRESET_BEST & ~EB_SYMMETRIC, output::hits),
    EB_ALL_DEPTHS(EB_PRESET_BEST & ~EB_SYMMETRIC, output::count),
    EB_ALL_LENGTHS(EB_PRESET_BEST & ~EB_EARLY_TEST, output::hits),
    EB_ALL_LENGTHS(EB_PRESET_BEST & ~(EB_CANDIDATE_QUEUE | EB_SPARE_WARPS), output::hits),
    EB_ALL_LENGTHS(EB_PRESET_BEST & ~EB_AGGREGATE, output::hits),
    EB_LONGER_ROWS(EB_PRESET_BEST & ~EB_FETCH_AHEAD, output::hits),
    EB_ALL_LENGTHS(EB_PRESET_BEST & ~EB_BANDS, output::hits),
    EB_LONGER_ROWS(EB_PRESET_BEST & ~EB_IN_TURN, output::hits),
    EB_ALL_LENGTHS(EB_PRESET_BEST & ~EB_ROW_CONSTANT, output::hits),
    EB_ALL_LENGTHS(EB_PRESET_BEST & ~EB_SPARE_WARPS, output::hits),
    /* counting without each switch that affects it */
    EB_LONGER_ROWS(EB_PRESET_BEST & ~EB_FETCH_AHEAD, output::count),
    EB_ALL_LENGTHS(EB_PRESET_BEST & ~EB_BANDS, output::count),
    EB_LONGER_ROWS(EB_PRESET_BEST & ~EB_IN_TURN, output::count),
    EB_ALL_LENGTHS(EB_PRESET_BEST & ~EB_ROW_CONSTANT, output::count),
};

const fasted_variant *find_fasted_hopper(uint32_t switches, output writes, int last)
{
    const fasted_variant *v = find_variant(variants, switches, writes, last);
    return v ? v : find_variant(variants, switches, writes);
}

} // namespace eb
