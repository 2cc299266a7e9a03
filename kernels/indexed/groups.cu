#include "kernels/indexed/groups.cuh"

namespace eb {

namespace {

constexpr const char *grouping = "putting queries together";

__device__ __forceinline__ size_t thread_number() { return blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; }

/* x: position in the order of cells. Position `cells` belongs to no cell and gets 0. */
__global__ void count_groups(const uint32_t *size, const uint32_t *order, uint32_t cells, uint32_t a_group,
                             uint32_t *groups)
{
    const size_t x = thread_number();
    if (x < cells)
        groups[x] = (size[order ? order[x] : x] + a_group - 1) / a_group;
    else if (x == cells)
        groups[x] = 0;
}

__global__ void fill_groups(const uint32_t *size, const uint32_t *first, const uint32_t *order, const uint32_t *begin,
                            uint32_t cells, uint32_t a_group, query_group *group)
{
    const size_t x = thread_number();
    if (x >= cells)
        return;
    const uint32_t c = order ? order[x] : static_cast<uint32_t>(x);
    for (uint32_t g = 0; g * a_group < size[c]; g++)
        group[begin[x] + g] = {c, first[c] + g * a_group, min(a_group, size[c] - g * a_group)};
}

} // namespace

eb_code group_list::make(const uint32_t *size, const uint32_t *first, const uint32_t *order, uint32_t cells,
                         uint32_t a_group, cudaStream_t stream, eb_status *status)
{
    const unsigned blocks = cells / 256 + 1;
    EB_TRY(groups_.reserve(size_t{cells} + 1, grouping, status));
    EB_TRY(begin_.reserve(size_t{cells} + 1, grouping, status));
    count_groups<<<blocks, 256, 0, stream>>>(size, order, cells, a_group, groups_.get());
    EB_CUDA(cudaGetLastError(), grouping);
    EB_TRY(sum_before(groups_.get(), begin_.get(), size_t{cells} + 1, scratch_, grouping, stream, status));
    EB_CUDA(cudaMemcpyAsync(&count_, begin_.get() + cells, sizeof count_, cudaMemcpyDeviceToHost, stream), grouping);
    EB_CUDA(cudaStreamSynchronize(stream), grouping);
    EB_TRY(group_.reserve(count_, grouping, status));
    fill_groups<<<blocks, 256, 0, stream>>>(size, first, order, begin_.get(), cells, a_group, group_.get());
    EB_CUDA(cudaGetLastError(), grouping);
    return EB_OK;
}

} // namespace eb
