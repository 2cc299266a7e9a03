#include "shell/conclude/conclude.h"

#include <string.h>

#include "core/report/find.h"
#include "shell/conclude/sentences.h"

static const struct {
    const char *command;
    void (*conclude)(eb_report *report);
} sentences[] = {{"load", eb_conclude_points},
                 {"synth", eb_conclude_points},
                 {"info", eb_conclude_info},
                 {"project", eb_conclude_project},
                 {"engines", eb_conclude_engines},
                 {"devices", eb_conclude_devices},
                 {"tune", eb_conclude_tune},
                 {"curve", eb_conclude_curve},
                 {"sweep", eb_conclude_sweep},
                 {"kdistance", eb_conclude_kdistance},
                 {"clusters", eb_conclude_clusters},
                 {"dbscan", eb_conclude_dbscan},
                 {"neighbours", eb_conclude_neighbours},
                 {"knn", eb_conclude_knn},
                 {"join", eb_conclude_join},
                 {"save", eb_conclude_save},
                 {"hist", eb_conclude_hist},
                 {"show", eb_conclude_show},
                 {"diff", eb_conclude_diff},
                 {"export", eb_conclude_export},
                 {"explain", eb_conclude_explain},
                 {"ablate", eb_conclude_ablate},
                 {"model", eb_conclude_model},
                 {"grid", eb_conclude_grid},
                 {"recall", eb_conclude_recall},
                 {"recalls", eb_conclude_recall},
                 {"index", eb_conclude_index},
                 {"counters", eb_conclude_counters}};

void eb_conclude(eb_report *report)
{
    for (size_t k = 0; !eb_report_conclusion(report) && k < sizeof sentences / sizeof sentences[0]; k++)
        if (strcmp(sentences[k].command, report->command) == 0)
            sentences[k].conclude(report);
}
