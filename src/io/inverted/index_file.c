#include "io/inverted/index_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include <nettle/sha2.h>

#include "core/files/new_file.h"
#include "io/files/files.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are written as they are");

enum { MOST_EXPONENT = 1200, MOST_ROUNDS = 1000000 };

/* ---- writing ---- */

static void put(unsigned char **at, const void *from, size_t size)
{
    memcpy(*at, from, size);
    *at += size;
}

static void write_head(const eb_index *index, const char *program, unsigned char head[EB_INDEX_HEAD])
{
    const eb_inverted_file *f = &index->file;
    const eb_index_origin *o = &index->origin;
    const uint32_t version = EB_INDEX_VERSION;
    const int32_t exponent = f->exponent;
    const uint64_t numbers[EB_INDEX_NUMBERS] = {f->n,      f->d,           f->shape.nlist, f->shape.m, o->points,
                                                o->rounds, o->list_sample, o->book_sample, o->seed};
    unsigned char *at = head;
    char by[EB_INDEX_PROGRAM] = "";
    (void)snprintf(by, sizeof by, "%s", program);
    put(&at, EB_INDEX_MAGIC, EB_INDEX_MAGIC_BYTES);
    put(&at, &version, sizeof version);
    put(&at, &exponent, sizeof exponent);
    put(&at, numbers, sizeof numbers);
    put(&at, &index->build_s, sizeof index->build_s);
    put(&at, o->sha256, EB_INDEX_SHA);
    put(&at, index->source, EB_INDEX_SOURCE);
    put(&at, by, sizeof by);
    put(&at, index->built, EB_INDEX_BUILT);
}

eb_code eb_index_write(const eb_index *index, const char *program, FILE *file)
{
    const eb_inverted_file *f = &index->file;
    const size_t nlist = f->shape.nlist, places = (size_t)f->blocks[nlist] * EB_LIST_BLOCK;
    unsigned char head[EB_INDEX_HEAD];
    write_head(index, program, head);
    const struct {
        const void *from;
        size_t size;
    } part[] = {{head, sizeof head},
                {f->centroids, nlist * f->d * sizeof *f->centroids},
                {f->books, EB_BOOK_ENTRIES * f->d * sizeof *f->books},
                {f->count, nlist * sizeof *f->count},
                {f->codes, places * f->shape.m},
                {f->row, places * sizeof *f->row}};
    for (size_t k = 0; k < sizeof part / sizeof part[0]; k++)
        if (part[k].size > 0 && fwrite(part[k].from, 1, part[k].size, file) != part[k].size)
            return EB_IO;
    return EB_OK;
}

/* Appends the SHA-256 of the bytes in the file, reading them back. */
static eb_code sign(FILE *file)
{
    unsigned char block[1 << 14];
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx sha;
    size_t size;
    sha256_init(&sha);
    rewind(file);
    while ((size = fread(block, 1, sizeof block, file)) > 0)
        sha256_update(&sha, size, block);
    sha256_digest(&sha, sizeof digest, digest);
    if (ferror(file) || fseek(file, 0, SEEK_END) != 0 || fwrite(digest, 1, sizeof digest, file) != sizeof digest)
        return EB_IO;
    return EB_OK;
}

eb_code eb_index_save(const eb_index *index, const char *program, const char *path, eb_status *status)
{
    eb_new_file *file;
    EB_TRY(eb_new_file_open(path, &file, status));
    FILE *stream = eb_new_file_stream(file);
    errno = 0;
    eb_code failed = eb_index_write(index, program, stream);
    failed = failed ? failed : sign(stream);
    if (!failed && fflush(stream) != 0)
        failed = EB_IO;
    if (!failed)
        return eb_new_file_commit(file, status);
    const int error = errno;
    eb_new_file_abandon(file);
    return eb_fail_writing(path, error, status);
}

/* ---- reading: fields ---- */

typedef struct parsing {
    const unsigned char *data;
    size_t size, at; /* at: offset of the next field */
    const char *name;
    eb_index *out;
} parsing;

static void take(parsing *p, void *to, size_t size)
{
    memcpy(to, p->data + p->at, size);
    p->at += size;
}

