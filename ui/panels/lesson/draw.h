/* lesson_draw: how the panel Lesson looks. */
#pragma once

#include "draw/canvas.h"
#include "ui/panels/lesson/scene.h"

enum { EB_NUMBER_TYPED = 24 };

/* What the panel looks at. */
typedef struct eb_lesson_look {
    eb_lesson_view view;
    size_t cursor;                /* a choice, a lesson */
    char number[EB_NUMBER_TYPED]; /* as it is typed */
    bool focused;                 /* the panel has the keys */
    int top, left;                /* the first line and column seen, kept within those there are */
} eb_lesson_look;

/* Each keeps the cursor in sight where it has moved. */
void eb_lesson_draw(eb_canvas *canvas, eb_rect area, const eb_lesson_scene *scene, eb_lesson_look *look, bool moved);
