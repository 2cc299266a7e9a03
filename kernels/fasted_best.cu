/* The best preset, without each switch that epsbench adds, and the dense variant behind `distances`. */
#include "kernels/fasted_variants.cuh"

namespace eb {

static const fasted_variant variants[] = {
    variant_of<EB_PRESET_BEST, output::hits>(),
    variant_of<EB_PRESET_BEST, output::count>(),
    variant_of<EB_PRESET_BEST & ~EB_SYMMETRIC, output::hits>(),
    variant_of<EB_PRESET_BEST & ~EB_EARLY_TEST, output::hits>(),
    variant_of<EB_PRESET_BEST & ~EB_AGGREGATE, output::hits>(),
    variant_of<EB_PRESET_BEST, output::dense>(),
};

const fasted_variant *find_fasted_best(uint32_t switches, output writes)
{
    return find_variant(variants, switches, writes);
}

} // namespace eb
