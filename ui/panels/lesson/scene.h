/* lesson_scene: the state of a lesson, collected from the reports of `lesson`, `diagnose`, `answer` and
 * `hint` on the desk. */
#pragma once

#include "ui/desk.h"

/* The parts of a report, in the order in which they are shown. */
typedef enum eb_lesson_view {
    EB_LESSON_LIST,      /* the lessons */
    EB_LESSON_EVIDENCE,  /* the output of the step's commands */
    EB_LESSON_EXPLAINED, /* the right answer, and why */
    EB_LESSON_QUESTION,
    EB_LESSON_REPORT, /* other reports: wrong predictions, the result of `lesson check` */
    EB_LESSON_VIEWS
} eb_lesson_view;

enum { EB_MOST_CHOICES = 26 };

/* Texts belong to the reports and are valid until the next report. */
typedef struct eb_lesson_scene {
    const eb_report *report; /* the newest of `lesson`, `diagnose` and `answer`; NULL: none */
    unsigned long stamp;     /* of that report */
    bool has[EB_LESSON_VIEWS];
    eb_report part[EB_LESSON_VIEWS]; /* the report's items, not owned: the evidence, what is shown with the question,
                                        the rest */

    const eb_table *list, *wrong; /* the lessons; the wrong predictions; NULL: none */
    const eb_table *figures;      /* the answer as predicted and as measured; NULL: none */
    const eb_record *answered, *question;
    const eb_record *again;     /* what is wrong with the first try, when the question is still open; NULL: none */
    const char *title, *lesson; /* the question's title; the lesson's name */
    const char *verdict;        /* the answer's title: "Right" */
    bool told, right;           /* the answer was told without a prediction; the prediction was right */
    uint64_t step, steps;       /* the question's step; 0: no question */
    size_t choices;             /* 0: the answer is a number */
    const eb_field *choice[EB_MOST_CHOICES];
    const char *hint; /* the hint asked for since the question; NULL: none */
    bool running;     /* the commands of the answer run */
} eb_lesson_scene;

eb_lesson_scene eb_lesson_scene_of(const eb_desk *desk);
