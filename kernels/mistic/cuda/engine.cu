/* mistic on CUDA: MiSTIC's tree (tree.cuh) with distances on CUDA cores (indexed/differences.cuh). mistic.c has the
 * engine's description. */
#include "kernels/indexed/difference_rules.cuh"
#include "kernels/mistic/cuda/tree.cuh"

namespace eb {

namespace {

/* Lanes per query; 0: eight queries share their candidates. */
uint32_t threads_a_point(const eb_options &options)
{
    const int choice = eb_option_choice(&options, "threads");
    return choice == 0 ? 0 : 1u << (choice - 1);
}

tree_settings settings_of(const eb_options &options)
{
    const uint32_t threads = threads_a_point(options);
    return {static_cast<uint32_t>(eb_option_number(&options, "levels")),
            static_cast<uint32_t>(eb_option_number(&options, "references")),
            static_cast<uint32_t>(eb_option_number(&options, "coordinates")),
            static_cast<uint64_t>(eb_option_number(&options, "split")),
            eb_option_choice(&options, "choice") == 0,
            threads == 0 ? queries_a_group : std::max(queries_a_group, 32 / threads)};
}

struct mistic_index : multi_space_tree {
    static constexpr bool by_root = false, has_threads = true;
    static uint32_t threads(const eb_options &options) { return threads_a_point(options); }

    explicit mistic_index(const eb_options &options) : multi_space_tree(settings_of(options)) {}
};

eb_code probe_mistic(const eb_device *device, const eb_options *options, eb_status *status)
{
    const tree_settings set = settings_of(*options);
    EB_TRY(eb_decide_check(options, status));
    if (set.references + set.coordinates == 0)
        return eb_fail(status, EB_USAGE, "a tree needs layers: references=0 and coordinates=0 leave none");
    return probe_architecture(device, options, status);
}

} // namespace

} // namespace eb

extern "C" const eb_implementation eb_mistic_cuda =
    eb::implementation_of<eb::indexed_engine<eb::difference_rules<eb::mistic_index>>>(eb::probe_mistic);
