/* search: searches an inverted file on a GPU: batches of queries go through the choice of lists, tables and look-ups.
 *
 * The first points of each query's nearest list give an upper bound of the distance of its k nearest; of all other
 * points only those within that bound are written. Queries for which these exceed the room are asked again, at most
 * half as many at a time, so that each has twice the room; a single query has room for all points.
 */
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/device/implementation.cuh"
#include "kernels/inverted/cuda/file_on_gpu.cuh"
#include "kernels/inverted/cuda/refine.cuh"
#include "kernels/inverted/cuda/scan.cuh"
#include "kernels/inverted/cuda/within.cuh"
#include "kernels/inverted/shape.h"

extern "C" {
#include "core/base/parallel.h"
}

namespace eb {
namespace {

constexpr size_t most_queries = EB_SCAN_BATCH, list_distances = EB_SCAN_BATCH_DISTANCES;
constexpr uint32_t first_points = 4096;
constexpr size_t usual_finds = 1024; /* points within a limit for which each query of a batch has room */

static_assert(sizeof(near_key) == sizeof(uint64_t), "eb_inverted_gpu_bytes knows how much a found point takes");

uint64_t bytes_needed(const eb_inverted_file &f)
{
    return eb_inverted_gpu_bytes(f.blocks[f.shape.nlist] * EB_LIST_BLOCK, f.d, &f.shape);
}

/* ---- a search ---- */

struct answer {
    const eb_inverted_question *question;
    uint32_t *rows;    /* [queries × k] */
    double *distances; /* [queries × k] */

    answer after(size_t queries) const
    {
        return {question, rows + queries * question->k, distances + queries * question->k};
    }
};

class searcher {
  public:
    searcher(const eb_inverted_file *file, const eb_inverted_context *with) : file_(file), with_(*with) {}

    eb_code begin(eb_status *status)
    {
        const uint64_t needed = bytes_needed(*file_);
        if (with_.memory_limit && needed > with_.memory_limit)
            return eb_fail(status, EB_NO_MEMORY, "the inverted file takes %.0f MB on the GPU, the limit is %.0f MB",
                           static_cast<double>(needed) * 1e-6, static_cast<double>(with_.memory_limit) * 1e-6);
        EB_TRY(on_gpu_.upload(*file_, status));
        longest_ = *std::max_element(file_->count, file_->count + file_->shape.nlist);
        room_ = std::max<size_t>(file_->blocks[file_->shape.nlist] * EB_LIST_BLOCK, EB_LEAST_FOUND);
        EB_TRY(keys_.reserve(room_, "points that were found", status));
        return small_.reserve(3, "counters", status);
    }

    eb_code find(const float *queries, size_t count, const answer &to, eb_job *job, eb_status *status)
    {
        const eb_inverted_question &q = *to.question;
        const size_t wide = width(q);
        const size_t batch = std::min({most_queries, std::max<size_t>(list_distances / file_->shape.nlist, 1),
                                       std::max<size_t>(room_ / (4 * wide), 1), std::max<size_t>(room_ / 1024, 1)});
        EB_TRY(choose_shapes(q, status));
        if (q.refine && !points_.get())
            EB_TRY(upload_points(status));
        for (size_t first = 0; first < count; first += batch) {
            const size_t some = std::min(batch, count - first);
            EB_TRY(eb_job_check(job, status));
            EB_TRY(find_batch(queries + first * file_->d, some, to.after(first), status));
            eb_job_advance(job, some);
        }
        return EB_OK;
    }

    eb_code within(const eb_inverted_question &q, const queries_within &asked, eb_job *job, eb_status *status)
    {
        EB_TRY(choose_shapes(q, status));
        const within_means by = {&q,
                                 &on_gpu_.view(),
                                 &plain_,
                                 has_packed_ ? &packed_ : &plain_,
                                 EB_SCAN_WORTH_PACKING * file_->shape.nlist,
                                 std::min({most_queries, std::max<size_t>(list_distances / file_->shape.nlist, 1),
                                           std::max<size_t>(room_ / usual_finds, 1)}),
                                 file_->shape.nlist,
                                 room_,
                                 with_.device->units,
                                 with_.threads,
                                 job,
                                 &lists_,
                                 &queries_,
                                 &keys_,
                                 &work_};
        return within_.find(by, asked, status);
    }

