#include "kernels/tiled/engine.cuh"

#include <cstring>

namespace eb {

void gathered_rows::gather(const eb_dataset *ds, const uint32_t *rows, size_t m)
{
    const size_t row_bytes = ds->d * eb_dtype_size(ds->dtype);
    bytes_.resize(m * row_bytes);
    for (size_t k = 0; k < m; k++)
        std::memcpy(bytes_.data() + k * row_bytes, eb_row(ds, rows[k]), row_bytes);
    dataset_ = eb_dataset{};
    dataset_.n = m;
    dataset_.d = ds->d;
    dataset_.dtype = ds->dtype;
    dataset_.stride = row_bytes;
    dataset_.rows = bytes_.data();
}

} // namespace eb
