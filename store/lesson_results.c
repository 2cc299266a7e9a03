/* lesson_results: what a person, or a class of several logs, answered in lessons. The answers of all logs are collected
 * in a database in memory, where the tables are made. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/read/read.h"
#include "store/schema.h"

enum { OLDEST_WITH_LESSONS = 6 };

/* ---- one log ---- */

eb_code eb_store_lesson_results(eb_store *store, eb_report *report, eb_status *status)
{
    static const char text[] =
        "SELECT lesson, step, question, answer, last_expected, iif(correct, 'yes', 'no'), tries, "
        "iif(last_correct, 'yes', 'no'), iif(any_hint, 'yes', 'no'), answered FROM "
        "(SELECT *, row_number() OVER (PARTITION BY lesson, step ORDER BY given) AS place, "
        "last_value(expected) OVER every AS last_expected, count(*) OVER every AS tries, "
        "last_value(correct) OVER every AS last_correct, max(hinted) OVER every AS any_hint FROM v_lessons "
        "WINDOW every AS (PARTITION BY lesson, step ORDER BY given ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED "
        "FOLLOWING)) WHERE place = 1 ORDER BY lesson, step";
    static const eb_column *const columns[] =
        EB_LIST(EB_F(lesson), EB_F(step), EB_F(question), EB_F(first_answer), EB_F(expected), EB_F(right_at_once),
                EB_F(tries), EB_F(right_in_the_end), EB_F(hinted), EB_F(answered_at));
    return eb_read_table(store, report, EB_F(results), "Your answers", EB_SHOWN(columns), text, EB_NO_VALUES, NULL,
                         status);
}

/* ---- the answers of several logs ---- */

static const char table[] =
    "CREATE TABLE answer (student TEXT, given INTEGER, lesson TEXT, step INTEGER, question TEXT, "
    "answer TEXT, expected TEXT, correct INTEGER, hinted INTEGER)",
                  add[] = "INSERT INTO answer VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                  take[] = "SELECT id, lesson, step, question, answer, expected, correct, hinted FROM lesson_answer";

static eb_code copy_answers(eb_store *from, const char *student, eb_store *to, eb_status *status)
{
    eb_query query = eb_sql_rows(from, take, EB_NO_VALUES, status);
    while (eb_sql_next(&query)) {
        eb_value value[9] = {eb_text(student)};
        for (int k = 0; k < 8; k++)
            value[k + 1] = eb_sql_value(&query, k);
        query.failed = eb_sql_run(to, add, value, 9, NULL, status);
    }
    return eb_sql_done(&query);
}

static void close_quietly(eb_store *store)
{
    for (size_t k = 0; k < store->prepared_count; k++)
        (void)sqlite3_finalize(store->prepared[k].statement);
    (void)sqlite3_close(store->db);
}

/* "anna" for "logs/anna.db" */
static void name_student(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const size_t length = strlen(name);
    (void)snprintf(out, size, "%.*s", (int)(length > 3 && strcmp(name + length - 3, ".db") == 0 ? length - 3 : length),
                   name);
}

/* Opens a log to read only. A log that no process has open is read as it is, without any file beside it. */
static eb_code open_reading(const char *path, eb_store *out, eb_status *status)
{
    char *wal = sqlite3_mprintf("%s-wal", path);
    sqlite3_str *name = sqlite3_str_new(NULL);
    sqlite3_str_appendf(name, "file:%s", path[0] == '/' ? "" : "./");
    for (const char *at = path; *at; at++) /* '?', '#' and '%' have a meaning in the name of a file */
        sqlite3_str_appendf(name, strchr("?#%", *at) ? "%%%02X" : "%c", (unsigned char)*at);
    sqlite3_str_appendall(name, wal && access(wal, F_OK) == 0 ? "?mode=ro" : "?immutable=1");
    char *whole = sqlite3_str_finish(name);
    const int result =
        whole ? sqlite3_open_v2(whole, &out->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL)
              : SQLITE_NOMEM;
    sqlite3_free(whole);
    sqlite3_free(wal);
    return result == SQLITE_OK ? EB_OK : eb_fail(status, EB_IO, "cannot open %s: %s", path, strerror(errno));
}

static eb_code check_log(eb_store *store, eb_status *status)
{
    int64_t application, version;
    eb_status unused;
    if (eb_sql_integer(store, "PRAGMA application_id", EB_NO_VALUES, 0, &application, &unused) ||
        application != EB_APPLICATION_ID)
        return eb_fail(status, EB_BAD_FORMAT, "%s is not a session log of epsbench", store->path);
    EB_TRY(eb_sql_integer(store, "PRAGMA user_version", EB_NO_VALUES, 0, &version, status));
    if (version < OLDEST_WITH_LESSONS)
        return eb_fail(status, EB_BAD_FORMAT, "%s was written by an epsbench that logged no lessons", store->path);
    return EB_OK;
}

