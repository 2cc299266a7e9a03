#include "shell/conclude/words.h"

#include "shell/defaults.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

char *eb_at_most(char *buffer, size_t size, double x)
{
    double up = x;
    for (int k = 0; k < 2; k++) { /* if rounded down, half a step of the second digit is added: at most 5 % of x */
        (void)snprintf(buffer, size, "%.1e", up);
        if (strtod(buffer, NULL) >= x)
            break;
        up = x * 1.05;
    }
    return eb_format_brief(buffer, size, eb_real(strtod(buffer, NULL)), EB_PLAIN);
}

char *eb_middle(char *buffer, size_t size, double low, double high)
{
    const double middle = low + (high - low) / 2, near = (high - low) / 8;
    for (int digits = 2; digits <= 17; digits++) {
        (void)snprintf(buffer, size, "%.*g", digits, middle);
        double found = strtod(buffer, NULL);
        if (fabs(found - middle) < near)
            return buffer;
    }
    buffer[0] = '\0';
    return buffer;
}

/* ---- ties at ε ---- */

void eb_note_gap(eb_report *report, double eps, uint64_t near, double beyond)
{
    const char *middle = EB_MIDDLE(eps, beyond);
    if (near > 1 && middle[0])
        eb_report_note(report,
                       "%s lie at ε = %s, and none between it and %s: `compare " EB_FAST " " EB_SURE
                       " eps=%s` takes all of them, with room for rounding",
                       EB_COUNT(near, "pair", "pairs"), EB_NUMBER(eps), EB_NUMBER(beyond), middle);
}
