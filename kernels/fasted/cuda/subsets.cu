#include "kernels/fasted/cuda/subsets.cuh"

#include "kernels/jit/kernels.cuh"

namespace eb {

namespace {

uint32_t kernel_of(uint32_t switches) { return switches | EB_RESIDENCY; }

bool is_built_in(uint32_t switches) { return kernel_of(switches) == EB_PRESET_PAPER; }

/* The shape depends on residency, the kernel does not: without residency a block requests more shared memory. */
fasted_variant variant_of_subset(uint32_t set, kernel_handle<fasted_arguments> kernel)
{
    const eb_block_shape of = eb_block_shape_of(set);
    const int resident = set & EB_WARP_TILE ? 0 : of.resident;
    return {set,
            output::hits,
            {kernel, of.rows, of.threads, of.shared_bytes, (set & EB_TILE_ORDER) != 0, false, true, 1, of.columns,
             resident}};
}

jit_wanted wanted_of(const fasted_asked &asked)
{
    using arguments = fasted_arguments;
    const auto number = [](size_t value) { return std::to_string(value); };
    return {"kernels/fasted/cuda/kernel.cuh",
            "eb::fasted_tiles<eb::fasted_shape<" + number(kernel_of(asked.switches)) + "u, eb::output::hits>>",
            "static_assert(sizeof(eb::fasted_arguments) == " + number(sizeof(arguments)) +
                " && alignof(eb::fasted_arguments) == " + number(alignof(arguments)) +
                " && sizeof(eb::fasted_arguments::b) == " + number(sizeof(arguments::b)) +
                " && sizeof(eb::fasted_arguments::threshold) == " + number(sizeof(arguments::threshold)) +
                " && sizeof(eb::fasted_arguments::out) == " + number(sizeof(arguments::out)) +
                ", \"as the host has it\");",
            asked.spec};
}

} // namespace

bool is_fasted_subset(uint32_t switches)
{
    const auto has = [&](uint32_t bit) { return (switches & bit) != 0; };
    return (switches & ~EB_PRESET_PAPER) == 0 && (has(EB_ASYNC_COPY) || !has(EB_PIPELINE)) &&
           (has(EB_WARP_TILE) || !has(EB_REGISTER_REUSE));
}

eb_code check_fasted_subset(const fasted_asked &asked, eb_status *status)
{
    return is_built_in(asked.switches) ? EB_OK : eb_jit_check(asked.spec, status);
}

eb_code prepare_fasted_subsets(const std::vector<fasted_asked> &asked, int device, unsigned threads, eb_job *job,
                               eb_status *status)
{
    std::vector<jit_wanted> wanted;
    std::vector<bool> taken(EB_PRESET_PAPER + 1);
    for (const fasted_asked &one : asked) {
        if (!is_fasted_subset(one.switches) || is_built_in(one.switches) || taken[kernel_of(one.switches)])
            continue;
        taken[kernel_of(one.switches)] = true;
        wanted.push_back(wanted_of(one));
    }
    return jit_prepare(wanted, device, threads, job, status);
}

eb_code find_fasted_subset(const fasted_asked &asked, fasted_variant *out, eb_status *status)
{
    cudaKernel_t loaded = nullptr;
    if (is_built_in(asked.switches)) {
        *out = variant_of_subset(asked.switches, fasted_tiles<fasted_shape<EB_PRESET_PAPER, output::hits>>);
        return EB_OK;
    }
    EB_TRY(jit_loaded(wanted_of(asked), &loaded, status));
    *out = variant_of_subset(asked.switches, kernel_handle<fasted_arguments>(loaded));
    return EB_OK;
}

} // namespace eb
