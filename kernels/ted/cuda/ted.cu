/* ted on CUDA: TED-Join's expansion on FP64 tensor cores. ted has FASTED's tiling and any d, or is TED-Join-Brute as
 * published (paper.cuh); ted-index is the published kernel over a grid. */
#include "kernels/device/one_of_two.cuh"
#include "kernels/ted/cuda/kernel.cuh"
#include "kernels/ted/cuda/paper_rules.cuh"
#include "kernels/tiled/fp64_rules.cuh"

namespace eb {

namespace {

static_assert(f64_tile == ted_tile);

struct expansion {
    static constexpr bool uses_norms = true;
    static constexpr size_t depth = 4;
    static constexpr double flops = 2;
    static constexpr eb_limit limit = EB_LIMIT_MMA_F64;

    template <output writes> static tile_variant<f64_arguments> kernel(size_t, bool symmetric)
    {
        return {ted_tiles<writes>, ted_tile, ted_threads, ted_shared_bytes, true, symmetric, false, ted_halves};
    }
};

bool as_published(const eb_options &options) { return eb_option_choice(&options, "kernel") == 0; }

eb_code probe_ted(const eb_device *device, const eb_options *options, eb_status *status)
{
    if (!as_published(*options) && eb_truth_decides(options))
        return eb_fail(status, EB_USAGE, "decide=truth needs the published kernel: ted[paper,decide=truth]");
    return probe_architecture(device, options, status);
}

using tiled = tiled_engine<f64_rules<expansion>>;
using published = indexed_engine<ted_paper_rules<false>>;

} // namespace

} // namespace eb

extern "C" const eb_implementation eb_ted_cuda =
    eb::implementation_of<eb::one_of_two_engines<eb::tiled, eb::published, eb::as_published>>(eb::probe_ted);

/* Here, because it uses the published kernels, too: a unit of its own would compile them again. */
extern "C" const eb_implementation eb_ted_index_cuda =
    eb::implementation_of<eb::indexed_engine<eb::ted_paper_rules<true>>>();
