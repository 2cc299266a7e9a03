/* plan: describes the products of the 8-bit filter, which the kernels of `integers` compute, to the machine model
 * (core/model/kernel.h). */
#include "core/engine/engine.h"
#include "core/model/kernel.h"
#include "kernels/quantised/bound.h"

/* Columns of a point's image: its coordinates, or so many principal axes and the rest of the point. */
static size_t columns_of(const eb_options *options, size_t d)
{
    char axes[8] = "";
    (void)eb_choice_at("auto|none|127|255", eb_option_choice(options, "axes"), axes, sizeof axes);
    return axes[0] == '1' ? 128 : axes[0] == '2' ? 256 : d;
}

/* Fitted to 100,000 and 500,000 × 128 and 200,000 × 1024 points, S = 64 (gpu.md, team.md). */
static const double candidates_a_pair = 1.4;

eb_code eb_quantised_plan(const eb_options *, size_t, size_t, const eb_machine *, eb_kernel_plan *, eb_status *);
eb_code eb_integers_plan(const eb_options *, size_t, size_t, const eb_machine *, eb_kernel_plan *, eb_status *);

eb_code eb_quantised_plan(const eb_options *options, size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out,
                          eb_status *status)
{
    if (d > EB_QUANTISED_MOST_D)
        return eb_fail(status, EB_NO_ENGINE, "int8: %zu dimensions; its numbers fit 32 bits up to %u of them", d,
                       EB_QUANTISED_MOST_D);
    EB_TRY(eb_integers_plan(options, n, columns_of(options, d), machine, out, status));
    out->d = d;
    out->pair_clocks *= candidates_a_pair;
    out->filters = true;
    out->assumes = "all tiles are multiplied, with axes=auto all coordinates; clusters let some tiles be left out";
    return EB_OK;
}
