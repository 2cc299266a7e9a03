#include "ui/workbench_state.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "kernels/device/cuda.h"
#include "shell/background/behind.h"
#include "shell/defaults.h"
#include "shell/repl.h"
#include "ui/terminal/line.h"

size_t eb_workbench_panel_named(const char *name)
{
    size_t k = 0;
    while (k < eb_panel_count() && strcmp(eb_panel_at(k)->name, name) != 0)
        k++;
    return k;
}

void eb_workbench_bring(eb_workbench *w, size_t panel)
{
    if (panel >= eb_panel_count())
        return;
    if (panel == w->beside)
        w->beside = w->front;
    w->front = panel;
    w->stale = true;
}

bool eb_workbench_invites(const eb_workbench *w)
{
    const eb_panel *panel = eb_panel_at(w->front);
    return panel->invites && w->view[w->front] && panel->invites(w->view[w->front], w->desk);
}

void eb_workbench_hang_up(eb_workbench *w)
{
    w->shell->interrupted = w->shell->quitting = true;
    w->shell->ended_by = SIGHUP;
}

/* ---- facts, copied from the session while no command runs ---- */

/* Called only after CUDA has started: the first screen does not wait for it. */
static void name_gpu(const eb_session *session, eb_facts *facts)
{
    eb_device device;
    eb_status ignored;
    if (eb_session_device(session, &device, &ignored) == EB_OK && device.kind == EB_DEVICE_CUDA)
        (void)snprintf(facts->device_model, sizeof facts->device_model, "%.79s", device.model);
}

/* Trials, preset and, on the CPU, the emulated tensor core of the next run. A GPU uses its own tensor cores. */
static void name_means(const eb_session *session, eb_facts *facts)
{
    const eb_settings *settings = &session->settings;
    char preset[EB_OPTIONS_TEXT];
    eb_spec spec;
    facts->trials = settings->trials;
    facts->preset[0] = facts->tensor[0] = '\0';
    if (eb_spec_parse(EB_FAST, &settings->engines, &spec, NULL))
        return;
    (void)eb_options_preset(&spec.options, preset, sizeof preset);
    (void)snprintf(facts->preset, sizeof facts->preset, "%.79s", preset);
    for (size_t k = 0; k < spec.options.list->count && eb_device_named_cpu(settings->device); k++) {
        const eb_option *option = &spec.options.list->option[k];
        if (strcmp(option->name, "tensor") == 0)
            (void)eb_choice_at(option->choices, eb_option_choice(&spec.options, "tensor"), facts->tensor,
                               sizeof facts->tensor);
    }
}

static void name_pass(const eb_session *session, eb_facts *facts)
{
    char left[32];
    facts->behind[0] = '\0';
    if (!session->behind)
        return;
    const eb_progress now = eb_behind_progress(session->behind);
    const double share = eb_progress_share(&now);
    (void)snprintf(facts->behind, sizeof facts->behind, "the exact pass goes on");
    if (share >= 0.01 && now.foreseen)
        (void)snprintf(facts->behind, sizeof facts->behind, "the exact pass goes on, %.0f %%, %s left",
                       floor(100 * share), eb_duration_words(now.left_s, left, sizeof left));
}

void eb_workbench_refresh(eb_workbench *w)
{
    const eb_session *session = w->shell->session;
    eb_facts facts = *eb_desk_facts(w->desk);
    const eb_dataset *ds = session->dataset;
    facts.has_dataset = ds != NULL;
    facts.eps = session->eps;
    if (ds && (w->dataset != ds || strcmp(w->hash, ds->sha256) != 0)) {
        w->dataset = ds;
        memcpy(w->hash, ds->sha256, sizeof w->hash);
        facts.dataset_serial++;
        (void)snprintf(facts.dataset, sizeof facts.dataset, "%.60s", eb_dataset_name(ds));
        facts.n = ds->n;
        facts.d = ds->d;
        (void)snprintf(facts.dtype, sizeof facts.dtype, "%s", eb_dtype_name(ds->dtype));
    }
    if (strcmp(facts.device, session->settings.device) != 0) {
        (void)snprintf(facts.device, sizeof facts.device, "%s", session->settings.device);
        facts.device_model[0] = '\0';
    }
    if (facts.device_model[0] == '\0' && eb_cuda_started())
        name_gpu(session, &facts);
    name_means(session, &facts);
    name_pass(session, &facts);
    const int64_t number = eb_session_log_number(session, session->session_row);
    if (eb_session_log_waits(session))
        (void)snprintf(facts.log, sizeof facts.log, "log waits");
    else if (number > 0)
        (void)snprintf(facts.log, sizeof facts.log, "session %lld", (long long)number);
    else
        (void)snprintf(facts.log, sizeof facts.log, "%s", w->shell->logging ? "" : "no log");
    (void)snprintf(facts.log_columns, sizeof facts.log_columns, "%s", session->settings.log_columns);
    eb_desk_set_facts(w->desk, &facts);
    (void)eb_prompt(session, w->shell->unicode, w->prompt, sizeof w->prompt);
    eb_line_prompt(w->prompt);
    w->stale = true;
}