/* Takes a text field and terminates it within its size. */
static void take_text(parsing *p, char *to, size_t size)
{
    take(p, to, size);
    to[size - 1] = '\0';
}

/* ---- reading: the head ---- */

static eb_code check_magic(const unsigned char *data, size_t size, const char *name, eb_status *status)
{
    if (size >= EB_INDEX_MAGIC_BYTES && memcmp(data, EB_INDEX_MAGIC, EB_INDEX_MAGIC_BYTES) == 0)
        return EB_OK;
    return eb_fail(status, EB_BAD_FORMAT, "%s: expected an index file, which begins with \"EPSBIVF\"", name);
}

static eb_code fail_size(const parsing *p, uint64_t expected, eb_status *status)
{
    return eb_fail(status, EB_BAD_FORMAT, "%s: expected %llu bytes as the header says, found %zu", p->name,
                   (unsigned long long)expected, p->size);
}

static bool is_hash(const char *text)
{
    return strspn(text, "0123456789abcdef") == EB_INDEX_SHA && text[EB_INDEX_SHA] == '\0';
}

static eb_code take_head(parsing *p, eb_status *status)
{
    eb_index_origin *o = &p->out->origin;
    eb_inverted_file *f = &p->out->file;
    uint64_t numbers[EB_INDEX_NUMBERS];
    uint32_t version;
    int32_t exponent;
    EB_TRY(check_magic(p->data, p->size, p->name, status));
    if (p->size < EB_INDEX_HEAD)
        return fail_size(p, EB_INDEX_HEAD, status);
    p->at = EB_INDEX_MAGIC_BYTES;
    take(p, &version, sizeof version);
    take(p, &exponent, sizeof exponent);
    if (version != EB_INDEX_VERSION)
        return eb_fail(status, EB_BAD_FORMAT, "%s: expected version %u of an index file, found %u", p->name,
                       EB_INDEX_VERSION, version);
    take(p, numbers, sizeof numbers);
    take(p, &p->out->build_s, sizeof p->out->build_s);
    take(p, o->sha256, EB_INDEX_SHA);
    o->sha256[EB_INDEX_SHA] = '\0';
    take_text(p, p->out->source, EB_INDEX_SOURCE);
    take_text(p, p->out->program, EB_INDEX_PROGRAM);
    take_text(p, p->out->built, EB_INDEX_BUILT);
    const uint64_t n = numbers[0], d = numbers[1], nlist = numbers[2], m = numbers[3], points = numbers[4];
    if (n < 1 || n > points || points > EB_MAX_POINTS || d < 1 || d > EB_MAX_DIMENSIONS || nlist < 1 ||
        nlist > EB_MAX_LISTS || nlist > n || m < 1 || m > d || d % m != 0)
        return eb_fail(
            status, EB_BAD_FORMAT,
            "%s: expected the shape of an index, found %llu of %llu points, %llu dimensions, %llu lists, %llu "
            "pieces",
            p->name, (unsigned long long)n, (unsigned long long)points, (unsigned long long)d,
            (unsigned long long)nlist, (unsigned long long)m);
    if (exponent < -MOST_EXPONENT || exponent > MOST_EXPONENT || numbers[5] < 1 || numbers[5] > MOST_ROUNDS ||
        !(p->out->build_s >= 0) || isinf(p->out->build_s) || !is_hash(o->sha256))
        return eb_fail(status, EB_BAD_FORMAT, "%s: the facts of its making are damaged", p->name);
    *f = (eb_inverted_file){.n = (size_t)n,
                            .d = (size_t)d,
                            .shape = {(size_t)nlist, (size_t)m},
                            .piece = (size_t)(d / m),
                            .exponent = exponent};
    o->points = points;
    o->shape = f->shape;
    o->rounds = (unsigned)numbers[5];
    o->list_sample = numbers[6];
    o->book_sample = numbers[7];
    o->seed = numbers[8];
    return EB_OK;
}

/* ---- reading: arrays ---- */

/* Copies `size` bytes, which the caller has checked to be there, into a new array *to. */
static eb_code take_array(parsing *p, void *to, size_t size, eb_status *status)
{
    void *array = malloc(size);
    if (!array)
        return eb_fail_memory(status, "an index", size);
    memcpy(to, &array, sizeof array);
    take(p, array, size);
    return EB_OK;
}

