/* exercises: the list of all exercises. */
#pragma once

#include "shell/exercises/exercise.h"

enum { EB_EXERCISES = 3 };
extern const eb_exercise *const eb_exercises[EB_EXERCISES];

/* By its name; NULL: not found. */
const eb_exercise *eb_exercise_find(const char *name);

/* The exercise whose function the text defines; NULL: none. */
const eb_exercise *eb_exercise_of(const char *text);
