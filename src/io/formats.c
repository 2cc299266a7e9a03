#include "io/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/alien.h"
#include "io/bytes.h"
#include "io/files/files.h"

#define ROW(extension, format, shape, has, about) {extension, #format, eb_read_##format, shape, has, about},
static const eb_format formats[] = {EB_FORMATS(ROW)};
enum { FORMATS = sizeof formats / sizeof *formats };

#define ENDING(extension, format, shape, has, about) " " extension
static const char known[] = EB_FORMATS(ENDING) ", each also as .gz";

size_t eb_format_count(void) { return FORMATS; }
const eb_format *eb_format_at(size_t index) { return &formats[index]; }

eb_code eb_format_check_library(const eb_format *format, eb_status *status)
{
    if (format->read == eb_read_mat)
        return eb_check_mat(status);
    if (format->read == eb_read_arrow)
        return eb_check_arrow(status);
    return EB_OK;
}

static bool ends_with(const char *name, size_t length, const char *extension)
{
    size_t tail = strlen(extension);
    return length > tail && strncasecmp(name + length - tail, extension, tail) == 0;
}

static const eb_format *by_extension(const char *name, size_t length)
{
    for (size_t k = 0; k < FORMATS; k++)
        if (ends_with(name, length, formats[k].extension))
            return &formats[k];
    return NULL;
}

const eb_format *eb_format_of_name(const char *name, bool *gzip)
{
    size_t length = strlen(name);
    *gzip = ends_with(name, length, ".gz");
    return by_extension(name, *gzip ? length - 3 : length);
}

const eb_format *eb_format_named(const char *extension)
{
    for (size_t k = 0; k < FORMATS; k++)
        if (strcmp(extension, formats[k].extension) == 0)
            return &formats[k];
    return NULL;
}

static bool begins_with(const eb_bytes *bytes, size_t offset, const char *magic, size_t length)
{
    return bytes->size >= offset && bytes->size - offset >= length && memcmp(bytes->data + offset, magic, length) == 0;
}

static bool is_gzip(const eb_bytes *bytes) { return begins_with(bytes, 0, "\x1f\x8b\x08", 3); }

/* IDX has too weak a magic number: only a complete header that fits the size of the file is accepted. */
static bool is_idx(const eb_bytes *bytes)
{
    eb_points points = {.n = 0};
    bool yes = eb_read_idx(bytes, &points, NULL) == EB_OK;
    if (yes)
        eb_points_free(&points);
    return yes;
}

/* The format that the magic number shows; NULL if there is none. */
static const eb_format *by_magic(const eb_bytes *bytes)
{
    if (begins_with(bytes, 0, "\x93NUMPY", 6))
        return eb_format_named(".npy");
    if (begins_with(bytes, 0, "PK\3\4", 4))
        return eb_format_named(".npz");
    if (begins_with(bytes, 0, "PAR1", 4) || begins_with(bytes, 0, "ARROW1", 6))
        return eb_format_named(".arrow");
    return eb_find_hdf5(bytes) != SIZE_MAX ? eb_format_named(".h5") : NULL;
}

/* Writes "; `load FILE format=NAME` reads it". Returns advice. */
static const char *read_as(const eb_bytes *bytes, const char *name, char advice[EB_ADVICE])
{
    char line[EB_ADVICE - 32];
    eb_reading how = bytes->how;
    how.format = name;
    advice[0] = 0;
    if (!bytes->brief)
        (void)snprintf(advice, EB_ADVICE, "; %s reads it", eb_line_to_type(line, sizeof line, bytes->path, &how));
    return advice;
}

eb_code eb_format_check_magic(const eb_format *format, const eb_bytes *bytes, eb_status *status)
{
    char advice[EB_ADVICE];
    const eb_format *magic = by_magic(bytes);
    if (magic && format->read == eb_read_mat && magic->read == eb_read_hdf5)
        return EB_OK; /* MATLAB's version 7.3 is HDF5 */
    if (!magic || strcmp(magic->name, format->name) == 0)
        return magic ? EB_OK : eb_refuse_alien(bytes, format->name, status);
    return eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected %s as the name says, found the first bytes of %s%s",
                   bytes->name, format->name, magic->name, read_as(bytes, magic->name, advice));
}

