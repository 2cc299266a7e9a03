#include "io/files/near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/lookup.h"
#include "io/files/folder.h"

static const char *name_at(const void *folder, size_t index) { return ((const eb_folder *)folder)->file[index].name; }

/* The only file called NAME.ENDING, or NAME with letters of another case. NULL: none or several. */
static const char *with_ending(const eb_folder *folder, const char *name, size_t length)
{
    const char *found = NULL;
    for (size_t k = 0; k < folder->count; k++) {
        const char *other = folder->file[k].name;
        const bool same = strncasecmp(other, name, length) == 0 && (!other[length] || other[length] == '.');
        if (same && found)
            return NULL;
        found = same ? other : found;
    }
    return found;
}

char *eb_near_file(const char *path)
{
    enum { MOST_FILES = 500 };
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *parent = slash ? strndup(path, (size_t)(name - path)) : strdup("."), *near = NULL;
    eb_folder folder;
    if (parent && *name && eb_folder_glance(parent, MOST_FILES, NULL, &folder, NULL) == EB_OK) {
        const eb_names names = {.what = "file", .count = folder.count, .at = name_at, .context = &folder};
        const size_t length = strlen(name);
        const char *found = with_ending(&folder, name, length);
        found = found ? found : eb_nearest_name(&names, name, length);
        if (found && asprintf(&near, "%.*s%s", (int)(name - path), path, found) < 0)
            near = NULL;
        eb_folder_free(&folder);
    }
    free(parent);
    return near;
}
