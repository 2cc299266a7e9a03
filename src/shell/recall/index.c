/* The index that the process keeps of the dataset: shown, built, saved, loaded. */
#include <string.h>

#include "core/inverted/quality.h"
#include "io/inverted/index_file.h"
#include "shell/commands/commands.h"
#include "shell/recall/kept_index.h"

/* ---- reports ---- */

static const char *rows_of(const eb_index *index) { return index->origin.rows[0] ? "some" : "all"; }

static void report_index(const eb_index *index, const eb_inverted_quality *quality, eb_report *report)
{
    const eb_inverted_file *f = &index->file;
    const eb_index_origin *o = &index->origin;
    eb_report_field(report, "n", "points n", EB_PLAIN, eb_uint(f->n));
    eb_report_field(report, "d", "dimensions d", EB_PLAIN, eb_uint(f->d));
    eb_report_field(report, "nlist", "lists, nlist", EB_PLAIN, eb_uint(f->shape.nlist));
    eb_report_field(report, "m", "pieces, m", EB_PLAIN, eb_uint(f->shape.m));
    eb_report_field(report, "rounds", "rounds of k-means", EB_PLAIN, eb_uint(o->rounds));
    eb_report_field(report, "list_sample", "rows to train lists, at most", EB_PLAIN, eb_uint(o->list_sample));
    eb_report_field(report, "book_sample", "rows to train books, at most", EB_PLAIN, eb_uint(o->book_sample));
    eb_report_field(report, "seed", "seed", EB_IDENTITY, eb_uint(o->seed));
    eb_report_field(report, "of", "built from", EB_PLAIN, eb_text(index->source));
    eb_report_field(report, "sha256", NULL, EB_PLAIN, eb_text(o->sha256));
    eb_report_field(report, "left_out", "rows left out", EB_PLAIN, eb_uint(o->points - f->n));
    eb_report_field(report, "bytes", "index takes", EB_BYTES, eb_uint(eb_inverted_bytes(f)));
    eb_report_field(report, "codes_bytes", "of them codes", EB_BYTES,
                    eb_uint(f->blocks[f->shape.nlist] * EB_LIST_BLOCK * f->shape.m));
    eb_report_field(report, "build_s", "index built in", EB_SECONDS, eb_real(index->build_s));
    eb_report_field(report, "built", "built on", EB_PLAIN, eb_text(index->built));
    if (index->loaded_from[0]) {
        eb_report_field(report, "loaded_from", "loaded from", EB_PLAIN, eb_text(index->loaded_from));
        eb_report_field(report, "program", "saved by", EB_PLAIN, eb_text(index->program));
    }
    eb_table *table = eb_report_table(report, "lists", "The lists");
    EB_COLUMNS(table, {"least", "least points", EB_PLAIN}, {"median", "median", EB_PLAIN}, {"most", "most", EB_PLAIN},
               {"empty", "empty lists", EB_PLAIN}, {"imbalance", "imbalance", EB_RATIO});
    EB_ROW(table, eb_uint(quality->least), eb_uint(quality->median), eb_uint(quality->most), eb_uint(quality->empty),
           eb_real(quality->imbalance));
    table = eb_report_table(report, "error", "Mean squared distance of a point");
    EB_COLUMNS(table, {"residual", "to its centroid", EB_PLAIN}, {"lost", "to what its code stands for", EB_PLAIN},
               {"share", "of it lost", EB_PERCENT});
    EB_ROW(table, eb_real(quality->residual), eb_real(quality->lost),
           quality->residual > 0 ? eb_real(quality->lost / quality->residual) : eb_na());
}

static void report_kept(eb_index *const *index, size_t count, eb_report *report)
{
    eb_table *table = eb_report_table(report, "kept", "Kept of these points, the one used last first");
    EB_COLUMNS(table, {"nlist", "nlist", EB_PLAIN}, {"m", "m", EB_PLAIN}, {"rounds", "rounds of k-means", EB_PLAIN},
               {"seed", "seed", EB_IDENTITY}, {"rows", "of rows", EB_PLAIN}, {"n", "points", EB_PLAIN},
               {"bytes", "index takes", EB_BYTES}, {"build_s", "index built in", EB_SECONDS});
    for (size_t k = 0; k < count; k++)
        EB_ROW(table, eb_uint(index[k]->file.shape.nlist), eb_uint(index[k]->file.shape.m),
               eb_uint(index[k]->origin.rounds), eb_uint(index[k]->origin.seed), eb_text(rows_of(index[k])),
               eb_uint(index[k]->file.n), eb_uint(eb_inverted_bytes(&index[k]->file)), eb_real(index[k]->build_s));
}

