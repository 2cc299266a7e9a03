/* engines: the two FP64 engines on CUDA. ref64: direct differences on CUDA cores, the truth. ted: tensor cores,
 * TED-Join's expansion, with FASTED's tiling and any d. They share everything but the kernel (tiled/engine.cuh).
 */
#include "kernels/fp64/rules.cuh"
#include "kernels/fp64/ted_kernel.cuh"

extern "C" {
#include "kernels/cuda_engines.h"
}

namespace eb {

namespace {

static_assert(f64_tile == ref64_tile && f64_tile == ted_tile && ref64_threads == ted_threads);

struct direct {
    static constexpr bool uses_norms = false;
    template <output writes, bool symmetric> static tile_variant<f64_arguments> kernel()
    {
        return {ref64_tiles<symmetric, writes>, ref64_tile, ref64_threads, ref64_shared_bytes, true, symmetric, false};
    }
};

struct expansion {
    static constexpr bool uses_norms = true;
    template <output writes, bool symmetric> static tile_variant<f64_arguments> kernel()
    {
        return {ted_tiles<symmetric, writes>, ted_tile, ted_threads, ted_shared_bytes, true, symmetric, false};
    }
};

/* Per pair and dimension: a subtraction and an FMA. */
double direct_flops(size_t n, size_t d, const eb_engine_options *)
{
    return 1.5 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(d);
}

double expansion_flops(size_t n, size_t d, const eb_engine_options *)
{
    return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(d);
}

} // namespace

} // namespace eb

extern "C" const eb_engine eb_engine_ref64_cuda =
    eb::f64_engine<eb::direct>("ref64", "the truth: FP64 differences on CUDA cores", true, EB_LIMIT_F64,
                               eb::direct_flops);

extern "C" const eb_engine eb_engine_ted_cuda =
    eb::f64_engine<eb::expansion>("ted",
                                  "FP64 tensor cores, ‖p‖² + ‖q‖² − 2⟨p,q⟩ (TED-Join's arithmetic, FASTED's tiling)",
                                  false, EB_LIMIT_TENSOR_F64, eb::expansion_flops);
