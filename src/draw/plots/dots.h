/* dots: lines and points as dots. A braille character has 2 × 4 dots; a caller that draws one sign for each character
 * has 1 × 1. Nothing is stored here: the dots go to a pen's callback, one after another. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define EB_BRAILLE 0x2800u /* U+2800 + the bits of the dots */
enum { EB_BRAILLE_ACROSS = 2, EB_BRAILLE_UP = 4 };

/* Bit of dot (i, j) in its braille character; i and j count from the plot's lower left. */
uint8_t eb_braille_bit(size_t i, size_t j);

typedef struct eb_pen {
    size_t across, up; /* dots of the whole plot; (0, 0) is the lower left */
    void (*dot)(void *context, size_t i, size_t j);
    void *context;
} eb_pen;

/* Places are shares of the plot, 0 … 1 from its lower left. Places outside, and NAN, leave no dots. */
void eb_pen_dot(const eb_pen *pen, double x, double y);
void eb_pen_line(const eb_pen *pen, double x0, double y0, double x1, double y1);