    size_t lists() const { return file_->shape.nlist; }
    const eb_inverted_work &work() const { return work_; }
    const eb_inverted_context &with() const { return with_; }

  private:
    eb_code choose_shapes(const eb_inverted_question &q, eb_status *status)
    {
        eb_status ignored = {};
        const bool usual = q.layout == EB_LAYOUT_USUAL, can = eb_inverted_check_packed(&q, nullptr) == EB_OK;
        has_packed_ = q.layout == EB_LAYOUT_PACKED || (usual && can);
        if (has_packed_ && scan_shape_for(q, true, on_gpu_.view(), &packed_, usual ? &ignored : status) != EB_OK) {
            if (!usual)
                return EB_USAGE;
            has_packed_ = false;
        }
        always_packed_ = !usual && has_packed_;
        if (always_packed_) {
            plain_ = packed_;
            return EB_OK;
        }
        return scan_shape_for(q, false, on_gpu_.view(), &plain_, status);
    }

    const scan_shape &shape_for(size_t pairs) const
    {
        return always_packed_ || (has_packed_ && pairs >= EB_SCAN_WORTH_PACKING * file_->shape.nlist) ? packed_
                                                                                                      : plain_;
    }

    eb_code reserve(size_t queries, size_t k, eb_status *status)
    {
        EB_TRY(queries_.reserve(queries * file_->d, "queries", status));
        EB_TRY(kept_[0].reserve(queries * k, "the nearest", status));
        EB_TRY(kept_[1].reserve(queries * k, "the nearest", status));
        return counts_.reserve(4 * queries, "the nearest", status);
    }

    /* Answers a batch. lacking: the queries that lacked room, whose answers are incomplete. */
    eb_code try_batch(const eb_inverted_question &q, const float *queries, size_t count, std::vector<uint32_t> &lacking,
                      eb_status *status)
    {
        const file_view &f = on_gpu_.view();
        const uint32_t room = static_cast<uint32_t>(std::min<size_t>(room_ / count, UINT32_MAX)),
                       first = std::min(first_points, room);
        EB_TRY(reserve(count, width(q), status));
        EB_CUDA(cudaMemcpyAsync(queries_.get(), queries, count * file_->d * sizeof *queries, cudaMemcpyHostToDevice),
                "copying queries");
        EB_TRY(lists_.choose({queries_.get(), count, file_->d}, {f.centroids, file_->shape.nlist, file_->d},
                             static_cast<unsigned>(q.nprobe), status));
        EB_CUDA(cudaMemsetAsync(counts_.get(), 0, 4 * count * sizeof(uint32_t)), "clearing counters");
        EB_CUDA(cudaMemsetAsync(small_.get(), 0, 3 * sizeof(uint64_t)), "clearing counters");
        limits_.assign(count, INFINITY);
        EB_CUDA(cudaMemcpyAsync(limit(), limits_.data(), count * sizeof(float), cudaMemcpyHostToDevice),
                "setting limits");
        EB_TRY(pass(q, count, {true, first}, room, 0, status));
        bool whole = q.nprobe == 1 && longest_ <= first;
        if (!whole) {
            EB_CUDA(cudaMemsetAsync(counts_.get(), 0, count * sizeof(uint32_t)), "clearing counters");
            EB_TRY(pass(q, count, {false, first}, room, 1, status));
        }
        answer_at_ = whole ? 1 : 0;
        uint64_t small[3];
        EB_CUDA(cudaMemcpy(small, small_.get(), sizeof small, cudaMemcpyDeviceToHost), "copying counters");
        work_.lookups += small[2];
        if (small[1] > 0)
            EB_TRY(list_lacking(count, room, lacking, status));
        for (unsigned k = 0; k < (whole ? 1 : 2); k++) {
            double seconds = 0;
            EB_TRY(watch_[k].read(&seconds, status));
            work_.kernel_s += seconds;
        }
        return EB_OK;
    }

