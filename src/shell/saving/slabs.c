/* slabs: writes a part for each slab of the points (core/slabs/slabs.h). */
#include <stdlib.h>
#include <sys/resource.h>

#include "shell/defaults.h"
#include "shell/saving/saving.h"

/* The shares of the memory limit that points may take, in order: tables in few batches need the rest. */
static const unsigned shares[] = {4, 2};

static bool can_cut(const eb_setup *setup)
{
    return setup->device.kind == EB_DEVICE_CPU && setup->run->memory_needed && eb_setup_exactness(setup) == EB_TRUTH;
}

static eb_code refuse(const saving *s, eb_status *status)
{
    return eb_fail(status, EB_USAGE,
                   "%s: cut=slabs needs an engine on the CPU that gives the truth, such as " EB_SURE " or " EB_TRUE
                   "; with cut=rows every engine works",
                   s->request->setup->spec);
}

static eb_code plan_within(saving *s, eb_status *status)
{
    const eb_setup *setup = s->request->setup;
    const eb_dataset *ds = s->session->dataset;
    const uint64_t limit = s->session->settings.memory_limit;
    eb_code failed = EB_OK;
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        const eb_slab_room room = {.bytes = limit ? limit / shares[k] : UINT64_MAX,
                                   .memory_needed = setup->run->memory_needed,
                                   .most_own = s->rows_a_part};
        failed = eb_slabs_plan(ds, s->request->eps, &room, s->session->settings.threads, s->job, &s->cut, status);
        if (failed != EB_NO_MEMORY)
            break;
    }
    return failed;
}

eb_code eb_saving_plan_slabs(saving *s, eb_report *report, eb_status *status)
{
    const eb_parts_request *request = s->request;
    const eb_dataset *ds = s->session->dataset;
    const uint64_t limit = s->session->settings.memory_limit;
    const bool asked = request->cut == EB_CUT_SLABS;
    eb_status why = {.message = ""};
    if (request->cut == EB_CUT_ROWS || (!asked && (!limit || !can_cut(request->setup))))
        return EB_OK;
    if (!can_cut(request->setup))
        return refuse(s, status);
    if (!asked && request->setup->run->memory_needed(ds->n, ds->d, ds->dtype) <= limit / 2)
        return EB_OK;
    eb_code failed = plan_within(s, &why);
    if (failed == EB_NO_MEMORY && !asked) {
        eb_job_remark(s->job, why.message);
        eb_report_note(report, "joined in batches of rows: %s", why.message);
        return EB_OK;
    }
    return failed ? eb_fail(status, failed, "%s", why.message) : EB_OK;
}

/* ---- joining ---- */

typedef struct slab_writer {
    saving *s;
    const eb_slab *slab;
} slab_writer;

static eb_code write_batch(void *context, eb_neighbours *batch, eb_status *status)
{
    const slab_writer *w = context;
    saving *s = w->s;
    eb_code failed =
        eb_slab_translate(w->slab, s->session->dataset->n, batch, s->session->settings.threads, s->job, status);
    if (!failed)
        failed = eb_part_rows(s->part, batch, w->slab->row + batch->first_row, status);
    eb_neighbours_free(batch);
    s->batches++;
    return failed;
}

/* The bytes that tables may take beside the slab's points. */
static uint64_t room_for_tables(const saving *s, const eb_dataset *points)
{
    const uint64_t limit = s->session->settings.memory_limit;
    const uint64_t stored = points->n * (points->stride + sizeof(uint32_t));
    const uint64_t taken = stored + s->request->setup->run->memory_needed(points->n, points->d, points->dtype);
    return limit == 0 ? 0 : taken < limit ? limit - taken : 1;
}

/* Entries of the slab's table, its halo included, as dense as those that were written; 0: unknown. */
static uint64_t expected_entries(const saving *s, const eb_slab *slab)
{
    const size_t rows = eb_parts_rows(s->parts);
    return rows ? (uint64_t)((double)eb_parts_entries(s->parts) / (double)rows * (double)slab->points.n) : 0;
}

static eb_code join_slab(saving *s, const eb_slab *slab, eb_status *status)
{
    eb_opened opened;
    eb_join_result result;
    slab_writer writer = {s, slab};
    const eb_problem problem = eb_self_join(&slab->points);
    const eb_join_plan plan = {.question.eps = s->request->eps,
                               .row_end = slab->own,
                               .distances = s->request->distances,
                               .memory_limit = room_for_tables(s, &slab->points),
                               .expected_pairs = expected_entries(s, slab),
                               .phase = "joining a slab"};
    EB_TRY(eb_problem_open(s->request->setup, &problem, s->job, &opened, status));
    eb_code failed = eb_join_run(&opened, &plan, write_batch, &writer, &result, status);
    eb_joined_work_add(&s->work, &opened);
    eb_problem_close(&opened);
    return failed;
}

static eb_code write_slab(saving *s, const eb_slab_file *file, size_t k, eb_status *status)
{
    eb_slab slab;
    EB_TRY(eb_slab_load(&s->cut, file, s->session->dataset, k, &slab, status));
    eb_code failed = eb_part_open_listed(s->parts, k, slab.own, &s->part, status);
    if (!failed) {
        failed = join_slab(s, &slab, status);
        failed = eb_saving_end_part(s, failed, status);
    }
    eb_slab_free(&slab);
    return failed;
}

static bool is_missing(const void *parts, size_t slab) { return !eb_parts_has(parts, slab); }

static eb_code write_slabs(saving *s, const eb_slab_file *file, eb_status *status)
{
    for (size_t k = 0; k < s->cut.slabs; k++) {
        if (!is_missing(s->parts, k))
            continue;
        EB_TRY(eb_job_check(s->job, status));
        eb_job_step(s->job, 0, "part", (unsigned)k + 1, (unsigned)s->cut.slabs);
        EB_TRY(write_slab(s, file, k, status));
    }
    eb_job_step(s->job, 0, NULL, 0, 0);
    return EB_OK;
}

eb_code eb_saving_join_slabs(saving *s, eb_status *status)
{
    FILE *scratch;
    eb_slab_file file;
    if (eb_parts_count(s->parts) == s->cut.slabs)
        return EB_OK;
    EB_TRY(eb_parts_scratch(s->parts, &scratch, status));
    eb_code failed = eb_slabs_scatter(&s->cut, s->session->dataset, is_missing, s->parts, fileno(scratch),
                                      s->request->path, s->job, &file, status);
    if (!failed) {
        failed = write_slabs(s, &file, status);
        eb_slab_file_free(&file);
    }
    (void)fclose(scratch);
    return failed;
}

void eb_saving_report_slabs(const saving *s, eb_report *report)
{
    struct rusage usage;
    const size_t n = s->session->dataset->n;
    const bool known = getrusage(RUSAGE_SELF, &usage) == 0;
    EB_FIELDS(report, {EB_F(slabs), eb_uint(s->cut.slabs)}, {EB_F(slab_axis), eb_uint(s->cut.axis)},
              {EB_F(halo_share), eb_real((double)s->cut.halos / (double)n)},
              {EB_F(slab_read_bytes), eb_uint(s->cut.read)}, {EB_F(slab_written_bytes), eb_uint(s->cut.written)},
              {EB_F(peak_bytes), known ? eb_uint((uint64_t)usage.ru_maxrss * 1024) : eb_na()});
}
