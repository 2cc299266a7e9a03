/* ted on FP64 tensor cores: TED-Join's expansion, with FASTED's tiling and any d. */
#include "kernels/fp64/rules.cuh"
#include "kernels/fp64/ted_kernel.cuh"

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

} // namespace

} // namespace eb

extern "C" const eb_implementation eb_ted_cuda =
    eb::implementation_of<eb::tiled_engine<eb::f64_rules<eb::expansion>>>();
