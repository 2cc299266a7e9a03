/* file_on_gpu: an inverted file's arrays on the device, in the layout that a scan reads (scan_task.cuh). */
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/device/gpu.cuh"
#include "kernels/inverted/cuda/scan_task.cuh"

namespace eb {

/* Rearranges the file's rows of 32 codes so that a lane's 16 codes lie side by side; missing codes are 0. */
static __global__ void arrange_codes(const uint8_t *from, unsigned m, unsigned groups, size_t first_block,
                                     size_t blocks, uint8_t *to)
{
    const size_t at = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x,
                 block_bytes = size_t{groups} * codes_at_once * EB_LIST_BLOCK, block = at / block_bytes,
                 inside = at % block_bytes;
    if (block >= blocks)
        return;
    const unsigned k = inside % codes_at_once, lane = inside / codes_at_once % EB_LIST_BLOCK,
                   j = static_cast<unsigned>(inside / (codes_at_once * EB_LIST_BLOCK)) * codes_at_once + k;
    to[first_block * block_bytes + at] = j < m ? from[(block * m + j) * EB_LIST_BLOCK + lane] : 0;
}

class file_on_gpu {
  public:
    eb_code upload(const eb_inverted_file &file, eb_status *status)
    {
        const size_t nlist = file.shape.nlist, m = file.shape.m, blocks = file.blocks[nlist];
        std::vector<float> books(m * EB_BOOK_ENTRIES * file.piece), reach(m);
        for (size_t j = 0; j < m; j++)
            reach[j] = eb_book_reach(&file, j);
        for (size_t j = 0; j < m; j++)
            for (size_t c = 0; c < EB_BOOK_ENTRIES; c++)
                for (size_t t = 0; t < file.piece; t++)
                    books[(j * file.piece + t) * EB_BOOK_ENTRIES + c] =
                        file.books[(j * EB_BOOK_ENTRIES + c) * file.piece + t];
        EB_TRY(put(centroids_, file.centroids, nlist * file.d, "centroids", status));
        EB_TRY(put(books_, books.data(), books.size(), "books", status));
        EB_TRY(put(reach_, reach.data(), m, "books", status));
        EB_TRY(put(blocks_, file.blocks, nlist + 1, "lists", status));
        EB_TRY(put(counts_, file.count, nlist, "lists", status));
        EB_TRY(put(rows_, file.row, blocks * EB_LIST_BLOCK, "rows of lists", status));
        const unsigned groups = static_cast<unsigned>((m + codes_at_once - 1) / codes_at_once);
        view_ = {centroids_.get(),
                 books_.get(),
                 reach_.get(),
                 blocks_.get(),
                 counts_.get(),
                 rows_.get(),
                 nullptr,
                 static_cast<unsigned>(file.d),
                 static_cast<unsigned>(m),
                 static_cast<unsigned>(file.piece),
                 groups};
        return put_codes(file, blocks, status);
    }
    const file_view &view() const { return view_; }

  private:
    template <class T>
    eb_code put(device_array<T> &to, const T *from, size_t count, const char *what, eb_status *status)
    {
        EB_TRY(to.reserve(count, what, status));
        EB_CUDA(cudaMemcpy(to.get(), from, count * sizeof(T), cudaMemcpyHostToDevice), what);
        return EB_OK;
    }
    eb_code put_codes(const eb_inverted_file &file, size_t blocks, eb_status *status)
    {
        const size_t m = view_.m, bytes = size_t{view_.code_groups} * codes_at_once * EB_LIST_BLOCK,
                     most = std::max<size_t>((size_t{64} << 20) / bytes, 1);
        device_array<uint8_t> room;
        EB_TRY(codes_.reserve(blocks * bytes, "codes", status));
        EB_TRY(room.reserve(std::min(blocks, most) * m * EB_LIST_BLOCK, "codes on their way", status));
        for (size_t first = 0; first < blocks; first += most) {
            const size_t count = std::min(most, blocks - first);
            EB_CUDA(cudaMemcpy(room.get(), eb_block_codes(&file, first), count * m * EB_LIST_BLOCK,
                               cudaMemcpyHostToDevice),
                    "copying codes");
            arrange_codes<<<static_cast<unsigned>((count * bytes + 255) / 256), 256>>>(room.get(), view_.m,
                                                                                       view_.code_groups, first, count,
                                                                                       codes_.get());
            EB_CUDA(cudaGetLastError(), "arranging codes");
        }
        view_.codes = reinterpret_cast<const uint4 *>(codes_.get());
        return EB_OK;
    }

    device_array<float> centroids_, books_, reach_;
    device_array<uint64_t> blocks_;
    device_array<uint32_t> counts_, rows_;
    device_array<uint8_t> codes_;
    file_view view_ = {};
};

} // namespace eb