    eb_code list_lacking(size_t count, uint32_t room, std::vector<uint32_t> &lacking, eb_status *status)
    {
        host_counts_.resize(count);
        EB_CUDA(cudaMemcpy(host_counts_.data(), counts_.get(), count * sizeof(uint32_t), cudaMemcpyDeviceToHost),
                "copying how many points were found");
        for (uint32_t i = 0; i < count; i++)
            if (host_counts_[i] > room)
                lacking.push_back(i);
        return EB_OK;
    }

    /* Scans lists and keeps the nearest points. */
    eb_code pass(const eb_inverted_question &q, size_t count, const pair_choice &which, uint32_t room, unsigned number,
                 eb_status *status)
    {
        const file_view &f = on_gpu_.view();
        const bool first = which.nearest_only;
        const scan_shape &shape = shape_for(first ? count : count * (q.nprobe - 1));
        const near_points out = {keys_.get(), counts_.get(), room};
        uint32_t *next = reinterpret_cast<uint32_t *>(small_.get()), *overflow = next + 2;
        EB_TRY(lists_.group(which, f.counts, shape.side_by_side, status));
        EB_TRY(watch_[number].start(cudaStreamLegacy, status));
        EB_TRY(launch_scan(shape,
                           {f, queries_.get(), lists_.items(), lists_.item_count(), lists_.pairs(), next, limit(), out,
                            first ? which.scanned : UINT32_MAX, q.scale,
                            reinterpret_cast<unsigned long long *>(small_.get() + 2)},
                           with_.device->units, status));
        EB_TRY(watch_[number].mark(cudaStreamLegacy, status));
        EB_TRY(
            launch_keep({out, kept_[number].get(), kept_count(number), kept_[1 - number].get(), kept_count(1 - number),
                         limit(), overflow, static_cast<unsigned>(width(q)), first ? lists_.nearest() : nullptr,
                         f.counts, static_cast<unsigned>(q.nprobe), which.scanned},
                        count, status));
        if (!first || q.nprobe == 1) {
            work_.blocks = shape.blocks, work_.shared_bytes = shape.shared_bytes;
            work_.side_by_side = shape.side_by_side;
        }
        return EB_OK;
    }

    eb_code find_batch(const float *queries, size_t count, const answer &to, eb_status *status)
    {
        std::vector<uint32_t> lacking;
        batch_ = count;
        EB_TRY(try_batch(*to.question, queries, count, lacking, status));
        EB_TRY(take_answers(count, to, status));
        if (count == 1 && !lacking.empty())
            return eb_fail(status, EB_INTERNAL, "a query found more points than the lists hold");
        const size_t most = std::max<size_t>(count / 2, 1);
        for (size_t first = 0; first < lacking.size(); first += most)
            EB_TRY(find_again(queries, lacking.data() + first, std::min(most, lacking.size() - first), to, status));
        return EB_OK;
    }

    /* Asks some of a batch's queries again, and replaces their answers. */
    eb_code find_again(const float *queries, const uint32_t *which, size_t count, const answer &to, eb_status *status)
    {
        const size_t d = file_->d, k = to.question->k;
        std::vector<float> asked(count * d);
        std::vector<uint32_t> rows(count * k);
        std::vector<double> distances(count * k);
        for (size_t i = 0; i < count; i++)
            std::copy_n(queries + which[i] * d, d, asked.data() + i * d);
        EB_TRY(find_batch(asked.data(), count, {to.question, rows.data(), distances.data()}, status));
        for (size_t i = 0; i < count; i++) {
            std::copy_n(rows.data() + i * k, k, to.rows + which[i] * k);
            std::copy_n(distances.data() + i * k, k, to.distances + which[i] * k);
        }
        return EB_OK;
    }

    struct answering {
        const searcher *of;
        const answer *to;
    };

