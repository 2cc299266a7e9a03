#include "shell/conclude/gap.h"

#include "shell/conclude/words.h"
#include "shell/defaults.h"

void eb_note_gap(eb_report *report, double eps, uint64_t near, double beyond)
{
    const char *middle = EB_MIDDLE(eps, beyond);
    if (near > 1 && middle[0])
        eb_report_note(report,
                       "%s lie at ε = %s, and none between it and %s: `compare " EB_FAST " " EB_SURE
                       " eps=%s` takes all of them, with room for rounding",
                       EB_COUNT(near, "pair", "pairs"), EB_NUMBER(eps), EB_NUMBER(beyond), middle);
}
