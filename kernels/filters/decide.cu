#include "kernels/filters/decide.cuh"

#include <cmath>
#include <cstring>

namespace eb {

namespace {

const eb_figure recheck_time = {"recheck_s", "pairs decided by FP64", EB_SECONDS, EB_FIGURE_PART, 0};
const eb_figure candidates_met = {"candidates", "candidates", EB_PLAIN, EB_FIGURE_FACT, 0};
const eb_figure rechecked = {"rechecked", "decided by FP64", EB_PLAIN, EB_FIGURE_FACT, 0};
const eb_figure undecided = {"band", "undecided by the bound", EB_PLAIN, EB_FIGURE_FACT, 0};
const eb_figure worst_share = {"bound_share", "the bound's worst observed share", EB_PLAIN, EB_FIGURE_FACT, 0};

void raise(eb_figures *figures, const eb_figure *which, double value)
{
    const double before = figures ? eb_figures_value(figures, which->key) : 0;
    eb_figures_set(figures, which, std::isnan(before) ? value : std::fmax(before, value));
}

} // namespace

void tell_decided(eb_figures *figures, uint64_t candidates, bool alone, const decided_tally &result, double seconds)
{
    float share = 0;
    static_assert(sizeof share == sizeof result.share);
    std::memcpy(&share, &result.share, sizeof share);
    eb_figures_add(figures, &candidates_met, static_cast<double>(candidates));
    eb_figures_add(figures, &recheck_time, seconds);
    eb_figures_add(figures, &rechecked, static_cast<double>(alone ? result.band : candidates));
    eb_figures_add(figures, &undecided, static_cast<double>(result.band));
    raise(figures, &worst_share, static_cast<double>(share));
}

} // namespace eb
