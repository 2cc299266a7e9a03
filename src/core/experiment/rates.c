#include "core/experiment/rates.h"

#include <math.h>
#include <stdbool.h>

size_t eb_rate_steps(double from, double to, double factor, double out[EB_MOST_STEPS])
{
    if (!(from < to && factor > 1))
        return 0;
    for (size_t k = 0; k < EB_MOST_STEPS; k++) {
        double x = round(from * pow(factor, (double)k));
        if (k > 0 && x <= out[k - 1])
            return 0;
        out[k] = fmin(x, to);
        if (x >= to)
            return k + 1;
    }
    return 0;
}
