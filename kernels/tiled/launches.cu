#include "kernels/tiled/launches.cuh"

#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

namespace eb {

namespace {

constexpr double launch_target_s = 0.05;

struct pace_book {
    std::mutex lock;
    std::map<std::tuple<int, const void *, size_t>, launch_pace> page;
};

pace_book &paces()
{
    static pace_book book;
    return book;
}

} // namespace

void launch_pace::took(uint64_t tiles, double seconds)
{
    const double count = static_cast<double>(tiles);
    if (before_ > 0 && (tiles >= 2 * before_ || before_ >= 2 * tiles)) {
        const double slope = (seconds - before_s_) / (count - static_cast<double>(before_));
        const double beside = seconds - (slope > 0 ? slope : 0) * count;
        overhead_s_ = beside > 0 ? beside : 0;
    }
    before_ = tiles;
    before_s_ = seconds;
    const double least_s = 1e-6, tiles_s = seconds - overhead_s_ > least_s ? seconds - overhead_s_ : least_s;
    tile_s_ = tiles_s / count;
    const double target_s = launch_target_s > 2 * overhead_s_ ? launch_target_s - overhead_s_ : overhead_s_;
    const double wanted = target_s / tile_s_, most = 8.0 * static_cast<double>(tiles_);
    tiles_ = static_cast<uint64_t>(wanted < most ? wanted : most);
    tiles_ = tiles_ < most_ ? tiles_ : most_;
    if (tiles_ < fewest_)
        tiles_ = fewest_;
}

void launch_pace::begin_again()
{
    fewest_ = fewest_tiles;
    most_ = ~uint64_t{0};
    before_ = 0;
    tiles_ -= tiles_ / 5 * 2;
}

bool launch_pace::take_fewer(uint64_t tiles)
{
    if (tiles <= 1)
        return false;
    tiles_ = most_ = tiles / 2;
    fewest_ = tiles_ < fewest_ ? tiles_ : fewest_;
    return true;
}

launch_pace last_pace(int device, const void *kernel, size_t d_padded)
{
    const std::lock_guard<std::mutex> alone(paces().lock);
    const auto found = paces().page.find({device, kernel, d_padded});
    if (found == paces().page.end())
        return launch_pace{};
    launch_pace pace = found->second;
    pace.begin_again();
    return pace;
}

void keep_pace(int device, const void *kernel, size_t d_padded, const launch_pace &pace)
{
    const std::lock_guard<std::mutex> alone(paces().lock);
    paces().page[{device, kernel, d_padded}] = pace;
}

unsigned blocks_at_once(const void *kernel, int threads, int shared_bytes, int device)
{
    int of_an_sm = 0, sms = 0;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_an_sm, kernel, threads, static_cast<size_t>(shared_bytes)) ||
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device))
        return 0;
    return static_cast<unsigned>(of_an_sm) * static_cast<unsigned>(sms);
}

void launch_watch::before()
{
    if (!metered_)
        energy_j_ = energy_of_gpu(device_);
    metered_ = true;
}

void launch_watch::during(eb_figures *figures) const
{
    const gpu_clock now = clock_of_gpu(device_);
    const double before = figures ? eb_figures_value(figures, eb_figure_throttle.key) : 0;
    const uint64_t reasons = now.throttle | (std::isnan(before) ? 0 : static_cast<uint64_t>(before));
    if (!std::isnan(now.sm_clock_hz))
        eb_figures_set(figures, &eb_figure_sm_clock, now.sm_clock_hz);
    eb_figures_set(figures, &eb_figure_throttle, static_cast<double>(reasons));
}

void launch_watch::after(eb_figures *figures) const
{
    const double joules = metered_ ? energy_of_gpu(device_) - energy_j_ : 0;
    if (joules > 0) /* the counter steps some ten times a second; a short run may see no step */
        eb_figures_add(figures, &eb_figure_energy, joules);
}

} // namespace eb
