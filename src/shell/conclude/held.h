/* held: the sentence that says which narrow number types hold all values of a dataset. */
#pragma once

#include "core/data/numbers_held.h"

enum { EB_HELD_BYTES = 160 };

/* "these values are BF16 already", "INT8 (in steps of 0.5) holds these values": the narrowest types that do, exactly.
 * stored: the type that the values are stored in. "" if no type but FP64 holds them. Returns buffer. */
char *eb_held_sentence(const eb_held held[EB_NUMBERS], eb_dtype stored, char buffer[EB_HELD_BYTES]);