    /* Sorts a query's answers and converts them to unscaled distances. */
    static eb_code answer_one(void *context, uint64_t i, unsigned, eb_status *)
    {
        const answering &a = *static_cast<const answering *>(context);
        const size_t k = a.to->question->k, count = a.of->host_counts_[i];
        near_key *key = const_cast<near_key *>(a.of->host_keys_.data()) + i * k;
        if (!std::is_sorted(key, key + count))
            std::sort(key, key + count);
        for (size_t at = 0; at < k; at++) {
            const size_t out = i * k + at;
            const uint32_t bits = static_cast<uint32_t>(key[at] >> 32);
            float s;
            static_assert(sizeof s == sizeof bits, "FP32 is 32 bits");
            std::copy_n(reinterpret_cast<const char *>(&bits), sizeof s, reinterpret_cast<char *>(&s));
            a.to->rows[out] = at < count ? static_cast<uint32_t>(key[at]) : EB_NO_POINT;
            a.to->distances[out] = at < count ? a.of->own_distance(static_cast<double>(s)) : INFINITY;
        }
        return EB_OK;
    }

    eb_code take_answers(size_t count, const answer &to, eb_status *status)
    {
        const eb_inverted_question &q = *to.question;
        if (q.refine)
            return take_refined(count, to, status);
        host_keys_.resize(count * q.k);
        host_counts_.resize(count);
        EB_CUDA(cudaMemcpy(host_keys_.data(), kept_[answer_at_].get(), count * q.k * sizeof(near_key),
                           cudaMemcpyDeviceToHost),
                "copying the nearest");
        EB_CUDA(cudaMemcpy(host_counts_.data(), kept_count(answer_at_), count * sizeof(uint32_t),
                           cudaMemcpyDeviceToHost),
                "copying the nearest");
        answering a = {this, &to};
        const bool many = count * q.k > size_t{1} << 15;
        return eb_parallel(many ? with_.threads : 1, count, answer_one, &a, nullptr, status);
    }

    /* Points that a query must find by codes. */
    static size_t width(const eb_inverted_question &q) { return q.refine ? q.refine : q.k; }

    eb_code upload_points(eb_status *status)
    {
        const eb_dataset *points = with_.points;
        const size_t row = points->d * eb_dtype_size(points->dtype), bytes = points->n * row;
        if (with_.memory_limit && bytes_needed(*file_) + bytes > with_.memory_limit)
            return eb_fail(status, EB_NO_MEMORY,
                           "refining takes the points, %.0f MB, on the GPU too: %.0f MB with the inverted file; the "
                           "limit is %.0f MB",
                           static_cast<double>(bytes) * 1e-6, static_cast<double>(bytes_needed(*file_) + bytes) * 1e-6,
                           static_cast<double>(with_.memory_limit) * 1e-6);
        device_array<unsigned char> room;
        EB_TRY(room.reserve(bytes, "points to refine by", status));
        EB_CUDA(cudaMemcpy2D(room.get(), row, points->rows, points->stride, row, points->n, cudaMemcpyHostToDevice),
                "copying points");
        points_ = std::move(room);
        return EB_OK;
    }

    eb_code take_refined(size_t count, const answer &to, eb_status *status)
    {
        const eb_inverted_question &q = *to.question;
        const eb_dataset *points = with_.points;
        const size_t answers = count * q.k;
        EB_TRY(refined_s_.reserve(count * q.refine, "distances of points", status));
        EB_TRY(refined_rows_.reserve(answers, "the nearest", status));
        EB_TRY(refined_.reserve(answers, "the nearest", status));
        EB_TRY(launch_refine({points_.get(), points->dtype, static_cast<unsigned>(points->d), file_->exponent,
                              queries_.get(), kept_[answer_at_].get(), kept_count(answer_at_),
                              static_cast<unsigned>(q.refine), static_cast<unsigned>(q.k), refined_s_.get(),
                              refined_rows_.get(), refined_.get()},
                             count, status));
        EB_CUDA(cudaMemcpy(to.rows, refined_rows_.get(), answers * sizeof *to.rows, cudaMemcpyDeviceToHost),
                "copying the nearest");
        EB_CUDA(cudaMemcpy(to.distances, refined_.get(), answers * sizeof *to.distances, cudaMemcpyDeviceToHost),
                "copying the nearest");
        for (size_t i = 0; i < answers; i++)
            to.distances[i] = to.rows[i] == EB_NO_POINT ? INFINITY : own_distance(to.distances[i]);
        return EB_OK;
    }

