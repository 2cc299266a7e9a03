#include "shell/conclude/conclude.h"

#include <string.h>

#include "core/report/find.h"
#include "shell/conclude/words.h"

#define ROW(command) {#command, eb_conclude_##command},
static const struct {
    const char *command;
    void (*conclude)(eb_report *report);
} conclusions[] = {{"synth", eb_conclude_load}, {"recalls", eb_conclude_recall}, EB_CONCLUSIONS(ROW)};

void eb_conclude(eb_report *report)
{
    for (size_t k = 0; !eb_report_conclusion(report) && k < sizeof conclusions / sizeof conclusions[0]; k++)
        if (strcmp(conclusions[k].command, report->command) == 0)
            conclusions[k].conclude(report);
}
