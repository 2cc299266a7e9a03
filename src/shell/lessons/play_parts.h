/* play_parts: a lesson that is played as its parts share it: what it runs and asks (play.c), what an answer comes to
 * (play_answer.c). Not for others.
 */
#ifndef EB_SHELL_LESSONS_PLAY_PARTS_H
#define EB_SHELL_LESSONS_PLAY_PARTS_H

#include "shell/lessons/fill.h"
#include "shell/lessons/play.h"

struct eb_play {
    eb_lesson *lesson;
    size_t step, answered, right;
    bool hinted;
    unsigned where; /* EB_LESSON_ON_… */
    eb_session *session;
    eb_evaluator *values;
    eb_report *last;  /* of the command that ran last; NULL: none */
    char **ran;       /* [lesson->lines], heap: what a `run` line ran; NULL: it has not */
    eb_report *wrong; /* a table of what was predicted wrongly */
};

/* What plays a step: its lines come here one by one. */
typedef struct eb_play_scene {
    eb_play *play;
    eb_session *outer;
    eb_report *report; /* what the person sees */
    eb_job *job;
    eb_status *status;
} eb_play_scene;

/* play.c */
const eb_lesson_step *eb_play_current(const eb_play *play);

/* The line of the step that has this word, of choices the one with the letter (0: any); NULL: none. */
const eb_lesson_line *eb_play_line(const eb_play *play, eb_lesson_word word, char letter);

/* Does lines [first, end) one by one: what runs, what is taken, what is shown. */
eb_code eb_play_do(const eb_play_scene *s, size_t first, size_t end);

/* The lesson's author is told where. */
eb_code eb_play_at_line(const eb_play_scene *s, const eb_lesson_line *line, eb_code failed);

/* A line's text with its numbers, heap. */
eb_code eb_play_expand(const eb_play_scene *s, const eb_lesson_line *line, char **out);

/* All lines of a word as one paragraph of a record; nothing where there are none. */
eb_code eb_play_paragraph(const eb_play_scene *s, eb_record *record, size_t first, size_t end, eb_lesson_word word,
                          const char *key, const char *title);

#endif
