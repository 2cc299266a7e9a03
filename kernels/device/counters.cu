/* counters: collects hardware counters with CUPTI's range profiler. One user range encloses the work; with user replay,
 * the work runs once per pass. */
extern "C" {
#include "core/base/clock.h"
#include "kernels/device/counters.h"
}

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

/* The toolkit's CUPTI package has these headers. */
#if __has_include(<cupti_profiler_host.h>) && __has_include(<cupti_range_profiler.h>)
#define EB_HAVE_CUPTI 1
#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <dlfcn.h>
#endif

#include "kernels/device/gpu.cuh"

#ifdef EB_HAVE_CUPTI

namespace {

std::vector<const char *> metric_names()
{
    std::vector<const char *> names;
    for (size_t k = 0; k < eb_counter_count(); k++) {
        names.push_back(eb_counter_at(k)->first);
        if (eb_counter_at(k)->second)
            names.push_back(eb_counter_at(k)->second);
    }
    return names;
}

/* The CUPTI functions used here; ready: the library has all of them. */
struct cupti {
#define EB_CUPTI_FUNCTIONS(X)                                                                                          \
    X(cuptiGetResultString)                                                                                            \
    X(cuptiProfilerInitialize)                                                                                         \
    X(cuptiDeviceGetChipName)                                                                                          \
    X(cuptiProfilerGetCounterAvailability)                                                                             \
    X(cuptiProfilerHostInitialize)                                                                                     \
    X(cuptiProfilerHostDeinitialize)                                                                                   \
    X(cuptiProfilerHostConfigAddMetrics)                                                                               \
    X(cuptiProfilerHostGetConfigImageSize)                                                                             \
    X(cuptiProfilerHostGetConfigImage)                                                                                 \
    X(cuptiProfilerHostGetNumOfPasses)                                                                                 \
    X(cuptiProfilerHostEvaluateToGpuValues)                                                                            \
    X(cuptiRangeProfilerEnable)                                                                                        \
    X(cuptiRangeProfilerDisable)                                                                                       \
    X(cuptiRangeProfilerGetCounterDataSize)                                                                            \
    X(cuptiRangeProfilerCounterDataImageInitialize)                                                                    \
    X(cuptiRangeProfilerSetConfig)                                                                                     \
    X(cuptiRangeProfilerStart)                                                                                         \
    X(cuptiRangeProfilerStop)                                                                                          \
    X(cuptiRangeProfilerPushRange)                                                                                     \
    X(cuptiRangeProfilerPopRange)                                                                                      \
    X(cuptiRangeProfilerDecodeData)
#define X(name) decltype(&::name) name = nullptr;
    EB_CUPTI_FUNCTIONS(X)
#undef X
    bool ready = false;
};

const cupti &library()
{
    static const cupti loaded = [] {
        cupti l;
        void *handle = nullptr;
        for (const char *name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so", "/usr/local/cuda/lib64/libcupti.so",
                                 "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"})
            if (!handle)
                handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        l.ready = handle != nullptr;
#define X(name) l.ready = l.ready && (l.name = reinterpret_cast<decltype(&::name)>(dlsym(handle, #name))) != nullptr;
        EB_CUPTI_FUNCTIONS(X)
#undef X
        return l;
    }();
    return loaded;
}

eb_code fail_missing(eb_status *status)
{
    return eb_fail(
        status, EB_NO_DEVICE,
        "CUPTI is missing or too old: install the CUDA Toolkit's CUPTI package (libcupti.so of CUDA 12.6 or newer)");
}

eb_code fail_cupti(CUptiResult result, const char *what, eb_status *status)
{
    if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ||
        result == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES)
        return eb_fail(status, EB_NO_DEVICE,
                       "the driver allows only administrators to read hardware counters: run as root, or load the "
                       "nvidia module with "
                       "NVreg_RestrictProfilingToAdminUsers=0");
    const char *text = nullptr;
    (void)library().cuptiGetResultString(result, &text);
    return eb_fail(status, EB_NO_DEVICE, "%s: %s", what, text ? text : "unknown CUPTI error");
}

#define EB_CUPTI(call, what)                                                                                           \
    do {                                                                                                               \
        const CUptiResult eb_result = (call);                                                                          \
        if (eb_result != CUPTI_SUCCESS)                                                                                \
            return fail_cupti(eb_result, what, status);                                                                \
    } while (0)

/* Declares a parameter block: its size is set, all else is zero. */
#define EB_PARAMETERS(type, name)                                                                                      \
    type name{};                                                                                                       \
    name.structSize = type##_STRUCT_SIZE