    double own_distance(double s) const
    {
        return file_->exponent ? std::ldexp(std::sqrt(s), -file_->exponent) : std::sqrt(s);
    }

    float *limit() const { return reinterpret_cast<float *>(counts_.get() + 3 * batch_); }
    uint32_t *kept_count(unsigned which) const { return counts_.get() + (1 + which) * batch_; }

    const eb_inverted_file *file_;
    eb_inverted_context with_;
    file_on_gpu on_gpu_;
    list_groups lists_;
    size_t room_ = 0, batch_ = 0;
    uint32_t longest_ = 0;
    scan_shape plain_ = {}, packed_ = {};
    bool has_packed_ = false, always_packed_ = false;
    unsigned answer_at_ = 0;
    device_array<float> queries_;
    device_array<near_key> keys_, kept_[2];
    device_array<uint32_t> counts_;      /* for each query: found, kept (two arrays), limit */
    device_array<unsigned char> points_; /* in their stored type, for refining */
    device_array<double> refined_s_, refined_;
    device_array<uint32_t> refined_rows_;
    device_array<uint64_t> small_; /* the next item; the greatest overflow; look-ups */
    stopwatch watch_[2];
    std::vector<float> limits_;
    std::vector<near_key> host_keys_;
    std::vector<uint32_t> host_counts_;
    eb_inverted_work work_ = {};
    within_search within_;
};

/* ---- the interface eb_inverted_search ---- */

eb_code find(void *state, const eb_inverted_question *question, const float *queries, size_t count, uint32_t *rows,
             double *distances, eb_job *job, eb_status *status)
{
    return guarded(status, [&]() -> eb_code {
        searcher &s = *static_cast<searcher *>(state);
        EB_TRY(eb_inverted_check_question(question, s.lists(), EB_DEVICE_CUDA, status));
        EB_CUDA(cudaSetDevice(s.with().device->index), "choosing the GPU");
        return s.find(queries, count, {question, rows, distances}, job, status);
    });
}

eb_code within(void *state, const eb_inverted_question *question, const float *queries, size_t count, float limit,
               const eb_inverted_callback *callback, eb_job *job, eb_status *status)
{
    return guarded(status, [&]() -> eb_code {
        searcher &s = *static_cast<searcher *>(state);
        EB_TRY(eb_inverted_check_question(question, s.lists(), EB_DEVICE_CUDA, status));
        EB_CUDA(cudaSetDevice(s.with().device->index), "choosing the GPU");
        return s.within(*question, {queries, count, limit, callback}, job, status);
    });
}

eb_inverted_work work(const void *state) { return static_cast<const searcher *>(state)->work(); }

void close(void *state)
{
    searcher *s = static_cast<searcher *>(state);
    if (s)
        (void)cudaSetDevice(s->with().device->index);
    delete s;
}

} // namespace
} // namespace eb

eb_code eb_inverted_cuda_probe(const eb_device *device, eb_status *status)
{
    const eb_options none = {};
    return eb::probe_architecture(device, &none, status);
}

eb_code eb_inverted_cuda_open(const eb_inverted_file *file, const eb_inverted_context *with, void **out,
                              eb_status *status)
{
    const eb_options none = {};
    EB_TRY(eb::probe_architecture(with->device, &none, status));
    return eb::guarded(status, [&]() -> eb_code {
        EB_CUDA(cudaSetDevice(with->device->index), "choosing the GPU");
        EB_TRY(eb::keep_device_memory(with->device->index, status));
        eb::searcher *made = new eb::searcher(file, with);
        const eb_code code = made->begin(status);
        if (code == EB_OK)
            *out = made;
        else
            delete made;
        return code;
    });
}

extern "C" const eb_inverted_search eb_inverted_search_cuda = {eb::find, eb::within, eb::work, eb::close};
