/* npz: reads .npz, a zip of named .npy arrays. libzip unpacks it, the .npy reader reads the member.
 *
 * FILE:/name chooses an array; otherwise the only array of two dimensions is taken. A member whose size is more than
 * deflate can make of its compressed bytes, or not that of its own header, is refused before it is inflated.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "io/bytes.h"
#include "io/load_line.h"
#include "io/reader.h"

enum { HEADER_BYTES = 16384, LISTED = 200 };
#define MAX_EXPANSION 1032u /* of deflate */

typedef struct member {
    zip_uint64_t index;
    uint64_t size; /* bytes when inflated */
    unsigned dimensions;
    eb_points shape;
    char name[128]; /* without .npy */
} member;

static eb_code fail_zip(const eb_bytes *bytes, const char *what, zip_error_t *error, eb_status *status)
{
    return eb_fail(status, EB_BAD_FORMAT, "%s: cannot read %s: libzip says: %s", bytes->name, what,
                   zip_error_strerror(error));
}

static eb_code open_archive(const eb_bytes *bytes, zip_t **out, eb_status *status)
{
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *source = zip_source_buffer_create(bytes->data, bytes->size, 0, &error);
    *out = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : NULL;
    eb_code failed = *out ? EB_OK : fail_zip(bytes, "the archive", &error, status);
    if (source && !*out)
        zip_source_free(source);
    zip_error_fini(&error);
    return failed;
}

static eb_code inflate(const eb_bytes *bytes, zip_t *zip, const member *m, unsigned char *to, uint64_t wanted,
                       eb_status *status)
{
    enum { PIECE = 1 << 22 };
    zip_file_t *file = zip_fopen_index(zip, m->index, 0);
    if (!file)
        return fail_zip(bytes, m->name, zip_get_error(zip), status);
    eb_code failed = EB_OK;
    for (uint64_t got = 0; got < wanted && !failed;) {
        uint64_t left = wanted - got;
        zip_int64_t count = zip_fread(file, to + got, left < PIECE ? left : PIECE);
        if (count > 0)
            got += (uint64_t)count;
        else if (count < 0)
            failed = fail_zip(bytes, m->name, zip_file_get_error(file), status);
        else
            failed = eb_fail(status, EB_BAD_FORMAT, "%s: %s: expected %llu bytes as the archive says, found %llu",
                             bytes->name, m->name, (unsigned long long)m->size, (unsigned long long)got);
        if (!failed)
            failed = eb_job_check(bytes->job, status);
    }
    unsigned char more;
    if (!failed && wanted == m->size && zip_fread(file, &more, 1) != 0) /* reading the end checks the checksum */
        failed = fail_zip(bytes, m->name, zip_file_get_error(file), status);
    (void)zip_fclose(file);
    return failed;
}

/* ---- one member ---- */

/* Reads a member's name and size. False if it is not an array, or the archive does not describe it. */
static bool describe(zip_t *zip, zip_uint64_t index, member *out)
{
    static const char tail[] = ".npy";
    zip_stat_t about;
    *out = (member){.index = index};
    if (zip_stat_index(zip, index, 0, &about) != 0 || !(about.valid & ZIP_STAT_SIZE) ||
        !(about.valid & ZIP_STAT_NAME) || !(about.valid & ZIP_STAT_COMP_SIZE))
        return false;
    size_t length = strlen(about.name);
    if (length < sizeof tail || strcmp(about.name + length - 4, tail) != 0 || length - 4 >= sizeof out->name)
        return false;
    (void)snprintf(out->name, sizeof out->name, "%.*s", (int)(length - 4), about.name);
    eb_make_printable(out->name);
    out->size = about.size;
    return about.size / MAX_EXPANSION <= about.comp_size;
}

