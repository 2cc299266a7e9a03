#include "shell/background/live.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "shell/commands/members_report.h"
#include "shell/commands/run_report.h"

/* Least time between reports: nobody reads faster, and building a report takes longer than a short trial. */
#define BETWEEN_REPORTS_S 0.04

struct eb_live {
    pthread_mutex_t mutex;
    eb_report *newest; /* guarded by the mutex; the worker thread owns the other members while a job runs */

    char command[32];
    eb_live_teller *tell; /* fills the report; NULL: the report is a table of the runs */
    void *teller;
    eb_run **ended; /* copies of the command's finished runs, without neighbour tables */
    size_t count;
    double reported_s; /* when the last report was built */
};

eb_live *eb_live_new(void)
{
    eb_live *live = calloc(1, sizeof *live);
    if (live && pthread_mutex_init(&live->mutex, NULL) != 0) {
        free(live);
        return NULL;
    }
    return live;
}

static void replace(eb_live *live, eb_report *report)
{
    (void)pthread_mutex_lock(&live->mutex);
    eb_report *before = live->newest;
    live->newest = report;
    (void)pthread_mutex_unlock(&live->mutex);
    eb_report_free(before);
}

static void forget(eb_live *live)
{
    replace(live, NULL);
    for (size_t k = 0; k < live->count; k++) {
        eb_run_free(live->ended[k]);
        free(live->ended[k]);
    }
    free(live->ended);
    live->ended = NULL;
    live->count = 0;
    live->reported_s = 0;
}

void eb_live_free(eb_live *live)
{
    if (!live)
        return;
    forget(live);
    (void)pthread_mutex_destroy(&live->mutex);
    free(live);
}

void eb_live_begin(eb_live *live, const char *command)
{
    forget(live);
    (void)snprintf(live->command, sizeof live->command, "%s", command);
}

eb_report *eb_live_take(eb_live *live)
{
    (void)pthread_mutex_lock(&live->mutex);
    eb_report *report = live->newest;
    live->newest = NULL;
    (void)pthread_mutex_unlock(&live->mutex);
    return report;
}

void eb_live_show(eb_live *live, eb_report *report)
{
    if (live && report && eb_report_ok(report))
        replace(live, report);
    else
        eb_report_free(report);
}

/* Builds the report of the results so far, shaped like the command's own report: for `join` its run, for other commands
 * a table of runs. current: the unfinished run, or NULL. */
static eb_report *report_runs(eb_live *live, const eb_run *current)
{
    const eb_run **runs = calloc(live->count + 1, sizeof(void *));
    size_t count = live->count;
    if (!runs)
        return NULL;
    for (size_t k = 0; k < count; k++)
        runs[k] = live->ended[k];
    if (current)
        runs[count++] = current;
    eb_report *report = eb_report_new(live->command);
    if (count == 1 && strcmp(live->command, "join") == 0) {
        eb_report_run(report, runs[0]);
    } else if (count > 0) {
        EB_FIELDS(report, {EB_F(n), eb_uint(eb_run_right(runs[0]))}, {EB_F(d), eb_uint(runs[0]->d)},
                  {EB_F(eps), eb_real(runs[0]->eps)});
        if (runs[0]->others > 0)
            eb_report_field(report, EB_F(sample), eb_uint(runs[0]->n));
        eb_report_runs(report, "So far", runs, count);
        eb_report_splits(report, runs, count);
        eb_report_members(report, runs, count);
    }
    free(runs);
    return report;
}

static void publish(eb_live *live, const eb_run *current)
{
    eb_report *report = NULL;
    if (live->tell) {
        report = eb_report_new(live->command);
        live->tell(live->teller, report);
    } else {
        report = report_runs(live, current);
    }
    eb_live_show(live, report);
    live->reported_s = eb_now_s();
}

void eb_live_tell(eb_live *live, eb_live_teller *tell, void *context)
{
    if (!live)
        return;
    live->tell = tell;
    live->teller = context;
}

void eb_live_changed(eb_live *live)
{
    if (live)
        publish(live, NULL);
}

void eb_live_started(eb_live *live, const eb_run *run)
{
    if (live)
        publish(live, run);
}

void eb_live_trial(eb_live *live, const eb_run *run)
{
    if (live && eb_now_s() - live->reported_s >= BETWEEN_REPORTS_S)
        publish(live, run);
}

/* Copies a run without its neighbour table. NULL: out of memory. */
static eb_run *copy_of(const eb_run *run)
{
    eb_run *copy = malloc(sizeof *copy);
    size_t bytes = (run->trials_done ? run->trials_done : 1) * sizeof *run->trials;
    if (!copy)
        return NULL;
    *copy = *run;
    copy->table = NULL;
    copy->trials = malloc(bytes);
    if (!copy->trials) {
        free(copy);
        return NULL;
    }
    copy->team = eb_team_work_copy(&run->team);
    if (run->trials_done > 0)
        memcpy(copy->trials, run->trials, run->trials_done * sizeof *run->trials);
    return copy;
}

void eb_live_ended(eb_live *live, const eb_run *run)
{
    if (!live)
        return;
    eb_run *copy = copy_of(run);
    eb_run **grown = copy ? realloc(live->ended, (live->count + 1) * sizeof(eb_run *)) : NULL;
    if (grown) {
        live->ended = grown;
        grown[live->count++] = copy;
    } else if (copy) {
        eb_run_free(copy);
        free(copy);
    }
    publish(live, NULL);
}
