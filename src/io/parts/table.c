#include "io/parts/table.h"

#include <stdio.h>
#include <string.h>

char *eb_table_difference(const eb_parts_table *there, const eb_parts_table *wanted, char *buffer, size_t size)
{
    buffer[0] = '\0';
    if (strcmp(there->sha256, wanted->sha256) != 0 || there->n != wanted->n || there->others != wanted->others ||
        there->self != wanted->self)
        (void)snprintf(buffer, size, "of other points, %zu with the SHA-256 %.16s…", there->n, there->sha256);
    else if (there->eps < wanted->eps || there->eps > wanted->eps)
        (void)snprintf(buffer, size, "at ε = %.17g, not %.17g", there->eps, wanted->eps);
    else if (strcmp(there->engine, wanted->engine) != 0)
        (void)snprintf(buffer, size, "of the engine %.200s, not %.200s", there->engine, wanted->engine);
    else if (strcmp(there->options, wanted->options) != 0)
        (void)snprintf(buffer, size, "with the options %.250s, not %.250s", there->options, wanted->options);
    else if (there->kept != wanted->kept)
        (void)snprintf(buffer, size, "with distances=%s, not %s", eb_distances_name(there->kept),
                       eb_distances_name(wanted->kept));
    else if (strcmp(there->cut, wanted->cut) != 0)
        (void)snprintf(buffer, size, "cut into parts otherwise, as memory=, parts= and cut= say: %s, not %s",
                       there->cut[0] ? there->cut : "by rows", wanted->cut[0] ? wanted->cut : "by rows");
    return buffer;
}