/* Reads the member's header. Its error messages begin with its name. */
static eb_code look(const eb_bytes *bytes, zip_t *zip, member *m, eb_status *status)
{
    unsigned char head[HEADER_BYTES];
    char name[512];
    uint64_t wanted = m->size < sizeof head ? m->size : sizeof head;
    EB_TRY(inflate(bytes, zip, m, head, wanted, status));
    (void)snprintf(name, sizeof name, "%s: %s", bytes->name, m->name);
    const eb_bytes beginning = {.data = head,
                                .size = (size_t)wanted,
                                .name = name,
                                .how = bytes->how,
                                .beginning = true};
    EB_TRY(eb_npy_look(&beginning, &m->shape, &m->dimensions, status));
    if (m->shape.whole != m->size)
        return eb_fail(status, EB_BAD_FORMAT, "%s: expected %zu bytes as its header says, found %llu", name,
                       m->shape.whole, (unsigned long long)m->size);
    return EB_OK;
}

/* ---- choosing a member ---- */

typedef struct search {
    size_t found, members; /* arrays of two dimensions, all arrays */
    bool sparse;           /* the archive has members of a scipy matrix */
    member first, most;    /* the first array found, and the one with most values */
    member other;          /* the first array of one dimension */
    char listed[LISTED];   /* names of the arrays found */
} search;

static void note_member(search *s, const member *m)
{
    if (m->dimensions != 2) {
        s->other = s->other.name[0] ? s->other : *m;
        return;
    }
    if (s->found++ == 0)
        s->first = *m;
    if (m->shape.n * m->shape.d > s->most.shape.n * s->most.shape.d)
        s->most = *m;
    eb_list_name(s->listed, sizeof s->listed, m->name);
}

/* Searches for the wanted array (NULL: for all). Other members that cannot be read are skipped. */
static eb_code find_member(const eb_bytes *bytes, zip_t *zip, const char *wanted, search *s, eb_status *status)
{
    zip_int64_t count = zip_get_num_entries(zip, 0);
    *s = (search){.found = 0};
    for (zip_int64_t k = 0; k < count; k++) {
        member m;
        eb_status why;
        EB_TRY(eb_job_check(bytes->job, status));
        if (!describe(zip, (zip_uint64_t)k, &m))
            continue;
        s->sparse |= strcmp(m.name, "indptr") == 0;
        s->members++;
        eb_code failed = wanted && strcmp(m.name, wanted) != 0 ? EB_NOT_FOUND : look(bytes, zip, &m, &why);
        if (wanted && failed != EB_NOT_FOUND) {
            s->found = 1;
            s->first = m;
            return failed ? eb_fail(status, failed, "%s", why.message) : EB_OK;
        }
        if (!wanted && !failed)
            note_member(s, &m);
    }
    return EB_OK;
}

/* True if a member's name ends with the text. */
static bool has_member(zip_t *zip, const char *tail)
{
    zip_int64_t count = zip_get_num_entries(zip, 0);
    for (zip_int64_t k = 0; k < count; k++) {
        const char *name = zip_get_name(zip, (zip_uint64_t)k, 0);
        size_t length = name ? strlen(name) : 0, tail_length = strlen(tail);
        if (length >= tail_length && strcmp(name + length - tail_length, tail) == 0)
            return true;
    }
    return false;
}

/* Refuses a zip that is no archive of arrays, and says what it is. */
static eb_code fail_other_zip(const eb_bytes *bytes, zip_t *zip, eb_status *status)
{
    char listed[LISTED] = "", advice[EB_ADVICE];
    const zip_int64_t count = zip_get_num_entries(zip, 0);
    if (has_member(zip, "data.pkl"))
        return eb_fail(status, EB_BAD_FORMAT, "%s: a file of PyTorch; expected an array of NumPy%s", bytes->name,
                       eb_advise_shell(advice, bytes,
                                       "python3 -c \"import numpy as np, sys, torch; np.save(sys.argv[2], "
                                       "torch.load(sys.argv[1]).numpy())\"",
                                       "", ".npy"));
    if (has_member(zip, "workbook.xml"))
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: a workbook of Excel; expected a text, which its program saves as CSV%s", bytes->name,
                       eb_advise_shell(advice, bytes,
                                       "python3 -c \"import pandas, sys; pandas.read_excel(sys.argv[1])"
                                       ".to_csv(sys.argv[2], index=False)\"",
                                       "", ".csv"));
    for (zip_int64_t k = 0; k < count; k++) {
        const char *name = zip_get_name(zip, (zip_uint64_t)k, 0);
        if (name)
            eb_list_name(listed, sizeof listed, name);
    }
    return eb_fail(status, EB_BAD_FORMAT, "%s: a zip without arrays of NumPy, of %lld files: %s%s", bytes->name,
                   (long long)count, listed,
                   eb_advise_unzip(advice, bytes, count > 0 ? zip_get_name(zip, 0, 0) : NULL));
}

