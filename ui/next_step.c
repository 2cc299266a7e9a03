#include "ui/next_step.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A selectivity that so many points can have: 64, for few of them a fourth. */
static unsigned wanted_selectivity(uint64_t n)
{
    unsigned s = 64;
    while (s > 1 && s > n / 4)
        s /= 2;
    return s;
}

eb_hint eb_next_step(const eb_desk *desk, const char *panel, char *buffer, size_t size)
{
    const eb_facts *facts = eb_desk_facts(desk);
    bool compared = eb_desk_report_serial(desk, "compare") == facts->dataset_serial;
    if (!facts->has_dataset || facts->n < 2 || strcmp(panel, "lesson") == 0)
        return (eb_hint){NULL, NULL};
    if (isnan(facts->eps)) {
        (void)snprintf(buffer, size, "`tune S=%u`", wanted_selectivity(facts->n));
        return (eb_hint){buffer, "finds \xCE\xB5"};
    }
    if (!compared)
        return (eb_hint){"`compare`", "is FP16 enough?"};
    if (strcmp(panel, "accuracy") != 0)
        return (eb_hint){"F5", "how far off"};
    return (eb_hint){NULL, NULL};
}
