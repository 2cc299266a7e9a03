/* one_of_two: an engine that is one of two classes, chosen by `chooses_second(options)`. Both classes have the members
 * that implementation.cuh lists. */
#pragma once

#include <memory>

#include "kernels/device/implementation.cuh"

namespace eb {

template <class first, class second, bool (*chooses_second)(const eb_options &)> class one_of_two_engines {
  public:
    one_of_two_engines(const eb_problem *problem, const eb_context *context) : context_(context)
    {
        if (chooses_second(context->options))
            second_ = std::make_unique<second>(problem, context);
        else
            first_ = std::make_unique<first>(problem, context);
    }

    const eb_context &context() const { return *context_; }
    const char *describe() const { return first_ ? first_->describe() : second_->describe(); }

    /* The options are not known here, so this is the larger of both. */
    static uint64_t memory_needed(size_t n, size_t d, eb_dtype dtype)
    {
        const uint64_t a = first::memory_needed(n, d, dtype), b = second::memory_needed(n, d, dtype);
        return a > b ? a : b;
    }

    eb_code begin(eb_status *status) { return first_ ? first_->begin(status) : second_->begin(status); }
    eb_code count(const eb_question &question, const eb_share &share, uint64_t *entries, eb_status *status)
    {
        return first_ ? first_->count(question, share, entries, status)
                      : second_->count(question, share, entries, status);
    }
    eb_code join(const eb_question &question, const eb_share &share, const eb_sink *sink, eb_status *status)
    {
        return first_ ? first_->join(question, share, sink, status) : second_->join(question, share, sink, status);
    }
    eb_code histogram(eb_distance_pass *pass, eb_status *status)
    {
        return first_ ? first_->histogram(pass, status) : second_->histogram(pass, status);
    }
    eb_code distances(const uint32_t *rows, size_t m, double *out, eb_status *status)
    {
        return first_ ? first_->distances(rows, m, out, status) : second_->distances(rows, m, out, status);
    }
    eb_code bins(const uint32_t *rows, size_t m, eb_bins *out, eb_status *status)
    {
        return first_ ? first_->bins(rows, m, out, status) : second_->bins(rows, m, out, status);
    }

  private:
    const eb_context *context_;
    std::unique_ptr<first> first_;
    std::unique_ptr<second> second_;
};

} // namespace eb