static eb_code copy_log(const char *path, eb_store *to, eb_status *status)
{
    char student[256];
    char *copy = strdup(path);
    eb_store from = {.path = copy, .wait_ms = EB_STORE_WAIT_MS};
    if (!copy)
        return eb_fail_memory(status, "a path", strlen(path));
    name_student(path, student, sizeof student);
    eb_code failed = open_reading(path, &from, status);
    if (!failed)
        failed = check_log(&from, status);
    if (!failed)
        failed = copy_answers(&from, student, to, status);
    close_quietly(&from);
    free(copy);
    return failed;
}

/* True if the path is the file of a log that this process has open: it must not be opened again (store.h). */
static bool is_own(const eb_store *own, const char *path)
{
    struct stat one, other;
    return own && stat(own->path, &one) == 0 && stat(path, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

static eb_code copy_all(eb_store *own, const char *const *path, size_t paths, eb_store *to, eb_status *status)
{
    char student[256];
    for (size_t k = 0; k < paths; k++) {
        name_student(path[k], student, sizeof student);
        EB_TRY(is_own(own, path[k]) ? copy_answers(own, student, to, status) : copy_log(path[k], to, status));
    }
    return EB_OK;
}

/* ---- a class ---- */

/* A student's first answer to each question, and the newest. */
#define FIRST                                                                                                          \
    "WITH own AS (SELECT *, given = min(given) OVER each AS first, given = max(given) OVER each AS newest "            \
    "FROM answer WINDOW each AS (PARTITION BY student, lesson, step)) "

static eb_code put_class(eb_store *store, eb_report *report, eb_status *status)
{
    static const char text[] =
        FIRST ", wrong AS (SELECT lesson, step, answer, count(DISTINCT student) AS gave FROM own WHERE NOT correct "
              "GROUP BY lesson, step, answer), "
              "most AS (SELECT lesson, step, answer, gave, row_number() OVER "
              "(PARTITION BY lesson, step ORDER BY gave DESC, answer) AS place FROM wrong) "
              "SELECT own.lesson, own.step, max(question) FILTER (WHERE newest), count(*) FILTER (WHERE first), "
              "count(*) FILTER (WHERE first AND NOT correct), "
              "1.0 * count(*) FILTER (WHERE first AND NOT correct) / count(*) FILTER (WHERE first), most.answer, "
              "most.gave, max(expected) FILTER (WHERE newest) FROM own "
              "LEFT JOIN most ON most.lesson = own.lesson AND most.step = own.step AND place = 1 "
              "GROUP BY own.lesson, own.step ORDER BY 6 DESC, 5 DESC, own.lesson, own.step";
    static const eb_column *const columns[] =
        EB_LIST(EB_F(lesson), EB_F(step), EB_F(question), EB_F(students), EB_F(missed), EB_F(missed_share),
                EB_F(wrong_answer), EB_F(wrong_given), EB_F(expected));
    return eb_read_table(store, report, EB_F(class), "The class, the question most missed first", EB_SHOWN(columns),
                         text, EB_NO_VALUES, NULL, status);
}

static eb_code put_students(eb_store *store, eb_report *report, eb_status *status)
{
    static const char text[] =
        FIRST "SELECT student, count(DISTINCT lesson), count(*) FILTER (WHERE first), "
              "count(*) FILTER (WHERE first AND correct), count(*) FILTER (WHERE newest AND correct) "
              "FROM own GROUP BY student ORDER BY student";
    static const eb_column *const columns[] =
        EB_LIST(EB_F(student), EB_F(lessons_begun), EB_F(answered), EB_F(right_first), EB_F(right_newest));
    return eb_read_table(store, report, EB_F(students), "The students", EB_SHOWN(columns), text, EB_NO_VALUES, NULL,
                         status);
}

eb_code eb_store_lesson_class(eb_store *own, const char *const *path, size_t paths, bool students, eb_report *report,
                              eb_status *status)
{
    char name[] = "the answers in memory";
    eb_store memory = {.path = name};
    if (sqlite3_open_v2(":memory:", &memory.db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        return eb_fail_memory(status, "the answers", 1);
    eb_code failed = eb_sql_script(&memory, table, status);
    if (!failed)
        failed = copy_all(own, path, paths, &memory, status);
    if (!failed)
        failed = put_class(&memory, report, status);
    if (!failed && students)
        failed = put_students(&memory, report, status);
    close_quietly(&memory);
    return failed;
}
