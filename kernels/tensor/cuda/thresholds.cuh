/* thresholds: the largest number q of a type with fl(q·unit) ≤ squared_eps, for engines whose squared distances are
 * q·unit.
 */
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/parts/byte_levels.h"

namespace eb {

namespace within {

/* Numbers ≥ 0 have the order of their bits. */
inline double number_of(uint64_t bits, double)
{
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}
inline float number_of(uint64_t bits, float)
{
    const uint32_t low = static_cast<uint32_t>(bits);
    float x;
    std::memcpy(&x, &low, sizeof x);
    return x;
}
inline uint32_t number_of(uint64_t bits, uint32_t) { return static_cast<uint32_t>(bits); }

inline uint64_t greatest_of(double) { return 0x7fefffffffffffff; } /* the greatest finite number */
inline uint64_t greatest_of(float) { return 0x7f7fffff; }
inline uint64_t greatest_of(uint32_t) { return EB_BYTES_MOST_SQUARED; }

} // namespace within

template <class number> number largest_within(double unit, double squared_eps)
{
    uint64_t least = 0, beyond = within::greatest_of(number{}) + 1; /* 0·unit is always within */
    while (beyond - least > 1) {
        const uint64_t middle = least + (beyond - least) / 2;
        if (static_cast<double>(within::number_of(middle, number{})) * unit <= squared_eps)
            least = middle;
        else
            beyond = middle;
    }
    return within::number_of(least, number{});
}

} // namespace eb
