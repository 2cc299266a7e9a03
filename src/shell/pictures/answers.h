/* answers: separates a terminal's answers about graphics from what the person types. The bytes of both come from the
 * same place, and an answer may come late, while the next line is being typed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum eb_graphics {
    EB_GRAPHICS_UNKNOWN, /* not asked yet */
    EB_GRAPHICS_NONE,
    EB_GRAPHICS_KITTY,
    EB_GRAPHICS_SIXEL,
} eb_graphics;

/* Asks for kitty's graphics, then for the device's attributes, which every terminal answers: the answer to the first
 * comes before it, or never. */
#define EB_KITTY_QUESTION "\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\"
#define EB_ATTRIBUTES_QUESTION "\033[c"

enum { EB_TYPED_AHEAD = 512, EB_ANSWER_BYTES = 128 };

/* All zero at the beginning. */
typedef struct eb_answers {
    bool awaited;               /* the question was sent, and its last answer has not come */
    bool kitty, sixel;          /* as answered so far */
    char part[EB_ANSWER_BYTES]; /* the beginning of an answer, or of a key of several bytes */
    size_t length;
    unsigned char typed[EB_TYPED_AHEAD]; /* a ring: keys that came between; more are lost */
    size_t typed_from, typed_count;
} eb_answers;

/* Takes the next byte from the terminal. */
void eb_answers_take(eb_answers *a, unsigned char byte);

/* The byte that arrived last may be the beginning of an answer: more must follow at once. */
static inline bool eb_answers_open(const eb_answers *a) { return a->length > 0; }

/* No more bytes follow at once: what seemed to begin an answer was typed. */
void eb_answers_close(eb_answers *a);

/* The next byte that the person typed; −1: none. */
int eb_answers_typed(eb_answers *a);
