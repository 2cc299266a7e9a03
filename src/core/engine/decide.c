#include "core/engine/decide.h"

#include <float.h>
#include <math.h>

bool eb_truth_decides(const eb_options *options) { return eb_option_choice(options, "decide") == 1; }

eb_exactness eb_decided_exactness(const eb_options *options)
{
    return eb_truth_decides(options) ? EB_TRUTH : EB_APPROXIMATE;
}

bool eb_options_single(const eb_options *options)
{
    return eb_option_find(options->list, "type") && eb_option_choice(options, "type") == 0;
}

eb_code eb_decide_check(const eb_options *options, eb_status *status)
{
    if (!eb_truth_decides(options) || !eb_options_single(options))
        return EB_OK;
    return eb_fail(status, EB_USAGE, "decide=truth needs type=f64: FP32 sums may miss pairs that are within ε in FP64");
}

eb_code eb_single_check(const eb_dataset *points, eb_status *status)
{
    double x;
    for (size_t i = 0; points->dtype == EB_F64 && i < points->n; i++)
        for (size_t k = 0; k < points->d; k++) {
            eb_to_f64(EB_F64, eb_row(points, i) + k * sizeof x, 1, &x);
            if (fabs(x) > (double)FLT_MAX)
                return eb_fail(status, EB_BAD_VALUE, "row %zu, column %zu: expected a value that FP32 holds, found %g",
                               i, k, x);
        }
    return EB_OK;
}
