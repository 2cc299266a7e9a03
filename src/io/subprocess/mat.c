/* mat: reads .mat, MATLAB's named matrices. Versions 4 and 5 are read by libmatio in a child process (subprocess.h), if
 * the build found libmatio. Version 7.3 is HDF5 with columns first, read by libhdf5. Without a name the reader takes
 * the only matrix of more than one row and column, or else the only numeric variable. */
#include <string.h>

#include "io/reader.h"
#include "io/subprocess/subprocess.h"

#ifdef EB_HAVE_MATIO
#include <matio.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/bytes.h"
#include "io/load_line.h"

enum { SECONDS = 120, LISTED = 200 };

/* Finds the element type of a matrix. False if it is not a matrix of real numbers. */
static bool element_type(const matvar_t *v, eb_dtype *dtype, eb_foreign *foreign)
{
    *foreign = EB_NOT_FOREIGN;
    switch (v->class_type) {
    case MAT_C_DOUBLE: *dtype = EB_F64; break;
    case MAT_C_SINGLE: *dtype = EB_F32; break;
    case MAT_C_INT8: *dtype = EB_I8; break;
    case MAT_C_UINT8: *dtype = EB_U8; break;
    case MAT_C_INT16: *dtype = EB_I16; break;
    case MAT_C_INT32: *dtype = EB_I32; break;
    case MAT_C_UINT16: *foreign = EB_U16; break;
    case MAT_C_UINT32: *foreign = EB_U32; break;
    case MAT_C_INT64: *foreign = EB_I64; break;
    case MAT_C_UINT64: *foreign = EB_U64; break;
    default: return false;
    }
    if (*foreign)
        *dtype = eb_foreign_become(*foreign);
    return !v->isComplex && v->rank == 2 && v->dims && v->dims[0] > 0 && v->dims[1] > 0;
}

/* Opens the bytes by their name in /proc, as libmatio opens names only. */
static mat_t *open_file(const eb_subprocess_request *request, eb_subprocess_reply *reply)
{
    char name[64];
    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", request->file);
    mat_t *file = Mat_Open(name, MAT_ACC_RDONLY);
    if (!file)
        eb_subprocess_refuse(reply, request, "offset 0: expected a MATLAB file of version 4, 5 or 7.3");
    return file;
}

typedef struct search {
    size_t matrices, others; /* numeric variables of more than one row and column, and other numeric ones */
    char matrix[EB_SUBPROCESS_NAME_SIZE], other[EB_SUBPROCESS_NAME_SIZE];
    char most[EB_SUBPROCESS_NAME_SIZE]; /* the one with most values */
    double values;
    char listed[LISTED], unread[LISTED]; /* names of the numeric variables, and of all others */
    char remedy[96];                     /* what to type in MATLAB for the first of the others; "": nothing */
} search;

/* Notes a variable that cannot be points: a struct, a sparse matrix, a table. */
static void note_unread(search *s, const matvar_t *v)
{
    static const struct {
        int kind;
        const char *is, *before, *behind; /* the remedy around the name */
    } kinds[] = {{MAT_C_STRUCT, "a struct", "", ".FIELD"},
                 {MAT_C_SPARSE, "sparse", "full(", ")"},
                 {MAT_C_CELL, "a cell array", "cell2mat(", ")"},
                 {MAT_C_OBJECT, "an object", "", "{:,:}"},
                 {MAT_C_OPAQUE, "a table or another object", "", "{:,:}"},
                 {MAT_C_CHAR, "text", NULL, NULL},
                 {-1, "of more than 2 dimensions", "", "(:,:)"}};
    char line[96];
    const char *name = v->name ? v->name : "";
    size_t k = 0; /* the last one has no kind of its own */
    while (kinds[k].kind >= 0 && kinds[k].kind != (int)v->class_type)
        k++;
    (void)snprintf(line, sizeof line, "%.40s (%s)", name, v->isComplex ? "complex" : kinds[k].is);
    eb_list_name(s->unread, sizeof s->unread, line);
    if (v->isComplex && !s->remedy[0])
        (void)snprintf(s->remedy, sizeof s->remedy, "x = [real(%.30s) imag(%.30s)]", name, name);
    else if (kinds[k].before && !s->remedy[0])
        (void)snprintf(s->remedy, sizeof s->remedy, "x = %s%.40s%s", kinds[k].before, name, kinds[k].behind);
}

static void note_variable(search *s, const matvar_t *v)
{
    eb_dtype dtype;
    eb_foreign foreign;
    if (!v->name || !element_type(v, &dtype, &foreign)) {
        note_unread(s, v);
        return;
    }
    const double values = (double)v->dims[0] * (double)v->dims[1];
    if (values > s->values)
        (void)snprintf(s->most, sizeof s->most, "%s", v->name);
    s->values = values > s->values ? values : s->values;
    bool matrix = v->dims[0] > 1 && v->dims[1] > 1;
    (void)snprintf(matrix ? s->matrix : s->other, EB_SUBPROCESS_NAME_SIZE, "%s", v->name);
    s->matrices += matrix;
    s->others += !matrix;
    eb_list_name(s->listed, sizeof s->listed, v->name);
}

static void look_at_all(mat_t *file, search *s)
{
    *s = (search){.matrices = 0};
    (void)Mat_Rewind(file);
    for (matvar_t *v; (v = Mat_VarReadNextInfo(file)) != NULL; Mat_VarFree(v))
        note_variable(s, v);
    (void)Mat_Rewind(file);
}