static eb_code fail_choice(const eb_bytes *bytes, zip_t *zip, const search *s, eb_status *status)
{
    char advice[EB_ADVICE];
    if (s->found == 0 && s->sparse)
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: a sparse scipy matrix; expected a dense array, as from np.savez(FILE, matrix.toarray())",
                       bytes->name);
    if (s->members == 0)
        return fail_other_zip(bytes, zip, status);
    if (s->found == 0)
        return eb_fail(status, EB_BAD_FORMAT, "%s: expected one array of two dimensions, found none%s", bytes->name,
                       eb_advise_object(advice, bytes, s->other.name));
    return eb_fail(status, EB_BAD_FORMAT, "%s: expected one array of two dimensions, found %zu: %s%s", bytes->name,
                   s->found, s->listed, eb_advise_object(advice, bytes, s->most.name));
}

static eb_code choose(const eb_bytes *bytes, zip_t *zip, member *out, eb_status *status)
{
    search s;
    char advice[EB_ADVICE];
    const char *wanted = bytes->object && *bytes->object == '/' ? bytes->object + 1 : bytes->object;
    EB_TRY(find_member(bytes, zip, wanted, &s, status));
    *out = s.first;
    if (s.found == 1)
        return EB_OK;
    if (!bytes->object)
        return fail_choice(bytes, zip, &s, status);
    EB_TRY(find_member(bytes, zip, NULL, &s, status));
    return eb_fail(status, EB_BAD_FORMAT, "%s: no array %.100s; arrays of two dimensions: %s%s", bytes->name,
                   bytes->object, s.found ? s.listed : "none", eb_advise_object(advice, bytes, s.most.name));
}

/* ---- the whole file ---- */

eb_code eb_shape_npz(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    zip_t *zip;
    member m;
    *out = (eb_points){.n = 0};
    if (bytes->beginning) /* the archive's directory is at its end */
        return bytes->size < 4 || memcmp(bytes->data, "PK\3\4", 4) == 0
                   ? EB_OK
                   : eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected a zip archive's PK", bytes->name);
    EB_TRY(open_archive(bytes, &zip, status));
    eb_code failed = choose(bytes, zip, &m, status);
    zip_discard(zip);
    if (!failed)
        *out = (eb_points){.n = m.shape.n, .d = m.shape.d, .dtype = m.shape.dtype};
    return failed;
}

/* Inflates a member, which the points then own, and reads it. */
static eb_code read_member(const eb_bytes *bytes, zip_t *zip, const member *m, eb_points *out, eb_status *status)
{
    char name[512];
    uint64_t available = eb_available_memory();
    if (m->size > available)
        return eb_fail(status, EB_NO_MEMORY, "%s: %s needs %llu bytes of memory; %llu are available", bytes->name,
                       m->name, (unsigned long long)m->size, (unsigned long long)available);
    unsigned char *data = malloc((size_t)m->size + 1);
    if (!data)
        return eb_fail_memory(status, bytes->name, m->size);
    (void)snprintf(name, sizeof name, "%s: %s", bytes->name, m->name);
    const eb_bytes file = {.data = data, .size = (size_t)m->size, .name = name, .how = bytes->how, .job = bytes->job};
    eb_code failed = inflate(bytes, zip, m, data, m->size, status);
    if (!failed)
        failed = eb_read_npy(&file, out, status);
    if (failed || out->owned)
        free(data);
    else
        out->owned = data;
    return failed;
}

eb_code eb_read_npz(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    zip_t *zip;
    member m;
    EB_TRY(open_archive(bytes, &zip, status));
    eb_code failed = choose(bytes, zip, &m, status);
    if (!failed)
        failed = read_member(bytes, zip, &m, out, status);
    zip_discard(zip);
    return failed;
}
