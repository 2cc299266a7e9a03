/* values: reads the values of a command's arguments and checks them against their types, when a command is parsed. */
#pragma once

#include "core/engine/engine.h"
#include "shell/language/command.h"
#include "shell/language/words.h"

size_t eb_argument_count(const eb_command *command); /* its own */

/* The command's own argument, or, from EB_MAX_ARGUMENTS on, one of those of lists (lists.h). */
const eb_argument *eb_argument_at(const eb_command *command, size_t index);

/* Finds an argument by its name or a unique prefix, among its own first. EB_USAGE, with the nearest name, if there is
 * none. */
eb_code eb_argument_find(const eb_command *command, const char *name, size_t length, size_t *index, eb_status *status);

/* True if the word is the whole name of an argument, without quotes. Sets *index. */
bool eb_word_names(const eb_command *command, const eb_word *word, size_t *index);

/* True if the word may be the value of this positional argument. For repeated arguments and optional integers, the name
 * of an argument is not a value. */
bool eb_argument_fits(const eb_command *command, size_t index, const eb_word *word);

/* Reads `text` as the argument's type into *value, with a copy of the text. The message names the argument, what was
 * expected and what was found. */
eb_code eb_value_read(const eb_argument *argument, const char *text, eb_argument_value *value, eb_status *status);

/* Appends a value of a repeated argument to the values before, with ',' between. */
eb_code eb_value_add(const eb_argument *argument, const char *text, eb_argument_value *value, eb_status *status);

/* The option that an EB_ARG_OPTION argument sets; *of: its engine (of may be NULL). NULL: no such option. */
const eb_option *eb_argument_option(const eb_argument *argument, const eb_engine **of);

/* The argument that help and completion describe: for EB_ARG_OPTION, the option under the argument's name; else the
 * argument itself. */
eb_argument eb_argument_meant(const eb_argument *argument);
