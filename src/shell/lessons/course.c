#include "shell/lessons/course.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the order ---- */

bool eb_lesson_builds_on(const eb_lesson *lesson, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = lesson->after; at && *at;) {
        const size_t word = strcspn(at, " ");
        if (word == length && strncmp(at, name, length) == 0)
            return true;
        at += word;
        at += strspn(at, " ");
    }
    return false;
}

static int by_part(const void *a, const void *b)
{
    const eb_lesson *one = *(eb_lesson *const *)a, *other = *(eb_lesson *const *)b;
    if (one->part_number != other->part_number)
        return one->part_number < other->part_number ? -1 : 1;
    return strcmp(one->name, other->name);
}

/* True if none of the lessons that are still to be placed in this part comes before the lesson. */
static bool is_ready(eb_lesson *const *rest, size_t count, const eb_lesson *lesson)
{
    for (size_t k = 0; k < count; k++)
        if (rest[k] != lesson && rest[k]->part_number == lesson->part_number &&
            eb_lesson_builds_on(lesson, rest[k]->name))
            return false;
    return true;
}

void eb_course_sort(eb_lesson **lesson, size_t count)
{
    if (count > 1)
        qsort(lesson, count, sizeof(eb_lesson *), by_part);
    for (size_t first = 0; first < count; first++) {
        size_t next = first;
        while (next < count && lesson[next]->part_number == lesson[first]->part_number &&
               !is_ready(lesson + first, count - first, lesson[next]))
            next++;
        if (next == count || lesson[next]->part_number != lesson[first]->part_number)
            next = first; /* lessons that build on each other in a circle */
        eb_lesson *taken = lesson[next];
        memmove(lesson + first + 1, lesson + first, (next - first) * sizeof(eb_lesson *));
        lesson[first] = taken;
    }
}

/* ---- the lessons ---- */

eb_code eb_course_open(const eb_library *library, eb_course *out, eb_status *status)
{
    *out = (eb_course){calloc(library->count + 1, sizeof(eb_lesson *)), 0};
    eb_code failed = out->lesson ? EB_OK : eb_fail_memory(status, "the course", library->count * sizeof(eb_lesson *));
    for (size_t k = 0; k < library->count && !failed; k++) {
        failed = eb_lesson_read(library->path[k], &out->lesson[k], status);
        out->count += !failed;
    }
    if (failed)
        eb_course_close(out);
    else
        eb_course_sort(out->lesson, out->count);
    return failed;
}

void eb_course_close(eb_course *course)
{
    for (size_t k = 0; k < course->count; k++)
        eb_lesson_free(course->lesson[k]);
    free(course->lesson);
    *course = (eb_course){0};
}

eb_code eb_course_next(const eb_course *course, eb_store *store, const eb_lesson **lesson, size_t *step,
                       eb_status *status)
{
    *lesson = NULL;
    *step = 0;
    for (size_t k = 0; k < course->count && *step == 0; k++) {
        *lesson = course->lesson[k];
        EB_TRY(eb_store_lesson_next(store, (*lesson)->name, (*lesson)->steps, step, status));
    }
    return EB_OK;
}

/* "no", "1 of 3", "2 wrong", "yes" */
static void say_progress(const eb_lesson *lesson, const eb_lesson_progress *progress, char *text, size_t size)
{
    const unsigned long answered = progress->answered, right = progress->right;
    if (answered == 0)
        (void)snprintf(text, size, "no");
    else if (answered < lesson->steps)
        (void)snprintf(text, size, "%lu of %zu", answered, lesson->steps);
    else if (right < answered)
        (void)snprintf(text, size, "%lu wrong", answered - right);
    else
        (void)snprintf(text, size, "yes");
}

static eb_code put_lesson(const eb_lesson *lesson, eb_store *store, const eb_lesson_place *place, eb_table *table,
                          eb_status *status)
{
    const bool open = place->step > 0 && strcmp(place->lesson, lesson->name) == 0;
    eb_value answered = eb_na(), right = eb_na(), first = eb_na();
    char done[64] = "";
    if (store) {
        eb_lesson_progress progress;
        EB_TRY(eb_store_lesson_progress(store, lesson->name, &progress, status));
        answered = eb_uint(progress.answered);
        right = eb_uint(progress.right);
        first = eb_uint(progress.first);
        say_progress(lesson, &progress, done, sizeof done);
    }
    EB_ROW(table, eb_text(lesson->part), eb_text(lesson->name), eb_text(lesson->title), eb_text(lesson->level),
           lesson->minutes ? eb_uint(lesson->minutes) : eb_na(), eb_text(lesson->after),
           done[0] ? eb_text(done) : eb_na(), open ? eb_uint(place->step) : eb_na(), eb_uint(lesson->steps), answered,
           right, first, eb_text(lesson->about), eb_text(lesson->path));
    return EB_OK;
}

eb_code eb_course_list(const eb_course *course, eb_store *store, eb_report *report, eb_status *status)
{
    eb_table *table =
        EB_TABLE(report, EB_F(lessons), "Lessons", EB_F(part), EB_F(lesson), EB_F(title), EB_F(lesson_level),
                 EB_F(minutes), EB_F(builds_on), EB_F(progress), EB_HIDDEN(step), EB_HIDDEN(steps), EB_HIDDEN(answered),
                 EB_HIDDEN(right), EB_HIDDEN(first), EB_HIDDEN(about), EB_F(path));
    eb_lesson_place place = {0};
    if (store)
        EB_TRY(eb_store_lesson_place(store, &place, status));
    for (size_t k = 0; k < course->count; k++)
        EB_TRY(put_lesson(course->lesson[k], store, &place, table, status));
    return EB_OK;
}