/* The one used last, and, where there are several, what else there is. */
static eb_code show(eb_session *session, eb_report *report, eb_job *job, eb_status *status)
{
    eb_index *index[EB_KEPT_INDEXES];
    eb_inverted_quality quality;
    const size_t count = eb_index_all(session->dataset, index);
    if (count == 0)
        return eb_fail(status, EB_NOT_FOUND,
                       "no index is kept of these points; index build makes one, index load reads one, and recall and "
                       "engines that search one keep theirs");
    eb_job_phase(job, "looking at the index", index[0]->file.shape.nlist);
    const eb_code failed =
        eb_inverted_quality_of(&index[0]->file, session->dataset, session->settings.threads, job, &quality, status);
    if (!failed)
        report_index(index[0], &quality, report);
    if (!failed && count > 1)
        report_kept(index, count, report);
    for (size_t k = 0; k < count; k++)
        eb_index_release(index[k]);
    return failed;
}

/* ---- what is done ---- */

static eb_code build(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const eb_dataset *ds = session->dataset;
    const eb_inverted_shape usual = eb_usual_shape(ds->n, ds->d);
    eb_inverted_request ask = {.points = ds,
                               .n = ds->n,
                               .shape = {(size_t)eb_call_integer(call, "nlist", (int64_t)usual.nlist),
                                         (size_t)eb_call_integer(call, "m", (int64_t)usual.m)},
                               .rounds = (unsigned)eb_call_integer(call, "rounds", 0),
                               .seed = (uint64_t)eb_call_integer(call, "seed", (int64_t)session->settings.seed)};
    eb_index_got got;
    eb_device device;
    EB_TRY(eb_session_device(session, &device, status));
    EB_TRY(eb_session_index_memory(session, &device, &ask, false, job, status));
    EB_TRY(eb_session_index(session, &device, &ask, job, &got, status));
    eb_index_release(got.index);
    if (got.kept)
        eb_report_note(report, "the index was there: nothing was built");
    return EB_OK;
}

static eb_code save(const eb_session *session, const char *path, eb_report *report, eb_status *status)
{
    eb_index *index = eb_index_latest(session->dataset);
    if (!index)
        return eb_fail(status, EB_NOT_FOUND, "no index is kept of these points: there is none to save");
    const eb_code failed = eb_index_save(index, session->program, path, status);
    eb_index_release(index);
    if (!failed)
        eb_report_field(report, "file", "written", EB_PLAIN, eb_text(path));
    return failed;
}

static eb_code load(const eb_session *session, const char *path, eb_job *job, eb_status *status)
{
    eb_index read, *kept;
    EB_TRY(eb_index_load(path, session->dataset, session->settings.threads, job, &read, status));
    const eb_code failed = eb_index_keep(&read, &kept, status);
    if (failed)
        eb_inverted_free(&read.file);
    else
        eb_index_release(kept);
    return failed;
}

static eb_code check_call(const eb_call *call, const char *what, eb_status *status)
{
    static const char *const training[] = {"nlist", "m", "rounds", "seed"};
    const bool builds = what && strcmp(what, "build") == 0, has_file = what && !builds;
    for (size_t k = 0; k < sizeof training / sizeof training[0]; k++)
        if (!builds && eb_call_has(call, training[k]))
            return eb_fail(status, EB_USAGE, "%s is for index build", training[k]);
    if (has_file && !eb_call_has(call, "file"))
        return eb_fail(status, EB_USAGE, "expected a file: index %s FILE", what);
    if (!has_file && eb_call_has(call, "file"))
        return eb_fail(status, EB_USAGE, "a file is for index save and index load");
    return EB_OK;
}

eb_code eb_cmd_index(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const char *what = eb_call_has(call, "action") ? eb_call_text(call, "action") : NULL,
               *path = eb_call_text(call, "file");
    EB_TRY(check_call(call, what, status));
    EB_TRY(eb_session_check_dataset(session, status));
    if (what && strcmp(what, "build") == 0)
        EB_TRY(build(session, call, report, job, status));
    if (what && strcmp(what, "save") == 0)
        return save(session, path, report, status);
    if (what && strcmp(what, "load") == 0)
        EB_TRY(load(session, path, job, status));
    return show(session, report, job, status);
}
