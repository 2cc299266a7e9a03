/* index: GDS-Join's grid as an engine's index (indexed/engine.cuh): the order of dimensions, and cells for an ε. */
#pragma once

#include <algorithm>
#include <cstdio>

#include "kernels/grid/cells.cuh"
#include "kernels/indexed/spread.cuh"

extern "C" {
#include "core/engine/figure.h"
}

namespace eb {

struct grid_settings {
    uint32_t k;       /* most dimensions indexed */
    uint32_t a_group; /* most queries in a group */
    bool reorder;     /* order dimensions by their variance, otherwise as stored */
    bool crowded_first;
};

class grid_index {
  public:
    using view_type = cell_view;

    explicit grid_index(const grid_settings &set) : set_(set) {}

    static constexpr size_t bytes_a_point = grid_cells::bytes_a_point;
    const std::vector<uint32_t> &order() const { return order_; }
    const uint32_t *point() const { return cells_.point(); }
    uint32_t groups() const { return cells_.groups(); }
    cell_view view() const { return cells_.view(); }

    /* points: n × d on the device; they must outlive the index. */
    eb_code prepare(const double *points, size_t n, size_t d, const spread_of_points &spread, cudaStream_t, eb_status *)
    {
        points_ = points;
        n_ = n;
        spread_ = spread;
        order_ = set_.reorder ? by_variance(spread) : as_stored(d);
        return EB_OK;
    }

    /* Makes the cells; one cell for ε = ∞. */
    eb_code make(double eps, cudaStream_t stream, eb_status *status)
    {
        double low[EB_GRID_MOST], high[EB_GRID_MOST];
        grid_axes axes{};
        const uint32_t indexed = static_cast<uint32_t>(std::min<size_t>(set_.k, order_.size()));
        for (uint32_t a = 0; a < indexed; a++) {
            axes.dimension[a] = order_[a];
            low[a] = spread_.low[order_[a]];
            high[a] = spread_.high[order_[a]];
        }
        const eb_grid grid = eb_grid_plan(low, high, indexed, eps);
        axes_ = grid.k;
        return cells_.make(grid, points_, n_, order_.size(), axes, set_.a_group, set_.crowded_first, stream, status);
    }

    void describe(char *text, size_t size) const
    {
        (void)std::snprintf(text, size, "%u cells in %u of the dimensions", cells_.cells(), axes_);
    }

    void report(eb_figures *figures) const
    {
        static const eb_figure cells = {"cells", "cells with points", EB_PLAIN, EB_FIGURE_FACT, 0};
        eb_figures_set(figures, &cells, cells_.cells());
    }

  private:
    grid_settings set_;
    const double *points_ = nullptr;
    size_t n_ = 0;
    uint32_t axes_ = 0;
    spread_of_points spread_;
    std::vector<uint32_t> order_;
    grid_cells cells_;
};

} // namespace eb
