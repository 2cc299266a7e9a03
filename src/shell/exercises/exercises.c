#include "shell/exercises/exercises.h"

#include <string.h>

const eb_exercise *const eb_exercises[EB_EXERCISES] = {&eb_exercise_swizzle, &eb_exercise_guard, &eb_exercise_fragment};

const eb_exercise *eb_exercise_find(const char *name)
{
    for (size_t k = 0; k < EB_EXERCISES; k++)
        if (strcmp(eb_exercises[k]->name, name) == 0)
            return eb_exercises[k];
    return NULL;
}

/* True if the text has "unsigned NAME(" with any blanks. */
static bool defines(const char *text, const char *name)
{
    static const char type[] = "unsigned";
    for (const char *at = strstr(text, type); at; at = strstr(at, type)) {
        at += sizeof type - 1;
        const char *word = at + strspn(at, " \t\r\n");
        if (word == at || strncmp(word, name, strlen(name)) != 0)
            continue;
        word += strlen(name);
        if (word[strspn(word, " \t\r\n")] == '(')
            return true;
    }
    return false;
}

const eb_exercise *eb_exercise_of(const char *text)
{
    for (size_t k = 0; k < EB_EXERCISES; k++)
        if (defines(text, eb_exercises[k]->name))
            return eb_exercises[k];
    return NULL;
}
