/* scatter: copies the points of each slab, with their row numbers, to a file.
 *
 * A slab has two regions one after the other: rows, then row numbers. In each, the owned points come first and the halo
 * follows. Their number of owned points is known, so both can be written while the rows are read once.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/lookup.h"
#include "core/slabs/slabs.h"

enum { LEAST_BUFFER = 4096, MOST_BUFFER = 1 << 18, ROWS_A_CHECK = 1 << 14 };
#define BUFFERS ((size_t)16 << 20) /* bytes of all buffers */

typedef enum stream_kind { OWN_ROWS, HALO_ROWS, OWN_NUMBERS, HALO_NUMBERS, STREAMS } stream_kind;

/* One run of bytes that grows in the file. */
typedef struct stream {
    unsigned char *buffer;
    size_t used;
    uint64_t at; /* offset of the buffer's first byte */
} stream;

typedef struct scattering {
    eb_slab_plan *plan;
    const eb_dataset *ds;
    eb_slab_file *out;
    size_t row_bytes, capacity; /* of a buffer */
    stream *stream;             /* [slabs][STREAMS] */
    unsigned char *buffers;
    bool *wanted; /* [slabs] */
    size_t *own;  /* [slabs] owned points that were written */
} scattering;

static eb_code write_at(const scattering *s, const void *data, size_t bytes, uint64_t at, eb_status *status)
{
    const char *from = data;
    for (size_t done = 0; done < bytes;) {
        ssize_t written = pwrite(s->out->fd, from + done, bytes - done, (off_t)(at + done));
        if (written < 0 && errno != EINTR)
            return eb_fail(status, EB_IO, "%s: cannot write the slabs' points beside it: %s", s->out->path,
                           strerror(errno));
        done += written > 0 ? (size_t)written : 0;
    }
    s->plan->written += bytes;
    return EB_OK;
}

static eb_code flush(const scattering *s, stream *to, eb_status *status)
{
    EB_TRY(write_at(s, to->buffer, to->used, to->at, status));
    to->at += to->used;
    to->used = 0;
    return EB_OK;
}

/* Streams of slabs that are not wanted have no buffer, and get nothing. */
static eb_code put(const scattering *s, stream *to, const void *data, size_t bytes, eb_status *status)
{
    if (bytes > s->capacity - to->used)
        EB_TRY(flush(s, to, status));
    if (!to->buffer || bytes > s->capacity) {
        EB_TRY(write_at(s, data, bytes, to->at, status));
        to->at += bytes;
        return EB_OK;
    }
    memcpy(to->buffer + to->used, data, bytes);
    to->used += bytes;
    return EB_OK;
}

static eb_code put_point(const scattering *s, size_t slab, bool own, size_t row, eb_status *status)
{
    const uint32_t number = (uint32_t)row;
    stream *to = s->stream + slab * STREAMS;
    if (!s->wanted[slab])
        return EB_OK;
    if (own)
        s->own[slab]++;
    else if (s->out->halo[slab]++ == s->plan->halo[slab])
        return eb_fail(status, EB_INTERNAL, "slab %zu has more than the %zu points of its halo", slab,
                       s->plan->halo[slab]);
    EB_TRY(put(s, &to[own ? OWN_ROWS : HALO_ROWS], eb_row(s->ds, row), s->row_bytes, status));
    return put(s, &to[own ? OWN_NUMBERS : HALO_NUMBERS], &number, sizeof number, status);
}

/* To the owner, and to each slab on either side whose edge is within reach. The edges are rounded outwards, so that the
 * roundings of these sums leave nothing out. */
static eb_code scatter_row(const scattering *s, size_t row, eb_status *status)
{
    const eb_slab_plan *plan = s->plan;
    double x;
    eb_to_f64(s->ds->dtype, eb_row(s->ds, row) + plan->axis * eb_dtype_size(s->ds->dtype), 1, &x);
    const size_t owner = eb_last_not_above(plan->edge, plan->slabs, x);
    EB_TRY(put_point(s, owner, true, row, status));
    for (size_t k = owner; k-- > 0 && x <= nextafter(plan->edge[k + 1] + plan->reach, INFINITY);)
        EB_TRY(put_point(s, k, false, row, status));
    for (size_t k = owner + 1; k < plan->slabs && x >= nextafter(plan->edge[k] - plan->reach, -INFINITY); k++)
        EB_TRY(put_point(s, k, false, row, status));
    return EB_OK;
}

