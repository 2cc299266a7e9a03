/* fasted: the engine on CUDA: FP16 tensor cores with FP32 sums, dist² = s_i + s_j − 2a (kernel.cuh, warpgroup.cuh). */
#include <cmath>
#include <cstdio>

#include <cuda.h>

#include "kernels/fasted/prepare.cuh"
#include "kernels/fasted/variants.cuh"
#include "kernels/tiled/engine.cuh"

namespace eb {

namespace {

/* A compiled variant; NULL: there is none. One that appends hits also counts, given no room. */
const fasted_variant *find(uint32_t asked, output writes)
{
    const uint32_t switches = asked & EB_WARPGROUP ? asked | EB_OUTSIDE_KERNELS : asked;
    const fasted_variant *v = nullptr;
    for (const output w : {writes, output::hits}) {
        v = v ? v : find_fasted_hopper(switches, w);
        v = v ? v : find_fasted_best(switches, w);
        v = v ? v : find_fasted_paper(switches, w);
        if (v || writes != output::count)
            break;
    }
    return v;
}

/* The options as a mask. */
uint32_t switches_of(const eb_options &options)
{
    uint32_t set = 0;
#define EB_TAKE_SWITCH(bit, name, presets, needs, published, help) set |= eb_option_on(&options, name) ? bit : 0;
    EB_FASTED_SWITCHES(EB_TAKE_SWITCH)
#undef EB_TAKE_SWITCH
    return set;
}

/* As a device with or without wgmma can use them. */
uint32_t switches_there(uint32_t switches, bool warpgroups)
{
    return warpgroups && switches & EB_WARPGROUP ? switches | EB_IN_WARPGROUP : switches & ~EB_OF_WARPGROUP;
}

/* Whether the current device has wgmma. */
bool has_warpgroups()
{
    int device = 0, major = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess && major == 9;
}

/* `count` points as a matrix that the TMA unit copies boxes of: rows behind the last come as zeros. The driver makes
 * it. */
eb_code map_points(const f16_panel &panel, size_t d_padded, CUtensorMap *map, eb_status *status)
{
    using encode = decltype(&cuTensorMapEncodeTiled);
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    EB_CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found),
            "asking the driver for tensor maps");
    if (found != cudaDriverEntryPointSuccess || !entry)
        return eb_fail(status, EB_NO_DEVICE, "the NVIDIA driver is too old for this GPU's tensor maps; update it");
    const cuuint64_t size[] = {d_padded, panel.count}, stride[] = {d_padded * sizeof(__half)};
    const cuuint32_t box[] = {64, 128}, step[] = {1, 1};
    const CUresult result = reinterpret_cast<encode>(
        entry)(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, const_cast<__half *>(panel.points), size, stride, box, step,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return result == CUDA_SUCCESS
               ? EB_OK
               : eb_fail(status, EB_INTERNAL, "the driver makes no tensor map of %u × %zu points: error %d",
                         panel.count, d_padded, static_cast<int>(result));
}

/* Strips want short rows, and so many tiles that their tails are little beside all of them. An order by norms costs a
 * sort and a copy, which small joins and long rows do not win back. */
constexpr size_t longest_strip = 256, most_sorted = 256; /* dimensions */
constexpr size_t points_for_strips = size_t{1} << 18, points_to_sort = size_t{1} << 17;

class fasted_rules {
  public:
    using point = __half;
    using squared = float;
    using panel = f16_panel;
    using arguments = fasted_arguments;
    static constexpr size_t side_of_tile = 128, depth = 64;
    static_assert(longest_strip % depth == 0, "as many dimensions as padding makes of them");
    static constexpr double flops = 2;
    static constexpr bool unsure = false;

    struct side {
        static constexpr size_t bytes_a_row =
            sizeof(float) + sizeof(float2) +
            (sizeof(column_levels) + column_levels::points - 1) / column_levels::points;
        device_array<float> norm;
        device_array<float2> level;
        device_array<column_levels> columns;
        eb_code reserve(size_t rows, eb_status *status)
        {
            EB_TRY(norm.reserve(rows, "making room for the norms", status));
            EB_TRY(level.reserve(rows, "making room for the norms", status));
            return columns.reserve(blocks_of(rows), "making room for the norms", status);
        }
        static size_t blocks_of(size_t rows) { return (rows + column_levels::points - 1) / column_levels::points; }
    };

    explicit fasted_rules(const eb_options &options)
        : switches_(switches_there(switches_of(options), has_warpgroups())),
          norms_(static_cast<eb_fasted_norms>(eb_option_choice(&options, "norms")))
    {
        (void)eb_options_text(&options, asked_, sizeof asked_);
    }

    bool symmetric() const { return (switches_ & EB_SYMMETRIC) != 0; }
    bool sorts(size_t points, size_t d_padded) const
    {
        return (switches_ & EB_SORTED_NORMS) != 0 && points >= points_to_sort && d_padded <= most_sorted;
    }
    eb_limit limit() const { return switches_ & EB_WARPGROUP ? EB_LIMIT_WGMMA_F16 : EB_LIMIT_MMA_F16; }

