#include "shell/conclude/conclude.h"

#include <string.h>

#include "core/report/find.h"

static const struct {
    const char *command;
    void (*conclude)(eb_report *report);
} sentences[] = {{"tune", eb_conclude_tune}};

void eb_conclude(eb_report *report)
{
    for (size_t k = 0; !eb_report_conclusion(report) && k < sizeof sentences / sizeof sentences[0]; k++)
        if (strcmp(sentences[k].command, report->command) == 0)
            sentences[k].conclude(report);
}