/* The host half: which metrics to schedule for a chip. */
class configuration {
  public:
    configuration() = default;
    configuration(const configuration &) = delete;
    configuration &operator=(const configuration &) = delete;
    ~configuration()
    {
        EB_PARAMETERS(CUpti_Profiler_Host_Deinitialize_Params, end);
        end.pHostObject = host_;
        if (host_)
            (void)library().cuptiProfilerHostDeinitialize(&end);
    }

    eb_code begin(const char *chip, const uint8_t *availability, eb_status *status)
    {
        EB_PARAMETERS(CUpti_Profiler_Host_Initialize_Params, begin);
        begin.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
        begin.pChipName = chip;
        begin.pCounterAvailabilityImage = availability;
        EB_CUPTI(library().cuptiProfilerHostInitialize(&begin), "CUPTI does not know this chip");
        host_ = begin.pHostObject;
        return EB_OK;
    }

    CUptiResult add(const char **names, size_t count)
    {
        EB_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
        add.pHostObject = host_;
        add.ppMetricNames = names;
        add.numMetrics = count;
        return library().cuptiProfilerHostConfigAddMetrics(&add);
    }

    /* Removes from names the metrics that the chip lacks (such as wgmma before Hopper). Each metric is tried on an
     * object of its own: an object that has refused one metric refuses all later ones, and metrics added one by one do
     * not share passes as metrics added together do. */
    eb_code make(const char *chip, const uint8_t *availability, std::vector<const char *> &names, eb_status *status)
    {
        const cupti &l = library();
        std::vector<const char *> known;
        for (const char *name : names) {
            configuration trial;
            EB_TRY(trial.begin(chip, availability, status));
            if (trial.add(&name, 1) == CUPTI_SUCCESS)
                known.push_back(name);
        }
        names = known;
        if (names.empty())
            return eb_fail(status, EB_NO_DEVICE, "CUPTI knows none of the counters on chip %s", chip);
        EB_TRY(begin(chip, availability, status));
        EB_CUPTI(add(names.data(), names.size()), "CUPTI refuses the counters");
        EB_PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
        size.pHostObject = host_;
        EB_CUPTI(l.cuptiProfilerHostGetConfigImageSize(&size), "CUPTI makes no configuration");
        image.resize(size.configImageSize);
        EB_PARAMETERS(CUpti_Profiler_Host_GetConfigImage_Params, get);
        get.pHostObject = host_;
        get.configImageSize = image.size();
        get.pConfigImage = image.data();
        EB_CUPTI(l.cuptiProfilerHostGetConfigImage(&get), "CUPTI makes no configuration");
        EB_PARAMETERS(CUpti_Profiler_Host_GetNumOfPasses_Params, count);
        count.configImageSize = image.size();
        count.pConfigImage = image.data();
        EB_CUPTI(l.cuptiProfilerHostGetNumOfPasses(&count), "CUPTI counts no passes");
        passes = count.numOfPasses;
        return EB_OK;
    }

    eb_code evaluate(const std::vector<uint8_t> &data, std::vector<const char *> &names, std::vector<double> &values,
                     eb_status *status) const
    {
        values.assign(names.size(), NAN);
        EB_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, evaluate);
        evaluate.pHostObject = host_;
        evaluate.pCounterDataImage = data.data();
        evaluate.counterDataImageSize = data.size();
        evaluate.ppMetricNames = names.data();
        evaluate.numMetrics = names.size();
        evaluate.pMetricValues = values.data();
        EB_CUPTI(library().cuptiProfilerHostEvaluateToGpuValues(&evaluate), "CUPTI evaluates no counters");
        return EB_OK;
    }

    std::vector<uint8_t> image;
    size_t passes = 0;

  private:
    CUpti_Profiler_Host_Object *host_ = nullptr;
};

/* The device half: a profiler on a device's context, enabled until it is destroyed. */
class range_profiler {
  public:
    explicit range_profiler(int device) : device_(device) {}
    range_profiler(const range_profiler &) = delete;
    range_profiler &operator=(const range_profiler &) = delete;
    ~range_profiler()
    {
        EB_PARAMETERS(CUpti_RangeProfiler_Disable_Params, end);
        end.pRangeProfilerObject = object_;
        if (object_)
            (void)library().cuptiRangeProfilerDisable(&end);
    }

