#include "cpu/grid_order/dimensions.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/random.h"

enum { SAMPLED_PAIRS = 2048 };

typedef struct power {
    uint32_t near; /* sampled pairs within ε */
    double apart;  /* the mean of their |Δ| */
    uint32_t dimension;
} power;

static int by_power(const void *a, const void *b)
{
    const power *x = a, *y = b;
    if (x->near != y->near)
        return x->near < y->near ? -1 : 1;
    if (x->apart != y->apart)
        return x->apart > y->apart ? -1 : 1;
    return (x->dimension > y->dimension) - (x->dimension < y->dimension);
}

static void sample(const eb_eps_grid_request *q, power *powers, double *p, double *other)
{
    const size_t d = q->left->d;
    uint64_t seed = 1;
    for (size_t k = 0; k < SAMPLED_PAIRS; k++) {
        eb_to_f64(q->left->dtype, eb_row(q->left, eb_random_below(&seed, q->left->n)), d, p);
        eb_to_f64(q->right->dtype, eb_row(q->right, eb_random_below(&seed, q->right->n)), d, other);
        for (size_t c = 0; c < d; c++) {
            const double apart = fabs(p[c] - other[c]);
            powers[c].near += apart <= q->eps;
            powers[c].apart += apart / SAMPLED_PAIRS;
        }
    }
}

eb_code eb_eps_grid_order_dimensions(const eb_eps_grid_request *request, uint32_t *order, eb_status *status)
{
    const size_t d = request->left->d;
    for (size_t k = 0; k < d; k++)
        order[k] = (uint32_t)k;
    if (!request->reorder || isinf(request->eps) || d < 2)
        return EB_OK;
    power *powers = calloc(d, sizeof *powers);
    double *rows = malloc(2 * d * sizeof *rows);
    if (powers && rows) {
        for (size_t k = 0; k < d; k++)
            powers[k].dimension = (uint32_t)k;
        sample(request, powers, rows, rows + d);
        qsort(powers, d, sizeof *powers, by_power);
        for (size_t k = 0; k < d; k++)
            order[k] = powers[k].dimension;
    }
    const bool made = powers && rows;
    free(rows);
    free(powers);
    return made ? EB_OK : eb_fail_memory(status, "the order of dimensions", d * (sizeof *powers + 2 * sizeof *rows));
}
