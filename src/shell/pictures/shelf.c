#include "shell/pictures/shelf.h"

#include <stdlib.h>
#include <string.h>

#include "draw/figure/figure.h"

struct eb_shelf {
    eb_report **report; /* the newest last; one of each command */
    size_t reports;
};

eb_shelf *eb_shelf_new(void) { return calloc(1, sizeof(eb_shelf)); }

void eb_shelf_free(eb_shelf *shelf)
{
    for (size_t k = 0; shelf && k < shelf->reports; k++)
        eb_report_free(shelf->report[k]);
    free(shelf ? shelf->report : NULL);
    free(shelf);
}

static bool is_worth_keeping(const eb_report *report)
{
    return eb_report_ok(report) && (eb_figure_count(report) > 0 || strcmp(report->command, "devices") == 0);
}

static size_t find(const eb_shelf *shelf, const char *command)
{
    size_t k = 0;
    while (k < shelf->reports && strcmp(shelf->report[k]->command, command) != 0)
        k++;
    return k;
}

static void drop(eb_shelf *shelf, size_t at)
{
    eb_report_free(shelf->report[at]);
    memmove(&shelf->report[at], &shelf->report[at + 1], (--shelf->reports - at) * sizeof(eb_report *));
}

void eb_shelf_put(eb_shelf *shelf, eb_report *report)
{
    if (!shelf || !is_worth_keeping(report)) {
        eb_report_free(report);
        return;
    }
    if (find(shelf, report->command) < shelf->reports)
        drop(shelf, find(shelf, report->command));
    eb_report **grown = realloc(shelf->report, (shelf->reports + 1) * sizeof(eb_report *));
    if (!grown) {
        eb_report_free(report);
        return;
    }
    shelf->report = grown;
    shelf->report[shelf->reports++] = report;
}

static const char *shelf_front(const void *context)
{
    const eb_shelf *shelf = context;
    for (size_t k = shelf->reports; k-- > 0;)
        if (eb_figure_count(shelf->report[k]) > 0)
            return shelf->report[k]->command;
    return NULL;
}

static const eb_report *shelf_of(const void *context, const char *command)
{
    const eb_shelf *shelf = context;
    const size_t k = find(shelf, command);
    return k < shelf->reports ? shelf->report[k] : NULL;
}

eb_gallery eb_shelf_gallery(const eb_shelf *shelf)
{
    return (eb_gallery){.context = shelf, .front = shelf_front, .of = shelf_of};
}
