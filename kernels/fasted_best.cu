/* The best preset, without each switch that epsbench adds, and the dense variant behind `distances`. */
#include "kernels/fasted_variants.cuh"

namespace eb {

static const fasted_variant variants[] = {
    variant_of<EB_PRESET_BEST, output::hits, true>(),
    variant_of<EB_PRESET_BEST, output::hits, false>(),
    variant_of<EB_PRESET_BEST, output::count, true>(),
    variant_of<EB_PRESET_BEST, output::count, false>(),
    variant_of<EB_PRESET_BEST & ~EB_SYMMETRIC, output::hits, true>(),
    variant_of<EB_PRESET_BEST & ~EB_SYMMETRIC, output::hits, false>(),
    variant_of<EB_PRESET_BEST & ~EB_EARLY_TEST, output::hits, true>(),
    variant_of<EB_PRESET_BEST & ~EB_EARLY_TEST, output::hits, false>(),
    variant_of<EB_PRESET_BEST & ~EB_AGGREGATE, output::hits, true>(),
    variant_of<EB_PRESET_BEST & ~EB_AGGREGATE, output::hits, false>(),
    variant_of<EB_PRESET_BEST & ~EB_TUNED_TILE, output::hits, true>(),
    variant_of<EB_PRESET_BEST, output::dense, true>(),
};

const fasted_variant *find_fasted_best(uint32_t switches, output writes, bool wide)
{
    return find_variant(variants, switches, writes, wide);
}

} // namespace eb
