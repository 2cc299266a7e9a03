/* fasted: the engine on CUDA: FP16 tensor cores with FP32 sums, dist² = s_i + s_j − 2a (fasted_kernel.cuh). */
#include <cmath>
#include <cstdio>

#include "kernels/fasted_prepare.cuh"
#include "kernels/fasted_variants.cuh"
#include "kernels/tiled_engine.cuh"

extern "C" {
#include "kernels/cuda_engines.h"
}

namespace eb {

namespace {

const fasted_variant *find(uint32_t switches, output writes)
{
    const fasted_variant *found = find_fasted_best(switches, writes);
    return found ? found : find_fasted_paper(switches, writes);
}

/* The compiled variant for these switches; NULL: not compiled. A variant that appends hits also counts, given no room. */
const fasted_variant *choose(uint32_t switches, output writes)
{
    const fasted_variant *found = find(switches, writes);
    return found || writes != output::count ? found : find(switches, output::hits);
}

class fasted_rules {
  public:
    using point = __half;
    using squared = float;
    using panel = f16_panel;
    using arguments = fasted_arguments;
    static constexpr size_t side_of_tile = 128, depth = 64;

    struct side {
        static constexpr size_t bytes_a_row = sizeof(float) + sizeof(float2);
        device_array<float> norm;
        device_array<float2> level;
        eb_code reserve(size_t rows, eb_status *status)
        {
            EB_TRY(norm.reserve(rows, "making room for the norms", status));
            return level.reserve(rows, "making room for the norms", status);
        }
    };

    explicit fasted_rules(const eb_engine_options &options) : switches_(options.switches) {}

    eb_code usable(eb_status *status) const
    {
        char text[256];
        if (choose(switches_, output::hits))
            return EB_OK;
        eb_switches_format(switches_, text, sizeof text);
        return eb_fail(status, EB_NO_ENGINE, "no kernel is compiled for %s; compiled: paper, best, and each without one switch", text);
    }

    bool symmetric() const { return (switches_ & EB_SYMMETRIC) != 0; }

    int describe(char *buffer, size_t size) const
    {
        char text[256];
        eb_switches_format(switches_, text, sizeof text);
        return std::snprintf(buffer, size, "preset %s, mma.sync, FP32 sums", text);
    }

    /* q ≤ ε·ε compared exactly is q ≤ T, T the largest FP32 not above fl(ε·ε). */
    float threshold(double eps) const
    {
        const double e = eb_squared_threshold(eps);
        if (e >= 3.4028234663852886e38)
            return 3.4028234663852886e38f;
        const float t = static_cast<float>(e);
        return static_cast<double>(t) > e ? std::nextafterf(t, 0.0f) : t;
    }

    /* What runs for these switches; where a set has no variant of the wanted symmetry, the best preset's: the bits are the same. */
    tile_variant<fasted_arguments> variant(output writes, bool symmetric) const
    {
        const uint32_t mask = symmetric ? ~0u : ~EB_SYMMETRIC;
        const fasted_variant *v = writes == output::dense ? find(EB_PRESET_BEST, writes) : choose(switches_ & mask, writes);
        if (!v || (writes != output::dense && v->symmetric != symmetric))
            v = choose(EB_PRESET_BEST & mask, writes);
        return {v->kernel, v->rows, v->threads, v->shared_bytes, v->squares, v->symmetric, true};
    }

    eb_code norms(const __half *points, size_t count, size_t padded, size_t d_padded, side &of, cudaStream_t stream,
                  eb_status *status) const
    {
        norms_of<<<static_cast<unsigned>((padded + prepare_points_a_block - 1) / prepare_points_a_block), 32, 0, stream>>>(
            points, static_cast<uint32_t>(count), static_cast<uint32_t>(padded), static_cast<uint32_t>(d_padded), of.norm.get());
        EB_CUDA(cudaGetLastError(), "computing the norms");
        return EB_OK;
    }

    eb_code level(side &of, size_t count, size_t padded, float threshold, cudaStream_t stream, eb_status *status) const
    {
        levels_of<<<static_cast<unsigned>((padded + 255) / 256), 256, 0, stream>>>(
            of.norm.get(), static_cast<uint32_t>(count), static_cast<uint32_t>(padded), threshold, of.level.get());
        EB_CUDA(cudaGetLastError(), "preparing the norms");
        return EB_OK;
    }

    f16_panel view(const __half *points, const side &of, size_t at, size_t count, size_t first) const
    {
        return {points, of.level.get() + at, static_cast<uint32_t>(count), static_cast<uint32_t>(first)};
    }

  private:
    uint32_t switches_;
};

eb_code fasted_probe(const eb_device *device, eb_status *status)
{
    int architecture = 0;
    if (std::sscanf(device->architecture, "sm_%d", &architecture) == 1 && architecture >= 80)
        return EB_OK;
    return eb_fail(status, EB_NO_ENGINE, "%s (%s) has no FP16 mma with 16-deep steps; FASTED needs sm_80 or newer", device->model,
                   device->architecture);
}

double fasted_executed_flops(size_t n, size_t d, const eb_engine_options *options)
{
    const double pairs = static_cast<double>(n) * static_cast<double>(n);
    return (options->switches & EB_SYMMETRIC ? 1.0 : 2.0) * pairs * static_cast<double>(d);
}

using engine = tiled_engine<fasted_rules>;

} // namespace

} // namespace eb

extern "C" const eb_engine eb_engine_fasted_cuda = {
    "fasted",
    "FP16 tensor cores with FP32 sums, ‖p‖² + ‖q‖² − 2⟨p,q⟩ (FASTED, ICPP'25)",
    EB_DEVICE_CUDA,
    false,
    eb::fasted_probe,
    eb::engine::memory_needed,
    eb::engine::open,
    eb::engine::count,
    eb::engine::join,
    eb::engine::histogram,
    eb::engine::distances,
    eb::engine::close,
    eb::fasted_executed_flops,
    eb::engine::describe,
    EB_LIMIT_TENSOR_F16,
};
