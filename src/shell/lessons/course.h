/* course: all lessons in the order in which to take them: the parts of the course, in each part what a lesson builds on
 * before it, else by name. Lessons without a part come last.
 */
#pragma once

#include "shell/lessons/lesson.h"
#include "shell/lessons/library.h"
#include "store/store.h"

typedef struct eb_course {
    eb_lesson **lesson;
    size_t count;
} eb_course;

/* Reads the lessons of the library. EB_USAGE names the line of a file that is wrong. */
eb_code eb_course_open(const eb_library *library, eb_course *out, eb_status *status);
void eb_course_close(eb_course *course); /* frees the lessons */

/* The first question on the course that the log has no answer to. *step from 1; 0: all are answered. */
eb_code eb_course_next(const eb_course *course, eb_store *store, const eb_lesson **lesson, size_t *step,
                       eb_status *status);

/* Adds the table "lessons", with the person's progress if there is a log (store may be NULL). */
eb_code eb_course_list(const eb_course *course, eb_store *store, eb_report *report, eb_status *status);

/* Sorts lessons into the course's order. */
void eb_course_sort(eb_lesson **lesson, size_t count);

/* True if the lesson's `after` has this name. */
bool eb_lesson_builds_on(const eb_lesson *lesson, const char *name);
