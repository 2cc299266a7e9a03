#include "shell/saving/saving.h"

#include <string.h>

#include "shell/saving/provenance.h"

eb_code eb_saving_end_part(saving *s, eb_code failed, eb_status *status)
{
    if (!failed)
        failed = eb_session_check_dataset(s->session, status);
    if (!failed)
        failed = eb_part_close(s->part, status);
    else
        eb_part_abandon(s->part);
    s->part = NULL;
    s->written += !failed;
    return failed;
}

/* An approximate answer may depend on the kind of device, the truth does not. */
void eb_saving_describe(const eb_dataset *ds, const eb_parts_request *request, eb_parts_table *out)
{
    char options[EB_OPTIONS_TEXT];
    const eb_setup *setup = request->setup;
    const bool truth = eb_setup_exactness(setup) == EB_TRUTH;
    *out = (eb_parts_table){.n = ds->n, .others = ds->n, .self = true, .eps = request->eps, .kept = request->distances};
    memcpy(out->sha256, ds->sha256, sizeof out->sha256);
    (void)snprintf(out->engine, sizeof out->engine, "%s", setup->engine->name);
    (void)snprintf(out->options, sizeof out->options, "%s%s", eb_all_options(setup, options, sizeof options),
                   truth                                 ? ""
                   : setup->device.kind == EB_DEVICE_CPU ? "; cpu"
                                                         : "; cuda");
}

void eb_joined_work_add(eb_joined_work *work, const eb_opened *opened)
{
    const double kernel_s = eb_figures_value(&opened->figures, eb_figure_kernel.key),
                 flops = eb_figures_value(&opened->figures, eb_figure_executed_flops.key);
    if (kernel_s > 0 && flops > 0) {
        work->kernel_s += kernel_s;
        work->flops += flops;
    }
}

void eb_joined_work_report(const eb_joined_work *work, eb_report *report)
{
    if (work->kernel_s > 0)
        EB_FIELDS(report, {EB_F(kernel_s), eb_real(work->kernel_s)},
                  {EB_F(tflops), eb_real(work->flops / work->kernel_s * 1e-12)});
}
