/* mapping: files in the address space that other programs may cut short meanwhile.
 *
 * Touching a page that its file no longer has, or that cannot be read, is SIGBUS. In a mapping made here it is not:
 * zeros take the whole mapping's place, every thread goes on, and eb_mapping_torn tells those who ask before they
 * believe what they computed. Any other SIGBUS goes where it went before: to the crash handler.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

typedef struct eb_mapping eb_mapping;

/* The first `size` > 0 bytes of an open file, for reading. `name` begins the sentence when it fails. Any thread. */
eb_code eb_map(int fd, size_t size, const char *name, eb_mapping **out, eb_status *status);
void eb_unmap(eb_mapping *mapping); /* NULL is fine */

const unsigned char *eb_mapping_data(const eb_mapping *mapping);

/* Whether zeros stand where the file's bytes were. */
bool eb_mapping_torn(const eb_mapping *mapping);
