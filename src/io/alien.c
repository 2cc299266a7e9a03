#include "io/alien.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#define ZLIB_CONST /* next_in points to const */
#include <zlib.h>

#include "io/csv/head.h"

static bool begins_with(const eb_bytes *bytes, const char *text, size_t length)
{
    return bytes->size >= length && memcmp(bytes->data, text, length) == 0;
}

static bool is_lfs_pointer(const eb_bytes *bytes)
{
    static const char first[] = "version https://git-lfs";
    return begins_with(bytes, first, sizeof first - 1);
}

static bool is_html(const eb_bytes *bytes)
{
    static const char *const tags[] = {"<!doctype html", "<html", "<head"};
    const char *text = (const char *)bytes->data;
    size_t at = begins_with(bytes, "\xef\xbb\xbf", 3) ? 3 : 0;
    while (at < bytes->size && at < 256 && text[at] && strchr(" \t\r\n", text[at]))
        at++;
    for (size_t k = 0; k < sizeof tags / sizeof *tags; k++)
        if (bytes->size - at >= strlen(tags[k]) && strncasecmp(text + at, tags[k], strlen(tags[k])) == 0)
            return true;
    return false;
}

/* True if the format is one of the names, or unknown. */
static bool is_one_of(const char *format, const char *const *names)
{
    while (format && *names && strcmp(format, *names) != 0)
        names++;
    return !format || *names;
}

static bool is_utf16(const eb_bytes *bytes)
{
    return begins_with(bytes, "\xff\xfe", 2) || begins_with(bytes, "\xfe\xff", 2);
}

/* Protocols 2 to 5; from 4 on a frame begins. */
static bool is_pickle(const eb_bytes *bytes)
{
    const unsigned char *data = bytes->data;
    return bytes->size > 4 && data[0] == 0x80 && data[1] >= 2 && data[1] <= 5 && (data[1] < 4 || data[2] == 0x95);
}

/* True unless points may begin with the two bytes of gzip: the number of points of .fbin and its kin. */
static bool is_hidden_gzip(const eb_bytes *bytes, const char *format)
{
    return format && !strstr(format, "bin") && begins_with(bytes, "\x1f\x8b\x08", 3);
}

eb_code eb_refuse_alien(const eb_bytes *bytes, const char *format, eb_status *status)
{
    static const char *const texts[] = {"csv", "jsonl", "libsvm", NULL}, *const arrays[] = {"npy", "npz", NULL};
    char advice[EB_ADVICE] = "", line[EB_ADVICE - 32];
    if (is_lfs_pointer(bytes))
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: a pointer of Git LFS, not the file itself; `git lfs pull` in a shell fetches it",
                       bytes->name);
    if (is_html(bytes))
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: an HTML page, perhaps of a login, not points; fetch the file itself, as with a browser",
                       bytes->name);
    if (is_one_of(format, texts) && is_utf16(bytes))
        return eb_fail(status, EB_BAD_FORMAT, "%s: text in UTF-16; expected UTF-8%s", bytes->name,
                       eb_advise_shell(advice, bytes, "iconv -f UTF-16 -t UTF-8", " -o", ".csv"));
    if (is_one_of(format, arrays) && is_pickle(bytes))
        return eb_fail(status, EB_BAD_FORMAT, "%s: a Python pickle; expected an array without one%s", bytes->name,
                       eb_advise_numpy(advice, bytes, "x", true));
    if (!is_hidden_gzip(bytes, format))
        return EB_OK;
    eb_reading how = bytes->how;
    how.format = format;
    if (!bytes->brief)
        (void)snprintf(advice, sizeof advice, "; %s inflates it",
                       eb_line_to_type(line, sizeof line, bytes->path, &how));
    return eb_fail(status, EB_BAD_FORMAT, "%s: gzip data under a name without .gz%s", bytes->name, advice);
}

/* ---- names that show no format ---- */

/* Finds the format of a text; NULL: it is none. head: choices for a table. */
static const char *format_of_text(const eb_bytes *bytes, eb_csv_head *head, bool *is_table)
{
    eb_points shape;
    const size_t looked_at = bytes->size < 1024 ? bytes->size : 1024;
    *is_table = false;
    if (memchr(bytes->data, 0, looked_at))
        return NULL;
    const char *line_end = memchr(bytes->data, '\n', bytes->size);
    const size_t first = line_end ? (size_t)(line_end - (const char *)bytes->data) : bytes->size;
    if (memchr(bytes->data, ':', first) && eb_shape_libsvm(bytes, &shape, NULL) == EB_OK)
        return "libsvm";
    if ((bytes->data[0] == '[' || bytes->data[0] == '{') && eb_shape_jsonl(bytes, &shape, NULL) == EB_OK)
        return "jsonl";
    *is_table = eb_csv_head_of(bytes, head) == EB_OK;
    return *is_table ? "csv" : NULL;
}

char *eb_advise_format(char buffer[EB_ADVICE], const eb_bytes *bytes)
{
    eb_csv_head head;
    bool is_table;
    char line[EB_ADVICE - 32];
    buffer[0] = 0;
    if (bytes->brief || bytes->size == 0)
        return buffer;
    const char *format = format_of_text(bytes, &head, &is_table);
    if (!format)
        return buffer;
    eb_reading how = is_table ? head.how : bytes->how;
    how.format = format;
    (void)snprintf(buffer, EB_ADVICE, "; %s reads it", eb_line_to_type(line, sizeof line, bytes->path, &how));
    if (is_table)
        eb_csv_head_free(&head);
    return buffer;
}

size_t eb_inflate_beginning(const eb_bytes *bytes, unsigned char *out, size_t size)
{
    enum { GZIP_ONLY = 15 + 16, MOST_INPUT = 1 << 18 };
    z_stream z = {.next_in = bytes->data, .avail_in = bytes->size < MOST_INPUT ? (uInt)bytes->size : MOST_INPUT};
    z.next_out = out;
    z.avail_out = (uInt)size;
    if (inflateInit2(&z, GZIP_ONLY) != Z_OK)
        return 0;
    (void)inflate(&z, Z_SYNC_FLUSH);
    const size_t left = z.avail_out;
    (void)inflateEnd(&z);
    return size - left;
}
