#include "shell/saving/counts.h"

#include <math.h>

#include "core/base/clock.h"
#include "core/engine/problem.h"
#include "core/ranks/ranks.h"
#include "io/parts/counts.h"
#include "shell/saving/saving.h"

enum { USUAL_PARTS = 100 };

typedef struct counting {
    eb_counts counts;
    unsigned now, most; /* parts counted by this command */
    eb_joined_work work;
} counting;

static eb_code count_part(counting *c, eb_opened *opened, double eps, unsigned part, eb_status *status)
{
    const eb_question question = {.eps = eps};
    eb_share share = eb_share_whole(&opened->problem);
    uint64_t entries;
    share.part = part;
    share.parts = c->counts.parts;
    const double began_s = eb_now_s();
    eb_job_phase(opened->context.job, "counting a part", (share.row_end - share.row_begin) / share.parts);
    EB_TRY(eb_ask_count(opened, &question, &share, &entries, status));
    c->now++;
    const eb_counted_part counted = {true, entries, eb_now_s() - began_s};
    const char *how = eb_ranks_say_how(opened);
    char by[EB_COUNTED_BY];
    (void)snprintf(by, sizeof by, "%s%s%s", opened->setup->device.model, how[0] ? ": " : "", how);
    return eb_counts_add(&c->counts, part, &counted, by, status);
}

static eb_code count_parts(counting *c, eb_opened *opened, const eb_session *session, double eps, eb_status *status)
{
    const unsigned parts = c->counts.parts;
    for (unsigned k = 0; k < parts && c->now < c->most; k++) {
        const unsigned part = eb_counts_order(parts, k);
        if (c->counts.part[part].is)
            continue;
        EB_TRY(eb_job_check(opened->context.job, status));
        EB_TRY(eb_session_check_dataset(session, status));
        eb_job_step(opened->context.job, 0, "part", c->counts.done + 1, parts);
        EB_TRY(count_part(c, opened, eps, part, status));
    }
    eb_job_step(opened->context.job, 0, NULL, 0, 0);
    return EB_OK;
}

static void report_count(const counting *c, const char *path, eb_report *report)
{
    const eb_counts *counts = &c->counts;
    const eb_counts_sum sum = eb_counts_sum_of(counts);
    const bool all = counts->done == counts->parts;
    EB_FIELDS(report, {EB_F(file), eb_text(path)}, {EB_F(file_parts), eb_uint(counts->parts)},
              {EB_F(parts_there), eb_uint(counts->there)}, {EB_F(counted_now), eb_uint(c->now)},
              {EB_F(counted_s), eb_real(sum.seconds)});
    eb_joined_work_report(&c->work, report);
    if (all) {
        EB_FIELDS(report, {EB_F(pairs), eb_uint(sum.entries)},
                  {EB_F(selectivity), eb_real(eb_selectivity(sum.entries, counts->table.n))});
        return;
    }
    EB_FIELDS(report, {EB_F(counted_pairs), eb_uint(sum.entries)},
              {EB_F(counted_share), eb_real((double)counts->done / counts->parts)},
              {EB_F(expected_pairs), eb_uint((uint64_t)llround(sum.expected))},
              {EB_F(expected_error), isnan(sum.error) ? eb_na() : eb_uint((uint64_t)llround(sum.error))},
              {EB_F(expected_s), eb_real(sum.expected_s)});
    eb_report_note(report,
                   "expected: as if the other %u parts were like the %u counted ones; the same command counts more of "
                   "them",
                   counts->parts - counts->done, counts->done);
}

static eb_code open_and_count(counting *c, const eb_session *session, const eb_parts_request *request, eb_job *job,
                              eb_status *status)
{
    eb_opened opened;
    const eb_problem problem = eb_self_join(session->dataset);
    if (c->counts.done == c->counts.parts)
        return EB_OK;
    EB_TRY(eb_problem_open(request->setup, &problem, job, &opened, status));
    eb_code failed = count_parts(c, &opened, session, request->eps, status);
    eb_joined_work_add(&c->work, &opened);
    eb_problem_close(&opened);
    return failed;
}

eb_code eb_save_count(const eb_session *session, const eb_parts_request *request, eb_report *report, eb_job *job,
                      eb_status *status)
{
    eb_parts_table table;
    counting c = {.most = request->most ? (unsigned)request->most : EB_COUNTS_MOST};
    const unsigned parts = request->parts ? (unsigned)request->parts : USUAL_PARTS;
    eb_saving_describe(session->dataset, request, &table);
    (void)snprintf(table.cut, sizeof table.cut, "%u parts of the work", parts);
    EB_TRY(eb_counts_open(request->path, &table, parts, request->replace, &c.counts, status));
    eb_code failed = open_and_count(&c, session, request, job, status);
    if (!failed)
        report_count(&c, request->path, report);
    if (failed == EB_CANCELLED)
        eb_report_note(report, "counted parts: %u of %u; the same command counts the others", c.counts.done, parts);
    eb_counts_close(&c.counts);
    return failed;
}
