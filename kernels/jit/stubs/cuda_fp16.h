#pragma once
struct alignas(2) __half {
    unsigned short bits;
};
inline float __half2float(__half x)
{
    float wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
    return wide;
}
