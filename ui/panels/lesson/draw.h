/* lesson_draw: draws the panel Lesson. */
#pragma once

#include "draw/canvas.h"
#include "ui/panels/lesson/scene.h"

enum { EB_NUMBER_TYPED = 24 };

/* The panel's view of a lesson. */
typedef struct eb_lesson_look {
    eb_lesson_view view;
    size_t cursor;                /* index of a choice, or of a lesson */
    char number[EB_NUMBER_TYPED]; /* the answer being typed */
    bool focused;                 /* the panel has the focus */
    bool repeats;                 /* at a second try, what is given is shown again: there is room */
    int top, left;                /* first visible line and column, kept within the text */
} eb_lesson_look;

/* A count in a row of the list of lessons; 0: not told. */
unsigned eb_lesson_number(const eb_table *list, size_t row, const eb_column *key);

/* Lessons stand below headings, the parts of the course. The line of a row of the list, and the row of a line;
 * SIZE_MAX: the line is a heading or behind the last row. */
int eb_lesson_line_of(const eb_table *list, size_t row);
size_t eb_lesson_row_of(const eb_table *list, int line);

/* moved: the cursor has moved since it was drawn, and is scrolled into view. */
void eb_lesson_draw(eb_canvas *canvas, eb_rect area, const eb_lesson_scene *scene, eb_lesson_look *look, bool moved);
