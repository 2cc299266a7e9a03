/* best: variants of the block-tile kernel: the best preset on mma.sync, that preset without each of the switches that
 * epsbench adds, and the dense variant that computes `distances`. */
#include "kernels/fasted/cuda/variants.cuh"

namespace eb {

constexpr uint32_t mma_sync_best = EB_PRESET_BEST & ~EB_OF_WARPGROUP;

static const fasted_variant variants[] = {
    variant_of<mma_sync_best, output::hits>(),
    variant_of<mma_sync_best, output::count>(),
    variant_of<mma_sync_best & ~EB_WIDE_LOADS, output::hits>(),
    variant_of<mma_sync_best & ~EB_FRAGMENT_BUFFER, output::hits>(),
    variant_of<mma_sync_best & ~EB_EARLY_REFILL, output::hits>(),
    variant_of<mma_sync_best & ~(EB_STRIDING | EB_RUN_AHEAD), output::hits>(),
    variant_of<mma_sync_best & ~EB_RUN_AHEAD, output::hits>(),
    variant_of<mma_sync_best & ~EB_SYMMETRIC, output::hits>(),
    variant_of<mma_sync_best & ~EB_EARLY_TEST, output::hits>(),
    variant_of<mma_sync_best & ~EB_CANDIDATE_QUEUE, output::hits>(),
    variant_of<mma_sync_best & ~EB_AGGREGATE, output::hits>(),
    variant_of<mma_sync_best & ~EB_ROW_CONSTANT, output::hits>(),
    variant_of<mma_sync_best & ~EB_ROW_CONSTANT, output::count>(),
    variant_of<mma_sync_best, output::dense>(),
};

const fasted_variant *find_fasted_best(uint32_t switches, output writes)
{
    return find_variant(variants, switches, writes);
}

} // namespace eb
