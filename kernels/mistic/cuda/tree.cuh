/* tree: MiSTIC's multi-space tree on the device. At each level one layer cuts all nodes that still have many pairs into
 * bins. A layer is the distance to a reference point (references.cuh) or one of the coordinates that vary most; the
 * layer that leaves nodes of the most even sizes is taken. The neighbours of a node are the children of its parent's
 * neighbours whose bins differ by at most 1; if one of the two parents was not cut, all its children are neighbours.
 */
#pragma once

#include "kernels/indexed/groups.cuh"
#include "kernels/mistic/cuda/references.cuh"
#include "kernels/sort/sort.cuh"

extern "C" {
#include "core/engine/figure.h"
}

namespace eb {

struct tree_settings {
    uint32_t levels, references, coordinates;
    uint64_t split;   /* nodes with at least this many pairs are cut */
    bool by_work;     /* take the layer that leaves fewest pairs; otherwise the one with the most even nodes */
    uint32_t a_group; /* most queries of a group */
};

constexpr uint32_t most_levels = 6;

/* The part of the tree that kernels read. */
struct tree_view {
    static constexpr int blocks_single = 2, blocks_double = 2; /* a join's blocks per SM: no register is spilled */
    const uint32_t *first;                                     /* [leaves + 1] places */
    const unsigned long long *near_begin;                      /* [leaves + 1] */
    const uint32_t *near;                                      /* the neighbours of each leaf, itself included */
    const uint32_t *point;                                     /* [n] the point at each place */
    const query_group *group;
};

__device__ __forceinline__ uint32_t batches_of(const tree_view &view, uint32_t leaf)
{
    return static_cast<uint32_t>((view.near_begin[leaf + 1] - view.near_begin[leaf] + ranges_a_batch - 1) /
                                 ranges_a_batch);
}

__device__ __forceinline__ uint32_t find_neighbours(const tree_view &view, uint32_t leaf, uint32_t batch, uint32_t from,
                                                    neighbour_places &out, int lane)
{
    const unsigned long long begin = view.near_begin[leaf] + batch * static_cast<unsigned long long>(ranges_a_batch);
    const unsigned long long left = view.near_begin[leaf + 1] - begin;
    return gather_ranges(left < ranges_a_batch ? static_cast<uint32_t>(left) : ranges_a_batch, from, out, lane,
                         [&](uint32_t r) {
                             const uint32_t leaf_near = view.near[begin + r];
                             return make_uint2(view.first[leaf_near], view.first[leaf_near + 1]);
                         });
}

class multi_space_tree {
  public:
    using view_type = tree_view;

    explicit multi_space_tree(const tree_settings &set) : set_(set) {}

    /* points: n × d, FP64, on the device, valid as long as this object. */
    eb_code prepare(const double *points, size_t n, size_t d, const spread_of_points &spread, cudaStream_t stream,
                    eb_status *status);
    const std::vector<uint32_t> &order() const { return order_; } /* dimensions by variance */
    eb_code make(double eps, cudaStream_t stream, eb_status *status);

    tree_view view() const { return {first_.get(), near_begin_.get(), near_.get(), point_.get(), groups_.get()}; }
    const uint32_t *point() const { return point_.get(); }
    uint32_t groups() const { return groups_.count(); }
    void describe(char *text, size_t size) const;
    void report(eb_figures *figures) const;

    static constexpr uint64_t counts_a_point = 32; /* counted bins of layers, on average; more are sorted */
    static constexpr size_t bytes_a_point =
        3 * sizeof(uint64_t) + (13 + counts_a_point) * sizeof(uint32_t) + group_list::bytes_a_point;

  private:
    struct layer {
        bool metric;
        uint32_t which; /* index of a reference point, or of a dimension */
    };
    double extent_of(const layer &by) const;
    uint32_t bins_in(const layer &by, double eps) const;
    template <class bins_of>
    eb_code cut(const layer &by, uint32_t layers, double eps, bins_of to, cudaStream_t stream, eb_status *status);
    eb_code sort_keys(bool with_points, cudaStream_t stream, eb_status *status);
    eb_code judge_counted(const layer &by, uint32_t layers, size_t at, double eps, cudaStream_t stream,
                          eb_status *status);
    eb_code judge_sorted(const layer &by, size_t at, double eps, cudaStream_t stream, eb_status *status);
    eb_code judge(const std::vector<layer> &layers, double eps, cudaStream_t stream, eb_status *status);
    eb_code choose(double eps, layer *best, cudaStream_t stream, eb_status *status);
    eb_code grow(const layer &by, double eps, cudaStream_t stream, eb_status *status);
    eb_code find_near(cudaStream_t stream, eb_status *status);
    eb_code count_candidates(cudaStream_t stream, eb_status *status);
    eb_code begin_root(cudaStream_t stream, eb_status *status);

    tree_settings set_;
    const double *points_ = nullptr;
    size_t n_ = 0, d_ = 0;
    spread_of_points spread_;
    std::vector<uint32_t> order_;
    reference_points references_;
    double diameter_ = 0;
    uint32_t nodes_ = 0, levels_ = 0, runs_ = 0, to_cut_ = 0;
    double candidates_[most_levels] = {0}; /* pairs, of all n², that are left after each level */
    double within_ = 0;                    /* pairs left within a node */
    device_array<uint64_t> key_, sorted_, run_;
    device_array<uint32_t> node_, number_, point_, size_, run_size_, first_, bin_, parent_, child_, found_,
        run_of_place_, cut_, next_cut_;
    device_array<uint32_t> place_, count_; /* how many cut nodes are before each; points in each bin of these */
    device_array<unsigned long long> near_begin_, near_count_, next_begin_, sums_;
    device_array<uint32_t> near_, next_near_;
    group_list groups_;
    sort_room scratch_;
};

} // namespace eb