    eb_code enable(CUcontext context, const configuration &config, std::vector<const char *> &names, eb_status *status)
    {
        const cupti &l = library();
        EB_PARAMETERS(CUpti_RangeProfiler_Enable_Params, begin);
        begin.ctx = context;
        EB_CUPTI(l.cuptiRangeProfilerEnable(&begin), "the range profiler does not start");
        object_ = begin.pRangeProfilerObject;
        EB_PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
        size.pRangeProfilerObject = object_;
        size.pMetricNames = names.data();
        size.numMetrics = names.size();
        size.maxNumOfRanges = 1;
        size.maxNumRangeTreeNodes = 1;
        EB_CUPTI(l.cuptiRangeProfilerGetCounterDataSize(&size), "the range profiler has no room");
        data.resize(size.counterDataSize);
        EB_PARAMETERS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, image);
        image.pRangeProfilerObject = object_;
        image.counterDataSize = data.size();
        image.pCounterData = data.data();
        EB_CUPTI(l.cuptiRangeProfilerCounterDataImageInitialize(&image), "the range profiler has no room");
        EB_PARAMETERS(CUpti_RangeProfiler_SetConfig_Params, set);
        set.pRangeProfilerObject = object_;
        set.configSize = config.image.size();
        set.pConfig = config.image.data();
        set.counterDataImageSize = data.size();
        set.pCounterDataImage = data.data();
        set.range = CUPTI_UserRange;
        set.replayMode = CUPTI_UserReplay;
        set.maxRangesPerPass = 1;
        set.numNestingLevels = 1;
        set.minNestingLevel = 1;
        EB_CUPTI(l.cuptiRangeProfilerSetConfig(&set), "the range profiler refuses the counters");
        return EB_OK;
    }

    /* Runs the work once; *all becomes true after the last pass. The work of a team leaves another device current. */
    eb_code pass(eb_code (*work)(void *, eb_status *), void *context, bool *all, eb_status *status)
    {
        const cupti &l = library();
        EB_CUDA(cudaSetDevice(device_), "choosing the GPU");
        EB_PARAMETERS(CUpti_RangeProfiler_Start_Params, start);
        start.pRangeProfilerObject = object_;
        EB_CUPTI(l.cuptiRangeProfilerStart(&start), "a profiled pass does not start");
        EB_PARAMETERS(CUpti_RangeProfiler_PushRange_Params, push);
        push.pRangeProfilerObject = object_;
        push.pRangeName = "join";
        EB_CUPTI(l.cuptiRangeProfilerPushRange(&push), "a profiled pass does not start");
        const eb_code code = work(context, status);
        EB_CUDA(cudaSetDevice(device_), "choosing the GPU");
        EB_PARAMETERS(CUpti_RangeProfiler_PopRange_Params, pop);
        pop.pRangeProfilerObject = object_;
        EB_CUPTI(l.cuptiRangeProfilerPopRange(&pop), "a profiled pass does not end");
        EB_PARAMETERS(CUpti_RangeProfiler_Stop_Params, stop);
        stop.pRangeProfilerObject = object_;
        EB_CUPTI(l.cuptiRangeProfilerStop(&stop), "a profiled pass does not end");
        *all = stop.isAllPassSubmitted != 0;
        return code;
    }

    eb_code decode(eb_status *status)
    {
        EB_PARAMETERS(CUpti_RangeProfiler_DecodeData_Params, decode);
        decode.pRangeProfilerObject = object_;
        EB_CUPTI(library().cuptiRangeProfilerDecodeData(&decode), "the counters cannot be decoded");
        return EB_OK;
    }

    std::vector<uint8_t> data;

  private:
    int device_;
    CUpti_RangeProfiler_Object *object_ = nullptr;
};

/* Returns the runtime's context on this thread. The driver library is already loaded by the runtime. */
eb_code current_context(int device, CUcontext *out, eb_status *status)
{
    EB_CUDA(cudaSetDevice(device), "choosing the GPU");
    EB_CUDA(cudaFree(nullptr), "starting the GPU");
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    auto get = driver ? reinterpret_cast<CUresult (*)(CUcontext *)>(dlsym(driver, "cuCtxGetCurrent")) : nullptr;
    if (!get || get(out) != CUDA_SUCCESS)
        return eb_fail(status, EB_NO_DEVICE, "the NVIDIA driver returns no context");
    return EB_OK;
}