/* The name of the chosen variable; NULL if refused. */
static const char *choose(mat_t *file, const eb_subprocess_request *request, search *s, eb_subprocess_reply *reply)
{
    look_at_all(file, s);
    if (request->object)
        return *request->object == '/' ? request->object + 1 : request->object;
    if (s->matrices == 1)
        return s->matrix;
    if (s->matrices == 0 && s->others == 1)
        return s->other;
    char advice[EB_ADVICE];
    if (s->matrices + s->others > 0)
        eb_subprocess_refuse(reply, request, "expected one matrix of numbers, found %zu: %s%s", s->matrices + s->others,
                             s->listed, eb_advise_object(advice, request->bytes, s->most));
    else if (s->remedy[0] && !request->bytes->brief)
        eb_subprocess_refuse(
            reply, request,
            "expected one matrix of numbers, found %s; in MATLAB, %s; save('points.mat', 'x') writes one", s->unread,
            s->remedy);
    else
        eb_subprocess_refuse(reply, request, "expected one matrix of numbers, found %s",
                             s->unread[0] ? s->unread : "none");
    return NULL;
}

/* Each number takes at least a byte, and deflate makes at most 1032 bytes of one. libmatio would fill missing values
 * with zeros. */
static const double most_packed = 1032;

/* Puts the variable's shape and type into the reply; false if it cannot be points. */
static bool describe(const matvar_t *v, const eb_subprocess_request *request, eb_subprocess_reply *reply)
{
    if (!element_type(v, &reply->dtype, &reply->foreign)) {
        eb_subprocess_refuse(reply, request, "%.100s is not a matrix of real numbers", reply->object);
        return false;
    }
    reply->n = v->dims[0];
    reply->d = v->dims[1];
    if (!request->bytes->beginning &&
        (double)reply->n * (double)reply->d > most_packed * (double)request->bytes->size) {
        eb_subprocess_refuse(reply, request, "%.100s claims %zu × %zu values, which a file of %zu bytes cannot hold",
                             reply->object, reply->n, reply->d, request->bytes->size);
        return false;
    }
    return eb_dataset_check_shape(request->bytes->name, reply->n, reply->d, reply->dtype, &reply->status) == EB_OK;
}

static void probe(const eb_subprocess_request *request, eb_subprocess_reply *reply)
{
    search s;
    char advice[EB_ADVICE];
    mat_t *file = open_file(request, reply);
    const char *name = file ? choose(file, request, &s, reply) : NULL;
    if (!name)
        return;
    matvar_t *v = Mat_VarReadInfo(file, name);
    (void)snprintf(reply->object, sizeof reply->object, "%s", name);
    if (v)
        (void)describe(v, request, reply);
    else
        eb_subprocess_refuse(reply, request, "no variable %.100s; numeric variables: %s%s", name,
                             s.listed[0] ? s.listed : "none", eb_advise_object(advice, request->bytes, s.most));
}

static void read_values(const eb_subprocess_request *request, const eb_subprocess_reply *shape, unsigned char *rows,
                        _Atomic uint64_t *done, eb_subprocess_reply *reply)
{
    mat_t *file = open_file(request, reply);
    matvar_t *v = file ? Mat_VarRead(file, shape->object) : NULL;
    (void)snprintf(reply->object, sizeof reply->object, "%s", shape->object);
    if (!v || !v->data) {
        if (reply->status.code == EB_OK)
            eb_subprocess_refuse(reply, request, "libmatio cannot read %.100s; the file is likely damaged",
                                 shape->object);
        return;
    }
    if (!describe(v, request, reply))
        return;
    size_t count = (size_t)(shape->n * shape->d);
    eb_dtype stored = shape->foreign ? eb_foreign_width(shape->foreign) : shape->dtype;
    if (reply->n != shape->n || reply->d != shape->d || reply->dtype != shape->dtype ||
        reply->foreign != shape->foreign || v->nbytes < count * eb_dtype_size(stored)) {
        eb_subprocess_refuse(reply, request, "%.100s is not as its header says", shape->object);
        return;
    }
    if (shape->foreign)
        (void)eb_take_foreign(request->bytes->name, shape->foreign, v->data, 0, count, (size_t)shape->n, rows,
                              &reply->status);
    else
        memcpy(rows, v->data, count * eb_dtype_size(stored));
    atomic_fetch_add(done, shape->n);
}

static const eb_subprocess libmatio = {.library = "libmatio",
                                       .phase = "reading MATLAB",
                                       .seconds = SECONDS,
                                       .by_name = true,
                                       .probe = probe,
                                       .read = read_values};

eb_code eb_check_mat(eb_status *status)
{
    (void)status;
    return EB_OK;
}

static eb_code read_matio(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    return eb_subprocess_read(&libmatio, bytes, true, out, status);
}
#else
eb_code eb_check_mat(eb_status *status)
{
    return eb_fail(status, EB_USAGE,
                   "built without libmatio, which reads version 5; install libmatio-dev and build again");
}

static eb_code read_matio(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    eb_status why;
    (void)out;
    (void)eb_check_mat(&why);
    return eb_fail(status, EB_USAGE, "%s: %s", bytes->name, why.message);
}
#endif

eb_code eb_read_mat(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    return eb_find_hdf5(bytes) != SIZE_MAX ? eb_read_hdf5_turned(bytes, out, status) : read_matio(bytes, out, status);
}
