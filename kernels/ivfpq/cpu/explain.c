/* explain: reports how the engine decides a pair: the other point's list, whether the query scans that list, and the
 * sum of the table's entries beside the exact distance. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/parallel.h"
#include "core/formats8/format8.h"
#include "core/report/report.h"
#include "kernels/ivfpq/settings.h"

enum { PIECES_SHOWN = 16 };

/* A point's place in the file. */
typedef struct place {
    size_t list;
    uint64_t block;
    unsigned lane;
} place;

/* One point as the query, the other as the point to find. */
typedef struct direction {
    size_t query, other;
    place at;     /* the other point's place */
    size_t rank;  /* rank of its list among the query's nearest, from 1 on */
    double s;     /* the sum by the table */
    double exact; /* the sum of FP32 entries, in FP64 */
} direction;

typedef struct telling {
    const eb_dataset *points;
    const eb_inverted_file *file;
    const eb_inverted_question *question;
    eb_inverted_searcher *searcher;
    double unit, eps;
    double *wide;        /* [d] */
    float *query;        /* [d] */
    eb_near_point *near; /* [the longest list] */
    float *residual;     /* [d] */
    eb_report *report;
} telling;

static place find_place(const eb_inverted_file *f, size_t row)
{
    place at = {0, 0, 0};
    for (at.list = 0; at.list < f->shape.nlist; at.list++)
        for (uint64_t p = 0; p < f->count[at.list]; p++) {
            at.block = f->blocks[at.list] + p / EB_LIST_BLOCK;
            at.lane = (unsigned)(p % EB_LIST_BLOCK);
            if (f->row[at.block * EB_LIST_BLOCK + at.lane] == row)
                return at;
        }
    return at;
}

static uint8_t code_of(const eb_inverted_file *f, place at, size_t j)
{
    return eb_block_codes(f, at.block)[j * EB_LIST_BLOCK + at.lane];
}

/* Squared distance of one piece: from the query's residual to the entry of the other point's code. */
static double piece_distance(const telling *t, const direction *way, size_t j)
{
    const eb_inverted_file *f = t->file;
    const float *entry = f->books + (j * EB_BOOK_ENTRIES + code_of(f, way->at, j)) * f->piece;
    double sum = 0;
    for (size_t k = 0; k < f->piece; k++) {
        const size_t at = j * f->piece + k;
        const double residual = (double)t->query[at] - (double)f->centroids[way->at.list * f->d + at];
        sum += (residual - (double)entry[k]) * (residual - (double)entry[k]);
    }
    return sum;
}

static void look(telling *t, direction *way)
{
    const eb_inverted_file *f = t->file;
    const eb_near_row *lists;
    eb_inverted_row(f, t->points, way->query, t->wide, t->query);
    const size_t count = eb_inverted_probe(t->searcher, 0, t->query, f->shape.nlist, &lists);
    way->at = find_place(f, way->other);
    for (way->rank = 1; way->rank < count && lists[way->rank - 1].row != way->at.list;)
        way->rank++;
    const eb_inverted_rows only = {way->other, way->other + 1};
    (void)eb_inverted_look(t->searcher, t->question, 0, t->query, way->at.list, only, INFINITY, t->near);
    way->s = (double)t->near[0].s;
    way->exact = 0;
    for (size_t j = 0; j < f->shape.m; j++)
        way->exact += piece_distance(t, way, j);
}

/* ---- tables ---- */

static const char *verdict_of(const telling *t, const direction *way)
{
    if (way->rank > t->question->nprobe)
        return "its list is not looked at";
    return way->s * t->unit <= eb_squared_threshold(t->eps) ? "within ε" : "beyond ε";
}

static void report_directions(const telling *t, const direction *way, double truth)
{
    eb_table *table =
        EB_TABLE(t->report, EB_F(directions), "From either point", EB_F(query), EB_F(other), EB_F(list), EB_F(rank),
                 EB_F(looked_at), EB_F(squared), EB_F(exact_codes), EB_F(distance), EB_F(verdict), EB_F(decides));
    for (size_t k = 0; k < 2; k++)
        EB_ROW(table, eb_uint(way[k].query), eb_uint(way[k].other), eb_uint(way[k].at.list), eb_uint(way[k].rank),
               eb_text(way[k].rank <= t->question->nprobe ? "yes" : "no"), eb_real(way[k].s * t->unit),
               eb_real(way[k].exact * t->unit), eb_real(sqrt(way[k].s * t->unit)), eb_text(verdict_of(t, &way[k])),
               eb_text(k == 0 ? "yes" : "no"));
    EB_FIELDS(t->report, {EB_F(truth_squared), eb_real(truth)}, {EB_F(truth_distance), eb_real(sqrt(truth))},
              {EB_F(truth_verdict), eb_text(truth <= eb_squared_threshold(t->eps) ? "within ε" : "beyond ε")});
}

/* Reports the other point's distance to its centroid, and to the point that its code represents. */
static void report_residual(const telling *t, const direction *way)
{
    const eb_inverted_file *f = t->file;
    double before = 0, after = 0;
    eb_inverted_row(f, t->points, way->other, t->wide, t->residual);
    for (size_t k = 0; k < f->d; k++) {
        const size_t j = k / f->piece;
        const float *entry = f->books + (j * EB_BOOK_ENTRIES + code_of(f, way->at, j)) * f->piece;
        const double residual = (double)t->residual[k] - (double)f->centroids[way->at.list * f->d + k];
        before += residual * residual;
        after += (residual - (double)entry[k % f->piece]) * (residual - (double)entry[k % f->piece]);
    }
    eb_record *record = eb_report_record(t->report, EB_F(residual), "The point that is looked for");
    EB_RECORD_FIELDS(record, {EB_F(point), eb_uint(way->other)}, {EB_F(residual), eb_real(sqrt(before * t->unit))},
                     {EB_F(lost), eb_real(sqrt(after * t->unit))}, {EB_F(code_bytes), eb_uint(f->shape.m)});
}

