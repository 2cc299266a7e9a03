/* lessons: stores the answers given in lessons, and reads the progress and the wrong answers. */
#include <stdio.h>

#include "store/read/read.h"

eb_code eb_store_lesson_answer(eb_store *store, int64_t session, const eb_lesson_answer *a, eb_status *status)
{
    static const char add[] = "INSERT INTO lesson_answer (session_id, answered, lesson, step, question, answer, "
                              "expected, correct, hinted) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    char now[EB_MOMENT_BYTES];
    eb_moment(now);
    EB_TRY(eb_sql_begin(store, status));
    return eb_sql_end(store,
                      eb_sql_run(store, add,
                                 EB_VALUES(eb_int(session), eb_text(now), eb_text(a->lesson), eb_uint(a->step),
                                           eb_text(a->question), eb_text(a->answer), eb_text(a->expected),
                                           eb_bool(a->correct), eb_bool(a->hinted)),
                                 NULL, status),
                      status);
}

eb_code eb_store_lesson_progress(eb_store *store, const char *lesson, eb_lesson_progress *out, eb_status *status)
{
    static const char text[] =
        "SELECT count(*) FILTER (WHERE newest), count(*) FILTER (WHERE newest AND correct), "
        "count(*) FILTER (WHERE correct AND given = first) FROM "
        "(SELECT newest, correct, given, min(given) OVER (PARTITION BY step) AS first FROM v_lessons WHERE lesson = ?)";
    *out = (eb_lesson_progress){0};
    eb_query query = eb_sql_rows(store, text, EB_VALUES(eb_text(lesson)), status);
    if (eb_sql_next(&query))
        *out = (eb_lesson_progress){(uint64_t)eb_sql_int(&query, 0), (uint64_t)eb_sql_int(&query, 1),
                                    (uint64_t)eb_sql_int(&query, 2)};
    return eb_sql_done(&query);
}

eb_code eb_store_lesson_next(eb_store *store, const char *lesson, size_t steps, size_t *step, eb_status *status)
{
    static const char text[] = "SELECT DISTINCT step FROM lesson_answer WHERE lesson = ? ORDER BY step";
    eb_query query = eb_sql_rows(store, text, EB_VALUES(eb_text(lesson)), status);
    *step = 1;
    while (eb_sql_next(&query))
        *step += (size_t)eb_sql_int(&query, 0) == *step;
    if (*step > steps)
        *step = 0;
    return eb_sql_done(&query);
}

eb_code eb_store_lesson_stay(eb_store *store, int64_t session, const eb_lesson_place *place, eb_status *status)
{
    static const char stay[] = "INSERT OR REPLACE INTO lesson_place (id, session_id, moment, lesson, step, tries, "
                               "hinted) VALUES (1, ?, ?, ?, ?, ?, ?)",
                      leave[] = "DELETE FROM lesson_place";
    char now[EB_MOMENT_BYTES];
    eb_moment(now);
    EB_TRY(eb_sql_begin(store, status));
    eb_code failed = place->step == 0
                         ? eb_sql_run(store, leave, EB_NO_VALUES, NULL, status)
                         : eb_sql_run(store, stay,
                                      EB_VALUES(eb_int(session), eb_text(now), eb_text(place->lesson),
                                                eb_uint(place->step), eb_uint(place->tries), eb_bool(place->hinted)),
                                      NULL, status);
    return eb_sql_end(store, failed, status);
}

eb_code eb_store_lesson_place(eb_store *store, eb_lesson_place *out, eb_status *status)
{
    static const char text[] = "SELECT lesson, step, tries, hinted, (SELECT answer FROM lesson_answer a WHERE a.lesson "
                               "= p.lesson AND a.step = p.step ORDER BY id DESC LIMIT 1) FROM lesson_place p";
    *out = (eb_lesson_place){0};
    eb_query query = eb_sql_rows(store, text, EB_NO_VALUES, status);
    if (eb_sql_next(&query)) {
        (void)snprintf(out->lesson, sizeof out->lesson, "%s", eb_sql_text(&query, 0));
        out->step = (size_t)eb_sql_int(&query, 1);
        out->tries = (size_t)eb_sql_int(&query, 2);
        out->hinted = eb_sql_int(&query, 3) != 0;
        (void)snprintf(out->answer, sizeof out->answer, "%s", eb_sql_text(&query, 4));
    }
    return eb_sql_done(&query);
}

eb_code eb_store_lesson_wrong(eb_store *store, const char *lesson, eb_report *report, eb_status *status)
{
    static const char text[] = "SELECT lesson, step, question, answer, expected, answered FROM v_lessons "
                               "WHERE newest AND NOT correct AND (?1 IS NULL OR lesson = ?1) ORDER BY lesson, step";
    static const eb_column *const columns[] =
        EB_LIST(EB_F(lesson), EB_F(step), EB_F(question), EB_F(answer), EB_F(expected), EB_F(answered_at));
    return eb_read_table(store, report, EB_F(wrong), "Predicted wrongly", EB_SHOWN(columns), text,
                         EB_VALUES(eb_text(lesson)), NULL, status);
}
