/* alien: recognises files that hold no points of the format that their name shows, and says what they are. */
#pragma once

#include "io/load_line.h"

/* EB_BAD_FORMAT for a pointer of Git LFS, an HTML page, text in UTF-16, a Python pickle, and for gzip data under a name
 * without .gz. The message says how to get the points. format: its name, as "csv";
 * NULL: unknown. */
eb_code eb_refuse_alien(const eb_bytes *bytes, const char *format, eb_status *status);

/* Writes "; `load FILE format=csv` reads it" if the text at the beginning is one of the formats of text; else "". */
char *eb_advise_format(char buffer[EB_ADVICE], const eb_bytes *bytes);

/* Inflates the first bytes of gzip data, at most `size`. Returns their number; 0 for damaged data. */
size_t eb_inflate_beginning(const eb_bytes *bytes, unsigned char *out, size_t size);
