#include "kernels/mistic/cuda/tree.cuh"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "kernels/mistic/bins.h"
#include "kernels/mistic/cuda/layers.cuh"

namespace eb {

namespace {

constexpr const char *growing = "making the tree";

unsigned blocks_for(size_t items) { return static_cast<unsigned>((items + 255) / 256); }

__global__ void fill(uint32_t *to, size_t count, bool ascending)
{
    const size_t k = thread_number();
    if (k < count)
        to[k] = ascending ? static_cast<uint32_t>(k) : 0;
}

/* Makes new nodes from runs: their bins and parents, and the first child of each parent. */
__global__ void name_nodes(const uint64_t *run, uint32_t runs, uint32_t parents, uint32_t *bin, uint32_t *parent,
                           uint32_t *child)
{
    const size_t r = thread_number();
    if (r >= runs)
        return;
    const uint32_t above = static_cast<uint32_t>(run[r] >> EB_BIN_BITS);
    bin[r] = static_cast<uint32_t>(run[r] & bin_mask);
    parent[r] = above;
    if (r == 0 || static_cast<uint32_t>(run[r - 1] >> EB_BIN_BITS) != above)
        child[above] = static_cast<uint32_t>(r);
    if (r + 1 == runs)
        child[parents] = runs;
}

/* Marks the ends of all runs but the last: their prefix sums are the run of each place. */
__global__ void mark_ends(const uint64_t *sorted, size_t n, uint32_t *end)
{
    const size_t k = thread_number();
    if (k < n)
        end[k] = k + 1 < n && sorted[k] != sorted[k + 1];
}

__global__ void take_nodes(const uint32_t *run_of_place, const uint32_t *point, size_t n, uint32_t *node)
{
    const size_t k = thread_number();
    if (k < n)
        node[point[k]] = run_of_place[k];
}

/* The first child in [low, high) whose bin is at least `wanted`. */
__device__ __forceinline__ uint32_t child_from(const uint32_t *bin, uint32_t low, uint32_t high, uint32_t wanted)
{
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (bin[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A warp lists the neighbours of a node among the children of its parent's neighbours. cut: which parents were cut. out
 * nullptr: only counts them; otherwise writes them in order. */
__global__ void list_near(const uint32_t *bin, const uint32_t *parent, const uint32_t *child, const uint32_t *cut,
                          uint32_t nodes, const unsigned long long *above_begin, const uint32_t *above,
                          const unsigned long long *begin, unsigned long long *count, uint32_t *out)
{
    const size_t v = thread_number() / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if (v >= nodes)
        return;
    const uint32_t mine = bin[v], least = mine > 0 ? mine - 1 : 0;
    const unsigned long long first = above_begin[parent[v]], end = above_begin[parent[v] + 1];
    unsigned long long found = 0;
    for (unsigned long long base = first; base < end; base += 32) {
        const bool some = base + lane < end;
        const uint32_t u = some ? above[base + lane] : 0;
        const bool all = some && (!cut[parent[v]] || !cut[u]);
        const uint32_t low = !some ? 0
                             : all ? child[u]
                                   : child_from(bin, child[u], child[u + 1], least),
                       high = !some ? 0
                              : all ? child[u + 1]
                                    : child_from(bin, low, child[u + 1], mine + 2);
        uint32_t through = high - low;
#pragma unroll
        for (int step = 1; step < 32; step *= 2) {
            const uint32_t before = __shfl_up_sync(~0u, through, step);
            through += lane >= step ? before : 0;
        }
        if (out)
            for (uint32_t c = low; c < high; c++)
                out[begin[v] + found + (through - (high - low)) + (c - low)] = c;
        found += __shfl_sync(~0u, through, 31);
    }
    if (lane == 0 && !out)
        count[v] = found;
}

/* Counts the pairs of points in neighbouring nodes, and marks the nodes with enough pairs to be cut. */
__global__ void count_pairs(const uint32_t *size, const unsigned long long *begin, const uint32_t *near, uint32_t nodes,
                            unsigned long long enough, uint32_t *cut, unsigned long long *sums)
{
    const size_t v = thread_number() / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if (v >= nodes)
        return;
    unsigned long long points = 0;
    for (unsigned long long x = begin[v] + lane; x < begin[v + 1]; x += 32)
        points += size[near[x]];
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
        points += __shfl_xor_sync(~0u, points, step);
    if (lane > 0)
        return;
    cut[v] = points * size[v] >= enough;
    atomicAdd(sums, points * size[v]);
    if (cut[v])
        atomicAdd(sums + 1, 1ull);
}

__global__ void set_last(uint32_t *first, uint32_t at, uint32_t value) { first[at] = value; }

} // namespace

eb_code multi_space_tree::prepare(const double *points, size_t n, size_t d, const spread_of_points &spread,
                                  cudaStream_t stream, eb_status *status)
{
    points_ = points;
    n_ = n;
    d_ = d;
    spread_ = spread;
    order_ = by_variance(spread_);
    double squares = 0;
    for (size_t k = 0; k < d; k++) {
        const double extent = spread_.high[k] - spread_.low[k];
        squares += extent * extent;
    }
    diameter_ = std::sqrt(squares) * (1 + 0x1p-20);
    EB_TRY(key_.reserve(n, growing, status));
    EB_TRY(sorted_.reserve(n, growing, status));
    EB_TRY(run_.reserve(n, growing, status));
    for (device_array<uint32_t> *each :
         {&node_, &number_, &point_, &bin_, &parent_, &run_of_place_, &cut_, &next_cut_, &place_})
        EB_TRY(each->reserve(n, growing, status));
    for (device_array<uint32_t> *each : {&size_, &run_size_, &first_, &child_})
        EB_TRY(each->reserve(n + 1, growing, status));
    EB_TRY(found_.reserve(1, growing, status));
    EB_TRY(sums_.reserve(2, growing, status));
    fill<<<blocks_for(n), 256, 0, stream>>>(number_.get(), n, true);
    EB_CUDA(cudaGetLastError(), growing);
    return references_.prepare(points, n, d, spread_, order_, stream, status);
}

/* The greatest value of a layer. */
double multi_space_tree::extent_of(const layer &by) const
{
    return by.metric ? diameter_ : spread_.high[by.which] - spread_.low[by.which];
}

template <class bins_of>
eb_code multi_space_tree::cut(const layer &by, uint32_t layers, double eps, bins_of to, cudaStream_t stream,
                              eb_status *status)
{
    const binned_points of{points_, n_, d_, eb_bin_width(eps, extent_of(by)), node_.get(), cut_.get()};
    const double *references = references_.get() + by.which * d_;
    if (!by.metric)
        cut_by_coordinate<<<blocks_for(n_), 256, 0, stream>>>(of, by.which, spread_.low[by.which], to);
    else if (d_ <= 4)
        cut_by_distance<4><<<blocks_for(4 * n_), 256, 0, stream>>>(of, references, layers, to);
    else if (d_ <= 16)
        cut_by_distance<16><<<blocks_for(16 * n_), 256, 0, stream>>>(of, references, layers, to);
    else
        cut_by_distance<32><<<blocks_for(32 * n_), 256, 0, stream>>>(of, references, layers, to);
    EB_CUDA(cudaGetLastError(), growing);
    return EB_OK;
}

/* Sorts the keys and finds their runs: number, key, size. */
eb_code multi_space_tree::sort_keys(bool with_points, cudaStream_t stream, eb_status *status)
{
    int bits = static_cast<int>(EB_BIN_BITS) + 1;
    while (bits < 63 && static_cast<uint64_t>(nodes_) << EB_BIN_BITS >> bits)
        bits++;
    if (with_points)
        EB_TRY(sort_pairs(key_.get(), sorted_.get(), number_.get(), point_.get(), n_, bits, scratch_, growing, stream,
                          status));
    else
        EB_TRY(eb::sort_keys(key_.get(), sorted_.get(), n_, bits, scratch_, growing, stream, status));
    EB_TRY(find_runs(sorted_.get(), run_.get(), run_size_.get(), found_.get(), n_, scratch_, growing, stream, status));
    EB_CUDA(cudaMemcpyAsync(&runs_, found_.get(), sizeof runs_, cudaMemcpyDeviceToHost, stream), growing);
    EB_CUDA(cudaStreamSynchronize(stream), growing);
    return EB_OK;
}

uint32_t multi_space_tree::bins_in(const layer &by, double eps) const
{
    const double extent = extent_of(by);
    return static_cast<uint32_t>(extent / eb_bin_width(eps, extent)) + 2;
}

/* What layers leave, into sums_[3 · at …]: by counts of their bins in all nodes that are cut. Several layers are
 * metric.
 */
eb_code multi_space_tree::judge_counted(const layer &by, uint32_t layers, size_t at, double eps, cudaStream_t stream,
                                        eb_status *status)
{
    const uint32_t bins = bins_in(by, eps);
    const uint64_t counts = static_cast<uint64_t>(bins) * to_cut_;
    EB_TRY(count_.reserve(layers * counts, growing, status));
    EB_CUDA(cudaMemsetAsync(count_.get(), 0, layers * counts * sizeof(uint32_t), stream), growing);
    EB_TRY(cut(by, layers, eps, counted_bins{place_.get(), count_.get(), counts, bins}, stream, status));
    const dim3 grid(std::min(blocks_for(counts), 1024u), layers);
    add_bins<<<grid, 256, 0, stream>>>(count_.get(), counts, bins, sums_.get() + 3 * at);
    EB_CUDA(cudaGetLastError(), growing);
    return EB_OK;
}

/* The same of one layer by sorted keys. */
eb_code multi_space_tree::judge_sorted(const layer &by, size_t at, double eps, cudaStream_t stream, eb_status *status)
{
    EB_TRY(cut(by, 1, eps, keyed_bins{key_.get()}, stream, status));
    EB_TRY(sort_keys(false, stream, status));
    add_runs<<<blocks_for(runs_), 256, 0, stream>>>(run_.get(), run_size_.get(), runs_, cut_.get(),
                                                    sums_.get() + 3 * at);
    EB_CUDA(cudaGetLastError(), growing);
    return EB_OK;
}

eb_code multi_space_tree::judge(const std::vector<layer> &layers, double eps, cudaStream_t stream, eb_status *status)
{
    EB_TRY(sum_before(cut_.get(), place_.get(), nodes_, scratch_, growing, stream, status));
    for (size_t at = 0; at < layers.size();) {
        const layer &by = layers[at];
        const uint64_t fit = counts_a_point * n_ / (static_cast<uint64_t>(bins_in(by, eps)) * to_cut_);
        const uint64_t alike = by.metric ? set_.references - by.which : 1;
        const uint32_t together = static_cast<uint32_t>(std::min(fit, alike));
        EB_TRY(together > 0 ? judge_counted(by, together, at, eps, stream, status)
                            : judge_sorted(by, at, eps, stream, status));
        at += together > 0 ? together : 1;
    }
    add_whole<<<blocks_for(nodes_), 256, 0, stream>>>(size_.get(), cut_.get(), nodes_, sums_.get() + 3 * layers.size());
    EB_CUDA(cudaGetLastError(), growing);
    return EB_OK;
}

/* Chooses the level's layer among new reference points and the coordinates. A layer that leaves as many pairs as there
 * are within the nodes is rejected: one or two nodes of equal size would otherwise look best. */
eb_code multi_space_tree::choose(double eps, layer *best, cudaStream_t stream, eb_status *status)
{
    std::vector<layer> layers;
    double least = INFINITY, left = within_;
    const double n = static_cast<double>(n_);
    EB_TRY(references_.make(set_.references, levels_, stream, status));
    for (uint32_t k = 0; k < set_.references; k++)
        layers.push_back({true, k});
    for (size_t k = 0; k < d_ && k < set_.coordinates; k++)
        layers.push_back({false, order_[k]});
    std::vector<unsigned long long> sums(3 * layers.size() + 3); /* the last of nodes that are not cut */
    const size_t bytes = sums.size() * sizeof sums[0];
    EB_TRY(sums_.reserve(sums.size(), growing, status));
    EB_CUDA(cudaMemsetAsync(sums_.get(), 0, bytes, stream), growing);
    EB_TRY(judge(layers, eps, stream, status));
    EB_CUDA(cudaMemcpyAsync(sums.data(), sums_.get(), bytes, cudaMemcpyDeviceToHost, stream), growing);
    EB_CUDA(cudaStreamSynchronize(stream), growing);
    *best = layers.front();
    for (size_t at = 0; at < layers.size(); at++) {
        const unsigned long long *of = &sums[3 * at], *whole = &sums[3 * layers.size()];
        const double squares = static_cast<double>(of[0] + whole[0]), work = static_cast<double>(of[1] + whole[1]),
                     runs = static_cast<double>(of[2] + whole[2]);
        const double cost = set_.by_work ? work : squares - n * n / runs; /* Σ(size − mean)² */
        if (cost < least && (set_.by_work || work < within_)) {
            least = cost;
            left = squares;
            *best = layers[at];
        }
    }
    within_ = left;
    return EB_OK;
}

eb_code multi_space_tree::grow(const layer &by, double eps, cudaStream_t stream, eb_status *status)
{
    const uint32_t parents = nodes_;
    EB_TRY(cut(by, 1, eps, keyed_bins{key_.get()}, stream, status));
    EB_TRY(sort_keys(true, stream, status));
    size_.swap(run_size_);
    name_nodes<<<blocks_for(runs_), 256, 0, stream>>>(run_.get(), runs_, parents, bin_.get(), parent_.get(),
                                                      child_.get());
    mark_ends<<<blocks_for(n_), 256, 0, stream>>>(sorted_.get(), n_, run_of_place_.get());
    EB_CUDA(cudaGetLastError(), growing);
    EB_TRY(sum_before(run_of_place_.get(), run_of_place_.get(), n_, scratch_, growing, stream, status));
    take_nodes<<<blocks_for(n_), 256, 0, stream>>>(run_of_place_.get(), point_.get(), n_, node_.get());
    EB_CUDA(cudaGetLastError(), growing);
    nodes_ = runs_;
    return find_near(stream, status);
}

eb_code multi_space_tree::find_near(cudaStream_t stream, eb_status *status)
{
    const size_t nodes = nodes_;
    unsigned long long all = 0;
    EB_TRY(near_count_.reserve(nodes + 1, growing, status));
    EB_TRY(next_begin_.reserve(nodes + 1, growing, status));
    EB_CUDA(cudaMemsetAsync(near_count_.get(), 0, (nodes + 1) * sizeof(unsigned long long), stream), growing);
    list_near<<<blocks_for(32 * nodes), 256, 0, stream>>>(bin_.get(), parent_.get(), child_.get(), cut_.get(), nodes_,
                                                          near_begin_.get(), near_.get(), nullptr, near_count_.get(),
                                                          nullptr);
    EB_CUDA(cudaGetLastError(), growing);
    EB_TRY(sum_before(near_count_.get(), next_begin_.get(), nodes + 1, scratch_, growing, stream, status));
    EB_CUDA(cudaMemcpyAsync(&all, next_begin_.get() + nodes, sizeof all, cudaMemcpyDeviceToHost, stream), growing);
    EB_CUDA(cudaStreamSynchronize(stream), growing);
    EB_TRY(next_near_.reserve(all, growing, status));
    list_near<<<blocks_for(32 * nodes), 256, 0, stream>>>(bin_.get(), parent_.get(), child_.get(), cut_.get(), nodes_,
                                                          near_begin_.get(), near_.get(), next_begin_.get(), nullptr,
                                                          next_near_.get());
    EB_CUDA(cudaGetLastError(), growing);
    EB_CUDA(cudaStreamSynchronize(stream), growing);
    near_begin_.swap(next_begin_);
    near_.swap(next_near_);
    return count_candidates(stream, status);
}

eb_code multi_space_tree::count_candidates(cudaStream_t stream, eb_status *status)
{
    unsigned long long sums[2] = {0, 0};
    EB_CUDA(cudaMemsetAsync(sums_.get(), 0, sizeof sums, stream), growing);
    count_pairs<<<blocks_for(size_t{32} * nodes_), 256, 0, stream>>>(size_.get(), near_begin_.get(), near_.get(),
                                                                     nodes_, set_.split, next_cut_.get(), sums_.get());
    EB_CUDA(cudaGetLastError(), growing);
    EB_CUDA(cudaMemcpyAsync(sums, sums_.get(), sizeof sums, cudaMemcpyDeviceToHost, stream), growing);
    EB_CUDA(cudaStreamSynchronize(stream), growing);
    candidates_[levels_] = static_cast<double>(sums[0]);
    to_cut_ = static_cast<uint32_t>(sums[1]);
    cut_.swap(next_cut_);
    return EB_OK;
}

/* The root has all points, and itself as its only neighbour. */
eb_code multi_space_tree::begin_root(cudaStream_t stream, eb_status *status)
{
    const unsigned long long begin[2] = {0, 1};
    const uint32_t all = static_cast<uint32_t>(n_);
    nodes_ = 1;
    to_cut_ = static_cast<uint64_t>(n_) * n_ >= set_.split;
    within_ = static_cast<double>(n_) * static_cast<double>(n_);
    EB_TRY(near_begin_.reserve(2, growing, status));
    EB_TRY(near_.reserve(1, growing, status));
    EB_CUDA(cudaMemcpyAsync(near_begin_.get(), begin, sizeof begin, cudaMemcpyHostToDevice, stream), growing);
    EB_CUDA(cudaMemsetAsync(near_.get(), 0, sizeof(uint32_t), stream), growing);
    EB_CUDA(cudaMemcpyAsync(cut_.get(), &to_cut_, sizeof to_cut_, cudaMemcpyHostToDevice, stream), growing);
    EB_CUDA(cudaMemcpyAsync(size_.get(), &all, sizeof all, cudaMemcpyHostToDevice, stream), growing);
    fill<<<blocks_for(n_), 256, 0, stream>>>(node_.get(), n_, false);
    fill<<<blocks_for(n_), 256, 0, stream>>>(point_.get(), n_, true);
    EB_CUDA(cudaGetLastError(), growing);
    EB_CUDA(cudaStreamSynchronize(stream), growing);
    return EB_OK;
}

eb_code multi_space_tree::make(double eps, cudaStream_t stream, eb_status *status)
{
    EB_TRY(begin_root(stream, status));
    for (levels_ = 0; levels_ < set_.levels && to_cut_ > 0; levels_++) {
        layer best{};
        EB_TRY(choose(eps, &best, stream, status));
        EB_TRY(grow(best, eps, stream, status));
    }
    EB_TRY(sum_before(size_.get(), first_.get(), nodes_, scratch_, growing, stream, status));
    set_last<<<1, 1, 0, stream>>>(first_.get(), nodes_, static_cast<uint32_t>(n_));
    EB_CUDA(cudaGetLastError(), growing);
    return groups_.make(size_.get(), first_.get(), nullptr, nodes_, set_.a_group, stream, status);
}

void multi_space_tree::describe(char *text, size_t size) const
{
    (void)std::snprintf(text, size, "%u leaves after %u levels", nodes_, levels_);
}

void multi_space_tree::report(eb_figures *figures) const
{
    static const eb_figure leaves = {"leaves", "leaves of the tree", EB_PLAIN, EB_FIGURE_FACT, 0};
    static const eb_figure pruned[most_levels] = {
        {"pruned_level_1", "pruned by level 1", EB_PERCENT, EB_FIGURE_FACT, 0},
        {"pruned_level_2", "pruned by level 2", EB_PERCENT, EB_FIGURE_FACT, 0},
        {"pruned_level_3", "pruned by level 3", EB_PERCENT, EB_FIGURE_FACT, 0},
        {"pruned_level_4", "pruned by level 4", EB_PERCENT, EB_FIGURE_FACT, 0},
        {"pruned_level_5", "pruned by level 5", EB_PERCENT, EB_FIGURE_FACT, 0},
        {"pruned_level_6", "pruned by level 6", EB_PERCENT, EB_FIGURE_FACT, 0},
    };
    const double pairs = static_cast<double>(n_) * static_cast<double>(n_);
    eb_figures_set(figures, &leaves, nodes_);
    for (uint32_t level = 0; level < levels_; level++)
        eb_figures_set(figures, &pruned[level], 1 - candidates_[level] / pairs);
}

} // namespace eb
