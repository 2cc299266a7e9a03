/* filter: the thresholds of the FP32 filter, and the proof that it never drops a pair within the limit.
 *
 * A point is z = (x − c)·2^−e in real numbers. c may be any vector (here the mean, which makes norms small), e any
 * integer. ŷ = fp32(z) is stored, with |ŷₖ| ≤ 1, and r ≥ ‖z − ŷ‖ is known for each point. u = 2^-53 is the unit
 * roundoff of FP64, v = 2^-24 that of FP32.
 *
 * 1. Let s be the exact engine's sum for a pair at real distance D. t has one rounding, t² two, the chain d more, and
 *    each step may lose 2^-1075 to underflow. So s ≤ limit implies D² ≤ limit·(1 + (d+4)·2^-52) + d·2^-1073 =: R²
 *    (d ≤ 2^16).
 * 2. ‖ŷi − ŷj‖ ≤ ‖zi − zj‖ + ri + rj ≤ ρ + ri + rj with ρ = R·2^−e.
 * 3. With N = ‖ŷ‖² and a = ŷi·ŷj: 2a = Ni + Nj − ‖ŷi − ŷj‖², so a pair within the limit has
 *        a ≥ (Ni + Nj)/2 − (ρ + ri + rj)²/2,   and (ρ + ri + rj)² ≤ ρ² + 2ρ(ri + rj) + 2ri² + 2rj².
 * 4. The computed â, a chain of d FMAs (or products and sums) in any order: |â − a| ≤ γ·Σ|ŷik·ŷjk| + d·2^-147 with
 *    γ = (d+2)v/(1 − (d+2)v); the second term is underflow. Σ|ŷik·ŷjk| ≤ √(Ni·Nj) ≤ (Ni + Nj)/2.
 * 5. The bound is a sum of a term of i and a term of j, so the test in the inner loop is â ≥ h[i] + h[j] with
 *        h = N/2 − γN/2 − ρ²/4 − ρr − r² − d·2^-148.
 *    h is lowered by 2^-45 of the largest term for the FP64 rounding of this formula, by N·d·2^-52 because N is known
 * to that relative error (≤ 2^-36), and by 2^-23·|h| for the FP32 addition h[i] + h[j]. h is then rounded down to FP32.
 *
 * ρ is capped at 10^6, where every pair passes: ‖ŷi − ŷj‖ ≤ 2√d ≤ 512.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/ref64/cpu/points.h"

static float round_down(double x)
{
    float y = (float)x;
    return (double)y > x ? nextafterf(y, -FLT_MAX) : y;
}

void eb_filter_thresholds(const eb_float_points *points, size_t d, double limit, uint32_t *h)
{
    double dims = (double)d;
    double radius = sqrt(limit * (1 + (dims + 4) * 0x1p-52) + dims * 0x1p-1073) * (1 + 0x1p-50);
    double rho = fmin(ldexp(radius, -points->exponent) * (1 + 0x1p-50), 1e6);
    double gamma = EB_FILTER_LOSS * (dims + 2) * 0x1p-24 / (1 - (dims + 2) * 0x1p-24) * (1 + 0x1p-50);
    double underflow = dims * 0x1p-148;
    size_t n = points->panels.n, padded = (n + EB_PANEL - 1) / EB_PANEL * EB_PANEL;
    for (size_t i = 0; i < padded; i++) {
        float threshold = INFINITY; /* no dot product reaches it */
        if (i < n) {
            double norm2 = points->norm2[i], r = points->residual[i];
            double exact = norm2 / 2 - gamma * norm2 / 2 - rho * rho / 4 - rho * r - r * r - underflow;
            double largest = norm2 + rho * rho + rho * r + r * r;
            exact -= norm2 * dims * 0x1p-52 + largest * 0x1p-45;
            threshold = round_down(exact - fabs(exact) * 0x1p-23);
        }
        memcpy(&h[i], &threshold, sizeof threshold);
    }
}
