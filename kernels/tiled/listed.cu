#include "kernels/tiled/listed.cuh"

namespace eb {

/* The whole list is sorted into squares; the tiles of a pair of blocks keep that order. */
eb_code listed_tiles::place(const eb_schedule &schedule, const eb_order *order, size_t side, size_t a, size_t rows,
                            size_t b, size_t columns, unsigned chunk, cudaStream_t stream, eb_status *status)
{
    const char *what = "uploading a list of tiles";
    if (side_ != side) {
        forget();
        EB_TRY(eb_tile_list_make(&schedule, order, side, side, EB_TILES_IN_SQUARES, &all_, status));
        side_ = side;
    }
    const uint32_t row = static_cast<uint32_t>(a / side), column = static_cast<uint32_t>(b / side);
    const uint32_t end_row = row + static_cast<uint32_t>((rows + side - 1) / side);
    const uint32_t end_column = column + static_cast<uint32_t>((columns + side - 1) / side);
    constexpr uint32_t one_more = 1u << 24;
    uint2 next{}; /* the tile that would extend the last run */
    uint32_t length = 0;
    here_.clear();
    tiles_ = 0;
    for (uint64_t k = 0; k < all_.count; k++) {
        const eb_tile &t = all_.tile[k];
        if (t.row < row || t.row >= end_row || t.column < column || t.column >= end_column)
            continue;
        const uint2 at = make_uint2(t.row - row, t.column - column);
        tiles_++;
        if (length > 0 && length < chunk && at.x == next.x && at.y == next.y) {
            here_.back().x += one_more;
            length++;
        } else {
            here_.push_back(at);
            length = 1;
        }
        next = make_uint2(at.x, at.y + 1);
    }
    EB_TRY(on_device_.reserve(here_.size(), what, status));
    EB_CUDA(cudaMemcpyAsync(on_device_.get(), here_.data(), here_.size() * sizeof(uint2), cudaMemcpyHostToDevice,
                            stream),
            what);
    return EB_OK;
}

} // namespace eb
