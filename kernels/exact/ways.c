#include "kernels/exact/ways.h"

extern const eb_engine eb_engine_ref64;
extern const eb_implementation eb_ref64_cpu;

static double dimensions(const eb_estimate *estimate) { return (double)estimate->problem->left->d; }

/* tests/bench/cpu.md: on a thread a pair takes 0.1 ns and 0.03 ns a coordinate, by the filter and by integers. */
static double cost_on_cpu(const eb_estimate *estimate, const eb_context *context)
{
    return estimate->pairs * (1e-10 + 3e-11 * dimensions(estimate)) / context->threads;
}

static const eb_way ref64_on_cpu = {.name = "ref64",
                                    .run = &eb_ref64_cpu,
                                    .options = &eb_engine_ref64.options,
                                    .cost = cost_on_cpu};

extern const eb_way eb_way_boxes_cpu;

static const eb_way *const on_cpu[] = {&eb_way_boxes_cpu, &ref64_on_cpu};

#ifdef EB_HAVE_CUDA
extern const eb_implementation eb_ref64_cuda;
extern const eb_way eb_way_boxes_cuda, eb_way_fp16_cuda, eb_way_int8_cuda, eb_way_integers_cuda;

/* tests/bench/gpu.md: 0.145 ps a coordinate of a pair where FMA alone reach 33 TFLOPS. */
static double cost_on_cuda(const eb_estimate *estimate, const eb_context *context)
{
    const double limit = context->device->limit[EB_LIMIT_F64];
    return estimate->pairs * 1.45e-13 * dimensions(estimate) * (limit > 0 ? 33e12 / limit : 1);
}

static const eb_way ref64_on_cuda = {.name = "ref64",
                                     .run = &eb_ref64_cuda,
                                     .options = &eb_engine_ref64.options,
                                     .cost = cost_on_cuda};

static const eb_way *const on_cuda[] = {&eb_way_boxes_cuda, &eb_way_integers_cuda, &eb_way_fp16_cuda, &eb_way_int8_cuda,
                                        &ref64_on_cuda};
#endif

const eb_way *eb_way_at(eb_device_kind kind, size_t index)
{
#ifdef EB_HAVE_CUDA
    if (kind == EB_DEVICE_CUDA)
        return index < sizeof on_cuda / sizeof on_cuda[0] ? on_cuda[index] : NULL;
#endif
    return kind == EB_DEVICE_CPU && index < sizeof on_cpu / sizeof on_cpu[0] ? on_cpu[index] : NULL;
}