/* Gives each stream its place in the file and its buffer. */
static void lay_out(scattering *s)
{
    uint64_t at = 0;
    for (size_t k = 0; k < s->plan->slabs; k++) {
        const uint64_t own = s->plan->own[k], all = own + s->plan->halo[k];
        stream *to = s->stream + k * STREAMS;
        s->out->offset[k] = at;
        if (!s->wanted[k])
            continue;
        to[OWN_ROWS].at = at;
        to[HALO_ROWS].at = at + own * s->row_bytes;
        to[OWN_NUMBERS].at = at + all * s->row_bytes;
        to[HALO_NUMBERS].at = to[OWN_NUMBERS].at + own * sizeof(uint32_t);
        at += all * (s->row_bytes + sizeof(uint32_t));
        for (unsigned j = 0; j < STREAMS; j++)
            to[j].buffer = s->buffers + (k * STREAMS + j) * s->capacity;
    }
}

static eb_code scatter_all(const scattering *s, eb_job *job, eb_status *status)
{
    const size_t n = s->ds->n, slabs = s->plan->slabs;
    eb_job_phase(job, "cutting into slabs", n);
    for (size_t begin = 0; begin < n; begin += ROWS_A_CHECK) {
        const size_t end = n - begin < ROWS_A_CHECK ? n : begin + ROWS_A_CHECK;
        EB_TRY(eb_job_check(job, status));
        for (size_t row = begin; row < end; row++)
            EB_TRY(scatter_row(s, row, status));
        eb_job_advance(job, end - begin);
    }
    s->plan->read += (uint64_t)n * s->row_bytes;
    for (size_t k = 0; k < slabs * STREAMS; k++)
        EB_TRY(flush(s, &s->stream[k], status));
    for (size_t k = 0; k < slabs; k++) {
        s->plan->halos += s->out->halo[k];
        if (s->wanted[k] && s->own[k] != s->plan->own[k])
            return eb_fail(status, EB_INTERNAL, "slab %zu owns %zu points; %zu were counted", k, s->own[k],
                           s->plan->own[k]);
    }
    return EB_OK;
}

eb_code eb_slabs_scatter(eb_slab_plan *plan, const eb_dataset *ds, bool (*wanted)(const void *context, size_t slab),
                         const void *context, int fd, const char *path, eb_job *job, eb_slab_file *out,
                         eb_status *status)
{
    const size_t slabs = plan->slabs, share = BUFFERS / (slabs * STREAMS);
    *out = (eb_slab_file){.fd = fd,
                          .path = path,
                          .offset = calloc(slabs, sizeof *out->offset),
                          .halo = calloc(slabs, sizeof *out->halo)};
    scattering s = {.plan = plan,
                    .ds = ds,
                    .out = out,
                    .row_bytes = ds->d * eb_dtype_size(ds->dtype),
                    .capacity = share < LEAST_BUFFER  ? LEAST_BUFFER
                                : share > MOST_BUFFER ? MOST_BUFFER
                                                      : share,
                    .stream = calloc(slabs * STREAMS, sizeof *s.stream),
                    .wanted = calloc(slabs, sizeof *s.wanted),
                    .own = calloc(slabs, sizeof *s.own)};
    s.buffers = malloc(slabs * STREAMS * s.capacity);
    eb_code failed = EB_OK;
    if (!out->offset || !out->halo || !s.stream || !s.wanted || !s.own || !s.buffers)
        failed = eb_fail_memory(status, "cutting points", slabs * STREAMS * s.capacity);
    for (size_t k = 0; k < slabs && !failed; k++)
        s.wanted[k] = wanted(context, k);
    if (!failed) {
        lay_out(&s);
        failed = scatter_all(&s, job, status);
    }
    free(s.buffers);
    free(s.stream);
    free(s.wanted);
    free(s.own);
    if (failed)
        eb_slab_file_free(out);
    return failed;
}

void eb_slab_file_free(eb_slab_file *file)
{
    free(file->offset);
    free(file->halo);
    file->offset = NULL;
    file->halo = NULL;
}
