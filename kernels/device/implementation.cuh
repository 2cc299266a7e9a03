/* implementation: wraps a C++ engine class as the functions of core/engine/engine.h. Each call selects the engine's
 * device, and no exception leaves it.
 *
 * The class has: engine(problem, context), or make(problem, context) that returns a new engine; begin(status), which
 * does all that can fail; context() as given; count(question, share, entries, status), join(question, share, sink,
 * status), histogram(pass, status), distances(rows, m, out, status), bins(rows, m, out, status), describe(), and the
 * static memory_needed(n, d, dtype).
 */
#pragma once

#include <type_traits>

#include "kernels/device/gpu.cuh"

extern "C" {
#include "core/engine/spec.h"
}

namespace eb {

/* 80 for "sm_80"; 0 if the device's architecture is not of that form. */
int architecture_of(const eb_device *device);

/* A probe: checks that this build has code for the device. */
eb_code probe_architecture(const eb_device *device, const eb_options *options, eb_status *status);

/* Makes an engine, by its static make(…) if it has one. */
template <class engine, class = void> struct maker_of {
    static engine *make(const eb_problem *problem, const eb_context *context) { return new engine(problem, context); }
};
template <class engine> struct maker_of<engine, std::void_t<decltype(&engine::make)>> {
    static engine *make(const eb_problem *problem, const eb_context *context) { return engine::make(problem, context); }
};

template <class engine> class implementation {
  public:
    static eb_code open(const eb_problem *problem, const eb_context *context, void **out, eb_status *status)
    {
        return guarded(status, [&]() -> eb_code {
            EB_TRY(enter(context, status));
            engine *made = maker_of<engine>::make(problem, context);
            const eb_code code = made->begin(status);
            if (code == EB_OK)
                *out = made;
            else
                delete made;
            return code;
        });
    }

    static eb_code count(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                         eb_status *status)
    {
        return entered(state, status, [&](engine &e) { return e.count(*question, *share, entries, status); });
    }

    static eb_code join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                        eb_status *status)
    {
        return entered(state, status, [&](engine &e) { return e.join(*question, *share, sink, status); });
    }

    static eb_code histogram(void *state, eb_distance_pass *pass, eb_status *status)
    {
        return entered(state, status, [&](engine &e) { return e.histogram(pass, status); });
    }

    static eb_code distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
    {
        return entered(state, status, [&](engine &e) { return e.distances(rows, m, out, status); });
    }

    static eb_code bins(void *state, const uint32_t *rows, size_t m, eb_bins *out, eb_status *status)
    {
        return entered(state, status, [&](engine &e) { return e.bins(rows, m, out, status); });
    }

    static eb_code self(void *state, double *out, eb_status *status)
    {
        return entered(state, status, [&](engine &e) { return e.self(out, status); });
    }

    static eb_code nearest_rows(void *state, const eb_nearest_rows *question, eb_status *status)
    {
        return entered(state, status, [&](engine &e) { return e.nearest_rows(*question, status); });
    }

    static void close(void *state)
    {
        engine *e = static_cast<engine *>(state);
        if (e)
            (void)cudaSetDevice(e->context().device->index); /* the engine frees memory of that device */
        delete e;
    }

    static const char *describe(const void *state) { return static_cast<const engine *>(state)->describe(); }

    /* Calls may come from different threads, and CUDA's current device is per thread. */
    template <class doing> static eb_code entered(void *state, eb_status *status, doing call)
    {
        return guarded(status, [&]() -> eb_code {
            engine &e = *static_cast<engine *>(state);
            EB_TRY(enter(&e.context(), status));
            return call(e);
        });
    }

  private:
    static eb_code enter(const eb_context *context, eb_status *status)
    {
        EB_CUDA(cudaSetDevice(context->device->index), "choosing the GPU");
        return EB_OK;
    }
};

/* The engine's functions as an eb_implementation. */
template <class engine>
constexpr eb_implementation implementation_of(eb_code (*probe)(const eb_device *, const eb_options *,
                                                               eb_status *) = probe_architecture,
                                              eb_code (*prepare)(const eb_setup *const *, size_t, eb_job *,
                                                                 eb_status *) = nullptr)
{
    using functions = implementation<engine>;
    eb_implementation out{}; /* NULL what no CUDA engine has */
    out.probe = probe;
    out.memory_needed = engine::memory_needed;
    out.open = functions::open;
    out.count = functions::count;
    out.join = functions::join;
    out.histogram = functions::histogram;
    out.distances = functions::distances;
    out.close = functions::close;
    out.describe = functions::describe;
    out.bins = functions::bins;
    out.prepare = prepare;
    return out;
}

/* The same of an engine with self(out, status), s of each point with itself. */
template <class engine> constexpr eb_implementation implementation_with_self(eb_implementation of)
{
    of.self = implementation<engine>::self;
    return of;
}

/* The functions of an engine that has nearest_rows(question, status), too. */
template <class engine> constexpr eb_implementation implementation_with_nearest()
{
    eb_implementation out = implementation_of<engine>();
    out.nearest_rows = implementation<engine>::nearest_rows;
    return out;
}

} // namespace eb
