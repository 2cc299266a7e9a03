#include "shell/saving/parts.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/ranks/keep/rows.h"
#include "core/ranks/ranks.h"
#include "shell/saving/behind.h"
#include "shell/saving/provenance.h"
#include "shell/saving/saving.h"

enum { USUAL_PARTS = 8, MOST_ROWS = 1 << 22 };

/* Of several ranks, each writes USUAL_PARTS parts. */
static size_t rows_of_a_part(size_t n, size_t parts, unsigned ranks)
{
    const size_t usual = (size_t)USUAL_PARTS * ranks, most = EB_PARTS_MOST / 2; /* rests make more of them */
    const size_t wanted = parts ? parts : usual < most ? usual : most, rows = (n + wanted - 1) / wanted;
    return parts || rows < MOST_ROWS ? rows : MOST_ROWS;
}

/* ---- a part from the table in memory ---- */

static eb_code write_slice(saving *s, size_t first, size_t end, eb_status *status)
{
    const eb_neighbours *table = s->request->table;
    const uint64_t before = table->offsets[first];
    eb_neighbours slice = *table;
    slice.first_row = first;
    slice.rows = end - first;
    slice.columns = table->columns + before;
    slice.any_distances = eb_neighbours_distances_from(table, before);
    slice.offsets = malloc((slice.rows + 1) * sizeof *slice.offsets);
    if (!slice.offsets)
        return eb_fail_memory(status, "a part", (slice.rows + 1) * sizeof *slice.offsets);
    for (size_t r = 0; r <= slice.rows; r++)
        slice.offsets[r] = table->offsets[first + r] - before;
    eb_code failed = eb_part_rows(s->part, &slice, NULL, status);
    free(slice.offsets);
    s->batches++;
    return failed;
}

/* ---- a part by a join ---- */

typedef struct part_writer {
    saving *s;
    eb_behind *behind;
    eb_behind_part part;
} part_writer;

static eb_code write_batch(void *context, eb_neighbours *batch, eb_status *status)
{
    const part_writer *w = context;
    w->s->batches++;
    return eb_behind_rows(w->behind, &w->part, batch, status);
}

/* The tables of two batches share the memory: one is written while the next is made. */
static eb_code join_part(part_writer *w, eb_opened *opened, const eb_budget *budget, eb_status *status)
{
    const eb_parts_request *request = w->s->request;
    eb_join_result result;
    const eb_join_plan plan = {.question.eps = request->eps,
                               .row_begin = w->part.first,
                               .row_end = w->part.end,
                               .distances = request->distances,
                               .memory_limit = (budget->tables + 1) / 2,
                               .expected_pairs = request->pairs,
                               .phase = "joining a part"};
    eb_status why = {.message = ""};
    char words[120];
    eb_code failed = eb_join_run(opened, &plan, write_batch, w, &result, &why);
    if (failed == EB_NO_MEMORY && budget->points)
        return eb_fail(status, failed, "%s; %s", why.message, eb_budget_words(budget, words, sizeof words));
    return failed ? eb_fail(status, failed, "%s", why.message) : EB_OK;
}

/* ---- all parts ---- */

/* The number of parts that are missing. */
static unsigned missing_parts(const saving *s)
{
    unsigned missing = 0;
    for (size_t from = 0, first; eb_parts_gap(s->parts, from, s->rows_a_part, &first, &from);)
        missing++;
    return missing;
}

/* Of the table in memory. */
static eb_code write_missing(saving *s, eb_status *status)
{
    const unsigned missing = missing_parts(s), there = (unsigned)eb_parts_there(s->parts);
    eb_code failed = EB_OK;
    for (size_t first, end; !failed && eb_parts_gap(s->parts, 0, s->rows_a_part, &first, &end);) {
        EB_TRY(eb_job_check(s->job, status));
        eb_job_step(s->job, 0, "part", there + (unsigned)s->written + 1, there + missing);
        EB_TRY(eb_part_open(s->parts, first, end, &s->part, status));
        failed = write_slice(s, first, end, status);
        failed = eb_saving_end_part(s, failed, status);
    }
    eb_job_step(s->job, 0, NULL, 0, 0);
    return failed;
}

