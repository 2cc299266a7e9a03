/* engines: the two FP64 engines on CUDA. ref64: direct differences on CUDA cores, the truth. ted: tensor cores,
 * TED-Join's expansion, with FASTED's tiling and any d. They share everything but the kernel (tiled/engine.cuh).
 */
#include "kernels/fp64/rules.cuh"
#include "kernels/fp64/ted_kernel.cuh"

namespace eb {

namespace {

static_assert(f64_tile == ref64_tile && f64_tile == ted_tile && ref64_threads == ted_threads);

struct direct {
    static constexpr bool uses_norms = false;
    static constexpr double flops = 3; /* a subtraction and an FMA */
    static constexpr eb_limit limit = EB_LIMIT_F64;
    template <output writes, bool symmetric> static tile_variant<f64_arguments> kernel()
    {
        return {ref64_tiles<symmetric, writes>, ref64_tile, ref64_threads, ref64_shared_bytes, true, symmetric, false};
    }
};

struct expansion {
    static constexpr bool uses_norms = true;
    static constexpr double flops = 2;
    static constexpr eb_limit limit = EB_LIMIT_MMA_F64;
    template <output writes, bool symmetric> static tile_variant<f64_arguments> kernel()
    {
        return {ted_tiles<symmetric, writes>, ted_tile, ted_threads, ted_shared_bytes, true, symmetric, false};
    }
};

} // namespace

} // namespace eb

extern "C" const eb_implementation eb_ref64_cuda = eb::implementation_of<eb::f64_rules<eb::direct>>(eb::f64_probe);
extern "C" const eb_implementation eb_ted_cuda = eb::implementation_of<eb::f64_rules<eb::expansion>>(eb::f64_probe);
