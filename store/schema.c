#include "store/schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern const char eb_schema_001[], eb_schema_002[], eb_schema_003[], eb_schema_004[], eb_schema_005[], eb_schema_006[],
    eb_schema_007[], eb_schema_008[], eb_schema_009[], eb_schema_010[], eb_schema_views[];

static const char *const migrations[] = {eb_schema_001, eb_schema_002, eb_schema_003, eb_schema_004, eb_schema_005,
                                         eb_schema_006, eb_schema_007, eb_schema_008, eb_schema_009, eb_schema_010};

const eb_schema eb_schema_current = {.version = (int)(sizeof migrations / sizeof migrations[0]),
                                     .migrations = migrations,
                                     .views = eb_schema_views};

static eb_code fail_newer(const eb_schema *schema, const char *path, int64_t version, eb_status *status)
{
    return eb_fail(status, EB_LOG,
                   "%s was written by a newer epsbench (schema %lld, this one knows %d); use that, or --db FILE", path,
                   (long long)version, schema->version);
}

static eb_code fail_foreign(const char *path, const char *found, eb_status *status)
{
    return eb_fail(status, EB_LOG, "%s is %s, not a session log of epsbench; it was left alone, use --db FILE", path,
                   found);
}

/* ---- the file's first bytes (sqlite.org/fileformat2.html, "The Database Header") ---- */

#define HEADER_BYTES 100u
#define VERSION_AT 60u
#define APPLICATION_AT 68u

static uint32_t big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static eb_code check_header(const eb_schema *schema, const char *path, const unsigned char *header, size_t size,
                            eb_status *status)
{
    static const char magic[16] = "SQLite format 3";
    if (size == 0)
        return EB_OK;
    if (size < HEADER_BYTES || memcmp(header, magic, sizeof magic) != 0)
        return fail_foreign(path, "no SQLite file", status);
    if (big_endian(header + APPLICATION_AT) != EB_APPLICATION_ID)
        return fail_foreign(path, "another program's SQLite file", status);
    uint32_t version = big_endian(header + VERSION_AT);
    return version <= (uint32_t)schema->version ? EB_OK : fail_newer(schema, path, version, status);
}

eb_code eb_schema_check_file(const eb_schema *schema, const char *path, eb_status *status)
{
    unsigned char header[HEADER_BYTES];
    struct stat of_path;
    if (stat(path, &of_path) == 0 && !S_ISREG(of_path.st_mode)) /* opening a pipe would wait for its other end */
        return fail_foreign(path, S_ISDIR(of_path.st_mode) ? "a folder" : "no regular file", status);
    FILE *file = fopen(path, "re");
    if (!file)
        return errno == ENOENT ? EB_OK
                               : eb_fail(status, EB_LOG, "%s: cannot open the session log: %s", path, strerror(errno));
    const size_t size = fread(header, 1, sizeof header, file);
    const int error = ferror(file) ? errno : 0;
    (void)fclose(file);
    return error ? eb_fail(status, EB_LOG, "%s: cannot read the session log: %s", path, strerror(error))
                 : check_header(schema, path, header, size, status);
}

/* ---- migrating ---- */

typedef struct identity {
    int64_t application, version;
} identity;

static eb_code read_identity(eb_store *store, identity *out, eb_status *status)
{
    static const char application[] = "PRAGMA application_id", version[] = "PRAGMA user_version";
    EB_TRY(eb_sql_integer(store, application, EB_NO_VALUES, 0, &out->application, status));
    return eb_sql_integer(store, version, EB_NO_VALUES, 0, &out->version, status);
}

/* Reads the identity inside a transaction and checks it: another process may have created or migrated the log since the
 * header was read. */
static eb_code check_identity(eb_store *store, const eb_schema *schema, identity *found, eb_status *status)
{
    static const char count_all[] = "SELECT count(*) FROM sqlite_master";
    int64_t objects;
    EB_TRY(read_identity(store, found, status));
    if (found->application == EB_APPLICATION_ID)
        return found->version <= schema->version ? EB_OK : fail_newer(schema, store->path, found->version, status);
    EB_TRY(eb_sql_integer(store, count_all, EB_NO_VALUES, 0, &objects, status));
    return found->application == 0 && found->version == 0 && objects == 0
               ? EB_OK
               : fail_foreign(store->path, "another program's SQLite file", status);
}

/* Runs a query whose only value is an SQL script. The caller frees *script; NULL if there is no script. */
static eb_code write_script(eb_store *store, const char *query_text, char **script, eb_status *status)
{
    *script = NULL;
    eb_query query = eb_sql_rows(store, query_text, EB_NO_VALUES, status);
    if (eb_sql_next(&query) && !(*script = strdup(eb_sql_text(&query, 0))))
        query.failed = eb_fail_memory(status, "the session log's views", 1);
    return eb_sql_done(&query);
}

/* Drops all views, since SQLite refuses to drop a table's column while any view fails to resolve. Views that users made
 * are dropped too; the script *theirs recreates them. */
static eb_code drop_views(eb_store *store, char **theirs, eb_status *status)
{
    static const char keep_theirs[] = "SELECT group_concat(sql || char(10) || ';', '') FROM sqlite_master "
                                      "WHERE type = 'view' AND name NOT LIKE 'v\\_%' ESCAPE '\\'";
    static const char drop_all[] = "SELECT group_concat('DROP VIEW \"' || replace(name, '\"', '\"\"') || '\";', '') "
                                   "FROM sqlite_master WHERE type = 'view'";
    char *script = NULL;
    EB_TRY(write_script(store, keep_theirs, theirs, status));
    eb_code failed = write_script(store, drop_all, &script, status);
    if (!failed)
        failed = eb_sql_script(store, script, status);
    free(script);
    return failed;
}

static eb_code write_identity(eb_store *store, int version, eb_status *status)
{
    char script[96];
    (void)snprintf(script, sizeof script, "PRAGMA application_id = %d; PRAGMA user_version = %d", EB_APPLICATION_ID,
                   version);
    return eb_sql_script(store, script, status);
}

static eb_code apply(eb_store *store, const eb_schema *schema, int64_t from, eb_status *status)
{
    char *views_of_others = NULL;
    eb_code failed = drop_views(store, &views_of_others, status);
    for (int64_t k = from; k < schema->version && !failed; k++)
        failed = eb_sql_script(store, schema->migrations[k], status);
    if (!failed)
        failed = eb_sql_script(store, schema->views, status);
    if (!failed)
        failed = eb_sql_script(store, views_of_others, status);
    free(views_of_others);
    return failed ? failed : write_identity(store, schema->version, status);
}

/* Inside a write transaction: checks the identity again, then migrates. */
static eb_code migrate(eb_store *store, const eb_schema *schema, eb_status *status)
{
    identity found;
    EB_TRY(check_identity(store, schema, &found, status));
    return found.version < schema->version ? apply(store, schema, found.version, status) : EB_OK;
}

eb_code eb_schema_migrate(eb_store *store, const eb_schema *schema, eb_status *status)
{
    identity found;
    EB_TRY(eb_sql_begin_reading(store, status)); /* one moment, since another process may be creating the log */
    EB_TRY(eb_sql_end(store, check_identity(store, schema, &found, status), status));
    if (found.version == schema->version)
        return EB_OK;
    EB_TRY(eb_sql_begin(store, status));
    return eb_sql_end(store, migrate(store, schema, status), status);
}