    int describe(char *buffer, size_t size) const
    {
        return std::snprintf(buffer, size, "preset %s, %s, FP32 sums", asked_[0] ? asked_ : "best",
                             switches_ & EB_WARPGROUP ? "wgmma" : "mma.sync");
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

    /* What runs for these switches; where a set has no variant of the wanted symmetry, the best preset's: the bits are
     * the same. */
    tile_variant<fasted_arguments> variant(output writes, bool symmetric, size_t d, size_t points) const
    {
        const uint32_t mma_sync_best = EB_PRESET_BEST & ~EB_OF_WARPGROUP;
        const uint32_t mask = (symmetric ? ~0u : ~EB_SYMMETRIC) & (strips(d, points) ? ~0u : ~EB_STRIPS);
        const fasted_variant *v =
            writes == output::dense ? find(mma_sync_best, writes) : find(switches_ & mask, writes);
        if (!v || (writes != output::dense && v->symmetric != symmetric))
            v = find(mma_sync_best & mask, writes);
        return {v->kernel, v->rows,    v->threads, v->shared_bytes, v->squares, v->symmetric,
                true,      v->cluster, v->columns, v->resident,     v->bands};
    }

    eb_code complete(const tile_variant<fasted_arguments> &v, fasted_arguments &args, eb_status *status)
    {
        if (!queue_.get()) {
            EB_TRY(queue_.reserve(2, "making a queue of tiles", status));
            EB_CUDA(cudaMemset(queue_.get(), 0, 2 * sizeof(uint32_t)), "making a queue of tiles");
        }
        args.queue = queue_.get();
        if (v.cluster == 1)
            return EB_OK;
        EB_TRY(map_points(args.a, args.d_padded, &args.a_map, status));
        return map_points(args.b, args.d_padded, &args.b_map, status);
    }

    eb_code norms(const __half *points, size_t count, size_t padded, size_t d_padded, side &of, cudaStream_t stream,
                  eb_status *status) const
    {
        const auto kernel = norms_ == EB_NORMS_FP64    ? norms_of<EB_NORMS_FP64, double>
                            : norms_ == EB_NORMS_CHAIN ? norms_of<EB_NORMS_CHAIN, float>
                                                       : norms_of<EB_NORMS_AUTHORS, float>;
        kernel<<<static_cast<unsigned>((padded + prepare_points_a_block - 1) / prepare_points_a_block), 32, 0,
                 stream>>>(points, static_cast<uint32_t>(count), static_cast<uint32_t>(padded),
                           static_cast<uint32_t>(d_padded), of.norm.get());
        EB_CUDA(cudaGetLastError(), "computing the norms");
        return EB_OK;
    }

    /* The panel's sides in order of their norms: point[k] is the one at place k. */
    eb_code order(const side &from, size_t count, side &to, uint32_t *point, cudaStream_t stream,
                  eb_status *status) const
    {
        EB_TRY(order_by(from.norm.get(), count, point, stream, status));
        return gather_values(from.norm.get(), point, count, to.norm.get(), stream, status);
    }

    eb_code level(side &of, size_t count, size_t padded, float threshold, cudaStream_t stream, eb_status *status) const
    {
        levels_of<<<static_cast<unsigned>(side::blocks_of(padded)), column_levels::points, 0, stream>>>(
            of.norm.get(), static_cast<uint32_t>(count), static_cast<uint32_t>(padded), threshold, of.level.get(),
            of.columns.get());
        EB_CUDA(cudaGetLastError(), "preparing the norms");
        return EB_OK;
    }

    f16_panel view(const __half *points, const side &of, size_t at, size_t count, size_t first) const
    {
        return {points, of.level.get() + at, at == 0 ? of.columns.get() : nullptr, static_cast<uint32_t>(count),
                static_cast<uint32_t>(first)};
    }

  private:
    static bool strips(size_t d, size_t points) { return d <= longest_strip && points >= points_for_strips; }

    uint32_t switches_; /* as this device can use them */
    eb_fasted_norms norms_;
    device_array<uint32_t> queue_; /* of tiles (shape.cuh) */
    char asked_[EB_OPTIONS_TEXT];
};

eb_code fasted_probe(const eb_device *device, const eb_options *options, eb_status *status)
{
    char text[EB_OPTIONS_TEXT];
    int architecture = 0;
    const uint32_t switches = switches_of(*options);
    if (std::sscanf(device->architecture, "sm_%d", &architecture) != 1 || architecture < 80)
        return eb_fail(status, EB_NO_ENGINE, "%s (%s) has no FP16 mma with 16-deep steps; FASTED needs sm_80 or newer",
                       device->model, device->architecture);
    if (find(switches_there(switches, architecture == 90), output::hits))
        return EB_OK;
    return eb_fail(status, EB_NO_ENGINE,
                   "no kernel is compiled for fasted[%s]; compiled: paper, best, and each without one switch",
                   eb_options_text(options, text, sizeof text));
}

} // namespace

} // namespace eb

extern "C" const eb_implementation eb_fasted_cuda = eb::implementation_of<eb::fasted_rules>(eb::fasted_probe);
