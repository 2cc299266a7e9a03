#include "io/parts/counts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/new_file.h"
#include "core/files/text_file.h"
#include "io/parts/parts.h"
#include "io/parts/record.h"

#define FORMAT "epsbench-count"
#define VERSION 3
#define COUNT_BYTES ((uint64_t)16 << 20)

/* ---- reading ---- */

static eb_code fail_read(const eb_counts *c, const char *expected, eb_status *status)
{
    return eb_fail(status, EB_BAD_FORMAT, "%s: expected %s as epsbench writes it; the word force replaces the count",
                   c->path, expected);
}

static eb_code take_part(eb_counts *c, const json_t *object, eb_status *status)
{
    const json_t *number = json_object_get(object, "part"), *entries = json_object_get(object, "entries"),
                 *seconds = json_object_get(object, "seconds");
    const json_int_t k = json_integer_value(number), found = json_integer_value(entries);
    if (!json_is_integer(number) || k < 0 || k >= (json_int_t)c->parts || c->part[k].is)
        return fail_read(c, "each part once, from 0 on", status);
    if (!json_is_integer(entries) || found < 0 || !json_is_number(seconds) || !(json_number_value(seconds) >= 0))
        return fail_read(c, "entries and seconds of each part", status);
    c->part[k] = (eb_counted_part){true, (uint64_t)found, json_number_value(seconds)};
    c->done++;
    return EB_OK;
}

static eb_code take_count(eb_counts *c, const json_t *text, eb_parts_table *table, eb_status *status)
{
    const char *format = json_string_value(json_object_get(text, "format"));
    const char *by = json_string_value(json_object_get(text, "by"));
    const json_t *parts = json_object_get(text, "parts"), *counted = json_object_get(text, "counted");
    if (!format || strcmp(format, FORMAT) != 0 || json_integer_value(json_object_get(text, "version")) != VERSION)
        return fail_read(c, "\"format\": \"" FORMAT "\" of version 3", status);
    if (!by || strlen(by) >= sizeof c->by)
        return fail_read(c, "what the parts were counted by", status);
    (void)snprintf(c->by, sizeof c->by, "%s", by);
    EB_TRY(eb_table_take(c->path, json_object_get(text, "table"), table, status));
    if (json_integer_value(parts) != (json_int_t)c->parts) {
        char there[80];
        (void)snprintf(there, sizeof there, "%lld parts", (long long)json_integer_value(parts));
        return eb_fail(status, EB_EXISTS, "%s: is a count in %s, not in %u; add parts=%lld, or force to begin anew",
                       c->path, there, c->parts, (long long)json_integer_value(parts));
    }
    if (!json_is_array(counted))
        return fail_read(c, "the list of counted parts", status);
    for (size_t k = 0; k < json_array_size(counted); k++)
        EB_TRY(take_part(c, json_array_get(counted, k), status));
    return EB_OK;
}

static eb_code read_counts(eb_counts *c, eb_status *status)
{
    int fd;
    json_error_t error;
    eb_parts_table there;
    char difference[700];
    eb_code failed = eb_text_open(c->path, c->path, "a count", COUNT_BYTES, &fd, status);
    if (failed)
        return errno == ENOENT ? EB_OK : failed;
    json_t *text = json_loadfd(fd, JSON_REJECT_DUPLICATES, &error);
    (void)close(fd);
    if (!text)
        return eb_fail(status, EB_BAD_FORMAT, "%s: line %d: expected JSON: %s; the word force replaces the file",
                       c->path, error.line, error.text);
    failed = take_count(c, text, &there, status);
    json_decref(text);
    if (!failed && eb_table_difference(&there, &c->table, difference, sizeof difference)[0])
        failed = eb_fail(status, EB_EXISTS, "%s: holds a count %s; the word force replaces it", c->path, difference);
    c->there = c->done;
    return failed;
}

eb_code eb_counts_open(const char *folder, const eb_parts_table *table, unsigned parts, bool replace, eb_counts *out,
                       eb_status *status)
{
    if (eb_parts_at(folder))
        return eb_fail(status, EB_EXISTS, "%s: holds a table in parts; count into another folder", folder);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return eb_fail_writing(folder, errno, status);
    *out = (eb_counts){.path = eb_parts_path(folder, "count.json"),
                       .table = *table,
                       .parts = parts,
                       .part = calloc(parts, sizeof *out->part)};
    eb_code failed = out->path && out->part ? EB_OK : eb_fail_memory(status, "a count", parts * sizeof *out->part);
    if (!failed && !replace)
        failed = read_counts(out, status);
    if (failed)
        eb_counts_close(out);
    return failed;
}

void eb_counts_close(eb_counts *c)
{
    free(c->path);
    free(c->part);
    *c = (eb_counts){.path = NULL};
}

/* ---- writing ---- */

static json_t *counted_json(const eb_counts *c)
{
    json_t *all = json_array();
    for (unsigned k = 0; all && k < c->parts; k++)
        if (c->part[k].is)
            (void)json_array_append_new(all, json_pack("{s:i, s:I, s:f}", "part", (int)k, "entries",
                                                       (json_int_t)c->part[k].entries, "seconds", c->part[k].seconds));
    if (json_array_size(all) == c->done)
        return all;
    json_decref(all);
    return NULL;
}

eb_code eb_counts_add(eb_counts *c, unsigned part, const eb_counted_part *counted, const char *by, eb_status *status)
{
    if (c->done > 0 && strcmp(c->by, by) != 0)
        return eb_fail(status, EB_EXISTS,
                       "%s: its parts were counted by %s, and this one by %s, which may cut the work otherwise; count "
                       "on where it began, or add force to begin anew",
                       c->path, c->by, by);
    (void)snprintf(c->by, sizeof c->by, "%s", by);
    c->part[part] = *counted;
    c->done++;
    json_t *text = json_pack("{s:s, s:i, s:o, s:i, s:s, s:o}", "format", FORMAT, "version", VERSION, "table",
                             eb_table_json(&c->table), "parts", (int)c->parts, "by", c->by, "counted", counted_json(c));
    eb_code failed = eb_json_write_file(c->path, text, status);
    json_decref(text);
    return failed;
}

/* ---- what the parts say ---- */

unsigned eb_counts_order(unsigned parts, unsigned k)
{
    if (parts < 2)
        return 0;
    unsigned step = (unsigned)((double)parts * 0.618033988749895) | 1u;
    for (unsigned a = step, b = parts; b > 0;) { /* the first step from there on that has no divisor with parts */
        const unsigned rest = a % b;
        a = b;
        b = rest;
        if (b == 0 && a > 1) {
            a = ++step;
            b = parts;
        }
    }
    return (unsigned)((uint64_t)k * step % parts);
}

eb_counts_sum eb_counts_sum_of(const eb_counts *c)
{
    const double n = c->done, all = c->parts;
    eb_counts_sum sum = {.error = NAN};
    double mean = 0, squares = 0;
    for (unsigned k = 0, seen = 0; k < c->parts; k++) {
        if (!c->part[k].is)
            continue;
        const double found = (double)c->part[k].entries, off = found - mean;
        sum.entries += c->part[k].entries;
        sum.seconds += c->part[k].seconds;
        mean += off / (double)++seen;
        squares += off * (found - mean);
    }
    if (c->done == c->parts) {
        sum.expected = (double)sum.entries;
        sum.error = 0;
    } else {
        sum.expected = all * mean;
        if (c->done > 1)
            sum.error = all * sqrt(squares / (n - 1) / n * (1 - n / all));
    }
    sum.expected_s = c->done ? sum.seconds * all / n : 0;
    return sum;
}
