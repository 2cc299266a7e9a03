#include "shell/history.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <readline/history.h>

#include "core/files/state_path.h"
#include "core/files/text_file.h"

enum { PATH_SIZE = 4096 };

/* Number of lines that were typed in this session; they are the last ones in readline's history. */
static int own_lines;

static bool find_path(char path[PATH_SIZE]) { return eb_state_path("history", path, PATH_SIZE); }

/* Finds the history's path. Fails if there is no place for it, or if the file there is not a readable text file. */
static eb_code find_usable(char path[PATH_SIZE], eb_status *status)
{
    if (!find_path(path))
        return eb_fail(status, EB_IO, "%s", "");
    return eb_text_check(path, path, "the history", EB_HISTORY_BYTES, status);
}

eb_code eb_history_load(eb_status *status)
{
    char path[PATH_SIZE];
    using_history();
    stifle_history(EB_HISTORY_LINES);
    own_lines = 0;
    if (!find_path(path))
        return EB_OK;
    EB_TRY(find_usable(path, status));
    (void)read_history(path);
    return EB_OK;
}

void eb_history_add(const char *line)
{
    HIST_ENTRY *last = history_length > 0 ? history_get(history_base + history_length - 1) : NULL;
    if (line[strspn(line, " \t\r\n")] == '\0' || (last && strcmp(last->line, line) == 0))
        return;
    add_history(line);
    own_lines++;
}

/* Copies the lines of this session, oldest first; needed because clear_history frees them. */
static char **copy_own(size_t *count)
{
    int first = history_length > own_lines ? history_length - own_lines : 0;
    *count = 0;
    char **lines = calloc((size_t)(history_length - first) + 1, sizeof *lines);
    for (int k = first; lines && k < history_length; k++) {
        HIST_ENTRY *entry = history_get(history_base + k);
        if (entry && (lines[*count] = strdup(entry->line)) != NULL)
            ++*count;
    }
    return lines;
}

static void replace_file(const char *path)
{
    char *temporary = NULL;
    if (asprintf(&temporary, "%s.%ld", path, (long)getpid()) < 0)
        return;
    mode_t before = umask(077); /* only the person may read it */
    bool written = write_history(temporary) == 0;
    (void)umask(before);
    if (!written || rename(temporary, path) != 0)
        (void)unlink(temporary);
    free(temporary);
}

void eb_history_save(void)
{
    char path[PATH_SIZE];
    size_t count;
    char **lines = own_lines > 0 && find_usable(path, NULL) == EB_OK ? copy_own(&count) : NULL;
    if (lines) {
        (void)eb_make_folders(path);
        clear_history();
        (void)read_history(path);
        for (size_t k = 0; k < count; k++) {
            add_history(lines[k]);
            free(lines[k]);
        }
        replace_file(path);
        own_lines = 0;
    }
    free(lines);
}
