#include "kernels/jit/kernels.cuh"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "kernels/device/gpu.cuh"

extern "C" {
#include "core/base/parallel.h"
#include "kernels/device/cuda.h"
}

namespace eb {

namespace {

/* A thread that compiles the kernel holds the lock; other threads wait. */
struct kept_kernel {
    std::mutex lock;
    cudaKernel_t kernel = nullptr;
};

/* Never destroyed: kernels live as long as the process. */
struct kept_kernels {
    std::mutex lock;
    std::map<std::string, std::unique_ptr<kept_kernel>> by_name;
    std::set<std::string> said; /* texts of asides, which a job may show at any later time */
};

kept_kernels &kept()
{
    static kept_kernels *all = new kept_kernels;
    return *all;
}

kept_kernel &kept_of(const jit_wanted &wanted, const char *architecture)
{
    const std::lock_guard<std::mutex> alone(kept().lock);
    std::unique_ptr<kept_kernel> &one =
        kept().by_name[std::string(architecture) + ' ' + wanted.source + ' ' + wanted.name];
    if (!one)
        one = std::make_unique<kept_kernel>();
    return *one;
}

const char *keep_text(const std::string &text)
{
    const std::lock_guard<std::mutex> alone(kept().lock);
    return kept().said.insert(text).first->c_str();
}

class owned_code {
  public:
    owned_code() = default;
    owned_code(const owned_code &) = delete;
    owned_code &operator=(const owned_code &) = delete;
    ~owned_code() { eb_jit_code_free(&code); }
    eb_jit_code code{};
};

eb_code architecture_of(int device, char out[EB_JIT_ARCHITECTURE], eb_status *status)
{
    int major = 0, minor = 0;
    EB_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "asking the GPU for its kind");
    EB_CUDA(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "asking the GPU for its kind");
    return eb_jit_architecture(major, minor, out, status);
}

#if CUDART_VERSION >= 12080

eb_code load(const eb_jit_code &code, cudaKernel_t *out, eb_status *status)
{
    const char *what = "loading a kernel compiled at run time";
    cudaLibrary_t library = nullptr;
    EB_CUDA(cudaLibraryLoadData(&library, code.bytes, nullptr, nullptr, 0, nullptr, nullptr, 0), what);
    EB_CUDA(cudaLibraryGetKernel(out, library, code.symbol), what);
    return EB_OK;
}

#else

eb_code load(const eb_jit_code &, cudaKernel_t *, eb_status *status)
{
    return eb_fail(status, EB_NO_ENGINE,
                   "kernels compiled at run time need a program built with the CUDA Toolkit 12.8 or newer");
}

#endif

eb_jit_kernel named(const jit_wanted &wanted)
{
    return {wanted.source.c_str(), wanted.name.c_str(), wanted.checks.c_str()};
}

/* Shared by the threads that compile. */
struct compiling {
    const std::vector<const jit_wanted *> &missing;
    const char *architecture;
    int device;
    eb_job *job;
    std::atomic<size_t> begun{0};
};

/* The chip's name without the compiler's suffix: sm_90 for "sm_90a". */
std::string chip_of(const char *architecture)
{
    std::string chip = architecture;
    if (chip.back() == 'a')
        chip.pop_back();
    return chip;
}

eb_code compile_one(void *context, uint64_t task, unsigned, eb_status *status)
{
    compiling &all = *static_cast<compiling *>(context);
    return guarded(status, [&]() -> eb_code {
        const jit_wanted &wanted = *all.missing[task];
        kept_kernel &one = kept_of(wanted, all.architecture);
        const std::lock_guard<std::mutex> alone(one.lock);
        owned_code made;
        const size_t number = all.begun.fetch_add(1) + 1;
        if (one.kernel)
            return EB_OK;
        eb_job_aside(all.job,
                     keep_text("compiling " + wanted.title + " for " + chip_of(all.architecture) + ", kernel " +
                               std::to_string(number) + " of " + std::to_string(all.missing.size())));
        EB_CUDA(cudaSetDevice(all.device), "choosing the GPU");
        const eb_jit_kernel kernel = named(wanted);
        EB_TRY(eb_jit_compile(&kernel, all.architecture, &made.code, status));
        return load(made.code, &one.kernel, status);
    });
}

/* Loads the kernel from the process or the cache. False if it has to be compiled. */
bool load_cached(const jit_wanted &wanted, const char *architecture)
{
    kept_kernel &one = kept_of(wanted, architecture);
    const std::lock_guard<std::mutex> alone(one.lock);
    owned_code found;
    const eb_jit_kernel kernel = named(wanted);
    return one.kernel ||
           (eb_jit_find(&kernel, architecture, &found.code) && load(found.code, &one.kernel, nullptr) == EB_OK);
}

} // namespace

eb_code jit_prepare(const std::vector<jit_wanted> &wanted, int device, unsigned threads, eb_job *job, eb_status *status)
{
    char architecture[EB_JIT_ARCHITECTURE];
    if (wanted.empty())
        return EB_OK;
    EB_TRY(eb_jit_check(wanted[0].title.c_str(), status));
    EB_CUDA(cudaSetDevice(device), "choosing the GPU");
    EB_TRY(architecture_of(device, architecture, status));
    std::vector<const jit_wanted *> missing;
    for (const jit_wanted &one : wanted)
        if (!load_cached(one, architecture))
            missing.push_back(&one);
    if (missing.empty())
        return EB_OK;
    compiling all{missing, architecture, device, job};
    const eb_code failed = eb_parallel(threads, missing.size(), compile_one, &all, job, status);
    eb_job_aside(job, nullptr);
    return failed;
}

eb_code jit_loaded(const jit_wanted &wanted, cudaKernel_t *out, eb_status *status)
{
    char architecture[EB_JIT_ARCHITECTURE];
    int device = 0;
    EB_CUDA(cudaGetDevice(&device), "asking which GPU is used");
    EB_TRY(architecture_of(device, architecture, status));
    kept_kernel &one = kept_of(wanted, architecture);
    const std::lock_guard<std::mutex> alone(one.lock);
    *out = one.kernel;
    return one.kernel ? EB_OK : eb_fail(status, EB_INTERNAL, "%s was not compiled before it ran", wanted.title.c_str());
}

} // namespace eb
