/* values: an argument's text checked against its type, once, when the command is parsed. */
#pragma once

#include "core/engine/engine.h"
#include "shell/language/command.h"
#include "shell/language/words.h"

size_t eb_argument_count(const eb_command *command);

/* By its name, which may be shortened to a unique prefix. EB_USAGE with what was perhaps meant. */
eb_code eb_argument_find(const eb_command *command, const char *name, size_t length, size_t *index, eb_status *status);

/* Is this word an argument's whole name, no value in quotes? */
bool eb_word_names(const eb_command *command, const eb_word *word, size_t *index);

/* Does it fit the positional argument whose turn it is? The repeated ones make way for names. */
bool eb_argument_fits(const eb_command *command, size_t index, const eb_word *word);

/* Reads `text` as the argument's type into *value (which takes a copy). The sentence says what was expected and found,
 * beginning with the argument's name. */
eb_code eb_value_read(const eb_argument *argument, const char *text, eb_argument_value *value, eb_status *status);

/* Another value for a repeated argument: behind those there are, ',' between. */
eb_code eb_value_add(const eb_argument *argument, const char *text, eb_argument_value *value, eb_status *status);

/* The option that an EB_ARG_OPTION gives a value to, and whose it is (of: may be NULL); NULL: there is none such. */
const eb_option *eb_argument_option(const eb_argument *argument, const eb_engine **of);

/* The option itself for an EB_ARG_OPTION, by the argument's name; else the argument: what help and completion describe.
 */
eb_argument eb_argument_meant(const eb_argument *argument);
