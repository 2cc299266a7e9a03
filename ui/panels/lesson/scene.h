/* lesson_scene: where a lesson is, out of the reports of `lesson`, `answer` and `hint` on the desk. Nothing is drawn
 * here.
 */
#pragma once

#include "ui/desk.h"

/* What a report gives to see, in this order. */
typedef enum eb_lesson_view {
    EB_LESSON_LIST,      /* of lessons */
    EB_LESSON_EVIDENCE,  /* what an answer's step showed */
    EB_LESSON_EXPLAINED, /* what was right, and why */
    EB_LESSON_QUESTION,
    EB_LESSON_REPORT, /* all else: what was predicted wrongly, what was checked */
    EB_LESSON_VIEWS
} eb_lesson_view;

enum { EB_MOST_CHOICES = 26 };

/* Texts are the reports': good until the next one. */
typedef struct eb_lesson_scene {
    const eb_report *report; /* the newest of `lesson` and `answer`; NULL: there is none */
    unsigned long stamp;     /* its */
    bool has[EB_LESSON_VIEWS];
    eb_report part[EB_LESSON_VIEWS]; /* its items, not owned: of the evidence, of the rest */

    const eb_table *list, *wrong; /* of lessons, of what was predicted wrongly; NULL: none */
    const eb_record *answered, *question;
    const char *title, *lesson; /* the question's; the lesson's name */
    const char *verdict;        /* the answer's title: "Right" */
    bool told, right;           /* nothing was predicted; rightly */
    uint64_t step, steps;       /* of the question, else of nothing: 0 */
    size_t choices;             /* 0: a number is asked for */
    const eb_field *choice[EB_MOST_CHOICES];
    const char *hint; /* asked for since the question; NULL: none */
    bool running;     /* the answer to it runs */
} eb_lesson_scene;

eb_lesson_scene eb_lesson_scene_of(const eb_desk *desk);
