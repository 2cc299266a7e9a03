#include "shell/commands/device_limits.h"

#include <string.h>

static eb_table *begin_table(eb_report *report)
{
    eb_table *table = eb_report_table(report, EB_F(limits), "Limits, measured");
    eb_table_turn(table);
    eb_table_column(table, EB_F(device));
    for (eb_limit k = 0; k < EB_LIMITS; k++)
        eb_table_column(table, eb_limit_name_of(k)->field);
    eb_table_column(table, EB_F(measured_at));
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
        bool first_use = !eb_limits_known(device->limit) && strcmp(device->name, session->settings.device) == 0;
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
        unknown |= !eb_limits_known(device->limit) && !first_use;
    }
    if (unknown)
        eb_report_note(report, "`devices measure` measures the limits that are n/a: half a second for each device");
    return EB_OK;
}
