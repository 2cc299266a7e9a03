/* devices: stores devices, those of a session, and their measured limits, which are kept for all runs. */
#include <stdio.h>
#include <string.h>

#include "store/sql.h"

/* The columns that identify a device, in the order of VALUES_OF. The driver is one of them, so that limits measured
 * with an old driver do not apply to a new one. */
#define DEVICE_COLUMNS "kind, name, model, architecture, units, memory_bytes, clock_hz, driver"
#define IS_THE_DEVICE                                                                                                  \
    "kind = ? AND name = ? AND model = ? AND architecture = ? AND units IS ? AND memory_bytes IS ? AND clock_hz IS ? " \
    "AND driver IS ?"
#define VALUES_OF(device)                                                                                              \
    EB_VALUES(eb_text((device)->kind == EB_DEVICE_CPU ? "cpu" : "cuda"), eb_text((device)->name),                      \
              eb_text((device)->model), eb_text((device)->architecture),                                               \
              (device)->units ? eb_uint((device)->units) : eb_na(),                                                    \
              (device)->memory_bytes ? eb_uint((device)->memory_bytes) : eb_na(),                                      \
              (device)->clock_hz > 0 ? eb_real((device)->clock_hz) : eb_na(), eb_known_text((device)->driver))

eb_code eb_find_device(eb_store *store, const eb_device *device, int64_t *id, eb_status *status)
{
    static const char find[] = "SELECT id FROM device WHERE " IS_THE_DEVICE;
    static const char add[] = "INSERT INTO device (" DEVICE_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
    return eb_find_or_add(store, find, add, VALUES_OF(device), id, status);
}

/* ---- a session's ---- */

static eb_code add_device(eb_store *store, int64_t session, const eb_device *device, eb_status *status)
{
    static const char add[] = "INSERT OR IGNORE INTO session_device (session_id, device_id) VALUES (?, ?)";
    int64_t id;
    EB_TRY(eb_find_device(store, device, &id, status));
    return eb_sql_run(store, add, EB_VALUES(eb_int(session), eb_int(id)), NULL, status);
}

eb_code eb_store_session_device(eb_store *store, int64_t session, const eb_device *device, eb_status *status)
{
    EB_TRY(eb_sql_begin(store, status));
    return eb_sql_end(store, add_device(store, session, device, status), status);
}

/* ---- limits ---- */

static eb_code set_limits(eb_store *store, const eb_device *device, eb_status *status)
{
    static const char forget[] = "DELETE FROM device_limit WHERE device_id = ?";
    static const char add[] = "INSERT INTO device_limit (device_id, metric, value, unit, measured_at) "
                              "VALUES (?, ?, ?, ?, ?)";
    char now[EB_MOMENT_BYTES];
    int64_t id;
    eb_moment(now);
    EB_TRY(eb_find_device(store, device, &id, status));
    EB_TRY(eb_sql_run(store, forget, EB_VALUES(eb_int(id)), NULL, status));
    for (eb_limit k = 0; k < EB_LIMITS; k++)
        if (device->limit[k] > 0)
            EB_TRY(eb_sql_run(store, add,
                              EB_VALUES(eb_int(id), eb_text(eb_limit_name_of(k)->metric), eb_real(device->limit[k]),
                                        eb_text(eb_limit_name_of(k)->metric_unit), eb_text(now)),
                              NULL, status));
    return EB_OK;
}

eb_code eb_store_limits_set(eb_store *store, const eb_device *device, eb_status *status)
{
    EB_TRY(eb_sql_begin(store, status));
    return eb_sql_end(store, set_limits(store, device, status), status);
}

static void take_limit(const char *metric, double value, double *limit)
{
    for (eb_limit k = 0; k < EB_LIMITS; k++)
        if (strcmp(eb_limit_name_of(k)->metric, metric) == 0)
            limit[k] = value;
}

eb_code eb_store_limits_get(eb_store *store, eb_device *device, char measured_at[EB_MOMENT_BYTES], eb_status *status)
{
    static const char text[] =
        "SELECT metric, value, measured_at FROM device_limit JOIN device ON device.id = device_id "
        "WHERE " IS_THE_DEVICE;
    memset(device->limit, 0, sizeof device->limit);
    if (measured_at)
        measured_at[0] = '\0';
    eb_query query = eb_sql_rows(store, text, VALUES_OF(device), status);
    while (eb_sql_next(&query)) {
        take_limit(eb_sql_text(&query, 0), eb_sql_real(&query, 1), device->limit);
        if (measured_at)
            (void)snprintf(measured_at, EB_MOMENT_BYTES, "%s", eb_sql_text(&query, 2));
    }
    return eb_sql_done(&query);
}
