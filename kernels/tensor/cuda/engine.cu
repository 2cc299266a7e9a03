/* tensor on CUDA: distances by the tensor cores in any of their number types. The options choose the arithmetic, and so
 * which of the tiled engines (tiled/engine.cuh) answers. */
#include "kernels/ted/cuda/expansion.cuh"
#include "kernels/tensor/cuda/rules.cuh"

namespace eb {

namespace {

/* ---- FP64: ted's kernels ---- */

class f64_tensor_rules : public f64_rules<ted_expansion> {
  public:
    using base = f64_rules<ted_expansion>;
    using side = base::side;

    explicit f64_tensor_rules(const eb_options &options) : base(options), rung_(tensor_rung_here(options)) {}

    size_t padded(size_t d) const { return prepared_row_bytes(rung_, d) / sizeof(double); }
    size_t products(size_t d) const { return d; }
    size_t bytes_a_row(size_t d) const { return prepared_row_bytes(rung_, d) + side::bytes_a_row; }
    size_t staging(const eb_dataset *points) const { return preparing_bytes(points); }
    double scale() const { return points_.unit(); }

    eb_code begin(const eb_problem &problem, const eb_context &context, eb_status *status)
    {
        return points_.begin(&rung_, "tensor", &problem, &context, nullptr, status);
    }
    eb_code load(const eb_dataset *from, const uint32_t *number, size_t first, size_t count, size_t padded,
                 size_t d_padded, double *points, side &of, cudaStream_t stream, const eb_context *, eb_status *status)
    {
        EB_TRY(points_.load(from, number, first, count,
                            {reinterpret_cast<unsigned char *>(points), nullptr, padded, nullptr, nullptr, nullptr},
                            stream, status));
        return norms(points, count, padded, d_padded, of, stream, status);
    }
    double threshold(double eps) const { return largest_within<double>(scale(), eb_squared_threshold(eps)); }
    int describe(char *buffer, size_t size) const { return describe_tensor(rung_, points_, false, 1, buffer, size); }

  private:
    eb_rung rung_;
    point_preparer points_;
};

/* ---- one of the engines ---- */

class tensor_engine {
  public:
    static tensor_engine *make(const eb_problem *problem, const eb_context *context);

    /* TF32's rows, the longest of one part, and their stored values. */
    static uint64_t memory_needed(size_t n, size_t d, eb_dtype)
    {
        return (n + 256) * static_cast<uint64_t>(round_up(d * sizeof(float), row_bytes) + 32);
    }
    virtual ~tensor_engine() = default;
    virtual const eb_context &context() const = 0;
    virtual const char *describe() const = 0;
    virtual eb_code begin(eb_status *status) = 0;
    virtual eb_code count(const eb_question &, const eb_share &, uint64_t *, eb_status *) = 0;
    virtual eb_code join(const eb_question &, const eb_share &, const eb_sink *, eb_status *) = 0;
    virtual eb_code histogram(eb_distance_pass *, eb_status *) = 0;
    virtual eb_code distances(const uint32_t *, size_t, double *, eb_status *) = 0;
    virtual eb_code bins(const uint32_t *, size_t, eb_bins *, eb_status *) = 0;
    virtual eb_code self(double *, eb_status *) = 0;
};

template <class rules> class engine_of final : public tensor_engine {
  public:
    engine_of(const eb_problem *problem, const eb_context *context) : engine_(problem, context) {}
    const eb_context &context() const override { return engine_.context(); }
    const char *describe() const override { return engine_.describe(); }
    eb_code begin(eb_status *status) override { return engine_.begin(status); }
    eb_code count(const eb_question &question, const eb_share &share, uint64_t *entries, eb_status *status) override
    {
        return engine_.count(question, share, entries, status);
    }
    eb_code join(const eb_question &question, const eb_share &share, const eb_sink *sink, eb_status *status) override
    {
        return engine_.join(question, share, sink, status);
    }
    eb_code histogram(eb_distance_pass *pass, eb_status *status) override { return engine_.histogram(pass, status); }
    eb_code distances(const uint32_t *rows, size_t m, double *out, eb_status *status) override
    {
        return engine_.distances(rows, m, out, status);
    }
    eb_code bins(const uint32_t *rows, size_t m, eb_bins *out, eb_status *status) override
    {
        return engine_.bins(rows, m, out, status);
    }
    eb_code self(double *out, eb_status *status) override { return engine_.self(out, status); }

  private:
    tiled_engine<rules> engine_;
};

/* Plain S8: whole numbers below 2^32 from end to end. */
bool is_bytes(const eb_rung &rung, size_t d) { return rung.parts == 1 && !rung.debiased && d <= EB_BYTES_MOST_D; }

tensor_engine *tensor_engine::make(const eb_problem *problem, const eb_context *context)
{
    const eb_rung rung = tensor_rung_here(context->options);
    if (eb_rung_is_float(&rung))
        return new engine_of<tensor_rules<chain_numbers>>(problem, context);
    if (rung.number == EB_F64_NUMBER)
        return new engine_of<f64_tensor_rules>(problem, context);
    if (rung.step_a_point)
        return new engine_of<tensor_rules<stepped_products>>(problem, context);
    if (is_bytes(rung, problem->left->d))
        return new engine_of<tensor_rules<byte_numbers>>(problem, context);
    return new engine_of<tensor_rules<wide_products>>(problem, context);
}

eb_code tensor_probe(const eb_device *device, const eb_options *options, eb_status *status)
{
    const int architecture = architecture_of(device);
    eb_rung rung;
    EB_TRY(probe_architecture(device, options, status));
    EB_TRY(eb_rung_on(options, eb_core_of_architecture(architecture), &rung, status));
    const bool fp8 = rung.number == EB_E4M3_NUMBER || rung.number == EB_E5M2_NUMBER;
    if (fp8 && architecture != 90)
        return eb_fail(status, EB_NO_ENGINE,
                       "this build has FP8 kernels for sm_90 alone, and %s is %s; add device=cpu,core=sm_89",
                       device->model, device->architecture);
    return EB_OK;
}

} // namespace

} // namespace eb

extern "C" {
extern const eb_implementation eb_tensor_cuda;
const eb_implementation eb_tensor_cuda =
    eb::implementation_with_self<eb::tensor_engine>(eb::implementation_of<eb::tensor_engine>(eb::tensor_probe));
}
