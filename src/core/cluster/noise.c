#include "core/cluster/noise.h"

#include <float.h>
#include <math.h>

enum { LEVELS = 33, MOST_ROUNDS = 64 };

typedef struct search {
    double low, high; /* ends of the next grid */
    bool from_zero;   /* ε = 0 may be the answer */
} search;

/* Fills the grid evenly in log ε, with 0 first if that may be the answer. */
static size_t lay_out(const search *b, double *eps)
{
    size_t count = 0;
    if (b->from_zero)
        eps[count++] = 0;
    const size_t first = count;
    for (size_t k = first; k < LEVELS; k++) {
        double share = (double)(k - first) / (double)(LEVELS - 1 - first);
        double at = k + 1 == LEVELS ? b->high : b->low * pow(b->high / b->low, share);
        if (count == 0 || at > eps[count - 1])
            eps[count++] = at;
    }
    return count;
}

/* Narrows the search by a finished grid. True: level *found is the answer. */
static bool narrow(search *b, const eb_density *grid, size_t levels, uint64_t allowed, size_t *found)
{
    size_t k = 0;
    while (k < levels && grid[k].noise > allowed)
        k++;
    *found = k;
    if (k == levels) {
        b->low = grid[levels - 1].eps;
        b->high = b->low < DBL_MAX / 4 ? 4 * b->low : DBL_MAX;
        b->from_zero = false;
        return false;
    }
    const double before = k > 0 ? grid[k - 1].eps : 0;
    if (grid[k].eps <= 0 || (before > 0 && grid[k].eps <= before * EB_NOISE_STEP) ||
        nextafter(before, INFINITY) >= grid[k].eps)
        return true;
    b->from_zero = b->from_zero && k == 0;
    b->high = grid[k].eps;
    b->low = before > 0 ? before : b->high / 1024;
    return false;
}

eb_code eb_noise_find(eb_opened *opened, const eb_k_distance *curve, double share, eb_density *out, unsigned *passes,
                      eb_status *status)
{
    const uint64_t allowed = (uint64_t)floor(share * (double)opened->problem.left->n);
    const double guess = eb_k_distance_at(curve, 1 - share), most = curve->eps[curve->queries - 1];
    const double middle = guess > 0 ? guess : most;
    search b = {.low = middle / 2, .high = middle * 1.1, .from_zero = true};
    *passes = 0;
    if (!(b.low > 0)) /* all core distances are 0 */
        b.low = b.high = DBL_MIN;
    for (unsigned round = 0; round < MOST_ROUNDS; round++) {
        double eps[LEVELS];
        eb_density grid[LEVELS];
        size_t found;
        unsigned took;
        size_t levels = lay_out(&b, eps);
        EB_TRY(eb_density_find(opened, eps, levels, curve->min_points, grid, &took, status));
        *passes += took;
        if (narrow(&b, grid, levels, allowed, &found)) {
            *out = grid[found];
            return EB_OK;
        }
    }
    return eb_fail(status, EB_UNREACHABLE, "no ε leaves at most %.6g %% of the points as noise at minpts=%zu",
                   100 * share, curve->min_points);
}
