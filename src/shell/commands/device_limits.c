#include "shell/commands/device_limits.h"

#include <string.h>

#include "kernels/device/cuda.h"

static bool known(const eb_gpu_limits *limits) { return limits->tensor_f16_flops > 0; }

static bool has_place(const eb_device *device)
{
    return device->kind == EB_DEVICE_CUDA && device->index >= 0 && device->index < EB_MOST_CUDA_DEVICES;
}

void eb_limits_look_up(const eb_session *session, eb_device *device, char measured_at[EB_MOMENT_BYTES])
{
    device->limits = (eb_gpu_limits){0};
    if (measured_at)
        measured_at[0] = '\0';
    if (!has_place(device))
        return;
    /* A log that cannot be read says so when it is next written; until then this is only unknown. */
    if (session->store && eb_store_limits_get(session->store, device, measured_at, NULL))
        device->limits = (eb_gpu_limits){0};
    if (!known(&device->limits))
        device->limits = session->limits[device->index];
}

eb_code eb_limits_measure(eb_session *session, eb_device *device, eb_job *job, eb_status *status)
{
    eb_status failure;
    if (!has_place(device))
        return eb_fail(status, EB_NO_DEVICE, "limits are measured on CUDA devices, and %s is none", device->name);
    eb_job_phase(job, "measuring limits", 0);
    eb_code failed = eb_cuda_limits(device->index, job, &device->limits, status);
    if (failed) {
        device->limits = (eb_gpu_limits){0};
        return failed;
    }
    session->limits[device->index] = device->limits;
    if (session->store && eb_store_limits_set(session->store, device, &failure))
        eb_session_log_failed(session, &failure);
    return EB_OK;
}

void eb_limits_ensure(eb_session *session, eb_device *device, eb_job *job)
{
    eb_status ignored;
    if (has_place(device) && !known(&device->limits))
        (void)eb_limits_measure(session, device, job, &ignored);
}

/* ---- the table ---- */

static eb_table *begin_table(eb_report *report)
{
    eb_table *table = eb_report_table(report, "limits", "Limits, measured");
    eb_table_turn(table);
    eb_table_column(table, "device", "device", EB_PLAIN);
    eb_table_column(table, "tensor_f16_tflops", "FP16 tensor cores, mma.sync", EB_TERAFLOPS);
    eb_table_column(table, "wgmma_f16_tflops", "FP16 tensor cores, wgmma", EB_TERAFLOPS);
    eb_table_column(table, "tensor_f64_tflops", "FP64 tensor cores", EB_TERAFLOPS);
    eb_table_column(table, "f64_tflops", "FP64 CUDA cores", EB_TERAFLOPS);
    eb_table_column(table, "copy_bytes_per_s", "its memory, a second", EB_BYTES);
    eb_table_column(table, "upload_bytes_per_s", "from the host, a second", EB_BYTES);
    eb_table_column(table, "download_bytes_per_s", "to the host, a second", EB_BYTES);
    eb_table_column(table, "measured_at", "measured (UTC)", EB_PLAIN);
    return table;
}

static eb_value known_rate(double rate, double unit) { return rate > 0 ? eb_real(rate / unit) : eb_na(); }

static void add_limits(eb_table *table, const eb_device *device, const char *measured_at)
{
    const eb_gpu_limits *l = &device->limits;
    eb_table_row(table,
                 (eb_value[]){eb_text(device->name), known_rate(l->tensor_f16_flops, 1e12),
                              known_rate(l->wgmma_f16_flops, 1e12), known_rate(l->tensor_f64_flops, 1e12),
                              known_rate(l->f64_flops, 1e12), known_rate(l->copy_bytes_per_s, 1),
                              known_rate(l->upload_bytes_per_s, 1), known_rate(l->download_bytes_per_s, 1),
                              measured_at[0] ? eb_text(measured_at) : eb_na()},
                 9);
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
        bool first_use = !known(&device->limits) && strcmp(device->name, session->settings.device) == 0;
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
        unknown |= !known(&device->limits) && !first_use;
    }
    if (unknown)
        eb_report_note(report, "`devices measure` measures the limits that are n/a: half a second for each device");
    return EB_OK;
}