/* Writes the line that reads the file as the format that its content shows. Returns advice. */
static const char *advise_on_content(const eb_bytes *bytes, const eb_bytes *content, char advice[EB_ADVICE])
{
    const eb_format *magic = by_magic(content);
    return magic ? read_as(bytes, magic->name, advice) : eb_advise_format(advice, content);
}

/* The same for what begins inside gzip data. */
static const char *advise_on_inflated(const eb_bytes *bytes, char advice[EB_ADVICE])
{
    unsigned char head[1 << 15];
    eb_bytes inside = *bytes;
    inside.data = head;
    inside.size = eb_inflate_beginning(bytes, head, sizeof head);
    return advise_on_content(bytes, &inside, advice);
}

static eb_code format_of_gzip(const eb_bytes *bytes, size_t length, const eb_format **out, eb_status *status)
{
    char shown[EB_SHOWN_SIZE], advice[EB_ADVICE] = "";
    *out = by_extension(bytes->name, length);
    if (!is_gzip(bytes)) {
        EB_TRY(eb_refuse_alien(bytes, NULL, status));
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: offset 0: expected gzip data (1f 8b 08) as the name says, found %s%s", bytes->name,
                       eb_show_bytes(shown, bytes->data, bytes->size < 3 ? bytes->size : 3),
                       advise_on_content(bytes, bytes, advice));
    }
    if (!*out)
        return eb_fail(status, EB_BAD_FORMAT, "%s: expected an extension before .gz that shows the format, one of%s%s",
                       bytes->name, known, advise_on_inflated(bytes, advice));
    return EB_OK;
}

eb_code eb_format_called(const char *name, const char *where, const eb_format **out, eb_status *status)
{
    for (size_t k = 0; k < FORMATS; k++)
        if (strcasecmp(formats[k].name, name) == 0 || strcasecmp(formats[k].extension, name) == 0 ||
            strcasecmp(formats[k].extension + 1, name) == 0) {
            *out = &formats[k];
            return EB_OK;
        }
    return eb_fail(status, EB_USAGE, "%s: unknown format %.40s; expected one of%s", where, name, known);
}

bool eb_could_be_loaded(const char *path)
{
    struct stat about;
    bool gzip;
    char *expanded = eb_expand_home(path);
    bool is_folder = expanded && stat(expanded, &about) == 0 && S_ISDIR(about.st_mode);
    free(expanded);
    const eb_format *format = eb_format_of_name(path, &gzip);
    return is_folder || (format && eb_format_check_library(format, NULL) == EB_OK);
}

eb_code eb_format_of(const eb_bytes *bytes, const eb_format **out, bool *gzip, eb_status *status)
{
    char advice[EB_ADVICE];
    size_t length = strlen(bytes->name);
    if (bytes->how.format) {
        *gzip = is_gzip(bytes);
        return eb_format_called(bytes->how.format, bytes->name, out, status);
    }
    *gzip = ends_with(bytes->name, length, ".gz");
    if (*gzip)
        return format_of_gzip(bytes, length - 3, out, status);
    *out = by_extension(bytes->name, length);
    if (*out)
        return EB_OK;
    *out = by_magic(bytes);
    if (!*out && is_idx(bytes))
        *out = eb_format_named(".idx");
    if (*out)
        return EB_OK;
    if (is_gzip(bytes))
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: gzip data; expected a name that shows the format inside, such as x.fvecs.gz%s", bytes->name,
                       advise_on_inflated(bytes, advice));
    EB_TRY(eb_refuse_alien(bytes, NULL, status));
    if (*eb_advise_format(advice, bytes))
        return eb_fail(status, EB_BAD_FORMAT, "%s: the name does not show the format%s", bytes->name, advice);
    return eb_fail(status, EB_BAD_FORMAT, "%s: unknown format: expected a name ending in%s", bytes->name, known);
}