eb_code counter_availability(CUcontext context, std::vector<uint8_t> &image, eb_status *status)
{
    EB_PARAMETERS(CUpti_Profiler_GetCounterAvailability_Params, ask);
    ask.ctx = context;
    EB_CUPTI(library().cuptiProfilerGetCounterAvailability(&ask), "asking which counters there are");
    image.resize(ask.counterAvailabilityImageSize);
    ask.pCounterAvailabilityImage = image.data();
    EB_CUPTI(library().cuptiProfilerGetCounterAvailability(&ask), "asking which counters there are");
    return EB_OK;
}

double value_of(const eb_counter &c, double first, double second)
{
    if (!c.second)
        return first * c.scale;
    const double whole = c.quotient ? second : first + second;
    return whole > 0 ? first / whole * c.scale : NAN;
}

/* The GPU idles while CUPTI prepares, and its clock falls. The work raises the clock again before a pass counts it. */
eb_code wake_clock(eb_code (*work)(void *, eb_status *), void *context, eb_status *status)
{
    constexpr double enough_s = 0.3;
    const double begin_s = eb_now_s();
    do
        EB_TRY(work(context, status));
    while (eb_now_s() - begin_s < enough_s);
    return EB_OK;
}

eb_code collect(int device, eb_code (*work)(void *, eb_status *), void *context, double *values, size_t *passes,
                eb_status *status)
{
    CUcontext current = nullptr;
    EB_TRY(current_context(device, &current, status));
    EB_PARAMETERS(CUpti_Profiler_Initialize_Params, initialise);
    EB_CUPTI(library().cuptiProfilerInitialize(&initialise), "CUPTI does not start");
    EB_PARAMETERS(CUpti_Device_GetChipName_Params, chip);
    chip.deviceIndex = static_cast<size_t>(device);
    EB_CUPTI(library().cuptiDeviceGetChipName(&chip), "CUPTI does not know this GPU");
    std::vector<uint8_t> availability;
    EB_TRY(counter_availability(current, availability, status));
    std::vector<const char *> names = metric_names();
    configuration config;
    EB_TRY(config.make(chip.pChipName, availability.data(), names, status));
    range_profiler profiler(device);
    EB_TRY(profiler.enable(current, config, names, status));
    EB_TRY(wake_clock(work, context, status));
    *passes = 0;
    for (bool all = false; !all; ++*passes)
        EB_TRY(profiler.pass(work, context, &all, status));
    EB_TRY(profiler.decode(status));
    std::vector<double> raw;
    EB_TRY(config.evaluate(profiler.data, names, raw, status));
    auto value = [&](const char *name) {
        for (size_t k = 0; k < names.size(); k++)
            if (std::strcmp(names[k], name) == 0)
                return raw[k];
        return static_cast<double>(NAN);
    };
    for (size_t k = 0; k < eb_counter_count(); k++) {
        const eb_counter &c = *eb_counter_at(k);
        values[k] = value_of(c, value(c.first), c.second ? value(c.second) : 0);
    }
    return EB_OK;
}

} // namespace

extern "C" eb_code eb_counters_passes(const char *chip, size_t *passes, size_t *known, eb_status *status)
{
    *passes = *known = 0;
    if (!library().ready)
        return fail_missing(status);
    std::vector<const char *> names = metric_names();
    configuration config;
    const eb_code code = config.make(chip, nullptr, names, status);
    if (code != EB_OK)
        return code == EB_NO_DEVICE ? (status ? (status->code = EB_USAGE) : EB_USAGE) : code;
    const auto has = [&](const char *name) { return std::find(names.begin(), names.end(), name) != names.end(); };
    for (size_t k = 0; k < eb_counter_count(); k++)
        *known += has(eb_counter_at(k)->first) && (!eb_counter_at(k)->second || has(eb_counter_at(k)->second));
    *passes = config.passes;
    return EB_OK;
}

extern "C" eb_code eb_counters_collect(int device, eb_code (*work)(void *context, eb_status *status), void *context,
                                       double *values, size_t *passes, eb_status *status)
{
    return library().ready ? collect(device, work, context, values, passes, status) : fail_missing(status);
}

#else

static eb_code fail_built_without(eb_status *status)
{
    return eb_fail(status, EB_NO_DEVICE,
                   "this epsbench was built without CUPTI's headers; install the CUDA Toolkit's CUPTI package "
                   "and run make again");
}

extern "C" eb_code eb_counters_passes(const char *, size_t *passes, size_t *known, eb_status *status)
{
    *passes = *known = 0;
    return fail_built_without(status);
}

extern "C" eb_code eb_counters_collect(int, eb_code (*)(void *, eb_status *), void *, double *, size_t *passes,
                                       eb_status *status)
{
    *passes = 0;
    return fail_built_without(status);
}

#endif
