/* save: makes synthetic points in a file, in little memory for any number of points. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/new_file.h"
#include "io/save/format.h"
#include "io/synth/rows.h"

#define BYTES_AT_ONCE ((size_t)16 << 20)

/* The header of .fbin and .u8bin: u32 n, u32 d. */
static eb_code write_header(FILE *to, bool numpy, eb_dtype dtype, size_t n, size_t d)
{
    char header[EB_NPY_HEADER], shape[64];
    const uint32_t sizes[2] = {(uint32_t)n, (uint32_t)d};
    (void)snprintf(shape, sizeof shape, "(%zu, %zu)", n, d);
    eb_save_npy_header(header, dtype == EB_F64 ? "<f8" : dtype == EB_U8 ? "|u1" : "<f4", shape);
    const size_t bytes = numpy ? sizeof header : sizeof sizes;
    return fwrite(numpy ? (const void *)header : (const void *)sizes, 1, bytes, to) == bytes ? EB_OK : EB_IO;
}

static eb_code write_rows(const char *path, FILE *to, eb_dtype dtype, eb_synth_kind kind, size_t n, size_t d,
                          uint64_t seed, eb_job *job, eb_status *status)
{
    const size_t row = d * eb_dtype_size(dtype), fit = BYTES_AT_ONCE / row & ~(size_t)1, rows = fit ? fit : 2;
    void *values = malloc(rows * row);
    if (!values)
        return eb_fail_memory(status, "synth", rows * row);
    eb_code failed = EB_OK;
    eb_job_phase(job, "making points", eb_synth_units(kind, n, d));
    for (size_t begin = 0; begin < n && !failed; begin += rows) {
        const size_t end = n - begin < rows ? n : begin + rows;
        failed = eb_synth_rows(dtype, kind, d, seed, begin, end, values, job, status);
        errno = 0;
        if (!failed && fwrite(values, row, end - begin, to) != end - begin)
            failed = eb_fail_writing(path, errno ? errno : EIO, status);
    }
    free(values);
    return failed;
}

eb_code eb_synth_save(const char *path, eb_dtype dtype, eb_synth_kind kind, size_t n, size_t d, uint64_t seed,
                      eb_job *job, eb_status *status)
{
    size_t ending;
    eb_new_file *file;
    static const eb_dtype held[] = {EB_F32, EB_F32, EB_U8}; /* by .fbin, .u8bin */
    EB_TRY(eb_save_find_ending(path, ".npy .fbin .u8bin", &ending, status));
    EB_TRY(eb_synth_check(dtype, kind, n, d, status));
    if (ending > 0 && dtype != held[ending])
        return eb_fail(status, EB_USAGE, "%s: %s points; type=%s needs %s", path,
                       ending == 1 ? ".fbin holds FP32" : ".u8bin holds u8", eb_dtype_name(dtype),
                       dtype == EB_U8    ? ".npy or .u8bin"
                       : dtype == EB_F32 ? ".npy or .fbin"
                                         : ".npy");
    EB_TRY(eb_new_file_open(path, &file, status));
    FILE *to = eb_new_file_stream(file);
    eb_code failed = write_header(to, ending == 0, dtype, n, d);
    failed = failed ? eb_fail_writing(path, errno, status) : write_rows(path, to, dtype, kind, n, d, seed, job, status);
    if (!failed)
        return eb_new_file_commit(file, status);
    eb_new_file_abandon(file);
    return failed;
}
