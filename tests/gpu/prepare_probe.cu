/* prepare_probe: engine tensor's preparer behind C functions, with device arrays that are copied to the host. */
#include "kernels/tensor/cuda/prepare.cuh"

#include "tests/gpu/prepare_probe.h"

struct eb_prepare_probe {
    const eb_rung *rung;
    cudaStream_t stream;
    eb::point_preparer preparer;
};

namespace {

constexpr const char *probing = "probing the preparation of points";

template <class T> eb_code fill(eb::device_array<T> &array, const T *wanted, size_t count, eb_status *status)
{
    if (!wanted)
        return EB_OK;
    EB_TRY(array.reserve(count, probing, status));
    EB_CUDA(cudaMemset(array.get(), 0xee, count * sizeof(T)), probing);
    return EB_OK;
}

template <class T> eb_code fetch(const eb::device_array<T> &array, T *out, size_t count, eb_status *status)
{
    if (out)
        EB_CUDA(cudaMemcpy(out, array.get(), count * sizeof(T), cudaMemcpyDeviceToHost), probing);
    return EB_OK;
}

eb_code open_probe(eb_prepare_probe &probe, const eb_problem *problem, const eb_context *context,
                   eb_prepare_facts *facts, eb_status *status)
{
    EB_CUDA(cudaSetDevice(context->device->index), probing);
    EB_CUDA(cudaStreamCreate(&probe.stream), probing);
    EB_TRY(probe.preparer.begin(probe.rung, "tensor", problem, context, probe.stream, status));
    *facts = {probe.preparer.frame(), probe.preparer.unit(), probe.preparer.debias(),
              eb::prepared_row_bytes(*probe.rung, problem->left->d),
              eb::prepared_products(*probe.rung, problem->left->d)};
    return EB_OK;
}

eb_code load_probe(eb_prepare_probe &probe, const eb_dataset *from, const uint32_t *number, size_t first, size_t count,
                   size_t padded, const eb_prepared_points &out, eb_status *status)
{
    const size_t bytes = padded * eb::prepared_row_bytes(*probe.rung, from->d);
    eb::device_array<unsigned char> rows, columns;
    eb::device_array<float> norm, step;
    eb::device_array<double> square;
    EB_TRY(fill(rows, out.rows, bytes, status));
    EB_TRY(fill(columns, out.columns, bytes, status));
    EB_TRY(fill(norm, out.norm, padded, status));
    EB_TRY(fill(step, out.step, padded, status));
    EB_TRY(fill(square, out.square, padded, status));
    const eb::prepared_rows to = {rows.get(), columns.get(), padded, norm.get(), square.get(), step.get()};
    EB_TRY(probe.preparer.load(from, number, first, count, to, probe.stream, status));
    EB_CUDA(cudaStreamSynchronize(probe.stream), probing);
    EB_TRY(fetch(rows, out.rows, bytes, status));
    EB_TRY(fetch(columns, out.columns, bytes, status));
    EB_TRY(fetch(norm, out.norm, padded, status));
    EB_TRY(fetch(step, out.step, padded, status));
    return fetch(square, out.square, padded, status);
}

} // namespace

eb_code test_prepare_open(const eb_rung *rung, const eb_problem *problem, const eb_context *context,
                          eb_prepare_probe **out, eb_prepare_facts *facts, eb_status *status)
{
    return eb::guarded(status, [&] {
        *out = new eb_prepare_probe{rung, nullptr, {}};
        return open_probe(**out, problem, context, facts, status);
    });
}

void test_prepare_close(eb_prepare_probe *probe)
{
    if (probe && probe->stream)
        (void)cudaStreamDestroy(probe->stream);
    delete probe;
}

eb_code test_prepare_load(eb_prepare_probe *probe, const eb_dataset *from, const uint32_t *number, size_t first,
                          size_t count, size_t padded, const eb_prepared_points *out, uint64_t *beyond, uint64_t *moved,
                          eb_status *status)
{
    return eb::guarded(status, [&] {
        const eb_code failed = load_probe(*probe, from, number, first, count, padded, *out, status);
        *beyond = probe->preparer.beyond();
        *moved = probe->preparer.moved();
        return failed;
    });
}
