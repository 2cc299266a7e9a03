/* own_folder: a temporary working folder for a test program, which must leave it empty. */
#pragma once

#include <dirent.h>
#include <unistd.h>

#include "tests/unit/test.h"

static char folder[] = "/tmp/epsbench-test-XXXXXX";

static inline int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1; /* fails if a test left a file */
}

static inline size_t files_here(void)
{
    DIR *here = opendir(".");
    size_t count = 0;
    assert_non_null(here);
    for (struct dirent *entry; (entry = readdir(here));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    (void)closedir(here);
    return count;
}
