#include "kernels/boxes/cuda/masks.cuh"

#include <algorithm>

namespace eb {

namespace {

constexpr const char *looking = "looking at pairs of leaves";
constexpr uint64_t nothing = ~uint64_t{0};

const eb_figure figure_list = {"list_s", "listing pairs of leaves", EB_SECONDS, EB_FIGURE_PART, 0};
const eb_figure figure_leaf_pairs = {"leaf_pairs", "pairs of leaves looked at", EB_PLAIN, EB_FIGURE_FACT, 0};
const eb_figure figure_candidates = {"candidates", "distances computed", EB_PLAIN, EB_FIGURE_FACT, 0};

/* Pairs of leaves for a launch of about 50 ms, if boxes exclude no point. The cancel flag is read between launches. */
uint64_t pairs_a_launch(uint32_t d)
{
    constexpr double seconds = 0.05, operations_a_second = 8e12;
    const double each = EB_LEAF * EB_LEAF * (2.0 * d + 1);
    return std::max<uint64_t>(static_cast<uint64_t>(seconds * operations_a_second / each), 1024);
}

} // namespace

eb_code box_masks::look(double threshold, uint64_t most, cudaStream_t stream, eb_status *status)
{
    stopwatch watch;
    double seconds = 0;
    if (threshold_ == threshold && most_ == most)
        return EB_OK;
    threshold_ = -1;
    degrees_known_ = false;
    masked_ = nothing;
    EB_TRY(watch.start(stream, status));
    EB_TRY(list_.plan(leaves_.view(), threshold, most, stream, status));
    if (list_.slices().size() == 1)
        EB_TRY(list_.bring(leaves_.view(), list_.slices()[0], stream, status));
    EB_TRY(watch.stop(stream, &seconds, status));
    threshold_ = threshold;
    most_ = most;
    eb_figures_add(context_->figures, &figure_list, seconds);
    return EB_OK;
}

verdict_work box_masks::work_on(const list_slice &slice) const
{
    verdict_work work{};
    work.leaves = leaves_.view();
    work.pair = list_.pair();
    work.pairs = slice.count;
    work.threshold = threshold_;
    work.whole = true;
    work.found = found_.get();
    return work;
}

/* Reads the cancel flag between launches. */
eb_code box_masks::run(verdict_work work, cudaStream_t stream, eb_status *status,
                       const std::function<void(uint64_t)> &done)
{
    const uint64_t all = work.pairs, most = pairs_a_launch(work.leaves.d);
    for (uint64_t first = 0; first < all; first += work.pairs) {
        EB_TRY(eb_job_check(context_->job, status));
        work.pairs = std::min(most, all - first);
        EB_TRY(find_verdicts(work, stream, status));
        if (all > most)
            EB_CUDA(cudaStreamSynchronize(stream), looking);
        work.pair += work.pairs;
        work.mask += work.mask ? work.pairs * EB_LEAF : 0;
        if (done)
            done(first + work.pairs);
    }
    return EB_OK;
}

eb_code box_masks::sample_candidates(double *part, cudaStream_t stream, eb_status *status)
{
    constexpr uint64_t stretches = 4, most = 2048;
    const uint64_t each = std::min(pairs() / stretches, most);
    found_counts found{};
    *part = 1;
    if (list_.slices().size() != 1 || each == 0)
        return EB_OK;
    EB_TRY(begin_pass(stream, status));
    for (uint64_t k = 0; k < stretches; k++) {
        verdict_work work = work_on(list_.slices()[0]);
        work.pair += pairs() * k / stretches;
        work.pairs = each;
        EB_TRY(find_verdicts(work, stream, status));
    }
    EB_CUDA(cudaMemcpyAsync(&found, found_.get(), sizeof found, cudaMemcpyDeviceToHost, stream), looking);
    EB_CUDA(cudaStreamSynchronize(stream), looking);
    *part = static_cast<double>(found.candidates) / static_cast<double>(stretches * each * EB_LEAF * EB_LEAF);
    return EB_OK;
}

eb_code box_masks::begin_pass(cudaStream_t stream, eb_status *status)
{
    EB_TRY(found_.reserve(1, looking, status));
    EB_CUDA(cudaMemsetAsync(found_.get(), 0, sizeof(found_counts), stream), looking);
    return EB_OK;
}

eb_code box_masks::end_pass(uint64_t looked_at, uint64_t *entries, cudaStream_t stream, eb_status *status)
{
    found_counts found{};
    EB_CUDA(cudaMemcpyAsync(&found, found_.get(), sizeof found, cudaMemcpyDeviceToHost, stream), looking);
    EB_CUDA(cudaStreamSynchronize(stream), looking);
    eb_figures_set(context_->figures, &figure_leaf_pairs, static_cast<double>(looked_at));
    eb_figures_set(context_->figures, &figure_candidates, static_cast<double>(found.candidates));
    *entries = found.entries;
    return EB_OK;
}

eb_code box_masks::bring_masks(const list_slice &slice, cudaStream_t stream, eb_status *status)
{
    EB_TRY(list_.bring(leaves_.view(), slice, stream, status));
    if (masked_ == slice.first)
        return EB_OK;
    masked_ = nothing;
    EB_TRY(found_.reserve(1, looking, status));
    EB_TRY(mask_.reserve(slice.count * EB_LEAF, looking, status));
    verdict_work work = work_on(slice);
    work.mask = mask_.get();
    EB_TRY(run(work, stream, status, nullptr));
    masked_ = slice.first;
    return EB_OK;
}

eb_code box_masks::count(const eb_share &share, bool whole, uint64_t *entries,
                         const std::function<void(double)> &advanced, cudaStream_t stream, eb_status *status)
{
    stopwatch watch;
    double seconds = 0;
    const uint64_t begin = pairs() * share.part / share.parts, end = pairs() * (share.part + 1) / share.parts;
    EB_TRY(watch.start(stream, status));
    EB_TRY(begin_pass(stream, status));
    for (const list_slice &slice : list_.slices()) {
        const uint64_t from = std::max(begin, slice.first), to = std::min(end, slice.first + slice.count);
        if (from >= to)
            continue;
        EB_TRY(list_.bring(leaves_.view(), slice, stream, status));
        verdict_work work = work_on(slice);
        work.pair += from - slice.first;
        work.pairs = to - from;
        work.whole = whole;
        work.row_begin = share.row_begin;
        work.row_end = share.row_end;
        EB_TRY(run(work, stream, status, [&](uint64_t done) {
            advanced(static_cast<double>(from - begin + done) / static_cast<double>(end - begin));
        }));
    }
    EB_TRY(end_pass(end - begin, entries, stream, status));
    EB_TRY(watch.stop(stream, &seconds, status));
    eb_figures_add(context_->figures, &eb_figure_kernel, seconds);
    return EB_OK;
}

eb_code box_masks::find_degrees(const std::function<void(double)> &advanced, cudaStream_t stream, eb_status *status)
{
    stopwatch watch;
    double seconds = 0;
    uint64_t entries = 0;
    const size_t places = leaves_.count() * size_t{EB_LEAF};
    if (degrees_known_)
        return EB_OK;
    EB_TRY(watch.start(stream, status));
    EB_TRY(begin_pass(stream, status));
    EB_TRY(degree_.reserve(places, looking, status));
    EB_CUDA(cudaMemsetAsync(degree_.get(), 0, places * sizeof(uint32_t), stream), looking);
    for (const list_slice &slice : list_.slices()) {
        EB_TRY(list_.bring(leaves_.view(), slice, stream, status));
        EB_TRY(mask_.reserve(slice.count * EB_LEAF, looking, status));
        verdict_work work = work_on(slice);
        work.mask = mask_.get();
        work.degree = degree_.get();
        masked_ = nothing;
        EB_TRY(run(work, stream, status, [&](uint64_t done) {
            advanced(static_cast<double>(slice.first + done) / static_cast<double>(pairs()));
        }));
        masked_ = slice.first;
    }
    EB_TRY(end_pass(pairs(), &entries, stream, status));
    EB_TRY(watch.stop(stream, &seconds, status));
    eb_figures_add(context_->figures, &eb_figure_kernel, seconds);
    degrees_known_ = true;
    return EB_OK;
}

eb_code box_masks::visit(uint64_t begin, uint64_t end, uint64_t most, cudaStream_t stream, eb_status *status,
                         const std::function<eb_code(const list_part &part)> &take)
{
    for (const list_slice &slice : list_.slices()) {
        const uint64_t from = std::max(begin, slice.first), to = std::min(end, slice.first + slice.count);
        if (from >= to)
            continue;
        EB_TRY(bring_masks(slice, stream, status));
        for (uint64_t first = from, count; first < to; first += count) {
            count = std::min(most, to - first);
            const uint64_t at = first - slice.first;
            EB_TRY(take({list_.pair() + at, mask_.get() + at * EB_LEAF, first, count}));
        }
    }
    return EB_OK;
}

} // namespace eb