static double entry_of(const eb_lookup_table *table, size_t at)
{
    uint16_t half;
    float x;
    const unsigned char *bytes = table->entry;
    switch (table->format) {
    case EB_TABLE_F32: memcpy(&x, bytes + at * sizeof x, sizeof x); return (double)x;
    case EB_TABLE_F16: memcpy(&half, bytes + at * sizeof half, sizeof half); return (double)eb_half_to_float(half);
    case EB_TABLE_E5M3: return (double)eb_format8_decode(EB_E5M3, bytes[at]);
    case EB_TABLE_E4M4: return (double)eb_format8_decode(EB_E4M4, bytes[at]);
    case EB_TABLE_E4M3: return (double)eb_format8_decode(EB_E4M3, bytes[at]);
    case EB_TABLE_E5M2: return (double)eb_format8_decode(EB_E5M2, bytes[at]);
    default: return bytes[at];
    }
}

static eb_code report_entries(const telling *t, const direction *way, eb_status *status)
{
    const eb_inverted_file *f = t->file;
    const size_t entries = f->shape.m * EB_BOOK_ENTRIES;
    char title[96];
    eb_lookup_table table = {.entry = calloc(entries + 1, sizeof(float))};
    if (!table.entry)
        return eb_fail_memory(status, "a table", entries * sizeof(float));
    eb_inverted_row(f, t->points, way->query, t->wide, t->query);
    const eb_code failed = eb_inverted_table(t->searcher, t->question, t->query, way->at.list, &table, status);
    (void)snprintf(title, sizeof title, "The table's entries that are added, in %s",
                   eb_table_format_name(table.format));
    eb_table *out = failed ? NULL : eb_report_table(t->report, EB_F(entries), title);
    EB_COLUMNS(out, EB_F(piece), EB_F(code), EB_F(exact_squared), EB_F(entry), EB_F(stands_for), EB_F(rounding_added));
    for (size_t j = 0; !failed && j < f->shape.m && j < PIECES_SHOWN; j++) {
        const uint8_t code = code_of(f, way->at, j);
        const double exact = piece_distance(t, way, j), entry = entry_of(&table, j * EB_BOOK_ENTRIES + code),
                     value = entry * (double)table.unit;
        const bool affine = table.format == EB_TABLE_U8; /* an entry counts from its subspace's least */
        EB_ROW(out, eb_uint(j), eb_uint(code), eb_real(exact * t->unit), eb_real(entry), eb_real(value * t->unit),
               affine || !(exact > 0) ? eb_na() : eb_real(value / exact - 1));
    }
    if (!failed && table.format == EB_TABLE_U8)
        eb_report_note(t->report, "u8 entries are what they are above the least of their piece; together these are %g",
                       (double)table.offset * t->unit);
    if (!failed && f->shape.m > PIECES_SHOWN)
        eb_report_note(t->report, "the first %d of %zu pieces are shown", (int)PIECES_SHOWN, f->shape.m);
    free(table.entry);
    return failed;
}

/* ---- the report ---- */

static eb_code tell(telling *t, size_t i, size_t j, eb_status *status)
{
    const size_t d = t->file->d, first = i < j ? i : j, second = i < j ? j : i;
    direction way[2] = {{.query = first, .other = second}, {.query = second, .other = first}};
    t->wide = malloc(d * sizeof *t->wide);
    t->query = malloc(2 * d * sizeof *t->query);
    t->near = malloc(eb_inverted_longest(t->searcher) * sizeof *t->near);
    if (!t->wide || !t->query || !t->near)
        return eb_fail_memory(status, "a query", d * (sizeof *t->wide + 2 * sizeof *t->query));
    t->residual = t->query + d;
    look(t, &way[1]);
    look(t, &way[0]);
    report_directions(t, way, eb_truth_distance2(t->points, i, j));
    report_residual(t, &way[0]);
    EB_TRY(report_entries(t, &way[0], status));
    eb_report_note(t->report, "of a pair the point with the smaller index is the query, and its answer is the pair's");
    return EB_OK;
}

eb_code eb_ivfpq_explain(const eb_dataset *points, size_t i, size_t j, double eps, const eb_options *options,
                         eb_report *report, eb_status *status)
{
    const eb_ivfpq_settings settings = eb_ivfpq_settings_of(options, EB_DEVICE_CPU, points, NULL);
    eb_index_got got;
    EB_TRY(eb_inverted_check_question(&settings.question, settings.request.shape.nlist, EB_DEVICE_CPU, status));
    EB_TRY(eb_index_get(&settings.request, NULL, 0, eb_cpu_count(), NULL, &got, status));
    telling t = {.points = points,
                 .file = &got.index->file,
                 .question = &settings.question,
                 .unit = ldexp(1, -2 * got.index->file.exponent),
                 .eps = eps,
                 .report = report};
    eb_code failed = eb_inverted_open(t.file, NULL, 1, &t.searcher, status);
    if (!failed)
        failed = tell(&t, i, j, status);
    eb_inverted_close(t.searcher);
    eb_index_release(got.index);
    free(t.wide);
    free(t.query);
    free(t.near);
    return failed;
}
