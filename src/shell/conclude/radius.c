/* The commands about ε: what an ε gives, and which ε gives what was wanted. */
#include "core/report/find.h"
#include "shell/conclude/conclude.h"
#include "shell/conclude/words.h"

static eb_value field(const eb_report *report, const char *key) { return eb_report_find_field(report, key); }
static double number(const eb_report *report, const char *key) { return eb_value_number(field(report, key)); }

/* The last target's ε is the one from now on. */
void eb_conclude_tune(eb_report *report)
{
    const eb_table *targets = eb_report_find_table(report, "targets");
    if (targets && targets->rows > 0 && eb_table_find_column(targets, "pairs") >= 0) {
        size_t last = targets->rows - 1;
        double s = eb_value_number(eb_table_value(targets, last, "selectivity"));
        eb_report_conclude(report, "ε = %s gives %s %s a point (%s)",
                           EB_NUMBER(eb_value_number(eb_table_value(targets, last, "eps"))), EB_NUMBER(s),
                           s == 1 ? "neighbour" : "neighbours",
                           EB_COUNT(eb_table_value(targets, last, "pairs").as.u64, "pair", "pairs"));
    }
    (void)number;
}
