/* index: the command `index`: shows, builds, saves or loads the dataset's index, which the process keeps in memory. */
#include "shell/recall/index.h"

#include <string.h>

#include "core/inverted/quality.h"
#include "core/inverted/question.h"
#include "io/inverted/index_file.h"
#include "shell/commands/commands.h"
#include "shell/defaults.h"

/* ---- an index in an engine that searches it ---- */

static uint64_t gpu_bytes(const eb_inverted_request *request, bool refining)
{
    const eb_dataset *points = request->points;
    const uint64_t places = request->n + request->shape.nlist * EB_LIST_BLOCK / 2; /* last blocks are half full */
    return eb_inverted_gpu_bytes(places, points->d, &request->shape) +
           (refining ? (uint64_t)points->n * points->d * eb_dtype_size(points->dtype) : 0);
}

static eb_code check_memory(const eb_session *session, const eb_session_index *i, bool refining, eb_job *job,
                            eb_status *status)
{
    const eb_device *device = &i->setup.device;
    const bool on_gpu = device->kind == EB_DEVICE_CUDA;
    const uint64_t lent = session->settings.gpu_memory_limit, there = lent ? lent : device->memory_bytes,
                   needed = on_gpu ? gpu_bytes(&i->request, refining) : 0;
    EB_TRY(eb_index_check_memory(&i->request, on_gpu, session->settings.memory_limit, status));
    if (needed > there && on_gpu)
        return eb_fail(status, EB_NO_MEMORY, "the index takes %.0f MB on %s, %s %.0f MB", (double)needed / 1e6,
                       device->name, lent ? "the limit is" : "which has", (double)there / 1e6);
    eb_job_announce_memory(job, eb_inverted_build_bytes(&i->request, on_gpu), needed);
    return EB_OK;
}

eb_code eb_session_index_setup(eb_session *session, const eb_inverted_request *request, bool refining, eb_job *job,
                               eb_session_index *out, eb_status *status)
{
    out->request = *request;
    EB_TRY(eb_session_setup(session, EB_LISTS "[nprobe=0]", &out->setup, status));
    out->setup.index = &out->request;
    return check_memory(session, out, refining, job, status);
}

eb_code eb_session_index_open(eb_session_index *i, const eb_dataset *queries, eb_job *job, eb_status *status)
{
    const eb_problem problem = {.left = queries, .right = i->request.points};
    EB_TRY(eb_problem_open(&i->setup, &problem, job, &i->opened, status));
    i->index = eb_index_latest(i->request.points);
    i->kept = i->index->found > 0;
    return EB_OK;
}

void eb_session_index_close(eb_session_index *i)
{
    if (!i->index)
        return;
    eb_problem_close(&i->opened);
    eb_index_release(i->index);
    i->index = NULL;
}

/* ---- reports ---- */

static const char *rows_of(const eb_index *index) { return index->origin.rows[0] ? "some" : "all"; }

static void report_times(const eb_index_times *times, eb_report *report)
{
    eb_table *table =
        EB_TABLE(report, EB_F(times), "Building it took", EB_F(lists_s), EB_F(books_s), EB_F(assign_s), EB_F(encode_s));
    EB_ROW(table, eb_real(times->lists_s), eb_real(times->books_s), eb_real(times->assign_s), eb_real(times->encode_s));
}

static void report_index(const eb_index *index, const eb_inverted_quality *quality, eb_report *report)
{
    const eb_inverted_file *f = &index->file;
    const eb_index_origin *o = &index->origin;
    EB_FIELDS(report, {EB_F(n), eb_uint(f->n)}, {EB_F(d), eb_uint(f->d)}, {EB_F(nlist), eb_uint(f->shape.nlist)},
              {EB_F(m), eb_uint(f->shape.m)}, {EB_F(kmeans_rounds), eb_uint(o->rounds)},
              {EB_F(list_sample), eb_uint(o->list_sample)}, {EB_F(book_sample), eb_uint(o->book_sample)},
              {EB_F(seed), eb_uint(o->seed)}, {EB_F(of), eb_text(index->source)},
              {EB_HIDDEN(sha256), eb_text(o->sha256)}, {EB_F(left_out), eb_uint(o->points - f->n)},
              {EB_F(index_bytes), eb_uint(eb_inverted_bytes(f))},
              {EB_F(codes_bytes), eb_uint(f->blocks[f->shape.nlist] * EB_LIST_BLOCK * f->shape.m)},
              {EB_F(build_s), eb_real(index->build_s)}, {EB_F(built), eb_text(index->built)});
    if (index->loaded_from[0]) {
        EB_FIELDS(report, {EB_F(loaded_from), eb_text(index->loaded_from)}, {EB_F(program), eb_text(index->program)});
    }
    eb_table *table =
        EB_TABLE(report, EB_F(lists), "The lists", EB_F(least), EB_F(median), EB_F(most), EB_F(empty), EB_F(imbalance));
    EB_ROW(table, eb_uint(quality->least), eb_uint(quality->median), eb_uint(quality->most), eb_uint(quality->empty),
           eb_real(quality->imbalance));
    table =
        EB_TABLE(report, EB_F(error), "Mean squared distance of a point", EB_F(residual), EB_F(lost), EB_F(share_lost));
    EB_ROW(table, eb_real(quality->residual), eb_real(quality->lost),
           quality->residual > 0 ? eb_real(quality->lost / quality->residual) : eb_na());
    if (!index->loaded_from[0])
        report_times(&index->times, report);
}

static void report_kept(eb_index *const *index, size_t count, eb_report *report)
{
    eb_table *table =
        EB_TABLE(report, EB_F(kept), "Kept of these points, the one used last first", EB_F(nlist), EB_F(m),
                 EB_F(kmeans_rounds), EB_F(seed), EB_F(rows), EB_F(n_brief), EB_F(index_bytes), EB_F(build_s));
    for (size_t k = 0; k < count; k++)
        EB_ROW(table, eb_uint(index[k]->file.shape.nlist), eb_uint(index[k]->file.shape.m),
               eb_uint(index[k]->origin.rounds), eb_uint(index[k]->origin.seed), eb_text(rows_of(index[k])),
               eb_uint(index[k]->file.n), eb_uint(eb_inverted_bytes(&index[k]->file)), eb_real(index[k]->build_s));
}

/* Reports the index used last, and lists all kept ones if there are several. */
static eb_code show(eb_session *session, eb_report *report, eb_job *job, eb_status *status)
{
    eb_index *index[EB_CACHED_INDEXES];
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

/* ---- build, save, load ---- */

static eb_code build(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const eb_dataset *ds = session->dataset;
    const eb_inverted_shape usual = eb_usual_shape(ds->n, ds->d);
    const eb_inverted_request ask = {.points = ds,
                                     .n = ds->n,
                                     .shape = {(size_t)eb_call_integer(call, "nlist", (int64_t)usual.nlist),
                                               (size_t)eb_call_integer(call, "m", (int64_t)usual.m)},
                                     .rounds = (unsigned)eb_call_integer(call, "rounds", 0),
                                     .seed = (uint64_t)eb_call_integer(call, "seed", (int64_t)session->settings.seed)};
    eb_session_index index = {.index = NULL};
    EB_TRY(eb_session_index_setup(session, &ask, false, job, &index, status));
    EB_TRY(eb_session_index_open(&index, ds, job, status));
    eb_session_index_close(&index);
    if (index.kept)
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
        eb_report_field(report, EB_F(file), eb_text(path));
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
