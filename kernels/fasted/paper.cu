/* FASTED as published, and without each of its optimisations (Table 5). */
#include "kernels/fasted/variants.cuh"

namespace eb {

static const fasted_variant variants[] = {
    variant_of<EB_PRESET_PAPER, output::hits>(),
    variant_of<EB_PRESET_PAPER & ~EB_TILE_ORDER, output::hits>(),
    variant_of<EB_PRESET_PAPER & ~EB_BLOCK_TILE, output::hits>(),
    variant_of<EB_PRESET_PAPER & ~(EB_ASYNC_COPY | EB_PIPELINE), output::hits>(),
    variant_of<EB_PRESET_PAPER & ~EB_PIPELINE, output::hits>(),
    variant_of<EB_PRESET_PAPER & ~EB_RESIDENCY, output::hits>(),
    variant_of<EB_PRESET_PAPER & ~(EB_WARP_TILE | EB_REGISTER_REUSE), output::hits>(),
    variant_of<EB_PRESET_PAPER & ~EB_SWIZZLE, output::hits>(),
    variant_of<EB_PRESET_PAPER & ~EB_ALIGNMENT, output::hits>(),
    variant_of<EB_PRESET_PAPER & ~EB_REGISTER_REUSE, output::hits>(),
};

const fasted_variant *find_fasted_paper(uint32_t switches, output writes)
{
    return find_variant(variants, switches, writes);
}

} // namespace eb
