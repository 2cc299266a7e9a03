/* near: finds the file that a person meant by a name that does not exist. */
#pragma once

/* The path of a file in the same folder whose name is within two typos of the path's, or is the path's with an ending
 * behind it, if there is exactly one. Heap; NULL: none, or out of memory. */
char *eb_near_file(const char *path);
