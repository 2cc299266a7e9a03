/* gds on CUDA: GDS-Join's grid, order of dimensions, candidates and sums. gds.c has the engine's description. */
#include "kernels/grid/index.cuh"
#include "kernels/indexed/difference_rules.cuh"

namespace eb {

namespace {

struct gds_index : grid_index {
    static constexpr bool by_root = true, has_threads = false;
    static uint32_t threads(const eb_options &) { return 0; }

    explicit gds_index(const eb_options &options)
        : grid_index({static_cast<uint32_t>(eb_option_number(&options, "k")), queries_a_group,
                      eb_option_on(&options, "reorder"), eb_option_choice(&options, "queries") == 0})
    {
    }
};

eb_code probe_gds(const eb_device *device, const eb_options *options, eb_status *status)
{
    EB_TRY(eb_decide_check(options, status));
    return probe_architecture(device, options, status);
}

} // namespace

} // namespace eb

extern "C" const eb_implementation eb_gds_cuda =
    eb::implementation_of<eb::indexed_engine<eb::difference_rules<eb::gds_index>>>(eb::probe_gds);