/* Takes the centroids, books and counts; the counts give the size of the rest. d, nlist ≤ 2^20: nothing here
 * overflows. */
static eb_code take_lists(parsing *p, eb_status *status)
{
    eb_inverted_file *f = &p->out->file;
    const size_t nlist = f->shape.nlist, word = sizeof(float);
    const uint64_t fixed = EB_INDEX_HEAD + ((nlist + EB_BOOK_ENTRIES) * (uint64_t)f->d + nlist) * word;
    if (p->size < fixed)
        return fail_size(p, fixed, status);
    EB_TRY(take_array(p, &f->centroids, nlist * f->d * word, status));
    EB_TRY(take_array(p, &f->books, EB_BOOK_ENTRIES * f->d * word, status));
    EB_TRY(take_array(p, &f->count, nlist * word, status));
    f->blocks = malloc((nlist + 1) * sizeof *f->blocks);
    if (!f->blocks)
        return eb_fail_memory(status, "an index", (nlist + 1) * sizeof *f->blocks);
    uint64_t points = 0;
    f->blocks[0] = 0;
    for (size_t l = 0; l < nlist; l++) {
        points += f->count[l];
        f->blocks[l + 1] = f->blocks[l] + ((uint64_t)f->count[l] + EB_LIST_BLOCK - 1) / EB_LIST_BLOCK;
    }
    if (points != f->n)
        return eb_fail(status, EB_BAD_FORMAT, "%s: expected lists of %zu points, found %llu", p->name, f->n,
                       (unsigned long long)points);
    const uint64_t whole = fixed + f->blocks[nlist] * EB_LIST_BLOCK * (f->shape.m + sizeof *f->row);
    return p->size == whole ? EB_OK : fail_size(p, whole, status);
}

static eb_code check_numbers(const parsing *p, eb_status *status)
{
    const eb_inverted_file *f = &p->out->file;
    for (size_t k = 0; k < f->shape.nlist * f->d; k++)
        if (!isfinite(f->centroids[k]))
            return eb_fail(status, EB_BAD_FORMAT, "%s: centroid %zu has a coordinate that is not a number", p->name,
                           k / f->d);
    for (size_t k = 0; k < EB_BOOK_ENTRIES * f->d; k++)
        if (!isfinite(f->books[k]))
            return eb_fail(status, EB_BAD_FORMAT, "%s: a codebook has an entry that is not a number", p->name);
    return EB_OK;
}

/* Checks that each row occurs once, ascending in its list, and that places after a list's last row are empty. seen:
 * [points], zeroed. */
static eb_code check_rows(const parsing *p, unsigned char *seen, eb_status *status)
{
    const eb_inverted_file *f = &p->out->file;
    for (size_t l = 0; l < f->shape.nlist; l++) {
        const uint32_t *row = f->row + f->blocks[l] * EB_LIST_BLOCK;
        const size_t places = (size_t)(f->blocks[l + 1] - f->blocks[l]) * EB_LIST_BLOCK;
        for (size_t k = 0; k < places; k++) {
            if (k >= f->count[l] ? row[k] != EB_NO_POINT
                                 : row[k] >= p->out->origin.points || seen[row[k]] || (k > 0 && row[k] <= row[k - 1]))
                return eb_fail(status, EB_BAD_FORMAT, "%s: place %zu of list %zu holds row %u, which cannot be there",
                               p->name, k, l, row[k]);
            if (k < f->count[l])
                seen[row[k]] = 1;
        }
    }
    return EB_OK;
}

static eb_code take_all(parsing *p, eb_status *status)
{
    eb_inverted_file *f = &p->out->file;
    EB_TRY(take_head(p, status));
    EB_TRY(take_lists(p, status));
    EB_TRY(check_numbers(p, status));
    const size_t places = (size_t)f->blocks[f->shape.nlist] * EB_LIST_BLOCK;
    EB_TRY(take_array(p, &f->codes, places * f->shape.m, status));
    EB_TRY(take_array(p, &f->row, places * sizeof *f->row, status));
    unsigned char *seen = calloc(p->out->origin.points, 1);
    if (!seen)
        return eb_fail_memory(status, "an index", p->out->origin.points);
    const eb_code failed = check_rows(p, seen, status);
    free(seen);
    return failed;
}

