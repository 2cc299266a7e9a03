/* fp64_rules: the rules (tiled/engine.cuh) that FP64 engines share. An engine adds its arithmetic, a class with:
 * - uses_norms: true if its kernel needs ‖p‖²
 * - depth, flops, limit: as in rules
 * - kernel<writes>(d, symmetric): a tile_variant
 */
#pragma once

#include <cstdio>

#include "kernels/tiled/engine.cuh"
#include "kernels/tiled/settle.cuh"

namespace eb {

constexpr size_t f64_tile = 128;

/* ‖p‖² as an FMA chain, k ascending: the tensor core's product of a point with itself. */
static __global__ void f64_norms(const double *points, size_t n_padded, size_t d_padded, double *norm)
{
    const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    if (i >= n_padded)
        return;
    double s = 0;
    for (size_t k = 0; k < d_padded; k++) {
        const double p = points[i * d_padded + k];
        s = __fma_rn(p, p, s);
    }
    norm[i] = s;
}

template <class arithmetic> class f64_rules {
  public:
    using point = double;
    using squared = double;
    using panel = f64_panel;
    using arguments = f64_arguments;
    static constexpr size_t side_of_tile = f64_tile, depth = arithmetic::depth;
    static constexpr double flops = arithmetic::flops;
    static constexpr bool unsure = false;

    struct side {
        static constexpr size_t bytes_a_row = arithmetic::uses_norms ? sizeof(double) : 0;
        device_array<double> norm;
        eb_code reserve(size_t rows, eb_status *status)
        {
            return arithmetic::uses_norms ? norm.reserve(rows, "making room for the norms", status) : EB_OK;
        }
    };

    explicit f64_rules(const eb_options &) {}
    bool symmetric() const { return true; }
    bool sorts(size_t, size_t) const { return false; }
    eb_code order(const side &, size_t, size_t, side &, uint32_t *, cudaStream_t, eb_status *) const { return EB_OK; }
    eb_limit limit() const { return arithmetic::limit; }
    double threshold(double eps) const { return eb_squared_threshold(eps); }
    int describe(char *buffer, size_t size) const { return std::snprintf(buffer, size, "%s", ""); }

    tile_variant<f64_arguments> variant(output writes, bool symmetric, size_t d, size_t) const
    {
        return writes == output::dense   ? arithmetic::template kernel<output::dense>(d, symmetric)
               : writes == output::count ? arithmetic::template kernel<output::count>(d, symmetric)
                                         : arithmetic::template kernel<output::hits>(d, symmetric);
    }

    eb_code norms(const double *points, size_t, size_t padded, size_t d_padded, side &of, cudaStream_t stream,
                  eb_status *status) const
    {
        if constexpr (arithmetic::uses_norms) {
            f64_norms<<<static_cast<unsigned>((padded + 127) / 128), 128, 0, stream>>>(points, padded, d_padded,
                                                                                       of.norm.get());
            EB_CUDA(cudaGetLastError(), "computing the norms");
        }
        return EB_OK;
    }

    eb_code complete(const tile_variant<f64_arguments> &v, f64_arguments &args, eb_status *) const
    {
        args.symmetric = v.symmetric;
        return EB_OK;
    }
    eb_code level(side &, size_t, size_t, double, cudaStream_t, eb_status *) const { return EB_OK; }

    f64_panel view(const double *points, const side &of, size_t at, size_t count, size_t first) const
    {
        const double *norm = arithmetic::uses_norms ? of.norm.get() + at : nullptr;
        return {points, norm, static_cast<uint32_t>(count), static_cast<uint32_t>(first)};
    }
};

} // namespace eb
