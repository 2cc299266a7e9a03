/* The warpgroup kernel: the best preset, and without each switch that epsbench adds. */
#include "kernels/fasted/variants.cuh"
#include "kernels/fasted/warpgroup.cuh"

namespace eb {

template <uint32_t set, output writes> constexpr fasted_variant warpgroup_variant()
{
    using shape = warpgroup_shape<set, writes>;
    return {set,
            writes,
            fasted_warpgroups<shape>,
            shape::side,
            shape::side,
            shape::threads,
            shape::shared_bytes,
            shape::squares,
            shape::symmetric,
            shape::cluster,
            0};
}

static const fasted_variant variants[] = {
    warpgroup_variant<EB_PRESET_BEST, output::hits>(),
    warpgroup_variant<EB_PRESET_BEST, output::count>(),
    warpgroup_variant<EB_PRESET_BEST & ~EB_SYMMETRIC, output::hits>(),
    warpgroup_variant<EB_PRESET_BEST & ~EB_EARLY_TEST, output::hits>(),
    warpgroup_variant<EB_PRESET_BEST & ~EB_CANDIDATE_QUEUE, output::hits>(),
    warpgroup_variant<EB_PRESET_BEST & ~EB_AGGREGATE, output::hits>(),
};

const fasted_variant *find_fasted_hopper(uint32_t switches, output writes)
{
    return find_variant(variants, switches, writes);
}

} // namespace eb
