/* measured: finds the measurements in the log that the machine model's prediction is compared with. */
#include <math.h>

#include "store/sql.h"

#define COUNTED(metric)                                                                                                \
    "(SELECT value FROM v_counters AS c WHERE c.run = r.run AND metric = '" metric "' AND source = 'cupti')"

/* The newest run of the spec on points of this shape, on a GPU of this model. Runs with an L2 counter go first. */
static const char newest[] =
    "SELECT run, kernel_s, "
    "(SELECT avg(value) FROM v_figures AS f WHERE f.run = r.run AND key = 'sm_clock_hz'), "
    "selectivity, " COUNTED("bank_conflicts") ", " COUNTED("ldmatrix_conflicts") ", " COUNTED("occupancy") ", " COUNTED(
        "l2_hit_rate") " AS l2 "
                       "FROM v_runs AS r WHERE state = 'done' AND kernel_s IS NOT NULL AND spec = ?1 AND device_model "
                       "= ?2 AND n = ?3 "
                       "AND d = ?4 ORDER BY l2 IS NULL, run DESC LIMIT 1";

eb_measured eb_measured_nothing(void)
{
    return (eb_measured){.kernel_s = NAN,
                         .sm_clock_hz = NAN,
                         .selectivity = NAN,
                         .bank_conflicts = NAN,
                         .ldmatrix_conflicts = NAN,
                         .occupancy = NAN,
                         .l2_hit_rate = NAN};
}

eb_code eb_store_find_measured(eb_store *store, const char *spec, const char *device_model, size_t n, size_t d,
                               eb_measured *out, eb_status *status)
{
    *out = eb_measured_nothing();
    eb_query query =
        eb_sql_rows(store, newest, EB_VALUES(eb_text(spec), eb_text(device_model), eb_uint(n), eb_uint(d)), status);
    if (eb_sql_next(&query))
        *out = (eb_measured){.run = eb_sql_int(&query, 0),
                             .kernel_s = eb_sql_real(&query, 1),
                             .sm_clock_hz = eb_sql_real(&query, 2),
                             .selectivity = eb_sql_real(&query, 3),
                             .bank_conflicts = eb_sql_real(&query, 4),
                             .ldmatrix_conflicts = eb_sql_real(&query, 5),
                             .occupancy = eb_sql_real(&query, 6),
                             .l2_hit_rate = eb_sql_real(&query, 7)};
    return eb_sql_done(&query);
}
