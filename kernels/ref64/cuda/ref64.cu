/* ref64 on a GPU: the FP64 reference by direct differences on CUDA cores. */
#include <utility>

#include "kernels/ref64/cuda/few.cuh"
#include "kernels/tiled/fp64_rules.cuh"

namespace eb {

namespace {

static_assert(f64_tile == ref64_tile);

struct direct {
    static constexpr bool uses_norms = false;
    static constexpr size_t depth = 2;
    static constexpr double flops = 3; /* a subtraction and an FMA */
    static constexpr eb_limit limit = EB_LIMIT_F64;

    template <output writes> static tile_variant<f64_arguments> kernel(size_t d, bool symmetric)
    {
        if constexpr (writes != output::dense)
            if (d <= few_most_d)
                return few<writes>(d, symmetric, std::make_index_sequence<few_most_d>());
        return {ref64_tiles<writes>, ref64_tile, ref64_threads, ref64_shared_bytes, true,
                symmetric,           false,      ref64_halves};
    }

    /* before: 0, 1, …, few_most_d − 1; kernel number k is for d = k + 1. */
    template <output writes, size_t... before>
    static tile_variant<f64_arguments> few(size_t d, bool symmetric, std::index_sequence<before...>)
    {
        static constexpr void (*kernel[])(f64_arguments) = {few_tiles<before + 1, writes>...};
        return {kernel[d - 1], ref64_tile, few_threads, eb_ref64_few_shared_bytes(static_cast<int>(d)),
                true,          symmetric,  false};
    }
};

} // namespace

} // namespace eb

extern "C" const eb_implementation eb_ref64_cuda = eb::implementation_of<eb::tiled_engine<eb::f64_rules<eb::direct>>>();
