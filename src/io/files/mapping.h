/* mapping: maps files that other programs may cut short meanwhile.
 *
 * Reading a page that the file no longer has, or that cannot be read, raises SIGBUS. For a mapping made here the
 * handler replaces the whole mapping by zeros and every thread goes on; callers test eb_mapping_torn before they use a
 * result. Any other SIGBUS goes to the previous handler, the crash handler.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

typedef struct eb_mapping eb_mapping;

/* Maps the first `size` > 0 bytes of an open file for reading. `name` begins the message on failure. Callable from any
 * thread. */
eb_code eb_map(int fd, size_t size, const char *name, eb_mapping **out, eb_status *status);
void eb_unmap(eb_mapping *mapping); /* NULL is fine */

const unsigned char *eb_mapping_data(const eb_mapping *mapping);

/* True if zeros have replaced the file's bytes. */
bool eb_mapping_torn(const eb_mapping *mapping);
