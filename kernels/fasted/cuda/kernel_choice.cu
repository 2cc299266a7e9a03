#include "kernels/fasted/cuda/kernel_choice.cuh"

#include "kernels/fasted/cuda/shape_variants.cuh"
#include "kernels/fasted/cuda/subsets.cuh"
#include "kernels/fasted/thresholds.h"

namespace eb {

namespace {

/* Finds a variant in the build, or NULL. A variant that appends hits also counts them if its buffer has no room. */
const fasted_variant *find(uint32_t switches, output writes, int last = 4)
{
    const fasted_variant *v = nullptr;
    for (const output w : {writes, output::hits}) {
        v = v ? v : find_fasted_hopper(switches, w, last);
        v = v ? v : find_fasted_best(switches, w);
        if (v || writes != output::count)
            break;
    }
    return v;
}

/* Every set of the build has a kernel with two groups. */
bool is_built(uint32_t switches) { return find(switches & ~EB_FOUR_GROUPS, output::hits) != nullptr; }

} // namespace

fasted_kernels::fasted_kernels(uint32_t switches) : switches_(eb_fasted_switches_there(switches, has_warpgroups())) {}

eb_code fasted_kernels::check(uint32_t switches, bool warpgroups, const char *spec, eb_status *status)
{
    const uint32_t there = eb_fasted_switches_there(switches, warpgroups);
    if (is_built(there))
        return EB_OK;
    if (is_fasted_subset(there))
        return check_fasted_subset({there, spec}, status);
    return eb_fail(status, EB_NO_ENGINE,
                   "there is no kernel for %s; there are kernels for paper without any of its switches, and for best "
                   "without one switch",
                   spec);
}

eb_code fasted_kernels::begin(const char *spec, const eb_context &context, eb_status *status)
{
    if (is_built(switches_) || !is_fasted_subset(switches_))
        return EB_OK;
    EB_TRY(prepare_fasted_subsets({{switches_, spec}}, context.device->index, 1, context.job, status));
    return find_fasted_subset({switches_, spec}, &subset_, status);
}

bool fasted_kernels::sorts(size_t points, size_t d_padded) const
{
    return (switches_ & EB_SORTED_NORMS) != 0 &&
           eb_order_is_faster(d_padded * sizeof(__half), points, (switches_ & EB_WARPGROUP) != 0);
}

bool fasted_kernels::waits_to_sort(size_t points, size_t d_padded) const
{
    return (switches_ & EB_SORTED_NORMS) != 0 &&
           eb_order_is_worth_waiting(d_padded * sizeof(__half), points, (switches_ & EB_WARPGROUP) != 0);
}

tile_variant<fasted_arguments> fasted_kernels::variant(output writes, bool symmetric, size_t d, size_t points) const
{
    const uint32_t mma_sync_best = EB_PRESET_BEST & ~EB_OF_WARPGROUP, both = symmetric ? ~0u : ~EB_SYMMETRIC;
    const uint32_t best = switches_ & EB_WARPGROUP ? EB_PRESET_BEST : mma_sync_best;
    const size_t row_bytes = d * sizeof(__half);
    const int last = eb_last_steps(row_bytes);
    const fasted_variant *v = writes == output::dense
                                  ? find(mma_sync_best, writes)
                                  : find(eb_fasted_set_for(switches_, row_bytes, points) & both, writes, last);
    if (!v && writes != output::dense && subset_.tiles.kernel.get())
        v = &subset_; /* it also serves to count */
    if (!v || (writes != output::dense && v->tiles.symmetric != symmetric))
        v = find(eb_fasted_set_for(best, row_bytes, points) & both, writes, last);
    return v->tiles;
}

eb_code fasted_kernels::complete(const tile_variant<fasted_arguments> &v, fasted_arguments &args, eb_status *status)
{
    if (!queue_.get()) {
        EB_TRY(queue_.reserve(2, "making a queue of tiles", status));
        EB_CUDA(cudaMemset(queue_.get(), 0, 2 * sizeof(uint32_t)), "making a queue of tiles");
    }
    args.queue = queue_.get();
    return launches_.complete(v, args, (switches_ & EB_IN_STEP) != 0, status);
}

} // namespace eb
