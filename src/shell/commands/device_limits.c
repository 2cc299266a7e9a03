#include "shell/commands/device_limits.h"

#include <string.h>

#include "kernels/device/cuda.h"

static bool known(const double *limit) { return limit[EB_LIMIT_MMA_F16] > 0; }

static bool has_place(const eb_device *device)
{
    return device->kind == EB_DEVICE_CUDA && device->index >= 0 && device->index < EB_MOST_CUDA_DEVICES;
}

void eb_limits_look_up(const eb_session *session, eb_device *device, char measured_at[EB_MOMENT_BYTES])
{
    memset(device->limit, 0, sizeof device->limit);
    if (measured_at)
        measured_at[0] = '\0';
    if (!has_place(device))
        return;
    /* A log that cannot be read says so when it is next written; until then this is only unknown. */
    if (session->store && eb_store_limits_get(session->store, device, measured_at, NULL))
        memset(device->limit, 0, sizeof device->limit);
    if (!known(device->limit))
        memcpy(device->limit, session->limit[device->index], sizeof device->limit);
}

eb_code eb_limits_measure(eb_session *session, eb_device *device, eb_job *job, eb_status *status)
{
    eb_status failure;
    if (!has_place(device))
        return eb_fail(status, EB_NO_DEVICE, "limits are measured on CUDA devices, and %s is none", device->name);
    eb_job_phase(job, "measuring limits", 0);
    eb_code failed = eb_cuda_limits(device->index, job, device->limit, status);
    if (failed) {
        memset(device->limit, 0, sizeof device->limit);
        return failed;
    }
    memcpy(session->limit[device->index], device->limit, sizeof device->limit);
    if (session->store && eb_store_limits_set(session->store, device, &failure))
        eb_session_log_failed(session, &failure);
    return EB_OK;
}

void eb_limits_ensure(eb_session *session, eb_device *device, eb_job *job)
{
    eb_status ignored;
    if (has_place(device) && !known(device->limit))
        (void)eb_limits_measure(session, device, job, &ignored);
}

/* ---- the table ---- */

static eb_table *begin_table(eb_report *report)
{
    eb_table *table = eb_report_table(report, "limits", "Limits, measured");
    eb_table_turn(table);
    eb_table_column(table, "device", "device", EB_PLAIN);
    for (eb_limit k = 0; k < EB_LIMITS; k++)
        eb_table_column(table, eb_limit_name_of(k)->key, eb_limit_name_of(k)->title, eb_limit_name_of(k)->unit);
    eb_table_column(table, "measured_at", "measured (UTC)", EB_PLAIN);
    return table;
}

static void add_limits(eb_table *table, const eb_device *device, const char *measured_at)
{
    eb_value cells[EB_LIMITS + 2] = {eb_text(device->name)};
    for (eb_limit k = 0; k < EB_LIMITS; k++)
        cells[k + 1] = device->limit[k] > 0 ? eb_real(device->limit[k] / eb_limit_name_of(k)->scale) : eb_na();
    cells[EB_LIMITS + 1] = measured_at[0] ? eb_text(measured_at) : eb_na();
    eb_table_row(table, cells, EB_LIMITS + 2);
}

eb_code eb_report_limits(eb_session *session, eb_device *devices, size_t count, bool measure, eb_report *report,
                         eb_job *job, eb_status *status)
{
    eb_table *table = count > 0 ? begin_table(report) : NULL;
    bool unknown = false;
    for (size_t k = 0; k < count; k++) {
        eb_device *device = &devices[k];
        char measured_at[EB_MOMENT_BYTES];
        eb_limits_look_up(session, device, measured_at);
        bool first_use = !known(device->limit) && strcmp(device->name, session->settings.device) == 0;
        if (measure || first_use) {
            eb_status why = {.message = ""};
            eb_code failed = eb_limits_measure(session, device, job, &why);
            if (failed && (measure || failed == EB_CANCELLED))
                return eb_fail(status, failed, "%s", why.message);
            if (failed)
                eb_report_note(report, "the limits of %s were not measured: %s", device->name, why.message);
            else
                eb_limits_look_up(session, device, measured_at);
        }
        add_limits(table, device, measured_at);
        unknown |= !known(device->limit) && !first_use;
    }
    if (unknown)
        eb_report_note(report, "`devices measure` measures the limits that are n/a: half a second for each device");
    return EB_OK;
}
