/* state_path: paths of the files that are kept between sessions, such as the log, the history and crash reports. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* $XDG_STATE_HOME/epsbench/NAME; ~/.local/state if that is unset or relative, as XDG demands. False: there is no home
 * folder, or the path does not fit the buffer. */
bool eb_state_path(const char *name, char *buffer, size_t size);

/* Like eb_state_path, for settings: $XDG_CONFIG_HOME/epsbench/NAME, else ~/.config. */
bool eb_config_path(const char *name, char *buffer, size_t size);

/* Like eb_state_path, for data that can be recomputed: $XDG_CACHE_HOME/epsbench/NAME, else ~/.cache. */
bool eb_cache_path(const char *name, char *buffer, size_t size);

/* Like eb_state_path, for a person's additions to the program: $XDG_DATA_HOME/epsbench/NAME, else ~/.local/share. */
bool eb_data_path(const char *name, char *buffer, size_t size);

/* Creates the folders above a file, for their owner only. Returns 0, or the length of the first path that cannot be
 * created (errno says why). Modifies path while it runs. Async-signal-safe. */
size_t eb_make_folders(char *path);
