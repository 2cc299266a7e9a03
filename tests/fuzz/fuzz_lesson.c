/* libFuzzer: a lesson's file gives steps, each with question and answer, or a message that names a line. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shell/lessons/lesson.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool promise)
{
    if (!promise)
        abort();
}

static void check_lesson(const eb_lesson *lesson)
{
    check(lesson->title && lesson->about && lesson->steps > 0);
    for (size_t k = 0; k < lesson->steps; k++) {
        const eb_lesson_step *step = &lesson->step[k];
        check(step->first <= step->ask && step->ask < step->end && step->end <= lesson->lines);
        check(lesson->line[step->ask].word == EB_LESSON_ASK);
    }
    for (size_t k = 0; k < lesson->lines; k++)
        check(lesson->line[k].text && lesson->line[k].number > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    eb_lesson *lesson = NULL;
    eb_status status = {.code = EB_OK};
    char *text = strndup((const char *)data, size);
    check(text != NULL);
    const eb_code failed = eb_lesson_parse("x.lesson", text, &lesson, &status);
    free(text);
    if (failed) {
        check(!lesson && failed == EB_USAGE && status.message[0]);
        return 0;
    }
    check_lesson(lesson);
    eb_lesson_free(lesson);
    return 0;
}