static eb_code join_parts(part_writer *w, eb_opened *opened, const eb_budget *budget, eb_status *status)
{
    saving *s = w->s;
    const unsigned there = (unsigned)eb_parts_there(s->parts);
    size_t parts = missing_parts(s);
    eb_behind_part *part = malloc(parts * sizeof *part);
    eb_code failed = part ? EB_OK : eb_fail_memory(status, "the list of parts", parts * sizeof *part);
    for (size_t k = 0, from = 0; !failed && k < parts; k++, from = part[k - 1].end)
        (void)eb_parts_gap(s->parts, from, s->rows_a_part, &part[k].first, &part[k].end);
    if (!failed)
        failed = eb_behind_begin(s->parts, s->session, &w->behind, status);
    const bool began = !failed;
    for (size_t k = 0; !failed && k < parts; k++) {
        eb_job_step(s->job, 0, "part", there + (unsigned)k + 1, there + (unsigned)parts);
        w->part = part[k];
        failed = join_part(w, opened, budget, status);
    }
    if (began) {
        const eb_code writing = eb_behind_end(w->behind, &s->written, failed ? NULL : status);
        failed = failed ? failed : writing;
    }
    eb_job_step(s->job, 0, NULL, 0, 0);
    free(part);
    return failed;
}

static eb_code join_missing(saving *s, eb_status *status)
{
    eb_opened opened;
    part_writer writer = {.s = s};
    const eb_parts_request *request = s->request;
    const eb_dataset *ds = s->session->dataset;
    const eb_problem problem = eb_self_join(ds);
    const eb_budget budget = eb_budget_of(request->setup, 1, ds, s->session->settings.memory_limit);
    EB_TRY(eb_problem_open(request->setup, &problem, s->job, &opened, status));
    s->ranks = eb_ranks_of(&opened);
    s->rows_a_part = rows_of_a_part(ds->n, request->parts, s->ranks);
    eb_code failed = s->ranks > 1 ? eb_saving_join_by_ranks(s, &opened, &budget, status)
                                  : join_parts(&writer, &opened, &budget, status);
    s->sent = s->ranks > 1 ? eb_figures_value(&opened.figures, eb_figure_sent.key) : 0;
    eb_joined_work_add(&s->work, &opened);
    eb_problem_close(&opened);
    return failed;
}

static eb_code complete(saving *s, eb_status *status)
{
    eb_facts facts = {.count = 0};
    const eb_parts_request *request = s->request;
    const eb_origin origin = {request->setup, request->eps, eb_parts_entries(s->parts), request->command};
    eb_job_phase(s->job, "completing", 0);
    eb_code failed = eb_tell_origin(s->session, &origin, &facts, status);
    if (!failed)
        failed = eb_parts_complete(s->parts, &facts, s->session->dataset->labels, status);
    eb_facts_free(&facts);
    return failed;
}

static eb_code write_all(saving *s, eb_status *status)
{
    if (eb_parts_are_complete(s->parts))
        return eb_parts_complete(s->parts, NULL, NULL, status);
    eb_code failed = s->request->table      ? write_missing(s, status)
                     : s->cut.slabs         ? eb_saving_join_slabs(s, status)
                     : missing_parts(s) > 0 ? join_missing(s, status)
                                            : EB_OK;
    if (!failed && s->request->pairs && eb_parts_entries(s->parts) != s->request->pairs)
        failed =
            eb_fail(status, EB_INTERNAL, "%s found %llu pairs and %llu were written", s->request->setup->engine->name,
                    (unsigned long long)s->request->pairs, (unsigned long long)eb_parts_entries(s->parts));
    return failed ? failed : complete(s, status);
}

static void report_parts(const saving *s, double taken_s, eb_report *report)
{
    const size_t there = eb_parts_there(s->parts), count = eb_parts_count(s->parts);
    EB_FIELDS(report, {EB_F(file), eb_text(s->request->path)}, {EB_F(file_parts), eb_uint(count)},
              {EB_F(parts_there), eb_uint(there)}, {EB_F(file_bytes), eb_uint(eb_parts_bytes(s->parts))},
              {EB_F(file_pairs), eb_uint(eb_parts_entries(s->parts))}, {EB_F(file_batches), eb_uint(s->batches)},
              {EB_F(save_s), eb_real(taken_s)});
    eb_joined_work_report(&s->work, report);
    if (s->ranks > 1)
        eb_report_field(report, EB_F(sent_bytes), eb_uint((uint64_t)s->sent));
    if (there == count)
        eb_report_note(report, "all %zu parts were there; nothing was joined or written", count);
    else if (there > 0)
        eb_report_note(report, "%zu of %zu parts were there; only the others were joined", there, count);
    if (s->ranks > 1)
        eb_report_note(report, "%u ranks wrote %zu parts", s->ranks, s->written);
}

