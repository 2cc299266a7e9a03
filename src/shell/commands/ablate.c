/* FASTED's optimisations, left out one at a time. */
#include <stdlib.h>
#include <string.h>

#include "shell/commands/ablation_report.h"
#include "shell/commands/commands.h"
#include "shell/commands/device_limits.h"

static eb_code find_engine(const eb_session *session, eb_device *device, const eb_engine **engine, eb_status *status)
{
    eb_code failed = eb_session_device(session, device, status);
    if (failed)
        return failed;
    if (device->kind != EB_DEVICE_CUDA)
        return eb_fail(status, EB_NO_ENGINE,
                       "ablate needs a CUDA device, as `set device=cuda:0` chooses one: the switches are "
                       "those of fasted's GPU kernel, and on %s it has none; `ablate list` shows them without a GPU",
                       device->name);
    if (!session->dataset)
        return eb_fail(status, EB_NO_DATASET, "no dataset is loaded; `load FILE`, `load demo` or `synth` gives one");
    return eb_session_engine(session, "fasted", device, engine, status);
}

static eb_code run_variants(eb_session *session, const eb_call *call, const eb_measure_request *request,
                            eb_report *report, eb_job *job, eb_status *status)
{
    const char *preset_name = eb_call_text(call, "preset"), *only = eb_call_text(call, "only");
    uint32_t preset = preset_name && strcmp(preset_name, "best") == 0 ? EB_PRESET_BEST : EB_PRESET_PAPER;
    uint32_t left_out = eb_ablation_switches(preset);
    eb_run_observer observer = eb_session_observer(session);
    eb_code failed = only ? eb_ablation_only(only, &left_out, status) : EB_OK;
    if (failed)
        return failed;
    eb_ablation *ablation = calloc(1, sizeof *ablation);
    if (!ablation)
        return eb_fail_memory(status, "an ablation", sizeof *ablation);
    failed = eb_ablate(request, preset, left_out, &observer, job, ablation, status);
    eb_report_ablation(report, ablation); /* interrupted or not, what was finished is shown */
    eb_ablation_free(ablation);
    free(ablation);
    return failed;
}

eb_code eb_cmd_ablate(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    eb_device device;
    eb_measure_request request = {.device = &device,
                                  .dataset = session->dataset,
                                  .options = eb_session_engine_options(session),
                                  .mode = EB_RUN_COUNT,
                                  .trials = (unsigned)eb_call_integer(call, "trials", session->settings.trials),
                                  .warm_up = true,
                                  .table_limit = session->settings.memory_limit};
    if (eb_call_flag(call, "list")) {
        eb_report_switches(report);
        return EB_OK;
    }
    eb_code failed = find_engine(session, &device, &request.engine, status);
    if (!failed)
        eb_limits_ensure(session, &device, job);
    if (!failed)
        failed = eb_session_resolve_eps(session, call, report, &request.eps, job, status);
    if (failed)
        return failed;
    eb_session_drop_table(session);
    return run_variants(session, call, &request, report, job, status);
}