eb_code eb_index_parse(const unsigned char *data, size_t size, const char *name, eb_index *out, eb_status *status)
{
    parsing p = {data, size, 0, name, out};
    *out = (eb_index){.holders = 0};
    const eb_code failed = take_all(&p, status);
    if (failed)
        eb_inverted_free(&out->file);
    return failed;
}

/* ---- reading: a file ---- */

static eb_code check_digest(const eb_file *file, const char *path, eb_status *status)
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx sha;
    EB_TRY(check_magic(file->data, file->size, path, status));
    const size_t signed_bytes = file->size < EB_INDEX_DIGEST ? 0 : file->size - EB_INDEX_DIGEST;
    sha256_init(&sha);
    sha256_update(&sha, signed_bytes, file->data);
    sha256_digest(&sha, sizeof digest, digest);
    if (signed_bytes > 0 && memcmp(digest, file->data + signed_bytes, sizeof digest) == 0)
        return EB_OK;
    return eb_fail(status, EB_BAD_FORMAT, "%s: damaged or cut short: the checksum does not match", path);
}

/* Completes the index's origin from the dataset and the rows that the index holds. */
static eb_code tell_rows(const eb_dataset *points, unsigned threads, eb_job *job, eb_index *index, eb_status *status)
{
    const eb_inverted_file *f = &index->file;
    const eb_index_origin said = index->origin;
    unsigned char *has = calloc(points->n, 1);
    uint32_t *rows = malloc(f->n * sizeof *rows);
    size_t count = 0;
    for (size_t p = 0; has && p < f->blocks[f->shape.nlist] * EB_LIST_BLOCK; p++)
        if (f->row[p] != EB_NO_POINT)
            has[f->row[p]] = 1;
    for (size_t i = 0; has && rows && i < points->n; i++)
        if (has[i])
            rows[count++] = (uint32_t)i;
    const eb_code failed = has && rows ? eb_index_origin_of(points, rows, f->n, threads, job, &index->origin, status)
                                       : eb_fail_memory(status, "an index's rows", points->n + f->n * sizeof *rows);
    free(has);
    free(rows);
    index->origin.shape = said.shape;
    index->origin.rounds = said.rounds;
    index->origin.list_sample = said.list_sample;
    index->origin.book_sample = said.book_sample;
    index->origin.seed = said.seed;
    return failed;
}

static eb_code check_points(const eb_index *index, const char *path, const eb_dataset *points, eb_status *status)
{
    const eb_index_origin *o = &index->origin;
    if (o->points == points->n && index->file.d == points->d && strcmp(o->sha256, points->sha256) == 0)
        return index->file.exponent == eb_inverted_exponent(points)
                   ? EB_OK
                   : eb_fail(status, EB_BAD_FORMAT,
                             "%s: its points are scaled by 2^%d, but these points need another scale", path,
                             index->file.exponent);
    return eb_fail(status, EB_USAGE,
                   "%s: an index of other points: of %.200s, %llu × %zu, whose hash is %.12s…; these are %zu × %zu, "
                   "%.12s…",
                   path, index->source[0] ? index->source : "a dataset", (unsigned long long)o->points, index->file.d,
                   o->sha256, points->n, points->d, points->sha256);
}

eb_code eb_index_load(const char *path, const eb_dataset *points, unsigned threads, eb_job *job, eb_index *out,
                      eb_status *status)
{
    eb_file file;
    *out = (eb_index){.holders = 0};
    EB_TRY(eb_file_open(path, &file, status));
    eb_code failed = check_digest(&file, path, status);
    if (!failed)
        failed = eb_index_parse(file.data, file.size - EB_INDEX_DIGEST, path, out, status);
    eb_file_close(&file);
    if (failed)
        return failed;
    failed = check_points(out, path, points, status);
    if (!failed)
        failed = tell_rows(points, threads, job, out, status);
    (void)snprintf(out->loaded_from, sizeof out->loaded_from, "%s", path);
    if (failed)
        eb_inverted_free(&out->file);
    return failed;
}
