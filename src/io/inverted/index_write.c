#include <errno.h>

#include <nettle/sha2.h>

#include "core/files/new_file.h"
#include "io/inverted/index_file.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are written as they are");

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