static eb_code save_cut(saving *s, eb_report *report, eb_status *status)
{
    eb_parts_table table;
    const eb_parts_how how = {.replace = s->request->replace, .threads = s->session->settings.threads, .job = s->job};
    const double start_s = eb_now_s();
    eb_saving_describe(s->session->dataset, s->request, &table);
    if (s->cut.slabs)
        (void)eb_slabs_words(&s->cut, table.cut, sizeof table.cut);
    EB_TRY(eb_parts_open(s->request->path, &table, &how, &s->parts, status));
    eb_code failed = write_all(s, status);
    if (!failed)
        report_parts(s, eb_now_s() - start_s, report);
    if (failed == EB_CANCELLED)
        eb_report_note(report, "finished parts: %zu; the same command joins the others", eb_parts_count(s->parts));
    if (!failed && s->cut.slabs && s->written > 0)
        eb_saving_report_slabs(s, report);
    eb_parts_close(s->parts);
    return failed;
}

eb_code eb_save_parts(const eb_session *session, const eb_parts_request *request, eb_report *report, eb_job *job,
                      eb_status *status)
{
    saving s = {.session = session,
                .request = request,
                .job = job,
                .rows_a_part = rows_of_a_part(session->dataset->n, request->parts, 1)};
    eb_code failed = request->table ? EB_OK : eb_saving_plan_slabs(&s, report, status);
    if (!failed)
        failed = save_cut(&s, report, status);
    eb_slabs_free(&s.cut);
    return failed;
}

/* ---- loading ---- */

eb_code eb_keep_parts(eb_session *session, const char *path, eb_status *status)
{
    eb_stored *stored;
    EB_TRY(eb_stored_open(path, &stored, status));
    eb_session_forget_table(session);
    session->stored = stored;
    return EB_OK;
}

/* Says which points the table was made of. */
static eb_code check_points(const eb_session *session, const eb_stored *stored, eb_status *status)
{
    const eb_parts_table *table = eb_stored_table(stored);
    const char *source = eb_stored_fact(stored, "dataset"), *path = eb_stored_path(stored);
    const bool synth = source && strncmp(source, "synth ", 6) == 0;
    if (session->dataset && strcmp(session->dataset->sha256, table->sha256) == 0)
        return EB_OK;
    return eb_fail(status, EB_NO_DATASET, "%s: is a table of %s (%zu points, SHA-256 %.16s…), and %s; first `%s%s`",
                   path, source ? source : "points", table->n, table->sha256,
                   session->dataset ? "other points are loaded" : "no points are loaded", synth ? "" : "load ",
                   source ? source : "FILE");
}

static void report_stored(const eb_stored *stored, double load_s, eb_report *report)
{
    const eb_parts_table *table = eb_stored_table(stored);
    const char *spec = eb_stored_fact(stored, "engine");
    const uint64_t pairs = eb_stored_entries(stored);
    EB_FIELDS(report, {EB_F(engine), eb_text(table->engine)}, {EB_F(spec_typed), eb_text(spec ? spec : table->engine)},
              {EB_F(n), eb_uint(table->n)}, {EB_F(eps), eb_real(table->eps)}, {EB_F(pairs), eb_uint(pairs)},
              {EB_F(selectivity), eb_real(eb_selectivity(pairs, table->n))},
              {EB_F(distances), eb_text(eb_distances_name(table->kept))},
              {EB_F(file_parts), eb_uint(eb_stored_parts(stored))}, {EB_F(bytes), eb_uint(eb_stored_bytes(stored))},
              {EB_F(load_s), eb_real(load_s)});
    eb_report_note(report,
                   "the table is the last join's now, and its ε the session's; `save pairs.npz` writes it as one file");
}

eb_code eb_load_parts(eb_session *session, const char *path, eb_report *report, eb_job *job, eb_status *status)
{
    eb_stored *stored;
    const double start_s = eb_now_s();
    EB_TRY(eb_stored_open(path, &stored, status));
    eb_code failed = check_points(session, stored, status);
    if (!failed)
        failed = eb_stored_verify(stored, session->settings.threads, job, status);
    if (failed) {
        eb_stored_close(stored);
        return failed;
    }
    eb_session_forget_table(session);
    session->stored = stored;
    session->eps = eb_stored_table(stored)->eps;
    report_stored(stored, eb_now_s() - start_s, report);
    return EB_OK;
}
