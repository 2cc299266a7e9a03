/* groups: orders points in groups around pivots, and lists the block tiles that can hold a pair within ε.
 *
 * If points are clustered, most tiles are ruled out before anything is multiplied: for sets A and B and any pivot p a
 * pair has ‖x − y‖ ≥ ‖y − p‖ − ‖x − p‖ ≥ least(B, p) − most(A, p). Pivots are rounded points of a sample. The next
 * pivot is always the point farthest from all pivots before (Gonzalez, 1985), until each sampled point has a pivot
 * nearby. Each point joins the group of its nearest pivot, or the last group if no pivot is near. Groups are stored one
 * after the other, and cut tiles into segments. For each segment the least distance of its points to every pivot is
 * kept, and the greatest to its own pivot. These distances come from the filter's own products, with their bounds, so
 * that no pair is missed.
 *
 * Groups are tried if the sample shows clusters (grouping.h), and given up if most_pivots pivots leave a sampled point
 * far from all of them.
 */
#pragma once

#include "kernels/filters/groups_kernels.cuh"
#include "kernels/sort/sort.cuh"
#include "kernels/tiled/order.cuh"

namespace eb {

template <class filter> class point_groups {
  public:
    using value = typename filter::numbers::value;
    using bound = typename filter::bound;

    /* Orders the points by groups, for tiles of `side` points: point[k] is the point at place k. *found false: groups
     * would not help, and point is unchanged. always: make groups in any case, for tests. */
    eb_code find(const filter_side<filter> &of, const bound &bound, uint32_t side, bool always, uint32_t *point,
                 bool *found, cudaStream_t stream, eb_status *status)
    {
        *found = false;
        const eb_code failed = group(of, bound, side, always, point, stream, status);
        product_.release();
        pivots_ = failed ? 0 : pivots_;
        *found = pivots_ > 0;
        return failed;
    }

    /* Whether groups would help, by a sample of the points. There are none afterwards. */
    eb_code judge(const filter_side<filter> &sample, const bound &bound, bool *helps, cudaStream_t stream,
                  eb_status *status)
    {
        const eb_code failed = spread_pivots(sample, bound, false, stream, status);
        product_.release();
        *helps = !failed && pivots_ > 0;
        pivots_ = 0;
        return failed;
    }

    bool there() const { return pivots_ > 0; }
    uint32_t side() const { return side_; }

    /* Lists the tiles on or above the diagonal that may hold a pair within ε. in_order: every time in the same order,
     * so that it can be cut into parts. */
    eb_code list(const bound &bound, bool in_order, const uint2 **tiles, uint64_t *count, cudaStream_t stream,
                 eb_status *status)
    {
        const uint64_t all = static_cast<uint64_t>(tiles_) * (tiles_ + 1) / 2;
        unsigned long long listed = 0;
        EB_TRY(list_.reserve(all, what, status));
        EB_CUDA(cudaMemsetAsync(counter_.get(), 0, sizeof listed, stream), what);
        list_near_tiles<<<tiles_, 256, 0, stream>>>(segments(), tiles_, filter::reach_of(bound), list_.get(),
                                                    counter_.get());
        EB_CUDA(cudaGetLastError(), what);
        EB_CUDA(cudaMemcpyAsync(&listed, counter_.get(), sizeof listed, cudaMemcpyDeviceToHost, stream), what);
        EB_CUDA(cudaStreamSynchronize(stream), what);
        *tiles = list_.get();
        *count = listed;
        return in_order ? sort_list(listed, tiles, stream, status) : EB_OK;
    }

  private:
    static constexpr const char *what = "grouping the points";
    static constexpr float alone = 2; /* × ε */

    /* A tile's two numbers are one key of 64 bits. */
    eb_code sort_list(uint64_t count, const uint2 **tiles, cudaStream_t stream, eb_status *status)
    {
        static_assert(sizeof(uint2) == sizeof(uint64_t));
        EB_TRY(sorted_list_.reserve(count, what, status));
        *tiles = sorted_list_.get();
        return sort_keys(reinterpret_cast<const uint64_t *>(list_.get()),
                         reinterpret_cast<uint64_t *>(sorted_list_.get()), count, 64, sort_room_, what, stream, status);
    }

    eb_code group(const filter_side<filter> &of, const bound &bound, uint32_t side, bool always, uint32_t *point,
                  cudaStream_t stream, eb_status *status)
    {
        EB_TRY(spread_pivots(of, bound, always, stream, status));
        if (pivots_ == 0)
            return EB_OK;
        EB_TRY(assign(of, bound, point, stream, status));
        return cut(of, bound, side, point, stream, status);
    }

    /* Multiplies rows with pivots into product_, [rows][wide_]. row: the rows' points, nullptr for all points. */
    eb_code multiply(const filter_side<filter> &of, const uint32_t *row, size_t rows, const uint32_t *pivot,
                     size_t pivots, cudaStream_t stream, eb_status *status)
    {
        wide_ = static_cast<uint32_t>(round_up(pivots, pivots_a_block));
        EB_TRY(product_.reserve(rows * wide_, what, status));
        const dim3 grid(blocks_for(rows, rows_a_block), wide_ / pivots_a_block);
        multiply_pivots<typename filter::products>
            <<<grid, 32 * multiplying_warps, 0, stream>>>(of.points, of.d_padded, row, static_cast<uint32_t>(rows),
                                                          pivot, static_cast<uint32_t>(pivots), wide_, product_.get());
        EB_CUDA(cudaGetLastError(), what);
        return EB_OK;
    }

    eb_code spread_pivots(const filter_side<filter> &of, const bound &bound, bool always, cudaStream_t stream,
                          eb_status *status)
    {
        const uint32_t sampled = static_cast<uint32_t>(of.count < most_sampled ? of.count : most_sampled);
        const float eps = filter::reach_of(bound);
        spread_result result{};
        pivots_ = 0;
        EB_TRY(sample_.reserve(most_sampled, what, status));
        EB_TRY(pivot_.reserve(most_pivots, what, status));
        EB_TRY(counter_.reserve(1, what, status));
        EB_TRY(result_.reserve(1, what, status));
        take_sample<<<(sampled + 255) / 256, 256, 0, stream>>>(of.count, sampled, sample_.get());
        EB_CUDA(cudaGetLastError(), what);
        EB_TRY(multiply(of, sample_.get(), sampled, sample_.get(), sampled, stream, status));
        EB_CUDA(cudaMemsetAsync(result_.get(), 0, sizeof result, stream), what);
        count_near<filter><<<sampled, 256, 0, stream>>>(product_.get(), wide_, of.known, sample_.get(), sampled, bound,
                                                        eps, result_.get());
        spread<filter><<<1, spreading_threads, 0, stream>>>(product_.get(), wide_, of.known, sample_.get(), sampled,
                                                            bound, 1.2f * eps, always, pivot_.get(), result_.get());
        EB_CUDA(cudaGetLastError(), what);
        EB_CUDA(cudaMemcpyAsync(&result, result_.get(), sizeof result, cudaMemcpyDeviceToHost, stream), what);
        EB_CUDA(cudaStreamSynchronize(stream), what);
        radius_ = result.radius;
        pivots_ = always || result.radius <= alone * eps ? result.pivots : 0;
        return EB_OK;
    }

    eb_code assign(const filter_side<filter> &of, const bound &bound, uint32_t *point, cudaStream_t stream,
                   eb_status *status)
    {
        constexpr unsigned a_block = 8;
        EB_TRY(group_.reserve(of.count, what, status));
        EB_TRY(multiply(of, nullptr, of.count, pivot_.get(), pivots_, stream, status));
        nearest_pivots<filter>
            <<<blocks_for(of.count, a_block), 32 * a_block, 0, stream>>>(product_.get(), wide_, of.known,
                                                                         static_cast<uint32_t>(of.count), pivot_.get(),
                                                                         pivots_, bound,
                                                                         2 * radius_ + filter::reach_of(bound),
                                                                         group_.get());
        EB_CUDA(cudaGetLastError(), what);
        return order_by(group_.get(), of.count, 0, point, stream, status);
    }

    eb_code cut(const filter_side<filter> &of, const bound &bound, uint32_t side, const uint32_t *point,
                cudaStream_t stream, eb_status *status)
    {
        side_ = side;
        tiles_ = static_cast<uint32_t>((of.count + side - 1) / side);
        most_segments_ = tiles_ + pivots_ + 1;
        EB_TRY(first_.reserve(tiles_, what, status));
        EB_TRY(own_.reserve(most_segments_, what, status));
        EB_TRY(most_.reserve(most_segments_, what, status));
        EB_TRY(least_.reserve(static_cast<size_t>(most_segments_) * pivots_, what, status));
        EB_CUDA(cudaMemsetAsync(counter_.get(), 0, sizeof(unsigned long long), stream), what);
        cut_segments<filter><<<tiles_, cutting_threads, 0, stream>>>(product_.get(), wide_, of.known,
                                                                     static_cast<uint32_t>(of.count), side, point,
                                                                     group_.get(), pivot_.get(), bound, segments(),
                                                                     counter_.get());
        EB_CUDA(cudaGetLastError(), what);
        return EB_OK;
    }

    tile_segments segments() const
    {
        return {first_.get(), own_.get(), most_.get(), least_.get(), pivots_, most_segments_};
    }

    device_array<uint32_t> sample_, pivot_; /* numbers of points */
    device_array<value> product_;
    device_array<float> group_; /* [points] number of the pivot; pivots_: no pivot is near */
    device_array<uint2> first_; /* [tiles] first segment, number of segments */
    device_array<uint32_t> own_;
    device_array<float> most_, least_;
    device_array<uint2> list_, sorted_list_;
    sort_room sort_room_;
    device_array<unsigned long long> counter_;
    device_array<spread_result> result_;
    uint32_t pivots_ = 0, wide_ = 0, side_ = 0, tiles_ = 0, most_segments_ = 0;
    float radius_ = 0;
};

} // namespace eb
